"""Fleiss' kappa, its value for each category, and Scott's pi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.coefficient import Coefficient, Request, check_choice, needs_two_judges, prepare
from covary.stats.coefficients.chance import estimate_beyond_chance, prepare_weighted
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec

Floats = npt.NDArray[np.float64]

UNEQUAL = ("gwet", "pooled")


def fleiss_kappa(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = None,
    unequal: Literal["gwet", "pooled"] = "gwet",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do any number of judges give the same category, beyond shared chance margins?

    Prefer it for nominal ratings by judges who are exchangeable. Where the same judges rate all
    items, `conger_kappa` lets each have margins of their own; `krippendorff_alpha` adds a
    correction for few items and distances between categories.

    Parameters
    ----------
    ratings
        The ratings; missing ones are allowed.
    criterion
        Which criterion, where there are several.
    weights
        None for exact matches, `"linear"`, `"quadratic"`, `"ordinal"`, `"radical"`, `"ratio"`, or a
        matrix of agreement (1 on its diagonal) or of disagreement (0 on its diagonal).
    unequal
        What to do when items have different numbers of ratings: `"gwet"` takes the mean over all
        items of each item's shares as margins (Gwet 2014; irrCAC), `"pooled"` the shares of all
        ratings of items with at least two. With equal numbers both are Fleiss (1971).
    judges
        Only these judges; all by default.
    confidence, interval, resamples, rng
        The interval: its confidence; its method (`"auto"` is `"tilted"`, a score interval
        over weights of items, see `docs/intervals.md`; `"analytic"`, `"bca"`, `"bootstrap"`,
        `"jackknife"`, `"two-way"` or None); the number of resamples; and the seed, which is
        recorded.

    Returns
    -------
    Estimate
        At most 1; 0 when agreement is what the shared margins give by chance.

    Notes
    -----
    kappa = (P - Pe) / (1 - Pe), where P is the mean over items with at least two ratings of the
    share of agreeing pairs, and Pe = sum of squared shares (weighted: sum of w_kl p_k p_l).
    Undefined when only one category was used. Checked against R irr 0.84.1, irrCAC 1.0 and
    statsmodels 0.15.0.

    References
    ----------
    Fleiss (1971), Measuring nominal scale agreement among many raters, equations 4-7.
    Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2.

    Examples
    --------
    Four items, three judges; half of all ratings are yes:

    >>> from covary import Ratings, fleiss_kappa
    >>> data = [["Y", "Y", "N"], ["N", "N", "N"], ["Y", "Y", "Y"], ["N", "Y", "N"]]
    >>> fleiss_kappa(Ratings.from_wide(data), interval=None).value  # 1 - (1/3) / (1/2), by hand
    0.333
    """
    check_choice("unequal", unequal, UNEQUAL)
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = prepare_weighted("fleiss_kappa", "Fleiss' kappa", request, weights, named=False)
    return _estimate(coefficient, weights, unequal)


def scott_pi(
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
    """How far do two judges give the same category, beyond the chance of their shared margins?

    Prefer it to `cohen_kappa` where the two judges are exchangeable. For more than two judges it
    is `fleiss_kappa`.

    Parameters
    ----------
    ratings, criterion, weights, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`; name the two `judges` where there are more.

    Returns
    -------
    Estimate
        At most 1; 0 when agreement is what the shared margins give by chance.

    Notes
    -----
    Only items that both judges rated count. Undefined when only one category was used. Quadratic
    weights give Fisher's intraclass correlation of pairs.

    References
    ----------
    Scott (1955), Reliability of content analysis; Artstein & Poesio (2008), section 2.4.

    Examples
    --------
    Artstein & Poesio (2008: 568), three dialogue acts, published .80:

    >>> from covary import Ratings, scott_pi
    >>> table = {
    ...     "A": ["S", "S", "I", "I", "C", "C"],
    ...     "B": ["S", "I", "S", "I", "C", "I"],
    ...     "items": [46, 6, 0, 32, 10, 6],
    ... }
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"])
    >>> round(scott_pi(ratings, interval=None).value, 2)
    0.8
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = prepare_weighted("scott_pi", "Scott's pi", request, weights)
    needs_two_judges(coefficient, "fleiss_kappa for all of them")
    return _estimate(coefficient.pairable, weights, "gwet")


def fleiss_kappa_by_category(
    ratings: Ratings,
    *,
    criterion: Any = None,
    unequal: Literal["gwet", "pooled"] = "gwet",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> dict[Any, Estimate]:
    """Which categories do judges agree on? Fleiss' kappa of each category against all others.

    Parameters
    ----------
    ratings, criterion, unequal, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    dict
        An `Estimate` for each category of the scale; NaN for a category that nobody used.

    References
    ----------
    Fleiss (1971), section on agreement on a particular category.

    Examples
    --------
    >>> from covary import Ratings, fleiss_kappa_by_category
    >>> data = [["Y", "Y", "N"], ["N", "N", "N"], ["Y", "Y", "Y"], ["N", "Y", "N"]]
    >>> kappas = fleiss_kappa_by_category(Ratings.from_wide(data), interval=None)
    >>> kappas["Y"].value  # with two categories both are the overall value
    0.333
    """
    check_choice("unequal", unequal, UNEQUAL)
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = prepare("fleiss_kappa_by_category", "Fleiss' kappa", request, named=False)
    return {
        value: _estimate(_one_category(coefficient, code, value), None, unequal, category=value)
        for code, value in enumerate(coefficient.patterns.values)
    }


def _estimate(coefficient: Coefficient, weights: Any, unequal: str, **settings: Any) -> Estimate:
    return estimate_beyond_chance(
        coefficient,
        weights,
        _shared_chance,
        settings={"unequal": unequal, "missing": "available pairs", **settings},
        pooled=unequal == "pooled",
    )


def _shared_chance(shares: Floats, agreement: Floats) -> Floats:
    expected: Floats = np.einsum("...k,kl,...l->...", shares, agreement, shares)
    return expected


def _one_category(coefficient: Coefficient, code: int, value: Any) -> Coefficient:
    """Turn the coefficient into one category against the rest."""
    patterns = coefficient.patterns
    codes = np.where(patterns.rated, (patterns.codes == code), -1).astype(np.int32)
    values = ("other", value)
    return replace(coefficient, patterns=replace(patterns, codes=codes, values=values))
