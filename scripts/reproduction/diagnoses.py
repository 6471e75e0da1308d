"""What `firn diagnose` found out about a checkpoint, made small enough for the repository.

Numbers of layers are kept as they are. Rows of neurons become counts: effects and scores in bins of half a decade on either
side of zero, entropies in bins of 1/40, displacements in bins of half a decade. All diagnoses share these bins, so that counts add up.
"""
import collections
import math
import pathlib

from .collect import run_firn
from .problem import Problem, at, number, read_csv, read_json
from .runs import REFERENCE

FORMAT = "firn diagnosis 1"
PARTS = ["effects", "locality", "heldout"]
ENTROPY_BINS = 40
SMALLEST = -10  # decade; what is closer to zero is in bin 0
QUANTITIES = {"entropy": ("entropy", "argmax_effect"), "selected": ("selected_score", "selected_effect"),
              "argmax": ("argmax_score", "argmax_effect")}  # across, up


def signed_bin(value):
    """0 around zero; 1 for 1e-10 to 3.2e-10, 2 for the next half decade and so on, negative for negative values."""
    if abs(value) < 10.0**SMALLEST:
        return 0
    return int(math.copysign(1 + math.floor(2 * (math.log10(abs(value)) - SMALLEST)), value))


def entropy_bin(value):
    return min(ENTROPY_BINS - 1, int(value * ENTROPY_BINS))


def make_missing(options, folders, target):
    """Runs `firn diagnose` on kept checkpoints of final-argmax that target has no diagnosis of."""
    for run, folder in folders:
        if run.strategy != REFERENCE:
            continue
        for checkpoint in sorted(folder.glob("step-*.safetensors")):
            out = target / run.name / checkpoint.stem
            if (out / "summary.json").exists():
                continue
            print(f"diagnosing {checkpoint}", flush=True)
            arguments = ["diagnose", checkpoint, "--only", ",".join(PARTS), "--out", out]
            for option in ("samples", "neurons", "threads", "data_root"):
                if (value := getattr(options, option)) is not None:
                    arguments += ["--" + option.replace("_", "-"), str(value)]
            done = run_firn(options.firn, *arguments)
            if done.returncode != 0:
                raise Problem(f"firn diagnose failed: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")


def read_all(folder, runs):
    """Adds every diagnosis at or below folder to its run. Averages over runs are left out."""
    if not folder.is_dir():
        raise Problem(f"{folder} is not a directory; name one that firn diagnose has written")
    for place in sorted(folder.rglob("summary.json")):
        summary = read_json(place)
        if "checkpoint" not in summary:
            continue  # an average over runs
        if at(summary, place, "format") != FORMAT:
            raise Problem(f"{place} has the format {summary['format']!r}, which this script does not know")
        name = pathlib.PurePath(summary["checkpoint"]).parent.name
        if name not in runs:
            raise Problem(f"{place} is about {summary['checkpoint']}, which is not a finished run of this sweep")
        parts = runs[name].diagnoses.setdefault(int(number(at(summary, place, "step"), place)), {})
        for part, numbers in _compact(summary, place).items():
            if part in parts and parts[part] != numbers:
                raise Problem(f"{folder} has two diagnoses of {name} at step {summary['step']} that differ in {part}; keep one of them")
            parts[part] = numbers


def _compact(summary, place):
    made = {"effects": _effects, "locality": _locality, "heldout": _heldout}
    seen = {"samples": at(summary, place, "samples"), "split": at(summary, place, "split")}
    return {part: seen | made[part](summary[part], place) for part in PARTS if part in summary}


def _short(value, place):
    return float(f"{number(value, place):.6g}")


def _effects(effects, place):
    layers = {}
    for layer, own in effects.items():
        get = lambda *keys: _short(at(own, place, *keys), place)
        layers[layer] = {"neurons": at(own, place, "neurons"), "sign": get("score_has_sign_of_effect"),
                         "spearman": {name: at(own, place, "spearman", name, "value") for name in QUANTITIES},
                         "displacement": {name: get("median_displacement", name) for name in ("argmax", "selected")}}
        # A layer whose neurons all tie has no correlation.
        layers[layer]["spearman"] = {name: None if value is None else _short(value, place)
                                     for name, value in layers[layer]["spearman"].items()}
    return {"layers": layers} | _counts(place.parent / "effects.csv")


def _counts(path):
    columns = {column for pair in QUANTITIES.values() for column in pair} | {"argmax_displacement", "selected_displacement"}
    rows = [{column: number(row[column], path) for column in columns} for row in read_csv(path, sorted(columns))]
    cells = {}
    for name, (across, up) in QUANTITIES.items():
        place = entropy_bin if name == "entropy" else signed_bin
        cells[name] = collections.Counter((place(row[across]), signed_bin(row[up])) for row in rows)
    moved = {name: collections.Counter(signed_bin(row[name + "_displacement"]) for row in rows) for name in ("argmax", "selected")}
    return {"cells": {name: [[*cell, count] for cell, count in sorted(own.items())] for name, own in cells.items()},
            "moved": {name: [[cell, count] for cell, count in sorted(own.items())] for name, own in moved.items()}}


def _locality(locality, place):
    layers = {}
    for layer, own in at(locality, place, "layers").items():
        get = lambda *keys: _short(at(own, place, *keys), place)
        layers[layer] = {"neurons": at(own, place, "neurons"),
                         "rank": [get("median_spearman_of_error_and_displacement", order) for order in ("first_order", "second_order")],
                         "error": [get("median_error", order) for order in ("first_order", "second_order")]}
    bins = [[own["displacement_from"], own["displacement_to"], own["slots"], *(_short(own[error][quantile], place)
             for error in ("first_error", "second_error") for quantile in ("p10", "p50", "p90"))]
            for own in at(locality, place, "bins") if own["slots"] > 0]
    return {"layers": layers, "bins": bins}


def _heldout(heldout, place):
    """Rows of fraction, choices, wins on the half that selected, wins on the other."""
    return {"rates": [[own["fraction"], own["choices"], _short(own["wins_on_same_half"], place), _short(own["wins_on_other_half"], place)]
                      for own in at(heldout, place, "rates")]}
