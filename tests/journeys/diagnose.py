"""Diagnoses of small runs: tables that agree with each other, averages over seeds, and mistakes that get a sentence."""

import csv
import fcntl
import json
import statistics
import subprocess
import time

from journey import FIRN, Journey, main

TREE = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 400
[model]
family = "treelogicnet"
width = 1
[train]
steps = 120
eval_every = 60
keep_at = [60, 120]
[freeze]
strategy = "final-argmax"
start = 0
"""

COMPACT = """
name = "compact"
[data]
source = "fashion-mnist"
validation = 400
[encode]
encoding = "uniform"
thresholds = 1
[model]
family = "compact"
width = 2
tau = 20
[train]
steps = 60
shard = 16
eval_every = 60
[freeze]
strategy = "global"
start = 30
"""

DENSE = """
name = "dense"
[data]
source = "fashion-mnist"
validation = 400
[encode]
encoding = "uniform"
thresholds = 1
[model]
family = "dense"
width = 2000
layers = 3
[train]
steps = 20
eval_every = 20
[freeze]
strategy = "final-argmax"
start = 0
"""


class Diagnose(Journey):
    def train(self, text, out, *options):
        (self.folder / "run.toml").write_text(text, encoding="utf-8")
        self.firn("train", "run.toml", "--out", out, *options)

    def diagnose(self, *arguments, out="out", code=0):
        return self.firn("diagnose", *arguments, "--out", out, code=code)

    def rows(self, path):
        with open(self.folder / path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def summary(self, path="out/summary.json"):
        return json.loads((self.folder / path).read_text(encoding="utf-8"))

    def test_tables_and_summary_agree_and_do_not_depend_on_threads(self):
        self.train(TREE, "run")
        options = ["run/last.safetensors", "--samples", 40, "--neurons", 3]
        done = self.diagnose(*options, "--threads", 1)
        for heading in ("Freeze effects", "Locality", "Held-out selection", "Gaps on 40 images", "What follows: "):
            self.assertIn(heading, done.stdout)
        effects = self.rows("out/effects.csv")
        self.assertEqual(len(effects), 7 * (1 + 3 + 9))
        summary = self.summary()
        self.assertEqual(summary["effects"]["all"]["neurons"], len(effects))
        self.assertAlmostEqual(summary["effects"]["all"]["median_displacement"]["argmax"],
                               statistics.median(float(row["argmax_displacement"]) for row in effects), places=9)
        locality = self.rows("out/locality.csv")
        self.assertEqual(len(locality), 3 * 3 * 16)
        self.assertEqual(sum(b["slots"] for b in summary["locality"]["bins"]), len(locality))
        for row in locality:
            self.assertAlmostEqual(float(row["first_error"]), abs(float(row["effect"]) - float(row["first_order"])), places=7)
        self.assertEqual({row["selected_on"] for row in self.rows("out/heldout.csv")}, {"a", "b"})
        self.assertEqual([row["layer"] for row in self.rows("out/gaps.csv")], ["conv1", "conv2", "conv3", "fc1", "fc2", "fc3"])
        self.assertEqual(sum(int(row["dead"]) for row in self.rows("out/gaps.csv")),
                         sum(int(row["dead"]) for row in self.rows("out/gates.csv")))
        self.diagnose(*options, "--threads", 2, out="again")
        for name in ("effects.csv", "locality.csv", "heldout.csv", "gaps.csv", "gates.csv", "summary.json"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "again" / name).read_bytes(), name)

    def test_flips_of_the_discrete_network_agree_with_their_summary(self):
        self.train(TREE, "run", "--set", "train.steps=60", "--set", "train.keep_at=[60]")
        options = ["--only", "discrete", "--fit-samples", 300, "--samples", 200, "--neurons", 2]
        done = self.diagnose("run/last.safetensors", *options, "--threads", 1)
        self.assertIn("Flips of the discrete network", done.stdout)
        self.assertIn("fitting:  300 images", done.stdout)
        self.assertIn("held out: 200 images", done.stdout)
        self.assertIn("firn report out", done.stdout)
        rows, discrete = self.rows("out/flips.csv"), self.summary()["discrete"]
        self.assertEqual(set(discrete["layers"]), {"all"} | {row["layer"] for row in rows})
        self.assertEqual(discrete["layers"]["all"]["flips"], len(rows))
        for layer, own in discrete["layers"].items():
            flips = [row for row in rows if layer in ("all", row["layer"])]
            effects = [float(row["effect"]) for row in flips]
            significant = [row for row in flips if float(row["effect"]) < min(-1e-12, -2 * float(row["standard_error"]))]
            held = [row for row in significant if float(row["heldout_effect"]) < -1e-12]
            self.assertEqual(own["significant"]["flips"], len(significant))
            self.assertEqual(own["significant"]["also_held_out"], len(held))
            self.assertEqual(own["lower_loss"]["flips"], sum(effect < -1e-12 for effect in effects))
            self.assertAlmostEqual(own["quantiles"]["fitting"]["p50"], statistics.median(effects), places=9)
            self.assertEqual(sum(own["histogram"]["held_out"]), len(flips))
            self.assertEqual(own["spearman"]["relaxed_effect"]["flips"], sum(row["relaxed_effect"] != "" for row in flips))
        for row in rows:
            self.assertEqual(int(row["gate"]) ^ int(row["flipped_gate"]), 8 >> int(row["row"]))
        self.diagnose("run/last.safetensors", *options, "--threads", 2, out="again")
        for name in ("flips.csv", "summary.json"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "again" / name).read_bytes(), name)
        averaged = self.diagnose("run", "--all-checkpoints", *options, out="means")
        self.assertEqual(averaged.stdout.count("Flips of the discrete network"), 2)

    def test_shocks_agree_with_their_summary(self):
        self.train(TREE, "run", "--set", "train.steps=60", "--set", "train.keep_at=[30,60]", "--set", "freeze.task.interval=5", "--set", "freeze.task.half_life=20")
        options = ["--only", "shocks", "--batches", 40]
        done = self.diagnose("run/last.safetensors", *options, "--threads", 1)
        self.assertIn("on the next 40 training batches", done.stdout)
        rows, shocks = self.rows("out/shocks.csv"), self.summary()["shocks"]
        self.assertEqual(set(shocks["layers"]), {"all"} | {row["layer"] for row in rows})
        for layer, own in shocks["layers"].items():
            neurons = [row for row in rows if layer in ("all", row["layer"])]
            self.assertEqual(own["neurons"], len(neurons))
            self.assertEqual(own["negative_mean"], sum(float(row["mean"]) < 0 for row in neurons))
            ratios = [float(row["mean"]) / float(row["deviation"]) for row in neurons if float(row["deviation"]) > 0]
            self.assertEqual(own["silent"], len(neurons) - len(ratios))
            self.assertAlmostEqual(own["mean_over_deviation"]["p50"], statistics.median(ratios), places=6)
            for shares in own["frozen"].values():
                self.assertTrue(all(low <= mean <= high for low, mean, high in zip(shares["lowest"], shares["mean"], shares["highest"])))
        self.diagnose("run/last.safetensors", *options, "--threads", 2, out="again")
        for name in ("shocks.csv", "summary.json"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "again" / name).read_bytes(), name)
        averaged = self.diagnose("run", "--all-checkpoints", *options, out="means")
        self.assertIn("noise alone, %", averaged.stdout)

    def test_waiting_for_a_folder(self):
        self.train(DENSE, "run", "--set", "data.source=teacher", "--set", "model.width=60")
        (self.folder / "out").mkdir()
        with open(self.folder / "out/.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_sentence(self.diagnose("run/last.safetensors", code=3), "out is in use by")
            waiting = subprocess.Popen([FIRN, "diagnose", "run/last.safetensors", "--wait", "--only", "gaps", "--out", "out"],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.addCleanup(waiting.communicate)
            self.addCleanup(waiting.kill)
            time.sleep(0.5)
            self.assertIsNone(waiting.poll())
        waiting.communicate(timeout=60)
        self.assertEqual(waiting.returncode, 0)
        self.assertTrue((self.folder / "out/gaps.csv").exists())

    def test_check_compares_with_the_reference(self):
        self.train(TREE, "run", "--set", "train.steps=60")
        done = self.diagnose("run/last.safetensors", "--only", "check", "--samples", 2, "--neurons", 4)
        self.assertIn("worst relative error", done.stdout)
        self.assertLess(self.summary()["check"]["worst_relative_error"], 1e-3)
        self.assertFalse((self.folder / "out/effects.csv").exists())

    def test_kept_checkpoints_are_averaged_within_a_run_and_then_over_runs(self):
        for seed in (1, 2):
            self.train(TREE, f"seed{seed}", "--set", f"seed={seed}")
        options = ["--samples", 30, "--only", "effects,gaps"]
        done = self.diagnose("seed1", "seed2/", "--all-checkpoints", *options)
        self.assertIn("2 run folders", done.stdout)
        means = []
        for seed in ("seed1", "seed2"):
            values = [self.summary(f"out/{seed}/step-{step}/summary.json")["effects"]["all"]["spearman"]["argmax"]["value"]
                      for step in (60, 120)]
            means.append(statistics.mean(values))
        whole = self.summary()["effects"]["all"]["spearman"]["argmax"]["value"]
        self.assertAlmostEqual(whole["mean"], statistics.mean(means), places=12)
        self.assertAlmostEqual(whole["sd"], statistics.stdev(means), places=12)
        self.assertEqual(whole["count"], 2)
        self.assert_sentence(self.diagnose("seed1", "./seed1", "--all-checkpoints", *options, code=2), "two run folders", "seed1")

    def test_dense_networks_are_diagnosed_in_every_layer(self):
        (self.folder / "rows.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i % 17},{i % 3}\n" for i in range(90)), encoding="utf-8")
        config = DENSE.replace('source = "fashion-mnist"\nvalidation = 400', 'source = "csv"\nfile = "rows.csv"').replace("2000", "60")
        self.train(config, "dense", "--set", "train.batch=32")
        done = self.diagnose("dense/last.safetensors")
        for part in ("rows, relaxed loss", "180 relaxed neurons examined", "What follows: "):
            self.assertIn(part, done.stdout)
        self.assertEqual(len(self.rows("out/effects.csv")), 180)
        self.assertEqual({row["layer"] for row in self.rows("out/effects.csv")}, {"fc1", "fc2", "fc3"})

    def test_models_without_a_decision_left_still_have_gaps(self):
        self.train(COMPACT, "frozen")
        self.assert_sentence(self.diagnose("frozen/last.safetensors", code=3), "frozen/last.safetensors", "only gaps")
        self.train(DENSE, "dense")
        self.assertFalse((self.folder / "out").exists())
        for run in ("frozen", "dense"):
            self.diagnose(f"{run}/last.safetensors", "--only", "gaps", "--samples", 50, out=run + "-gaps")
        self.assertEqual(len(self.rows("dense-gaps/gaps.csv")), 3)

    def test_mistakes_get_a_sentence(self):
        self.train(TREE, "run", "--set", "train.steps=60")
        last = "run/last.safetensors"
        self.assert_sentence(self.diagnose(last, "--samples", 500, code=3), "400 examples", "500", "fewer samples")
        self.assert_sentence(self.diagnose(last, "--samples", 1, code=3), "too few", "more samples")
        self.assert_sentence(self.diagnose(last, "--only", "efects", code=2), "efects", "effects")
        self.assert_sentence(self.diagnose(last, "--only", "gaps", "--fit-samples", 10, code=2), "--fit-samples", "discrete")
        self.assert_sentence(self.diagnose(last, "--fit-samples", 10, code=2), "--fit-samples", "discrete")
        self.assert_sentence(self.diagnose(last, "--batches", 10, code=2), "--batches", "shocks")
        self.assert_sentence(self.diagnose(last, "--only", "shocks", "--batches", 1, code=3), "one batch is too few")
        self.assert_sentence(self.diagnose(last, "--only", "shocks", "--batches", 2 ** 63 - 1, code=3),
                             "would need about", "choose a smaller number of batches")
        self.assert_sentence(self.diagnose(last, "--only", "discrete", "--fit-samples", 70000, code=3), "training set", "70,000")
        self.assert_sentence(self.diagnose("run", code=3), "run is a folder", "--all-checkpoints")
        self.assert_sentence(self.diagnose(last, last, code=2), "name one checkpoint")
        self.assert_sentence(self.diagnose(last, "--all-checkpoints", code=3), "is no run folder")
        (self.folder / "empty").mkdir()
        self.assert_sentence(self.diagnose("empty", "--all-checkpoints", code=3), "holds no kept checkpoints", "train.keep_at")
        (self.folder / "foreign.safetensors").write_bytes(b"nonsense")
        self.assert_sentence(self.diagnose("foreign.safetensors", code=3), "foreign.safetensors")
        self.assert_sentence(self.diagnose("missing.safetensors", code=3), "missing.safetensors")
        (self.folder / "file").write_text("")
        self.assert_sentence(self.diagnose(last, "--samples", 10, out="file/out", code=3), "cannot make the folder file/out")
        self.assertFalse((self.folder / "out").exists())


main()
