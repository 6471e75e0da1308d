"""The paper's numbers: which of its networks a configuration is, and what it reports for it."""
import functools
import math
import pathlib
import tomllib


@functools.cache
def numbers():
    return tomllib.loads((pathlib.Path(__file__).parent / "paper.toml").read_text(encoding="utf-8"))


def network_of(config):
    """The name of the paper's network, or None."""
    for name, own in numbers()["networks"].items():
        if (own["data"], own["family"], own["width"]) == tuple(config.get(key) for key in ("data.source", "model.family", "model.width")):
            return name
    return None


def network(name):
    return numbers()["networks"][name]


def accuracy(name, after_start, strategy, share):
    """Mean and deviation, and the table they are from, for a start at this share of the steps; None if there are none."""
    own = numbers()["networks"].get(name)
    if own is None:
        return None
    starts = [start / own["steps"] for start in own["starts"]]
    at = next((i for i, known in enumerate(starts) if share is not None and math.isclose(known, share, rel_tol=0.01)), None)
    if at is None and strategy == "final-argmax" or at is not None and own["starts"][at] == own["start"]:
        pair, table = numbers()["accuracy"][name].get(after_start, {}).get(strategy), "Tab. 2"
    else:
        several = numbers()["starts"].get(name, {}).get(after_start, {})
        pair, table = (several[strategy][at], several["table"]) if at is not None and strategy in several else (None, "")
    return None if pair is None else (*pair, table)


def correlation(name, layer, what):
    return numbers()["correlations"].get(name, {}).get(layer, {}).get(what)


def locality():
    return numbers()["locality"]
