"""Intraclass correlations: how much of the variance of ratings is due to the items."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.ratings import Ratings
from covary.records import dataclass
from covary.stats.coefficient import (
    Coefficient,
    OwnIntervals,
    Request,
    check_choice,
    needs_named_judges,
    prepare,
)
from covary.stats.coefficients.mean_squares import (
    MeanSquares,
    RatingSums,
    absolute_limits,
    centred_ratings,
    clear_rounding,
    mean_squares,
    rating_unit,
    ratio_limits,
    spearman_brown,
)
from covary.stats.coefficients.variance_components import (
    STARTS,
    Components,
    ItemsByJudges,
    fit_components,
    standard_components,
)
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import OTHER_JUDGES, THESE_JUDGES, Estimate, Interval
from covary.stats.intervals import IntervalSpec, method_of_numbers
from covary.stats.line import BY_SUMS
from covary.stats.models.reml import curvature_at
from covary.stats.patterns import Patterns
from covary.stats.statistic import Linear, Statistic, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]

FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
"""Shrout and Fleiss's forms: the model (1, 2, 3), and one rating or the mean of k."""

SURE_NOISE = 0.01
"""With a larger share of noise than this, other ratings by the same judges have noise too."""

MANY_JUDGES, FEW_GROUPS = 30, 25
"""With more judges than this a jackknife of missing ratings leaves out so many groups of items."""


def icc(
    ratings: Ratings,
    *,
    form: str = "2,1",
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> Estimate:
    """How much of the variance of the ratings comes from the items, and not from judges or error?

    The choice for ratings on an interval scale. Forms 1 and 2 measure agreement: a strict judge
    lowers them. Form 3 measures consistency: only differences between items count, as in
    `pearson` and `cronbach_alpha`. `krippendorff_alpha` at interval level is close to form 1.

    Parameters
    ----------
    ratings
        The ratings.
    form
        Which intraclass correlation, in the notation of Shrout & Fleiss (1979). `"1,·"`: each item
        has its own judges, nobody knows which. `"2,·"`: the judges stand for other judges,
        absolute agreement. `"3,·"`: these judges and no others, consistency. `"·,1"` is the
        reliability of one rating, `"·,k"` that of the mean of all. The default, `"2,1"`, is the
        one that does not flatter.
    criterion
        Which criterion, where the ratings hold several.
    judges
        Only these judges.
    confidence
        The confidence of the interval.
    interval
        `"auto"` takes `"analytic"`: exact limits from F where no rating is missing, else the delta
        method; where items lie in clusters it takes `"bootstrap"`, or where ratings are missing
        `"jackknife"` (with more than 30 judges in 25 random groups of clusters). `"bca"` and
        `"jackknife"` also resample items. None leaves it out.
    resamples
        How many resamples, where the interval draws any.
    rng
        A seed or a NumPy generator, to repeat the draws.

    Returns
    -------
    Estimate
        At most 1; 0 when items differ no more than chance makes them; negative when ratings of one
        item differ more than ratings of different items. `details` holds the mean squares or the
        variance components.

    Notes
    -----
    With mean squares between items (B), between judges (J), of the error (E) and within items (W)::

        ICC(1,1) = (B - W) / (B + (k-1) W)                    ICC(1,k) = (B - W) / B
        ICC(2,1) = (B - E) / (B + (k-1) E + k (J - E) / n)    ICC(2,k) = (B - E) / (B + (J - E) / n)
        ICC(3,1) = (B - E) / (B + (k-1) E)                    ICC(3,k) = (B - E) / B

    The limits are those of Shrout & Fleiss; for the k forms they are the single ones stepped up by
    Spearman and Brown, as R psych does (R irr uses other limits for ICC(2,k)). Limits of forms 1
    and 2 speak of other judges, those of form 3 of these judges.

    Missing ratings: variance components by REML, as from R lme4, and the ICC from them:
    item / (item + (judge + residual) / k), without the judge in form 3. k is then the harmonic
    mean of the number of ratings per item, never the number of judges. Items with one rating are
    used. The interval is the delta method on the logit of the ICC, from the observed information.
    Form 1 only needs the same number of ratings for each item, and k is that number. Resampling
    repeats REML each time, which takes seconds.

    Limits from F are exact if ratings are normal; on skewed five-point ratings they hold the truth
    less often than they say.

    Undefined (NaN) with fewer than two items or judges, without items that two judges rated, and
    where nothing varies.

    Checked against R psych 2.2.9 and R irr 0.84.1 (values and limits) and R lme4 (components).

    References
    ----------
    Shrout & Fleiss (1979), Intraclass correlations: uses in assessing rater reliability,
    Psychological Bulletin 86, Tables 2-4. McGraw & Wong (1996), Psychological Methods 1.

    Examples
    --------
    Shrout & Fleiss (1979), Table 4: .17, .29, .71 and .44, .62, .91.

    >>> from covary import Ratings
    >>> rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> ratings = Ratings.from_wide(rows, level="interval")
    >>> [round(icc(ratings, form=form).value, 2) for form in FORMS]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    >>> print(icc(ratings, form="2,1").interval)
    [0.0188, 0.7611]
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    check_choice("form", form, FORMS)
    coefficient = prepare("icc", f"ICC({form})", request, unsorted_for=BY_SUMS)
    if form[0] != "1":
        needs_named_judges(coefficient)
    route = _route(coefficient, form)
    return coefficient.estimate(
        route.statistic,
        settings=route.settings,
        default=_default(coefficient.patterns, route.statistic),
        details=route.details,
        own=route.own,
        undefined=route.undefined,
        notes=route.notes,
    )


def fisher_icc(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> Estimate:
    """Do two ratings of the same item lie closer together than ratings of different items?

    Fisher's classical intraclass correlation: the correlation of all pairs of ratings of an item,
    each pair entered both ways round. It is an agreement index (a strict judge lowers it) and does
    not need to know who gave which rating. `icc(form="1,1")` is its unbiased cousin,
    `krippendorff_alpha` at interval level differs by a small-sample correction, and Pearson's
    *inter*class correlation (`pearson`) forgives strictness.

    Parameters
    ----------
    ratings
        The ratings.
    criterion
        Which criterion, where the ratings hold several.
    judges
        Only these judges.
    confidence
        The confidence of the interval.
    interval
        `"auto"` takes `"tilted"` (items); also `"bootstrap"`, `"bca"`, `"jackknife"`,
        `"analytic"`, `"two-way"` (items and judges), or None.
    resamples
        How many resamples, where the interval draws any.
    rng
        A seed or a NumPy generator, to repeat the draws.

    Returns
    -------
    Estimate
        At most 1; 0 when the ratings of an item are no more alike than any others; at least
        -1/(m-1) with m ratings for each item.

    Notes
    -----
    Over all ordered pairs (x, y) of ratings of the same item, with mean μ of the x::

        r = Σ (x - μ)(y - μ) / Σ (x - μ)²

    Two judges and N items: r is Scott's pi with quadratic weights, and interval alpha is
    1 - (1 - r)(1 - 1/(2N)). With more judges every pair counts the same, so an item with m ratings
    counts m(m-1) times. Items with fewer than two ratings are dropped and counted.

    Undefined (NaN) with fewer than two such items, and where nothing varies.

    Checked against the identities above and the worked example below.

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers, section 38.

    Examples
    --------
    Two judges who rank ten items alike (gamma 1.0), one of them stricter:

    >>> from covary import Ratings
    >>> one, two = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> ratings = Ratings.from_wide(list(zip(one, two)), level="interval")
    >>> round(fisher_icc(ratings, interval=None).value, 5)
    0.5
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = prepare("fisher_icc", "Fisher's ICC", request).pairable
    statistic = _pairs_statistic(coefficient.patterns)
    return coefficient.estimate(
        statistic,
        settings={"pairs": "all within items"},
        default=method_of_numbers(statistic),
        undefined=_too_few_pairs(coefficient),
    )


def _default(patterns: Patterns, statistic: Statistic) -> str:
    """Choose limits of independent items; clusters are drawn, or left out where REML is dear."""
    if patterns.clusters is None:
        return "analytic"
    return "bootstrap" if statistic.cheap else "jackknife"


@dataclass(frozen=True, kw_only=True)
class _Route:
    """How an ICC is reached: from mean squares or from REML."""

    statistic: Statistic
    settings: Mapping[str, Any]
    details: Mapping[str, Any] = field(default_factory=dict)
    own: OwnIntervals = field(default_factory=dict)
    undefined: str = ""
    notes: tuple[str, ...] = ()


def _route(coefficient: Coefficient, form: str) -> _Route:
    patterns = coefficient.patterns
    sizes = np.flatnonzero(np.bincount(patterns.sizes))
    needed = 1 if form[0] == "1" else len(patterns.judges)
    if sizes.size < 2 and (not sizes.size or sizes[0] >= needed):
        return _from_mean_squares(patterns, form, int(sizes[0]) if sizes.size else 0)
    return _from_components(coefficient, form)


def _from_mean_squares(patterns: Patterns, form: str, k: int) -> _Route:
    def finish(sums: Floats) -> Floats:
        return _coefficient(mean_squares(sums, k), form)

    statistic = RatingSums(patterns, finish, by_judge=form[0] != "1")
    settings = {"form": form, "missing": "none"} | ({"k": k} if form[-1] == "k" else {})
    if not patterns.n_items:
        return _Route(statistic=statistic, settings=settings)
    squares = mean_squares(statistic.total, k)
    exact = {"analytic": lambda spec: _exact(squares, form, spec)}
    return _Route(
        statistic=statistic,
        settings=settings,
        details=_mean_square_details(squares, form, rating_unit(patterns)),
        own={} if patterns.clusters is not None else exact,
        undefined=_why_undefined(squares, form),
        notes=_negative_note(squares, form),
    )


def _coefficient(squares: MeanSquares, form: str) -> Floats:
    n, k, items = squares.n, squares.k, squares.items
    error = squares.within if form[0] == "1" else squares.error
    excess = squares.judges - squares.error if form[0] == "2" else np.zeros_like(items)
    if form[-1] == "k":
        return ratio(items - error, items + ratio(excess, n))
    return ratio(items - error, items + (k - 1) * error + k * ratio(excess, n))


def _exact(squares: MeanSquares, form: str, spec: IntervalSpec) -> Interval:
    if form[0] == "2":
        single = float(_coefficient(squares, "2,1"))
        limits = absolute_limits(squares, single, spec.confidence)
    else:
        limits = ratio_limits(squares, spec.confidence, one_way=form[0] == "1")
    k = squares.k if form[-1] == "k" else 1
    low, high = (spearman_brown(limit, k) for limit in limits)
    return Interval(low, high, spec.confidence, "F", target=_target(form))


def _target(form: str) -> str:
    return THESE_JUDGES if form[0] == "3" else OTHER_JUDGES


def _mean_square_details(squares: MeanSquares, form: str, unit: float) -> dict[str, float]:
    parts = ("items", "within") if form[0] == "1" else ("items", "judges", "error")
    return {f"mean_square_{part}": float(getattr(squares, part)) * unit * unit for part in parts}


def _negative_note(squares: MeanSquares, form: str) -> tuple[str, ...]:
    error = squares.within if form[0] == "1" else squares.error
    return (Note("stats.variance-negative"),) if squares.items < error else ()


def _why_undefined(squares: MeanSquares, form: str) -> str:
    if squares.n < 2:
        return Note("stats.one-item")
    if squares.items > 0 or squares.error > 0:
        return Note("stats.mean-varies-not")
    return Note("stats.items-alike" if form == "1,k" else "stats.judges-and-items-constant")


def _from_components(coefficient: Coefficient, form: str) -> _Route:
    patterns = coefficient.patterns
    two_way, k = form[0] != "1", _mean_size(patterns)
    known = patterns.memory.get(("whole", two_way))
    components = known or standard_components(patterns, two_way=two_way)
    patterns.memory["whole", two_way] = components
    statistic = _FromComponents(patterns, form, components)
    notes = [Note("stats.by-reml"), *components.notes]
    if components.item == 0 and coefficient.spec.method in ("auto", "analytic"):
        notes.append(Note("stats.no-delta"))
    delta = {"analytic": lambda spec: _delta(components, statistic.value, form, spec)}
    return _Route(
        statistic=statistic,
        settings={"form": form, "missing": "reml"} | ({"k": k} if form[-1] == "k" else {}),
        details=components.in_units(rating_unit(patterns)).to_dict(),
        own={} if patterns.clusters is not None else delta,
        undefined=components.reason or Note("stats.nothing-varies"),
        notes=tuple(notes),
    )


class _FromComponents(Statistic):
    """An ICC from variance components, fitted anew for each line of counts.

    A fit costs the cube of the judges. It is therefore kept for the other forms, and with many
    judges an interval leaves out a few groups of items or clusters.
    """

    def __init__(self, patterns: Patterns, form: str, whole: Components) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.form, self.whole, self.k = form, whole, _mean_size(patterns)
        two_way = form[0] != "1"
        memory = patterns.memory.setdefault(("components", two_way), {})
        if not memory:
            memory["table"] = ItemsByJudges(patterns, two_way=two_way)
        self.table, self.fits = memory["table"], memory
        if two_way and len(patterns.judges) > MANY_JUDGES:
            self.n_groups = FEW_GROUPS

    def evaluate(self, counts: Floats) -> Floats:
        return np.array([self._one(line) for line in counts])

    def _one(self, line: Floats) -> float:
        away = np.flatnonzero(line != self.counts)
        if not away.size:
            return _icc_of(self.whole, self.form, self.k)
        key = hashlib.blake2b(away.tobytes() + line[away].tobytes(), digest_size=16).digest()
        if key not in self.fits:
            self.fits[key] = self._fit(line)
        return _icc_of(self.fits[key], self.form, self.k)

    def _fit(self, line: Floats) -> Components:
        """Begin where all ratings ended; that a component is 0 there need not hold elsewhere."""
        starts, curvature = self._near() if self.whole.residual > 0 else (STARTS, None)
        try:
            sums, sure = self.table.sums(line), self._is_sure()
            return fit_components(sums, starts=starts, checked=sure, curvature=curvature)
        except ConvergenceError:
            return Components()

    def _is_sure(self) -> bool:
        """Whether leaving out a few of the ratings cannot take the noise away."""
        noise, whole = self.whole.residual, self.whole.item + self.whole.judge
        return self.n_groups is not None and noise > SURE_NOISE * whole

    def _near(self) -> tuple[tuple[tuple[float, ...], ...], Floats | None]:
        """Where all ratings ended, and how their likelihood bends there unless a component is 0."""
        if "near" not in self.fits:
            variances = [self.whole.item, *([self.whole.judge] if self.form[0] != "1" else [])]
            place = np.log1p(np.array(variances) / self.whole.residual)
            inside = bool((place > 0).all())
            sums = self.table.sums(self.table.counts)
            curvature = curvature_at(sums, place) if inside else None
            start = place if curvature is not None else place + 0.01
            self.fits["near"] = (tuple(start.tolist()),), curvature
        near: tuple[tuple[tuple[float, ...], ...], Floats | None] = self.fits["near"]
        return near


def _mean_size(patterns: Patterns) -> float:
    """The harmonic mean of the number of ratings per item."""
    if not patterns.n_items:
        return math.nan
    return float(patterns.n_items / (patterns.counts @ (1 / patterns.sizes)))


def _icc_of(components: Components, form: str, k: float) -> float:
    noise = _noise(components, form) / (k if form[-1] == "k" else 1)
    whole = components.item + noise
    return components.item / whole if whole > 0 else math.nan


def _noise(components: Components, form: str) -> float:
    return components.residual + (components.judge if form[0] == "2" else 0.0)


def _delta(components: Components, value: float, form: str, spec: IntervalSpec) -> Interval:
    """Limits on the logit; its slopes in the log-variances are 1 and minus shares of the noise."""
    low = high = error = math.nan
    if 0 < value < 1:
        noise = _noise(components, form)
        judge = components.judge / noise if form[0] == "2" else 0.0
        slopes = np.array([1.0, -judge, -components.residual / noise])
        spread = math.sqrt(float(slopes @ components.log_covariance @ slopes))
        logit, z = math.log(value / (1 - value)), normal_quantile((1 + spec.confidence) / 2)
        low, high = ((1 + math.tanh((logit + side * spread) / 2)) / 2 for side in (-z, z))
        error = value * (1 - value) * spread
    interval = Interval(low, high, spec.confidence, "REML delta", standard_error=error)
    return replace(interval, target=_target(form))


def _pairs_statistic(patterns: Patterns, weights: Floats | None = None) -> Linear:
    """Sum items, pairs, and the pairs' x, x² and xy; a judge is never paired with a copy."""
    numbers, times = centred_ratings(patterns), patterns.rated.astype(float)
    if weights is not None:
        times *= weights
    pairs = times * (times.sum(axis=1, keepdims=True) - times)
    weighted = times * numbers
    product = weighted.sum(axis=1) ** 2 - (weighted**2).sum(axis=1)
    x, xx = (pairs * numbers).sum(axis=1), (pairs * numbers**2).sum(axis=1)
    sums = np.column_stack([np.ones(len(times)), pairs.sum(axis=1), x, xx, product])
    return Linear(
        patterns,
        sums,
        _fisher,
        lambda drawn: _pairs_statistic(patterns, drawn),
        remake=_pairs_statistic,
    )


def _fisher(sums: Floats) -> Floats:
    items, pairs, x, xx, xy = (sums[..., place] for place in range(5))
    correction = ratio(x**2, pairs)
    variation = clear_rounding(xx - correction, xx)
    return np.where(items < 2, np.nan, ratio(xy - correction, variation))


def _too_few_pairs(pairable: Coefficient) -> str:
    n_items = pairable.patterns.n_items
    if pairable.n_requested and not n_items:
        return Note("stats.nothing-shared")
    return Note("stats.one-shared-item") if n_items == 1 else ""
