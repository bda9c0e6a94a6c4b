#!/usr/bin/env bash
# knockout fit with 2 and 4 processes on this machine: the model of one process, whatever starts them;
# and what becomes of the others when one is lost, late, or does something else.
source "$(dirname "$0")/processes.sh"
table=$(cd "$(dirname "$0")/../.." && pwd)/examples/patients.csv
cd "$scratch" || exit 1

# start SIZE ARGUMENTS...: as torchrun does; exit codes to code.RANK, messages to error.RANK.
start() {
  local size=$1 port rank
  shift
  port=$(free_port)
  for ((rank = 0; rank < size; rank++)); do
    (RANK=$rank WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$knockout" "$@" \
       >"output.$rank" 2>"error.$rank" & echo $! >"pid.$rank"; wait $!; echo $? >"code.$rank") &
  done
}
codes() { cat code.* | tr '\n' ' '; }

fit=(fit "$table" --target risk --seed 3 --steps 120)

# --- as many networks as processes: the same file ---
"$knockout" "${fit[@]}" --networks 4 -m one.safetensors >/dev/null || fail "one process"
for size in 2 4; do
  rm -f code.* many.safetensors
  start $size "${fit[@]}" --networks 4 -m many.safetensors
  wait
  [[ $(codes) == "$(printf '0 %.0s' $(seq $size))" ]] || fail "$size processes: exit codes $(codes)"
  cmp one.safetensors many.safetensors || fail "$size processes gave another model"
  grep -q 'training    4 networks' output.0 || fail "the first process says nothing"
  [[ ! -s output.1 && ! -s error.1 ]] || fail "the second process speaks"
done

# --- rows shared: the same up to rounding ---
"$knockout" "${fit[@]}" --networks 1 -m one.safetensors >/dev/null || fail "one process, one network"
"$knockout" predict "$table" -m one.safetensors --quiet >one.csv
for size in 2 4; do
  rm -f code.* many.safetensors
  start $size "${fit[@]}" --networks 1 -m many.safetensors
  wait
  "$knockout" predict "$table" -m many.safetensors --quiet >many.csv || fail "no model of $size processes"
  paste -d, one.csv many.csv | awk -F, '
    NR > 1 { difference = $2 - $5; if (difference < 0) difference = -difference
             if (difference > 1e-4) bad = 1; rows++ }
    END { exit bad || rows != 600 }' || fail "$size processes sharing rows gave another model"
done

# --- started by mpirun: Open MPI says it in its own words ---
rm -f code.* many.safetensors
port=$(free_port)
for rank in 0 1; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 MASTER_PORT=$port "$knockout" "${fit[@]}" \
    --networks 2 -m many.safetensors >"output.$rank" 2>"error.$rank" &
done
wait
[[ -s many.safetensors && -s output.0 ]] || fail "mpirun's variables: $(cat error.*)"
[[ ! -s output.1 ]] || fail "mpirun's variables: the second process trained alone"

# --- a peer that dies, hangs, does not come, or does something else ---
for lost in "KILL 1" "STOP 1" "KILL 2" "STOP 2"; do  # with one network rows are shared
  read -r signal networks <<<"$lost"
  rm -f code.* lost.safetensors
  KNOCKOUT_TIMEOUT=3 start 2 fit "$table" --target risk --networks "$networks" --steps 100000000 \
    --validation 0 -m lost.safetensors
  sleep 2.5
  kill -$signal "$(cat pid.1)"
  begin=$SECONDS
  while [[ ! -e code.0 && $((SECONDS - begin)) -lt 20 ]]; do sleep 0.2; done
  [[ $(cat code.0 2>/dev/null) == 6 ]] || fail "SIG$lost: the other process ended with $(cat code.0)"
  grep -qi 'process 0 of 2' error.0 || fail "SIG$lost: $(cat error.0)"
  [[ ! -e lost.safetensors ]] || fail "SIG$lost: there is a model"
  kill -KILL "$(cat pid.1)" 2>/dev/null
  wait
done

# --- with checkpoints a training that lost a peer goes on where it stood, and ends the same ---
for networks in 1 2; do  # rows shared, which is slow for so few of them; networks shared
  long=(fit "$table" --target risk --seed 3 --steps $((networks * networks * 3000)) --validation 0 --networks "$networks")
  rm -f code.* whole.safetensors many.safetensors
  start 2 "${long[@]}" -m whole.safetensors
  wait
  KNOCKOUT_TIMEOUT=10 start 2 "${long[@]}" -m many.safetensors --checkpoints under_way --checkpoint-every 0s
  for ((i = 0; i < 500; i++)); do
    [[ -e under_way/network-$networks.safetensors ]] && break
    sleep 0.02
  done
  rm -f code.*
  kill -KILL "$(cat pid.1)"
  wait
  [[ $(cat code.0) == 6 && ! -e many.safetensors ]] || fail "checkpoints: ended with $(codes)"
  rm -f code.*
  start 2 "${long[@]}" -m many.safetensors --checkpoints under_way
  wait
  [[ $(codes) == "0 0 " ]] || fail "checkpoints: started again, $(cat error.*)"
  grep -q 'steps were done before' output.0 || fail "checkpoints: from the start again: $(cat output.0)"
  cmp whole.safetensors many.safetensors || fail "checkpoints: another model, $networks networks"
  [[ ! -e under_way ]] || fail "checkpoints: $(ls -A under_way) left behind"
done

rm -f code.*
begin=$SECONDS
KNOCKOUT_TIMEOUT=2 RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$(free_port) \
  "$knockout" "${fit[@]}" -m lost.safetensors >/dev/null 2>error.0
[[ $? == 6 ]] || fail "a peer that does not come: $(cat error.0)"
[[ $((SECONDS - begin)) -lt 15 ]] || fail "a peer that does not come: waited too long"

head -300 "$table" >half.csv
rm -f code.* lost.safetensors
port=$(free_port)
for rank in 0 1; do
  data=$table
  [[ $rank == 1 ]] && data=half.csv
  (RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$knockout" fit "$data" \
     --target risk --steps 50 -m lost.safetensors >/dev/null 2>"error.$rank"; echo $? >"code.$rank") &
done
wait
[[ $(codes) == "6 6 " ]] || fail "different data: exit codes $(codes)"
grep -q 'do not agree on' error.0 || fail "different data: $(cat error.0)"
[[ ! -e lost.safetensors ]] || fail "different data: there is a model"

WORLD_SIZE=two RANK=0 "$knockout" "${fit[@]}" -m lost.safetensors >/dev/null 2>error.0
[[ $? == 2 ]] && grep -q 'WORLD_SIZE' error.0 || fail "WORLD_SIZE=two: $(cat error.0)"

[[ $failures == 0 ]] && echo "all passed"
exit $((failures > 0))
