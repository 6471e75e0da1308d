#!/usr/bin/env python3
"""Training over ranks in figures: what ranks send, two ranks against two threads, and what networks would allow.

usage: ranks_table.py FIRN [--presets NAME,...] [--rounds N] [--parts bytes,pairs,links,model] [--cores N,...] [--latency US]

bytes   what rank 0 sends per step, for each preset, as `mpirun -n 2 firn bench train` counts it
pairs   two ranks of one thread against one process of two threads, taking turns
links   time of an exchange and of a step over loopback: shared memory, TCP, and TCP held to a rate by a token bucket
        (tc) in a network namespace of its own, which needs root
model   step times on other numbers of ranks and other links, from what was measured on one thread; see docs/cluster.md
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
TCP = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo"]
PRESETS = "treelogicnet-xs,treelogicnet-s,treelogicnet-m,compact-t,compact-s,compact-m,dense-cifar10,difflogic-mnist-small"


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def bench(firn, preset, ranks=1, threads=1, steps=30, prefix=(), options=()):
    words = [firn, "bench", "train", "--model", preset, "--threads", threads, "--steps", steps, "--json", *options]
    launcher = [*prefix, *MPIRUN, *(TCP if prefix else []), "-n", ranks] if ranks > 1 else []
    return json.loads(run([*launcher, *words]))


def two_ranks(firn, preset):
    """A step in which both ranks have shards and send half of the sums twice; without any, a rank sends only totals."""
    return bench(firn, preset, ranks=2, steps=1, options=("--batch", 64))


def show_bytes(args):
    print("| preset | logits | MB per step and rank, 2 ranks | of 16 ranks |\n|---|---:|---:|---:|")
    for preset in args.presets:
        found = two_ranks(args.firn, preset)
        total = found["bytes_sent"]
        print(f"| {preset} | {found['logits']:,} | {total / 1e6:.2f} | {2 * total * 15 / 16 / 1e6:.2f} |", flush=True)


def show_pairs(args):
    print("| preset | two threads | two ranks | rate of two ranks | of the step, sums |\n|---|---:|---:|---:|---:|")
    for preset in args.presets:
        threads, ranks, reduce = [], [], []
        for _ in range(args.rounds):
            threads.append(bench(args.firn, preset, threads=2)["step_ms"])
            found = bench(args.firn, preset, ranks=2)
            ranks.append(found["step_ms"])
            reduce.append(found["reduce_ms"])
        rates = [a / b for a, b in zip(threads, ranks)]
        print(f"| {preset} | {statistics.median(threads):.1f} ms | {statistics.median(ranks):.1f} ms | "
              f"{100 * statistics.median(rates):.0f} % ({100 * min(rates):.0f} to {100 * max(rates):.0f}) | "
              f"{statistics.median(reduce):.2f} ms |", flush=True)


def link(rate):
    """A prefix for commands: a network namespace with a loopback of its own, held to a rate such as "1gbit"."""
    bucket = f"tc qdisc add dev lo root tbf rate {rate} burst 256kb latency 50ms && " if rate else ""
    return ["unshare", "-n", "sh", "-c", f'ip link set lo up mtu 9000 && {bucket}exec "$@"', "sh"]


def show_links(args):
    program = pathlib.Path(args.firn).parent / "bench/bench_ranks"
    print("| link | 8 bytes | 64 kB | 1 MB | 8 MB | step of treelogicnet-s, 2 ranks |\n|---|---:|---:|---:|---:|---:|")
    for name, prefix in (("shared memory", ()), ("TCP", link("")), ("TCP, 10 Gbit/s", link("10gbit")),
                         ("TCP, 1 Gbit/s", link("1gbit"))):
        lines = run([*prefix, *MPIRUN, *(TCP if prefix else []), "-n", 2, program]).splitlines()
        times = [json.loads(line)["microseconds"] for line in lines]
        step = bench(args.firn, "treelogicnet-s", ranks=2, prefix=prefix)
        print(f"| {name} | {times[0]:.0f} us | {times[1]:.0f} us | {times[2] / 1e3:.2f} ms | {times[3] / 1e3:.1f} ms | "
              f"{step['step_ms']:.1f} ms, of which {step['reduce_ms']:.1f} for sums |", flush=True)


def step_seconds(one, batch, ranks, cores, bits_per_second, latency):
    """Each rank is a machine, each of its cores runs one shard after the other; sums travel twice, flags once."""
    shards = -(-batch // one["shard"])
    seconds = -(-(-(-shards // ranks)) // cores) * one["shard_seconds"] + one["update_seconds"] / cores
    if ranks > 1:
        seconds += 2 * one["bytes"] * (ranks - 1) / ranks * 8 / bits_per_second + 3 * latency
    return seconds


def processor_ms(firn, preset):
    """Milliseconds of processor time of a step on one thread: other programs on the machine matter less to it."""
    used = []
    for steps in (10, 40):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        bench(firn, preset, steps=steps)
        used.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return 1e3 * (used[1] - used[0]) / 30


def show_model(args):
    batches = [128, 256, 512, 1024, 2048, 4096, 8192]
    for preset in args.presets:
        found, pair = bench(args.firn, preset), two_ranks(args.firn, preset)
        quiet = processor_ms(args.firn, preset) / found["step_ms"]
        work = quiet * (found["encode_ms"] + found["forward_ms"] + found["backward_ms"])
        one = {"shard": found["shard"], "shard_seconds": work / 1e3 / (found["batch"] / found["shard"]),
               "update_seconds": quiet * found["update_ms"] / 1e3, "bytes": pair["bytes_sent"]}
        print(f"\n{preset}: {1e3 * one['shard_seconds']:.1f} ms per shard of {one['shard']} on one core, update "
              f"{1e3 * one['update_seconds']:.1f} ms, {one['bytes'] / 1e6:.2f} MB of sums; {args.latency:g} us per exchange")
        for cores in args.cores:
            for name, rate in (("1 Gbit/s", 1e9), ("10 Gbit/s", 10e9), ("25 Gbit/s", 25e9)):
                def gain(ranks, batch):
                    return (step_seconds(one, batch, 1, cores, rate, args.latency * 1e-6)
                            / step_seconds(one, batch, ranks, cores, rate, args.latency * 1e-6))
                print(f"\n| ranks of {cores} cores, {name} | " + " | ".join(f"batch {b:,}" for b in batches) + " |")
                print("|---:|" + "---:|" * len(batches))
                for ranks in (2, 4, 8, 16, 32, 64):
                    print(f"| {ranks} | " + " | ".join(f"{gain(ranks, b):.1f}" for b in batches) + " |")
                worth = [b for b in batches if gain(16, b) >= 8]
                print(f"\n16 ranks are at least 8 times as fast as one from batch {worth[0]:,} on" if worth
                      else "\n16 ranks are never 8 times as fast as one")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("firn")
    parser.add_argument("--presets", default=PRESETS, type=lambda text: text.split(","))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latency", type=float, default=50, help="microseconds from one machine to another and back")
    parser.add_argument("--cores", default="1,16", type=lambda text: [int(word) for word in text.split(",")],
                        help="of each machine in the model")
    parser.add_argument("--parts", default="bytes,pairs,links,model", type=lambda text: text.split(","))
    args = parser.parse_args()
    for part in args.parts:
        {"bytes": show_bytes, "pairs": show_pairs, "links": show_links, "model": show_model}[part](args)
        print()


if __name__ == "__main__":
    main()
