#!/usr/bin/env bash
# Shows check-rooms a small made-up tree: it must accept it, and refuse each of several changes by file and line.
# usage: check_rooms_test.sh CHECK_ROOMS
set -euo pipefail

check_rooms=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{scripts,tests/support,tests/model,firn/{base,kernels,model,circuit/passes}}
cat >"$tree/scripts/rooms.txt" <<'EOF'
base:
kernels: base   # a remark
model: kernels
circuit: base
<hwy>: firn/kernels tests/support
EOF
echo '#include "firn/base/b.h"' >"$tree/firn/base/a.h"
printf '%s\n' '#include <hwy/highway.h>' '#include "firn/base/a.h"' >"$tree/firn/kernels/k.cc"
echo '#include "hwy/tests/test_util.h"' >"$tree/tests/support/targets.h"
echo '#include "firn/circuit/c.h"' >"$tree/tests/model/m_test.cc"
echo '#include "firn/kernels/k.h"' >"$tree/firn/model/m.h"
printf '%s\n' '#include <vector>' '#include "firn/base/a.h"' >"$tree/firn/circuit/passes/p.cc"

"$check_rooms" "$tree" || { echo "the sound tree was refused"; exit 1; }

# refuses FILE LINE_TEXT EXPECTED: appends the line to the file, expects the complaint, and takes the line out again.
refuses() {
  local file=$tree/$1 before output
  before=$(cat "$file" 2>/dev/null || true)
  mkdir -p "$(dirname "$file")"
  printf '%s\n%s\n' "$before" "$2" >"$file"
  if output=$("$check_rooms" "$tree"); then echo "accepted: $1 with $2"; exit 1; fi
  [[ $output == *"$3"* ]] || { echo "expected «$3» in: $output"; exit 1; }
  if [[ -n $before ]]; then printf '%s\n' "$before" >"$file"; else rm "$file"; fi
}

refuses firn/base/a.h '#include "firn/model/m.h"' 'firn/base/a.h:2: base may not include firn/model/'
refuses firn/circuit/passes/p.cc '#include "firn/model/m.h"' 'firn/circuit/passes/p.cc:3: circuit may not include firn/model/'
refuses firn/model/m.cc '#  include <hwy/base.h>' 'firn/model/m.cc:2: firn/model may not include hwy/'
refuses tests/model/m_test.cc '#include "hwy/base.h"' 'tests/model may not include hwy/'
refuses firn/model/m.cc '#include "m.h"' 'so that the room shows'
refuses firn/attic/x.h '#include <vector>' 'firn/attic is not a room'
refuses scripts/rooms.txt 'attic: base' 'scripts/rooms.txt:6: attic does not include firn/base/'
refuses scripts/rooms.txt '<tbb>: firn/base' 'scripts/rooms.txt:6: firn/base does not include tbb/'
refuses scripts/rooms.txt 'attic: cellar' 'attic names cellar, which is not a room above it'

"$check_rooms" "$tree" || { echo "the tree was not put back"; exit 1; }
