"""Coefficients whose chance agreement does not follow the margins: AC1, AC2, Brennan-Prediger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.coefficient import Coefficient, Request, needs_categories, prepare
from covary.stats.coefficients.chance import (
    Chance,
    estimate_beyond_chance,
    prepare_weighted,
    variant,
)
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec

Floats = npt.NDArray[np.float64]


def gwet_ac1(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree when one category is so common that kappa breaks down?

    Prefer it beside kappa, never alone: it stays high even when judges cannot find the rare
    category, so look at `fleiss_kappa_by_category` and the prevalence too.

    Parameters
    ----------
    ratings
        The ratings, made with a declared `scale`: AC1 grows with the number of possible categories.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        At most 1; 0 when agreement is what random rating of hard items would give.

    Notes
    -----
    AC1 = (P - Pe) / (1 - Pe) with Pe = sum of p_k (1 - p_k) / (K - 1), K all possible categories
    and p_k the mean over items of the category's share. Any number of judges; missing ratings
    allowed. When only one category was used the formula gives 1 even if the judges cannot tell
    anything apart, so it is reported as undefined. Checked against R irrCAC 1.0.

    References
    ----------
    Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement, equation 7.

    Examples
    --------
    118 items both yes, 7 in dispute, none both no: kappa is negative and AC1 high.

    >>> from covary import Ratings, gwet_ac1
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> gwet_ac1(ratings, interval=None).value
    0.941
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    return _estimate(prepare("gwet_ac1", "Gwet's AC1", request, named=False), None, _uneven_chance)


def gwet_ac2(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = "quadratic",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree on ordered categories when one of them is very common?

    The weighted form of `gwet_ac1`, for scales whose near misses count as part agreement.

    Parameters
    ----------
    ratings
        The ratings, made with a declared `scale`.
    weights
        `"quadratic"` (the default, close to an intraclass correlation), `"linear"`, `"ordinal"`,
        `"radical"`, `"ratio"`, or a matrix.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        At most 1; 0 at chance.

    Notes
    -----
    Pe = (sum of w_kl) / (K (K - 1)) * sum of p_k (1 - p_k). Undefined when only one category was
    used. Checked against R irrCAC 1.0 for four sets of weights.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, chapter 3.

    Examples
    --------
    >>> from covary import Ratings, gwet_ac2
    >>> ratings = Ratings.from_wide([[1, 1], [2, 3], [3, 3], [1, 2]], scale="1-3")
    >>> gwet_ac2(ratings, weights="linear", interval=None).value  # P 3/4, Pe 35/64, by hand
    0.448
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    kind = "" if isinstance(weights, str) else variant(weights)
    coefficient = prepare("gwet_ac2", "Gwet's AC2", request, variant=kind, named=False)
    return _estimate(coefficient, weights, _uneven_chance)


def brennan_prediger(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree, if chance means choosing every category equally often?

    Also known as Randolph's free-marginal kappa, Bennett's S and, for two categories, PABAK.

    Parameters
    ----------
    ratings
        The ratings, made with a declared `scale`.
    criterion, weights, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        At most 1; 0 when judges agree as often as if they drew categories from a hat.

    Notes
    -----
    Pe = 1 / K, or with weights (sum of w_kl) / K². When only one category was used the formula
    gives 1 even if the judges cannot tell anything apart, so it is reported as undefined. Checked
    against
    R irrCAC 1.0 and statsmodels 0.15.0.

    References
    ----------
    Brennan & Prediger (1981), Coefficient kappa: some uses, misuses, and alternatives.
    Randolph (2005), Free-marginal multirater kappa.

    Examples
    --------
    Krippendorff (2004: 246), published .19:

    >>> import covary
    >>> from covary import Ratings, brennan_prediger
    >>> table = {
    ...     "A": list("aaabbbccc"),
    ...     "B": list("abcabcabc"),
    ...     "items": [12, 9, 9, 9, 14, 9, 9, 9, 20],
    ... }
    >>> scale = covary.VerbalScale(list("abc"), level="nominal")
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale=scale)
    >>> brennan_prediger(ratings, interval=None).value
    0.19
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    title = "Brennan-Prediger kappa"
    coefficient = prepare_weighted("brennan_prediger", title, request, weights, named=False)
    return _estimate(coefficient, weights, _even_chance)


def _estimate(coefficient: Coefficient, weights: Any, chance: Chance) -> Estimate:
    needs_categories(coefficient)
    settings = {"categories": coefficient.patterns.n_values, "missing": "available pairs"}
    return estimate_beyond_chance(coefficient, weights, chance, settings=settings)


def _uneven_chance(shares: Floats, agreement: Floats) -> Floats:
    """Gwet's: the more even the categories are used, the more likely is agreement by chance."""
    size, spread = len(agreement), np.sum(shares * (1 - shares), axis=-1)
    return np.asarray(agreement.sum() / (size * (size - 1)) * spread)


def _even_chance(shares: Floats, agreement: Floats) -> Floats:
    """Every category equally often, whatever the judges do."""
    return np.full(shares.shape[:-1], agreement.mean())
