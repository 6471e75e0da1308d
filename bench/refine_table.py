#!/usr/bin/env python3
"""Refines the last checkpoints of sweeps, keeps what that gave in a small file, and tabulates it in pairs by seed.

usage: refine_table.py TABLE_CSV [--sweep FOLDER... --out FOLDER] [--strategies NAME...] [--as-trained NAME...]
                       [--split val|test] [--step N] [--firn FIRN] [--copies N] [--threads N]

With --sweep, every finished run is refined into --out (what is there already is not made again), and the discrete
accuracies before and after, on the split, are added to TABLE_CSV. Runs of the strategies that --as-trained names, else
of refine, whose runs were refined as they were trained, are only evaluated. Then, or with nothing but a TABLE_CSV such
as those in docs/results, the table of the split is printed: differences are paired by seed, with half of their 95 %
interval. Settings are chosen on --split val; --split test is for the last look.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tomllib

from pairs import difference, spread

COLUMNS = ["strategy", "seed", "split", "trained", "refined"]


def accuracy(firn, checkpoint, split):
    """The discrete accuracy in percent."""
    out = subprocess.run([firn, "eval", checkpoint, "--split", split, "--mode", "discrete", "--json"],
                         capture_output=True, text=True, check=True).stdout
    return 100 * json.loads(out)["discrete"]["accuracy"]


def refine(args, checkpoint, target):
    command = [args.firn, "refine", checkpoint, "--out", target, "--copies", str(args.copies), "--threads", str(args.threads),
               "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    target.with_suffix(".json").write_text(result)


def read(path):
    """Rows by strategy, seed and split."""
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {(row["strategy"], int(row["seed"]), row["split"]): row for row in csv.DictReader(file)}


def write(path, rows):
    new = path.with_suffix(".new")
    with open(new, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    new.replace(path)


def add_sweep(args, folder, rows):
    for run in sorted((folder / "runs").iterdir()):
        checkpoint = run / (f"step-{args.step}.safetensors" if args.step else "last.safetensors")
        if not (checkpoint if args.step else run / "result.json").exists():
            continue
        config = tomllib.loads((run / "config.toml").read_text())
        strategy, seed = config["freeze"]["strategy"], config["seed"]
        if (strategy, seed, args.split) in rows or (args.strategies and strategy not in args.strategies):
            continue
        target = args.out / f"{strategy}-{seed}.safetensors"
        is_refined = strategy not in args.as_trained
        if is_refined and not target.exists():
            refine(args, checkpoint, target)
        trained = accuracy(args.firn, checkpoint, args.split)
        refined = f"{accuracy(args.firn, target, args.split):.2f}" if is_refined else ""
        rows[strategy, seed, args.split] = dict(zip(COLUMNS, [strategy, seed, args.split, f"{trained:.2f}", refined]))
        write(args.table, rows)
        print(f"{strategy} seed {seed}: {trained:.2f} -> {refined or 'as trained'}", file=sys.stderr, flush=True)


def print_table(rows, split):
    groups = {}  # strategy: seed: accuracies
    for (strategy, seed, own), row in rows.items():
        if own == split:
            groups.setdefault(strategy, {})[seed] = {key: float(row[key]) for key in ("trained", "refined") if row[key]}
    if not groups:
        sys.exit(f"refine_table: nothing is known of the split {split} yet; name sweeps with --sweep")
    mean = lambda group: sum(own["trained"] for own in group.values()) / len(group)
    best = max((name for name in groups if name != "refine"), key=lambda name: mean(groups[name]), default=None)
    to_beat = {seed: {"last": own["trained"]} for seed, own in groups.get(best, {}).items()}
    print(f"| strategy | seeds | as trained | refined | difference | refined − `{best}` as trained |\n|---|---:|---:|---:|---:|---:|")
    for strategy, group in sorted(groups.items(), key=lambda item: mean(item[1]), reverse=True):
        is_refined = all("refined" in own for own in group.values())
        last = {seed: {"last": own["refined" if is_refined else "trained"]} for seed, own in group.items()}
        before = {seed: {"last": own["trained"]} for seed, own in group.items()}
        cells = [f"`{strategy}`", ", ".join(map(str, sorted(group))), spread([own["trained"] for own in group.values()])]
        cells += [spread([own["last"] for own in last.values()]), difference(last, before, "last")] if is_refined else ["", ""]
        print("| " + " | ".join([*cells, difference(last, to_beat, "last")]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path, metavar="TABLE_CSV")
    parser.add_argument("--sweep", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--strategies", nargs="*", metavar="NAME", help="leave out the runs of all others")
    parser.add_argument("--as-trained", nargs="*", metavar="NAME", default=["refine"], help="strategies that are not refined")
    parser.add_argument("--step", type=int, metavar="N", help="the checkpoint that was kept at step N instead of the last one")
    parser.add_argument("--split", choices=["val", "test"], default="val")
    parser.add_argument("--firn", default="build/release/firn")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    rows = read(args.table)
    if args.sweep:
        if args.out is None:
            sys.exit("refine_table: name a folder for refined checkpoints with --out")
        args.out.mkdir(parents=True, exist_ok=True)
        args.table.parent.mkdir(parents=True, exist_ok=True)
        for folder in args.sweep:
            add_sweep(args, folder, rows)
    print_table(rows, args.split)


if __name__ == "__main__":
    main()
