"""The paper's tables of diagnoses in Markdown: rank correlations and locality."""
import math
import statistics

from . import paper
from .markdown import print_table

_WHAT = ("entropy", "selected", "argmax")


def _of(panel, part):
    """Runs by seed with their checkpoints that have a part."""
    found = {run.seed: {step: parts[part] for step, parts in sorted(run.diagnoses.items()) if part in parts} for run in panel.runs}
    return {seed: checkpoints for seed, checkpoints in sorted(found.items()) if checkpoints}


def _examples(found):
    """Checkpoints and examples, as a sentence."""
    steps = {seed: ", ".join(f"{step:,}" for step in checkpoints) for seed, checkpoints in found.items()}
    if len(set(steps.values())) == 1:
        text = f"Seeds {', '.join(map(str, steps))}; checkpoints at {next(iter(steps.values()))}"
    else:
        text = "Checkpoints: " + "; ".join(f"seed {seed} at {own}" for seed, own in steps.items())
    counts = sorted({(part["samples"], part["split"]) for own in found.values() for part in own.values()})
    names = {"val": "validation", "test": "test"}
    return text + "; " + " or ".join(f"{samples:,} {names.get(split, split)} examples" for samples, split in counts) + "."


def seed_means(found, value):
    """For every seed the mean over its checkpoints, without those where there is no value."""
    means = []
    for checkpoints in found.values():
        values = [own for part in checkpoints.values() if (own := value(part)) is not None]
        means += [statistics.mean(values)] if values else []
    return means


def _signed(values):
    if not values:
        return ""
    return f"{statistics.mean(values):+.3f}" + (f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else "")


def print_correlations(panel):
    found = _of(panel, "effects")
    if not found:
        return
    print(f"**Rank correlations with the realized effect (Tab. 1), {panel.title()}.** Of entropy, of the score of the selected gate, "
          "of the score of the argmax gate: averaged over the checkpoints of a seed, then mean ± sample standard deviation over "
          f"seeds. {_examples(found)}\n")
    layers = []
    for checkpoints in found.values():
        for part in checkpoints.values():
            layers += [layer for layer in part["layers"] if layer not in layers]
    layers.sort(key=lambda layer: layer == "all")
    known = any(paper.correlation(panel.network, layer, "argmax") for layer in layers)
    header = ["layer"]
    for what in _WHAT:
        header += [what, "paper"] if known else [what]
    rows = []
    for layer in layers:
        row = [layer]
        for what in _WHAT:
            row.append(_signed(seed_means(found, lambda part: part["layers"].get(layer, {}).get("spearman", {}).get(what))))
            if known:
                pair = paper.correlation(panel.network, layer, what)
                row.append(f"{pair[0]:+.3f} ± {pair[1]:.3f}" if pair else "")
        right = seed_means(found, lambda part: part["layers"].get(layer, {}).get("sign"))
        rows.append(row + [f"{100 * statistics.mean(right):.1f}"])
    print_table(header + ["sign right %"], rows)


def _geometric(values):
    return f"{math.exp(statistics.mean(math.log(value) for value in values)):.2g}" if values and min(values) > 0 else ""


def print_locality(panel):
    parts = {name: _of(panel, name) for name in ("effects", "locality", "heldout")}
    if not parts["locality"] and not parts["heldout"]:
        return
    about = {name: _examples(own) for name, own in parts.items() if own}
    examples = " ".join(f"For {name}: {text}" for name, text in about.items())
    if len(set(about.values())) == 1:
        examples = next(iter(about.values()))
    print(f"**Locality (Fig. 3), {panel.title()}.** D is the median squared displacement; rank is the median, over neurons, of "
          "Spearman's correlation of error and D; wins are how often the selected gate beats the argmax gate on the half that "
          "selected it and on the other half, for all choices and the tenth with the smallest D. Over seeds, D and errors are "
          f"averaged as logarithms. The paper does not name its network. {examples}\n")
    header = ["step", "D argmax", "D selected", "rank, first order", "rank, second order", "error, first order", "error, second order",
              "wins, all: same half %", "other half %", "wins, nearest tenth: same half %", "other half %"]
    rows = []
    for step in sorted({step for own in parts.values() for checkpoints in own.values() for step in checkpoints}):
        at = {name: [checkpoints[step] for checkpoints in own.values() if step in checkpoints] for name, own in parts.items()}
        row = [f"{step:,}"]
        row += [_geometric([part["layers"]["all"]["displacement"][what] for part in at["effects"]]) for what in ("argmax", "selected")]
        row += [_plain([part["layers"]["all"]["rank"][order] for part in at["locality"]]) for order in (0, 1)]
        row += [_geometric([part["layers"]["all"]["error"][order] for part in at["locality"]]) for order in (0, 1)]
        for fraction in (1.0, 0.1):
            rates = [rate for part in at["heldout"] for rate in part["rates"] if rate[0] == fraction]
            row += [_plain([100 * rate[which] for rate in rates], 1) for which in (2, 3)]
        rows.append(row)
    known = paper.locality()
    rows.append(["paper", f"{known['argmax_displacement']:.2g}", f"{known['selected_displacement']:.2g}",
                 f"{known['first_rank']:.2f}", f"{known['second_rank']:.2f}", *[""] * 6])
    print_table(header, rows)


def _plain(values, digits=2):
    return f"{statistics.mean(values):.{digits}f}" if values else ""
