"""Learning from tables: early stopping, class weights, measures, and values to predict, from CSV to C."""

import csv
import json
import math
import random
import struct
import subprocess

from journey import Journey, main, npy

CONFIG = """
name = "table"
[data]
source = "csv"
file = "train.csv"
test_file = "test.csv"
[encode]
thresholds = 7
scope = "feature"
[model]
family = "dense"
width = 400
layers = 3
[train]
steps = 400
batch = 32
eval_every = 20
"""


class Learning(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "table.toml").write_text(CONFIG)

    def rows(self, name, count, seed, target):
        rng = random.Random(seed)
        with open(self.folder / name, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["a", "b", "c", "y"])
            for _ in range(count):
                x = [rng.uniform(-1, 1) for _ in range(3)]
                table.writerow([*x, target(x, rng)])

    def read(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def tables(self, target):
        self.rows("train.csv", 600, 1, target)
        self.rows("test.csv", 200, 2, target)

    def test_a_run_out_of_patience_stops_says_so_and_its_best_step_is_the_result(self):
        self.tables(lambda x, rng: rng.choice(["no", "yes"]))  # nothing to learn
        said = self.firn("train", "table.toml", "--out", "a", "--set", "train.patience=3", "--set", "train.steps=4000",
                         "--set", "train.learning_rate=0.1").stdout
        self.assertIn("has not fallen for 3 evaluations", said)
        self.assertIn("firn eval a/best.safetensors", said)
        result = json.loads((self.folder / "a/result.json").read_text())
        self.assertEqual(result["result"], "best")
        self.assertEqual(result["stopped"]["step"], result["last"]["step"])
        self.assertLess(result["best"]["step"], result["last"]["step"])
        self.assertLess(result["last"]["step"], 4000)
        again = self.firn("train", "--resume", "--out", "a").stdout
        self.assertIn(f"stopped after step {result['last']['step']}", again)
        longer = self.firn("train", "--resume", "--out", "a", "--set", "train.patience=5").stdout
        self.assertGreater(json.loads((self.folder / "a/result.json").read_text())["last"]["step"],
                           result["last"]["step"], longer)

    def test_eval_and_result_have_the_same_measures(self):
        self.tables(lambda x, rng: "rare" if x[0] > 0.7 and x[1] > 0 else "usual")
        self.firn("train", "table.toml", "--out", "a", "--set", "train.class_weights=balanced")
        shown = self.firn("eval", "a/last.safetensors").stdout
        for word in ("balanced", "AUC", "precision", "recall", "F1"):
            self.assertIn(word, shown)
        seen = json.loads(self.firn("eval", "a/last.safetensors", "--json").stdout)["discrete"]
        stored = json.loads((self.folder / "a/result.json").read_text())["last"]
        for key in ("balanced_accuracy", "macro_f1", "auc", "classes", "accuracy", "loss"):
            self.assertEqual(seen[key], stored["discrete_" + key], key)
        confusion = seen["confusion"]
        recalls = [row[c] / sum(row) for c, row in enumerate(confusion)]
        self.assertAlmostEqual(seen["balanced_accuracy"], sum(recalls) / 2, 12)
        self.assert_sentence(self.firn("train", "table.toml", "--out", "b", "--set", "train.class_weights=[1,2,3]",
                                       code=3), "3 weights, but train has 2 classes")
        self.assert_sentence(self.firn("train", "table.toml", "--out", "c", "--set", "train.class_weights=heavy",
                                       code=2), "balanced")

    def test_a_network_learns_from_a_teacher_as_well_as_from_labels(self):
        self.tables(lambda x, rng: rng.choice(["no", "yes"]))  # labels say nothing; only the teacher knows
        rows = self.read("train.csv")
        sure = [4.0 if float(row["a"]) > float(row["b"]) else -4.0 for row in rows]
        self.write_npy("t.npy", [[-v, v] for v in sure])
        taught = ["--set", "train.teacher=t.npy", "--set", "train.teacher_weight=0.9", "--set",
                  "train.teacher_temperature=2"]
        self.firn("train", "table.toml", "--out", "a", *taught)
        self.firn("predict", "a/last.safetensors", "train.csv", "-o", "p.csv")
        agree = sum((row["prediction"] == "yes") == (v > 0) for row, v in zip(self.read("p.csv"), sure))
        self.assertGreater(agree, 540)
        self.firn("train", "table.toml", "--out", "pupil", "--set", "train.teacher=a/last.safetensors",
                  "--set", "train.teacher_weight=1")
        self.firn("predict", "pupil/last.safetensors", "train.csv", "-o", "q.csv")
        agree = sum((row["prediction"] == "yes") == (v > 0) for row, v in zip(self.read("q.csv"), sure))
        self.assertGreater(agree, 540)

    def test_a_teacher_that_does_not_fit_is_refused(self):
        self.tables(lambda x, rng: "yes" if x[0] > 0 else "no")
        self.write_npy("short.npy", [[1.0, 2.0]] * 599)
        self.write_npy("sure.npy", [[0.25, 0.75]] * 600)
        refused = lambda sentence, *sets: self.assert_sentence(
            self.firn("train", "table.toml", "--out", "x", *[a for s in sets for a in ("--set", s)], code=3), sentence)
        refused("600 training examples by 2 classes", "train.teacher=short.npy")
        refused('train.teacher_form = "probabilities"', "train.teacher=sure.npy")
        refused("none.npy", "train.teacher=none.npy")
        refused('needs the loss "cross-entropy"', "train.teacher=sure.npy", "train.loss=bce")
        self.firn("train", "table.toml", "--out", "one", "--set", "train.steps=20", "--set", "train.loss=bce")
        refused("has 1 outputs but", "train.teacher=one/last.safetensors")
        wide = self.folder / "wide.toml"
        wide.write_text(CONFIG.replace("train.csv", "wide.csv").replace('test_file = "test.csv"\n', ""))
        with open(self.folder / "wide.csv", "w") as file:
            file.write("\n".join("1,2,3,4,5,yes" if i % 2 else "6,7,8,9,0,no" for i in range(100)))
        headless = ["--set", "data.header=absent", "--set", "train.steps=20"]
        self.firn("train", "wide.toml", "--out", "wide", *headless)
        refused("was trained with", "train.teacher=wide/last.safetensors")
        self.assertIn("train.teacher_weight has no effect",
                      self.firn("train", "table.toml", "--out", "y", "--set", "train.steps=20", "--set",
                                "train.teacher_weight=0.3").stdout)

    def write_npy(self, name, rows):
        values = struct.pack(f"<{len(rows) * len(rows[0])}f", *[v for row in rows for v in row])
        (self.folder / name).write_bytes(npy("<f4", (len(rows), len(rows[0])), values))

    def value_run(self):
        self.tables(lambda x, rng: 1000 + 50 * x[0] + 30 * math.sin(3 * x[1]))
        regression = ["--set", "data.task=regression", "--set", "train.loss=squared"]
        return self.firn("train", "table.toml", "--out", "v", *regression)

    def test_values_go_from_a_table_to_predictions_and_to_c(self):
        self.tables(lambda x, rng: 1000 + 50 * x[0])
        self.assert_sentence(self.firn("train", "table.toml", "--out", "v", code=3), 'data.task = "regression"')
        self.assert_sentence(self.firn("train", "table.toml", "--out", "v", "--set", "data.task=regression", code=3),
                             "set train.loss to squared or absolute")
        self.assertIn("discrete test R2", self.value_run().stdout)
        seen = json.loads(self.firn("eval", "v/last.safetensors", "--json").stdout)["discrete"]
        self.assertGreater(seen["r2"], 0.8)
        self.assertIn("R2", self.firn("eval", "v/last.safetensors", "--gaps").stdout)
        self.firn("compile", "v/last.safetensors", "-o", "v.firn")
        self.assertIn("a value", self.firn("info", "v.firn").stdout)
        summary = json.loads(self.firn("predict", "v.firn", "test.csv", "-o", "p.csv", "--counts", "--json").stdout)
        self.assertAlmostEqual(summary["r2"], seen["r2"], 6)
        self.assertAlmostEqual(summary["rmse"], seen["rmse"], 4)
        rows = self.read("p.csv")
        self.assertEqual(list(rows[0]), ["row", "value", "label", "count"])
        self.firn("export", "v.firn", "--format", "c", "--with-encoder", "--with-head", "-o", "v.c")
        self.check_c(rows)

    def check_c(self, rows):
        self.assertIn("value = ", (self.folder / "v.c").read_text())
        (self.folder / "main.c").write_text("""
#include <stdio.h>
#include "v.h"
int main(void) {
  static uint64_t work[V_WORK];
  float features[V_FEATURES];
  while (scanf("%f,%f,%f", features, features + 1, features + 2) == 3) {
    unsigned count = v(features, work);
    printf("%u %.9g\\n", count, V_OFFSET + V_FACTOR * (float)count);
  }
  return 0;
}
""")
        subprocess.run(["gcc", "-O1", "v.c", "main.c", "-o", "main"], cwd=self.folder, check=True)
        test = self.read("test.csv")
        lines = "".join(f"{row['a']},{row['b']},{row['c']}\n" for row in test)
        counts = subprocess.run([self.folder / "main"], input=lines, capture_output=True, text=True, check=True)
        for row, line in zip(rows, counts.stdout.splitlines(), strict=True):
            count, value = line.split()
            self.assertEqual(row["count"], count)
            self.assertAlmostEqual(float(row["value"]), float(value), 3)

    def test_what_is_for_classes_refuses_values_in_one_sentence(self):
        self.value_run()
        refused = [("diagnose", "v/last.safetensors", "--out", "d"), ("refine", "v/last.safetensors", "--out", "r.safetensors"),
                   ("discretize", "v/last.safetensors", "--rule", "refine", "--out", "r.safetensors")]
        for command in refused:
            self.assert_sentence(self.firn(*command, code=3), "predicts values")
        for rule in ("argmax", "first-order", "nearest-table"):
            self.firn("discretize", "v/last.safetensors", "--rule", rule, "--out", rule + ".safetensors")
        regression = ["--set", "data.task=regression", "--set", "train.loss=absolute", "--set", "train.steps=40"]
        self.assert_sentence(self.firn("train", "table.toml", "--out", "s", *regression, "--set",
                                       "freeze.strategy=refine", code=3), "predicts values")
        for strategy in ("task", "global", "hard-st"):
            self.firn("train", "table.toml", "--out", strategy, *regression, "--set", f"freeze.strategy={strategy}",
                      "--set", "freeze.start=10")


if __name__ == "__main__":
    main()
