#!/bin/sh
# What the installed packages do, run in the system that has them: smoke.sh command python mpi consumer
set -eu
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "smoke: $*" >&2
  exit 1
}

check_command() {
  torsor --version
  torsor robots | grep -q puma560 || fail "torsor robots does not name puma560"
  # 2 kg at 0.5 m: the torque that holds a level rod.
  torsor id "$here/rod.urdf" --q 0 | grep -q -- -9.81 || fail "wrong torque of the rod"
  torsor info /usr/share/torsor/models/ur5.yaml >/dev/null
  torsor simulate /usr/share/torsor/examples/scenarios/planar_arm_computed_torque.yaml \
    --report page.html >/dev/null
  grep -q '<html' page.html || fail "no page"
  code=0
  torsor id nothing.urdf >/dev/null 2>message || code=$?
  [ "$code" -eq 2 ] || fail "a missing file gives exit code $code"
  [ "$(wc -l <message)" -eq 1 ] || fail "a missing file gives more than one line: $(cat message)"
  # dpkg may be told to leave documents out (containers do); where they are, they are whole.
  for file in share/doc/torsor/copyright share/doc/libtorsor0/copyright \
    share/doc/libtorsor-dev/copyright share/doc/python3-torsor/copyright \
    share/doc/torsor-mpi/copyright share/man/man1/torsor.1 \
    share/bash-completion/completions/torsor share/zsh/site-functions/_torsor; do
    [ -s "/usr/$file" ] || [ -s "/usr/$file.gz" ] || fail "/usr/$file is missing"
  done
}

# Two ranks of what is installed, and the numbers of one process.
check_mpi() {
  sweep="torsor sweep /usr/share/torsor/examples/scenarios/sweep_unknown_load.yaml --samples 8 --json"
  $sweep --journal one.csv | grep -v '"journal"' >one.json
  mpirun --allow-run-as-root --oversubscribe -n 2 $sweep --journal two.csv 2>message |
    grep -v '"journal"' >two.json
  cmp one.json two.json || fail "two ranks: $(cat message)"
  grep -q 'runs by 2 ranks on 1 machine' message || fail "two ranks say: $(cat message)"
}

check_python() {
  python3 "$here/smoke.py"
}

check_consumer() {
  cp "$here/CMakeLists.txt" "$here/consumer.cpp" .
  cmake -B build >log 2>&1 || fail "cmake: $(cat log)"
  cmake --build build >log 2>&1 || fail "build: $(cat log)"
  ./build/with_rooms
  ./build/with_shared_library
  g++ -std=c++20 consumer.cpp $(pkg-config --cflags --libs torsor) -o plain
  ./plain
  ldd ./plain | grep -q 'libtorsor.so.0 => ' || fail "pkg-config did not link libtorsor.so.0"
  g++ -std=c++20 consumer.cpp $(pkg-config --cflags --libs torsor-static) -o whole
  ./whole
  ! ldd ./whole | grep -q libtorsor || fail "torsor-static linked the shared library"
  if g++ -std=c++17 -fsyntax-only consumer.cpp $(pkg-config --cflags torsor) 2>message; then
    fail "C++17 is not refused"
  fi
  grep -q 'Torsor needs C++20' message || fail "C++17 gets: $(head -n 3 message)"
}

for part in "$@"; do
  "check_$part"
  echo "smoke: $part passed"
done
