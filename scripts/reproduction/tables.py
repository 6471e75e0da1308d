"""The paper's tables in Markdown, from collected runs."""
import statistics

from pairs import difference, spread

from . import paper, results
from .diagnosis_tables import print_correlations, print_locality
from .markdown import print_table
from .panels import distinct, divide
from .problem import Problem
from .runs import REFERENCE, counted, missing


def print_all(folders, options):
    if options.figures:
        from . import figures  # refuses at once where matplotlib is missing
    loaded = [(folder, *results.read(folder)) for folder in folders]
    runs = distinct([run for _, own, _ in loaded for run in own.values()], [folder for folder, own, _ in loaded for _ in own])
    names = " and ".join(f"`{folder}`" for folder in folders)
    if not any(run.strategy == options.against for run in runs):
        raise Problem(f"no finished run in {' and '.join(map(str, folders))} is of {options.against}, to which the others are compared; "
                      "collect one, or name another strategy with --against")
    print(f"## {', '.join(folder.resolve().name for folder in folders)}\n\nFrom {names}: {_progress(loaded, runs)}\n")
    panels = divide(runs, options.paper)
    for panel in panels:
        print(f"### {panel.title()}\n")
        for start in panel.starts:
            print_accuracy(panel, start, options.against)
        if len(panel.starts) > 1:
            print_starts(panel, options.against)
        print_dynamics(panel)
    relaxed = divide([run for run in runs if run.strategy == REFERENCE], options.paper)
    for panel in relaxed:
        print_correlations(panel)
        print_locality(panel)
    if options.figures:
        for path in figures.draw(folders, panels, relaxed, options.figures):
            print(f"![{path.stem}]({path})")


def _progress(loaded, runs):
    """What is finished and what is missing, as sentences."""
    configs = [run.config for run in runs]
    planned = [point for _, _, points in loaded for point in points]
    absent = missing(planned, configs)
    text = f"{counted(len(runs))}."
    if absent:
        text += f" Missing: {'; '.join(absent)}."
    elif all(points for _, _, points in loaded):
        text += " No planned run is missing."
    else:
        text += " Which others were planned is not known."
    return text


def _percents(cell):
    return {seed: {"relaxed": run.percent("relaxed_accuracy"), "discrete": run.percent("discrete_accuracy"),
                   "gap": run.percent("relaxed_accuracy") - run.percent("discrete_accuracy"), "frozen": run.percent("frozen")}
            for seed, run in cell.items()}


def _paper_cell(known):
    return f"{known[0]:.2f} ± {known[1]:.2f}" if known else ""


def _paper_difference(known, reference):
    return f"{known[0] - reference[0]:+.2f}" if known and reference else ""


def _sources(known):
    """The tables that numbers of the paper are from."""
    return sorted({found[2] for found in known.values() if found})


def _paper_caption(panel, tables):
    if not tables:
        return ""
    own = paper.network(panel.network)
    return f" Paper: {', '.join(tables)}, {own['label']} after {own['steps']:,} steps."


def print_accuracy(panel, start, against):
    title = "Final accuracy"
    if start is not None:
        title += f", freezing from step {start:,} ({100 * panel.share(start):.4g} % of the steps)"
    known = {strategy: panel.paper(strategy, start) for strategy in panel.strategies}
    tables = _sources(known)
    print(f"**{title}.** Test accuracy in % after the last step, mean ± sample standard deviation over seeds. Differences are "
          "paired by seed, over the seeds that both have, with half of their 95 % interval." + _paper_caption(panel, tables) + "\n")
    header = ["strategy", "seeds", "relaxed", "discrete", "gap", "frozen %", f"relaxed − {against}", f"discrete − {against}"]
    header += ["paper", "paper, difference"] if tables else []
    reference, rows = _percents(panel.cell(against, start)), []
    for strategy in panel.strategies:
        cell = _percents(panel.cell(strategy, start))
        if not cell:
            continue
        column = lambda what: spread([row[what] for row in cell.values()])
        row = [f"`{strategy}`", ", ".join(map(str, cell)), column("relaxed"), column("discrete"), column("gap"), column("frozen")]
        row += ["", ""] if strategy == against else [difference(cell, reference, what) for what in ("relaxed", "discrete")]
        if tables:
            row.append(_paper_cell(known[strategy]))
            row.append("" if strategy == against else _paper_difference(known[strategy], panel.paper(against, start)))
        rows.append(row)
    print_table(header, rows)


def print_starts(panel, against):
    known = {(strategy, start): panel.paper(strategy, start) for strategy in panel.strategies for start in panel.starts}
    tables = _sources(known)
    print(f"**Sensitivity to the start.** Discrete test accuracy in %, and its paired difference to `{against}`."
          + _paper_caption(panel, tables) + "\n")
    header = ["strategy"]
    for start in panel.starts:
        header += [f"start {start:,} ({100 * panel.share(start):.4g} %)", f"− {against}"] + (["paper"] if tables else [])
    rows = []
    for strategy in panel.strategies:
        row = [f"`{strategy}`"]
        for start in panel.starts:
            cell, reference = _percents(panel.cell(strategy, start)), _percents(panel.cell(against, start))
            row.append(spread([own["discrete"] for own in cell.values()]) if cell else "")
            row.append("" if strategy == against else difference(cell, reference, "discrete"))
            row += [_paper_cell(known[strategy, start])] if tables else []
        rows.append(row)
    print_table(header, rows)


def print_dynamics(panel):
    """Frozen fractions of the strategies that freeze something."""
    rows, layers = [], []
    for start in panel.starts:
        for strategy in panel.strategies:
            cell = [run for run in panel.cell(strategy, start).values() if run.row["first_freeze_step"]]
            if not cell:
                continue
            last = [run.dynamics[-1][1] for run in cell]
            seen = [layer for layer in last[0] if layer != "all" and any(own.get(layer) for own in last)]
            layers += [layer for layer in seen if layer not in layers]
            first = sorted({int(run.row["first_freeze_step"]) for run in cell})
            rows.append([start, strategy, cell, f"{first[0]:,}" + (f" to {first[-1]:,}" if len(first) > 1 else "")])
    if not rows:
        return
    print("**Freezing dynamics (Figs. 4, 6).** Frozen neurons in % of those in scope: at the first step that freezes any, at quarters "
          "of the run, and by layer at the end; mean over seeds.\n")
    mean = lambda values: f"{100 * statistics.mean(values):.1f}"
    header = ["strategy"] + (["start"] if len(panel.starts) > 1 else [])
    header += ["seeds", "first at step", "then", "25 %", "50 %", "75 %", "end", *layers]
    body = []
    for start, strategy, cell, first in rows:
        row = [f"`{strategy}`"] + ([f"{start:,}"] if len(panel.starts) > 1 else [])
        row += [", ".join(str(run.seed) for run in cell), first, mean([run.value("first_freeze_fraction") for run in cell])]
        row += [mean([run.frozen_at(share * run.value("step"))["all"] for run in cell]) for share in (0.25, 0.5, 0.75, 1)]
        body.append(row + [mean([run.dynamics[-1][1].get(layer, 0.0) for run in cell]) for layer in layers])
    print_table(header, body)
