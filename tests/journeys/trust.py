"""Trust: damaged files are refused, outputs never replace their inputs, and a folder belongs to one process at a time."""

import json
import random
import signal
import subprocess
import time

from journey import FIRN, Journey, main

CONFIG = """
name = "small"
[data]
source = "parity"
synthetic.inputs = 6
synthetic.examples = 200
[encode]
encoding = "passthrough"
[model]
family = "dense"
width = 32
layers = 2
[train]
steps = 20
batch = 16
eval_every = 10
"""


class Trust(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")

    def train(self, folder="run", *arguments, code=0):
        return self.firn("train", "run.toml", "--out", folder, *arguments, code=code)

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def test_a_flipped_bit_is_refused_by_every_command(self):
        self.train()
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        draw = random.Random(1)
        commands = {"run/last.safetensors": [["info"], ["eval"], ["discretize", "--out", "x"], ["compile", "-o", "x"]],
                    "m.firn": [["info"], ["predict"], ["verify", "m.firn"], ["export", "--format", "c", "-o", "x"]]}
        for name, readers in commands.items():
            whole = self.bytes(name)
            for trial in range(40):
                bit = draw.randrange(8 * len(whole))
                damaged = bytearray(whole)
                damaged[bit // 8] ^= 1 << bit % 8
                (self.folder / "damaged").write_bytes(damaged)
                command, *options = readers[trial % len(readers)]
                done = self.firn(command, "damaged", *options, code=3)
                self.assert_sentence(done, "damaged is not a sound safetensors file")
        self.assertFalse((self.folder / "x").exists())

    def start_long_run(self, *command):
        run = subprocess.Popen([FIRN, *command], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while not list(self.folder.glob("**/last.safetensors")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return run

    LONG = ["--set", "train.steps=10000000", "--set", "train.checkpoint_every=1"]

    def test_a_folder_in_use_is_refused_and_left_alone(self):
        run = self.start_long_run("train", "run.toml", "--out", "run", *self.LONG)
        log = self.bytes("run/log.txt")
        for arguments in (["--resume"], []):
            done = self.firn("train", "run.toml", "--out", "run", *self.LONG, *arguments, code=3)
            self.assert_sentence(done, "run")
        self.assert_sentence(self.firn("train", "--resume", "--out", "run", code=3), f"in use by process {run.pid}")
        self.assertTrue(self.bytes("run/log.txt").startswith(log))
        self.assertIsNone(run.poll())
        run.kill()
        run.wait()
        done = self.firn_any("train", "--resume", "--out", "run", "--set", "train.steps=1")
        self.assertNotIn("in use", done.stderr)  # the lock has died with its process

    def test_a_sweep_in_use_is_refused(self):
        (self.folder / "sweep.toml").write_text('name = "s"\nbase = "run.toml"\n[set]\ntrain.steps = 10000000\n'
                                                "train.checkpoint_every = 1\n[grid]\nseed = [1, 2]\n", encoding="utf-8")
        run = self.start_long_run("sweep", "sweep.toml", "--out", "s", "--jobs", "1")
        done = self.firn("sweep", "sweep.toml", "--out", "s", code=3)
        self.assert_sentence(done, f"s is in use by process {run.pid}")
        inside = next(self.folder.glob("s/runs/*/last.safetensors")).parent
        self.assert_sentence(self.firn("train", "--resume", "--out", inside, code=3), "in use by process")

    def test_waiting_for_a_folder(self):
        run = self.start_long_run("train", "run.toml", "--out", "run", *self.LONG)
        waiting = subprocess.Popen([FIRN, "train", "--resume", "--wait", "--out", "run"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(waiting.communicate)
        self.addCleanup(waiting.kill)
        time.sleep(0.5)
        self.assertIsNone(waiting.poll())
        run.send_signal(signal.SIGTERM)
        self.assertIn("small:", waiting.stdout.readline())
        self.assertIn("resuming after step", waiting.stdout.readline())

    def check_recovery(self, damage, source):
        """A run whose checkpoints were damaged ends like the whole one, from `source` on."""
        shorter = ["--set", "train.keep_at=[10]", "--set", "train.checkpoint_every=15"]
        self.train("whole", *shorter)
        self.train("hurt", *shorter)
        whole = self.bytes("whole/last.safetensors")
        damage(self.folder / "hurt")
        done = self.firn("train", "--resume", "--out", "hurt")
        self.assertIn(f"going on from hurt/{source} instead", done.stdout)
        self.assertEqual(self.bytes("hurt/last.safetensors"), whole)
        self.assertEqual([json.loads(line)["step"] for line in self.bytes("hurt/metrics.jsonl").splitlines()], [10, 20])

    def test_damaged_checkpoints_fall_back_to_one_that_was_kept(self):
        def damage(run):
            (run / "best.safetensors").unlink()
            for name in ("last", "previous"):
                (run / f"{name}.safetensors").write_bytes(b"damaged")
        self.check_recovery(damage, "step-10.safetensors")

    def test_a_missing_last_checkpoint_is_made_up_for(self):
        def damage(run):
            (run / "best.safetensors").unlink()
            (run / "last.safetensors").unlink()
        self.check_recovery(damage, "previous.safetensors")

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


main()
