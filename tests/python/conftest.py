"""Small data and one small trained network that the tests share."""

import os
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, os.environ["FIRN_PACKAGE"])  # the package in the build tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"))  # its recipes
import firn  # noqa: E402

COMMAND = os.environ.get("FIRN_COMMAND", "")
ROOT = pathlib.Path(__file__).resolve().parents[2]

CONFIG = {
    "encode": {"encoding": "uniform", "thresholds": 3},
    "model": {"layer": [{"kind": "tree-conv", "filters": 8, "depth": 2, "pool": 2, "channels": "one"},
                        {"kind": "dense", "outputs": 120}]},
    "train": {"steps": 120, "eval_every": 40, "batch": 32, "learning_rate": 0.05},
}


def left_or_right(count, seed):
    """Images of 6 x 8 pixels, brighter on the left or on the right."""
    random = np.random.RandomState(seed)
    y = random.randint(0, 2, count)
    bright = (np.arange(8) < 4)[None, :] == (y[:, None] == 0)
    X = random.randint(0, 150, (count, 6, 8)) + 100 * bright[:, None, :]
    return X.astype(np.uint8), y


@pytest.fixture(scope="session")
def images():
    return left_or_right(600, 1)


@pytest.fixture(scope="session")
def test_images():
    return left_or_right(200, 2)


@pytest.fixture(scope="session")
def run(images):
    return firn.train(CONFIG, *images)


@pytest.fixture(scope="session")
def network(run):
    return run.network()


@pytest.fixture(scope="session")
def circuit(network):
    return network.compile()
