#!/usr/bin/env bash
# Other standard libraries, processors and compiler modes, as far as Debian has them (docs/portability.md).
#   scripts/portability.sh                       all of them
#   scripts/portability.sh libcxx|aarch64|msvc   one
#   scripts/portability.sh aarch64 TEST...       only these tests of tests/{math,linear,model,dynamics}
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

# The headers of the rooms without packages as clang-cl would read them: the words and the ABI of MSVC, the
# headers of libc++, since those of Windows are not to be had here. Syntax alone: nothing is linked or run.
msvc() {
  local header failed=0 count=0 headers=()
  mapfile -t headers < <(find include/torsor/{math,linear,model,kinematics,dynamics} -name '*.hpp' |
                         grep -v -x -f tests/portability/msvc_without.txt | sort)
  for header in "${headers[@]}"; do
    count=$((count + 1))
    clang++ --target=x86_64-pc-windows-msvc -fms-compatibility -fms-extensions -fsyntax-only \
      -std=c++20 -Wall -Wextra -Wno-pragma-once-outside-header -Werror \
      -nostdinc++ -isystem /usr/lib/llvm-14/include/c++/v1 -isystem tests/portability/msvc \
      -Iinclude -x c++ "$header" || failed=1
  done
  echo "$count headers, target x86_64-pc-windows-msvc"
  return $failed
}

what=${1:-all}
[[ $# -gt 0 ]] && shift
case $what in
  libcxx | all) install_packages clang ninja-build cmake libgtest-dev libc++-dev libc++abi-dev
                say "clang with libc++" && tests libcxx "$@" ;;&
  aarch64 | all) install_packages ninja-build cmake libgtest-dev g++-aarch64-linux-gnu qemu-user
                 say "aarch64 under qemu-user" && tests aarch64 "$@" ;;&
  msvc | all) install_packages clang libc++-dev
              say "headers in the MSVC mode of clang" && msvc ;;&
  libcxx | aarch64 | msvc | all) ;;
  *) sed -n '3,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
     exit 2 ;;
esac
