"""How many judgements decide other questions: preferences, agreement, equivalence, two scales."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import StudySize, fewest, forecast
from covary.analysis.planning.power import CERTAIN, MOST_ITEMS, difference_error
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.distributions import normal_cdf, normal_quantile, t_quantile
from covary.stats.estimate import Result


def preferences_needed(
    share: float, *, at: float = 0.8, alpha: float = 0.05, per_source: int = 1, icc: float = 0.0
) -> int:
    """Say how many preferences show that a system is preferred in this share of them.

    `per_source` judgements of the same source, alike by `icc`, count for less: the number grows
    by the design effect 1 + (per_source - 1) × icc.

    Examples
    --------
    >>> preferences_needed(0.55)
    785
    """
    if not 0 < share < 1 or share == 0.5:
        raise InvalidArgument("planning.preference", argument="share", value=share)
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(at)
    effect = 1 + (per_source - 1) * icc
    return math.ceil(reach**2 / (4 * (share - 0.5) ** 2) * effect - 1e-9)


def items_to_decide(
    value: float, standard_error: float, n_items: int, *, threshold: float, at: float = 0.8
) -> int | None:
    """Say about how many items decide on which side of a threshold a coefficient lies.

    The standard error of `n_items` items shrinks with the root of their number; None where the
    value lies at the threshold.
    """
    distance = abs(value - threshold)
    if not distance or not math.isfinite(standard_error):
        return None
    reach = normal_quantile(0.975) + normal_quantile(at)
    return max(2, math.ceil(n_items * (reach * standard_error / distance) ** 2))


@dataclass(frozen=True, kw_only=True)
class AgreementPower(Result):
    """Whether Krippendorff's alpha can be shown to lie above a threshold.

    `alpha` and `standard_error` are the pilot's, on `items` items; `items_needed` show the side of
    the threshold on which it lies in a share `at` of studies, None where it lies just there.
    """

    alpha: float
    standard_error: float
    items: int
    threshold: float
    items_needed: int | None
    at: float


def agreement_power(
    ratings: Ratings, *, criterion: str | None = None, threshold: float = 0.667, at: float = 0.8
) -> AgreementPower:
    """Say how many items show whether alpha is above a threshold, from the alpha of a pilot."""
    found = krippendorff_alpha(ratings, criterion=criterion, interval="jackknife")
    limits = found.interval
    error = math.nan if limits is None else limits.standard_error
    return AgreementPower(
        alpha=found.value,
        standard_error=error,
        items=found.n_items,
        threshold=threshold,
        items_needed=items_to_decide(found.value, error, found.n_items, threshold=threshold, at=at),
        at=at,
    )


def equivalence_power(
    components: GStudy,
    size: StudySize,
    margin: float,
    *,
    difference: float = 0.0,
    alpha: float = 0.05,
) -> float:
    """Say how often a study shows that two systems differ by less than a margin.

    Two one-sided t tests at `alpha` (Schuirmann 1987); `difference` is the true one.

    Examples
    --------
    >>> from covary.analysis.planning.prior import known_components
    >>> pilot = known_components(item=0.4, judge_system=0.02, residual=0.5)
    >>> size = StudySize(systems=2, items=200, judges=10, votes=5)
    >>> f"{equivalence_power(pilot, size, 0.3):.2f}"
    '0.85'
    """
    if not margin > 0:
        raise InvalidArgument("planning.positive", argument="margin", value=margin)
    error, df = difference_error(components, size)
    if df <= 0:
        return math.nan
    if not error:
        return float(abs(difference) < margin)
    edge = t_quantile(1 - alpha, df)
    sides = (margin - difference) / error, (margin + difference) / error
    missed = sum(0.0 if side > edge + CERTAIN else _missed(side, edge, df) for side in sides)
    return max(0.0, 1 - missed)


def _missed(shift: float, edge: float, df: float) -> float:
    """The chance that a one-sided t test misses a shift of so many standard errors."""
    from scipy import special

    return float(special.nctdtr(df, shift, edge))


def items_for_equivalence(
    components: GStudy,
    size: StudySize,
    margin: float,
    *,
    at: float = 0.8,
    alpha: float = 0.05,
) -> int | None:
    """Say how many items of each system show that two equal systems are equal within a margin.

    None where no number does: then only more judges help.
    """

    def enough(items: int) -> bool:
        own = replace(size, items=items)
        return equivalence_power(components, own, margin, alpha=alpha) >= at

    return fewest(enough, 2, MOST_ITEMS)


@dataclass(frozen=True, kw_only=True)
class ScalePower(Result):
    """How well two scales can be told apart by how reliable single ratings on them are.

    `first` and `second` are the intraclass correlations of single ratings; `power` is the chance to
    find that they differ with `items` items, and `items_needed` what finds it with the chance `at`.
    """

    first: float
    second: float
    items: int
    votes: int
    power: float
    items_needed: int | None
    at: float
    alpha: float


def scale_power(
    first: GStudy, second: GStudy, size: StudySize, *, at: float = 0.8, alpha: float = 0.05
) -> ScalePower:
    """Say whether a study of this size would find that one scale is more reliable than another.

    Each scale is used on as many items, by as many judges, in a study of its own.

    Notes
    -----
    Fisher's transformation for k ratings of an item, z = ½ log((1 + (k - 1) ρ) / (1 - ρ)), has the
    variance k / (2 (k - 1) (n - 2)) (Fisher 1925; Donner & Bull 1983).
    """
    single = replace(size, votes=1)
    shares = [forecast(part, single).generalisability for part in (first, second)]
    return reliability_power(shares[0], shares[1], size.items, size.votes, at=at, alpha=alpha)


def reliability_power(
    first: float, second: float, items: int, votes: int, *, at: float = 0.8, alpha: float = 0.05
) -> ScalePower:
    """Say whether a study finds that ratings of one reliability are better than those of another.

    As `scale_power`, from the reliabilities of single ratings alone.

    Examples
    --------
    >>> found = reliability_power(0.75, 0.45, items=40, votes=3)
    >>> f"{found.power:.2f}", found.items_needed
    ('0.76', 44)
    """
    if votes < 2:
        raise InvalidArgument("planning.two-votes", argument="votes", value=votes)
    shares, k = [first, second], votes
    for name, share in (("first", first), ("second", second)):
        if not 0 <= share < 1:
            raise InvalidArgument("planning.share", argument=name, value=share)
    places = [0.5 * math.log((1 + (k - 1) * rho) / (1 - rho)) for rho in shares]
    gap, edge = abs(places[0] - places[1]), normal_quantile(1 - alpha / 2)

    def chance(number: int) -> float:
        error = math.sqrt(k / ((k - 1) * max(number - 2, 1e-9)))
        return normal_cdf(gap / error - edge) + normal_cdf(-gap / error - edge)

    def enough(number: int) -> bool:
        return chance(number) >= at

    return ScalePower(
        first=shares[0],
        second=shares[1],
        items=items,
        votes=k,
        power=chance(items),
        items_needed=fewest(enough, 3, MOST_ITEMS) if gap else None,
        at=at,
        alpha=alpha,
    )
