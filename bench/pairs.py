"""Means over seeds and differences of runs that share a seed, for the scripts that tabulate sweeps."""
import math
import statistics

# Two-sided 95 % quantiles of Student's distribution by degrees of freedom, from 1; beyond the list its last one, which is
# a little too large, is taken.
STUDENT = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09]


def difference(rows, reference, what):
    """Mean over seeds of what rows have more than the reference, and half of its 95 % interval."""
    paired = [row[what] - reference[seed][what] for seed, row in rows.items() if seed in reference]
    if len(paired) < 2:
        return f"{paired[0]:+.2f}" if paired else ""
    quantile = STUDENT[min(len(paired) - 2, len(STUDENT) - 1)]
    return f"{statistics.mean(paired):+.2f} ± {quantile * statistics.stdev(paired) / math.sqrt(len(paired)):.2f}"


def spread(values):
    """Mean and sample standard deviation."""
    deviation = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{deviation}"
