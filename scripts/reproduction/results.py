"""The folder of a collected sweep: small text files for the repository, and how more runs are merged into them.

runs.csv        a row per finished run: the keys in which runs differ, then the columns that `firn sweep` writes, then more
configs.json    the configuration of every run, as what all share and what each has of its own; the runs that were planned
dynamics.csv    the frozen fraction of all neurons in scope and of each layer, at forty equal intervals of each run
diagnoses.jsonl what `firn diagnose` found out about kept checkpoints, one per line
"""
import csv
import io
import json
import os

from .problem import Problem, at, number, parse_json, read_csv, read_json, text_of
from .runs import Run, matters, varying

# The first seven are those of the runs.csv of `firn sweep`. Empty where a run has nothing to say.
COLUMNS = ["step", "relaxed_accuracy", "discrete_accuracy", "discrete_loss", "frozen", "best_step", "best_discrete_accuracy",
           "relaxed_loss", "best_relaxed_accuracy", "validation_relaxed_accuracy", "validation_discrete_accuracy",
           "first_freeze_step", "first_freeze_fraction"]
_OPTIONAL = {column for column in COLUMNS if column.startswith(("best_", "validation_", "first_freeze_"))}
_FILES = ["runs.csv", "configs.json", "dynamics.csv", "diagnoses.jsonl"]


def read(folder):
    """Its runs by name, and the points that were planned."""
    if not folder.is_dir():
        raise Problem(f"{folder} is not a directory; collect a sweep into it first")
    place = folder / "configs.json"
    configs = read_json(place)
    common, own, planned = (at(configs, place, key) for key in ("common", "runs", "planned"))
    runs = {}
    for row in read_csv(folder / "runs.csv", ["run", *COLUMNS]):
        name = row["run"]
        runs[name] = Run(name, common | at(own, place, name), {column: row[column] for column in COLUMNS})
        for column in COLUMNS:
            if row[column] or column not in _OPTIONAL:
                number(row[column], f"{folder / 'runs.csv'}, column {column} of {name},")
    if set(own) != set(runs):
        raise Problem(f"{folder} is damaged: runs.csv and configs.json do not list the same runs")
    _read_dynamics(folder / "dynamics.csv", runs)
    _read_diagnoses(folder / "diagnoses.jsonl", runs)
    return runs, planned


def _run_of(runs, name, path):
    if name not in runs:
        raise Problem(f"{path} is damaged: it has {name}, which runs.csv does not list")
    return runs[name]


def _read_dynamics(path, runs):
    for row in read_csv(path, ["run", "step", "all"]):
        run = _run_of(runs, row.pop("run"), path)
        step = int(number(row.pop("step"), path))
        run.dynamics.append((step, {layer: number(text, path) for layer, text in row.items() if text}))


def _read_diagnoses(path, runs):
    if not path.exists():
        return
    for count, line in enumerate(text_of(path).splitlines(), start=1):
        diagnosis = parse_json(line, f"{path}, line {count},")
        run = _run_of(runs, at(diagnosis, path, "run"), path)
        run.diagnoses[at(diagnosis, path, "step")] = at(diagnosis, path, "parts")


def merge(old, new, place, replace):
    """All runs. One that is in both must be the same, or replace must allow the new one."""
    merged = dict(old)
    for name, run in new.items():
        if name in old:
            other_run = _run_difference(old[name], run)
            if (difference := other_run or _diagnosis_difference(old[name], run)) and not replace:
                raise Problem(f"{place} already has {name} with {difference}; collect into another folder, or allow it with --replace")
            if not other_run:
                run.diagnoses = _merge_parts(old[name].diagnoses, run.diagnoses)
        merged[name] = run
    return merged


def _merge_parts(old, new):
    return {step: old.get(step, {}) | new.get(step, {}) for step in sorted(old.keys() | new.keys())}


def _run_difference(old, new):
    """What two runs of one name differ in, in words."""
    for key in sorted(old.config.keys() | new.config.keys()):
        if matters(key, new.config) and old.config.get(key) != new.config.get(key):
            return f"{key} = {old.config.get(key)}, not {new.config.get(key)}"
    for column in COLUMNS:
        if old.row[column] != new.row[column]:
            return f"{column} {old.row[column] or 'empty'}, not {new.row[column] or 'empty'}"
    return "other frozen fractions" if old.dynamics != new.dynamics else ""


def _diagnosis_difference(old, new):
    for step in old.diagnoses.keys() & new.diagnoses.keys():
        for part in old.diagnoses[step].keys() & new.diagnoses[step].keys():
            if old.diagnoses[step][part] != new.diagnoses[step][part]:
                return f"another diagnosis of {part} at step {step}"
    return ""


def merge_planned(old, new):
    return old + [point for point in new if point not in old]


def write(folder, runs, planned):
    """All files, each under its final name only when it is complete."""
    order = sorted(runs.values(), key=lambda run: (run.seed, run.name))
    texts = [_runs_csv(order), _configs_json(order, planned), _dynamics_csv(order), _diagnoses_jsonl(order)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in zip(_FILES, texts):
            (folder / (name + ".new")).write_text(text, encoding="utf-8")
        for name in _FILES:
            os.replace(folder / (name + ".new"), folder / name)
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}") from None


def _table(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _runs_csv(runs):
    always = ["seed", "freeze.strategy"]
    keys = always + [key for key in varying([run.config for run in runs]) if key not in always]
    rows = [[*keys, "run", *COLUMNS]]
    for run in runs:
        own = [run.config.get(key, "") if matters(key, run.config) else "" for key in keys]
        rows.append([*own, run.name, *(run.row[column] for column in COLUMNS)])
    return _table(rows)


def _configs_json(runs, planned):
    common = {}
    if runs:
        first = runs[0].config
        common = {key: value for key, value in first.items()
                  if all(key in run.config and run.config[key] == value for run in runs)}
    own = {run.name: {key: value for key, value in run.config.items() if key not in common} for run in runs}
    lines = lambda table: ",\n".join(f"  {json.dumps(key)}: {json.dumps(table[key], sort_keys=True)}" for key in sorted(table))
    points = ",\n".join("  " + json.dumps(point) for point in planned)
    return f'{{"common": {{\n{lines(common)}}},\n"runs": {{\n{lines(own)}}},\n"planned": [\n{points}]}}\n'


def _dynamics_csv(runs):
    layers = []
    for run in runs:
        for _, fractions in run.dynamics[:1]:
            layers += [layer for layer in fractions if layer not in layers]
    rows = [["run", "step", *(layers or ["all"])]]
    for run in runs:
        rows += [[run.name, step, *(fractions.get(layer, "") for layer in layers)] for step, fractions in run.dynamics]
    return _table([[f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows])


def _diagnoses_jsonl(runs):
    return "".join(json.dumps({"run": run.name, "step": step, "parts": run.diagnoses[step]}, sort_keys=True) + "\n"
                   for run in runs for step in sorted(run.diagnoses))
