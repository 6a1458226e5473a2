#!/usr/bin/env bash
# Run by conda build. The scripts of pages come from npm where it can be reached; else pages have pictures.
set -euo pipefail
(cd viewer && npm ci --ignore-scripts --loglevel=error) || echo "torsor: pages without scripts" >&2
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DTORSOR_BUILD_TESTS=OFF -DTORSOR_BUILD_EXAMPLES=OFF -DTORSOR_BUILD_MPI=OFF \
  -DTORSOR_BUILD_PYTHON=ON -DPython3_EXECUTABLE="$PYTHON" \
  -DTORSOR_PYTHON_DIR="$(realpath --relative-to="$PREFIX" "$SP_DIR")"
cmake --build build/conda -j "${CPU_COUNT:-2}"
cmake --install build/conda
