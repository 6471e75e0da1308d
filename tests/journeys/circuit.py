"""Circuits: a trained model is compiled, shipped as one file, and predicts exactly what the checkpoint predicted."""

import csv
import json

from journey import Journey, main

CONFIG = """
name = "small"
[data]
source = "fashion-mnist"
validation = 500
[model]
family = "{family}"
width = {width}
tau = 20
{more}
[train]
steps = 60
shard = 16
eval_every = 60
"""


class Circuit(Journey):
    def train(self, family="treelogicnet", width=2, more=""):
        text = CONFIG.format(family=family, width=width, more=more)
        (self.folder / "run.toml").write_text(text, encoding="utf-8")
        self.firn("train", "run.toml", "--out", family)
        return f"{family}/last.safetensors"

    def json(self, *arguments):
        return json.loads(self.firn(*arguments, "--json").stdout)

    def check_predictions(self, checkpoint):
        discrete = self.json("eval", checkpoint, "--mode", "discrete")["discrete"]
        for options in [], ["--direct"]:
            self.firn("compile", checkpoint, "-o", "m.firn", *options)
            for threads in 1, 2:
                shown = self.json("predict", "m.firn", "--threads", threads)
                self.assertEqual(shown["images"], 10000)
                self.assertEqual(shown["confusion"], discrete["confusion"])
                self.assertEqual(shown["accuracy"], discrete["accuracy"])

    def test_tree_model_predicts_what_its_checkpoint_predicts(self):
        self.check_predictions(self.train())

    def test_compact_model_predicts_what_its_checkpoint_predicts(self):
        self.check_predictions(self.train("compact"))

    def test_dense_model_predicts_what_its_checkpoint_predicts(self):
        self.check_predictions(self.train("dense", 1200, "layers = 3"))

    def test_counts_decide_the_predictions(self):
        self.firn("compile", self.train(), "-o", "m.firn")
        done = self.firn("predict", "m.firn", "--split", "val", "--counts", "--numbers", "-o", "p.csv")
        self.assertIn("of 500 images right", done.stdout)
        with open(self.folder / "p.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 500)
        for row in rows:
            counts = [int(row[f"count_{c}"]) for c in range(10)]
            self.assertEqual(counts.index(max(counts)), int(row["prediction"]))
        self.assertGreater(len({row["prediction"] for row in rows}), 3)

    def test_the_summary_adds_up(self):
        out = self.firn("compile", self.train(), "-o", "m.firn").stdout
        rows = [line.split() for line in out.splitlines()]
        left = {row[0]: int(row[2].replace(",", "")) for row in rows if len(row) == 6 and row[5].isdigit()}
        self.assertEqual(left.pop("all"), sum(left.values()))
        figures = self.json("bench", "infer", "m.firn", "--seconds", "0.1")
        self.assertEqual(figures["gates"], sum(left.values()))
        self.assertGreater(figures["images_per_second"], 0)

    def test_info_counts_every_gate_of_a_model_and_names_its_classes(self):
        self.firn("compile", self.train("dense", 1200, "layers = 3"), "-o", "m.firn")
        out = self.firn("info", "m.firn").stdout
        mix = [line.rsplit(maxsplit=3)[1:] for line in out.split("gate ")[1].splitlines()[2:18]]
        for layer in range(3):
            self.assertEqual(sum(int(row[layer].replace(",", "")) for row in mix), 1200)
        self.assertIn("bag, ankle boot\n", out)

    def test_equal_checkpoints_give_equal_files(self):
        checkpoint = self.train()
        for name in "a.firn", "b.firn":
            self.firn("compile", checkpoint, "-o", name)
        self.assertEqual((self.folder / "a.firn").read_bytes(), (self.folder / "b.firn").read_bytes())

    def test_damaged_and_foreign_files_get_a_sentence(self):
        checkpoint = self.train()
        self.firn("compile", checkpoint, "-o", "m.firn")
        whole = (self.folder / "m.firn").read_bytes()
        (self.folder / "cut.firn").write_bytes(whole[:-100])
        (self.folder / "empty.firn").write_bytes(b"")
        self.assert_sentence(self.firn("predict", "cut.firn", code=3), "cut.firn")
        self.assert_sentence(self.firn("predict", "empty.firn", code=3), "empty.firn")
        self.assert_sentence(self.firn("predict", "none.firn", code=3), "none.firn")
        self.assertIn("images right", self.firn("predict", checkpoint).stdout)
        self.assert_sentence(self.firn("compile", "m.firn", "-o", "x.firn", code=3), "not a Firn checkpoint")
        self.assert_sentence(self.firn("compile", checkpoint, "-o", "no/folder/x.firn", code=3), "no/folder/x.firn")
        self.assert_sentence(self.firn("predict", "m.firn", "--data", "parity", code=3), "parity")
        self.assert_sentence(self.firn("predict", "m.firn", "--counts", code=2), "-o FILE")
        self.assert_sentence(self.firn("bench", "infer", code=2), "--random")
        self.assert_sentence(self.firn("bench", "infer", "--random", "6x8001", code=2), "6x8001")
        self.assertFalse((self.folder / "x.firn").exists())

    def test_a_damaged_byte_is_refused(self):
        self.firn("compile", self.train(), "-o", "m.firn")
        whole = (self.folder / "m.firn").read_bytes()
        for at in range(0, 4000, 211):  # the header and the first arrays
            (self.folder / "hurt.firn").write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            self.assert_sentence(self.firn("predict", "hurt.firn", code=3), "hurt.firn")


main()
