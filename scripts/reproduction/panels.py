"""Divides runs into panels: those that differ in nothing but seed, strategy and start are compared with each other."""
import json

from . import paper
from .problem import Problem
from .runs import REFERENCE, by_strategy, effective, identity, varying

_WITHIN = ("seed", "freeze.strategy", "freeze.start")


class Panel:
    def __init__(self, settings, runs, network):
        self.settings = settings  # of the keys in which panels differ
        self.runs = runs
        self.config = runs[0].config
        self.network = network or paper.network_of(self.config)
        self.starts = sorted({run.start for run in runs if run.strategy != REFERENCE}) or [None]
        self.strategies = sorted({run.strategy for run in runs}, key=by_strategy)

    @property
    def steps(self):
        return self.config["train.steps"]

    @property
    def after_start(self):
        return next((run.config["resample.after_start"] for run in self.runs if run.strategy != REFERENCE
                     and "resample.after_start" in run.config), "continue")

    def cell(self, strategy, start):
        """Runs by seed. A strategy that does not act is the same for every start."""
        return {run.seed: run for run in sorted(self.runs, key=lambda run: run.seed)
                if run.strategy == strategy and (strategy == REFERENCE or run.start == start)}

    def share(self, start):
        return None if start is None else start / self.steps

    def paper(self, strategy, start):
        return paper.accuracy(self.network, self.after_start, strategy, self.share(start))

    def title(self):
        own = paper.network_of(self.config)
        name = paper.network(own)["label"] if own else self.config.get("name") or self.config["model.family"]
        told = [f"{key} = {value}" for key, value in self.settings.items() if key != "train.steps"]
        return ", ".join([f"{name}, {self.steps:,} steps", *told])

    def slug(self):
        return "".join(f"-{key.rpartition('.')[2]}-{value}" for key, value in self.settings.items()).replace("/", "_").replace(" ", "")


def distinct(runs, places):
    """Runs without those that occur twice; the same configuration must have given the same numbers."""
    seen = {}
    for run, place in zip(runs, places):
        twin, twin_place = seen.setdefault(identity(run.config), (run, place))
        # The best step of final-argmax depends on the start, from which on it is looked for.
        for column in ("step", "relaxed_accuracy", "discrete_accuracy", "discrete_loss", "frozen"):
            if twin.row[column] != run.row[column]:
                raise Problem(f"{run.name} has {column} {run.row[column]} in {place} and {twin.row[column]} in {twin_place}, "
                              "though both are of the same configuration; leave one of them out")
        if twin is not run:
            for step, parts in run.diagnoses.items():
                twin.diagnoses[step] = parts | twin.diagnoses.get(step, {})
    return [run for run, _ in seen.values()]


def divide(runs, network):
    keys = [key for key in varying([run.config for run in runs]) if key not in _WITHIN]
    found = {}
    for run in sorted(runs, key=lambda run: run.strategy == REFERENCE):  # those that name every key come first
        own = {key: value for key, value in effective(run.config).items() if key in keys}
        if not any(_fits(own, settings) for settings in found.values()) or run.strategy != REFERENCE:
            found.setdefault(json.dumps(own, sort_keys=True), own)
    panels = [[settings, [run for run in runs if _fits(effective(run.config), settings)]] for settings in found.values()]
    return [Panel(settings, own, network) for settings, own in panels]


def _fits(own, settings):
    return all(own.get(key, value) == value for key, value in settings.items())
