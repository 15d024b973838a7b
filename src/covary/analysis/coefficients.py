"""Which coefficients are shown for a scale: the main pair, those beside it, and differences of
groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.reliability_result import Comparison, GroupDifference
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.coefficients.correlation import pearson, spearman
from covary.stats.coefficients.fleiss import fleiss_kappa
from covary.stats.coefficients.gamma import exchangeable_gamma, goodman_kruskal_gamma, kendall_tau_b
from covary.stats.coefficients.gwet import gwet_ac1, gwet_ac2
from covary.stats.coefficients.icc import icc
from covary.stats.coefficients.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.coefficients.kendall_w import kendall_w
from covary.stats.coefficients.krippendorff import alpha_statistic, krippendorff_alpha
from covary.stats.coefficients.percent import percent_agreement
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec, bootstrap
from covary.stats.patterns import Patterns
from covary.stats.statistic import Statistic

Coefficient = Callable[..., Estimate]

Floats = npt.NDArray[np.float64]


HEADLINES: Mapping[str, Coefficient] = MappingProxyType(
    {
        "krippendorff_alpha": krippendorff_alpha,
        "percent_agreement": percent_agreement,
        "cohen_kappa": cohen_kappa,
        "light_kappa": light_kappa,
        "conger_kappa": conger_kappa,
        "fleiss_kappa": fleiss_kappa,
        "gwet_ac1": gwet_ac1,
        "gwet_ac2": gwet_ac2,
        "icc": icc,
    }
)
"""The coefficients that may stand for agreement, by their names; the first one if none is asked."""


def main_pair(
    ratings: Ratings,
    criterion: Any,
    spec: IntervalSpec,
    judges: Any = None,
    *,
    headline: str | None = None,
) -> tuple[Estimate, Estimate | None]:
    """Return agreement and correlation at the level of the scale; names have no correlation.

    Agreement is Krippendorff's alpha, or the coefficient that is asked for as `headline`.
    """
    keywords = _keywords(spec) | {"criterion": criterion, "judges": judges}
    agreement = HEADLINES[headline or "krippendorff_alpha"](ratings, **keywords)
    scale = ratings.scale(criterion)
    if scale.level is Level.NOMINAL and not _binary(scale):
        return agreement, None
    if ratings.slots:
        return agreement, exchangeable_gamma(ratings, **keywords)
    correlation = pearson if scale.level >= Level.INTERVAL else goodman_kruskal_gamma
    return agreement, correlation(ratings, **keywords)


def further_coefficients(
    ratings: Ratings, criterion: Any, spec: IntervalSpec, *, headline: str | None = None
) -> Iterator[Estimate]:
    """Return the further coefficients that suit the scale and the judges, where they can be had.

    Where another coefficient than alpha is the headline, alpha stands first among them.
    """
    keywords = _keywords(spec) | {"criterion": criterion}
    if headline not in (None, "krippendorff_alpha"):
        yield krippendorff_alpha(ratings, **keywords)
    for coefficient, more in _suitable(ratings, ratings.scale(criterion)):
        try:
            yield coefficient(ratings, **keywords, **more)
        except InvalidArgument:
            continue  # it needs named judges, two judges or declared categories


def _suitable(ratings: Ratings, scale: Scale) -> list[tuple[Coefficient, dict[str, Any]]]:
    named: list[tuple[Coefficient, dict[str, Any]]]
    if scale.level is Level.NOMINAL:
        named = [(conger_kappa, {}), (light_kappa, {})]
        return [
            (percent_agreement, {}),
            (fleiss_kappa, {}),
            *_if_named(ratings, named),
            (gwet_ac1, {}),
        ]
    ranks: list[tuple[Coefficient, dict[str, Any]]] = [
        (kendall_tau_b, {}),
        (spearman, {}),
        (kendall_w, {}),
        (icc, {"form": "2,1"}),
        (icc, {"form": "2,k"}),
    ]
    if scale.categories is None:
        return _if_named(ratings, ranks)
    weighted = light_kappa if len(ratings.judges) != 2 else cohen_kappa
    named = [(conger_kappa, {}), (weighted, {"weights": "quadratic"}), *ranks]
    exact: list[tuple[Coefficient, dict[str, Any]]] = [(percent_agreement, {})]
    if len(scale.categories) > 2:
        exact.append((percent_agreement, {"tolerance": 1}))
    return [*exact, (fleiss_kappa, {}), (gwet_ac2, {}), *_if_named(ratings, named)]


def _if_named(ratings: Ratings, named: list[Any]) -> list[Any]:
    """Leave out what follows each judge where judges are not known."""
    return [] if ratings.slots else named


def _keywords(spec: IntervalSpec) -> dict[str, Any]:
    return {
        "confidence": spec.confidence,
        "interval": spec.method,
        "resamples": spec.resamples,
        "rng": spec.seed,
    }


def _binary(scale: Scale) -> bool:
    return scale.categories is not None and len(scale.categories) == 2


def group_differences(
    patterns: Patterns, level: Level, groups: Sequence[Comparison], spec: IntervalSpec
) -> Iterator[GroupDifference]:
    """Compare every two groups; the items are drawn once for both, because they share them."""
    for first, second in combinations(groups, 2):
        both = AlphaDifference(patterns, level, first, second)
        value = both.value
        known = spec.method is not None and value == value
        interval = bootstrap(both, spec) if known else None
        yield GroupDifference((first.label, second.label), value, interval)


class AlphaDifference(Statistic):
    """The alpha of one group of judges less that of another, on the same items."""

    def __init__(
        self, patterns: Patterns, level: Level, first: Comparison, second: Comparison
    ) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.first, self.second = (
            alpha_statistic(_columns(patterns, group), level) for group in (first, second)
        )

    def evaluate(self, counts: Floats) -> Floats:
        return self.first.evaluate(counts) - self.second.evaluate(counts)


def _columns(patterns: Patterns, group: Comparison) -> Patterns:
    """Keep a group's judges and every row, so that rows stay the same for all groups."""
    return patterns.columns(group.judges)
