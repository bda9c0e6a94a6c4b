#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The README's console blocks: every command runs and prints what the README shows, numbers aside (they depend on the CPU's arithmetic).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build"
ln -s "$KNOCKOUT_COMMAND" "$work/build/knockout"
ln -s "$root/examples" "$work/examples"
cd "$work"

skeleton() { sed -E 's/[0-9]+([.,][0-9]+)*/#/g; s/[[:blank:]]+/ /g; s/ $//'; }

blocks=0
while IFS= read -r command; do
  shown_as="\$ $command" awk '
    $0 == ENVIRON["shown_as"] { shown = 1; next }
    shown && $0 == "```" { exit }
    shown { print }' "$root/README.md" | skeleton > expected
  bash -c "$command" 2> stderr | skeleton > printed || { echo "failed: $command"; cat stderr; exit 1; }
  if ! diff -u expected printed; then
    echo "README.md shows something else than: $command"
    exit 1
  fi
  blocks=$((blocks + 1))
done < <(sed -n 's/^\$ //p' "$root/README.md")
[[ $blocks -ge 4 ]] || { echo "only $blocks commands found in README.md"; exit 1; }
echo "$blocks commands of README.md print what it shows"
