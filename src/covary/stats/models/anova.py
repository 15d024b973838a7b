"""Analysis of variance: how much of the ratings depends on the system, the judge, the source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import f_tail
from covary.stats.estimate import Result
from covary.stats.models.least_squares import Design, LeastSquaresFit
from covary.stats.statistic import ROUNDING
from covary.words import Note

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

BALANCED = "additive model, orthogonal (balanced) design"
TYPE_II = "additive model, type II sums of squares"


@dataclass(frozen=True, kw_only=True)
class Effect(Result):
    """What one factor explains, and the F test of it.

    `eta_squared` and `omega_squared` are shares of all variation, the partial ones shares of what
    the other factors leave. `reason` says why `f` is NaN where it is.
    """

    name: str
    sum_of_squares: float
    df: int
    mean_square: float
    f: float
    p: float
    eta_squared: float
    omega_squared: float
    partial_eta_squared: float
    partial_omega_squared: float
    error_df: int
    error_mean_square: float
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is an F ratio."""
        return not math.isnan(self.f)


@dataclass(frozen=True, kw_only=True)
class Anova(Result):
    """All factors in one model: each effect beside the others, and what is left over.

    `means` are the adjusted (least-squares) means of each factor's levels: what the level would
    have got from all levels of the other factors in equal parts. `balanced` says whether every two
    factors meet in proportion; the sums of squares then add up and the adjusted means are the
    plain ones.
    """

    effects: tuple[Effect, ...]
    residual_ss: float
    residual_df: int
    mse: float
    total_ss: float
    balanced: bool
    method: str
    means: Mapping[str, Floats]
    n_ratings: int
    notes: tuple[str, ...] = ()
    design: Any = field(repr=False, compare=False)
    left: Floats = field(repr=False, compare=False)

    def effect(self, name: str) -> Effect:
        """Return the effect of one factor."""
        effects = {effect.name: effect for effect in self.effects}
        if name not in effects:
            raise InvalidArgument("stats.no-effect", value=name, allowed=effects)
        return effects[name]

    def residuals(self) -> Floats:
        """What the model leaves of each rating, in the order of the ratings."""
        return self.left

    def counts(self, name: str) -> npt.NDArray[np.int64]:
        """How many ratings each level of a factor has."""
        return np.asarray(self.design.counts[self.effect(name).name], dtype=np.int64)

    def covariance(self, name: str) -> Floats:
        """Covariances of a factor's adjusted means, as far as differences need them.

        NaN for two levels whose difference the ratings cannot tell from other factors.
        """
        if self.balanced:
            return np.diag(self.mse / self.design.counts[self.effect(name).name])
        return np.asarray(self.mse * self.design.contrasts(self.effect(name).name))


def one_way(values: npt.ArrayLike, codes: npt.ArrayLike, *, name: str = "system") -> Effect:
    """Do the levels of one factor differ, when everything else counts as error?

    Parameters
    ----------
    values
        The ratings as numbers.
    codes
        The level of each rating, as whole numbers from 0.
    name
        What the factor is called.

    Returns
    -------
    Effect
        F = (SSB / (k - 1)) / (SSW / (N - k)), its p, eta² = SSB / SST and
        omega² = (SSB - (k - 1) MSW) / (SST + MSW). Undefined, with a reason, for one level, for no
        more ratings than levels, and where ratings do not vary within levels.

    Examples
    --------
    The weights of plants that ship with R (PlantGrowth): F is 4.846 and p .01591 in R 4.2.2.

    >>> ctrl = [4.17, 5.58, 5.18, 6.11, 4.5, 4.61, 5.17, 4.53, 5.33, 5.14]
    >>> trt1 = [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69]
    >>> trt2 = [6.31, 5.12, 5.54, 5.5, 5.37, 5.29, 4.92, 6.15, 5.8, 5.26]
    >>> effect = one_way(ctrl + trt1 + trt2, [0] * 10 + [1] * 10 + [2] * 10)
    >>> round(effect.f, 3), round(effect.p, 5)
    (4.846, 0.01591)
    """
    return additive_model(values, {name: codes}).effects[0]


def additive_model(values: npt.ArrayLike, factors: Mapping[str, npt.ArrayLike]) -> Anova:
    """How much does each factor explain beside the others?

    Parameters
    ----------
    values
        The ratings as numbers.
    factors
        The level of each rating on each factor, as whole numbers from 0.

    Returns
    -------
    Anova
        F of each factor against the residual of the whole model.

    Notes
    -----
    The sum of squares of a factor is how much the residual grows when it is left out. Factors that
    cannot be told apart (each judge saw one system) have fewer degrees of freedom than levels, or
    none, and a note says so. Checked against R 4.2.2 (aov) and statsmodels 0.15.0 (anova_lm).

    References
    ----------
    Belz & Kow (2011) print three one-way analyses of one balanced design. In such a design the
    additive F follows from the three.
    """
    ratings, coded = check_factors(values, factors)
    design = Design(coded)
    centred = ratings - ratings.mean()
    balanced = design.orthogonal
    full = _orthogonal_fit(design, centred) if balanced else design.fit(centred, coded)
    squares = float(centred @ centred), float(full.residuals @ full.residuals)
    explained = {name: _explained(design, centred, full, balanced, name=name) for name in coded}
    centre = float(ratings.mean())
    facts: dict[str, Any] = {"balanced": balanced, "squares": squares, "centre": centre}
    return anova_of(design, full, explained=explained, **facts)


def anova_of(
    design: Any,
    full: LeastSquaresFit,
    *,
    balanced: bool,
    squares: tuple[float, float],
    explained: Mapping[str, tuple[float, int]],
    centre: float,
) -> Anova:
    """Make the table of a fitted model.

    `squares` are the sums of squares of all ratings and of what the model leaves; `explained` has
    for each factor how much it explains beside the others, and its degrees of freedom.
    """
    table = _Table(design, full.rank, squares, explained)
    return Anova(
        effects=tuple(table.effect(name) for name in explained),
        residual_ss=table.rest,
        residual_df=table.error_df,
        mse=table.mse,
        total_ss=table.total,
        balanced=balanced,
        method=_method(balanced, len(explained)),
        means=_adjusted_means(design, full, balanced, centre),
        n_ratings=design.n,
        notes=_notes(design, full),
        design=design,
        left=full.residuals,
    )


def _explained(
    design: Design, values: Floats, full: LeastSquaresFit, balanced: bool, *, name: str
) -> tuple[float, int]:
    if balanced:
        effects = full.effects[name]
        return float(design.counts[name] @ effects**2), design.levels(name) - 1
    without = design.fit(values, (n for n in full.effects if n != name))
    left, rest = without.residuals, full.residuals
    return float(left @ left) - float(rest @ rest), full.rank - without.rank


class _Table:
    """The lines of an analysis-of-variance table."""

    def __init__(
        self,
        design: Any,
        rank: int,
        squares: tuple[float, float],
        explained: Mapping[str, tuple[float, int]],
    ) -> None:
        self.design, self.explained = design, explained
        self.total, rest = squares
        self.rest = rest if rest > ROUNDING * self.total else 0.0
        self.error_df = design.n - rank
        self.mse = self.rest / self.error_df if self.error_df > 0 else math.nan

    def effect(self, name: str) -> Effect:
        explained, df = self.explained[name]
        explained = explained if explained > ROUNDING * self.total else 0.0
        reason = self._reason(name, df)
        mean_square = explained / df if df else math.nan
        f = math.nan if reason else mean_square / self.mse
        p = math.nan if reason else f_tail(f, df, self.error_df)
        above = explained - df * self.mse
        return Effect(
            name=name,
            sum_of_squares=explained,
            df=df,
            mean_square=mean_square,
            f=f,
            p=p,
            eta_squared=_share(explained, self.total),
            omega_squared=_share(above, self.total + self.mse),
            partial_eta_squared=_share(explained, explained + self.rest),
            partial_omega_squared=_share(above, above + self.design.n * self.mse),
            error_df=self.error_df,
            error_mean_square=self.mse,
            reason=reason,
        )

    def _reason(self, name: str, df: int) -> str:
        if self.design.levels(name) < 2:
            return Note("stats.one-level", factor=name)
        if df < 1:
            return Note("stats.confounded", factor=name)
        if self.error_df < 1:
            return Note("stats.saturated")
        if not self.total:
            return Note("stats.all-equal")
        return "" if self.rest else Note("stats.no-error")


def check_factors(
    values: npt.ArrayLike, factors: Mapping[str, npt.ArrayLike]
) -> tuple[Floats, dict[str, Codes]]:
    """Refuse what is not one finite number and one level of each factor for each rating."""
    ratings = np.asarray(values, dtype=float)
    if ratings.ndim != 1 or not ratings.size or not np.isfinite(ratings).all():
        raise InvalidArgument("stats.values")
    if not factors:
        raise InvalidArgument("stats.no-factors")
    return ratings, {name: _codes(name, codes, ratings.size) for name, codes in factors.items()}


def _codes(name: str, levels: npt.ArrayLike, n: int) -> Codes:
    codes = np.asarray(levels)
    if codes.shape != (n,) or codes.dtype.kind not in "iu" or codes.min() < 0:
        shape: dict[str, Any] = {"dtype": codes.dtype, "shape": codes.shape}
        raise InvalidArgument("stats.codes", factor=name, n=n, **shape)
    unused = np.flatnonzero(np.bincount(codes) == 0).tolist()
    if unused:
        raise InvalidArgument("stats.codes-with-gaps", factor=name, levels=unused)
    return codes.astype(np.intp)


def _orthogonal_fit(design: Design, values: Floats) -> LeastSquaresFit:
    """Each factor's effects are the deviations of its means, whatever the others are."""
    effects = {name: design.means(name, values) for name in design.factors}
    left = values
    for name, own in effects.items():
        left = left - own[design.factors[name]]
    rank = 1 + sum(design.levels(name) - 1 for name in effects)
    return LeastSquaresFit(effects, left, rank, dict.fromkeys(effects, True))


def _adjusted_means(
    design: Any, full: LeastSquaresFit, balanced: bool, centre: float
) -> dict[str, Floats]:
    if balanced:
        return {name: centre + effects for name, effects in full.effects.items()}
    if full.rank == 1 + sum(design.levels(name) - 1 for name in design.factors):
        centre += sum(float(effects.mean()) for effects in full.effects.values())
    means = {name: centre + effects - effects.mean() for name, effects in full.effects.items()}
    return {name: own if full.free[name] else own * np.nan for name, own in means.items()}


def _notes(design: Any, full: LeastSquaresFit) -> tuple[str, ...]:
    apart = [name for name, free in full.free.items() if not free]
    notes = [Note("stats.levels-apart", factor=name) for name in apart]
    whole = 1 + sum(design.levels(name) - 1 for name in design.factors)
    if full.rank < whole and len(apart) < len(full.free):
        notes.append(Note("stats.means-placed"))
    return tuple(notes)


def _method(balanced: bool, n_factors: int) -> str:
    if n_factors == 1:
        return "one-way analysis of variance"
    return BALANCED if balanced else TYPE_II


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan
