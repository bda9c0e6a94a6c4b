# What the scripts here share: a scratch folder, failures that are counted, a free port.
set -uo pipefail
knockout=${KNOCKOUT_COMMAND:?}
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

free_port() {
  local port
  while port=$((20000 + RANDOM % 20000)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}
