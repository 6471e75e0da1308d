"""Reads the folder of a sweep: results, configurations and freezing dynamics of its finished runs."""
import collections
import itertools
import json
import subprocess

from .problem import Problem, at, number, parse_json, read_csv, read_json, read_toml, text_of
from .results import COLUMNS
from .runs import Run, flatten, matters

GRID = 40  # intervals of the dynamics; quarters of a run and most starts of the paper are among their ends


def finished_folders(sweep):
    """The folders of finished runs, and the names of runs that have begun."""
    if not sweep.is_dir():
        raise Problem(f"{sweep} is not a directory; name the folder of a sweep")
    if not (sweep / "runs").is_dir() and not (sweep / "attempts").is_dir():
        raise Problem(f"{sweep} is not the folder of a sweep: it has no runs")
    folders = sorted(folder for folder in sweep.glob("runs/*") if folder.is_dir())
    finished = [folder for folder in folders if (folder / "result.json").exists()]
    done = {folder.name for folder in finished}
    begun = {folder.name for folder in folders} | {folder.name.rpartition(".")[0] for folder in sweep.glob("attempts/runs/*")}
    return finished, sorted(begun - done)


def run_firn(firn, *arguments):
    try:
        return subprocess.run([firn, *arguments], capture_output=True, text=True)
    except OSError as error:
        raise Problem(f"{firn} cannot be run: {error.strerror}") from None


def verify(firn, folders):
    """Compares files with their checksums, as far as they have any."""
    done = run_firn(firn, "check", *folders)
    damaged = [line.removeprefix("damaged: ") for line in (done.stdout + done.stderr).splitlines() if line.startswith("damaged: ")]
    if damaged:
        raise Problem(damaged[0])
    if done.returncode != 0:
        raise Problem(f"firn check failed: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")


def read_run(folder):
    config = flatten(read_toml(folder / "config.toml"))
    for key in ("seed", "freeze.strategy", "freeze.start", "train.steps"):
        at(config, folder / "config.toml", key)
    place = folder / "result.json"
    result = read_json(place)
    if at(result, place, "format") != "firn result 1":
        raise Problem(f"{place} has the format {result['format']!r}, which this script does not know")
    last = {key: number(at(result, place, "last", key), place)
            for key in ("step", "relaxed_accuracy", "relaxed_loss", "discrete_accuracy", "discrete_loss", "frozen")}
    best = {"best_" + key: number(at(result, place, "best", key), place)
            for key in ("step", "relaxed_accuracy", "discrete_accuracy") if "best" in result}  # a run may have none
    metrics = _read_metrics(folder / "metrics.jsonl")
    values = last | best | _validation(metrics, int(last["step"]))
    dynamics, first = _dynamics(folder, metrics, int(last["step"]))
    values |= first
    row = {column: f"{values[column]:.6g}" if column in values else "" for column in COLUMNS}
    row |= {column: str(int(values[column])) for column in ("step", "best_step", "first_freeze_step") if column in values}
    return Run(folder.name, config, row, dynamics)


def _read_metrics(path):
    rows = [parse_json(line, f"{path}, line {count},") for count, line in enumerate(text_of(path).splitlines(), start=1)]
    for row in rows:
        for key in ("step", "frozen"):
            number(at(row, path, key), path)
        for layer in at(row, path, "layers"):
            number(at(layer, path, "frozen"), path)
            at(layer, path, "name")
    return rows


def _validation(metrics, step):
    """Accuracies of the evaluation after the last step, if there was one."""
    for row in metrics:
        if row["step"] == step and "relaxed" in row and "discrete" in row:
            return {f"validation_{mode}_accuracy": number(row[mode].get("accuracy"), "metrics.jsonl") for mode in ("relaxed", "discrete")}
    return {}


def _dynamics(folder, metrics, steps):
    """Frozen fractions on a grid of steps, and the first step that froze something.

    freezes.csv counts neurons, metrics.jsonl gives fractions at few steps only; together they say how many neurons there are.
    """
    place = folder / "freezes.csv"
    frozen = collections.defaultdict(list)  # layer: steps in which one of its neurons was frozen
    for row in read_csv(place, ["step", "layer"]):
        step = int(number(row["step"], place))
        frozen[row["layer"]].append(step)
        frozen["all"].append(step)
    layers = ["all"] + [layer["name"] for layer in (metrics[-1]["layers"] if metrics else [])]
    if unknown := set(frozen) - set(layers):
        raise Problem(f"{place} freezes neurons of {min(unknown)}, a layer that metrics.jsonl does not have")
    sizes = {layer: _size(layer, frozen[layer], metrics, place) for layer in layers}
    fraction = lambda layer, step: _share(frozen[layer], step, sizes[layer])
    grid = sorted({round(i * steps / GRID) for i in range(GRID + 1)})
    dynamics = [(step, {layer: fraction(layer, step) for layer in layers}) for step in grid]
    first = min(frozen["all"], default=None)
    return dynamics, {} if first is None else {"first_freeze_step": first, "first_freeze_fraction": fraction("all", first)}


def _share(steps, until, size):
    return float(f"{sum(step <= until for step in steps) / size:.4f}") if steps else 0.0


def _size(layer, steps, metrics, place):
    """The neurons that fractions of the metrics refer to, by the last evaluation that both files agree on."""
    for row in reversed(metrics):
        fraction = row["frozen"] if layer == "all" else next(own["frozen"] for own in row["layers"] if own["name"] == layer)
        count = sum(step <= row["step"] for step in steps)
        if fraction > 0 and count > 0:
            size = round(count / fraction)
            if abs(count / size - fraction) < 1e-6:
                return size
    if steps:
        raise Problem(f"{place} and metrics.jsonl do not agree on how many neurons of {layer} are frozen; are both of this run?")
    return 0


def read_plan(path, runs):
    """The points of a sweep file, each as a dictionary; refuses a file that is not of these runs."""
    table = read_toml(path)
    grid = flatten(table.get("grid", {}))
    variants = [flatten(own) for _, own in sorted(table.get("variants", {}).items())] or [{}]
    for key, values in grid.items():
        if not isinstance(values, list):
            raise Problem(f"{path}: {key} in [grid] must be a list of values")
    points = [variant | dict(zip(grid, values)) for variant in variants for values in itertools.product(*grid.values())]
    fixed = flatten(table.get("set", {}))
    for run in runs.values():
        for key, value in fixed.items():
            if matters(key, run.config) and key in run.config and run.config[key] != value:
                raise Problem(f"{path} sets {key} = {json.dumps(value)}, but {run.name} was trained with {json.dumps(run.config[key])}; "
                              "name the file of this sweep")
    return points
