"""Tests of systems that use only the order of ratings, for scales whose steps may differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covary.analysis.systems.found import RankTest
from covary.stats.layout import Floats, Layout
from covary.stats.posthoc import dunn, friedman, kruskal_wallis, nemenyi

__all__ = ["Blocks", "blocks", "rank_tests"]


@dataclass(frozen=True)
class Blocks:
    """Mean ratings, one row per source (or judge) that has every system; `left_out` have not."""

    factor: str
    table: Floats
    left_out: int


def blocks(layout: Layout) -> Blocks | None:
    """Find what every system was rated on or by: sources, else judges, else nothing."""
    for factor in ("source", "judge"):
        if factor in layout.factors:
            table = layout.table(factor, "system")
            whole = ~np.isnan(table).any(axis=1)
            if whole.sum() > 1:
                return Blocks(factor, table[whole], int((~whole).sum()))
    return None


def rank_tests(layout: Layout, *, alpha: float, pairs: bool) -> Iterator[RankTest]:
    """Friedman's test with Nemenyi's pairs where there are blocks; Kruskal & Wallis' with Dunn's.

    With `pairs` False, for very many systems, only the tests of all systems are made.
    """
    found = blocks(layout)
    if found is not None:
        test = friedman(found.table)
        after = nemenyi(found.table, alpha=alpha) if pairs else None
        yield RankTest(
            "Friedman's test", test.chi2, test.df, test.p, f"{found.factor}s", test.n_blocks,
            after, test.reason,
        )  # fmt: skip
    groups = layout.groups("system")
    apart = kruskal_wallis(groups)
    after = dunn(groups, alpha=alpha) if pairs else None
    yield RankTest("Kruskal & Wallis' test", apart.h, apart.df, apart.p, "", 0, after, apart.reason)
