"""Sweep files of the paper's comparisons, at any share of its schedules."""
from . import paper
from .problem import Problem

_STRATEGIES = ["final-argmax", "global", "task", "entropy", "layer-entropy", "cage"]


def networks():
    return list(paper.numbers()["networks"])


def sweep_file(name, share, seeds, all_starts):
    if name not in networks():
        raise Problem(f"{name} is not a network of the paper; it is one of {', '.join(networks())}")
    if not 0 < share <= 1:
        raise Problem("the share of the schedule must be above 0 and at most 1")
    if seeds < 1:
        raise Problem("there must be at least one seed")
    own = paper.network(name)
    scaled = lambda steps: max(1, round(share * steps))
    starts = [scaled(start) for start in (own["starts"] if all_starts else [own["start"]])]
    quoted = lambda values: "[" + ", ".join(f'"{value}"' for value in values) + "]"
    fixed = [] if all_starts else [f"freeze.start = {starts[0]}"]
    grid = [f"seed = {list(range(1, seeds + 1))}"] + ([f"freeze.start = {starts}"] if all_starts else [])
    grid.append(f"freeze.strategy = {quoted(_STRATEGIES)}")
    if "after_start" in own:
        grid.append(f"resample.after_start = {quoted(own['after_start'])}")
    # Kept for diagnosis: a checkpoint at the main start, and further ones up to the end.
    keep = [own["start"]] + [own["steps"] * quarter // 4 for quarter in range(1, 5) if own["steps"] * quarter // 4 > own["start"]]
    return f"""\
# The strategies on {own['label']}: steps, start, interval and half-life are those of the paper times {share:g}.
# firn sweep FILE --shared-prefix
name = "{name}-{share:g}"
base = "{name}"

[set]
train.steps = {scaled(own['steps'])}
train.keep_at = {[scaled(step) for step in keep]}
freeze.task.interval = {scaled(own['interval'])}
freeze.task.half_life = {scaled(own['half_life'])}
""" + "\n".join([*fixed, "", "[grid]", *grid]) + "\n"
