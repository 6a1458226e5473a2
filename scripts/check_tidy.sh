#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER: clang-tidy on the library, the command and the examples (with the
# headers they include), as that build compiles them.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
  grep -E "^$PWD/(src|apps|examples)/" | sort -u |
  xargs --no-run-if-empty -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build"
