"""A mixed model: systems as they are, judges and sources as draws from many that might have been.

The model is rating = system + judge + source + … + error, where all but the system are independent
random effects that may cross and may be unbalanced. The variances are found by restricted maximum
likelihood (REML).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import f_tail
from covary.stats.estimate import Result
from covary.stats.models.anova import check_factors
from covary.stats.models.least_squares import Design
from covary.stats.models.reml import (
    FIXED,
    FREE,
    NOTHING,
    Curvature,
    Solution,
    Sums,
    elimination_order,
    maximise,
    sum_factors,
)
from covary.stats.models.score_test import slope_at_zero
from covary.stats.statistic import ROUNDING
from covary.words import Note

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

BARELY = 1e-6
"""A variance by the residual's that has just left 0."""

FIRST_TRY, LARGE_TRY, TRIES = 0.01, 1.0, 8
"""Where one variance is first looked for, at most where, and in how many steps."""

LITTLE, SURE = 0.5, 30.0
"""So much deviance is not looked for but reckoned, and so much leaves no doubt."""

STARTS = (0.05, 0.8)
"""Where the search begins: log(1 + variance ratio) of every component."""


@dataclass(frozen=True, kw_only=True)
class MixedModel(Result):
    """The systems' means, how far they can be trusted, and where the variation comes from.

    `means` are the estimated means of the systems for judges and sources at large, `covariance`
    their covariances (of differences only, where some factor is fixed); `df` are Satterthwaite's
    degrees of freedom of each difference of two means. `components` are the variances of the random
    effects and of the residual. `f` tests whether all systems are equal; `reason` says why it is
    NaN where it is.
    """

    means: Floats
    covariance: Floats
    df: Floats
    components: Mapping[str, float]
    f: float
    f_df: tuple[float, float]
    p: float
    n_ratings: int
    counts: npt.NDArray[np.int64]
    method: str
    log_likelihood: float
    reason: str = ""
    notes: tuple[str, ...] = ()
    effects: Mapping[str, Floats] = field(default_factory=dict, repr=False)

    @property
    def mse(self) -> float:
        """The variance of the residual."""
        return self.components["residual"]

    @property
    def standard_errors(self) -> Floats:
        """The standard errors of the systems' means."""
        return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True, kw_only=True)
class MixedFit:
    """How likely the ratings are under a model at its best; `model` makes its tests."""

    log_likelihood: float
    reason: str
    model: Callable[[], MixedModel]


@dataclass(frozen=True, kw_only=True)
class Search:
    """Where the variances are sought, in how many steps, and for how long it is worth it.

    `start` are variances near which to search. A model that is only compared with a more likely
    one, of log-likelihood `beside`, is sought until it is beyond doubt that it lags behind.
    """

    start: Mapping[str, float] | None = None
    most_steps: int = 200
    beside: float = -math.inf

    def within(self, sums: Sums) -> tuple[Floats, Solution]:
        """The variances by the residual's, and the equations solved for them."""
        return maximise(
            sums,
            self._starts(sums),
            self.most_steps,
            near=self.start is not None,
            hopeless=SURE - 2 * self.beside,
        )

    def _starts(self, sums: Sums) -> list[list[float]]:
        """Beside known variances, else from small and from large ones."""
        near = self.start
        if near is None:
            return [[place] * len(sums.random) for place in STARTS]
        known = [near.get(name, math.nan) / near["residual"] for name in sums.random]
        logs = [STARTS[0] if math.isnan(ratio) else math.log1p(ratio) for ratio in known]
        return [[max(place, math.log1p(NOTHING)) for place in logs]]


def mixed_model(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    random: Mapping[str, npt.ArrayLike],
    fixed: Collection[str] = (),
    start: Mapping[str, float] | None = None,
    max_iterations: int = 200,
) -> MixedModel:
    """Do systems differ for judges and sources like these, and not only for these?

    Parameters
    ----------
    values
        The ratings as numbers.
    system
        The system of each rating, as whole numbers from 0.
    random
        The level of each rating on each random factor (judge, source, item), likewise.
    fixed
        Those of the random factors whose levels are taken as they are, not as drawn from many: few
        judges whose severities must not be shrunken. They get no variance.
    start
        Variances of the random factors and of the residual near which to search, such as those of
        a larger or a smaller model.
    max_iterations
        How many steps the search may take before `ConvergenceError`.

    Returns
    -------
    MixedModel
        To compare all pairs, give `means`, `counts`, `mse`, `df` and `covariance` to
        `compare_means`.

    Notes
    -----
    REML as in R's lme4, F and its degrees of freedom by Satterthwaite's method as in R's lmerTest
    (Fai & Cornelius 1996 for more than two systems); a component that is estimated as 0 is held
    there. In a balanced design F equals that of the additive model with the same factors. A random
    factor that these ratings cannot tell apart from the system, the residual or another factor is
    left out, and a note says so. Undefined, with a reason, when nothing is left for the residual.

    Judges who only differ in severity cancel out of the differences between systems. Where judges
    may also differ in which systems they prefer, a claim about other judges needs that in the
    model: give the pairs of judge and system as a further random factor. Checked against Pinheiro &
    Bates (2000) and statsmodels 0.15.0 (MixedLM).

    References
    ----------
    Bates, Mächler, Bolker & Walker (2015), Fitting linear mixed-effects models using lme4;
    Kuznetsova, Brockhoff & Christensen (2017), lmerTest.

    Examples
    --------
    A balanced Latin square, where R's aov prints F 18.976 with 3 and 18 degrees of freedom:

    >>> from covary import datasets
    >>> from covary.stats.models.observations import observations
    >>> rows = observations(datasets.load("latin-square-example"))
    >>> random = {name: rows.factors[name] for name in ("judge", "source")}
    >>> model = mixed_model(rows.values, rows.factors["system"], random=random)
    >>> print(f"{model.f:.3f} {model.f_df[0]:.0f} {model.f_df[1]:.0f}")
    18.976 3 18
    """
    search = Search(start=start, most_steps=max_iterations)
    return mixed_fit(values, system, random=random, fixed=fixed, search=search).model()


def mixed_fit(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    random: Mapping[str, npt.ArrayLike],
    fixed: Collection[str] = (),
    search: Search | None = None,
    sums: Sums | None = None,
) -> MixedFit:
    """Fit the same model, from sums that are known already, and leave its tests for later."""
    search = search or Search()
    if FIXED in random or "residual" in random:
        raise InvalidArgument("stats.random-system", argument="random", value=list(random))
    ratings, factors = check_factors(values, {FIXED: system, **random})
    notes, design = _drop_confounded(factors)
    reason = _why_undefined(ratings, design)
    described: dict[str, Any] = {
        "n_ratings": ratings.size,
        "counts": design.counts[FIXED].astype(np.int64),
        "method": reml_method(list(design.factors), fixed),
    }
    if reason:
        return _undefined(tuple(random), reason=reason, notes=tuple(notes), **described)
    if sums is None or sums.random != tuple(name for name in design.factors if name != FIXED):
        sums = sum_factors(ratings, design)
    sums = replace(sums, held=frozenset(fixed))
    found = search.within(sums)
    centre, unknown = design.means(FIXED, ratings), dict.fromkeys(random, math.nan)
    return _fitted(found, centre, {"notes": notes, **described}, unknown=unknown)


def fit_sums(
    sums: Sums,
    centre: Floats,
    counts: npt.NDArray[np.int64],
    *,
    method: str,
    notes: Sequence[Note] = (),
    start: Mapping[str, float] | None = None,
) -> MixedFit:
    """Fit the mixed model to sums that were formed where the ratings live.

    `centre` are the plain means of the systems, about which the sums are, `counts` their ratings.
    """
    described: dict[str, Any] = {"n_ratings": int(sums.n_ratings), "method": method}
    described |= {"counts": counts}
    if sums.within <= ROUNDING * sums.squares:
        code = "stats.no-residual" if sums.squares else "stats.all-equal"
        return _undefined(sums.random, reason=Note(code), notes=tuple(notes), **described)
    found = Search(start=start).within(sums)
    return _fitted(found, centre, {"notes": notes, **described})


def _fitted(
    found: tuple[Floats, Solution],
    centre: Floats,
    described: Mapping[str, Any],
    *,
    unknown: Mapping[str, float] = MappingProxyType({}),
) -> MixedFit:
    ratios, solution = found
    sums = solution.sums

    def model() -> MixedModel:
        return _described(sums, _fit(solution, ratios, centre), described, unknown=unknown)

    likelihood = -solution.deviance(solution.rest / sums.df) / 2
    return MixedFit(log_likelihood=likelihood, reason="", model=model)


def _described(
    sums: Sums,
    fitted: dict[str, Any],
    described: Mapping[str, Any],
    *,
    unknown: Mapping[str, float],
) -> MixedModel:
    """Name the variances that were estimated, and say which are 0."""
    components = {**unknown, **fitted.pop("components")}
    left = sums.held | sums.absent
    components = {name: own for name, own in components.items() if name not in left}
    zero = [name for name in sums.random if components.get(name) == 0]
    notes = (
        *described["notes"],
        *(Note("stats.variance-zero", factor=name) for name in zero),
    )
    return MixedModel(components=components, **fitted, **{**described, "notes": notes})


@dataclass(frozen=True, kw_only=True)
class AddedVariance:
    """Which variance one more random factor gets, what it gains, and the sums of a new fit."""

    variance: float = 0.0
    gain: float = 0.0
    sums: Sums | None = None


def added_variance(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    random: Mapping[str, npt.ArrayLike],
    name: str,
    beside: Mapping[str, float],
) -> AddedVariance:
    """Which variance one more random factor gets beside those of a fitted model, and what it gains.

    The other variances stay as they are, so that the gain (of twice the log-likelihood) is about
    the least that a new fit gains; one that leaves no doubt is not sought to the end. Both are 0
    where the likelihood falls as the variance leaves 0.
    """
    ratings, factors = check_factors(values, {FIXED: system, **random})
    design, residual = Design(factors), beside["residual"]
    *_, rest = elimination_order(design)
    if name in rest:
        held = set(factors) - {FIXED, *beside, name}
        ratios = {n: max(beside.get(n, 0.0) / residual, NOTHING) for n in random if n != name}
        ratios |= dict.fromkeys(held, FREE)
        if slope_at_zero(ratings, design, ratios, name=name, residual=residual) >= 0:
            return AddedVariance()
    sums = sum_factors(ratings, design)
    fixed = frozenset(sums.random) - {*beside, name}
    known = [FREE if n in fixed else beside.get(n, 0.0) / residual for n in sums.random]
    place = sums.random.index(name)

    def at(ratio: float) -> Solution:
        ratios = np.array(known)
        ratios[place] = ratio
        return replace(sums, held=fixed).solve(ratios)

    without, gain = at(BARELY), 0.0
    slope = float(without.log_slopes(residual)[place])
    if slope >= 0:
        return AddedVariance()
    nothing = without.deviance(residual)
    scored = BARELY * (1 - slope / without.bend(name))  # by Fisher's scoring
    ratio = min(max(scored, 2 * BARELY), LARGE_TRY) if without.of_rest(name) else FIRST_TRY
    for _ in range(TRIES):
        solution = at(ratio)
        slope, bend = float(solution.log_slopes(residual)[place]), solution.bend(name)
        step, grown = -slope / bend, math.log(solution.growth[place])
        gain = nothing - solution.deviance(residual)
        if gain > SURE or abs(slope * step) < LITTLE:
            gain -= slope * step / 2
            break
        ratio *= math.exp(max(grown, step) if slope < 0 else min(grown, step))
    return AddedVariance(variance=residual * ratio, gain=max(gain, 0.0), sums=sums)


def _drop_confounded(factors: Mapping[str, Codes]) -> tuple[list[Note], Design]:
    """Leave out the random factors that these ratings cannot tell from something else."""
    design = Design(factors)
    kept, notes = {FIXED: factors[FIXED]}, []
    for name in (factor for factor in factors if factor != FIXED):
        why = _why_confounded(design, name, [other for other in kept if other != FIXED])
        if why is None:
            kept[name] = factors[name]
        else:
            notes.append(Note("stats.factor-left-out", factor=name, why=why))
    return notes, Design(kept) if notes else design


def _why_confounded(design: Design, name: str, others: list[str]) -> Note | None:
    levels = design.levels(name)
    if levels < 2:
        return Note("stats.one-level", factor=name)
    if levels == design.n:
        return Note("stats.one-rating-each", factor=name)
    if design.met(FIXED, name) == design.levels(FIXED):
        return Note("stats.one-each-system", factor=name)
    for other in others:
        if design.met(name, other) == levels == design.levels(other):
            return Note("stats.same-factor", other=other)
    return None


def _why_undefined(values: Floats, design: Design) -> str:
    centred = values - values.mean()
    total = float(centred @ centred)
    if not total:
        return Note("stats.all-equal")
    n_free, left = design.leave(centred)
    if n_free < 1:
        return Note("stats.saturated-residual")
    return Note("stats.no-residual") if left <= ROUNDING * total else ""


def _fit(solution: Solution, ratios: Floats, centre: Floats) -> dict[str, Any]:
    """Means, their covariances and the F test at the variances that were found."""
    sums = solution.sums
    residual = solution.rest / sums.df
    variances = np.append(ratios * residual, residual)
    means, covariance = solution.effects(FIXED) + centre, solution.covariance() * residual
    if sums.held:  # how high the means lie beside fixed levels has no variance, differences have
        own = np.eye(means.size) - 1 / means.size
        covariance = own @ covariance @ own
    freedom = _Satterthwaite(Curvature(sums, variances, solution))
    f, df1, df2 = _f_test(means, covariance, freedom)
    reason = _why_no_f(means.size, df2)
    return {
        "means": means,
        "covariance": covariance,
        "df": freedom.of_pairs(covariance),
        "components": dict(zip([*sums.random, "residual"], variances.tolist(), strict=True)),
        "f": math.nan if reason else f,
        "f_df": (df1, df2),
        "p": math.nan if reason else f_tail(f, df1, df2),
        "log_likelihood": -solution.deviance(residual) / 2,
        "reason": reason,
        "effects": {name: solution.effects(name) for name in sums.known},
    }


def _why_no_f(n_systems: int, df2: float) -> str:
    if n_systems < 2:
        return Note("stats.one-level", factor=FIXED)
    return "" if df2 > 0 else Note("stats.variances-unknown")


class _Satterthwaite:
    """Degrees of freedom from how the covariances of means change with the variances."""

    def __init__(self, curvature: Curvature) -> None:
        self.known = curvature.covariance
        self.changes = curvature.changes

    def of(self, variance: Floats, changes: Floats) -> Floats:
        """Twice the squared variance by the variance of the variance."""
        spread = np.einsum("i...,ij,j...->...", changes, self.known, changes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(spread > 0, 2 * variance**2 / spread, np.nan)

    def of_pairs(self, covariance: Floats) -> Floats:
        """The degrees of freedom of each difference of two systems."""
        changes = np.array([_squared_errors(change) for change in self.changes])
        df = self.of(_squared_errors(covariance), changes)
        np.fill_diagonal(df, np.nan)
        return df


def _squared_errors(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance)


def _f_test(
    means: Floats, covariance: Floats, freedom: _Satterthwaite
) -> tuple[float, float, float]:
    """F of all systems being equal, in independent contrasts (Fai & Cornelius 1996)."""
    size = means.size - 1
    if size < 1:
        return math.nan, 0.0, math.nan
    contrasts = np.hstack([np.ones((size, 1)), -np.eye(size)])
    values, vectors = np.linalg.eigh(contrasts @ covariance @ contrasts.T)
    turned = vectors.T @ contrasts
    t_squared = (turned @ means) ** 2 / values
    changes = np.array([np.sum((turned @ c) * turned, axis=1) for c in freedom.changes])
    return float(t_squared.mean()), float(size), _joint_df(freedom.of(values, changes))


def _joint_df(dfs: Floats) -> float:
    if np.isnan(dfs).any():
        return math.nan
    if np.ptp(dfs) < 1e-8 * dfs.max():
        return float(dfs[0])
    if (dfs <= 2).any():
        return 2.0
    expected = float(np.sum(dfs / (dfs - 2)))
    return 2 * expected / (expected - dfs.size)


def reml_method(factors: Collection[str], fixed: Collection[str]) -> str:
    """Say in words which model was fitted."""
    among = ", ".join(name for name in factors if name not in (FIXED, *fixed)) or "nothing"
    held = [name for name in fixed if name in factors]
    beside = f"fixed: {', '.join(held)}; " if held else ""
    return f"mixed model by REML, {beside}random: {among}; Satterthwaite's degrees of freedom"


def _undefined(random: tuple[str, ...], counts: npt.NDArray[np.int64], **facts: Any) -> MixedFit:
    k = counts.size
    unknown = np.full((k, k), np.nan)
    model = MixedModel(
        means=unknown[0],
        covariance=unknown,
        df=unknown,
        components=dict.fromkeys([*random, "residual"], math.nan),
        f=math.nan,
        f_df=(max(k - 1.0, 0.0), math.nan),
        p=math.nan,
        counts=counts,
        log_likelihood=math.nan,
        **facts,
    )
    return MixedFit(log_likelihood=math.nan, reason=model.reason, model=lambda: model)
