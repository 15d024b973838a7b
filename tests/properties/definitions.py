"""Coefficients written down as slowly and plainly as their papers define them.

Each takes rows of numbers, one per item, with None where a judge did not rate.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np


def rated(row):
    return [x for x in row if x is not None]


def krippendorff(rows, level):
    """Krippendorff (2011): one minus observed over expected disagreement; NaN when 0/0."""
    units = [rated(row) for row in rows if len(rated(row)) > 1]
    every = [x for unit in units for x in unit]
    n = len(every)
    apart = _distance(every, level)
    observed = sum(
        sum(apart(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    expected = sum(apart(a, b) for a in every for b in every)
    return 1 - (n - 1) * observed / expected if expected else np.nan


def _distance(every, level):
    def ordinal(a, b):
        low, high = min(a, b), max(a, b)
        between = sum(low <= x <= high for x in every)
        return (between - (every.count(a) + every.count(b)) / 2) ** 2

    return {
        "nominal": lambda a, b: float(a != b),
        "ordinal": lambda a, b: ordinal(a, b) if a != b else 0.0,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0,
    }[level]


def agreeing_share(rows):
    """The mean over items with two ratings or more of the share of agreeing pairs."""
    shares = [
        np.mean([a == b for a, b in combinations(rated(row), 2)])
        for row in rows
        if len(rated(row)) > 1
    ]
    return np.mean(shares) if shares else np.nan


def mean_shares(rows, categories):
    """Gwet's margins: the mean over all rated items of each item's shares."""
    some = [rated(row) for row in rows if rated(row)]
    return np.array([np.mean([row.count(c) / len(row) for row in some]) for c in categories])


def beyond_chance(observed, expected):
    return (observed - expected) / (1 - expected) if expected < 1 else np.nan


def fleiss(rows, categories):
    return beyond_chance(agreeing_share(rows), np.sum(mean_shares(rows, categories) ** 2))


def gwet_ac1(rows, categories):
    shares = mean_shares(rows, categories)
    chance = np.sum(shares * (1 - shares)) / (len(categories) - 1)
    return beyond_chance(agreeing_share(rows), chance)


def conger(rows, categories):
    """Gwet's form: each judge's margins over the items that this judge rated."""
    columns = [rated(column) for column in zip(*rows, strict=True)]
    margins = [np.array([c.count(k) / len(c) for k in categories]) for c in columns if c]
    chance = np.mean([a @ b for a, b in combinations(margins, 2)])
    return beyond_chance(agreeing_share(rows), chance)


def cohen(x, y, apart=lambda a, b: float(a != b)):
    """Cohen (1968): one minus mean disagreement over that of independent judges."""
    expected = np.mean([apart(a, b) for a in x for b in y])
    observed = np.mean([apart(a, b) for a, b in zip(x, y, strict=True)])
    return 1 - observed / expected if expected else np.nan


def lin(x, y):
    """Lin's (1989) concordance with population moments."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    below = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    return 2 * np.mean((x - x.mean()) * (y - y.mean())) / below if below else np.nan


def cronbach(rows):
    """Cronbach (1951), raw: judges are the parts of a test."""
    matrix = np.asarray(rows, dtype=float)
    k = matrix.shape[1]
    whole = matrix.sum(axis=1).var(ddof=1)
    return k / (k - 1) * (1 - matrix.var(axis=0, ddof=1).sum() / whole) if whole else np.nan


def pairs_of_items(x, y):
    """Concordant, discordant, tied for x, tied for y, and all pairs of items."""
    ordered = [
        (np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)
    ]
    concordant = sum(a * b > 0 for a, b in ordered)
    discordant = sum(a * b < 0 for a, b in ordered)
    first, second = sum(a == 0 for a, _ in ordered), sum(b == 0 for _, b in ordered)
    return concordant, discordant, first, second, len(ordered)
