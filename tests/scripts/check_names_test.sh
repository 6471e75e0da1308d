#!/usr/bin/env bash
# Shows check-names small made-up trees: it must accept one name in two namespaces and refuse one name defined twice.
# usage: check_names_test.sh CHECK_NAMES
set -euo pipefail

check_names=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/firn/{base,model}

# file NAME NAMESPACE DEFINITION: writes a file that defines something in that namespace within firn.
file() { printf '%s\n' 'namespace firn {' "namespace $2 {" "$3" '}  // namespace '"$2" '}  // namespace firn' >"$tree/firn/$1"; }

file base/a.h base 'struct Row { int a; };'
file model/a.h model 'struct Row {'
file base/b.h base 'class Row;'                # declared, not defined
file base/b.cc '' 'enum class Row { kOne };'   # of this file alone
file base/c.cc base 'struct Row::Part {'       # a part of the other file's type
file base/d.h base '  struct Row {'            # a member of something
file base/e.h base 'enum class Row : int;'
"$check_names" "$tree" || { echo "the sound tree was refused"; exit 1; }

refuses() {
  local output
  file base/z.cc base "$1"
  if output=$("$check_names" "$tree"); then echo "accepted: $1"; exit 1; fi
  [[ $output == 'firn/base/z.cc:3: firn::base::Row is also defined in firn/base/a.h:3'* ]] || { echo "got: $output"; exit 1; }
}
refuses 'struct Row {'
refuses 'struct Row { int b; };'
refuses 'class Row'
refuses 'class Row final : public Other {'
refuses 'template <class T> class Row {'
refuses 'enum class Row : int { kOne };'
refuses 'using Row = int;'
