#!/usr/bin/env bash
# Shows scripts/fuzz a made-up tree with one target, whose program is a script: totals must add up over calls, start again
# when a source changes that the target executes, and refuse programs that are older than their sources.
# usage: fuzz_test.sh FUZZ
set -euo pipefail

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{scripts,docs/results,fuzz/corpus/one,firn/base,build/fuzz}
cp "$1" "$tree/scripts/fuzz"
touch "$tree"/fuzz/one_fuzz.cc "$tree"/firn/base/{parser,inlined,other}.cc
cat >"$tree/build/fuzz/fuzz_one" <<EOF
#!/usr/bin/env bash
if [[ "\$*" == *-print_coverage=1* ]]; then
  echo "COVERED_FUNC: hits: 1 edges: 4/7 firn::parse(std::string const&) $tree/firn/base/parser.cc:12" >&2
  [[ -e $tree/inlines ]] ||
    echo "COVERED_FUNC: hits: 1 edges: 1/1 firn::letter(char) $tree/firn/base/inlined.cc:3" >&2
  echo "  UNCOVERED_PC: $tree/firn/base/other.cc:7" >&2
else
  for ((i = 0; i < 20000; i++)); do :; done
  echo "stat::number_of_executed_units: 5" >&2
fi
EOF
chmod +x "$tree/build/fuzz/fuzz_one"

executions() { sed -n 's/.*"executions": \([0-9]*\).*/\1/p' "$tree/docs/results/fuzzing.json"; }
fuzz() { "$tree/scripts/fuzz" --minutes "$1" >/dev/null; }
expect() { [[ $(executions) == "$1" ]] || { echo "$2: $(executions) executions instead of $1"; exit 1; }; }

fuzz 0.0001
first=$(executions)
((first >= 5)) || { echo "no executions were counted"; exit 1; }
fuzz 0.0001
expect "$first" "what was done already"

echo '// changed' >>"$tree/firn/base/other.cc"
touch "$tree/build/fuzz/fuzz_one"
fuzz 0.0001
expect "$first" "a change of a source that is not executed"
fuzz 0.01
(($(executions) > first)) || { echo "more time was not added"; exit 1; }

sleep 0.02
echo '// changed' >>"$tree/firn/base/parser.cc"
if said=$(fuzz 0.0001 2>&1); then echo "an old program was accepted"; exit 1; fi
[[ $said == *"firn/base/parser.cc has changed since"* ]] || { echo "got: $said"; exit 1; }
sleep 0.02
touch "$tree/build/fuzz/fuzz_one"
fuzz 0
expect 0 "a change of a source that is executed"

fuzz 0.0001
touch "$tree/inlines"
fuzz 0
(($(executions) > 0)) || { echo "the total of unchanged sources is lost in a build that inlines more"; exit 1; }
sleep 0.02
echo '// changed' >>"$tree/firn/base/inlined.cc"
fuzz 0
expect 0 "a change of a source that is inlined"
