"""Gamma when nobody knows who gave which rating: what any arrangement of them would give."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.estimate import Estimate
from covary.stats.intervals import Wanted
from covary.stats.ordering import count_table
from covary.stats.patterns import Patterns
from covary.stats.question import ask
from covary.stats.statistic import TINY, Linear, ratio

__all__ = ["arrangements", "exchangeable_gamma"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_VALUES, MOST_ITEMS = 32, 100_000
"""Up to so many categories and items arrangements are drawn."""


def exchangeable_gamma(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two ratings of an item, whoever gave them, order the items alike?

    For slots: ratings whose judges are not known, or columns that were sorted. Goodman & Kruskal's
    gamma needs to know who rated; this is its value over all ways of arranging each item's ratings.

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `goodman_kruskal_gamma`.

    Returns
    -------
    Estimate
        From -1 to 1. `details` holds the mean and the standard deviation over random arrangements,
        for up to a hundred thousand items.

    Notes
    -----
    Concordant and discordant pairs of items, expected under random arrangement of each item's
    ratings in two columns (Banchs 2016 draws such arrangements): those of the table that holds, for
    each item, every ordered pair of its ratings with equal weight, less each item's pairs with
    itself. The spread over arrangements is not a sampling error; the interval is.

    References
    ----------
    Banchs (2016), the permutation scheme; Goodman & Kruskal (1954).

    Examples
    --------
    In the Flickr-8k file the three columns are sorted within every row. Taken for judges they have
    a gamma of .99; arranged at random, .88:

    >>> from covary import datasets
    >>> ratings = datasets.load("flickr8k-experts")
    >>> round(exchangeable_gamma(ratings, interval=None).value, 2)
    0.88
    """
    wanted = Wanted.of(interval, confidence, resamples, rng)
    title = "Goodman & Kruskal's gamma of exchangeable ratings"
    question = ask("exchangeable_gamma", title, ratings, wanted, criterion=criterion,
                   judges=judges, named=False)  # fmt: skip
    pairable = question.among(question.patterns.rated.sum(axis=1) > 1)
    patterns = pairable.patterns.without_judges()
    mean, spread = arrangements(patterns, wanted.seed)
    return pairable.answer(
        _statistic(patterns),
        settings={"arrangement": "all", "missing": "available pairs"},
        details={"mean": mean, "sd": spread},
        asked=question.patterns,
        undefined="no two items are ordered by their ratings"
        if pairable.patterns.n_items
        else "no item was rated by two judges",
    )


def arrangements(patterns: Patterns, seed: int, times: int = 200) -> tuple[float, float]:
    """Return mean and standard deviation of gamma over random arrangements of items' ratings.

    The gamma of an arrangement is the mean over the pairs of its first three columns.
    """
    n_items, size = patterns.n_items, patterns.n_values
    if not 0 < n_items <= MOST_ITEMS or size > MOST_VALUES:
        return np.nan, np.nan
    rng = np.random.default_rng(seed)
    codes = np.repeat(patterns.codes, patterns.counts, axis=0)
    found = []
    for _ in range(times):
        order = np.argsort(np.where(codes >= 0, rng.random(codes.shape), 2.0), axis=1)[:, :3]
        arranged = np.take_along_axis(codes, order, axis=1).astype(np.int64)
        pairs = combinations(range(arranged.shape[1]), 2)
        values = np.array([_gamma(arranged[:, a], arranged[:, b], size) for a, b in pairs])
        values = values[~np.isnan(values)]
        found += [values.mean()] if values.size else []
    known = np.array(found)
    return (float(known.mean()), float(known.std(ddof=1))) if known.size > 1 else (np.nan, np.nan)


def _gamma(first: Ints, second: Ints, size: int) -> float:
    both = (first >= 0) & (second >= 0)
    cells = first[both] * size + second[both]
    table = np.bincount(cells, minlength=size * size).reshape(size, size)
    counts = count_table(table.astype(float))
    above, below = counts.concordant - counts.discordant, counts.concordant + counts.discordant
    return float(ratio(above, below))


def _statistic(patterns: Patterns) -> Linear:
    """Gamma from the mean cross table over all arrangements."""
    size = patterns.n_values

    def finish(totals: Floats) -> Floats:
        counts = count_table(totals[..., :-2].reshape(*totals.shape[:-1], size, size))
        concordant = counts.concordant - totals[..., -2]
        discordant = counts.discordant - totals[..., -1]
        return ratio(concordant - discordant, concordant + discordant)

    tally = patterns.tally()
    pairs = tally[:, :, None] * tally[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= tally
    given = tally.sum(axis=1)
    share = 1 / np.maximum(given * (given - 1), TINY)
    tables = pairs * share[:, None, None]
    itself = count_table(tables)
    sums = [tables.reshape(len(tables), size * size), itself.concordant, itself.discordant]
    made = Linear(patterns, np.column_stack(sums), finish)
    made.floor = -1.0
    return made
