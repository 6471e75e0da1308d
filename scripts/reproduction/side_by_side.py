"""Diagnoses of any checkpoints side by side, in Markdown: what TaskFreeze sees, and the readings of locality."""
import re

from . import paper
from .diagnoses import FORMAT
from .markdown import print_table
from .problem import Problem, at, number, read_json

_USUAL = "error of the mean loss, all placements"


def read(folders):
    """Summaries by the names of their folders, sorted by name, with numbers compared as numbers."""
    found = {}
    for folder in folders:
        if not folder.is_dir():
            raise Problem(f"{folder} is not a directory; name a folder that firn diagnose has written, or one that contains several")
        for place in folder.rglob("summary.json"):
            summary = read_json(place)
            if "checkpoint" not in summary:
                continue  # an average over runs
            if at(summary, place, "format") != FORMAT:
                raise Problem(f"{place} has the format {summary['format']!r}, which this script does not know")
            name = place.parent.relative_to(folder).as_posix() if place.parent != folder else folder.resolve().name
            if name in found:
                raise Problem(f"{found[name][1]} and {place} have the same name; name a folder that holds both")
            found[name] = (summary, place)
    if not found:
        raise Problem(f"there is no diagnosis of a checkpoint in {' or '.join(map(str, folders))}")
    return dict(sorted(found.items(), key=lambda item: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", item[0])]))


def _text(value, place, style):
    """Nothing where there was nothing to measure."""
    return "" if value is None else format(number(value, place), style)


def print_shocks(found):
    rows, evaluations = [], None
    for name, (summary, place) in found.items():
        if "shocks" not in summary:
            continue
        own = at(summary, place, "shocks", "layers", "all")
        if evaluations not in (None, at(summary, place, "shocks", "evaluations")):
            raise Problem(f"{place} reports different evaluations from the diagnoses before it; compare checkpoints with the same freeze.task.patience, diagnosed by the same version of firn")
        evaluations = summary["shocks"]["evaluations"]
        neurons = number(at(own, place, "neurons"), place)
        ratio = [_text(at(own, place, "mean_over_deviation", quantile), place, "+.2f") for quantile in ("p10", "p50", "p90")]
        for scores, key in (("as measured", "measured"), ("noise alone", "centred"), ("every step", "every_step")):
            three = [at(own, place, "frozen", key, what) for what in ("mean", "lowest", "highest")]
            shares = ["{:.0f} ({:.0f} to {:.0f})".format(*(100 * number(share, place) for share in after)) for after in zip(*three)]
            about = [name, *(f"{100 * number(at(own, place, what), place) / neurons:.0f}" for what in ("negative_mean", "misleading")), *ratio,
                     *(_text(at(own, place, what), place, ".3f") for what in ("mean_correlation", "correlation_with_loss"))]
            rows.append((about if key == "measured" else [""] * 8) + [scores] + shares)
    if not rows:
        return
    print("**What TaskFreeze sees.** Scores of the argmax gates on training batches, with the network held fixed. Mean < 0: neurons with a negative mean. "
          "Misleading: neurons for which most batches have the opposite sign to the mean. 10 %, 50 %, 90 %: quantiles over neurons of mean / deviation. "
          "Correlation: between two neurons' scores, averaged over pairs. With loss: that of the neurons' average score with the batch's loss. After n: neurons "
          "frozen after n evaluations of the rule, in %, mean (lowest to highest) of ten replays.\n")
    print_table(["diagnosis", "mean < 0 %", "misleading %", "10 %", "50 %", "90 %", "correlation", "with loss", "scores", *(f"after {count}" for count in evaluations)], rows)


def _network(name):
    """The network of the paper that a diagnosis is named after, or None."""
    return next((network for network in paper.numbers()["networks"] if name.startswith(network + "-")), None)


def print_precision(found):
    rows = []
    for name, (summary, place) in found.items():
        for layer, own in sorted(summary.get("effects", {}).items(), key=lambda item: item[0] == "all"):
            row = [f"{name}, {layer}"]
            for what in ("entropy", "selected", "argmax"):
                values = (at(own, place, "spearman", what, "value"), at(own, place, "spearman_in_single_precision", what))
                row += [_text(value, place, "+.2f") for value in values]
                known = paper.correlation(_network(name), layer, what)
                row.append(f"{known[0]:+.2f}" if known else "")
            rows.append(row)
    if not rows:
        return
    print("**Rank correlations with the realized effect, in double and in single precision.** Of entropy, of the score of the selected gate, "
          "of the score of the argmax gate; in single precision an effect is the difference of two rounded losses.\n")
    print_table(["diagnosis, layer", *(f"{what}{which}" for what in ("entropy", "selected", "argmax") for which in (", double", ", single", ", paper"))], rows)


def print_readings(found):
    rows = []
    for name, (summary, place) in found.items():
        if "locality" not in summary:
            continue
        own = at(summary, place, "locality", "layers", "all")
        readings = {_USUAL: at(own, place, "median_spearman_of_error_and_displacement")} | at(own, place, "other_readings")
        for reading, ranks in readings.items():
            rows.append([name if reading == _USUAL else "", reading,
                         *(_text(at(ranks, place, order), place, ".2f") for order in ("first_order", "second_order"))])
    if not rows:
        return
    known = paper.locality()
    rows.append(["paper", "not stated", f"{known['first_rank']:.2f}", f"{known['second_rank']:.2f}"])
    print("**Readings of locality.** Spearman's correlation between error and displacement within each neuron, median over neurons.\n")
    print_table(["diagnosis", "reading", "first order", "second order"], rows)
