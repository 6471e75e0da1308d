"""Pages that run circuits, looked at in a browser: their answers are those of `firn predict`, and their data stay data."""

import os
import re
import struct
import sys
import zlib

from journey import Journey, main
from pages import browser, rows_of

IMAGES = """
name = "tree"
[data]
source = "fashion-mnist"
validation = 200
[model]
family = "treelogicnet"
width = 1
[train]
steps = 60
batch = 64
eval_every = 60
checkpoint_every = 60
"""


def png(width, height, grey):
    """A grey picture; grey(x, y) is a byte."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + bytes(grey(x, y) for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


class Play(Journey):
    def train(self, config, name="a"):
        (self.folder / f"{name}.toml").write_text(config, encoding="utf-8")
        self.firn("train", f"{name}.toml", "--out", name)
        self.firn("compile", f"{name}/last.safetensors", "-o", f"{name}.firn")

    def play(self, page, width=1200, scheme="light", picture=""):
        """What the page shows, after the checks that hold for every page."""
        address = (self.folder / page).as_uri()
        facts = browser("play", address, width, scheme, picture)
        self.assertEqual(facts["errors"], [])
        self.assertEqual(facts["requests"], [address], "the page asked for something")
        self.assertLessEqual(facts["widths"][0], facts["widths"][1], "the page is wider than the screen")
        return facts

    def check_answers(self, facts, predictions, key="prediction"):
        """Every example, both as the page predicts all at once and as it answers when the example is chosen."""
        expected = {row["row"]: row for row in rows_of((self.folder / predictions).read_text(encoding="utf-8"))}
        saved = rows_of(facts["csv"])
        self.assertEqual(len(saved), len(facts["flips"]))
        for row, flip in zip(saved, facts["flips"]):
            reference = expected[row["row"]]
            if key == "value":
                self.assertAlmostEqual(float(row[key]), float(reference[key]), places=4)
            else:
                self.assertEqual(row, reference)
                self.assertEqual(flip["answer"], reference["prediction"])
            counts = [value for name, value in reference.items() if name.startswith("count")]
            self.assertEqual([bar.replace(",", "") for bar in flip["counts"]], counts)

    def test_pictures(self):
        self.train(IMAGES)
        written = self.firn("play", "a.firn", "-o", "a.html", "--examples", 70).stdout
        self.assertRegex(written, r"^a\.html: 70 examples; \d\.\d MB")
        self.firn("predict", "a.firn", "--counts", "-o", "predictions.csv")
        facts = self.play("a.html", width=1200)
        self.assertEqual(len(facts["flips"]), 70)
        self.check_answers(facts, "predictions.csv")
        self.assertGreater(len({flip["answer"] for flip in facts["flips"]}), 2, "a circuit that always says the same proves little")
        self.assertNotEqual(*facts["backgrounds"])
        # A stroke leaves ink, bits and another vote; "clear" takes all of it away.
        self.assertGreater(facts["drawn"]["ink"], facts["cleared"]["ink"])
        self.assertNotEqual(facts["drawn"]["counts"], facts["cleared"]["counts"])
        self.assertEqual(facts["drawn"]["about"], "your own")
        # Layers agree with the circuit: the votes are the dots of the last layer.
        self.assertEqual(facts["ballots"], [flip.replace(",", "") for flip in facts["cleared"]["counts"]])
        self.check_neurons(facts["neurons"])

    def check_neurons(self, neurons):
        self.assertGreaterEqual(len(neurons), 4)
        for neuron in neurons:
            self.assertEqual(len(neuron["rows"]), 4)
            self.assertEqual(sum(share for *_, share in neuron["rows"]) in range(98, 103), True, neuron)
            outputs = [out for _, _, out, _ in neuron["rows"]]
            name = neuron["gate"].split(": ")[1]
            tables = {"AND": [0, 0, 0, 1], "OR": [0, 1, 1, 1], "XOR": [0, 1, 1, 0], "NAND": [1, 1, 1, 0], "NOR": [1, 0, 0, 0],
                      "A": [0, 0, 1, 1], "B": [0, 1, 0, 1], "NOT A": [1, 1, 0, 0], "NOT B": [1, 0, 1, 0], "XNOR": [1, 0, 0, 1]}
            if name in tables:
                self.assertEqual(outputs, tables[name], name)
            self.assertGreater(neuron["reads"], 1)
            self.assertRegex(neuron["feeds"], r"It feeds")

    def test_a_phone_in_the_dark_and_a_picture_from_a_file(self):
        self.train(IMAGES)
        self.firn("play", "a.firn", "-o", "a.html", "--examples", 5)
        (self.folder / "half.png").write_bytes(png(56, 56, lambda x, y: 255 if x < 28 else 0))
        facts = self.play("a.html", width=360, scheme="dark", picture=str(self.folder / "half.png"))
        red = int(re.match(r"rgb\((\d+)", facts["backgrounds"][0]).group(1))
        self.assertLess(red, 60)
        self.assertAlmostEqual(facts["opened"]["ink"], 0.5, delta=0.02)
        (self.folder / "half.png").write_bytes(b"this is not a picture")
        self.assertIn("not a picture", self.play("a.html", picture=str(self.folder / "half.png"))["note"])

    def table(self, label="species"):
        rows = [f"length,colour,{label}"]
        for i in range(120):
            length, colour = i % 12 / 4, ["red", "green", "<b>blue</b>"][i % 3]
            kind = "</script><script>window.hacked=1</script>" if length > 1.4 and colour != "green" else "setosa"
            rows.append(f"{length},{colour},{kind if label == 'species' else round(3 * length + i % 3, 2)}")
        (self.folder / "flowers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (self.folder / "new.csv").write_text("\n".join(rows[:41]) + "\n", encoding="utf-8")

    def test_tables_have_controls_and_hostile_names_are_text(self):
        self.table()
        self.firn("config", "init", "flowers.csv", "--label", "species", "-o", "own.toml")
        self.firn("train", "own.toml", "--out", "own", "--set", "train.steps=300")
        self.firn("compile", "own/last.safetensors", "-o", "own.firn")
        self.firn("play", "own.firn", "new.csv", "-o", "own.html", "--title", "<img src=x onerror=alert(1)>")
        self.firn("predict", "own.firn", "new.csv", "--counts", "-o", "predictions.csv")
        facts = self.play("own.html")
        self.check_answers(facts, "predictions.csv")
        self.assertFalse(facts["hacked"])
        self.assertEqual(facts["scripts"], 2)
        self.assertIn("<img src=x onerror=alert(1)>", facts["text"])
        self.assertIn("</script><script>window", facts["text"])
        self.assertEqual(facts["controls"], ["range", "select-one"])
        self.assertNotIn("null", facts["text"])

    def test_values(self):
        self.table(label="weight")
        self.firn("config", "init", "flowers.csv", "--label", "weight", "-o", "own.toml")
        self.firn("train", "own.toml", "--out", "own", "--set", "train.steps=200", "--set", "data.task=regression",
                  "--set", "train.loss=squared")
        self.firn("compile", "own/last.safetensors", "-o", "own.firn")
        self.firn("play", "own.firn", "new.csv", "-o", "own.html")
        self.firn("predict", "own.firn", "new.csv", "--counts", "-o", "predictions.csv")
        self.check_answers(self.play("own.html"), "predictions.csv", key="value")

    def test_a_checkpoint_runs_layer_by_layer_and_a_page_may_have_no_examples(self):
        self.train(IMAGES)
        self.firn("play", "a/last.safetensors", "-o", "a.html", "--examples", 10)
        self.firn("predict", "a.firn", "--counts", "-o", "predictions.csv")
        self.check_answers(self.play("a.html"), "predictions.csv")
        self.firn("play", "a.firn", "-o", "b.html", "--examples", 0)
        facts = self.play("b.html")
        self.assertEqual(facts["flips"], [])

    def test_what_cannot_be_shown_is_refused_and_nothing_is_written(self):
        (self.folder / "no.firn").write_text("nonsense")
        self.assert_sentence(self.firn("play", "no.firn", code=3), "no.firn")
        self.assert_sentence(self.firn("play", "none.firn", code=3), "none.firn")
        self.train(IMAGES)
        self.assert_sentence(self.firn("play", "a.firn", "-o", "a.firn", code=2), "a.firn")
        self.assert_sentence(self.firn("play", "a.firn", "--examples", "-1", code=2), "--examples")
        self.assert_sentence(self.firn("play", "a.firn", "x.csv", "--split", "val", code=2), "--split")
        self.assert_sentence(self.firn("play", "a.firn", "-o", "none/a.html", code=3), "none/a.html")
        self.assertFalse((self.folder / "play.html").exists())


if not (os.path.exists("/usr/bin/chromium") and os.path.isdir(os.path.join(os.environ.get("NODE_PATH", ""), "playwright-core"))):
    print("no browser to look at pages with; scripts/setup --tests installs it")
    sys.exit(77)
main()
