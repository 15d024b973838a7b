"""Where the variation of ratings comes from: a G-study of items, judges, systems and sources.

The model is rating = mean + system + source + item + judge + judge × system + judge × source +
residual, each a draw with its own variance; what the ratings cannot tell apart is left out and
named. The variances are found by REML, for any pattern of missing ratings. Where each rating is by
another judge, or nobody knows by whom, how strict judges are is part of the residual.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.distributions import chi2_quantile
from covary.stats.estimate import Result
from covary.stats.models.least_squares import Design
from covary.stats.models.observations import Observations, observations
from covary.stats.models.reml import FIXED, Curvature, Sums, maximise, sum_factors
from covary.stats.statistic import ROUNDING
from covary.words import Note

Codes = npt.NDArray[np.intp]

BETWEEN_ITEMS = ("system", "source", "item")
"""What makes items differ; their sum is the variance of items."""

BETWEEN_JUDGES = ("judge system", "judge source", "residual")
"""What makes judges order items differently."""

FACTORS = (*BETWEEN_ITEMS, "judge", *BETWEEN_JUDGES)
"""Every component, in the order in which they are told."""

SATURATING = ("judge source", "judge system")
"""What is left out, in this order, where the model has as many effects as there are ratings."""

SYSTEMS = "systems"
"""Systems as draws; the engine has one fixed factor, which is called by their name."""

LEAST_FREEDOM = 1.0
"""With fewer degrees of freedom a chi-square says nothing about the upper end."""

STARTS = (0.05, 0.8)
MOST_STEPS = 200


@dataclass(frozen=True, kw_only=True)
class PilotSize(Result):
    """How large the study behind the components was.

    `ratings_per_item` is the harmonic mean, since reliability depends on 1 / ratings.
    """

    items: int
    judges: int
    systems: int
    sources: int
    ratings: int
    ratings_per_item: float


@dataclass(frozen=True, kw_only=True)
class GStudy(Result):
    """The variances behind the ratings on one criterion, each with an interval.

    `variances` has the components that the ratings can tell apart, by the names of `FACTORS`;
    `reason` says why there are none. A component of 0 is one that REML put at the edge.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "criterion",
        "component",
        "variance",
        "low",
        "high",
        "share",
    )

    criterion: str | None
    variances: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    size: PilotSize | None
    confidence: float
    notes: tuple[Note, ...] = ()
    reason: str = ""

    def __getitem__(self, name: str) -> float:
        """The variance of a component; 0 where the model has none of that name."""
        return self.variances.get(name, 0.0)

    @property
    def items(self) -> float:
        """The variance between items, whatever it comes from."""
        return math.fsum(self[name] for name in BETWEEN_ITEMS)

    @property
    def interaction(self) -> float:
        """The variance of single ratings that is neither the item's nor the judge's severity."""
        return math.fsum(self[name] for name in BETWEEN_JUDGES)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each component, with its share of the variance of a rating."""
        total = math.fsum(self.variances.values())
        return [
            {
                "criterion": self.criterion,
                "component": name,
                "variance": self.variances[name],
                "low": self.intervals[name][0],
                "high": self.intervals[name][1],
                "share": self.variances[name] / total if total else math.nan,
            }
            for name in FACTORS
            if name in self.variances
        ]

    def __str__(self) -> str:
        if self.reason:
            return f"{self.criterion or 'ratings'}: {self.reason}"
        lines = [f"{self.criterion or 'ratings'}: variance and its share"]
        lines += [
            f"  {row['component']}: {row['variance']:.3g} [{row['low']:.3g}, {row['high']:.3g}], "
            f"{row['share']:.0%}"
            for row in self.rows()
        ]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def components(
    ratings: Ratings, *, criterion: str | None = None, confidence: float = 0.95
) -> GStudy:
    """Where does the variation come from: items, judges, or what no model explains?

    Parameters
    ----------
    ratings
        The ratings; a column of systems and one of sources add components of their own.
    criterion
        The criterion, where there are several.
    confidence
        Of the intervals.

    Returns
    -------
    GStudy
        Variances by REML. Intervals are those of a chi-square with as many degrees of freedom as
        the information about the logarithm of a variance is worth (Satterthwaite); for a
        component that is worth less than one, from 0 to where the deviance, the others held, has
        risen by the quantile.

    Notes
    -----
    The numbers of ordered categories are taken as they are: the components are about means of
    these numbers, which is what a mean rating is.

    Examples
    --------
    The data of Shrout & Fleiss (1979), whose analysis of variance gives 2.556, 5.244 and 1.019:

    >>> from covary import Ratings
    >>> table = [
    ...     [9, 2, 5, 8],
    ...     [6, 1, 3, 2],
    ...     [8, 4, 6, 8],
    ...     [7, 1, 2, 6],
    ...     [10, 5, 6, 9],
    ...     [6, 2, 4, 7],
    ... ]
    >>> for row in components(Ratings.from_wide(table, level="interval")).rows():
    ...     print(row["component"], f"{row['variance']:.3f}")
    item 2.556
    judge 5.244
    residual 1.019
    """
    if not 0 < confidence < 1:
        raise InvalidArgument("stats.confidence", argument="confidence", value=confidence)
    chosen = ratings.one_criterion(criterion)
    rows, factors, empty = pilot_factors(ratings, chosen, confidence)
    if empty.reason:
        return empty
    named = {SYSTEMS if name == FIXED else name: codes for name, codes in factors.items()}
    design = Design({FIXED: np.zeros(rows.values.size, dtype=np.intp)} | named)
    sums = sum_factors(rows.values - rows.values.mean(), design)
    starts = ([start] * len(sums.random) for start in STARTS)
    ratios, solution = maximise(sums, starts, MOST_STEPS)
    residual = solution.rest / sums.df
    variances = np.append(ratios * residual, residual)
    names = [FIXED if name == SYSTEMS else name for name in (*sums.random, "residual")]
    ordinal = ratings.scales[chosen].level is Level.ORDINAL
    return replace(
        empty,
        variances=dict(zip(names, variances.tolist(), strict=True)),
        intervals=dict(zip(names, _intervals(sums, variances, confidence), strict=True)),
        notes=(*empty.notes, Note("planning.ordinal")) if ordinal else empty.notes,
    )


def components_or_reason(ratings: Ratings, criterion: str | None, confidence: float) -> GStudy:
    """Return the components, or where there are other criteria the reason why there are none."""
    try:
        return components(ratings, criterion=criterion, confidence=confidence)
    except InvalidArgument as error:
        if len(ratings.criteria) == 1:
            raise
        return GStudy(
            criterion=criterion,
            variances={},
            intervals={},
            size=None,
            confidence=confidence,
            reason=Note(error.code, **error.facts),
        )


def pilot_factors(
    ratings: Ratings, criterion: str | None, confidence: float
) -> tuple[Observations, dict[str, Codes], GStudy]:
    """Return the ratings, the factors whose variances they can tell apart, and an empty G-study.

    It has the size of the pilot, notes about what cannot be told apart, and the reason why there
    are no components, where there is one.
    """
    known = [name for name in ("system", "source") if name in ratings.columns]
    judges = [] if ratings.slots else ["judge"]
    rows = observations(ratings, criterion, factors=["item", *judges, *known])
    factors, notes = _estimable(rows.factors)
    factors, reason, saturating = _unsaturated(rows.values, factors)
    if not reason and _one_judge(rows.factors):
        reason = Note("planning.too-little")
    empty = GStudy(
        criterion=criterion,
        variances={},
        intervals={},
        size=_pilot_size(rows.factors),
        confidence=confidence,
        notes=(*([Note("planning.slots")] if ratings.slots else []), *notes, *saturating),
        reason=reason,
    )
    own = {FIXED if name == SYSTEMS else name: codes for name, codes in factors.items()}
    if SYSTEMS not in factors:
        del own[FIXED]
    return rows, own, empty


def _one_judge(factors: Mapping[str, Codes]) -> bool:
    return "judge" in factors and not factors["judge"].any()


def _pilot_size(factors: Mapping[str, Codes]) -> PilotSize:
    counts = np.bincount(factors["item"])
    levels = {name: int(codes.max()) + 1 for name, codes in factors.items()}
    return PilotSize(
        items=levels["item"],
        judges=levels.get("judge", int(counts.max())),
        systems=levels.get("system", 0),
        sources=levels.get("source", 0),
        ratings=int(counts.sum()),
        ratings_per_item=float(counts.size / np.sum(1 / counts)),
    )


def _estimable(factors: Mapping[str, Codes]) -> tuple[dict[str, Codes], list[Note]]:
    """The factors whose variances the ratings can tell apart, and notes about the others."""
    n = factors["item"].size
    candidates = {name: factors[name] for name in ("judge", *BETWEEN_ITEMS) if name in factors}
    for name in ("system", "source"):
        if name in factors and "judge" in factors:
            candidates[f"judge {name}"] = _crossed(factors["judge"], factors[name])
    kept: dict[str, Codes] = {FIXED: np.zeros(n, dtype=np.intp)}
    notes = []
    for name, codes in candidates.items():
        levels = int(codes.max()) + 1
        same = [other for other, own in kept.items() if _same_partition(codes, own)]
        if same:
            other = "mean" if same[0] == FIXED else same[0]
            notes.append(Note("planning.same", component=name, other=other))
        elif levels == n:
            notes.append(Note("planning.one-rating-each", component=name))
        else:
            kept[SYSTEMS if name == FIXED else name] = codes
    return kept, notes


def _unsaturated(
    values: npt.NDArray[np.float64], factors: dict[str, Codes]
) -> tuple[dict[str, Codes], str, list[Note]]:
    """Leave interactions out while nothing would be left for the residual.

    Where judges meet most sources once, judge × source takes nearly a level for each rating.
    """
    notes: list[Note] = []
    reason = _why_undefined(values, Design(factors))
    for name in SATURATING:
        if getattr(reason, "code", "") != "stats.saturated-residual":
            break
        if name in factors:
            factors = {other: codes for other, codes in factors.items() if other != name}
            notes.append(Note("planning.saturating", component=name))
            reason = _why_undefined(values, Design(factors))
    return factors, reason, notes


def _crossed(first: Codes, second: Codes) -> Codes:
    """One code for each combination of two factors that occurs."""
    pairs = first * (int(second.max()) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.intp)


def _same_partition(first: Codes, second: Codes) -> bool:
    """Whether two factors put the ratings into the same groups."""
    levels = int(first.max()) + 1
    return levels == int(second.max()) + 1 and int(_crossed(first, second).max()) + 1 == levels


def _why_undefined(values: npt.NDArray[np.float64], design: Design) -> str:
    centred = values - values.mean()
    repeated = {"item", "source"} if "judge" in design.factors else {"item"}
    if not repeated & set(design.factors):
        return Note("planning.too-little")
    total = float(centred @ centred)
    if not total:
        return Note("stats.all-equal")
    fit = design.fit(centred, design.spanning())
    if values.size - fit.rank < 1:
        return Note("stats.saturated-residual")
    return (
        "" if float(fit.residuals @ fit.residuals) > ROUNDING * total else Note("stats.no-residual")
    )


def _intervals(
    sums: Sums, variances: npt.NDArray[np.float64], confidence: float
) -> Iterator[tuple[float, float]]:
    curvature = Curvature(sums, variances)
    freedom = 2 / np.diag(curvature.covariance)
    tail = (1 - confidence) / 2
    for place, variance in enumerate(variances.tolist()):
        own = np.flatnonzero(curvature.free == place)
        df = float(freedom[own[0]]) if own.size else 0.0
        if df >= LEAST_FREEDOM:
            low, high = (df * variance / chi2_quantile(p, df) for p in (1 - tail, tail))
            yield low, high
        else:
            yield 0.0, _upper_end(sums, variances, place, confidence)


def _upper_end(
    sums: Sums, variances: npt.NDArray[np.float64], place: int, confidence: float
) -> float:
    """Where the deviance of a variance, the others held, has risen by the quantile."""
    from scipy import optimize

    residual, estimate = float(variances[-1]), float(variances[place])
    rise = chi2_quantile(confidence, 1)

    def deviance(variance: float) -> float:
        moved = variances.copy()
        moved[place] = variance
        return sums.solve(moved[:-1] / residual).deviance(residual)

    least = deviance(estimate)
    high = max(estimate, residual * 1e-3) * 2
    while deviance(high) - least < rise and high < residual * 1e9:
        high *= 4
    end = optimize.brentq(
        lambda variance: deviance(variance) - least - rise, estimate, high, xtol=residual * 1e-9
    )
    return float(end)
