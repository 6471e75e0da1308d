"""Memory that is counted before it is taken, and refused in a sentence where there is too little."""

import os
import re
import resource
import subprocess

from journey import FIRN, SmallRun, main

class Memory(SmallRun):
    def test_memory_is_counted_before_it_is_taken(self):
        huge = ["--set", "model.width=60000000", "--set", "model.layers=400"]
        self.assert_sentence(self.train("huge", *huge, code=3), "training this network would need about",
                             "choose a smaller model.width or model.layers")
        done = self.limited(resource.RLIMIT_AS, 3_000_000_000, "train", "run.toml", "--out", "b", "--set", "model.width=10000000")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("of memory, but", done.stderr)
        done = self.limited(resource.RLIMIT_AS, 2_000_000_000, "train", "run.toml", "--out", "c", "--set",
                            "data.synthetic.inputs=2000", "--set", "data.synthetic.examples=2000000")
        self.assertIn("choose a smaller data.synthetic.examples or data.synthetic.inputs", done.stderr)

    def test_memory_is_counted_before_it_is_measured(self):
        self.assert_sentence(self.firn("bench", "train", "--model", "treelogicnet-xs", "--widths", "60000000", code=3),
                             "choose a smaller model.width")
        self.train("run")
        self.firn("compile", "run/last.safetensors", "-o", "m.firn")
        done = self.limited(resource.RLIMIT_AS, 500_000_000, "bench", "infer", "m.firn", "--images", "10000000")
        self.assertIn("choose a smaller number of examples for a call", done.stderr)
        self.train("wide", "--set", "model.width=20000", "--set", "data.synthetic.examples=60000", "--set", "train.steps=1",
                   "--set", "train.eval_every=1")
        done = self.limited(resource.RLIMIT_AS, 200_000_000, "refine", "wide/last.safetensors", "--out", "x.safetensors",
                            "--threads", "1")
        self.assertIn("refining this network would need about", done.stderr)
        done = self.limited(resource.RLIMIT_AS, 500_000_000, "discretize", "wide/last.safetensors", "--out", "x.safetensors",
                            "--threads", "1", "--rule", "first-order", "--samples", "54000")
        self.assertIn("choose a smaller number of samples", done.stderr)

    def test_the_memory_that_is_counted_is_the_memory_that_is_taken(self):
        for options in (["--set", "model.layers=2"], ["--set", "model.layers=6", "--set", "train.batch=64"],
                        ["--set", "model.wiring=learned", "--set", "model.layers=1"]):
            more = ["--set", "model.width=60000", "--set", "train.steps=2", "--set", "train.eval_every=2", *options]
            refused = self.limited(resource.RLIMIT_AS, 150_000_000, "train", "run.toml", "--threads", "2", "--out", "x", *more)
            number, unit = re.search(r"about ([\d.]+) ([MG])B of memory", refused.stderr).groups()
            counted = float(number) * {"M": 1e6, "G": 1e9}[unit]
            process = subprocess.Popen([FIRN, "train", "run.toml", "--threads", "2", "--out", "-".join(options), *more],
                                       cwd=self.folder, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            taken = 1024 * usage.ru_maxrss
            self.assertLess(taken, counted, options)
            self.assertLess(counted, 1.3 * taken, options)

    def test_memory_follows_the_file_and_not_what_its_header_promises(self):
        (self.folder / "big.aag").write_text("aag 1604224180 2 0 1 1\n2\n4\n6\n6 2 4\n", encoding="utf-8")
        done = self.limited(resource.RLIMIT_AS, 2_000_000_000, "verify", "big.aag", "big.aag")
        self.assertEqual(done.returncode, 0, done.stderr)


main()
