#!/usr/bin/env bash
# The example of the LibTorch trainer with two processes, killed on the way and started again.
source "$(dirname "$0")/processes.sh"
example=$(dirname "$knockout")/examples/example_torch_trainer
[[ -x $example ]] || { echo "there is no $example"; exit 77; }
cd "$scratch" || exit 1

# start: two processes as mpirun starts them.
start() {
  local port rank
  port=$(free_port)
  rm -f code.* pid.*
  for rank in 0 1; do
    (OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 MASTER_PORT=$port KNOCKOUT_TIMEOUT=20 \
       "$example" run >"output.$rank" 2>"error.$rank" & echo $! >"pid.$rank"; wait $!; echo $? >"code.$rank") &
  done
}

start
for _ in $(seq 1500); do  # a checkpoint from after the first step
  grep -aqs 'step\\":[1-9]' run/last.safetensors && break
  sleep 0.02
done
kill -KILL "$(cat pid.0)" "$(cat pid.1)"
wait 2>/dev/null
start
wait
[[ $(cat code.* | tr '\n' ' ') == "0 0 " ]] || fail "started again: $(cat error.* output.*)"
grep -q 'resumed at step [1-9]' output.0 || fail "from the start again: $(cat output.0)"
grep -q '^step .* of 1200' output.0 || fail "no progress: $(cat output.0)"
[[ ! -s output.1 ]] || fail "the second process speaks: $(cat output.1)"

[[ $failures == 0 ]] && echo "all passed"
exit $((failures > 0))
