#!/usr/bin/env bash
# No file outside src/knockout/schema/kinds asks which kind a column is; tests may name kinds.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The lines of a source tree that name a kind where they must not.
named_kinds() {
  (cd "$1" && grep -rnE 'ColumnKind::k[A-Z]|using enum ColumnKind' --include='*.h' --include='*.cpp' \
    src cli media bench examples experiments fuzz 2>/dev/null) |
    grep -vE '^src/knockout/schema/kinds/|_test\.cpp:|/test_[a-z_]*\.h:' || true
}

# put FILE LINE: a source of the tree.
put() { mkdir -p "$tree/$(dirname "$1")"; printf '%s\n' "$2" >"$tree/$1"; }

put src/knockout/schema/kinds/date.h 'ColumnKind kind() { return ColumnKind::kDate; }'
put src/knockout/encode/a_test.cpp 'expect(ColumnKind::kDate);'
put src/knockout/encode/a.cpp 'codec_of(ColumnKind{});'
[[ -z $(named_kinds "$tree") ]] || { echo "FAILED: a good tree is refused"; exit 1; }
put cli/b.cpp 'if (kind == ColumnKind::kDate) return;'
[[ $(named_kinds "$tree") == "cli/b.cpp:1:"* ]] || { echo "FAILED: a bad line is not found"; exit 1; }

found=$(named_kinds "$root")
if [[ -n $found ]]; then
  echo "These lines ask which kind a column is. Ask its ColumnCodec instead, which one function of"
  echo "src/knockout/schema/kinds/column_codec.h can answer for every kind:"
  echo "$found"
  exit 1
fi
