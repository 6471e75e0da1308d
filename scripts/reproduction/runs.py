"""Runs as the tables see them: which settings tell them apart, and which make no difference."""
import dataclasses
import json

REFERENCE = "final-argmax"
STRATEGIES = ["task", "entropy", "global", "layer-entropy", "final-argmax", "cage"]  # in the paper's order

# These change which files are kept, or how something is called, and never what is trained.
_WITHOUT_EFFECT = {"name", "train.keep_at", "train.checkpoint_every", "train.checkpoint_minutes"}


@dataclasses.dataclass
class Run:
    name: str
    config: dict  # key such as train.steps: value
    row: dict  # column of runs.csv: text
    dynamics: list = dataclasses.field(default_factory=list)  # (step, {layer or "all": frozen fraction})
    diagnoses: dict = dataclasses.field(default_factory=dict)  # step: {part: numbers}

    @property
    def strategy(self):
        return self.config["freeze.strategy"]

    @property
    def seed(self):
        return self.config["seed"]

    @property
    def start(self):
        return self.config["freeze.start"]

    def value(self, column):
        return float(self.row[column])

    def percent(self, column):
        return 100 * self.value(column)

    def frozen_at(self, step):
        """Frozen fractions by layer, at the last step of the grid up to this one."""
        return [fractions for known, fractions in self.dynamics if known <= step][-1]


def flatten(table, prefix=""):
    flat = {}
    for key, value in table.items():
        flat.update(flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return flat


def matters(key, config):
    """Whether a key of this configuration, or part of one, has an effect on training, so that it tells runs apart."""
    if key in _WITHOUT_EFFECT:
        return False
    if key.startswith("train.teacher_") and config.get("train.teacher") == "":
        return False
    acting = key.startswith("freeze.") and key != "freeze.strategy" or key == "resample.after_start"
    return not (acting and config.get("freeze.strategy") == REFERENCE)  # which never acts


def effective(config):
    return {key: value for key, value in config.items() if matters(key, config)}


def identity(config):
    return json.dumps(effective(config), sort_keys=True)


def varying(configs):
    """The keys that tell configurations apart; a key that only some of them know, of another version of Firn, does not."""
    values = {}
    for config in configs:
        for key, value in effective(config).items():
            values.setdefault(key, set()).add(json.dumps(value))
    return [key for key, seen in values.items() if len(seen) > 1]


def by_strategy(name):
    return (STRATEGIES.index(name), "") if name in STRATEGIES else (len(STRATEGIES), name)


def counted(runs):
    return f"{runs} finished run{'' if runs == 1 else 's'}"


def missing(planned, configs):
    """The planned points, as dictionaries of keys and values, that no configuration stands for."""
    absent = {}
    for point in planned:
        told = {key: value for key, value in point.items() if matters(key, point)}
        if not any(all(config.get(key) == value for key, value in told.items()) for config in configs):
            absent.setdefault(", ".join(f"{key}={value}" for key, value in told.items()), told)
    return list(absent)
