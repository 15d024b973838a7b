"""`covary.disagreement`: how much of the disagreement is severity, scale use and noise.

The model is rating = item + judge + rest on the metric of the agreement coefficient: pooled
mid-ranks for ordinal ratings, the values themselves for numbers, an indicator of each category for
names. The judge's part is severity. What is left between two judges splits once more (Lin 1989):
the square of a difference is that of the means, that of the spreads, and what is left of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.judge_model import (
    LEAST_COMMON,
    JudgeEffects,
    mean_square_variances,
    on_line,
    reml_variances,
    scale_use_share,
    scores,
    without_severity_interval,
)
from covary.analysis.stability import first_occasion, repeated_ratings
from covary.errors import ConvergenceError, quiet
from covary.ratings import Ratings
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficients.variance_components import MOST_JUDGES, Components
from covary.stats.estimate import Interval, Result
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns
from covary.stats.statistic import ROUNDING
from covary.words import Note, word

Floats = npt.NDArray[np.float64]

Leniency = Literal["alone", "alike", "higher", "lower", "milder", "stricter"]

ROOM = 40_000_000
"""The most numbers (items times judges) that the model is fitted to."""


@dataclass(frozen=True, kw_only=True)
class JudgeSeverity(Result):
    """How far a judge lies above the other judges in points of the scale, with an interval.

    Differences of the items that each judge rated are taken out. Whoever reads the lines of all
    judges sees the most extreme one, so the intervals hold for all judges of a criterion at once
    (Šidák 1967). `leniency` is milder or stricter where the scale has a best end, else higher or
    lower; alike where the interval holds 0. `p` is how probable it is that any judge lies so far
    off if all were equally severe.
    """

    judge: Any
    value: float
    low: float
    high: float
    n_others: int
    leniency: Leniency
    p: float

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
    shared = patterns.keep(patterns.sizes > 1)
    parts = Decomposition(
        label=label,
        judges=patterns.judges,
        n_items=shared.n_items,
        metric=metric_name(patterns.scale),
    )
    if shared.n_items < 2 or len(shared.judges) < 2:
        return replace(parts, reason=Note("disagreement.too-few"))
    if shared.counts.size * shared.n_columns > ROOM or len(shared.judges) > MOST_JUDGES:
        return replace(parts, reason=Note("disagreement.too-many"))
    scored = tuple(scores(shared))
    fit = JudgeEffects(scored)
    if fit.parts > 1:
        return replace(parts, reason=Note("disagreement.apart", groups=fit.parts))
    complete = shared.complete
    try:
        variances = mean_square_variances(scored) if complete else reml_variances(scored)
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
    complete = scored[0].complete
    without = item / (item + rest) if item + rest > 0 else math.nan
    severity = judge / (judge + rest)
    scale_use, known = (math.nan, None)
    if len(scored) == 1:
        scale_use, known = scale_use_share(scored[0], confidence)
    used = scale_use * (1 - severity)
    these, others = fit.effects.severity_intervals(rest, confidence)
    these = these and replace(these, low=min(these.low, severity), high=max(these.high, severity))
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
        without_interval=without_severity_interval(scored, variances, without, confidence),
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
    scored = list(scores(patterns.keep(patterns.sizes > 1)))
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


def _times(interval: Interval, factor: float) -> Interval:
    return replace(interval, low=interval.low * factor, high=interval.high * factor)


def severities(patterns: Patterns, confidence: float) -> tuple[JudgeSeverity, ...]:
    """How far each judge lies above the others, in points of the scale; none for names."""
    shared = patterns.keep(patterns.sizes > 1)
    names = patterns.scale.level is Level.NOMINAL and patterns.n_values > 2
    if (
        names
        or shared.n_items < 2
        or len(shared.judges) < 2
        or shared.counts.size * shared.n_columns > ROOM
    ):
        return ()
    if len(shared.judges) > MOST_JUDGES:
        return ()
    fit = JudgeEffects([on_line(shared, shared.positions(Level.INTERVAL))])
    if fit.parts > 1:
        return ()
    k, centred = fit.n_judges, fit.effects - fit.effects.mean()
    effects, margins = (part * k / (k - 1) for part in (centred, fit.margins(confidence)))
    length = float(np.ptp(shared.positions(Level.INTERVAL)))
    return tuple(
        JudgeSeverity(
            judge=judge,
            value=float(value),
            low=float(max(value - margin, min(value, -length))),
            high=float(min(value + margin, max(value, length))),
            n_others=k - 1,
            leniency=_leniency(value, margin, patterns.scale),
            p=float(p),
        )
        for judge, value, margin, p in zip(
            shared.judges, effects, margins, fit.chances(centred), strict=True
        )
    )


def _leniency(value: float, margin: float, scale: Scale) -> Leniency:
    if abs(value) <= margin:
        return "alike"
    up = value > 0
    if scale.best is None:
        return "higher" if up else "lower"
    return "milder" if up == (scale.best == "high") else "stricter"
