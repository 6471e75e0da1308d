"""Training: runs that are killed, resumed, damaged, and come out the same to the last bit."""

import json
import random
import re
import signal
import subprocess
import time

from journey import FIRN, Journey, main

TREE = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 500
[model]
family = "treelogicnet"
width = 2
[train]
steps = 300
weight_decay = 0.002
eval_every = 100
checkpoint_every = 40
[freeze]
strategy = "task"
start = 60
task.interval = 10
task.half_life = 20
"""

COMPACT = """
name = "compact"
[data]
source = "fashion-mnist"
validation = 500
augment = "rotate-shift"
[encode]
encoding = "uniform"
thresholds = 1
[model]
family = "compact"
width = 2
tau = 20
[train]
steps = 300
shard = 16
clip = 10
eval_every = 100
checkpoint_every = 40
[resample]
enabled = true
patience = 5
tolerance = 0.01
strong = 0.9
[freeze]
strategy = "layer-entropy"
start = 100
entropy.patience = 20
entropy.tolerance = 1
"""


class Train(Journey):
    def write(self, text):
        (self.folder / "run.toml").write_text(text, encoding="utf-8")
        return "run.toml"

    def train(self, out, *options, code=0):
        return self.firn("train", "run.toml", "--out", out, *options, code=code)

    def start(self, out, *options):
        return subprocess.Popen([FIRN, "train", "run.toml", "--out", out, *options], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for(self, path):
        for _ in range(600):
            if (self.folder / path).exists():
                return
            time.sleep(0.05)
        self.fail(f"{path} did not appear")

    def bytes(self, path):
        return (self.folder / path).read_bytes()

    def check_killed_run_ends_the_same(self, config):
        self.write(config)
        self.train("whole", "--threads", "1")
        run = self.start("killed", "--threads", "2")
        self.wait_for("killed/last.safetensors")
        time.sleep(random.Random().uniform(0, 1))
        run.kill()
        run.wait()
        self.train("killed", "--resume", "--threads", "2")
        self.assertEqual(self.bytes("whole/last.safetensors"), self.bytes("killed/last.safetensors"))
        self.assertEqual(self.bytes("whole/best.safetensors"), self.bytes("killed/best.safetensors"))
        self.assertEqual(self.bytes("whole/freezes.csv"), self.bytes("killed/freezes.csv"))
        self.assertGreater(len(self.bytes("whole/freezes.csv").splitlines()), 10)
        steps = [json.loads(line)["step"] for line in self.bytes("killed/metrics.jsonl").splitlines()]
        self.assertEqual(steps, [100, 200, 300])

    def test_a_killed_tree_run_resumes_bit_for_bit_on_other_threads(self):
        self.check_killed_run_ends_the_same(TREE)

    def test_a_killed_compact_run_with_resampling_resumes_bit_for_bit(self):
        self.check_killed_run_ends_the_same(COMPACT)
        metrics = [json.loads(line) for line in self.bytes("whole/metrics.jsonl").splitlines()]
        self.assertGreater(sum(m["resampled"] for m in metrics), 0)

    def start_long_run(self, folder):
        self.write(TREE)
        run = subprocess.Popen([FIRN, "train", "run.toml", "--out", folder, "--set", "train.steps=100000"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.wait_for(f"{folder}/last.safetensors")
        return run

    def test_interrupting_says_how_to_go_on_and_fails(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                folder = f"run{int(number)}"
                run = self.start_long_run(folder)
                run.send_signal(number)
                out, _ = run.communicate(timeout=60)
                self.assertEqual(run.returncode, 128 + number)
                self.assertIn(f"firn train --resume --out {folder}", out)
                step = re.search(r"stopped after step ([\d,]+)", out)[1]
                steps = int(step.replace(",", "")) + 10
                resumed = self.train(folder, "--resume", "--set", f"train.steps={steps}")
                self.assertIn(f"resuming after step {step}", resumed.stdout)

    def test_a_closed_pipe_ends_the_printing_and_not_the_training(self):
        self.write(TREE)
        run = subprocess.Popen([FIRN, "train", "run.toml", "--out", "run"], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        run.stdout.close()
        self.assertEqual(run.wait(timeout=60), 0, run.stderr.read())
        run.stderr.close()
        self.assertTrue((self.folder / "run/result.json").exists())

    def test_a_run_that_was_made_longer_stays_longer(self):
        self.write(TREE)
        self.train("run", "--set", "train.steps=40", "--set", "train.eval_every=40")
        self.train("run", "--resume", "--set", "train.steps=80", "--set", "train.eval_every=40")
        self.assertIn("steps = 80\n", (self.folder / "run/config.toml").read_text(encoding="utf-8"))
        self.assertIn("resuming after step 80", self.firn("train", "--resume", "--out", "run").stdout)
        self.assert_error(self.train("run", "--resume", "--set", "train.steps=60", code=3), "after step 80 already")

    def test_a_schedule_over_all_steps_cannot_be_made_longer(self):
        self.write(TREE)
        short = ("--set", "train.steps=40", "--set", "train.eval_every=40", "--set", "train.warmup=5")
        longer = ("--resume", "--set", "train.steps=60", "--set", "train.eval_every=40", "--set", "train.warmup=5")
        stairs = ("--set", "train.schedule=step", "--set", "train.step_every=15")
        self.train("cosine", *short, "--set", "train.schedule=cosine")
        done = self.train("cosine", *longer, "--set", "train.schedule=cosine", code=3)
        self.assert_error(done, 'the schedule "cosine"', "train.steps = 40")
        self.train("parts", *short, *stairs)
        self.train("parts", *longer, *stairs)
        self.train("whole", *longer[1:], *stairs)
        self.assertEqual(self.bytes("whole/last.safetensors"), self.bytes("parts/last.safetensors"))

    def test_a_run_starts_from_a_checkpoint_with_another_strategy(self):
        self.write(TREE)
        common = ["--set", "train.steps=60", "--set", "train.eval_every=20", "--set", "train.keep_at=[39]"]
        self.train("plain", *common, "--set", "freeze.strategy=final-argmax", "--set", "freeze.start=0")
        changed = ["--set", "freeze.strategy=global", "--set", "freeze.start=40"]
        self.train("whole", *common, *changed)
        start = ["train", "--from", "plain/step-39.safetensors"]
        done = self.firn(*start, *changed, "--out", "fork")
        self.assertIn("starting from plain/step-39.safetensors, after step 39", done.stdout)
        self.assertEqual(self.bytes("fork/last.safetensors"), self.bytes("whole/last.safetensors"))
        self.assertIn("resuming after step 60", self.firn("train", "--resume", "--out", "fork").stdout)
        self.assert_error(self.firn(*start, *changed, "--set", "model.width=3", "--out", "x", code=3), "model.width")
        self.assert_error(self.firn(*start, "--set", "freeze.strategy=global", "--out", "x", code=3), "40 or later")
        self.assert_error(self.firn(*start, *changed, code=2), "--out")
        self.assert_error(self.firn(*start, *changed, "--resume", "--out", "fork", code=2), "--resume")

    def test_a_damaged_last_checkpoint_falls_back_to_the_one_before(self):
        self.write(TREE)
        self.train("whole", "--set", "train.steps=120")
        self.train("hurt", "--set", "train.steps=100")
        last = self.folder / "hurt/last.safetensors"
        last.write_bytes(last.read_bytes()[:1000])
        (self.folder / "hurt/best.safetensors").unlink()  # which would be newer than the one before
        done = self.train("hurt", "--resume", "--set", "train.steps=120")
        self.assertIn("going on from hurt/previous.safetensors", done.stdout)
        # The step count is part of the stored configuration, so the tensors are compared through what they compute.
        same = ["eval", "whole/last.safetensors", "--json"], ["eval", "hurt/last.safetensors", "--json"]
        first, second = (json.loads(self.firn(*arguments).stdout) for arguments in same)
        self.assertEqual(first["relaxed"], second["relaxed"])

    def test_a_network_frozen_everywhere_is_its_own_circuit(self):
        self.write(TREE)
        self.train("run", "--set", "freeze.strategy=global", "--set", 'freeze.scope=["all"]')
        for split in ("val", "test"):
            done = self.firn("eval", "run/last.safetensors", "--split", split, "--gaps", "--json")
            risks = json.loads(done.stdout)
            self.assertEqual(risks["relaxed"]["accuracy"], risks["discrete"]["accuracy"])
            self.assertLess(abs(risks["discretization_gap"]["loss"]), 1e-5)
            done = self.firn("eval", "run/last.safetensors", "--split", split, "--json")
            modes = json.loads(done.stdout)
            self.assertEqual(modes["relaxed"]["confusion"], modes["discrete"]["confusion"])

    def test_gaps_add_up(self):
        self.write(TREE)
        self.train("run", "--set", "train.steps=60")
        risks = json.loads(self.firn("eval", "run/last.safetensors", "--gaps", "--json").stdout)
        for part in ("loss", "accuracy"):
            self.assertAlmostEqual(risks["selection_gap"][part] + risks["computation_gap"][part],
                                   risks["discretization_gap"][part], places=12)
        self.assertNotEqual(risks["selection_gap"]["loss"], 0)
        self.assertIn("discretization_gap", self.firn("eval", "run/last.safetensors", "--gaps").stdout)

    def test_mistakes_get_a_sentence_and_harm_nothing(self):
        self.write(TREE)
        self.train("run", "--set", "train.steps=40", "--set", "train.eval_every=40")
        before = self.bytes("run/last.safetensors")
        self.assert_error(self.train("run", code=3), "run already holds a run", "--resume")
        self.assert_error(self.train("run", "--resume", "--set", "model.width=3", code=3), "another configuration", "model.width")
        self.assert_error(self.firn("train", "--resume", "--out", "rum", code=3), "rum holds no run")
        self.assert_error(self.train("", code=2), "--out needs")
        self.assertEqual(self.bytes("run/last.safetensors"), before)
        (self.folder / "file").write_text("")
        self.assert_error(self.train("file/run", code=3), "cannot make the folder file/run")
        (self.folder / "no.safetensors").write_bytes(b"nonsense")
        self.assert_error(self.firn("eval", "no.safetensors", code=3), "no.safetensors")

    def test_a_full_disk_harms_nothing_earlier(self):
        self.write(TREE)
        self.train("run", "--set", "train.steps=40", "--set", "train.eval_every=40")
        before = self.bytes("run/last.safetensors")
        # A limit on file size stands in for a full disk: writes fail in the same way.
        limited = f"ulimit -f 16; exec {FIRN} train run.toml --resume --out run --set train.steps=80 --set train.eval_every=40"
        done = subprocess.run(["bash", "-c", f"trap '' XFSZ; {limited}"], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("firn: ", done.stderr)
        self.assertEqual(self.bytes("run/last.safetensors"), before)

    def test_result_and_eval_agree(self):
        self.write(TREE)
        self.train("run")
        result = json.loads(self.bytes("run/result.json"))
        shown = json.loads(self.firn("eval", "run/last.safetensors", "--split", "test", "--json").stdout)
        self.assertEqual(shown["discrete"]["accuracy"], result["last"]["discrete_accuracy"])
        self.assertEqual(shown["discrete"]["images"], 10000)
        self.assertEqual(sum(map(sum, shown["discrete"]["confusion"])), 10000)
        self.assertGreater(result["last"]["relaxed_accuracy"], 0.5)

    def assert_error(self, done, *parts):
        self.assertIn("firn: ", done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)



main()
