"""Sweeps: a grid of runs that is killed, goes on, and ends in one table."""

import csv
import subprocess
import time

from journey import FIRN, Journey, main

BASE = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 500
[model]
family = "treelogicnet"
width = 1
[train]
steps = 60
batch = 32
eval_every = 20
checkpoint_every = 10
[freeze]
task.interval = 5
task.half_life = 10
"""

SWEEP = """
base = "base.toml"
[grid]
freeze.strategy = ["final-argmax", "global", "task"]
freeze.start = [20, 40]
seed = [1, 2]
"""


class Sweep(Journey):
    def setUp(self):
        super().setUp()
        self.write("base.toml", BASE)
        self.write("grid.toml", SWEEP)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_a_killed_sweep_goes_on_and_ends_in_a_table(self):
        run = subprocess.Popen([FIRN, "sweep", "grid.toml", "--out", "out", "--shared-prefix"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if list((self.folder / "out").glob("runs/*/result.json")):
                break
            time.sleep(0.05)
        run.kill()
        run.wait()
        done = self.firn("sweep", "grid.toml", "--out", "out", "--shared-prefix")
        self.assertIn("of 10 runs are finished already", done.stdout)
        for row in ("final-argmax", "global", "task"):
            self.assertRegex(done.stdout, rf"{row} +\d+\.\d\d ± \d+\.\d\d +\d+\.\d\d ± \d+\.\d\d\n")
        for name in ("table", "best"):
            for suffix in ("txt", "csv", "md", "tex"):
                self.assertTrue((self.folder / f"out/{name}.{suffix}").exists())
        with open(self.folder / "out/runs.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12)
        self.assertEqual({row["step"] for row in rows}, {"60"})

        alone = self.firn("sweep", "grid.toml", "--out", "alone", "--jobs", "1")
        self.assertIn("10/10", alone.stdout)
        for folder in (self.folder / "alone/runs").iterdir():
            twin = self.folder / "out/runs" / folder.name
            self.assertEqual((folder / "last.safetensors").read_bytes(), (twin / "last.safetensors").read_bytes())
            self.assertEqual((folder / "freezes.csv").read_bytes(), (twin / "freezes.csv").read_bytes())

    def test_listing_trains_nothing(self):
        done = self.firn("sweep", "grid.toml", "--list", "--shared-prefix", "--out", "out")
        self.assertIn("10 runs, 2 shared beginnings", done.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_mistakes_get_a_sentence(self):
        self.write("bad.toml", SWEEP.replace("task\"", "tsk\""))
        self.assert_sentence(self.firn("sweep", "bad.toml", code=3), "bad.toml:4", "\"tsk\"", "task")
        self.assert_sentence(self.firn("sweep", "none.toml", code=3), "none.toml")
        self.assertFalse((self.folder / "runs").exists())


main()
