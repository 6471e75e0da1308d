"""The package as such: its names, stubs, documentation, displays, and how fast it is imported."""

import ast
import inspect
import os
import pathlib
import pickle
import re
import subprocess
import sys
import xml.dom.minidom

import pytest

import firn
from conftest import CONFIG, ROOT

PACKAGE = pathlib.Path(firn.__file__).parent


def public(scope):
    return {name for name in vars(scope) if not name.startswith("_")}


def stub_names(body):
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return {name for name in names if not name.startswith("_")}


def test_stubs_name_everything_that_is_public():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    assert (PACKAGE / "py.typed").exists()
    assert set(firn.__all__) <= stub_names(stub.body)
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and not issubclass(getattr(firn, node.name, Exception), Exception):
            written = stub_names(node.body)
            bound = public(getattr(firn, node.name)) | ({"metrics", "freezes", "path"} if node.name == "Run" else set())
            assert bound == written, node.name


def test_everything_public_is_documented():
    for name in firn.__all__:
        assert inspect.getdoc(getattr(firn, name)), name
        if inspect.isclass(getattr(firn, name)) and name in ("Circuit", "Network", "Dataset", "Run", "Config"):
            for member in public(getattr(firn, name)):
                found = inspect.getattr_static(getattr(firn, name), member)
                if callable(found) and not isinstance(found, property):
                    assert inspect.getdoc(found), f"{name}.{member}"


def test_import_is_quick_and_brings_neither_sklearn_nor_matplotlib():
    # Seconds of the processor, because other tests run at the same time.
    script = ("import time; start = time.process_time(); import firn; took = time.process_time() - start; import sys; "
              "print(took, any(m in sys.modules for m in ('sklearn', 'matplotlib', 'tqdm')))")
    environment = dict(os.environ, PYTHONPATH=os.environ["FIRN_PACKAGE"])
    took = []
    for _ in range(5):
        seconds, heavy = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True,
                                        check=True).stdout.split()
        took.append(float(seconds))
        assert heavy == "False"
    assert min(took) < 0.3 or "asan" in os.environ.get("LD_PRELOAD", "")


def test_displays_are_sound(network, circuit, run, images):
    for shown, words in ((network, ["conv1", "fc1", "neurons"]), (circuit, ["gates", "conv1"]),
                         (run, ["polyline", "discrete"])):
        text = shown._repr_html_()
        xml.dom.minidom.parseString(f"<div>{text.replace('<br>', '<br/>')}</div>")
        assert all(word in text for word in words)
    ended = firn.train(CONFIG, *images, set={"train.steps": 2, "train.eval_every": 1})
    assert "polyline" in ended._repr_html_()
    nameless = firn.Run(network, {"step": []}, {"step": []}, "<a>")
    assert "&lt;a&gt;" in nameless._repr_html_()


def test_runs_and_errors_pickle(run):
    assert pickle.loads(pickle.dumps(run)).network().to_bytes() == run.network().to_bytes()
    error = pickle.loads(pickle.dumps(firn.ShapeError("a sentence")))
    assert isinstance(error, firn.ShapeError) and str(error) == "a sentence"


def test_the_ten_lines_of_the_readme_run(tmp_path):
    text = (ROOT / "README.md").read_text()
    code = re.search(r"## From Python\n.*?```python\n(.*?)```", text, re.S)[1]
    assert len(code.strip().splitlines()) <= 10
    environment = dict(os.environ, PYTHONPATH=os.environ["FIRN_PACKAGE"])
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[0]) > 0.8


def test_cmake_installs_the_package(tmp_path):
    build = os.environ.get("FIRN_BUILD")
    subprocess.run(["cmake", "--install", build, "--prefix", tmp_path], check=True, capture_output=True)
    packages = list(tmp_path.glob("lib*/python3*/site-packages"))
    assert len(packages) == 1
    script = "import firn, firn.sklearn; print(firn.__file__)"
    done = subprocess.run([sys.executable, "-c", script], env=dict(os.environ, PYTHONPATH=str(packages[0])),
                          capture_output=True, text=True, check=True)
    assert str(tmp_path) in done.stdout
    assert (packages[0] / "firn" / "py.typed").exists() and (packages[0] / "firn" / "__init__.pyi").exists()


def test_pip_installs_the_package_without_a_network(tmp_path):
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        pytest.skip("there is no pip")
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps",
                    "--target", tmp_path / "target", ROOT / "python"], check=True, capture_output=True,
                   env=dict(os.environ, FIRN_BUILD=os.environ["FIRN_BUILD"]))
    done = subprocess.run([sys.executable, "-c", "import firn; print(firn.__version__, firn.__file__)"], cwd=tmp_path,
                          env=dict(os.environ, PYTHONPATH=str(tmp_path / "target")), capture_output=True, text=True,
                          check=True)
    assert str(tmp_path) in done.stdout
