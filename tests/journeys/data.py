"""Data sets: listed, checked, shown, and refused when damaged."""

import gzip
import os
import pathlib
import re
import struct
import unittest

from journey import Journey, main

FASHION_MNIST = pathlib.Path("/usr/share/datasets/fashion-mnist")


def idx(values, *sizes):
    return struct.pack(">I", 0x0800 + len(sizes)) + struct.pack(f">{len(sizes)}I", *sizes) + bytes(values)


class Data(Journey):
    def setUp(self):
        super().setUp()
        self.raw = self.folder / "data" / "MNIST" / "raw"

    def write_mnist(self, train=40, test=10):
        """Small images in MNIST's layout: example i is filled with byte i * 6."""
        self.raw.mkdir(parents=True)
        for part, count in (("train", train), ("t10k", test)):
            pixels = b"".join(bytes([i * 6]) * 784 for i in range(count))
            (self.raw / f"{part}-images-idx3-ubyte").write_bytes(idx(pixels, count, 28, 28))
            (self.raw / f"{part}-labels-idx1-ubyte").write_bytes(idx([i % 10 for i in range(count)], count))

    def test_list_names_sources_and_places(self):
        self.write_mnist()
        text = self.firn("data", "list").stdout
        for source in ("cifar10", "mnist", "fashion-mnist", "csv", "table", "npy", "parity", "majority", "teacher"):
            self.assertRegex(text, rf"(?m)^{source} ")
        self.assertRegex(text, r"(?m)^mnist .*in .*data/MNIST/raw")
        self.assertRegex(text, r"(?m)^cifar10 .*firn data fetch cifar10")

    def test_check_finds_missing_and_wrong_files(self):
        self.assertIn("missing", self.firn("data", "check", "mnist", code=1).stdout)
        self.write_mnist()
        self.assertIn("damaged", self.firn("data", "check", "mnist", code=1).stdout)
        self.assert_sentence(self.firn("data", "check", "mnits", code=2), "did you mean mnist?")

    def test_show_a_small_idx_set(self):
        self.write_mnist()
        text = self.firn("data", "show", "mnist", "--all-training", "--encoding", "uniform", "--thresholds", "1").stdout
        self.assertIn("1 channel of 28 x 28, 10 classes", text)
        self.assertRegex(text, r"(?m)^all +36 +4 +10$")
        # 127.5 lies between examples 21 (126) and 22 (132): 18 of 40 are above it.
        self.assertRegex(text, r"(?m)^ *1 +all +127 +0\.450$")
        self.assertIn("as bits", text)

    def test_the_data_root_is_the_option_then_the_variable_then_data(self):
        self.write_mnist()
        self.firn("data", "show", "mnist")
        (self.folder / "data").rename(self.folder / "elsewhere")
        self.firn("data", "show", "mnist", code=3)
        self.firn("data", "show", "mnist", FIRN_DATA="elsewhere")
        self.firn("data", "show", "mnist", "--data-root", "elsewhere", FIRN_DATA="nowhere")

    def test_damaged_files_get_one_sentence(self):
        damages = {
            "train-images-idx3-ubyte": [lambda b: b[:1000], lambda b: b"\0\0\x0d\x03" + b[4:], lambda b: b""],
            "train-labels-idx1-ubyte": [lambda b: b[:-1] + b"\x63", lambda b: idx([1, 2, 3], 3)],
        }
        self.write_mnist()
        for name, changes in damages.items():
            right = (self.raw / name).read_bytes()
            for change in changes:
                (self.raw / name).write_bytes(change(right))
                self.assert_sentence(self.firn("data", "show", "mnist", code=3), name)
            (self.raw / name).unlink()
            self.assert_sentence(self.firn("data", "show", "mnist", code=3), name, "firn data fetch mnist")
            (self.raw / name).mkdir()
            self.assert_sentence(self.firn("data", "show", "mnist", code=3), name)
            (self.raw / name).rmdir()
            (self.raw / name).write_bytes(right)
        self.firn("data", "show", "mnist")

    def test_a_cut_gzip_file_gets_one_sentence(self):
        self.write_mnist()
        file = self.raw / "train-images-idx3-ubyte"
        packed = gzip.compress(file.read_bytes())
        file.unlink()
        (self.raw / (file.name + ".gz")).write_bytes(packed)
        self.firn("data", "show", "mnist")
        (self.raw / (file.name + ".gz")).write_bytes(packed[: len(packed) // 2])
        self.assert_sentence(self.firn("data", "show", "mnist", code=3), file.name + ".gz")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_an_unreadable_folder_gets_one_sentence(self):
        self.write_mnist()
        self.raw.chmod(0)
        self.addCleanup(self.raw.chmod, 0o700)
        self.assert_sentence(self.firn("data", "show", "mnist", code=3), "MNIST")

    def test_a_truncated_cifar_batch_gets_one_sentence(self):
        folder = self.folder / "data" / "cifar-10-batches-bin"
        folder.mkdir(parents=True)
        (folder / "data_batch_1.bin").write_bytes(bytes(3073 * 5 + 100))
        self.assert_sentence(self.firn("data", "show", "cifar10", code=3), "data_batch_1.bin")

    def test_csv_by_configuration_and_by_options(self):
        rows = [f"{i},{'warm' if i % 2 else 'cold'},{'yes' if i > 9 else 'no'}" for i in range(20)]
        (self.folder / "rows.csv").write_text("size,colour,bought\n" + "\n".join(rows) + "\n", encoding="utf-8")
        (self.folder / "run.toml").write_text("[data]\nsource = 'csv'\nfile = 'rows.csv'\n", encoding="utf-8")
        text = self.firn("data", "show", "run.toml", "--scope", "feature").stdout
        self.assertIn("3 features, 2 classes", text)
        self.assertRegex(text, r"(?m)^yes +\d+ +\d+ +0$")
        self.assertIn("configuration run.toml", self.firn("info", "run.toml", "--set", "model.family=dense",
                                                          "--set", "model.width=64", "--set", "model.layers=2").stdout)
        same = self.firn("data", "show", "csv", "--set", "data.file=rows.csv", "--set", "encode.scope=feature").stdout
        timing = re.compile(r"(?m)^load .*$")
        self.assertEqual(timing.sub("", same), timing.sub("", text))
        (self.folder / "rows.csv").write_text("1,2,a\n3,b\n", encoding="utf-8")
        self.assert_sentence(self.firn("data", "show", "run.toml", code=3), "rows.csv")

    def test_synthetic_tasks_need_no_files(self):
        text = self.firn("data", "show", "parity", "--encoding", "passthrough",
                         "--set", "data.synthetic.inputs=8", "--set", "data.synthetic.examples=500").stdout
        self.assertIn("8 features, 2 classes", text)
        self.assertRegex(text, r"(?m)^all +450 +50 +100$")

    def test_unknown_names_and_values_are_wrong_usage(self):
        self.assert_sentence(self.firn("data", "show", "mnsit", code=2), "did you mean mnist?")
        self.assert_sentence(self.firn("data", "show", "parity", "--encoding", "unifrom", code=2), "did you mean uniform?")
        self.assert_sentence(self.firn("data", "show", "parity", "--thresholds", "0", code=2), "--thresholds 0:")
        self.assert_sentence(self.firn("data", "show", "parity", "--examples", "-1", code=2), "--examples")
        self.assert_sentence(self.firn("data", "show", "none.toml", code=3), "none.toml cannot be read")

    @unittest.skipUnless(FASHION_MNIST.is_dir(), "needs Debian's package dataset-fashion-mnist")
    def test_fashion_mnist_of_the_system(self):
        self.assertNotIn("damaged", self.firn("data", "check", "fashion-mnist").stdout)
        text = self.firn("data", "show", "fashion-mnist", "--examples", "2").stdout
        self.assertRegex(text, r"(?m)^all +54000 +6000 +10000$")
        self.assertIn("fitted on 54000 training examples: 2352 bits each", text)


main()
