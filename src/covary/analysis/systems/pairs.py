"""Which systems differ: the chosen procedure over all pairs, and how large the differences are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from covary.analysis.systems.designed import Designed
from covary.analysis.systems.found import Counted, SystemPair
from covary.analysis.systems.ordinal import blocks
from covary.errors import InvalidArgument
from covary.stats.effects import cliffs_delta
from covary.stats.layout import Floats, Layout
from covary.stats.posthoc import PROCEDURES, Comparisons, compare_means, dunn, games_howell, nemenyi
from covary.stats.posthoc.letters import compact_letters
from covary.stats.studentised_range import range_quantile

__all__ = [
    "MOST_COMPARED",
    "MOST_LETTERED",
    "compared",
    "counted",
    "found_any",
    "letters_of",
    "system_pairs",
    "what_is_compared",
]

MOST_COMPARED = 300
"""Systems up to which all pairs are compared; of more, the significant ones are only counted."""

MOST_LETTERED = 60
"""Systems up to which there are letters, and a list of all pairs."""


def compared(
    layout: Layout, models: Designed, *, procedure: str, error: str, alpha: float
) -> Comparisons | None:
    """Compare all pairs of systems; None where there are too many."""
    if len(layout.names["system"]) > MOST_COMPARED:
        return None
    if procedure == "games-howell":
        return games_howell(layout.groups("system"), alpha=alpha)
    if procedure == "dunn":
        return dunn(layout.groups("system"), alpha=alpha)
    if procedure == "nemenyi":
        return nemenyi(_blocks(layout), alpha=alpha)
    return _by_means(layout, models, procedure, error, alpha)


def counted(layout: Layout, models: Designed, *, error: str, alpha: float) -> Counted | None:
    """Count the pairs that are further apart than Tukey's honestly significant difference.

    For very many systems: one critical value, and no p-value for each pair. Standard errors are
    those of the numbers of ratings, exact where the design is balanced. None where there is no
    single mean square, as in the mixed model.
    """
    means, mse, df, _ = _error_term(layout, models, "one-way" if error == "mixed" else error)
    if error == "mixed" or not (mse > 0 and df > 0):
        return None
    n = np.bincount(layout.factors["system"]).astype(float)
    reach = range_quantile(1 - alpha, means.size, float(df)) * math.sqrt(mse / 2)
    apart = 0
    for place in range(means.size - 1):
        further = np.abs(means[place + 1 :] - means[place])
        apart += int((further > reach * np.sqrt(1 / n[place] + 1 / n[place + 1 :])).sum())
    size = means.size * (means.size - 1) // 2
    return Counted(PROCEDURES["tukey"], models.error_words(error), alpha, apart, size)


def _blocks(layout: Layout) -> Any:
    found = blocks(layout)
    if found is None:
        raise InvalidArgument(
            "Nemenyi's procedure ranks the systems within sources or judges, but fewer than two "
            "sources (and judges) have ratings of every system; choose Dunn's ('dunn'), which "
            "ranks all ratings together"
        )
    return found.table


def _by_means(
    layout: Layout, models: Designed, procedure: str, error: str, alpha: float
) -> Comparisons:
    means, mse, df, covariance = _error_term(layout, models, error)
    return compare_means(
        means, np.bincount(layout.factors["system"]), mse, df, procedure=procedure, alpha=alpha,
        covariance=covariance, error=models.error_words(error),
    )  # fmt: skip


def _error_term(
    layout: Layout, models: Designed, error: str
) -> tuple[Floats, float, Any, Floats | None]:
    """The means to compare, the mean square, its degrees of freedom, and the covariances."""
    if error == "mixed":
        assert models.mixed is not None
        found = models.mixed
        return found.means, found.mse, found.df, found.covariance
    if error == "one-way":
        return layout.means("system"), *models.error(error), None
    whole = models.additive
    covariance = None if whole.balanced else whole.covariance("system")
    return whole.means["system"], *models.error(error), covariance


def what_is_compared(models: Designed, procedure: str, error: str) -> str:
    """Name what a procedure compares: means, adjusted means or mean ranks."""
    if procedure in ("dunn", "nemenyi"):
        return "mean ranks"
    plain = procedure == "games-howell" or error == "one-way" or models.additive.balanced
    return "means" if plain else "adjusted means"


def letters_of(found: Comparisons | None, best: str) -> tuple[str, ...] | None:
    """Letters that systems share when they do not differ; a goes to the best one."""
    if found is None or len(found.places) > MOST_LETTERED or not found_any(found):
        return None
    apart = [(pair.first, pair.second) for pair in found.pairs if pair.significant]
    sign = -1.0 if best == "low" else 1.0
    return compact_letters(apart, [sign * place for place in found.places])


def found_any(found: Comparisons) -> bool:
    """Whether any pair could be tested."""
    return any(not math.isnan(pair.p_adjusted) for pair in found.pairs)


def system_pairs(
    layout: Layout, models: Designed, found: Comparisons | None, order: list[int], error: str
) -> Iterator[SystemPair]:
    """List all pairs of systems, the better of two first, with both sizes of their difference.

    `order` holds the places of the systems from the best to the worst.
    """
    if found is None or len(order) > MOST_LETTERED:
        return
    groups, names = layout.groups("system"), layout.names["system"]
    means = layout.means("system") if error == "one-way" else models.additive.means["system"]
    unit = math.sqrt(models.error(error)[0]) or math.nan
    place = {system: number for number, system in enumerate(order)}
    for pair in sorted(found.pairs, key=lambda each: _sorted(each.first, each.second, place)):
        turned = place[pair.first] > place[pair.second]
        one = replace(pair, **_turned(pair)) if turned else pair
        delta = cliffs_delta(groups[one.first], groups[one.second], confidence=1 - found.alpha)
        yield SystemPair(
            first=names[one.first],
            second=names[one.second],
            difference=one.difference,
            low=math.nan if one.low is None else one.low,
            high=math.nan if one.high is None else one.high,
            p=one.p,
            p_adjusted=one.p_adjusted,
            significant=one.significant,
            standardised=float(means[one.first] - means[one.second]) / unit,
            cliffs_delta=delta.value,
            delta_low=delta.low,
            delta_high=delta.high,
        )


def _sorted(first: int, second: int, place: dict[int, int]) -> tuple[int, int]:
    low, high = sorted((place[first], place[second]))
    return low, high


def _turned(pair: Any) -> dict[str, Any]:
    return {
        "first": pair.second, "second": pair.first, "difference": -pair.difference,
        "low": None if pair.high is None else -pair.high,
        "high": None if pair.low is None else -pair.low,
    }  # fmt: skip
