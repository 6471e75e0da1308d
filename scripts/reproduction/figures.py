"""The paper's figures as SVG: freezing dynamics (Figs. 4, 6), effects (Figs. 2, 5) and locality (Fig. 3)."""
import collections
import statistics

from .diagnoses import ENTROPY_BINS, SMALLEST
from .problem import Problem

try:
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    raise Problem("figures need matplotlib: install Debian's python3-matplotlib, or leave out --figures") from None

_COLOURS = {"task": "#d62728", "entropy": "#1f77b4", "global": "#2ca02c", "layer-entropy": "#9467bd", "final-argmax": "#7f7f7f",
            "cage": "#ff7f0e"}
plt.rcParams.update({"svg.hashsalt": "firn", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def draw(folders, panels, relaxed, target):
    """The files that were written."""
    stem = "-".join(folder.resolve().name for folder in folders)
    made = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for panel in panels:
            for start in panel.starts:
                name = stem + panel.slug() + (f"-start-{start}" if len(panel.starts) > 1 else "")
                made += _freezing(panel, start, target / f"{name}-freezing.svg")
                made += _layers(panel, start, target / f"{name}-freezing-layers.svg")
        for panel in relaxed:
            for step in sorted({step for run in panel.runs for step in run.diagnoses}):
                made += _effects(panel, step, target / f"{stem}{panel.slug()}-effects-{step}.svg")
            made += _locality(panel, target / f"{stem}{panel.slug()}-locality.svg")
    except OSError as error:
        raise Problem(f"{target} cannot be written: {error.strerror}") from None
    return made


def _save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return [path]


def _frozen(panel, start):
    """Strategies that froze something, with their runs."""
    cells = {strategy: list(panel.cell(strategy, start).values()) for strategy in panel.strategies}
    return {strategy: cell for strategy, cell in cells.items() if any(run.row["first_freeze_step"] for run in cell)}


def _curve(runs, layer):
    """Steps, and at each of them lowest, mean and highest percentage over seeds."""
    steps = sorted({step for run in runs for step, _ in run.dynamics})
    at = [[100 * run.frozen_at(step).get(layer, 0.0) for run in runs] for step in steps]
    return steps, [min(own) for own in at], [statistics.mean(own) for own in at], [max(own) for own in at]


def _freezing(panel, start, path):
    cells = _frozen(panel, start)
    if not cells:
        return []
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    for strategy, runs in cells.items():
        steps, low, mean, high = _curve(runs, "all")
        colour = _COLOURS.get(strategy)
        line, = axes.plot(steps, mean, color=colour, label=f"{strategy} ({len(runs)} seeds)")
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel="step", ylabel="frozen neurons in %", ylim=(0, 102), title=panel.title())
    axes.legend(frameon=False)
    return _save(figure, path)


def _layers(panel, start, path):
    cells = _frozen(panel, start)
    if not cells:
        return []
    figure, grid = plt.subplots(1, len(cells), figsize=(0.6 + 2.7 * len(cells), 2.9), sharey=True, squeeze=False)
    for axes, (strategy, runs) in zip(grid[0], cells.items()):
        last = [run.dynamics[-1][1] for own in cells.values() for run in own]
        layers = [layer for layer in last[0] if layer != "all" and any(fractions.get(layer) for fractions in last)]
        for i, layer in enumerate(layers):
            steps, _, mean, _ = _curve(runs, layer)
            axes.plot(steps, mean, color=plt.cm.viridis(i / max(1, len(layers) - 0.5)), label=layer)
        axes.set(xlabel="step", title=strategy, ylim=(0, 102))
        axes.locator_params(axis="x", nbins=4)
    grid[0][0].set_ylabel("frozen neurons in %")
    grid[0][-1].legend(frameon=False)
    return _save(figure, path)


def _ticks(axis, cells):
    """Labels for bins of half a decade: every second decade on either side of zero."""
    reach = max(cells, default=0)
    places = [0] + [sign * (1 + 2 * (decade - SMALLEST)) for decade in range(SMALLEST + 2, 1, 2) for sign in (1, -1)
                    if 1 + 2 * (decade - SMALLEST) <= reach + 2]
    labels = ["0" if place == 0 else f"{'−' if place < 0 else ''}1e{SMALLEST + (abs(place) - 1) // 2}" for place in places]
    axis.set_ticks([place - 0.5 * (place > 0) + 0.5 * (place < 0) for place in places], labels)
    axis.set_tick_params(labelsize=6, **({"rotation": 60} if axis.axis_name == "x" else {}))


def _effects(panel, step, path):
    """Neurons of all seeds at one step, counted in cells."""
    parts = [run.diagnoses[step]["effects"] for run in panel.runs if "effects" in run.diagnoses.get(step, {})]
    if not parts:
        return []
    figure, grid = plt.subplots(1, 3, figsize=(10, 3.5))
    titles = {"entropy": ("entropy", "freezing to the argmax gate"), "selected": ("first-order score", "freezing to the selected gate"),
              "argmax": ("first-order score", "freezing to the argmax gate")}
    for axes, (name, (across, title)) in zip(grid, titles.items()):
        counts = collections.Counter()
        for part in parts:
            for x, y, count in part["cells"][name]:
                counts[x, y] += count
        width = 1 / ENTROPY_BINS if name == "entropy" else 1
        x = [(cell[0] + 0.5) * width if name == "entropy" else cell[0] for cell in counts]
        shown = axes.scatter(x, [cell[1] for cell in counts], c=list(counts.values()), norm=matplotlib.colors.LogNorm(vmin=1),
                             cmap="viridis", marker="s", s=14, linewidths=0)
        _ticks(axes.yaxis, [abs(cell[1]) for cell in counts])
        if name != "entropy":
            _ticks(axes.xaxis, [abs(cell[0]) for cell in counts])
            axes.axvline(0, color="0.8", linewidth=0.6, zorder=0)
        axes.axhline(0, color="0.8", linewidth=0.6, zorder=0)
        axes.set(xlabel=across, title=title)
        figure.colorbar(shown, ax=axes, label="neurons")
    grid[0].set_ylabel("realized effect on the loss")
    figure.suptitle(f"{panel.title()}, step {step:,}, {len(parts)} seeds")
    return _save(figure, path)


def _locality(panel, path):
    """a: displacements, neurons of all checkpoints; b and c: one thin line per checkpoint."""
    of = lambda part: [parts[part] for run in panel.runs for _, parts in sorted(run.diagnoses.items()) if part in parts]
    if not of("locality") and not of("heldout"):
        return []
    figure, (moved, errors, wins) = plt.subplots(1, 3, figsize=(10, 3.2))
    for name, colour in (("argmax", "#1f77b4"), ("selected", "#d62728")):
        counts = collections.Counter()
        for part in of("effects"):
            for cell, count in part["moved"][name]:
                counts[cell] += count
        decades = [SMALLEST - 0.25 if cell == 0 else SMALLEST + (cell - 0.5) / 2 for cell in counts]
        moved.bar([10**decade for decade in decades], counts.values(), width=[0.9 * 10**decade for decade in decades],
                  color=colour, alpha=0.6, label=name)
    moved.set(xscale="log", xlabel="squared displacement D", ylabel="neurons", title="a: displacement")
    moved.legend(frameon=False)
    for column, colour, label in ((4, "#1f77b4", "first order"), (7, "#ff7f0e", "second order")):
        for i, part in enumerate(of("locality")):
            rows = [row for row in part["bins"] if row[0] > 0 and row[column] > 0]
            errors.plot([(row[0] * row[1])**0.5 for row in rows], [row[column] for row in rows], color=colour, linewidth=0.9,
                        alpha=0.7, label=label if i == 0 else None)
    errors.set(xscale="log", yscale="log", xlabel="squared displacement D", ylabel="median error", title="b: error by displacement")
    for column, colour, label in ((2, "#1f77b4", "half that selected"), (3, "#d62728", "other half")):
        for i, part in enumerate(of("heldout")):
            wins.plot([100 * row[0] for row in part["rates"]], [100 * row[column] for row in part["rates"]], color=colour, linewidth=0.9,
                      alpha=0.7, label=label if i == 0 else None)
    wins.axhline(50, color="0.7", linewidth=0.6)
    wins.set(xlabel="% of choices with the smallest D", ylabel="wins over argmax in %", ylim=(0, 102), title="c: held-out selection")
    for axes in (errors, wins):
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
    figure.suptitle(panel.title())
    return _save(figure, path)
