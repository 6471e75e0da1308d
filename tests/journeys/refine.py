"""Refinement: a trained network is refined, resumed after a kill, made smaller, evaluated, compiled and proved."""

import csv
import json
import subprocess
import time

from journey import FIRN, Journey, main

TREE = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 1000
augment = "flip-crop"
[model]
family = "treelogicnet"
width = 1
[train]
steps = 80
batch = 32
eval_every = 40
"""


class Refine(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "tree.toml").write_text(TREE, encoding="utf-8")
        self.firn("train", "tree.toml", "--out", "run")

    def accuracy(self, checkpoint):
        done = self.firn("eval", checkpoint, "--split", "val", "--mode", "discrete", "--json")
        return json.loads(done.stdout)["discrete"]["accuracy"]

    def predictions(self, checkpoint):
        self.firn("predict", checkpoint, "--split", "val", "-o", "predictions.csv")
        with open(self.folder / "predictions.csv", encoding="utf-8") as file:
            return [row["prediction"] for row in csv.DictReader(file)]

    def test_a_refined_checkpoint_is_like_others(self):
        options = ("run/last.safetensors", "--images", "3000", "--copies", "2", "--sweeps", "3")
        done = self.firn("refine", *options, "--out", "refined.safetensors", "--json")
        result = json.loads(done.stdout)
        held_out = result["held_out"]
        self.assertGreater(result["moves"], 0)
        self.assertLess(held_out["after"]["loss"], held_out["before"]["loss"])
        self.assertAlmostEqual(self.accuracy("refined.safetensors"), held_out["after"]["accuracy"])
        before, after = self.predictions("run/last.safetensors"), self.predictions("refined.safetensors")
        self.assertEqual(held_out["agreeing"], sum(a == b for a, b in zip(before, after, strict=True)))
        with open(self.folder / "refined.safetensors.moves.csv", encoding="utf-8") as file:
            moves = [row for row in csv.DictReader(file) if row["kept"] == "yes"]
        self.assertEqual(len(moves), result["moves"])
        self.firn("compile", "refined.safetensors", "-o", "refined.firn")
        self.assertIn("the same function", self.firn("verify", "refined.safetensors", "refined.firn").stdout)

        run = subprocess.Popen([FIRN, "refine", *options, "--out", "again.safetensors"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(1200):
            if (self.folder / "again.safetensors.partial").exists() or run.poll() is not None:
                break
            time.sleep(0.02)
        run.kill()
        run.wait()
        self.firn("refine", *options, "--out", "again.safetensors", "--threads", "1")
        self.assertEqual((self.folder / "again.safetensors").read_bytes(),
                         (self.folder / "refined.safetensors").read_bytes())

    def test_gates_are_removed_and_training_goes_on(self):
        done = self.firn("refine", "run/last.safetensors", "--objective", "gates", "--images", "2000", "--copies", "1",
                         "--fit-split", "validation", "--layers", "conv", "--out", "small.safetensors")
        self.assertRegex(done.stdout, r"neither constant nor a wire: [\d,]+ -> [\d,]+")
        self.firn("train", "--from", "small.safetensors", "--set", "train.steps=90", "--out", "on")
        self.assertEqual(json.loads((self.folder / "on/result.json").read_text())["last"]["step"], 90)

    def test_mistakes_get_a_sentence(self):
        refine = ("refine", "run/last.safetensors", "--out", "x.safetensors")
        self.assert_sentence(self.firn(*refine, "--layers", "conv9", code=3), "conv9")
        self.assert_sentence(self.firn(*refine, "--memory", "0.001", code=3), "GB", "memory")
        self.assert_sentence(self.firn(*refine, "--significance", "1,2,3", code=2), "--significance")
        self.assert_sentence(self.firn("refine", "run/last.safetensors", "--out", "run/last.safetensors", code=2),
                             "another name")
        self.assertFalse((self.folder / "x.safetensors").exists())


main()
