#!/usr/bin/env bash
# compile.sh SOURCE_DIR: the kernels of this folder compile for a device. Skipped (77) without nvcc and
# outside of ./test --full.
set -euo pipefail
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
skip() {
  echo "skipped: $1"
  exit 77
}
[[ -n $nvcc ]] || skip "nvcc is not installed"
[[ -n ${TORSOR_FULL:-} ]] || skip "only ./test --full compiles for a device"
object=$(mktemp)
trap 'rm -f "$object"' EXIT
for source in "$1"/tests/device/*.cu; do
  "$nvcc" -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -I"$1/include" -c "$source" -o "$object"
done
