"""Trust: damaged files are refused, outputs never replace their inputs, and a folder belongs to one process at a time."""

import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import time

from journey import CONFIG, FIRN, SmallRun, main

FLIPS = int(os.environ.get("FIRN_FLIPS", "40"))  # of one bit in each file


class Trust(SmallRun):
    def test_a_flipped_bit_is_refused_by_every_command(self):
        self.train()
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        draw = random.Random(1)
        commands = {"run/last.safetensors": [["info"], ["eval"], ["discretize", "--out", "x"], ["compile", "-o", "x"]],
                    "m.firn": [["info"], ["predict"], ["verify", "m.firn"], ["export", "--format", "c", "-o", "x"]]}
        for name, readers in commands.items():
            whole = self.bytes(name)
            for trial in range(FLIPS):
                bit = draw.randrange(8 * len(whole))
                damaged = bytearray(whole)
                damaged[bit // 8] ^= 1 << bit % 8
                (self.folder / "damaged").write_bytes(damaged)
                command, *options = readers[trial % len(readers)]
                done = self.firn(command, "damaged", *options, code=3)
                self.assert_sentence(done, "damaged is not a sound safetensors file")
        self.assertFalse((self.folder / "x").exists())

    def rewrite_without_checksums(self, name, change=lambda metadata: None):
        """As before there were checksums."""
        whole = self.bytes(name)
        length = int.from_bytes(whole[:8], "little")
        header = json.loads(whole[8:8 + length])
        metadata = header["__metadata__"]
        del metadata["checksum.header"], metadata["checksum.tensors"]
        change(metadata)
        text = json.dumps(header, separators=(",", ":")).encode()
        (self.folder / name).write_bytes(len(text).to_bytes(8, "little") + text + whole[8 + length:])

    def test_names_in_a_model_are_no_commands_to_the_terminal(self):
        self.train()
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        self.rewrite_without_checksums("m.firn", lambda metadata: metadata.update(
            {"classes": json.dumps(json.loads(metadata["classes"]) | {"names": ["\x1b[2J", "odd"]})}))
        self.assertIn("classes: \ufffd[2J, odd", self.firn("info", "m.firn").stdout)

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
        inside = next(self.folder.glob("s/runs/*/config.toml")).parent
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

    def flip(self, name, draw):
        """Flips a bit of a file that Firn must read, and gives back how it was."""
        whole = self.bytes(name)
        bit = draw.randrange(8 * len(whole))
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (self.folder / name).write_bytes(damaged)
        return whole

    FREEZING = ["--set", "freeze.strategy=task", "--set", "freeze.start=2", "--set", "freeze.task.interval=1",
                "--set", "freeze.task.patience=1"]

    def test_flipped_bits_of_results_and_tables_are_refused(self):
        self.train("run", *self.FREEZING)
        self.firn("diagnose", "run/last.safetensors", "--only", "gaps", "--out", "d")
        (self.folder / "sweep.toml").write_text('name = "s"\nbase = "run.toml"\n[grid]\nseed = [1, 2]\n', encoding="utf-8")
        self.firn("sweep", "sweep.toml", "--out", "s")
        self.assertGreater(len(self.bytes("run/freezes.csv").splitlines()), 1)
        longer = ["train", "run.toml", "--resume", "--out", "run", "--set", "train.steps=30", *self.FREEZING]
        report = [self.firn_any("report", "run", "-o", "x.html").returncode]
        readers = {"run/result.json": [["compare", "run", "run"]],
                   "run/metrics.jsonl": [["compare", "run", "run"], longer],
                   "run/freezes.csv": [longer],
                   "run/checksums.json": [["compare", "run", "run"], longer]}
        if report == [0]:  # the page needs npm packages
            readers["run/result.json"].append(["report", "run", "-o", "x.html"])
            readers["run/last.safetensors"] = [["report", "run", "-o", "x.html"]]
            readers["run/freezes.csv"].append(["report", "run", "-o", "x.html"])
            readers["d/summary.json"] = [["report", "d", "-o", "x.html"]]
            readers["s/runs.csv"] = [["report", "s", "-o", "x.html"]]
        draw = random.Random(2)
        for name, commands in readers.items():
            for trial in range(8):
                whole = self.flip(name, draw)
                done = self.firn(*commands[trial % len(commands)], code=3)
                self.assert_sentence(done, name.rsplit("/", 1)[1])
                self.assertEqual(self.firn("check", name.split("/")[0], code=1).stderr, "")
                (self.folder / name).write_bytes(whole)
        for name in ("run", "s", "d"):
            self.firn("check", name)
        self.firn(*longer)
        self.firn("check", "run")

    def test_files_of_earlier_versions_are_read_with_a_note(self):
        self.train()
        result = json.loads(self.bytes("run/result.json"))
        del result["checksum"], result["format"]
        (self.folder / "run/result.json").write_text(json.dumps(result), encoding="utf-8")
        (self.folder / "run/checksums.json").unlink()
        done = self.firn("compare", "run", "run")
        self.assertIn("note: run/result.json has no checksum", done.stderr)
        self.assertIn("note: run/metrics.jsonl has no checksum", done.stderr)
        self.assertEqual(self.firn("compare", "run/result.json", "run").stderr, done.stderr)
        self.assertIn("unchecked", self.firn("check", "run").stdout)
        taught = ["--set", "train.teacher=run/last.safetensors"]
        self.assertNotIn("note:", self.train("a", *taught).stdout)
        self.rewrite_without_checksums("run/last.safetensors")
        self.assertIn("note: run/last.safetensors has no checksum", self.train("b", *taught).stdout)

    def write_table(self, rows=60, label=lambda i: i % 2):
        text = "a,b,class\n" + "".join(f"{i % 7},{(3 * i) % 11},{label(i)}\n" for i in range(rows))
        (self.folder / "data.csv").write_text(text, encoding="utf-8")
        (self.folder / "table.toml").write_text(
            CONFIG.replace('source = "parity"', 'source = "csv"\nfile = "data.csv"\ntest_file = "data.csv"')
            .replace('synthetic.inputs = 6\nsynthetic.examples = 200\n', "")
            .replace('encoding = "passthrough"', 'encoding = "distributive"'), encoding="utf-8")

    def test_changed_data_are_noticed(self):
        self.write_table()
        self.firn("train", "table.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        resume = ["train", "table.toml", "--resume", "--out", "run", "--set", "train.steps=30"]
        readers = [["eval", "run/last.safetensors", "--split", "val"], ["eval", "run/last.safetensors"], ["predict", "m.firn"],
                   ["predict", "m.firn", "--split", "train"], ["diagnose", "run/last.safetensors", "--out", "d"],
                   ["diagnose", "run/last.safetensors", "--split", "test", "--out", "d"],
                   ["refine", "run/last.safetensors", "--out", "r.safetensors"],
                   ["discretize", "run/last.safetensors", "--out", "x.safetensors"],
                   ["export", "m.firn", "--format", "verilog", "-o", "m.v", "--testbench", "9"]]
        if self.firn_any("report", "run", "-o", "page.html").returncode == 0:  # the page needs npm packages
            readers.append(["report", "run", "-o", "page.html"])
        for command in readers:
            self.assertNotIn("note:", self.firn(*command).stderr)
        before = self.bytes("run/last.safetensors")
        self.write_table(label=lambda i: (i + (i == 17)) % 2)  # one label of sixty
        self.assert_sentence(self.firn(*resume, code=3), "the training examples have changed since run/last.safetensors was made")
        self.assertEqual(self.bytes("run/last.safetensors"), before)
        for command in readers:
            self.assertRegex(self.firn(*command).stderr, "note: the (test|training) examples of .* have changed since", command)
        self.write_table()
        self.firn(*resume)

    def test_check_says_what_is_damaged_and_what_can_be_recovered(self):
        self.train("run", "--set", "train.keep_at=[10]")
        self.firn("compile", "run/last.safetensors", "-o", "run/m.firn")
        done = self.firn("check", "run")
        self.assertIn("0 damaged", done.stdout)
        self.assertEqual(done.stderr, "")
        (self.folder / "run/last.safetensors").write_bytes(self.bytes("run/last.safetensors")[:-1])
        done = self.firn("check", "run", code=1)
        self.assertIn("damaged: run/last.safetensors is not a sound safetensors file", done.stdout)
        self.assertIn("run: the run can be resumed from run/", done.stdout)
        shown = json.loads(self.firn("check", "run", "--json", code=1).stdout)
        self.assertFalse(shown["sound"])
        self.assertEqual([f["file"] for f in shown["files"] if f["state"] == "damaged"], ["run/last.safetensors"])
        self.firn("check", "run/m.firn", "run/result.json", "run/metrics.jsonl")
        self.assert_sentence(self.firn("check", "missing", code=3), "missing")
        (self.folder / "empty").mkdir()
        self.assert_sentence(self.firn("check", "empty", code=3), "empty holds nothing that Firn has written")
        self.firn("check", code=2)

    def test_pipes_and_devices_are_not_checked(self):
        os.mkfifo(self.folder / "x.firn")
        for command, name in (("check", "x.firn"), ("check", "/dev/zero"), ("info", "x.firn"), ("info", "/dev/zero")):
            self.assert_sentence(self.firn(command, name, code=3), name, "is a pipe, a socket or a device")
        self.train()
        os.mkfifo(self.folder / "run/x.safetensors")
        self.assertNotIn("run/x.safetensors", self.firn("check", "run").stdout)

    DELAYS = '[{"target": "osu018", "source": "made up", "stages": [{"levels": 1, "ns": 1.5}]}]'

    def test_delays_of_earlier_versions_are_read_with_a_note(self):
        self.train()
        export = ["export", "run/last.safetensors", "--format", "verilog", "--clock", "5ns", "--delays", "d.json", "-o", "x.v"]
        (self.folder / "d.json").write_text('{"format": "firn-delays", "tables": %s}' % self.DELAYS, encoding="utf-8")
        self.assertIn("note: d.json has no checksum", self.firn(*export).stderr)
        self.assertIn("unchecked", self.firn("check", "d.json").stdout)
        sealed = '{\n  "checksum": "0123456789abcdef",\n  "format": "firn delays 1",\n  "tables": %s\n}\n' % self.DELAYS
        (self.folder / "d.json").write_text(sealed, encoding="utf-8")
        self.assert_sentence(self.firn(*export, code=3), "d.json is damaged: its checksum does not match")
        self.assertIn("d.json is damaged", self.firn("check", ".", code=1).stdout)

    def test_a_refused_training_leaves_no_folder(self):
        before = sorted(self.folder.rglob("*"))
        for settings in (["train.teacher=missing.safetensors"], ["model.width=60000000", "model.layers=400"]):
            self.train("new/run", *[word for setting in settings for word in ("--set", setting)], code=3)
            self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_links_do_not_confuse_a_check(self):
        self.train()
        (self.folder / "run/round").symlink_to(self.folder / "run")
        (self.folder / "run/nowhere").symlink_to(self.folder / "gone")
        self.assertNotIn("round", self.firn("check", "run").stdout)

    def test_a_damaged_best_checkpoint_does_not_keep_a_run_from_its_result(self):
        self.train("run", "--set", "seed=4", "--set", "train.learning_rate=0.3")
        result = self.folder / "run/result.json"
        before = json.loads(result.read_text())
        self.assertLess(before["best"]["step"], before["last"]["step"])
        result.unlink()
        (self.folder / "run/best.safetensors").write_bytes(self.bytes("run/best.safetensors")[:-1])
        said = self.firn("train", "--resume", "--out", "run", code=3).stderr
        self.assertIn("firn: run/best.safetensors is not a sound safetensors file", said)
        self.assertIn("the result of the last step is stored in run/result.json", said)
        again = json.loads(result.read_text())
        self.assertEqual(again["last"], before["last"])
        self.assertNotIn("best", again)
        (self.folder / "run/best.safetensors").unlink()
        self.firn("train", "--resume", "--out", "run")

    def test_a_damaged_best_checkpoint_is_made_again_where_its_step_is_at_hand(self):
        self.train("last", "--set", "train.eval_every=20")  # the only step that can be the best
        self.train("kept", "--set", "seed=4", "--set", "train.learning_rate=0.3", "--set", "train.keep_at=[10]")
        for name in ("last", "kept"):
            best, result = self.bytes(f"{name}/best.safetensors"), json.loads(self.bytes(f"{name}/result.json"))
            self.assertEqual(result["best"]["step"], 20 if name == "last" else 10)
            (self.folder / name / "best.safetensors").write_bytes(best[:-1])
            self.firn("train", "--resume", "--out", name)
            self.assertEqual(self.bytes(f"{name}/best.safetensors"), best)
            self.assertEqual(json.loads(self.bytes(f"{name}/result.json")), result)

    def test_a_shared_prefix_of_other_data_is_refused(self):
        rows = [f"{i % 7},{i % 5},{'yes' if i % 7 > 3 else 'no'}" for i in range(200)]
        for name in ("table.csv", "test.csv"):
            (self.folder / name).write_text("\n".join(["a,b,y", *rows]))
        table = CONFIG.replace('source = "parity"', 'source = "csv"\nfile = "table.csv"\ntest_file = "test.csv"').replace("passthrough", "distributive")
        table = "\n".join(line for line in table.splitlines() if "synthetic" not in line)
        (self.folder / "table.toml").write_text(table, encoding="utf-8")
        (self.folder / "sweep.toml").write_text('name = "s"\nbase = "table.toml"\n[set]\nfreeze.start = 10\n[grid]\n'
                                                'freeze.strategy = ["final-argmax", "global"]\n', encoding="utf-8")
        self.firn("sweep", "sweep.toml", "--out", "s", "--shared-prefix")
        shutil.rmtree(self.folder / "s/runs")
        (self.folder / "table.csv").write_text("\n".join(["a,b,y", *reversed(rows[:-3]), *rows[-3:]]))
        done = self.firn("sweep", "sweep.toml", "--out", "s", "--shared-prefix", code=3)
        self.assertIn("training examples have changed", done.stdout + done.stderr)

    def test_what_dead_processes_left_is_removed(self):
        run = self.start_long_run("train", "run.toml", "--out", "run", *self.LONG)
        run.kill()
        run.wait()
        (self.folder / "run/.last.safetensors.0.tmp").write_bytes(b"half a checkpoint")
        self.assertIn("left behind", self.firn("check", "run").stdout)
        self.firn_any("train", "--resume", "--out", "run", "--set", "train.steps=1")
        self.assertEqual(list(self.folder.glob("run/.*.tmp")), [])

    def test_predictions_never_replace_what_is_read(self):
        self.write_table()
        self.firn("train", "table.toml", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        (self.folder / "new.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        for arguments in (["predict", "m.firn", "new.csv", "-o", "new.csv"], ["predict", "m.firn", "new.csv", "-o", "m.firn"],
                          ["predict", "m.firn", "-o", "data.csv"]):
            before = self.bytes(arguments[-1])
            self.assert_sentence(self.firn(*arguments, code=2), "which is being read")
            self.assertEqual(self.bytes(arguments[-1]), before)

    def test_a_limit_on_the_size_of_files_is_a_sentence(self):
        done = self.limited(resource.RLIMIT_FSIZE, 8192, "train", "run.toml", "--out", "run", "--set", "model.width=320")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("raise the limit on the size of files", done.stderr.splitlines()[-1])

    def test_a_full_disk_is_a_sentence(self):
        (self.folder / "disk").mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.folder / "disk"],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", self.folder / "disk"], check=False)
        done = self.train("disk/run", "--set", "model.width=320", code=3)
        self.assertIn("free some space", done.stderr.splitlines()[-1])
        self.assertEqual(list((self.folder / "disk").rglob("*.tmp")), [])

    def test_watching_answers_while_connections_hang(self):
        self.train()
        if self.firn_any("report", "run", "-o", "x.html").returncode != 0:
            self.skipTest("pages need npm packages")
        watch = subprocess.Popen([FIRN, "watch", "run"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.communicate)
        self.addCleanup(watch.kill)
        port = int(watch.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        hanging = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
        for number, connection in enumerate(hanging):
            self.addCleanup(connection.close)
            connection.sendall(b"GET /data.json HT"[:number % 17])
        # A server that waits until each of them has timed out needs minutes.
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(f"GET /data.json HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))

    def test_the_version_names_the_libraries(self):
        shown = self.firn("--version", "--verbose").stdout
        for name in ("firn 0.", "Highway", "oneTBB", "xxHash", "OpenSSL"):
            self.assertIn(name, shown)


main()
