"""Outputs never replace what a command reads, by whatever name or however far away, and may be streams."""

import contextlib
import json
import os
import random
import subprocess
import threading

from journey import FIRN, Journey, SmallRun, main, npy, png

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

DELAYS = {"format": "firn-delays", "tables": [
    {"target": "osu018", "source": "mine", "stages": [{"levels": 1, "ns": 0.5}, {"levels": 9, "ns": 2.5}]}]}


class Outputs(Journey):
    @contextlib.contextmanager
    def unharmed(self):
        """Every file that was there before is there afterwards, as it was."""
        def files():
            return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file() and path.name != ".lock"}
        before = files()
        yield
        after = files()
        self.assertEqual([str(path) for path in before if after.get(path) != before[path]], [])

    def refused(self, *arguments, code=2, words="which is being read", **environment):
        with self.unharmed():
            self.assert_sentence(self.firn(*arguments, code=code, **environment), words)

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

    def test_data_below_the_root_are_kept(self):
        self.write_table("D/data.csv")
        self.train("csv", "data.csv", "data.csv", root="D")
        last, root = "run/last.safetensors", ("--data-root", "D")
        for command in (["predict", "m.firn", "--split", "val", "-o"], ["play", "m.firn", "-o"],
                        ["compile", last, "--prune-unvisited", "-o"], ["discretize", last, "--rule", "argmax", "--out"],
                        ["refine", last, "--out"], ["report", "run", "-o"],
                        ["export", "m.firn", "--format", "verilog", "--testbench", 4, "-o"]):
            self.refused(*command, "D/data.csv", *root)
        self.refused("predict", "m.firn", "-o", "D/data.csv", FIRN_DATA="D")
        self.firn("predict", "m.firn", "-o", "D/new.csv", *root)
        self.firn("predict", "m.firn", "-o", "D/new.csv", *root)  # an earlier output may be replaced

    def test_what_a_refinement_writes_beside_its_output_replaces_no_data(self):
        self.write_table("out.moves.csv")
        self.train("csv", "out.moves.csv", "out.moves.csv")
        self.refused("refine", "run/last.safetensors", "--out", "out", "--data-root", ".")

    def test_labels_beside_arrays_are_kept(self):
        (self.folder / "np").mkdir()
        rng = random.Random(2)
        for part in ("train", "test"):
            values = [rng.randrange(256) for _ in range(60 * 4)]
            (self.folder / f"np/x_{part}.npy").write_bytes(npy("|u1", (60, 4), values))
            (self.folder / f"np/y_{part}.npy").write_bytes(npy("|u1", (60,), [v > 127 for v in values[::4]]))
        self.train("npy", "np/x_train.npy", "np/x_test.npy")
        for samples in (["np/x_test.npy"], ["--split", "test"]):
            for command in ("predict", "play"):
                self.refused(command, "m.firn", *samples, "-o", "np/y_test.npy")

    def test_folders_of_images_are_kept(self):
        rng = random.Random(3)
        for part in ("train", "test"):
            for i in range(40):
                folder = self.folder / "images" / part / "ab"[i % 2]
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{i}.png").write_bytes(png(4, 4, 1, [rng.randrange(100) + 150 * (i % 2) for _ in range(16)]))
        self.train("images", "images/train", "images/test")
        self.refused("predict", "m.firn", "images/test", "-o", "images/test/a/2.png")
        for command in (["predict", "m.firn", "--split", "test"], ["play", "m.firn"], ["report", "run"]):
            self.refused(*command, "-o", "images/train/a/2.png")
        for _ in range(2):
            self.firn("predict", "m.firn", "images/test", "-o", "images/test/predictions.csv")

    def test_standard_input_is_kept(self):
        self.write_table("data.csv")
        self.train("csv", "data.csv", "data.csv")
        for name in ("-", "/dev/stdin"):
            with self.unharmed(), open(self.folder / "data.csv", encoding="utf-8") as samples:
                done = subprocess.run([FIRN, "predict", "m.firn", name, "--reader", "csv", "-o", "data.csv"],
                                      cwd=self.folder, stdin=samples, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assert_sentence(done, "which is being read")

    def test_circuits_delays_and_samples_are_kept(self):
        self.write_table("t.v")
        self.train("csv", "t.v", "t.v")
        (self.folder / "dl.json").write_text(json.dumps(DELAYS), encoding="utf-8")
        self.firn("export", "m.firn", "--format", "aag", "-o", "m.aag")
        (self.folder / "link").symlink_to("m.firn")
        for witness in ("m.firn", "link", "m.aag"):
            self.refused("verify", "m.firn", "m.aag", "--witness", witness)
        for command in (["export", "m.firn", "--format", "verilog", "-o", "dl.json"],
                        ["synth", "m.firn", "--target", "abc", "--json", "dl.json"]):
            with self.unharmed():
                done = self.firn(*command, "--clock", "5ns", "--delays", "dl.json", code=2)
                self.assertIn("which is being read", done.stderr.splitlines()[-1])  # the first line notes: no checksum
        self.refused("export", "m.firn", "--format", "verilog", "--testbench", 4, "--data", "t.v", "-o", "t.v")

    def test_runs_of_a_sweep_are_kept_from_its_report(self):
        self.write_table("data.csv")
        self.write_config("base.toml", "csv", "data.csv", "data.csv")
        (self.folder / "sweep.toml").write_text('name = "s"\nbase = "base.toml"\n[grid]\nseed = [1, 2]\n', encoding="utf-8")
        self.firn("sweep", "sweep.toml", "--out", "s", "--data-root", ".", "--threads", 1)
        for name in ("last.safetensors", "metrics.jsonl"):
            self.refused("report", "s", "--no-data", "-o", f"s/runs/seed=1/{name}")
        for _ in range(2):
            self.firn("report", "s", "--no-data", "-o", "s/runs/page.html")

    def test_a_run_does_not_replace_the_configuration_of_the_user(self):
        self.write_table("data.csv")
        root = ("--data-root", ".", "--threads", 1)
        self.write_config("config.toml", "csv", "data.csv")
        self.refused("train", "config.toml", "--out", ".", *root)
        self.write_config("other.toml", "csv", "data.csv")
        (self.folder / "run").mkdir()
        for name in ("config.toml", "other.toml"):
            (self.folder / "run/config.toml").symlink_to(f"../{name}")
            self.refused("train", "other.toml", "--out", "run", *root, code=3 if name == "config.toml" else 2,
                         words="would ")
            (self.folder / "run/config.toml").unlink()
        self.firn("train", "other.toml", "--out", "run", *root)
        self.firn("train", "other.toml", "--resume", "--out", "run", *root)

    def test_a_sweep_does_not_replace_its_data_or_itself(self):
        self.write_table("table.csv")
        self.write_config("base.toml", "csv", "table.csv", "table.csv")
        for name in ("sweep.toml", "runs.csv"):
            (self.folder / name).write_text('base = "base.toml"\n[grid]\nseed = [1, 2]\n', encoding="utf-8")
        self.refused("sweep", "sweep.toml", "--out", ".", "--data-root", ".")
        self.refused("sweep", "runs.csv", "--out", ".", "--data-root", "elsewhere")

    def test_a_diagnosis_does_not_replace_the_data(self):
        self.write_table("gaps.csv")
        self.train("csv", "gaps.csv", "gaps.csv")
        self.refused("diagnose", "run/last.safetensors", "--data-root", ".", "--out", ".")

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


class OutputsOfARun(SmallRun):
    def test_outputs_never_replace_their_inputs(self):
        self.train()
        checkpoint = "run/last.safetensors"
        self.firn("compile", checkpoint, "-o", "m.firn")
        self.firn("export", "m.firn", "--format", "blif", "-o", "m.blif")
        (self.folder / "link").symlink_to(checkpoint)
        before = {name: self.bytes(name) for name in (checkpoint, "m.firn", "m.blif", "run/metrics.jsonl")}
        for arguments in (["compile", checkpoint, "-o", checkpoint],
                          ["compile", checkpoint, "-o", "link"],
                          ["export", "m.firn", "--format", "c", "-o", "./m.firn"],
                          ["import", "m.blif", "--model", "m.firn", "-o", "m.blif"],
                          ["import", "m.blif", "--model", "m.firn", "-o", "m.firn"],
                          ["report", "run", "-o", "run/metrics.jsonl"]):
            self.assert_sentence(self.firn(*arguments, code=2), "which is being read")
        for name, content in before.items():
            self.assertEqual(self.bytes(name), content, name)

    def test_pipes_and_standard_output_are_outputs(self):
        self.train()
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        self.firn("export", "m.firn", "--format", "blif", "-o", "m.blif")
        compiled = subprocess.run([FIRN, "compile", "run/last.safetensors", "-o", "/dev/stdout"], cwd=self.folder,
                                  capture_output=True, timeout=120, check=True)
        self.assertEqual(compiled.stdout, self.bytes("m.firn"))
        with open(self.folder / "both", "wb") as file:
            file.write(b"before\n")
            file.flush()
            subprocess.run([FIRN, "export", "m.firn", "--format", "blif", "--name", "m", "-o", "/dev/stdout"], cwd=self.folder,
                           stdout=file, stderr=subprocess.DEVNULL, timeout=120, check=True)
        self.assertEqual(self.bytes("both"), b"before\n" + self.bytes("m.blif"))
        os.mkfifo(self.folder / "fifo")
        writer = subprocess.Popen([FIRN, "compile", "run/last.safetensors", "-o", "fifo"], cwd=self.folder,
                                  stdout=subprocess.DEVNULL)
        self.assertEqual(self.bytes("fifo"), self.bytes("m.firn"))
        self.assertEqual(writer.wait(), 0)


main()
