#!/usr/bin/env bash
# ranks.sh CASE TORSOR SOURCE_DIR: the command on many ranks, held against one process. Exit code 77: skipped.
set -u
case_name=$1 torsor=$2 scenario=$3/examples/scenarios/sweep_unknown_load.yaml

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; [[ -f err ]] && sed 's/^/  stderr: /' err; exit 1; }
command -v mpirun >/dev/null || skip "no mpirun here (Debian: openmpi-bin)"
[[ -f $(dirname "$torsor")/torsor_mpi.so ]] || skip "torsor was built without MPI"

folder=$(mktemp -d) && cd "$folder" || exit 1
trap 'cd / && rm -rf "$folder"' EXIT
export OMPI_MCA_btl_vader_single_copy_mechanism=none  # containers forbid it, and Open MPI remarks on that
launch=(mpirun --oversubscribe)
[[ $(id -u) -eq 0 ]] && launch+=(--allow-run-as-root)

# The answer in JSON without the name of its journal, and how many runs it went on with.
answer() { grep -v -e '"journal"' -e '"resumed"' "$1"; }
rows() { tail -n +3 "$1" | sort; }
same() {  # same NAME: one.csv and one.json against it
  cmp -s <(rows one.csv) <(rows "$1.csv") || fail "$1: the journal is not that of one process"
  cmp -s <(answer one.json) <(answer "$1.json") || fail "$1: the answer is not that of one process"
}
one_process() { "$torsor" sweep "$scenario" --samples "$1" --json --journal one.csv >one.json 2>err; }
# says WORDS: these words stand in one line of standard error, which is the only one of torsor's.
says() {
  [[ $(grep -c '^torsor: ' err) -eq 1 ]] || fail "not one line of torsor's"
  grep '^torsor: ' err | grep -q -e "$1" || fail "does not say: $1"
}
lines_of() { if [[ -f $1 ]]; then grep -c '^[0-9]' "$1"; else echo 0; fi; }
npy_header() {  # npy_header STATES: of so many rows of six numbers, 128 bytes
  perl -e '$h = sprintf("{\x27descr\x27: \x27<f8\x27, \x27fortran_order\x27: False, \x27shape\x27: (%d, 6), }", $ARGV[0]);
    print "\x93NUMPY\x01\x00" . pack("v", 118) . $h . " " x (117 - length $h) . "\n"' "$1"
}
ranks_of() { pgrep -P "$1" -x torsor; }

case $case_name in
  equal)
    one_process 40
    for how in "1 1" "2 1" "3 2" "64 1"; do
      read -r n threads <<<"$how"
      "${launch[@]}" -n "$n" "$torsor" sweep "$scenario" --samples 40 --threads "$threads" --json \
        --journal "r$n.csv" >"r$n.json" 2>err || fail "$n ranks"
      same "r$n"
    done
    # For people, too: mpirun's own terminal is nobody's, so no colours.
    text() { TERM=xterm "$@" sweep "$scenario" --samples 40 --journal one.csv 2>err; }
    cmp -s <(text "$torsor") <(text "${launch[@]}" -n 2 "$torsor") || fail "the text for people differs"
    # More ranks than samples; nothing left to do.
    one=$("$torsor" sweep "$scenario" --samples 2 --journal few.csv --json | grep -v journal)
    many=$("${launch[@]}" -n 4 "$torsor" sweep "$scenario" --samples 2 --journal few4.csv --json 2>err |
      grep -v journal)
    [[ -n $one && $one == "$many" ]] || fail "four ranks for two samples"
    "${launch[@]}" -n 2 "$torsor" sweep "$scenario" --samples 40 --json --journal r2.csv \
      >r2.json 2>err </dev/null || fail "a journal that is whole"
    same r2
    ;;
  killed)
    samples=8000 kills=0
    one_process $samples
    for ((k = 0; k < 20; ++k)); do
      n=$((2 + k % 3)) before=$(lines_of many.csv)
      "${launch[@]}" --mca odls_base_sigkill_timeout 0 -n $n "$torsor" sweep "$scenario" \
        --samples $samples --threads 1 --json --journal many.csv >/dev/null 2>err &
      run=$!
      for ((wait = 0; wait < 1000; ++wait)); do
        (($(lines_of many.csv) > before)) && break
        sleep 0.02
      done
      sleep "0.0$((RANDOM % 10))"
      mapfile -t pids < <(ranks_of $run)
      ((${#pids[@]} == n)) || fail "kill $k: ${#pids[@]} of $n ranks run"
      kill -9 "${pids[RANDOM % n]}"
      wait $run && fail "kill $k: mpirun says that all is well"
      ((++kills))
    done
    had=$(lines_of many.csv)
    ((had > 0 && had < samples)) || fail "$had runs after $kills kills: nothing to resume"
    "${launch[@]}" -n 5 "$torsor" sweep "$scenario" --samples $samples --json --journal many.csv \
      >many.json 2>err || fail "resume"
    grep -q "^torsor: $((samples - had)) runs by 5 ranks" err || fail "finished runs are run again"
    same many
    echo "$kills kills left $had of $samples runs; the rest ran on 5 ranks"
    ;;
  interrupted)
    samples=12000
    one_process $samples
    for signal in INT TERM; do
      rm -f many.csv
      "${launch[@]}" -n 2 "$torsor" sweep "$scenario" --samples $samples --threads 1 --json \
        --journal many.csv >cut.json 2>err &
      run=$!
      for ((wait = 0; wait < 1000; ++wait)); do
        (($(lines_of many.csv) > 20)) && break
        sleep 0.02
      done
      kill -s $signal $run
      wait $run && fail "SIG$signal: exit code 0"
      had=$(lines_of many.csv)
      [[ $(tail -c 1 many.csv | od -An -c | tr -d ' ') == '\n' ]] || fail "the journal ends in a line"
      last=$(grep '^torsor: ' err | tail -n 1)
      [[ $last == "torsor: interrupted after $had of $samples runs; the same command goes on" ]] ||
        fail "SIG$signal: the last line is '$last', $had runs"
      [[ $(answer cut.json) == *'"runs": '"$had",* ]] || fail "SIG$signal: no answer of the runs so far"
    done
    "${launch[@]}" -n 2 "$torsor" sweep "$scenario" --samples $samples --json --journal many.csv \
      >many.json 2>err || fail "resume"
    grep -q "^torsor: $((samples - had)) runs by 2 ranks" err || fail "finished runs are run again"
    grep -q "^torsor: [0-9]* of $samples runs, 2 ranks, .* left$" err || fail "no line of progress"
    same many
    ;;
  verbs)  # that are not a sweep: the same bytes as of one process
    many() {  # many N WORDS...: on N ranks
      local n=$1
      shift
      "${launch[@]}" -n "$n" "$torsor" "$@" 2>err || fail "$n ranks: $*"
      grep -q "^torsor: .* by $n ranks on 1 machine" err || fail "$n ranks: no last line"
    }
    "$torsor" excite puma560 --starts 5 --harmonics 2 --time 100 --threads 1 --json >excite.json
    for how in "2 1" "3 2" "16 1"; do
      read -r n threads <<<"$how"
      many "$n" excite puma560 --starts 5 --harmonics 2 --time 100 --threads "$threads" --json \
        >"excite$n.json"
      cmp -s excite.json "excite$n.json" || fail "excite: $n ranks give another motion"
    done

    "$torsor" excite planar2r --starts 1 --period 20 -o motion.csv >/dev/null || fail "a motion"
    "$torsor" id planar2r --csv motion.csv -o log.csv 2>/dev/null >/dev/null || fail "a log"
    awk -F, -v OFS=, 'NR > 1 { for (k = 8; k <= NF; ++k) $k += sin(NR * NR * k) / 20 } 1' log.csv >noisy.csv
    for words in "identify planar2r noisy.csv" "identify planar2r noisy.csv log.csv --estimator weighted"; do
      "$torsor" $words --json >one.json 2>err || fail "$words"
      for n in 2 3 16; do
        many $n $words --json >many.json
        cmp -s one.json many.json || fail "$words: $n ranks give other numbers"
      done
    done

    mkdir states
    for name in q qd qdd tau; do
      npy_header 20000 >states/$name.npy
      perl -e 'print pack("d<*", map { sin($_ * $_ + length $ARGV[0]) } 1 .. 6 * 20000)' $name >>states/$name.npy
    done
    eval="eval puma560 --columns states --frame tool --only tau,M,qdd_fd,T_frame,kinetic"
    "$torsor" $eval -o one >/dev/null || fail "eval"
    "$torsor" $eval -o single --threads 1 >/dev/null && diff -r one single || fail "eval: threads differ"
    for n in 2 5; do
      many $n $eval -o "many$n" >/dev/null
      diff -r one "many$n" || fail "eval: $n ranks give other numbers"
    done
    # A state that cannot be: named, and no file is left.
    printf '\377\377\377\377\377\377\377\177' | dd of=states/qd.npy bs=8 seek=60016 conv=notrunc 2>/dev/null
    "${launch[@]}" -n 3 "$torsor" $eval -o bad >/dev/null 2>err && fail "a state that is no number"
    says 'states/qd.npy\[10000\]'
    [[ ! -e bad ]] || fail "files of a refused run: $(ls bad)"
    ;;
  stopped)  # a search that is interrupted writes what it has; one whose rank is killed writes nothing
    search=("${launch[@]}" --mca odls_base_sigkill_timeout 8 -n 3 "$torsor" excite puma560 --starts 99
      --threads 1 -o motion.csv)
    begin() {
      : >err  # not what an earlier search has said
      "${search[@]}" >out 2>err &
      run=$!
      for ((wait = 0; wait < 3000; ++wait)); do grep -q '^torsor: stage' err && break; sleep 0.02; done
    }
    begin
    kill -s TERM $run
    wait $run && fail "interrupted: exit code 0"
    grep -q '^torsor: interrupted; this is the best motion so far' err || fail "does not say it"
    [[ $(wc -l <motion.csv) -gt 100 ]] || fail "no motion"
    rm motion.csv
    begin
    mapfile -t pids < <(ranks_of $run)
    ((${#pids[@]} == 3)) || fail "${#pids[@]} of 3 ranks run"
    kill -9 "${pids[RANDOM % 3]}"
    wait $run && fail "a killed rank: exit code 0"
    [[ ! -e motion.csv ]] || fail "a motion of a killed search"

    # States that are interrupted: said within the second that mpirun grants, and no file is left. Zeros of
    # sparse files.
    mkdir states
    for name in q qd; do
      npy_header 30000000 >states/$name.npy
      truncate -s $((128 + 30000000 * 48)) states/$name.npy
    done
    "${launch[@]}" -n 2 "$torsor" eval puma560 --columns states --only kinetic -o cut >out 2>err &
    run=$!
    for ((wait = 0; wait < 1000; ++wait)); do [[ -e cut ]] && break; sleep 0.02; done
    sleep 0.2
    kill -s INT $run
    wait $run && fail "interrupted states: exit code 0"
    grep -q '^torsor: states: interrupted after [0-9]* states; no file is written' err || fail "does not say it"
    [[ ! -e cut ]] || fail "files of interrupted states: $(ls cut)"
    ;;
  refused)
    mkdir here there old
    cp "$scenario" here/s.yaml
    args="sweep s.yaml --samples 3 --journal $folder/j.csv"
    pair() { "${launch[@]}" -n 1 sh -c "$1" : -n 1 sh -c "$2" >out 2>err; code=$?; }
    pair "cd here && '$torsor' $args" "cd there && '$torsor' $args"
    says 'rank 1.*s.yaml'
    sed 's/Kp: 100/Kp: 101/' here/s.yaml >there/s.yaml
    pair "cd here && '$torsor' $args" "cd there && '$torsor' $args"
    says 'rank 1.*other files or options'
    pair "cd here && '$torsor' $args" "cd here && TORSOR_ARCH=baseline '$torsor' $args"
    if ! "$torsor" --version | grep -q 'instruction set baseline'; then says 'rank 1.*instruction set'; fi
    if id=$(readelf -n "$torsor" 2>/dev/null | awk '/Build ID/ {print $3}') && [[ -n $id ]]; then
      cp "$torsor" "$(dirname "$torsor")/torsor_mpi.so" old/
      perl -0777 -pi -e 'BEGIN { $id = pack("H*", shift @ARGV) } s/\Q$id\E/"x" x length($id)/e' "$id" old/torsor
      pair "cd here && '$torsor' $args" "cd here && '$folder/old/torsor' $args"
      says 'rank 1.*another build'
    fi
    ((code == 2)) || fail "exit code $code"
    [[ ! -e j.csv ]] || fail "something ran"
    # What rank 0 alone refuses.
    "${launch[@]}" -n 3 "$torsor" sweep here/s.yaml --journal no/such/folder/j.csv >out 2>err
    [[ $? -eq 2 || $? -eq 1 ]] || fail "a journal that cannot be written"
    says 'no/such/folder'
    for words in "sweep here/s.yaml --sample 1" "sweep here/s.yaml --no-such" "sweep" "info puma560" \
                 "sweep here/s.yaml --report page.html" "identify planar2r log.csv" "eval planar2r -" \
                 "eval planar2r --columns here" "excite planar2r --rate 0" "excite no_such_robot" \
                 "no_such_verb"; do
      "${launch[@]}" -n 3 "$torsor" $words >out 2>err
      (($? == 2)) || fail "$words: another exit code than 2"
      [[ $(grep -c '^torsor: ' err) -eq 1 && ! -s out ]] || fail "$words: not one line"
    done
    for words in --version --help "sweep --help" "help sweep"; do
      "${launch[@]}" -n 3 "$torsor" $words >out 2>err || fail "$words"
      cmp -s out <("$torsor" $words) || fail "$words: is not answered once"
    done
    ;;
  without)
    cp "$torsor" torsor  # without its module
    "${launch[@]}" -n 3 ./torsor sweep "$scenario" >out 2>err
    (($? == 2)) || fail "exit code"
    says 'started by mpirun as 3 ranks, but'
    # srun without MPI starts single processes; the first says what that means, the others nothing.
    for rank in 0 1; do
      SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$rank ./torsor sweep "$scenario" --samples 2 \
        --journal "$rank.csv" >out 2>err || fail "task $rank of srun"
      [[ $(grep -c 'started 3 tasks without MPI' err) -eq $((1 - rank)) ]] || fail "task $rank"
    done
    ;;
  *) fail "no case $case_name" ;;
esac
