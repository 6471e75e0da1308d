"""Training over ranks: the same bits for any number of processes, and one sentence when one of them fails."""

import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import time
import unittest

from journey import FIRN, Journey, main, npy

DATA = """
[data]
source = "npy"
file = "x_train.npy"
test_file = "x_test.npy"
validation = 100
[encode]
thresholds = 1
"""
TREE = 'name = "tree"' + DATA + """
[model]
family = "treelogicnet"
width = 2
[train]
steps = 24
batch = 64
shard = 16
eval_every = 12
[freeze]
strategy = "task"
start = 6
task.interval = 3
task.half_life = 4
"""
COMPACT = 'name = "compact"' + DATA + """
[model]
family = "compact"
width = 2
tau = 20
init = "gaussian"
[train]
steps = 24
batch = 64
shard = 16
clip = 10
eval_every = 12
[resample]
enabled = true
patience = 3
tolerance = 0.05
[freeze]
strategy = "entropy"
start = 8
entropy.patience = 3
entropy.tolerance = 0.01
"""
# Five shards: no number of ranks divides them well.
DENSE = """
name = "dense"
[data]
source = "teacher"
synthetic.inputs = 12
synthetic.examples = 600
[encode]
encoding = "passthrough"
[model]
family = "dense"
width = 64
layers = 3
[train]
steps = 60
batch = 80
shard = 16
eval_every = 20
checkpoint_every = 10
[freeze]
strategy = "cage"
start = 10
"""
LONG = DENSE.replace("steps = 60", "steps = 800").replace("= 20", "= 200").replace("every = 10", "every = 50")


VERSION = subprocess.run([FIRN, "--version", "--verbose"], capture_output=True, text=True, check=True).stdout
HAS_MPI = "\nMPI " in VERSION


@unittest.skipIf(HAS_MPI, "Firn was built with MPI")
class WithoutMpi(Journey):
    def test_a_process_that_cannot_join_the_others_says_so(self):
        self.assertIn("Built without MPI", VERSION)
        (self.folder / "run.toml").write_text(DENSE, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "alone")
        refused = self.firn("train", "run.toml", "--out", "run", code=3, OMPI_COMM_WORLD_SIZE="4")
        self.assert_sentence(refused, "one of 4, but Firn was built without MPI")


@unittest.skipUnless(HAS_MPI, "Firn was built without MPI")
class Ranks(Journey):
    def setUp(self):
        super().setUp()
        self.write_data(self.folder, seed=1)

    @staticmethod
    def write_data(folder, seed):
        """Noisy images of 28 x 28, with a bright column for each of ten classes."""
        values = random.Random(seed)
        for part, count in (("train", 500), ("test", 150)):
            labels = [i % 10 for i in range(count)]
            images = bytearray(values.randbytes(count * 784))
            for i, label in enumerate(labels):
                for y in range(28):
                    images[i * 784 + y * 28 + 2 * label + 4] |= 128
            (folder / f"x_{part}.npy").write_bytes(npy("|u1", (count, 28, 28), images))
            (folder / f"y_{part}.npy").write_bytes(npy("|u1", (count,), labels))

    def write(self, text):
        (self.folder / "run.toml").write_text(text, encoding="utf-8")

    @staticmethod
    def launch(*groups):
        """The command line of mpirun for groups of (number of ranks, options of mpirun, words of the program)."""
        words = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
        for number, (ranks, options, program) in enumerate(groups):
            words += [":"] * (number > 0) + ["-n", str(ranks), *options, FIRN, *map(str, program)]
        return words

    def start(self, *groups):
        run = subprocess.Popen(self.launch(*groups), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        return run

    def train(self, ranks, out, *options, code=0):
        done = subprocess.run(self.launch((ranks, [], ["train", "run.toml", "--out", out, *options])), cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def assert_same_run(self, out, expected="alone"):
        for name in ("last.safetensors", "best.safetensors", "freezes.csv", "result.json", "config.toml"):
            self.assertEqual((self.folder / out / name).read_bytes(), (self.folder / expected / name).read_bytes(),
                             f"{out}/{name}")
        timed = ("ms_per_step", "seconds_left")
        lines = [[{k: v for k, v in json.loads(line).items() if k not in timed}
                  for line in (self.folder / run / "metrics.jsonl").read_text().splitlines()] for run in (out, expected)]
        self.assertEqual(*lines)
        self.assertFalse((self.folder / out / ".lock").exists())

    def assert_one_sentence(self, errors, *parts):
        lines = [line for line in errors.splitlines() if line.startswith("firn: ")]
        self.assertEqual(len(lines), 1, errors)
        for part in parts:
            self.assertIn(part, lines[0])

    def check_promise(self, config):
        self.write(config)
        self.firn("train", "run.toml", "--out", "alone", "--threads", "1")
        for ranks, threads in ((2, 1), (3, 2), (4, 1), (8, 2)):
            self.train(ranks, f"on{ranks}", "--threads", threads)
            self.assert_same_run(f"on{ranks}")

    def test_a_tree_with_task_freezing_is_the_same_on_any_number_of_ranks(self):
        self.check_promise(TREE)
        self.assertGreater(len((self.folder / "alone/freezes.csv").read_text().splitlines()), 10)

    def test_a_compact_network_that_resamples_is_the_same_on_any_number_of_ranks(self):
        self.check_promise(COMPACT)
        lines = (self.folder / "alone/metrics.jsonl").read_text().splitlines()
        self.assertGreater(sum(json.loads(line)["resampled"] for line in lines), 100)
        self.assertGreater(len((self.folder / "alone/freezes.csv").read_text().splitlines()), 10)

    def test_a_dense_network_with_cage_is_the_same_on_any_number_of_ranks(self):
        self.check_promise(DENSE)

    def test_refinement_and_diagnosis_are_the_same_on_two_ranks(self):
        self.write(TREE)
        self.firn("train", "run.toml", "--out", "alone", "--set", "freeze.strategy=final-argmax")
        refine = ["refine", "alone/last.safetensors", "--sweeps", "2", "--images", "300", "--threads", "1", "--out"]
        diagnose = ["diagnose", "alone/last.safetensors", "--samples", "60", "--neurons", "3", "--threads", "1", "--out"]
        shocks = ["diagnose", "alone/last.safetensors", "--only", "shocks", "--batches", "10", "--threads", "1", "--out"]
        self.firn(*refine, "refined.safetensors")
        self.firn(*diagnose, "diagnosis")
        self.firn(*shocks, "shocks")
        for words in ([*refine, "refined2.safetensors"], [*diagnose, "diagnosis2"], [*shocks, "shocks2"]):
            done = subprocess.run(self.launch((2, [], words)), cwd=self.folder, capture_output=True, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("refined{}.safetensors", "refined{}.safetensors.moves.csv", "diagnosis{}/summary.json", "shocks{}/shocks.csv"):
            self.assertEqual((self.folder / name.format("")).read_bytes(), (self.folder / name.format(2)).read_bytes())

    # Ranks that fail.

    def start_long_run(self, ranks, *options):
        """A run of many short steps that has just stored its first checkpoint, and its processes by rank."""
        self.write(LONG)
        run = self.start((ranks, [], ["train", "run.toml", "--out", "run", "--threads", "1", *options]))
        for _ in range(6000):
            if (self.folder / "run/last.safetensors").exists():
                break
            self.assertIsNone(run.poll(), "it ended too early")
            time.sleep(0.01)
        else:
            self.fail("there is no checkpoint after a minute")
        return run, self.processes_of(run.pid)

    @staticmethod
    def processes_of(launcher):
        processes = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                words = (entry / "environ").read_bytes().split(b"\0")
            except (OSError, IndexError, ValueError):
                continue
            ranks = [word for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
            if parent == launcher and ranks:
                processes[int(ranks[0].partition(b"=")[2])] = int(entry.name)
        return processes

    def check_resumes(self, ranks):
        self.firn("train", "run.toml", "--out", "alone", "--threads", "1")
        self.train(ranks, "run", "--resume", "--threads", "1")
        self.assert_same_run("run")

    def test_a_rank_that_is_killed_ends_the_run_which_resumes_on_other_ranks(self):
        run, processes = self.start_long_run(3)
        os.kill(processes[1], signal.SIGKILL)
        self.assertNotEqual(run.wait(20), 0)
        self.check_resumes(2)

    def test_the_first_rank_may_be_killed_too(self):
        run, processes = self.start_long_run(2)
        os.kill(processes[0], signal.SIGKILL)
        self.assertNotEqual(run.wait(20), 0)
        self.check_resumes(4)

    def test_a_rank_that_hangs_is_named(self):
        run, processes = self.start_long_run(3, "--rank-timeout", "2")
        os.kill(processes[2], signal.SIGSTOP)
        _, errors = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 3, errors)
        self.assert_one_sentence(errors, "rank 0: rank 2 has not answered for 2 s", "--resume")
        self.check_resumes(1)

    def test_a_full_disk_is_one_sentence(self):
        run, processes = self.start_long_run(2)
        # A limit on file size stands in for a full disk: writes fail in the same way.
        resource.prlimit(processes[0], resource.RLIMIT_FSIZE, (4096, 4096))
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 3, errors)
        self.assert_one_sentence(errors, "rank 0: ", "run")
        self.check_resumes(2)

    def test_a_signal_to_one_rank_saves_once_and_ends_all(self):
        run, processes = self.start_long_run(2)
        os.kill(processes[1], signal.SIGTERM)
        output, errors = run.communicate(timeout=20)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(output.count("go on with: firn train --resume"), 1, output)
        self.assertNotIn("firn: ", errors)
        self.check_resumes(3)

    def train_differently(self, *groups):
        words = ["train", self.folder / "run.toml", "--out", self.folder / "run", "--threads", "1"]
        run = self.start(*((1, options, words + extra) for options, extra in groups))
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 3, errors)
        return errors

    def test_a_rank_with_other_data_is_named(self):
        self.write(TREE)
        other = self.folder / "other"
        other.mkdir()
        self.write_data(other, seed=2)
        errors = self.train_differently(([], []), ([], []), (["-wdir", str(other)], []))
        self.assert_one_sentence(errors, "rank 2 has other training examples than rank 0")

    def test_a_rank_with_another_configuration_is_named(self):
        self.write(DENSE)
        errors = self.train_differently(([], []), ([], ["--set", "train.learning_rate=0.5"]))
        self.assert_one_sentence(errors, "rank 1 has another configuration than rank 0")

    def test_a_rank_with_another_simd_target_is_named(self):
        self.write(DENSE)
        refusal = self.firn("train", "run.toml", "--simd", "abacus", code=3).stderr
        targets = refusal.strip().rpartition("choose ")[2].split(", ")
        if len(targets) == 1:
            self.skipTest("there is only one target here")
        errors = self.train_differently(([], []), ([], ["--simd", targets[-1]]))
        self.assert_one_sentence(errors, f"rank 1 computes with {targets[-1]} but rank 0 with {targets[0]}", "--simd")
        self.firn("train", "run.toml", "--out", "alone", "--threads", "1", "--simd", targets[-1])
        self.train(2, "same", "--simd", targets[-1])
        self.assert_same_run("same")

    def test_what_is_wrong_for_all_ranks_is_said_once(self):
        self.write(DENSE)
        done = self.train(4, "run", "--set", "model.width=63", code=3)
        self.assert_one_sentence(done.stderr, "rank 0: ")


if __name__ == "__main__":
    main()
