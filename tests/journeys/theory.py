"""The theory as commands, and the discretization of checkpoints by each rule."""

import json
import re

from journey import Journey, main

SMALL = """
name = "small"
[data]
source = "teacher"
synthetic.inputs = 10
synthetic.examples = 2000
synthetic.gates = 12
[encode]
encoding = "passthrough"
[model]
family = "dense"
width = 48
layers = 3
[train]
steps = 200
eval_every = 100
"""

RULES = ["argmax", "first-order", "relaxed-intervention", "conditional-expectation-mc", "nearest-table"]


class Theory(Journey):
    def test_concentration_keeps_the_gap_while_gates_become_certain(self):
        text = self.firn("theory", "concentration", "--pi", "0.64").stdout
        rows = [line.split() for line in text.splitlines() if re.match(r"\s*\d+ ", line)]
        self.assertGreater(len(rows), 8)
        self.assertTrue(all(row[-1] == "0.4096000000" for row in rows), text)
        for column in (1, 2, 3):
            values = [float(row[column]) for row in rows]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertLess(values[-1], 0.002)
        self.assertIn("c = 0.218095616868", self.firn("theory", "concentration", "--loss", "bce", "--logit", "1.5").stdout)

    def test_a_thousand_networks_violate_nothing(self):
        text = self.firn("theory", "bounds", "--networks", 1000, "--seed", 1).stdout
        rows = [re.split(r"\s{2,}", line) for line in text.splitlines() if "<" in line or "never rises" in line]
        self.assertEqual(len(rows), 8, text)
        self.assertTrue(all(row[2] == "0" for row in rows), text)
        self.assertTrue(all(int(row[1].replace(",", "")) > 0 for row in rows), text)

    def test_expectations_agree_with_all_networks(self):
        for options in (["--task", "parity"], ["--task", "monks-3", "--network", "tree"],
                        ["--network", "shared", "--inputs", 9, "--trees", 2, "--depth", 1, "--task", "majority"]):
            text = self.firn("theory", "expectations", *options).stdout
            self.assertIn("never rises", text)
            self.assertIn("E_q[R(G)] holds", text)
            self.assertIn("the same", text)
        text = self.firn("theory", "expectations", "--widths", "20,8,2", "--inputs", 5, "--draws", 200).stdout
        self.assertIn("estimated from 200 drawn networks", text)
        self.assertRegex(text, r"drawn from q +\d\.\d+ \+- ")

    def test_gaps_add_up(self):
        for task in ("majority", "parity", "teacher", "monks-1"):
            text = self.firn("theory", "gaps", "--task", task).stdout
            self.assertIn("signs hold; the three gaps add up", text)

    def test_mistakes_get_a_sentence(self):
        self.assert_sentence(self.firn("theory", "gaps", "--widths", "9", code=3), "9 gates", "at most 6")
        self.assert_sentence(self.firn("theory", "concentration", "--pi", "0.5", "--loss", "bce", code=3), "share of positives")
        self.assert_sentence(self.firn("theory", "concentration", "--logit", "1", code=2), "--loss bce")
        self.assert_sentence(self.firn("theory", "expectations", "--inputs", "99", code=3), "2 to 12")
        self.assert_sentence(self.firn("theory", "expectations", "--widths", "3", "--loss", "cross-entropy", code=3),
                             "equal groups")
        self.assert_sentence(self.firn("theory", "expectations", "--widths", "-1", code=2), "-1 is negative; give a whole number, 0 or more")
        for command in ("expectations", "gaps"):
            self.assert_sentence(self.firn("theory", command, "--widths", "1000000000", code=3), "at most 65536 gates")


class Discretize(Journey):
    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(SMALL, encoding="utf-8")
        self.firn("train", "run.toml", "--out", "run")

    def test_every_rule_freezes_everything_and_reports_the_truth(self):
        before = json.loads(self.firn("eval", "run/last.safetensors", "--split", "val", "--json").stdout)
        for rule in RULES:
            with self.subTest(rule=rule):
                done = self.firn("discretize", "run/last.safetensors", "--rule", rule, "--budget", 30, "--out",
                                 "out.safetensors", "--json")
                said = json.loads(done.stdout)["validation"]
                after = json.loads(self.firn("eval", "out.safetensors", "--split", "val", "--json").stdout)
                self.assertEqual(said["before"]["loss"], before["discrete"]["loss"])
                self.assertEqual(said["after"]["loss"], after["discrete"]["loss"])
                self.assertAlmostEqual(after["relaxed"]["loss"], after["discrete"]["loss"], places=5)
                self.assertEqual(self.firn("info", "out.safetensors").stdout.count("100.0 %"), 3)

    def test_threads_do_not_change_the_file(self):
        files = []
        for threads in (1, 2):
            self.firn("discretize", "run/last.safetensors", "--rule", "conditional-expectation-mc", "--budget", 20,
                      "--out", "out.safetensors", "--threads", threads)
            files.append((self.folder / "out.safetensors").read_bytes())
        self.assertEqual(files[0], files[1])

    def test_mistakes_harm_nothing(self):
        before = (self.folder / "run/last.safetensors").read_bytes()
        wrong = self.firn("discretize", "run/last.safetensors", "--out", "run/../run/last.safetensors", code=2)
        self.assert_sentence(wrong, "which is being read")
        wrong = self.firn("discretize", "run/last.safetensors", "--out", "x.safetensors", "--layers", "fc9", code=3)
        self.assertIn("fc9", wrong.stderr)
        self.assertEqual((self.folder / "run/last.safetensors").read_bytes(), before)
        self.assertFalse((self.folder / "x.safetensors").exists())
        self.assert_sentence(self.firn("discretize", "no.safetensors", "--out", "x.safetensors", code=3), "no.safetensors")


main()
