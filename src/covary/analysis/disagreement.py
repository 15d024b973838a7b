"""`covary.disagreement`: how much of the disagreement is severity, scale use and noise.

The model is rating = item + judge + rest on the metric of the agreement coefficient: pooled
mid-ranks for ordinal ratings, the values themselves for numbers, an indicator of each category for
names. The judge's part is severity. What is left between two judges splits once more (Lin 1989):
the square of a difference is that of the means, that of the spreads, and what is left of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from covary.analysis.stability import first_occasion, repeated_ratings
from covary.errors import ConvergenceError, quiet
from covary.ratings import Ratings
from covary.scales import Level, Scale, VisualScale
from covary.stats import special
from covary.stats.coefficients.mean_squares import mean_squares, rating_unit, row_sums
from covary.stats.coefficients.variance_components import (
    MOST_JUDGES,
    Components,
    variance_components,
)
from covary.stats.distances import midranks
from covary.stats.distributions import f_quantile, normal_quantile, t_quantile
from covary.stats.estimate import OTHER_JUDGES, Interval, Result
from covary.stats.intervals import units
from covary.stats.models.tables import dense, summed_table, table_of, weighted_rows
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns
from covary.stats.statistic import ROUNDING, Linear
from covary.words import Note, word

Floats = npt.NDArray[np.float64]

LINE = VisualScale(0, 1)
"""What a metric is measured on, whatever the judges' own scale was."""

LEAST_COMMON = 5
"""Two judges with fewer common items say nothing about how they use the scale."""

GROUPS = 20
"""Into so many groups items are put to see how far the use of the scale is known."""

HALVINGS = 40
"""How often the search for a noncentrality halves what is left."""

ROOM = 40_000_000
"""The most numbers (items times judges) that the model is fitted to."""


@dataclass(frozen=True, kw_only=True)
class JudgeSeverity(Result):
    """How far a judge lies above the other judges in points of the scale, with an interval.

    Differences of the items that each judge rated are taken out. `leniency` is milder or stricter
    where the scale has a best end, else higher or lower; alike where the interval holds 0.
    """

    judge: Any
    value: float
    low: float
    high: float
    n_others: int
    leniency: str

    @property
    def effect(self) -> float:
        """How far the judge lies above the mean of all judges."""
        return self.value * self.n_others / (self.n_others + 1)

    @property
    def sentence(self) -> str:
        """Say how the judge compares with the others."""
        return word("disagreement.judge", vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class Decomposition(Result):
    """The disagreement of some judges, in parts.

    `item`, `judge` and `rest` are variances on the metric. `severity`, `scale_use` and `noise` are
    shares of the disagreement and add up to 1; where the use of the scale cannot be told from
    noise, `scale_use` is NaN and `noise` holds both. `inconsistency` is the part of the noise that
    judges show against themselves, where they rated items again. `agreement` is item / (item +
    judge + rest), `without_severity` the same without the judge. `severity_interval` and
    `without_interval` speak of these judges, `severity_of_others` of other judges. `reason` says
    why nothing could be told apart.
    """

    label: str
    judges: tuple[Any, ...]
    n_items: int
    metric: str
    method: str = ""
    item: float = math.nan
    judge: float = math.nan
    rest: float = math.nan
    severity: float = math.nan
    severity_interval: Interval | None = None
    severity_of_others: Interval | None = None
    scale_use: float = math.nan
    scale_use_interval: Interval | None = None
    noise: float = math.nan
    inconsistency: float = math.nan
    agreement: float = math.nan
    without_severity: float = math.nan
    without_interval: Interval | None = None
    complete: bool = False
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether the disagreement could be told apart."""
        return not math.isnan(self.severity)

    @property
    def unanimous(self) -> bool:
        """Whether there is no disagreement to be split."""
        return getattr(self.reason, "code", "") == "disagreement.none"

    @property
    def sentence(self) -> str:
        """Say how much of the disagreement is what."""
        return word("disagreement.shares", vars(self))


@dataclass(frozen=True, kw_only=True)
class CriterionDisagreement:
    """The disagreement on one criterion: of all judges, of each group and pair, judge by judge."""

    criterion: Any
    scale: Scale
    overall: Decomposition
    groups: tuple[Decomposition, ...] = ()
    pairs: tuple[Decomposition, ...] = ()
    judges: tuple[JudgeSeverity, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        parts = {name: [part.to_dict() for part in getattr(self, name)] for name in PARTS}
        return {"criterion": self.criterion, "overall": self.overall.to_dict()} | parts


PARTS = ("groups", "pairs", "judges")

COLUMNS = """
    criterion comparison label metric method item judge rest severity low high low_other_judges
    high_other_judges scale_use noise inconsistency agreement without_severity items reason
"""


@dataclass(frozen=True, kw_only=True)
class Disagreements:
    """The disagreement on every criterion."""

    criteria: tuple[CriterionDisagreement, ...]
    confidence: float

    columns: ClassVar[tuple[str, ...]] = tuple(COLUMNS.split())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for all judges, each group and each pair, on each criterion."""
        return [
            {"criterion": part.criterion or "", "comparison": kind} | _row(decomposition)
            for part in self.criteria
            for kind, several in _kinds(part)
            for decomposition in several
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        criteria = [criterion.to_dict() for criterion in self.criteria]
        return {"confidence": self.confidence, "criteria": criteria}

    def __str__(self) -> str:
        lines = []
        for part in self.criteria:
            lines.append(f"{part.criterion or 'ratings'}: {part.overall.sentence}")
            lines += [f"  {judge.sentence}" for judge in part.judges]
        return "\n".join(lines)


def _kinds(part: CriterionDisagreement) -> Iterator[tuple[str, tuple[Decomposition, ...]]]:
    yield from (("overall", (part.overall,)), ("group", part.groups), ("pair", part.pairs))


def _row(part: Decomposition) -> dict[str, Any]:
    row = {name: value for name, value in vars(part).items() if name in COLUMNS.split()}
    for interval, more in (
        (part.severity_interval, ""),
        (part.severity_of_others, "_other_judges"),
    ):
        if interval is not None:
            row |= {f"low{more}": interval.low, f"high{more}": interval.high}
    return row | {"items": part.n_items}


def disagreement(
    ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95
) -> Disagreements:
    """How much of the judges' disagreement is severity, how much scale use and how much noise?

    Severity is taken out by adjusting for the judge, scale use by standardising each judge, noise
    by averaging over judges; so their shares say which of these helps.

    Parameters
    ----------
    ratings
        The ratings by named judges. Where judges rated items again (a column `occasion`), the first
        rating counts and the later ones show how consistent judges are with themselves.
    criterion
        One criterion; all by default.
    confidence
        Of the intervals.

    Returns
    -------
    Disagreements
        For each criterion `overall`, `groups`, `pairs` and `judges`.

    Notes
    -----
    Where every judge rated every item, the variances are those of the mean squares (negative ones
    count as 0), else REML's. They are refused where judges and items are not connected, because a
    strict judge cannot then be told from worse items. The interval of the severity share for these
    judges is that of a noncentral F, for other judges that of a central one; the judges' effects
    have covariances from the items (or clusters), whatever the distribution of the ratings.

    Scale use and noise follow from the pairs of judges: with means m, standard deviations s and
    correlation r, a mean squared difference is (m1 - m2)² + (s1 - s2)² + 2 s1 s2 (1 - r), each
    less what chance adds to it.

    References
    ----------
    Lin (1989), A concordance correlation coefficient to evaluate reproducibility, Biometrics 45.
    Shrout & Fleiss (1979), Psychological Bulletin 86.

    Examples
    --------
    One judge is stricter than the other:

    >>> from covary import Ratings, disagreement
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> rows, names = list(zip(mild, strict)), ["mild", "strict"]
    >>> parts = disagreement(Ratings.from_wide(rows, scale="1-3", judges=names, level="interval"))
    >>> whole = parts.criteria[0].overall
    >>> print(f"{whole.severity:.3f} {whole.agreement:.3f} {whole.without_severity:.3f}")
    0.556 0.591 0.765
    """
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    with quiet():
        criteria = tuple(_criterion(ratings, name, confidence) for name in names)
    return Disagreements(criteria=criteria, confidence=confidence)


def _criterion(ratings: Ratings, criterion: Any, confidence: float) -> CriterionDisagreement:
    scale = ratings.scales[criterion]
    reason = unfollowed(first_occasion(ratings), criterion)
    if reason:
        overall = Decomposition(
            label="all judges", judges=(), n_items=0, metric=metric_name(scale), reason=reason
        )
        return CriterionDisagreement(criterion=criterion, scale=scale, overall=overall)
    first = first_occasion(ratings)
    patterns = collapse(first, criterion)
    overall = decompose(patterns, "all judges", confidence)
    if first is not ratings:
        overall = with_inconsistency(overall, patterns, *repeated_ratings(ratings, criterion))
    places = range(len(patterns.judges))
    pairs = ((a, b) for a in places for b in places if a < b)
    common = (pattern_pair(patterns, a, b) for a, b in pairs)
    return CriterionDisagreement(
        criterion=criterion,
        scale=scale,
        overall=overall,
        groups=tuple(_groups(first, patterns, confidence)),
        pairs=tuple(
            decompose(part, " and ".join(map(str, part.judges)), confidence)
            for part in common
            if part.n_items >= LEAST_COMMON
        ),
        judges=severities(patterns, confidence),
    )


def unfollowed(ratings: Ratings, criterion: Any) -> str:
    """Say why no judge can be followed from item to item, if so."""
    if ratings.slots:
        return Note("disagreement.slots")
    if has_too_many_patterns(ratings, criterion):
        return Note("disagreement.too-many")
    return ""


def pattern_pair(patterns: Patterns, first: int, second: int) -> Patterns:
    """Return the items that two judges, given by their places, both rated."""
    part = patterns.keep(patterns.rated[:, [first, second]].all(axis=1))
    return part.only([patterns.judges[first], patterns.judges[second]])


def _groups(ratings: Ratings, patterns: Patterns, confidence: float) -> Iterator[Decomposition]:
    names = ratings.values("group") if "group" in ratings.columns else ()
    for name in names if len(names) > 1 else ():
        members = set(ratings.select(group=name).judges)
        judges = [judge for judge in patterns.judges if judge in members]
        if len(judges) > 1:
            yield decompose(patterns.only(judges), str(name), confidence)


def decompose(patterns: Patterns, label: str, confidence: float) -> Decomposition:
    """Split the disagreement of the judges in some patterns."""
    shared = patterns.keep(patterns.rated.sum(axis=1) > 1)
    parts = Decomposition(
        label=label,
        judges=patterns.judges,
        n_items=shared.n_items,
        metric=metric_name(patterns.scale),
    )
    if shared.n_items < 2 or len(shared.judges) < 2:
        return replace(parts, reason=Note("disagreement.too-few"))
    if shared.codes.size > ROOM or len(shared.judges) > MOST_JUDGES:
        return replace(parts, reason=Note("disagreement.too-many"))
    scored = tuple(scores(shared))
    fit = JudgeEffects(scored)
    if fit.parts > 1:
        return replace(parts, reason=Note("disagreement.apart", groups=fit.parts))
    complete = bool(shared.rated.all())
    try:
        variances = _mean_square_variances(scored) if complete else _reml(scored)
    except ConvergenceError:
        return replace(parts, reason=Note("disagreement.unsettled"))
    whole = variances.item + variances.judge + variances.residual
    if math.isnan(whole):
        return replace(parts, reason=variances.reason)
    between = variances.judge + variances.residual
    if not whole > 0 or between <= ROUNDING * whole:
        return replace(parts, reason=Note("disagreement.none"))
    return _shares(parts, scored, _Fit(effects=fit, variances=variances), confidence)


@dataclass(frozen=True, kw_only=True)
class _Fit:
    """The judges' effects and the variances of one model."""

    effects: JudgeEffects
    variances: Components


def _shares(
    parts: Decomposition,
    scored: Sequence[Patterns],
    fit: _Fit,
    confidence: float,
) -> Decomposition:
    variances = fit.variances
    item, judge, rest = variances.item, variances.judge, variances.residual
    complete = bool(scored[0].rated.all())
    without = item / (item + rest) if item + rest > 0 else math.nan
    severity = judge / (judge + rest)
    scale_use, known = (math.nan, None)
    if len(scored) == 1:
        scale_use, known = _scale_use(scored[0], confidence)
    used = scale_use * (1 - severity)
    these, others = fit.effects.severity_intervals(rest, confidence)
    return replace(
        parts,
        method="mean squares" if complete else "REML",
        item=item,
        judge=judge,
        rest=rest,
        severity=severity,
        severity_interval=these,
        severity_of_others=others,
        scale_use=used,
        scale_use_interval=known and _times(known, 1 - severity),
        noise=1 - severity - (0.0 if math.isnan(used) else used),
        agreement=item / (item + judge + rest),
        without_severity=without,
        without_interval=_without_interval(scored, variances, without, confidence),
        complete=complete,
    )


def with_inconsistency(
    parts: Decomposition,
    patterns: Patterns,
    judges: Sequence[Any],
    pairs: Sequence[tuple[Any, Any]],
) -> Decomposition:
    """Add how much of the disagreement judges show against themselves, from repeated ratings.

    Half the variance of a judge's changes is what one rating varies by itself.
    """
    names = sorted(set(judges), key=str)
    scored = list(scores(patterns.keep(patterns.rated.sum(axis=1) > 1)))
    if not parts.defined or len(scored) != 1 or len(pairs) <= len(names):
        return parts
    positions = scored[0].positions()
    if patterns.continuous:
        known = np.asarray(patterns.values, dtype=float)
        metric = np.interp(np.array(pairs, dtype=float), known, positions)
    else:
        place = dict(zip(patterns.values, positions.tolist(), strict=True))
        metric = np.array([[place[rating] for rating in pair] for pair in pairs])
    changes, who = metric[:, 1] - metric[:, 0], [names.index(judge) for judge in judges]
    shifts = np.bincount(who, changes) / np.bincount(who)
    within = float(np.sum((changes - shifts[who]) ** 2)) / (len(pairs) - len(names)) / 2
    share = min(within / (parts.judge + parts.rest), parts.noise)
    return replace(parts, inconsistency=share)


def metric_name(scale: Scale) -> str:
    """Name what the model is fitted to."""
    if scale.level is Level.NOMINAL:
        return "indicators"
    return "mid-ranks" if scale.level is Level.ORDINAL else "values"


def scores(patterns: Patterns) -> Iterator[Patterns]:
    """Put ratings on the metric of the agreement coefficient; names on one for each category."""
    if patterns.scale.level is Level.NOMINAL:
        for code in np.unique(patterns.codes[patterns.rated]).tolist():
            yield _on_line(patterns, (np.arange(patterns.n_values) == code).astype(float))
    elif patterns.scale.level is Level.ORDINAL:
        rows, _, codes = patterns.entries
        used = np.bincount(codes, patterns.counts[rows], minlength=patterns.n_values)
        yield _on_line(patterns, midranks(used.astype(float)) / patterns.n_ratings)
    else:
        yield _on_line(patterns, patterns.positions(Level.INTERVAL))


def _on_line(patterns: Patterns, positions: Floats) -> Patterns:
    return replace(patterns, values=positions, scale=LINE)


class JudgeEffects:
    """Least squares of item and judge effects, and how well the judges' are known.

    Items (or clusters) give the covariance of the judges' effects, so that nothing is assumed of
    the distribution of ratings. Several metrics (names) are taken side by side.
    """

    def __init__(self, scored: Sequence[Patterns]) -> None:
        first, self.n_judges = scored[0], scored[0].codes.shape[1]
        (rows, judges, _), counts = first.entries, first.counts.astype(float)
        size = first.by_row(np.ones(rows.size))
        rated = table_of(rows, judges, np.ones(rows.size), first.codes.shape)
        met = -dense(rated.T @ weighted_rows(counts / size, rated))
        met.flat[:: self.n_judges + 1] += np.bincount(judges, counts[rows], minlength=self.n_judges)
        values, vectors = np.linalg.eigh(met)
        real = values > 1e-9 * max(values[-1], 1.0)
        self.parts = int(values.size - real.sum())
        self._inverse = (vectors[:, real] / values[real]) @ vectors[:, real].T
        fits = [self._fit(part, size) for part in scored]
        self.effects = np.concatenate([effects for effects, _ in fits])
        self.covariance, self.units = self._sandwich(first, [left for _, left in fits])

    def _fit(self, part: Patterns, size: Floats) -> tuple[Floats, Floats]:
        """The effects on one metric, and what they leave of each rating."""
        rows, judges, codes = part.entries
        numbers = part.positions()[codes]
        own = numbers - (part.by_row(numbers) / size)[rows]
        sums = np.bincount(judges, part.counts[rows] * own, minlength=self.n_judges)
        effects = self._inverse @ sums
        expected = effects[judges] - (part.by_row(effects[judges]) / size)[rows]
        return effects, own - expected

    def _sandwich(self, part: Patterns, left: Sequence[Floats]) -> tuple[Floats, float]:
        """The covariance of the effects, from what each item's or cluster's ratings leave."""
        (rows, judges, _), counts = part.entries, part.counts.astype(float)
        if part.clusters is None:
            units, weights, n = rows, np.sqrt(counts), int(counts.size)
            size = float(counts.sum())
        else:
            units = np.unique(part.clusters, return_inverse=True)[1][rows]
            weights, n = counts, int(units.max()) + 1
            size = float(n)
        tables = [
            summed_table(units, judges, weights[rows] * own, (n, self.n_judges)) for own in left
        ]
        covariance = np.block(
            [
                [self._inverse @ dense(one.T @ other) @ self._inverse for other in tables]
                for one in tables
            ]
        )
        return covariance * size / max(size - 1, 1), size

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """The mean variance of an effect by its degrees of freedom, and these."""
        trace, square = np.trace(self.covariance), float(np.sum(self.covariance**2))
        df = trace**2 / square if square > 0 else 1.0
        return float(trace), float(df)

    def severity_intervals(
        self, rest: float, confidence: float
    ) -> tuple[Interval | None, Interval | None]:
        """Intervals of severity's share of the disagreement, for these and for other judges."""
        trace, df = self._moments
        if not trace > 0 or self.units < 3 or not rest > 0:
            return None, None
        f, df2 = float(self.effects @ self.effects) / trace, self.units - 1
        known = trace / (self.n_judges - 1) / rest  # what chance adds, by the rest
        tail = (1 - confidence) / 2
        these = (_noncentrality(f, df, df2, 1 - tail), _noncentrality(f, df, df2, tail))
        limits = [end / df * known for end in these]
        quantiles = (f_quantile(1 - tail, df, df2), 1 / f_quantile(1 - tail, df2, df))
        others = [max(f / quantile - 1, 0.0) * known for quantile in quantiles]
        low, high, low_others, high_others = (end / (1 + end) for end in (*limits, *others))
        return (
            Interval(low, high, confidence, "noncentral F"),
            Interval(low_others, high_others, confidence, "F", target=OTHER_JUDGES),
        )


def _noncentrality(f: float, df1: float, df2: float, p: float) -> float:
    """The noncentrality at which a share p of the distribution lies below f, or else 0.

    For an upper end p is taken of the share that lies below f without any effect, because an f
    that is small by chance would otherwise leave an interval without width.
    """
    if p < 0.5:
        f = max(f, 1e-6)
        p *= float(special.fdtr(df1, df2, f))

    def below(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - p

    if below(0.0) <= 0:
        return 0.0
    high = max(df1 * f, 1.0)
    while below(high) > 0:
        high *= 2
        if high > 1e12:
            return high
    low = 0.0
    for _ in range(HALVINGS):  # which spares the import of scipy.optimize
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) > 0 else (low, middle)
    return (low + high) / 2


def _mean_square_variances(scored: Sequence[Patterns]) -> Components:
    """The variances from mean squares, summed over metrics; what is negative is 0."""
    squares = [
        mean_squares(part.counts @ row_sums(part, by_judge=True), part.codes.shape[1])
        for part in scored
    ]
    n, k = float(squares[0].n), squares[0].k
    units = [rating_unit(part) ** 2 for part in scored]
    items, judges, error = (
        float(sum(unit * getattr(part, name) for unit, part in zip(units, squares, strict=True)))
        for name in ("items", "judges", "error")
    )
    item, judge = max((items - error) / k, 0.0), max((judges - error) / n, 0.0)
    return Components(item=item, judge=judge, residual=error)


def _reml(scored: Sequence[Patterns]) -> Components:
    fits = [variance_components(part) for part in scored]
    if len(fits) == 1:
        return fits[0]
    item, judge, residual = (
        sum(getattr(fit, name) for fit in fits) for name in ("item", "judge", "residual")
    )
    reason = next((fit.reason for fit in fits if fit.reason), "")
    return Components(item=item, judge=judge, residual=residual, reason=reason)


def _without_interval(
    scored: Sequence[Patterns], variances: Components, value: float, confidence: float
) -> Interval | None:
    """An interval of agreement without severity, for these judges."""
    if scored[0].rated.all():
        return _jackknife_log_ratio(scored, confidence)
    covariance = variances.log_covariance[np.ix_([0, 2], [0, 2])]
    slopes = np.array([1.0, -1.0])
    variance = float(slopes @ covariance @ slopes)
    if not 0 < value < 1 or not variance > 0:
        return None
    logit, margin = math.log(value / (1 - value)), normal_quantile((1 + confidence) / 2)
    ends = (logit + side * margin * math.sqrt(variance) for side in (-1, 1))
    low, high = ((1 + math.tanh(end / 2)) / 2 for end in ends)
    return Interval(low, high, confidence, "REML delta")


def _jackknife_log_ratio(scored: Sequence[Patterns], confidence: float) -> Interval | None:
    """Leave out items (or clusters) and take the logarithm of the ratio of mean squares."""
    k = scored[0].codes.shape[1]
    width = 3 + k

    def log_ratio(sums: Floats) -> Floats:
        parts = [
            mean_squares(sums[..., start : start + width], k)
            for start in range(0, sums.shape[-1], width)
        ]
        items, error = sum(part.items for part in parts), sum(part.error for part in parts)
        usable = (items > 0) & (error > 0)
        whole = np.where(usable, items, 1.0) / np.where(usable, error, 1.0)
        return np.asarray(np.where(usable, np.log(whole), np.nan))

    sums = np.hstack([row_sums(part, by_judge=True) for part in scored])
    unit = units(Linear(scored[0], sums, log_ratio))
    assert isinstance(unit, Linear)
    n = float(unit.counts.sum())
    pseudo = n * log_ratio(unit.total) - (n - 1) * log_ratio(unit.total - unit.sums)
    if n < 3 or not np.isfinite(pseudo).all():
        return None
    centre = float(np.average(pseudo, weights=unit.counts))
    variance = float(unit.counts @ (pseudo - centre) ** 2) / (n - 1) / n
    margin = t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(variance)
    low, high = (
        (math.exp(end) - 1) / (math.exp(end) + k - 1) for end in (centre - margin, centre + margin)
    )
    return Interval(low, high, confidence, "jackknife")


def _scale_use(part: Patterns, confidence: float) -> tuple[float, Interval | None]:
    """Different spreads' share of what severity leaves, with an interval from groups of items."""
    groups = np.arange(part.counts.size) if part.clusters is None else part.clusters
    numbers_of = np.unique(groups, return_inverse=True)[1] % GROUPS
    n = int(np.unique(numbers_of).size)
    if part.common.dense:
        moments = _multiplied_moments(part, numbers_of)
    else:
        moments = _listed_moments(part, numbers_of)
    whole = moments.sum(axis=0)
    share = _spread_share(whole)
    if n < GROUPS or math.isnan(share):
        return share, None
    left_out = np.array([_spread_share(whole - own) for own in moments])
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    low, high = max(share - margin, 0.0), min(share + margin, 1.0)
    known = math.isfinite(margin)
    return share, Interval(low, high, confidence, "jackknife") if known else None


def _centred_positions(part: Patterns) -> Floats:
    """Where the categories stand, about the mean of all rows' ratings."""
    positions = part.positions()
    return np.asarray(positions - positions[part.entries[2]].mean())


def _multiplied_moments(part: Patterns, group: npt.NDArray[np.intp]) -> Floats:
    """The same as `_listed_moments`, from whole columns of judges."""
    numbers = np.where(part.rated, _centred_positions(part)[part.codes], 0.0)
    rated, counts = part.rated.astype(float), part.counts.astype(float)
    upper = np.triu_indices(rated.shape[1], 1)

    def of(rows: npt.NDArray[np.bool_]) -> list[Floats]:
        mine, own, times = rated[rows], numbers[rows], counts[rows, None]
        sums, squares = (times * own).T @ mine, (times * own**2).T @ mine
        common, products = (times * mine).T @ mine, (times * own).T @ own
        turned = (sums.T, squares.T)
        return [each[upper] for each in (common, sums, squares, *turned, products)]

    return np.array([of(group == number) for number in range(GROUPS)])


def _listed_moments(part: Patterns, group: npt.NDArray[np.intp]) -> Floats:
    """For each group of items and every two judges who met: their common items, the sum and the
    squares of the first's ratings and of the second's, and the products (groups × 6 × pairs).
    """
    common, positions = part.common, _centred_positions(part)
    n_pairs = len(common.pairs)
    moments = np.zeros((6, GROUPS * n_pairs))
    for rows, pairs, cells in common.blocks():
        first, second = (positions[codes] for codes in divmod(cells, part.n_values))
        places, times = group[rows] * n_pairs + pairs, common.counts[rows]
        parts = (np.ones(rows.size), first, first**2, second, second**2, first * second)
        for moment, values in zip(moments, parts, strict=True):
            moment += np.bincount(places, times * values, minlength=moment.size)
    return np.asarray(moments.reshape(6, GROUPS, n_pairs).swapaxes(0, 1))


def _spread_share(moments: Floats) -> float:
    """What different spreads make of the variance of differences, over all pairs of judges."""
    enough = moments[0] >= LEAST_COMMON
    if not enough.any():
        return math.nan
    n, sum1, squares1, sum2, squares2, product = moments[:, enough]
    variances = [
        np.maximum((q - s**2 / n) / (n - 1), 0) for s, q in ((sum1, squares1), (sum2, squares2))
    ]
    shared = (product - sum1 * sum2 / n) / (n - 1)
    spreads = np.sqrt(variances)
    both = spreads[0] * spreads[1]
    r = np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), -1, 1)
    difference = variances[0] + variances[1] - 2 * shared
    chance = (variances[0] + variances[1] - 2 * r**2 * both) / (2 * (n - 1))
    spread = (spreads[0] - spreads[1]) ** 2 - chance
    whole = float(n @ difference)
    return min(max(float(n @ spread) / whole, 0.0), 1.0) if whole > 0 else math.nan


def _times(interval: Interval, factor: float) -> Interval:
    return replace(interval, low=interval.low * factor, high=interval.high * factor)


def severities(patterns: Patterns, confidence: float) -> tuple[JudgeSeverity, ...]:
    """How far each judge lies above the others, in points of the scale; none for names."""
    shared = patterns.keep(patterns.rated.sum(axis=1) > 1)
    names = patterns.scale.level is Level.NOMINAL and patterns.n_values > 2
    if names or shared.n_items < 2 or len(shared.judges) < 2 or shared.codes.size > ROOM:
        return ()
    if len(shared.judges) > MOST_JUDGES:
        return ()
    fit = JudgeEffects([_on_line(shared, shared.positions(Level.INTERVAL))])
    if fit.parts > 1:
        return ()
    k = fit.n_judges
    margin = t_quantile((1 + confidence) / 2, max(fit.units - 1, 1)) * k / (k - 1)
    errors = np.sqrt(np.maximum(np.diag(fit.covariance), 0))
    effects = (fit.effects - fit.effects.mean()) * k / (k - 1)
    return tuple(
        JudgeSeverity(
            judge=judge,
            value=float(value),
            low=float(value - margin * error),
            high=float(value + margin * error),
            n_others=k - 1,
            leniency=_leniency(value, margin * error, patterns.scale),
        )
        for judge, value, error in zip(shared.judges, effects, errors, strict=True)
    )


def _leniency(value: float, margin: float, scale: Scale) -> str:
    if abs(value) <= margin:
        return "alike"
    up = value > 0
    if scale.best is None:
        return "higher" if up else "lower"
    return "milder" if up == (scale.best == "high") else "stricter"
