#!/usr/bin/env bash
# Another standard library, processor and system, as far as Debian has them (docs/portability.md).
#   scripts/portability.sh                          all of them
#   scripts/portability.sh libcxx|aarch64|mingw64   one
#   scripts/portability.sh aarch64 TEST...          only these tests of tests/{math,linear,model,dynamics}
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

# tests PRESET [TEST...]: builds the rooms without packages and their tests, and runs them.
tests() {
  local preset=$1 folder=build/portability-$1
  shift
  (cd tests/portability && cmake --preset "$preset" >/dev/null)
  cmake --build "$folder" -j "$(build_jobs)" ${@:+--target "$@"}
  local chosen=()
  [[ $# -gt 0 ]] && chosen=(-R "^($(IFS='|' && echo "$*"))\$")
  ctest --test-dir "$folder" -j 2 --output-on-failure --no-tests=error "${chosen[@]}"
}

what=${1:-all}
[[ $# -gt 0 ]] && shift
case $what in
  libcxx | all) install_packages clang ninja-build cmake libgtest-dev libc++-dev libc++abi-dev
                say "clang with libc++" && tests libcxx "$@" ;;&
  aarch64 | all) install_packages ninja-build cmake libgtest-dev g++-aarch64-linux-gnu qemu-user
                 say "aarch64 under qemu-user" && tests aarch64 "$@" ;;&
  mingw64 | all) install_packages ninja-build cmake libgtest-dev g++-mingw-w64-x86-64-posix wine64
                 say "Windows under Wine" && export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all &&
                 mkdir -p build && tests mingw64 "$@" ;;&
  libcxx | aarch64 | mingw64 | all) ;;
  *) sed -n '3,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
     exit 2 ;;
esac
