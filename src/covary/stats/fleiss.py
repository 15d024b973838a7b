"""Fleiss' kappa, its value for each category, and Scott's pi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.estimate import Estimate
from covary.stats.intervals import Wanted
from covary.stats.matching import chance_corrected, gwet_interval
from covary.stats.patterns import Patterns
from covary.stats.question import Question, ask, needs_categories
from covary.stats.weights import agreement_weights, variant, weights_name

__all__ = ["fleiss_kappa", "fleiss_kappa_by_category", "scott_pi"]

Floats = npt.NDArray[np.float64]


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
        The interval: its confidence; its method (`"auto"` is a percentile bootstrap over items;
        `"analytic"`, `"bca"`, `"bootstrap"`, `"jackknife"`, `"two-way"` or None); the number of
        resamples; and the seed, which is recorded.

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
    _check_unequal(unequal)
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("fleiss_kappa", "Fleiss' kappa", ratings, wanted, criterion=criterion,
                   judges=judges, variant=variant(weights), named=False)  # fmt: skip
    if weights is not None:
        needs_categories(question)
    return _fleiss(question, weights, unequal)


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
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("scott_pi", "Scott's pi", ratings, wanted, criterion=criterion, judges=judges,
                   variant=variant(weights))  # fmt: skip
    if len(question.patterns.judges) > 2:
        raise InvalidArgument(
            f"scott_pi compares two judges and there are {len(question.patterns.judges)}; name two "
            "with judges=[…], or use fleiss_kappa for all of them"
        )
    if weights is not None:
        needs_categories(question)
    both = question.patterns.rated.sum(axis=1) > 1
    return _fleiss(question.among(both), weights, "gwet", asked=question.patterns)


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
    >>> found = fleiss_kappa_by_category(Ratings.from_wide(data), interval=None)
    >>> found["Y"].value  # with two categories both are the overall value
    0.333
    """
    _check_unequal(unequal)
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("fleiss_kappa_by_category", "Fleiss' kappa", ratings, wanted,
                   criterion=criterion, judges=judges, named=False)  # fmt: skip
    return {
        value: _fleiss(_about(question, code, value), None, unequal, category=value)
        for code, value in enumerate(question.patterns.values)
    }


def _fleiss(
    question: Question,
    weights: Any,
    unequal: str,
    *,
    asked: Patterns | None = None,
    category: Any = None,
) -> Estimate:
    patterns = question.merged
    agreement = agreement_weights(weights, patterns)

    def chance(shares: Floats) -> Floats:
        expected: Floats = np.einsum("...k,kl,...l->...", shares, agreement, shares)
        return expected

    statistic = chance_corrected(patterns, agreement, chance, pooled=unequal == "pooled")
    settings = {"weights": weights_name(weights), "unequal": unequal, "missing": "available pairs"}
    if category is not None:
        settings["category"] = category
    return question.answer(
        statistic,
        settings=settings,
        own={"analytic": lambda wanted: gwet_interval(statistic, wanted, fixed=2)},
        asked=asked,
    )


def _about(question: Question, code: int, value: Any) -> Question:
    """Turn the question into one category against the rest."""
    old = question.patterns
    codes = np.where(old.codes < 0, -1, (old.codes == code).astype(np.int32)).astype(np.int32)
    made = Patterns(codes, old.counts, ("other", value), old.judges, old.scale, old.clusters)
    return replace(question, patterns=made)


def _check_unequal(unequal: str) -> None:
    if unequal not in ("gwet", "pooled"):
        raise InvalidArgument(f"unequal={unequal!r} is not known; use 'gwet' or 'pooled'")
