"""A mixed model: systems as they are, judges and sources as draws from many that might have been.

The model is rating = system + judge + source + … + error, where all but the system are independent
random effects that may cross and may be unbalanced. The variances are found by restricted maximum
likelihood (REML).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.distributions import f_tail
from covary.stats.least_squares import Design
from covary.stats.mean_squares import ROUNDING
from covary.stats.mixed_equations import FIXED, Equations, optimum
from covary.stats.plain import plain
from covary.stats.variance import checked

__all__ = ["Mixed", "mixed"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

STEP = 2e-4
"""How far log-variances are moved to take derivatives."""


@dataclass(frozen=True)
class Mixed:
    """The systems' means, how far they can be trusted, and where the variation comes from.

    `means` are the estimated means of the systems for judges and sources at large, `covariance`
    their covariances; `df` are Satterthwaite's degrees of freedom of each difference of two means.
    `components` are the variances of the random effects and of the residual. `f` tests whether all
    systems are equal; `reason` says why it is NaN where it is.
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


def mixed(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    random: Mapping[str, npt.ArrayLike],
    max_iterations: int = 200,
) -> Mixed:
    """Do systems differ for judges and sources like these, and not only for these?

    Parameters
    ----------
    values
        The ratings as numbers.
    system
        The system of each rating, as whole numbers from 0.
    random
        The level of each rating on each random factor (judge, source, item), likewise.
    max_iterations
        How many steps the search may take before `ConvergenceError`.

    Returns
    -------
    Mixed
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
    >>> from covary.stats.layout import layout
    >>> rows = layout(datasets.load("latin-square-example"))
    >>> random = {name: rows.factors[name] for name in ("judge", "source")}
    >>> found = mixed(rows.values, rows.factors["system"], random=random)
    >>> print(f"{found.f:.3f} {found.f_df[0]:.0f} {found.f_df[1]:.0f}")
    18.976 3 18
    """
    _check_names(random)
    ratings, factors = checked(values, {FIXED: system, **random})
    notes, design = _identified(factors)
    equations = Equations(ratings, design)
    reason = _reason(ratings, design)
    if reason:
        return _undefined(equations, tuple(random), reason, notes)
    ratios = optimum(equations, max_iterations)
    return _described(equations, tuple(random), ratios, notes)


def _check_names(random: Mapping[str, npt.ArrayLike]) -> None:
    if FIXED in random or "residual" in random:
        raise InvalidArgument("random holds the judges, sources or items, not the system")


def _identified(factors: Mapping[str, Codes]) -> tuple[list[str], Design]:
    """Leave out the random factors that these ratings cannot tell from something else."""
    design = Design(factors)
    kept, notes = {FIXED: factors[FIXED]}, []
    for name in (each for each in factors if each != FIXED):
        why = _confused(design, name, [other for other in kept if other != FIXED])
        if why:
            notes.append(f"{name} is left out of the model: {why}")
        else:
            kept[name] = factors[name]
    return notes, Design(kept) if notes else design


def _confused(design: Design, name: str, others: list[str]) -> str:
    levels = design.levels(name)
    if levels < 2:
        return f"there is only one {name}"
    if levels == design.n:
        return f"each {name} has one rating, so that its variance is part of the residual's"
    if design.table(FIXED, name).nnz == design.levels(FIXED):
        return f"each system has only one {name}, so that the two cannot be told apart"
    for other in others:
        if design.table(name, other).nnz == levels == design.levels(other):
            return f"it is the same as the {other}"
    return ""


def _reason(values: Floats, design: Design) -> str:
    centred = values - values.mean()
    total = float(centred @ centred)
    if not total:
        return "all ratings are equal"
    fit = design.fit(centred, design.spanning())
    if values.size - fit.rank < 1:
        return "as many effects as ratings, so nothing is left for the residual"
    if float(fit.residuals @ fit.residuals) <= ROUNDING * total:
        return "system and random effects explain every rating, so the residual is 0"
    return ""


def _described(
    equations: Equations, asked: tuple[str, ...], ratios: Floats, notes: list[str]
) -> Mixed:
    at = equations.at(ratios)
    residual = at.rest / equations.df
    variances = np.append(ratios * residual, residual)
    covariance = at.covariance() * residual
    moves = _Moves(equations, variances)
    means = at.means() + equations.centre
    f, df1, df2 = _f_test(means, covariance, moves)
    components = dict.fromkeys(asked, math.nan)
    components |= dict(zip([*equations.random, "residual"], variances.tolist(), strict=True))
    zero = [name for name in equations.random if components[name] == 0]
    notes += [f"the variance between {name}s is estimated as 0" for name in zero]
    reason = _why_no_f(equations, df2)
    return Mixed(
        means, covariance, moves.pair_df(covariance), components,
        f if not reason else math.nan, (df1, df2),
        f_tail(f, df1, df2) if not reason else math.nan,
        equations.n, equations.counts, _method(equations),
        log_likelihood=-equations.deviance(at, residual) / 2,
        reason=reason, notes=tuple(notes), effects=at.random_effects(),
    )  # fmt: skip


def _why_no_f(equations: Equations, df2: float) -> str:
    if equations.n_systems < 2:
        return "there is only one system"
    if not df2 > 0:
        return "the ratings are too few to say how well the variances are known"
    return ""


class _Moves:
    """How the systems' covariances change with the variances, and how well these are known."""

    def __init__(self, equations: Equations, variances: Floats) -> None:
        self.equations, self.variances = equations, variances
        self.free = np.flatnonzero(variances > 0)
        ends = [[self._moved(place, sign) for sign in (1, -1)] for place in self.free.tolist()]
        slopes = [(up[0] - down[0]) / (2 * STEP) for up, down in ends]
        self.covariances = [(up[1] - down[1]) / (2 * STEP) for up, down in ends]
        information = np.array(slopes) / 2
        information = (information + information.T) / 2
        sure = bool((np.linalg.eigvalsh(information) > 0).all())
        self.known = np.linalg.inv(information) if sure else np.full(information.shape, np.nan)

    def _moved(self, place: int, sign: int) -> tuple[Floats, Floats]:
        """The slopes of the deviance and the systems' covariances beside the estimate."""
        variances = self.variances.copy()
        variances[place] *= math.exp(sign * STEP)
        at = self.equations.at(variances[:-1] / variances[-1])
        slopes = self.equations.log_slopes(at, variances[-1])[self.free]
        return slopes, at.covariance() * variances[-1]

    def df(self, variance: Floats, changes: Floats) -> Floats:
        """Satterthwaite: twice the squared variance by the variance of the variance."""
        spread = np.einsum("i...,ij,j...->...", changes, self.known, changes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(spread > 0, 2 * variance**2 / spread, np.nan)

    def pair_df(self, covariance: Floats) -> Floats:
        """The degrees of freedom of each difference of two systems."""
        changes = np.array([_squared_errors(change) for change in self.covariances])
        found = self.df(_squared_errors(covariance), changes)
        np.fill_diagonal(found, np.nan)
        return found


def _squared_errors(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance)


def _f_test(means: Floats, covariance: Floats, moves: _Moves) -> tuple[float, float, float]:
    """F of all systems being equal, in independent contrasts (Fai & Cornelius 1996)."""
    size = means.size - 1
    if size < 1:
        return math.nan, 0.0, math.nan
    contrasts = np.hstack([np.ones((size, 1)), -np.eye(size)])
    values, vectors = np.linalg.eigh(contrasts @ covariance @ contrasts.T)
    turned = vectors.T @ contrasts
    t_squared = (turned @ means) ** 2 / values
    changes = np.array([np.sum((turned @ c) * turned, axis=1) for c in moves.covariances])
    return float(t_squared.mean()), float(size), _joint_df(moves.df(values, changes))


def _joint_df(dfs: Floats) -> float:
    if np.isnan(dfs).any():
        return math.nan
    if np.ptp(dfs) < 1e-8 * dfs.max():
        return float(dfs[0])
    if (dfs <= 2).any():
        return 2.0
    expected = float(np.sum(dfs / (dfs - 2)))
    return 2 * expected / (expected - dfs.size)


def _method(equations: Equations) -> str:
    among = ", ".join(equations.random) or "nothing"
    return f"mixed model by REML, random: {among}; Satterthwaite's degrees of freedom"


def _undefined(
    equations: Equations, asked: tuple[str, ...], reason: str, notes: list[str]
) -> Mixed:
    k = equations.n_systems
    unknown = np.full((k, k), np.nan)
    return Mixed(
        np.full(k, np.nan), unknown, unknown, dict.fromkeys([*asked, "residual"], math.nan),
        math.nan, (max(k - 1.0, 0.0), math.nan), math.nan, equations.n, equations.counts,
        _method(equations), math.nan, reason, tuple(notes),
    )  # fmt: skip
