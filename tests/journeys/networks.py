"""Networks as lists of layers: any image, any list, from training to a proved circuit."""

import random

from journey import Journey, main, npy

GREY = """
name = "grey"
[data]
source = "npy"
file = "x_train.npy"
test_file = "x_test.npy"
[encode]
encoding = "uniform"
thresholds = 3
[[model.layer]]
kind = "slot-conv"
filters = 12
stride = 2
[[model.layer]]
kind = "or-pool"
[[model.layer]]
kind = "slot-dense"
outputs = 300
[train]
steps = 150
eval_every = 75
batch = 32
learning_rate = 0.05
"""

COLOUR = """
name = "colour"
[data]
source = "npy"
file = "x_train.npy"
test_file = "x_test.npy"
[encode]
encoding = "uniform"
thresholds = 1
[[model.layer]]
kind = "tree-conv"
filters = 8
depth = 2
window = 5
padding = 2
stride = 2
pool = 2
channels = "one"
[[model.layer]]
kind = "tree-conv"
filters = 16
pool = 2
[[model.layer]]
kind = "dense"
outputs = 480
[[model.layer]]
kind = "dense"
outputs = 240
[train]
steps = 120
eval_every = 60
batch = 32
learning_rate = 0.05
[freeze]
strategy = "global"
start = 80
"""


class Networks(Journey):
    def write_bars(self, part, count, channels, height, width, seed):
        """Images with a bright bar that lies (class 0) or stands (class 1)."""
        rng = random.Random(seed)
        images, labels = bytearray(), bytearray()
        for _ in range(count):
            label, where = rng.randrange(2), rng.randrange(2, min(height, width) - 2)
            labels.append(label)
            for _ in range(channels):
                for y in range(height):
                    for x in range(width):
                        images.append(rng.randrange(60) + (190 if abs((x if label else y) - where) < 2 else 0))
        (self.folder / f"x_{part}.npy").write_bytes(npy("|u1", (count, channels, height, width), images))
        (self.folder / f"y_{part}.npy").write_bytes(npy("|u1", (count,), labels))

    def train_and_ship(self, config, channels, height, width):
        self.write_bars("train", 400, channels, height, width, 1)
        self.write_bars("test", 100, channels, height, width, 2)
        (self.folder / "run.toml").write_text(config, encoding="utf-8")
        self.firn("train", "run.toml", "--data-root", ".", "--out", "run")
        self.firn("compile", "run/last.safetensors", "-o", "a.firn")
        done = self.firn("predict", "a.firn", "--data-root", ".").stdout
        right = int(done.split(" of ")[0])
        self.assertGreater(right, 80, done)
        self.firn("export", "a.firn", "--format", "blif")
        self.assertIn("the same function", self.firn("verify", "run/last.safetensors", "a.blif").stdout)

    def test_grey_images_of_20_by_24(self):
        self.train_and_ship(GREY, 1, 20, 24)

    def test_colour_images_of_64_by_48(self):
        self.train_and_ship(COLOUR, 3, 64, 48)

    def test_a_family_is_written_out_to_be_edited(self):
        (self.folder / "tree.toml").write_text(
            "[data]\nsource = 'mnist'\n[model]\nfamily = 'treelogicnet'\nwidth = 4\n", encoding="utf-8")
        listed = self.firn("config", "show", "--layers", "tree.toml").stdout
        self.assertEqual(listed.count("\n[[model.layer]]\n"), 6)
        self.assertIn('family = "list"', listed)
        (self.folder / "listed.toml").write_text(listed, encoding="utf-8")
        self.assertEqual(self.firn("config", "show", "listed.toml").stdout, listed)
        self.assertEqual(self.firn("info", "listed.toml").stdout.splitlines()[1:],
                         self.firn("info", "tree.toml").stdout.splitlines()[1:])
        (self.folder / "listed.toml").write_text(listed.replace("window = 5", "window = 15"), encoding="utf-8")
        self.assert_sentence(self.firn("info", "listed.toml", code=3), "layer 2 (conv2)")

    def test_a_wrong_key_is_found_where_it_is(self):
        (self.folder / "run.toml").write_text("[[model.layer]]\nkind = 'dense'\noutput = 40\n", encoding="utf-8")
        done = self.firn("config", "show", "run.toml", code=3)
        self.assert_sentence(done, "run.toml:1:1: layer 1: dense has no key", "did you mean outputs?")


if __name__ == "__main__":
    main()
