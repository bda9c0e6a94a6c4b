#!/usr/bin/env bash
# The methods on LibTorch through the command: `knockout` hands them on to knockout-nn, and says so
# when that is not there.
set -uo pipefail
knockout=${KNOCKOUT_COMMAND:?}
table=$(cd "$(dirname "$0")/../.." && pwd)/examples/patients.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

compare=(compare data.csv --target risk --folds 2 --ampute none --steps 30 --quiet)
head -121 "$table" >data.csv
"$knockout" "${compare[@]}" --methods knockout,miwae,supmiwae --json >first.json 2>error ||
  fail "compare: $(cat error)"
for label in Knockout MIWAE supMIWAE; do
  grep -q "\"$label\"" first.json || fail "no $label in the result"
done

# Standard input is still there for the program that takes over.
"$knockout" compare - --target risk --folds 2 --ampute none --steps 30 --quiet --methods supmiwae \
  <data.csv >piped 2>error || fail "standard input: $(cat error)"
grep -q supMIWAE piped || fail "nothing came of standard input"

"$knockout" "${compare[@]}" --methods miwae --class-weights balanced >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'cannot weigh classes' error || fail "class weights: $(cat error)"
"$knockout" "${compare[@]}" --methods miwae --time-limit 5s >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'cannot keep a time limit' error || fail "time limit: $(cat error)"
"$knockout" "${compare[@]}" --methods mivae >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'Did you mean "miwae"' error || fail "a wrong name: $(cat error)"

# The command alone.
ldd "$knockout" >libraries
if grep -q torch libraries; then fail "the command loads LibTorch"; fi
cp "$knockout" alone
./alone "${compare[@]}" --methods miwae >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'no knockout-nn beside the command' error || fail "alone: $(cat error)"
./alone reproduce regression --methods miwae,supmiwae --quick --journal journal >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'no knockout-nn beside the command' error || fail "alone, a study: $(cat error)"
RANK=0 WORLD_SIZE=2 ./alone fit data.csv --target risk -m m.safetensors >/dev/null 2>error
[[ $? == 2 ]] && grep -q 'several processes needs' error || fail "alone, processes: $(cat error)"
./alone compare --help >help  # not a pipe: grep -q leaves early, and the writer fails
grep -q '  miwae ' help || fail "the help does not list miwae"

[[ $failures == 0 ]] && echo "all passed"
exit $((failures > 0))
