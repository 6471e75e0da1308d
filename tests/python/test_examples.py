"""Every example runs, on small settings."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples" / "python"
SETTINGS = {"digits": ["60"], "images_to_verilog": ["60"], "taskfreeze": ["8"], "grid_search": ["20"],
            "foreign_model": []}
WRITTEN = {"images_to_verilog": ["bars.v", "gates.v"], "taskfreeze": ["taskfreeze.png"], "foreign_model": ["model.c"]}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SETTINGS) | {"foreign", "recipes"}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_example_runs(name, tmp_path):
    path = os.pathsep.join([os.environ["FIRN_PACKAGE"], str(EXAMPLES)])
    done = subprocess.run([sys.executable, "-B", EXAMPLES / f"{name}.py", *SETTINGS[name]], cwd=tmp_path,
                          env=dict(os.environ, PYTHONPATH=path, MPLCONFIGDIR=str(tmp_path)), capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for file in WRITTEN.get(name, []):
        assert (tmp_path / file).stat().st_size > 0
    if name == "images_to_verilog":
        assert "proved equal" in done.stdout
    if name == "foreign_model":
        assert "those of the model" in done.stdout
