"""Small experiments whose numbers are known."""

from functools import cache

import numpy as np

from covary import Ratings, VisualScale, datasets
from covary.analysis.scale_comparison.options import ScaleOptions
from covary.datasets.simulation import simulate_scales
from covary.stats.intervals import IntervalSpec

# Four judges' ratings of six systems with ties: W .902, chi-square 18.04 (R irr 0.84.1).
TIED = ((1, 1, 2, 3, 3, 4), (1, 2, 2, 2, 4, 4), (2, 2, 3, 3, 4, 4), (1, 1, 1, 3, 3, 4))


def one_each(rows, *, prefix="J", **more):
    """Ratings of one output per system, a row for each judge; None where there is no rating."""
    cells = [
        (f"s{s}", f"{prefix}{j}", float(value), f"s{s}")
        for j, row in enumerate(rows)
        for s, value in enumerate(row)
        if value is not None
    ]
    item, judge, rating, system = (list(column) for column in zip(*cells, strict=True))
    columns = {"item": item, "judge": judge, "rating": rating, "system": system}
    return Ratings(columns, **(more or {"level": "interval"}))


def equivalence(*, draws, seed):
    """An equivalence test at the usual margin."""
    interval = IntervalSpec.of("auto", 0.95, draws, seed)
    return ScaleOptions(margin=0.5, alpha=0.05, procedure="tukey", interval=interval)


@cache
def latin():
    """4 judges, 8 sources, 4 systems: R 4.2.2 (aov) gives the F ratios in the tests."""
    return datasets.load("latin-square-example")


@cache
def turned():
    """The same ratings ten times as large, where less is better."""
    frame = latin().frame.to_native().fetchnumpy()
    columns = {name: frame[name] for name in ("item", "judge", "source", "system")}
    line = VisualScale(0, 100, best="low")
    return Ratings({**columns, "rating": 100 - 10 * np.asarray(frame["rating"])}, scale=line)


@cache
def small(seed=1, **keywords):
    """A simulated study small enough for a quick test."""
    wanted = {"systems": 4, "sources": 8, "judges": 8, "criteria": ("clarity",)} | keywords
    return simulate_scales(seed=seed, **wanted)
