#!/usr/bin/env bash
# Another standard library, processor and system, as far as Debian has them (docs/portability.md).
#   scripts/portability.sh                       msvc, libcxx and aarch64
#   scripts/portability.sh msvc|libcxx|aarch64   one of them
#   scripts/portability.sh mingw64               begun: it compiles a part of the rooms
#   scripts/portability.sh aarch64 TEST...       only these tests of tests/{math,linear,model,kinematics,dynamics}
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

# Every public header of the rooms without packages, read by clang as Visual C++ reads, without a warning.
# The C++ library is Linux's, as Visual Studio's is nowhere else: it is told what clang leaves out then.
msvc() {
  local flags=(-std=c++20 -fms-extensions -fms-compatibility -fms-compatibility-version=19.29 -D__STRICT_ANSI__
               -D__GCC_ATOMIC_TEST_AND_SET_TRUEVAL=1) type templates room
  for type in BOOL CHAR CHAR8_T CHAR16_T CHAR32_T WCHAR_T SHORT INT LONG LLONG POINTER; do
    flags+=("-D__GCC_ATOMIC_${type}_LOCK_FREE=2")
  done
  for templates in -fno-delayed-template-parsing -fdelayed-template-parsing; do
    for room in math linear model kinematics dynamics; do printf '#include "%s"\n' include/torsor/$room/*.hpp; done |
      clang++ "${flags[@]}" $templates -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmicrosoft -Werror \
        -I. -Iinclude -isystem /usr/include/eigen3 -fsyntax-only -x c++ -
  done
  echo "msvc: no warning"
}

what=${1:-all}
[[ $# -gt 0 ]] && shift
case $what in
  msvc | all) install_packages clang libeigen3-dev
              say "clang as Visual C++, headers" && msvc ;;&
  libcxx | all) install_packages clang ninja-build cmake libgtest-dev libc++-dev libc++abi-dev
                say "clang with libc++" && tests libcxx "$@" ;;&
  aarch64 | all) install_packages ninja-build cmake libgtest-dev g++-aarch64-linux-gnu qemu-user
                 say "aarch64 under qemu-user" && tests aarch64 "$@" ;;&
  mingw64) install_packages ninja-build cmake libgtest-dev g++-mingw-w64-x86-64-posix wine64
           say "Windows under Wine" && export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all &&
           mkdir -p build && tests mingw64 "$@" ;;&
  msvc | libcxx | aarch64 | mingw64 | all) ;;
  *) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
     exit 2 ;;
esac
