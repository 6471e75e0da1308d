"""What journeys through pages share: the browser that looks at them, and the tables that they save."""

import csv
import io
import json
import pathlib
import subprocess

BROWSER = pathlib.Path(__file__).resolve().parent / "browser.cjs"


def browser(*arguments):
    done = subprocess.run(["node", str(BROWSER), *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))
