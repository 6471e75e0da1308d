"""Somebody's own data: a first configuration for a table, for arrays and for a folder of images, trained and compiled."""

import random
import struct
import zipfile

from journey import Journey, main, npy, png


def halves(side, channels, upper, rng):
    """An image whose upper or lower half is bright, as interleaved bytes."""
    return [rng.randrange(90) + (150 if (y < side // 2) == upper else 0)
            for y in range(side) for x in range(side) for _ in range(channels)]


class OwnData(Journey):
    def train_and_predict(self, data, test, *options, steps):
        """From data to a circuit, by the suggested configuration with fewer steps; its accuracy on the test file."""
        self.firn("config", "init", data, "-o", "own.toml", *options)
        self.firn("train", "own.toml", "--set", f"train.steps={steps}", "--out", "run", "--threads", 1)
        self.firn("compile", "run/last.safetensors", "-o", "own.firn")
        shown = self.firn("predict", "own.firn", test, "-o", "out.csv").stdout
        return float(shown.split("right: ")[1].split("%")[0])

    def write_table(self):
        rng = random.Random(1)
        for name, rows in (("train.csv", 300), ("test.csv", 100)):
            lines = ["weight,kind,height"]
            for _ in range(rows):
                weight, height = rng.uniform(0, 1), rng.uniform(0, 1000)
                lines.append(f"{weight:.4f},{'heavy' if weight > 0.5 else 'tall' if height > 400 else 'small'},{height:.1f}")
            (self.folder / name).write_text("\n".join(lines) + "\n")

    def arrays(self, count, side, channels, seed):
        rng = random.Random(seed)
        labels = [i % 2 for i in range(count)]
        pixels = [v for label in labels for v in halves(side, channels, label == 1, rng)]
        return (npy("|u1", (count, side, side, channels), pixels),
                npy("<i8", (count,), struct.pack(f"<{count}q", *labels)))

    def test_a_csv_file(self):
        self.write_table()
        self.assertGreater(self.train_and_predict("train.csv", "test.csv", "--label", "kind", steps=500), 90)

    def test_arrays_in_npy_files(self):
        for part, count in (("train", 200), ("test", 60)):
            x, y = self.arrays(count, 9, 2, count)
            (self.folder / f"x_{part}.npy").write_bytes(x)
            (self.folder / f"y_{part}.npy").write_bytes(y)
        self.assertGreater(self.train_and_predict("x_train.npy", "x_test.npy", "--test", "x_test.npy", steps=300), 80)

    def test_arrays_in_an_archive(self):
        with zipfile.ZipFile(self.folder / "own.npz", "w") as archive:
            for part, count in (("train", 200), ("test", 60)):
                x, y = self.arrays(count, 15, 1, count)
                archive.writestr(f"x_{part}.npy", x)
                archive.writestr(f"y_{part}.npy", y)
        self.assertGreater(self.train_and_predict("own.npz", "own.npz", steps=100), 80)

    def test_a_folder_of_images(self):
        rng = random.Random(3)
        for part, count in (("train", 160), ("test", 40)):
            for i in range(count):
                folder = self.folder / "photos" / part / ("upper" if i % 2 else "lower")
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{i}.png").write_bytes(png(14, 14, 3, halves(14, 3, i % 2 == 1, rng)))
        self.assertGreater(self.train_and_predict("photos", "photos/test", steps=100), 80)
        self.assertIn("lower/0.png,lower,lower\n", (self.folder / "out.csv").read_text())
        self.assertIn("classes: lower, upper", self.firn("info", "run/last.safetensors").stdout)

    def test_source_and_file_are_enough(self):
        self.write_table()
        (self.folder / "short.toml").write_text(
            "[data]\nsource = 'csv'\nfile = 'train.csv'\nlabel_column = 'kind'\n[train]\nsteps = 20\n")
        self.firn("train", "short.toml", "--out", "run", "--threads", 1)
        resolved = (self.folder / "run" / "config.toml").read_text()
        self.assertIn('family = "dense"\n', resolved)
        self.assertIn('split = "stratified"\n', resolved)
        self.firn("train", "short.toml", "--set", "train.steps=30", "--resume", "--out", "run", "--threads", 1)
        self.assertIn("dense on csv", self.firn("info", "short.toml").stdout)
        self.assertIn("# width =\n", self.firn("config", "show", "short.toml").stdout)

    def test_an_existing_file_is_not_overwritten(self):
        self.write_table()
        (self.folder / "own.toml").write_text("mine")
        self.assert_sentence(self.firn("config", "init", "train.csv", "-o", "own.toml", code=3), "own.toml exists already")
        self.assertEqual((self.folder / "own.toml").read_text(), "mine")

    def test_channels_are_never_guessed(self):
        count = 20
        (self.folder / "x.npy").write_bytes(npy("|u1", (count, 3, 8, 3), bytes(range(72)) * count))
        (self.folder / "y.npy").write_bytes(npy("|u1", (count,), [i % 2 for i in range(count)]))
        self.assert_sentence(self.firn("config", "init", "x.npy", code=3), "x.npy", "data.layout")
        self.assertIn('layout = "nhwc"', self.firn("config", "init", "x.npy", "--layout", "nhwc").stdout)

    def test_notes_about_what_is_hardly_meant(self):
        self.write_table()
        (self.folder / "plain.toml").write_text(
            "[data]\nsource = 'csv'\nfile = 'train.csv'\nlabel_column = 'kind'\n[model]\nfamily = 'dense'\nwidth = 30\n"
            "layers = 2\ntree_depth = 2\n[train]\nsteps = 5\n[resample]\nenabled = true\n")
        shown = self.firn("train", "plain.toml", "--out", "run", "--threads", 1).stdout
        self.assertIn("note: model.tree_depth has no effect with model.family = \"dense\"\n", shown)
        self.assertIn("note: resample.enabled = true has no effect", shown)
        self.assertIn("note: all 2 columns share their thresholds", shown)


main()
