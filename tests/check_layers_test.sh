#!/usr/bin/env bash
# scripts/check_layers passes a good tree and names file and line of each kind of bad include.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# put FILE LINE...: a source of the tree.
put() { mkdir -p "$tree/$(dirname "$1")"; printf '%s\n' "${@:2}" >"$tree/$1"; }

# refuses FILE INCLUDE REASON: with this include in line 2 of FILE the check fails and says so.
refuses() {
  put "$1" '// A comment.' "#include $2"
  local said
  if said=$("$root/scripts/check_layers" "$tree"); then
    echo "FAILED: $1 may include $2"; exit 1
  fi
  if [[ $said != "$1:2: "*"$3"* || $(wc -l <<<"$said") != 1 ]]; then
    echo "FAILED: expected \"$1:2: ...$3...\", got: $said"; exit 1
  fi
  rm "$tree/$1"
}

put cmake/stages.txt '# A comment.' 'base:' 'data: base' 'media: data' 'kernels: base' 'model: data' \
  'networks: model kernels' 'nn: model'
put src/knockout/knockout.h '#include "knockout/networks/a.h"' '#include "knockout/data/a.h"'
put src/knockout/data/a.cpp '#include "knockout/data/a.h"' '#include <vector>  // not "a.h"'
put src/knockout/networks/a_test.cpp '#include "knockout/base/a.h"' '#include "knockout/kernels/a.h"'
put src/knockout/nn/a.cpp '#include <torch/torch.h>'
put media/image/a.cpp '#include "media/image/a.h"' '#include "knockout/base/a.h"' '#include "knockout/data/a.h"'
put experiments/study/a.cpp '#include "media/image/a.h"'
put bench/torch_rival.cpp '#include <torch/torch.h>'
put cli/main.cpp '#include "cli/fit.h"' '#include "knockout/nn/a.h"'
"$root/scripts/check_layers" "$tree" || { echo "FAILED: a good tree is refused"; exit 1; }

refuses src/knockout/data/b.h '"knockout/model/a.h"' 'data/ does not stand on model/'
refuses src/knockout/kernels/b_test.cpp '"knockout/data/a.h"' 'kernels/ does not stand on data/'
refuses src/knockout/networks/b.cpp '"knockout/nn/a.h"' 'networks/ does not stand on nn/'
refuses src/knockout/nn/b.cpp '<knockout/networks/a.h>' 'nn/ does not stand on networks/'
refuses src/knockout/base/b.h '"knockout/knockout.h"' 'expected "knockout/<stage>/<file>.h"'
refuses src/knockout/base/b.h '"error.h"' 'expected "knockout/<stage>/<file>.h"'
refuses src/knockout/networks/b.cpp '<torch/torch.h>' 'LibTorch belongs in src/knockout/nn'
refuses media/image/b.cpp '"knockout/kernels/a.h"' 'media/ does not stand on kernels/'
refuses media/image/b.cpp '"media/volume/a.h"' 'media/image/ does not stand on media/volume/'
refuses media/image/b.cpp '"a.h"' 'expected "knockout/<stage>/<file>.h"'
refuses media/image/b.cpp '<torch/torch.h>' 'LibTorch belongs in src/knockout/nn'
refuses src/knockout/networks/b.cpp '"media/image/a.h"' 'media/ is for the studies'
refuses src/knockout/knockout.h '<media/image/a.h>' 'media/ is for the studies'
refuses cli/b.cpp '"media/image/a.h"' 'media/ is for the studies'
refuses cli/b.cpp '<ATen/ATen.h>' 'LibTorch belongs in src/knockout/nn'

put src/knockout/utils/a.h '// Nothing.'
if "$root/scripts/check_layers" "$tree" >/dev/null; then
  echo "FAILED: a folder that is no stage is accepted"; exit 1
fi
