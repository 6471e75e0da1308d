#!/usr/bin/env bash
# Installs Firn to a new prefix, builds the examples against it as a stranger would, and runs them: on arrays in memory,
# on a checkpoint of the command line, and from C.
# usage: install_test.sh BUILD_FOLDER
set -euo pipefail

build=$1
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }

cmake --install "$build" --prefix "$work/prefix" >/dev/null
firn=$work/prefix/bin/firn
[[ -x $firn ]] || fail "the command was not installed"
[[ $(ls "$work/prefix/include/firn") == $'api\nc_api.h\nfirn.h' ]] || fail "other headers than those of the front door were installed"

cmake -G Ninja -S "$root/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
cd "$work"
build/train_in_memory memory.firn
build/own_layers
build/progress_and_cancel run

# Presets are part of the program: no source tree is near.
# The output is kept before it is searched: grep -q would close the pipe early, and pipefail would take that for a failure.
preset=$("$firn" config show treelogicnet-xs)
grep -q 'name = "treelogicnet-xs"' <<<"$preset" || fail "an installed command does not know its presets"
"$firn" info treelogicnet-xs >/dev/null

# A run of the command line, predicted by the command, by a C++ program and by a C program.
cat >task.toml <<END
[data]
source = "npy"
file = "x_task.npy"
test_file = "x_task.npy"
[encode]
encoding = "uniform"
[model]
family = "dense"
width = 60
layers = 2
[train]
steps = 60
eval_every = 60
batch = 16
END
python3 - <<'END'
import random
random.seed(3)
rows = [[random.randrange(256) for _ in range(6)] for _ in range(200)]


def write_npy(name, shape, values):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values)


samples = b"".join(map(bytes, rows))
write_npy("x_task.npy", (200, 6), samples)
write_npy("y_task.npy", (200,), bytes(row[0] > row[1] for row in rows))
open("samples", "wb").write(samples)
END
"$firn" train task.toml --data-root . --out task >/dev/null
"$firn" compile task/last.safetensors -o task.firn >/dev/null
"$firn" predict task.firn --data-root . -o predicted.csv >/dev/null
cut -d, -f2 predicted.csv | tail -n +2 >by_command
build/load_and_predict task/last.safetensors <samples >by_program
build/predict_from_c task.firn <samples >by_c
cmp by_command by_program || fail "a C++ program predicts otherwise than the command"
cmp by_command by_c || fail "a C program predicts otherwise than the command"
[[ $(sort -u by_command | wc -l) == 2 ]] || fail "one class was never predicted, so that nothing was compared"
if build/predict_from_c missing.firn </dev/null 2>error; then fail "a missing file was accepted"; fi
grep -q missing.firn error || fail "the C program does not say which file is missing"
