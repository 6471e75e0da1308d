"""Outputs may be streams."""

import os
import random
import subprocess
import threading

from journey import FIRN, Journey, main

REST = """
validation = 10
[encode]
encoding = "distributive"
thresholds = 4
[model]
family = "dense"
width = 32
layers = 2
[train]
steps = 4
batch = 16
"""


class Outputs(Journey):
    def write_table(self, name):
        rng = random.Random(1)
        rows = [(rng.random(), rng.random()) for _ in range(80)]
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(
            "a,b,kind\n" + "".join(f"{a:.3f},{b:.3f},{'yes' if a > b else 'no'}\n" for a, b in rows), encoding="utf-8")

    def write_config(self, name, source, file, test_file=""):
        (self.folder / name).write_text(
            f'# mine\n[data]\nsource = "{source}"\nfile = "{file}"\ntest_file = "{test_file}"' + REST, encoding="utf-8")

    def train(self, source, file, test_file="", root="."):
        """A run and a model on these data."""
        self.write_config("run.toml", source, file, test_file)
        self.firn("train", "run.toml", "--out", "run", "--data-root", root, "--threads", 1)
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")

    def test_a_refinement_may_go_to_a_stream(self):
        self.write_table("data.csv")
        self.train("csv", "data.csv", "data.csv")
        refine = ["refine", "run/last.safetensors", "--data-root", ".", "--threads", "1", "--out"]
        self.firn(*refine, "file")
        done = subprocess.run([FIRN, *refine, "/dev/stdout"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, (self.folder / "file").read_bytes())
        self.assertIn("/dev/full", self.firn(*refine, "/dev/full", code=3).stderr)
        for ending in ("partial", "moves.csv"):
            self.assertFalse(os.path.exists(f"/dev/full.{ending}"))

    def test_a_first_configuration_may_go_to_a_stream(self):
        self.write_table("data.csv")
        shown = self.firn("config", "init", "data.csv").stdout
        self.assertEqual(self.firn("config", "init", "data.csv", "-o", "/dev/stdout").stdout, shown)
        os.mkfifo(self.folder / "pipe")
        read = []
        reader = threading.Thread(target=lambda: read.append((self.folder / "pipe").read_text(encoding="utf-8")))
        reader.start()
        self.firn("config", "init", "data.csv", "-o", "pipe")
        reader.join(timeout=60)
        self.assertEqual(read, [shown])


main()
