#!/usr/bin/env bash
# Runs every fuzz target for some seconds, from the product's own files as seeds.
#   scripts/fuzz.sh [SECONDS] [TARGET...]     20 seconds and all targets
# An input that breaks a promise (tests/fuzz/property.hpp) stays as build/fuzz/crash-TARGET-*.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

seconds=${1:-20}
shift || true
readers=("$@")
[[ ${#readers[@]} -gt 0 ]] || readers=(urdf xacro mesh mjcf sdf robot_file scenario recording states sweep_journal log npy)

build fuzz "${readers[@]/#/fuzz_}"
# The command makes seeds of what is no file of the tree.
build release torsor_command
torsor=$PWD/build/release/torsor

seeds=build/fuzz/seeds
rm -rf "$seeds"
mkdir -p "$seeds"/{urdf,xacro,mesh,mjcf,sdf,robot_file,scenario,recording,states,sweep_journal,log,npy}
cp models/*.yaml "$seeds/robot_file"
cp tests/data/*.urdf "$seeds/urdf"
cp tests/data/*.xacro "$seeds/xacro"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >"$seeds/mesh/tetrahedron.obj"
for robot in planar2r puma560 panda five_bar; do
  "$torsor" convert "$robot" "$seeds/urdf/$robot.urdf" >/dev/null
  "$torsor" convert "$robot" "$seeds/mjcf/$robot.xml" --to mjcf >/dev/null
  "$torsor" convert "$robot" "$seeds/sdf/$robot.sdf" >/dev/null || true  # of robots without loops
done
cp examples/scenarios/*.yaml apps/torsor/demo/*.yaml "$seeds/scenario"
for form in trec csv; do
  "$torsor" simulate examples/scenarios/planar_arm_computed_torque.yaml \
    -o "$seeds/recording/run.$form" >/dev/null || true
done
head -n 5 "$seeds/recording/run.csv" >"$seeds/states/run.csv" || true
echo '{"frame": "tip", "states": [{"q": [0.5, -1], "qd": [1, 0], "f_ext": {"link_2": [0,0,0,1,2,3]}}]}' \
  >"$seeds/states/request.json"
"$torsor" sweep tests/fuzz/sweep.yaml --journal "$seeds/sweep_journal/journal.csv" >/dev/null || true

{ printf 't,q1,q2,tau1,tau2\n'; for k in $(seq 0 39); do echo "0.0$((k + 100)),0.$k,1.$k,$k,-$k"; done; } \
  >"$seeds/log/plain.csv"
{ printf 'rate: 100\nq: [1, 2]\ncurrent: [3, 4]\nmotor: {N: [50, -30], gain: unknown}\nunits: deg\n---\n'
  for k in $(seq 0 39); do echo "$k 1.$k $((k % 7)) -$k"; done; } >"$seeds/log/map.csv"

printf "\\x93NUMPY\\x01\\x00\\x3c\\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\\n" >"$seeds/npy/array.npy"

# Larger inputs find nothing that smaller ones do not; the limits are those of a hostile file.
failed=()
for reader in "${readers[@]}"; do
  say "Fuzzing: $reader, $seconds s"
  mkdir -p "build/fuzz/corpus/$reader"
  build/fuzz/tests/fuzz/fuzz_"$reader" -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -print_funcs=0 -verbosity=0 -artifact_prefix="build/fuzz/crash-$reader-" \
    "build/fuzz/corpus/$reader" "$seeds/$reader" || failed+=("$reader")
done
[[ ${#failed[@]} -eq 0 ]] || { say "Fuzzing FAILED: ${failed[*]}"; exit 1; }
