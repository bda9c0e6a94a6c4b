#!/usr/bin/env bash
# Studies with two processes on this machine: the results of one process, up to rounding; the first
# process speaks and writes for both, and an interrupted study goes on with either number.
source "$(dirname "$0")/processes.sh"
cd "$scratch" || exit 1

# together ARGUMENTS...: two processes as torchrun starts them; output to output.RANK.
together() {
  local port rank
  port=$(free_port)
  rm -f code.*
  for rank in 0 1; do
    (RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$knockout" "$@" \
       >"output.$rank" 2>"error.$rank"; echo $? >"code.$rank") &
  done
  wait
  [[ $(cat code.* | tr '\n' ' ') == "0 0 " ]] || { fail "$*: exit codes $(cat code.*)"; cat error.*; }
  [[ ! -s output.1 && ! -s error.1 ]] || fail "$*: the second process speaks"
}

# means FILE: every mean of a study's JSON, in order.
means() { grep -o '"mean": [^,]*' "$1" | cut -d' ' -f2; }

# same TOLERANCE: whether one.json and output.0 agree.
same() {
  paste <(means one.json) <(means output.0) | awk -v most="$1" '
    { difference = $1 - $2; if (difference < 0) difference = -difference
      if (difference > most) { print; bad = 1 } rows++ }
    END { exit bad || rows < 4 }'
}

# --- a study on the native engine ---
"$knockout" reproduce trees --synthesize trees >/dev/null || fail "no data for trees"
study=(reproduce trees --data trees --quick --repetitions 1 --threads 1 --steps 60
       --methods knockout-structured,common-baseline --json)
"$knockout" "${study[@]}" --journal journal >one.json || fail "trees with one process"
together "${study[@]}" --journal journal
same 0.05 || fail "trees with two processes"
[[ ! -e journal ]] || fail "trees left its journal behind"

# --- a study on the LibTorch engine ---
"$knockout" reproduce food101 --synthesize food --synthesize-size 120 >/dev/null || fail "no data for food101"
study=(reproduce food101 --data food --quick --repetitions 1 --threads 1 --epochs 3
       --validation-rows 20 --checkpoints checkpoints --json)
"$knockout" "${study[@]}" --journal journal >one.json 2>said || fail "food101 with one process"
grep -q 'warning: resnet50.pt, roberta.pt: TorchScript is a program' said || fail "food101 did not warn of its encoders"
together "${study[@]}" --journal journal
same 0.1 || fail "food101 with two processes"
[[ -z $(find checkpoints -type f) ]] || fail "food101 left checkpoints behind"

# --- killed after the first result, alone; goes on with two ---
"$knockout" "${study[@]}" --journal journal >/dev/null &
pid=$!
for _ in $(seq 600); do
  [[ $(wc -l <journal 2>/dev/null) -ge 2 ]] && break
  sleep 0.1
done
kill -9 $pid 2>/dev/null && wait $pid 2>/dev/null
[[ -e journal ]] || fail "there was nothing to resume"
together "${study[@]}" --journal journal
same 0.1 || fail "a study resumed with two processes"
grep -q '"resumed_results": [1-9]' output.0 || fail "nothing was resumed"

[[ $failures == 0 ]]
