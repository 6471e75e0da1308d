"""Runs the built `firn` as a user would and says clearly what went differently from what was expected."""

import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

FIRN = str(pathlib.Path(sys.argv[1]).resolve())


class Journey(unittest.TestCase):
    """Every test starts in an empty folder of its own, without Firn's environment variables."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="firn-journey-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def firn_any(self, *arguments, **environment):
        """Runs `firn` whatever the exit code."""
        env = {k: v for k, v in os.environ.items() if k not in ("FIRN_DATA", "NO_COLOR")}
        return subprocess.run([FIRN, *map(str, arguments)], cwd=self.folder, env=env | environment,
                              capture_output=True, text=True, timeout=120, check=False)

    def firn(self, *arguments, code=0, **environment):
        done = self.firn_any(*arguments, **environment)
        self.assertEqual(done.returncode, code, f"firn {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done

    def limited(self, kind, limit, *arguments):
        """Runs `firn` under a limit of the process, such as RLIMIT_AS, whatever the exit code."""
        return subprocess.run([FIRN, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)))

    def assert_sentence(self, done, *parts):
        """One line on standard error that starts with `firn: ` and holds every part; nothing on standard output."""
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("firn: "), lines[0])
        for part in parts:
            self.assertIn(str(part), lines[0])
        self.assertEqual(done.stdout, "")


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


class SmallRun(Journey):
    """With a configuration, run.toml, that takes a moment to train."""

    def setUp(self):
        super().setUp()
        (self.folder / "run.toml").write_text(CONFIG, encoding="utf-8")

    def train(self, folder="run", *arguments, code=0):
        return self.firn("train", "run.toml", "--out", folder, *arguments, code=code)

    def bytes(self, name):
        return (self.folder / name).read_bytes()


def npy(type_name, shape, values):
    """The bytes of a .npy file; the type is as NumPy writes it, the shape a tuple."""
    header = f"{{'descr': '{type_name}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(values)


def png(width, height, channels, pixels):
    """The bytes of a PNG image; pixels are interleaved."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    line = width * channels
    raw = b"".join(b"\0" + bytes(pixels[y * line:(y + 1) * line]) for y in range(height))
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
