#!/usr/bin/env bash
# Fails when a C++ file of the tree is not as clang-format would write it; --fix rewrites them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && mode=(-i)
folders=()
for folder in include src apps tests benchmarks examples python viewer/server; do
  [[ -d $folder ]] && folders+=("$folder")
done
find "${folders[@]}" \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
  xargs -0 --no-run-if-empty clang-format "${mode[@]}"
