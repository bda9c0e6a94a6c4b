#!/usr/bin/env bash
# Every layer, kind of column, imputer and learner stands in the list of its theme: one that is written
# but not listed would be found by nobody.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# unlisted TREE FOLDER BASES LIST: the classes below FOLDER that derive from one of BASES (a|b) and are
# not named in LIST; bases themselves need not be.
unlisted() {
  local name
  (cd "$1" && grep -rhoE "class [A-Za-z0-9]+( final)? : public ($3)\b" --include='*.h' "$2" || true) |
    awk '{print $2}' | sort -u | grep -vxE "$3" |
    while read -r name; do grep -qw "$name" "$1/$4" || echo "$2: $name is not in $4"; done
}

mkdir -p "$tree/layers"
echo 'class Linear final : public Layer {' >"$tree/layers/linear.h"
echo 'Linear::from_json' >"$tree/layers/list.cpp"
[[ -z $(unlisted "$tree" layers Layer layers/list.cpp) ]] || { echo "FAILED: a good tree is refused"; exit 1; }
echo 'class Scale final : public Layer {' >"$tree/layers/scale.h"
[[ $(unlisted "$tree" layers Layer layers/list.cpp) == *Scale* ]] || { echo "FAILED: one is not missed"; exit 1; }

found=$(
  cd "$root/src/knockout"
  unlisted . networks Layer networks/layer_kinds.cpp
  unlisted . schema/kinds 'ColumnCodec|NumberCodec|LabelCodec' schema/kinds/kinds.cpp
  unlisted . impute 'FittedImputer|MatrixImputer' impute/imputer.cpp
  unlisted . . Learner fit/load_model.cpp
)
[[ -z $found ]] || { echo "$found"; exit 1; }
