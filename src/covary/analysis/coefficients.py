"""Which coefficients are shown for a scale: the main pair, and those beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level, Scale
from covary.stats.alpha import krippendorff_alpha
from covary.stats.concordance import kendall_w
from covary.stats.correlation import pearson, spearman
from covary.stats.estimate import Estimate
from covary.stats.exchangeable import exchangeable_gamma
from covary.stats.fleiss import fleiss_kappa
from covary.stats.gamma import goodman_kruskal_gamma, kendall_tau_b
from covary.stats.gwet import gwet_ac1, gwet_ac2
from covary.stats.icc import icc
from covary.stats.intervals import Wanted
from covary.stats.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.percent import percent_agreement

__all__ = ["beside", "main_pair"]

Coefficient = Callable[..., Estimate]


def main_pair(
    ratings: Ratings, criterion: Any, wanted: Wanted, judges: Any = None
) -> tuple[Estimate, Estimate | None]:
    """Return agreement and correlation at the level of the scale; names have no correlation."""
    keywords = _keywords(wanted) | {"criterion": criterion, "judges": judges}
    agreement = krippendorff_alpha(ratings, **keywords)
    scale = ratings.scale(criterion)
    if scale.level is Level.NOMINAL and not _binary(scale):
        return agreement, None
    if ratings.slots:
        return agreement, exchangeable_gamma(ratings, **keywords)
    correlation = pearson if scale.level >= Level.INTERVAL else goodman_kruskal_gamma
    return agreement, correlation(ratings, **keywords)


def beside(ratings: Ratings, criterion: Any, wanted: Wanted) -> Iterator[Estimate]:
    """Return the further coefficients that suit the scale and the judges, where they can be had."""
    keywords = _keywords(wanted) | {"criterion": criterion}
    for coefficient, more in _suited(ratings, ratings.scale(criterion)):
        try:
            yield coefficient(ratings, **keywords, **more)
        except InvalidArgument:
            continue  # it needs named judges, two judges or declared categories


def _suited(ratings: Ratings, scale: Scale) -> list[tuple[Coefficient, dict[str, Any]]]:
    named: list[tuple[Coefficient, dict[str, Any]]]
    if scale.level is Level.NOMINAL:
        named = [(conger_kappa, {}), (light_kappa, {})]
        return [(percent_agreement, {}), (fleiss_kappa, {}), *_or(ratings, named), (gwet_ac1, {})]
    ranks: list[tuple[Coefficient, dict[str, Any]]] = [
        (kendall_tau_b, {}), (spearman, {}), (kendall_w, {}),
        (icc, {"form": "2,1"}), (icc, {"form": "2,k"}),
    ]  # fmt: skip
    if scale.categories is None:
        return _or(ratings, ranks)
    weighted = light_kappa if len(ratings.judges) != 2 else cohen_kappa
    named = [(conger_kappa, {}), (weighted, {"weights": "quadratic"}), *ranks]
    exact: list[tuple[Coefficient, dict[str, Any]]] = [(percent_agreement, {})]
    if len(scale.categories) > 2:
        exact.append((percent_agreement, {"tolerance": 1}))
    return [*exact, (fleiss_kappa, {}), (gwet_ac2, {}), *_or(ratings, named)]


def _or(ratings: Ratings, named: list[Any]) -> list[Any]:
    """Leave out what follows each judge where judges are not known."""
    return [] if ratings.slots else named


def _keywords(wanted: Wanted) -> dict[str, Any]:
    return {
        "confidence": wanted.confidence,
        "interval": wanted.method,
        "resamples": wanted.resamples,
        "rng": wanted.seed,
    }


def _binary(scale: Scale) -> bool:
    return scale.categories is not None and len(scale.categories) == 2
