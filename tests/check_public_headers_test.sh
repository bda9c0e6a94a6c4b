#!/usr/bin/env bash
# scripts/check_public_headers passes this tree and a good one, and says what is wrong with bad ones.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

"$root/scripts/check_public_headers" || { echo "FAILED: this tree"; exit 1; }

# put FILE LINE...: a file of the tree.
put() { mkdir -p "$tree/$(dirname "$1")"; printf '%s\n' "${@:2}" >"$tree/$1"; }
good() {
  put cmake/public_headers.txt '# A comment.' knockout/data/a.h knockout/model/b.h
  put docs/cpp_api.md '`knockout/base/version.h`' '`knockout/data/a.h` and `knockout/model/b.h`'
  put src/knockout/data/a.h '#include <vector>' '#include "knockout/base/version.h"'
  put src/knockout/model/b.h '#pragma once' '#include "knockout/data/a.h"'
  put src/knockout/model/c.h '#include "knockout/model/d.h"'
}
# refuses REASON: the check fails and says so.
refuses() {
  local said
  if said=$("$root/scripts/check_public_headers" "$tree"); then
    echo "FAILED: not refused: $1"; exit 1
  fi
  [[ $said == *"$1"* ]] || { echo "FAILED: expected \"$1\", got: $said"; exit 1; }
  good
}

good
"$root/scripts/check_public_headers" "$tree" || { echo "FAILED: a good tree is refused"; exit 1; }
put src/knockout/model/b.h '#pragma once' '#include "knockout/model/c.h"'
refuses 'src/knockout/model/b.h:2: "knockout/model/c.h" is not public'
put cmake/public_headers.txt knockout/data/a.h knockout/model/b.h knockout/model/gone.h
refuses 'there is no src/knockout/model/gone.h'
put docs/cpp_api.md '`knockout/base/version.h` `knockout/data/a.h`'
refuses '"knockout/model/b.h" is public and not named'
put docs/cpp_api.md '`knockout/base/version.h` `knockout/data/a.h` `knockout/model/b.h` `knockout/model/c.h`'
refuses '"knockout/model/c.h" is named and not public'
