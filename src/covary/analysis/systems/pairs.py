"""All pairs of systems: which differ, by how much, and what tests by rank say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from covary.analysis.systems.models import ErrorTerm, Models, Observed
from covary.analysis.systems.result import PairCount, RankTest, SystemPair, SystemsOptions
from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import range_quantile
from covary.stats.models.observations import Floats, Observations
from covary.stats.posthoc import (
    PROCEDURES,
    Comparisons,
    compare_means,
    dunn,
    friedman,
    games_howell,
    kruskal_wallis,
    nemenyi,
)
from covary.stats.posthoc.comparisons import compact_letters

MOST_COMPARED = 300
"""Systems up to which all pairs are compared; of more, the significant ones are only counted."""

RANKED = ("nemenyi", "dunn")
"""Procedures that compare mean ranks."""

MOST_LETTERED = 60
"""Systems up to which there are letters, and a list of all pairs."""


def compare_pairs(
    observed: Observations, models: Models, options: SystemsOptions
) -> Comparisons | None:
    """Compare all pairs of systems; None where there are too many."""
    alpha = options.alpha
    if len(observed.names["system"]) > MOST_COMPARED:
        return None
    match options.procedure:
        case "games-howell":
            return games_howell(observed.groups("system"), alpha=alpha)
        case "dunn":
            return dunn(observed.groups("system"), alpha=alpha)
        case "nemenyi":
            blocks = complete_blocks(observed)
            if blocks is None:
                raise InvalidArgument("systems.no-blocks", argument="procedure", value="nemenyi")
            return nemenyi(blocks.table, alpha=alpha)
    return compare_term(models.term, observed, options)


def compare_term(term: ErrorTerm, observed: Observed, options: SystemsOptions) -> Comparisons:
    """Compare all pairs of means with one error term."""
    return compare_means(
        term.means,
        observed.counts(),
        term.mse,
        term.df,
        procedure=options.procedure,
        alpha=options.alpha,
        covariance=term.covariance,
        error=term.words,
    )


def count_pairs(observed: Observed, models: Models, options: SystemsOptions) -> PairCount | None:
    """Count the pairs that are further apart than Tukey's honestly significant difference.

    For very many systems: one critical value, and no p-value for each pair. Standard errors are
    those of each mean beside the others, exact where the design is balanced.
    """
    term, df = models.term, models.term.typical_df
    if not (term.mse > 0 and df > 0):
        return None
    means, n = term.means, observed.counts().astype(float)
    squares = term.standard_errors(n) ** 2
    reach = range_quantile(1 - options.alpha, means.size, df) / math.sqrt(2)
    apart = 0
    for place in range(means.size - 1):
        further = np.abs(means[place + 1 :] - means[place])
        apart += int((further > reach * np.sqrt(squares[place] + squares[place + 1 :])).sum())
    return PairCount(
        procedure=PROCEDURES["tukey"],
        error=term.words,
        alpha=options.alpha,
        n_significant=apart,
        n_pairs=means.size * (means.size - 1) // 2,
    )


def compared_quantity(observed: Observed, models: Models, procedure: str) -> str:
    """Name what a procedure compares: means, adjusted means or mean ranks."""
    if procedure in RANKED:
        return "mean ranks"
    plain = np.allclose(models.term.means, observed.means("system"), rtol=1e-9)
    return "means" if plain or procedure == "games-howell" else "adjusted means"


def letters_of(comparisons: Comparisons | None, best: str) -> tuple[str, ...] | None:
    """Letters that systems share when they do not differ; a goes to the best one.

    None where some pair is not tested: a shared letter would say that it was.
    """
    if comparisons is None or len(comparisons.places) > MOST_LETTERED:
        return None
    if any(math.isnan(pair.p_adjusted) for pair in comparisons.pairs):
        return None
    apart = [(pair.first, pair.second) for pair in comparisons.pairs if pair.significant]
    sign = -1.0 if best == "low" else 1.0
    return compact_letters(apart, [sign * place for place in comparisons.places])


def system_pairs(
    observed: Observed,
    comparisons: Comparisons | None,
    order: Sequence[int],
    unit: float,
) -> Iterator[SystemPair]:
    """List all pairs of systems, the better of two first, with both sizes of their difference.

    `order` holds the places of the systems from the best to the worst, `unit` the standard
    deviation that differences are expressed in.
    """
    if comparisons is None or len(order) > MOST_LETTERED:
        return
    names = observed.names["system"]
    rank = {system: number for number, system in enumerate(order)}
    for pair in sorted(comparisons.pairs, key=lambda p: sorted((rank[p.first], rank[p.second]))):
        one = pair if rank[pair.first] < rank[pair.second] else _reverse(pair)
        confidence = 1 - comparisons.alpha
        delta = observed.delta(one.first, one.second, confidence)
        yield SystemPair(
            first=names[one.first],
            second=names[one.second],
            difference=one.difference,
            low=math.nan if one.low is None else one.low,
            high=math.nan if one.high is None else one.high,
            p=one.p,
            p_adjusted=one.p_adjusted,
            significant=one.significant,
            standardised=one.difference / unit,
            cliffs_delta=delta.value,
            delta_low=delta.low,
            delta_high=delta.high,
        )


def _reverse(pair: Any) -> Any:
    low, high = (None if end is None else -end for end in (pair.high, pair.low))
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=-pair.difference,
        low=low,
        high=high,
    )


@dataclass(frozen=True)
class CompleteBlocks:
    """Mean ratings, one row per source (or judge) that has every system."""

    factor: str
    table: Floats


def complete_blocks(observed: Observations) -> CompleteBlocks | None:
    """Find what every system was rated on or by: sources, else judges, else nothing."""
    for factor in ("source", "judge"):
        if factor in observed.factors:
            table = observed.table(factor, "system")
            whole = ~np.isnan(table).any(axis=1)
            if whole.sum() > 1:
                return CompleteBlocks(factor, table[whole])
    return None


def rank_tests(observed: Observations, options: SystemsOptions) -> Iterator[RankTest]:
    """Friedman's test with Nemenyi's pairs where there are blocks; Kruskal & Wallis' with Dunn's.

    For very many systems only the tests of all systems are made.
    """
    pairs, alpha = len(observed.names["system"]) <= MOST_LETTERED, options.alpha
    blocks = complete_blocks(observed)
    if blocks is not None:
        within = friedman(blocks.table)
        yield RankTest(
            name="Friedman's test",
            statistic=within.chi2,
            df=within.df,
            p=within.p,
            blocks=f"{blocks.factor}s",
            n_blocks=within.n_blocks,
            comparisons=nemenyi(blocks.table, alpha=alpha) if pairs else None,
            reason=within.reason,
        )
    groups = observed.groups("system")
    together = kruskal_wallis(groups)
    yield RankTest(
        name="Kruskal & Wallis' test",
        statistic=together.h,
        df=together.df,
        p=together.p,
        blocks="",
        n_blocks=0,
        comparisons=dunn(groups, alpha=alpha) if pairs else None,
        reason=together.reason,
    )
