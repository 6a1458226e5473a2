#!/usr/bin/env bash
# compile.sh SOURCE_DIR: the kernels of this folder and those of batch compile for a device, and the library
# has all headers that they include. Skipped (77) without nvcc and outside of ./test --full.
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
shape=$(mktemp --suffix=.hpp)
trap 'rm -f "$object" "$shape"' EXIT
echo 'namespace torsor::internal { using DeviceReal = double; using Shape = HingeChainShape<3>; }' >"$shape"
options=(-std=c++20 --expt-relaxed-constexpr -DNDEBUG -DTORSOR_CHAIN "-DTORSOR_SHAPE=\"$shape\"" -arch=sm_90 "-I$1/include")
"$nvcc" "${options[@]}" -c "$1/src/batch/cuda/program.cu" -o "$object"
included=$("$nvcc" "${options[@]}" -M "$1/src/batch/cuda/program.cu" | tr -d '\\' | tr ' ' '\n' |
  sed -nE 's#^.*/include/(torsor/.*\.hpp)$#\1#p; s#^.*/src/batch/cuda/(.*)$#\1#p' | sort -u)
listed=$(grep -v '^device_std.hpp$' "$1/src/batch/cuda/headers.txt" | sort -u)
diff <(echo "$included") <(echo "$listed") || { echo "src/batch/cuda/headers.txt is not what program.cu includes"; exit 1; }
