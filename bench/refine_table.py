#!/usr/bin/env python3
"""Refines the last checkpoint of every finished run of a sweep and tabulates what that gives, run by run in pairs.

usage: refine_table.py FIRN SWEEP_FOLDER OUT_FOLDER [--copies N] [--threads N] [--split val|test] [--only-table]

Checkpoints that OUT_FOLDER holds already are not made again. Settings are chosen on --split val; --split test is for the
last look.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess


def accuracy(firn, checkpoint, split):
    """The discrete accuracy in percent."""
    out = subprocess.run([firn, "eval", checkpoint, "--split", split, "--mode", "discrete", "--json"],
                         capture_output=True, text=True, check=True).stdout
    return 100 * json.loads(out)["discrete"]["accuracy"]


def refine(args, run, target):
    command = [args.firn, "refine", run / "last.safetensors", "--out", target, "--copies", str(args.copies),
               "--threads", str(args.threads), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    target.with_suffix(".json").write_text(result)


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("firn")
    parser.add_argument("sweep", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--split", choices=["val", "test"], default="val")
    parser.add_argument("--only-table", action="store_true", help="refine nothing that is not refined yet")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    pairs = {}
    for run in sorted((args.sweep / "runs").iterdir()):
        named = re.fullmatch(r"strategy=([\w-]+),seed=(\d+)", run.name)
        if named is None or not (run / "result.json").exists():
            continue
        strategy, seed = named[1], int(named[2])
        target = args.out / f"{strategy}-{seed}.safetensors"
        if not target.exists() and not args.only_table:
            refine(args, run, target)
        if target.exists():
            before = accuracy(args.firn, run / "last.safetensors", args.split)
            after = accuracy(args.firn, target, args.split)
            pairs.setdefault(strategy, []).append((seed, before, after))
            print(f"{strategy} seed {seed}: {before:.2f} -> {after:.2f} ({after - before:+.2f})", flush=True)
    print(f"\n| strategy | seeds | as trained | refined | difference |\n|---|---|---|---|---|")
    for strategy, rows in pairs.items():
        before, after = [r[1] for r in rows], [r[2] for r in rows]
        difference = [a - b for b, a in zip(before, after)]
        print(f"| {strategy} | {len(rows)} | {statistics.mean(before):.2f} ± {spread(before):.2f} "
              f"| {statistics.mean(after):.2f} ± {spread(after):.2f} "
              f"| {statistics.mean(difference):+.2f} ± {spread(difference):.2f} |")


if __name__ == "__main__":
    main()
