"""Differences of runs that share a seed, for the scripts that tabulate sweeps."""
import math
import statistics

# Two-sided 95 % quantiles of Student's distribution by degrees of freedom; more than ten seeds take the normal one's.
STUDENT = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26]


def difference(rows, reference, what):
    """Mean over seeds of what rows have more than the reference, and half of its 95 % interval."""
    paired = [row[what] - reference[seed][what] for seed, row in rows.items() if seed in reference]
    if len(paired) < 2:
        return f"{paired[0]:+.2f}" if paired else ""
    quantile = STUDENT[len(paired) - 2] if len(paired) - 2 < len(STUDENT) else 1.96
    return f"{statistics.mean(paired):+.2f} ± {quantile * statistics.stdev(paired) / math.sqrt(len(paired)):.2f}"
