"""Sweeps that several workers share: killed, stopped, out of disk, with other data, and watched meanwhile."""

import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

from journey import FIRN, Journey, main

KILL_WORKERS = pathlib.Path(__file__).resolve().parents[2] / "scripts/kill-workers"

BASE = """
name = "small"
[data]
source = "csv"
file = "data.csv"
test_file = "test.csv"
validation = 20
[encode]
encoding = "distributive"
thresholds = 3
[model]
family = "dense"
width = 200
layers = 2
[train]
steps = 150
batch = 32
eval_every = 50
checkpoint_every = 10
"""
SWEEP = 'base = "base.toml"\n[grid]\nseed = [1, 2, 3]\n'
RESULTS = ("last.safetensors", "best.safetensors", "result.json", "freezes.csv")


def table(changed=0):
    """Two classes that a sum tells apart."""
    rows = ["a,b,c,label"]
    for i in range(200):
        a, b, c = (i * 7) % 23, (i * 11) % 19, (i * 5) % 17 + changed
        rows.append(f"{a},{b},{c},{'big' if a + b + c > 26 else 'small'}")
    return "\n".join(rows) + "\n"


class Workers(Journey):
    alone = {}  # what a sweep without workers gives, by configuration

    def setUp(self):
        super().setUp()
        self.write("base.toml", BASE)
        self.write("sweep.toml", SWEEP)
        self.write("data.csv", table())
        self.write("test.csv", table())

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def start(self, *options, sweep="sweep.toml", **settings):
        process = subprocess.Popen([FIRN, "sweep", sweep, "--worker", "--out", "out", "--jobs", "1", "--threads", "1",
                                    *options], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **settings)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def wait_for(self, condition, what):
        for _ in range(1500):
            if condition():
                return
            time.sleep(0.02)
        self.fail(f"waited in vain for {what}")

    def results(self, out):
        return {str(p.relative_to(self.folder / out)): p.read_bytes()
                for p in (self.folder / out / "runs").rglob("*") if p.name in RESULTS}

    def assert_like_alone(self):
        config = (self.folder / "base.toml").read_text(encoding="utf-8")
        if config not in self.alone:
            self.firn("sweep", "sweep.toml", "--out", "alone", "--jobs", "1", "--threads", "1")
            self.alone[config] = self.results("alone") | {"table.csv": (self.folder / "alone/table.csv").read_bytes()}
        wanted = self.alone[config]
        self.assertEqual(sum(name.endswith("result.json") for name in wanted), 3)
        self.assertEqual(self.results("out") | {"table.csv": (self.folder / "out/table.csv").read_bytes()}, wanted)

    def make_long(self, steps=3000):
        """Runs that take a second or two, so that something can happen to them."""
        self.write("base.toml", BASE.replace("steps = 150", f"steps = {steps}").replace("width = 200", "width = 2000")
                   .replace("checkpoint_every = 10", "checkpoint_every = 50"))

    def is_training(self):
        return bool(list((self.folder / "out/attempts/runs").glob("*/last.safetensors")))

    def test_killed_workers_lose_nothing(self):
        done = subprocess.run([sys.executable, KILL_WORKERS, "--firn", FIRN, "--runs", "6", "--workers", "3", "--kills", "4",
                               "--steps", "200", "--width", "2000"], cwd=self.folder, capture_output=True, text=True,
                              timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 kills of 3 workers", done.stdout)

    def test_a_stopped_worker_is_replaced_and_does_no_harm_when_it_comes_back(self):
        self.make_long()
        stopped = self.start("--silence", "1")
        self.wait_for(self.is_training, "a checkpoint")
        stopped.send_signal(signal.SIGSTOP)
        out, _ = self.finish(self.start("--silence", "1"))
        self.assertIn(", attempt 2", out)
        self.assertIn("3/3", out)
        stopped.send_signal(signal.SIGCONT)
        self.finish(stopped)
        self.assert_like_alone()

    def test_a_stopped_worker_that_comes_back_meanwhile_leaves_the_task_to_the_other(self):
        self.make_long()
        first = self.start("--silence", "1")
        self.wait_for(self.is_training, "a checkpoint")
        first.send_signal(signal.SIGSTOP)
        second = self.start("--silence", "1")
        self.wait_for(lambda: list((self.folder / "out/attempts/runs").glob("*.2")), "a second attempt")
        first.send_signal(signal.SIGCONT)
        reports = self.finish(first)[0] + self.finish(second)[0]
        for seed in (1, 2, 3):
            self.assertEqual(reports.count(f"seed={seed}: "), 1, reports)
        self.assert_like_alone()

    def test_an_interrupted_worker_leaves_its_task_to_others_at_once(self):
        self.make_long()
        first = self.start("--silence", "3600")
        self.wait_for(self.is_training, "a checkpoint")
        first.send_signal(signal.SIGTERM)
        out, _ = self.finish(first, code=128 + signal.SIGTERM)
        self.assertIn("stopped; others go on", out)
        out, _ = self.finish(self.start("--silence", "3600"))
        self.assertIn(", attempt 2", out)
        self.assert_like_alone()

    def test_a_machine_with_other_data_or_another_simd_target_is_refused_before_it_touches_anything(self):
        self.finish(self.start())
        before = {p: p.stat().st_mtime_ns for p in (self.folder / "out").rglob("*") if p.is_file()}
        shutil.rmtree(self.folder / "out/runs/seed=2")
        self.write("data.csv", table(changed=1))
        _, err = self.finish(self.start(), code=3)
        self.assertIn("firn: this machine would not train the same bits as the others in out: the training examples", err)
        self.write("data.csv", table())
        _, err = self.finish(self.start("--simd", "NEVER"), code=3)
        self.assertIn("firn: this processor and this build of Firn have no SIMD target \"NEVER\"", err)
        others = err.split("choose ")[1].strip().split(", ")[1:]
        if others:
            _, err = self.finish(self.start("--simd", others[-1]), code=3)
            self.assertIn(f"it computes with {others[-1]} and they with", err)
            self.assertIn("choose one SIMD target for all", err)
        self.assertFalse((self.folder / "out/runs/seed=2").exists())
        for path, moment in before.items():
            if "seed=2" not in str(path):
                self.assertEqual(path.stat().st_mtime_ns, moment, path)
        self.finish(self.start())
        self.assert_like_alone()

    def test_machines_of_several_kinds_agree_on_a_simd_target(self):
        """Whatever is asked of the processor meanwhile, the target that was chosen stays."""
        target = self.firn("--version").stdout.split("SIMD target ")[1].split(")")[0]
        self.finish(self.start("--simd", target))
        self.assert_like_alone()
        listed = self.firn("sweep", "sweep.toml", "--simd", "NEVER", code=3).stderr.split("choose ")[1].strip().split(", ")
        shutil.rmtree(self.folder / "out")
        self.finish(self.start("--simd", listed[-1]))
        self.firn("sweep", "sweep.toml", "--simd", listed[-1], "--out", "other", "--jobs", "1")
        self.assertEqual(self.results("out"), self.results("other"))
        if len(listed) > 1:
            self.assertNotEqual(self.results("out"), self.alone[BASE])

    def test_a_run_that_always_fails_is_retried_and_reported(self):
        self.write("bad.toml", 'base = "base.toml"\n[grid]\nseed = [1, 2]\n'
                   '[variants.good]\n[variants.bad]\nfreeze.scope = ["conv7"]\nfreeze.strategy = "task"\nfreeze.start = 10\n')
        workers = [self.start("--retries", "1", sweep="bad.toml") for _ in range(2)]
        said = "".join(self.finish(worker, code=3)[1] for worker in workers)
        for seed in (1, 2):
            name = f"variant=bad,seed={seed}"
            self.assertEqual(said.count(f"firn: {name}: "), 2, said)
            self.assertEqual(said.count(f"firn: {name} was given up after 2 tries: "), 2, said)
        self.assertIn("conv7", said)
        rows = (self.folder / "out/runs.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(rows), 3)
        status = self.firn("sweep", "bad.toml", "--status", "--out", "out", "--retries", "1")
        self.assertIn("2 done, 2 given up", status.stdout)
        self.assertIn("variant=bad,seed=1 has failed 2 times: ", status.stdout)
        _, err = self.finish(self.start("--retries", "0", "--forget-failures", sweep="bad.toml"), code=3)
        self.assertIn("was given up after one try", err)

    def test_a_full_disk_ends_a_worker_with_a_sentence_and_costs_nothing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        _, err = self.finish(self.start("--retries", "0", preexec_fn=limit), code=3)
        self.assertIn("raise the limit on the size of files, or write less", err)
        self.finish(self.start("--forget-failures"))
        self.assert_like_alone()

    def test_sweeps_with_and_without_workers_keep_out_of_each_others_way_and_go_on_from_each_other(self):
        self.make_long()
        worker = self.start()
        self.wait_for(self.is_training, "a checkpoint")
        self.assert_sentence(self.firn("sweep", "sweep.toml", "--out", "out", code=3), "out is in use by process")
        worker.kill()
        worker.wait()
        half = next((self.folder / "out/attempts/runs").glob("*/last.safetensors"))
        name = half.parent.name.rpartition(".")[0]
        plain = subprocess.Popen([FIRN, "sweep", "sweep.toml", "--out", "out", "--jobs", "1"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: (self.folder / f"out/runs/{name}/last.safetensors").exists(), "the run to be adopted")
        self.wait_for(lambda: not (self.folder / "out/attempts").exists(), "attempts to be put away")
        _, err = self.finish(self.start(), code=3)
        self.assertIn("out is in use by process", err)
        plain.kill()
        plain.wait()
        self.finish(self.start())
        self.assert_like_alone()

    def test_status_shows_who_does_what(self):
        self.assert_sentence(self.firn("sweep", "sweep.toml", "--status", "--out", "out", code=3), "out is not a directory")
        self.assert_sentence(self.firn("sweep", "sweep.toml", "--json", code=2), "--json needs --status")
        self.make_long(steps=1_000_000)  # so long that none of them ends before its worker is killed
        workers = [self.start("--silence", "4"), self.start("--silence", "4")]
        self.wait_for(lambda: len(list((self.folder / "out/attempts/runs").glob("*/last.safetensors"))) == 2, "two runs")
        time.sleep(0.6)  # until both have said so
        text = self.firn("sweep", "sweep.toml", "--status", "--out", "out").stdout
        self.assertRegex(text, r"out: runs: .*2 running")
        self.assertRegex(text, r"steps left at [\d.]+ steps/s: done in about \d")
        self.assertEqual(text.count(" ago\n"), 2, text)
        status = self.status()
        self.assertEqual(len(status["tasks"]), 3)
        self.assertEqual({w["name"].split("-")[-2] for w in status["workers"]}, {str(w.pid) for w in workers})
        self.assertGreater(status["seconds_left"], 0)
        page = self.watched()
        [sweep] = page["sweeps"]
        self.assertEqual({w["name"] for w in sweep["workers"]}, {w["name"] for w in status["workers"]})
        self.assertEqual({w["run"] for w in sweep["workers"]} - {run["name"] for run in page["runs"]}, set())
        workers[0].kill()
        workers[0].wait()
        gone = [w["name"] for w in self.status()["workers"] if w["gone"]]
        self.assertEqual([name.split("-")[-2] for name in gone], [str(workers[0].pid)])

    def status(self):
        return json.loads(self.firn("sweep", "sweep.toml", "--status", "--json", "--out", "out").stdout)

    def watched(self):
        """What the page of `firn watch` knows."""
        process = subprocess.Popen([FIRN, "watch", "out"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline()).group()
        with urllib.request.urlopen(address + "data.json", timeout=30) as answer:
            return json.load(answer)


main()
