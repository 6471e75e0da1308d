"""A short storm: faults of every kind, each trial judged by scripts/storm, which runs for as long as you like."""

import pathlib
import subprocess
import sys

from journey import FIRN, Journey, main

STORM = pathlib.Path(__file__).resolve().parents[2] / "scripts/storm"


class Storm(Journey):
    def test_nothing_is_lost(self):
        done = subprocess.run([sys.executable, STORM, "--firn", FIRN, "--trials", "21", "--seed", "1"], cwd=self.folder,
                              capture_output=True, text=True, timeout=280, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("21 trials with seed 1", done.stdout)


main()
