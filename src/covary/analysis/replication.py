"""How close is a repeated study to the first one? Scores, sets of scores, labels and findings.

The four kinds of result, and CV* for single scores, are those of quantified reproducibility
assessment (Belz, Popovic & Mille 2022; QRA++, Belz 2025).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.reliability import reliability
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.stability import first_occasion
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.ratings.pattern_counts import RatingCounts, rating_counts
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficients.cross_replication import xrr
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Estimate, Result, plain
from covary.stats.patterns import scale_numbers
from covary.words import Note

Floats = npt.NDArray[np.float64]
Matching = Literal["auto", "same", "different"]

LEAST = 3
"""Scores from which two sets have a correlation."""


@dataclass(frozen=True, kw_only=True)
class Variation(Result):
    """CV*, the coefficient of variation of a few scores in percent, and what it is made of.

    `deviation` is the unbiased standard deviation, with its 95 % interval `low` to `high`. Where
    there is no value, `reason` says why.
    """

    value: float
    mean: float
    deviation: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    reason: str = ""


def cv_star(values: Sequence[float], *, minimum: float = 0.0) -> Variation:
    """How far do scores of the same thing lie apart, in percent of their mean?

    Parameters
    ----------
    values
        Two or more scores, such as the mean ratings of one system in two studies.
    minimum
        The lowest possible score. It is subtracted first, because a relative difference depends on
        where the scale begins.

    Returns
    -------
    Variation
        0 where the scores are equal. Undefined where their mean is at the scale's minimum.

    Notes
    -----
    CV* = (1 + 1/(4n)) 100 s*/m with s* = s/c4(n), c4(n) = sqrt(2/(n-1)) Γ(n/2)/Γ((n-1)/2). Of two
    scores a and b it is 199.401 |a - b|/(a + b), which is their relative difference.

    References
    ----------
    Belz, A., Popović, M. & Mille, S. (2022). Quantified reproducibility assessment of NLP results.
    ACL, 16-28.

    Examples
    --------
    >>> round(cv_star([4.2, 3.8]).value, 3), round(cv_star([4.2, 3.8], minimum=1).value, 3)
    (9.97, 13.293)
    """
    scores = np.asarray(values, dtype=float) - minimum
    n = scores.size
    if n < 2:
        raise InvalidArgument("replication.one-score", argument="values", value=n)
    mean = float(scores.mean())
    if not mean > 0:
        return Variation(value=math.nan, mean=mean, n=n, reason=Note("replication.at-minimum"))
    c4 = math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)
    s = float(scores.std(ddof=1))
    deviation = s / c4
    error = s**2 * math.sqrt(2 / (n - 1)) / (2 * deviation) if s else 0.0
    reach = t_quantile(0.975, n - 1) * error
    return Variation(
        value=(1 + 1 / (4 * n)) * 100 * deviation / mean,
        mean=mean,
        deviation=deviation,
        low=deviation - reach,
        high=deviation + reach,
        n=n,
    )


@dataclass(frozen=True, kw_only=True)
class RepeatedScore(Result):
    """A mean rating in both studies, of one system or (None) of all items."""

    system: Any
    old: float
    new: float
    cv: Variation


@dataclass(frozen=True, kw_only=True)
class ScoreSets(Result):
    """How alike two sets of scores are: the means of `n` systems or items in both studies."""

    of: Literal["systems", "items"]
    n: int
    pearson: float
    spearman: float


@dataclass(frozen=True, kw_only=True)
class RepeatedFinding(Result):
    """Something that one study found, and whether the other finds it too.

    `about` is a pair of systems, the best system, the ranking, or one of the facts of the verdict.
    """

    kind: Literal["pair", "ranking", "best", "verdict"]
    about: str
    old: str
    new: str

    @property
    def upheld(self) -> bool:
        """Whether both studies find the same."""
        return self.old == self.new


@dataclass(frozen=True, kw_only=True)
class CriterionReplication:
    """One criterion in both studies.

    `labels` is Krippendorff's alpha between the two studies, each giving an item its median rating,
    and `cross` the agreement between a judge of one and a judge of the other (xRR); both only where
    the items are the same.
    """

    criterion: Any
    scores: tuple[RepeatedScore, ...]
    sets: tuple[ScoreSets, ...]
    findings: tuple[RepeatedFinding, ...]
    old: CriterionReliability
    new: CriterionReliability
    shared: int = 0
    labels: Estimate | None = None
    cross: Estimate | None = None

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return self.new.name

    def upheld(self, kind: str) -> tuple[int, int]:
        """How many findings of a kind are upheld, and how many there are."""
        own = [finding.upheld for finding in self.findings if finding.kind == kind]
        return sum(own), len(own)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        parts = {"scores": self.scores, "sets": self.sets}
        findings = [finding.to_dict() | {"upheld": finding.upheld} for finding in self.findings]
        estimates = {"labels": self.labels, "cross": self.cross}
        return {
            "criterion": self.criterion,
            "shared_items": self.shared,
            **{name: [one.to_dict() for one in several] for name, several in parts.items()},
            "findings": findings,
            **{name: one and one.to_dict() for name, one in estimates.items()},
        }


@dataclass(frozen=True, kw_only=True)
class StudyProperty(Result):
    """Something that describes both studies, and whether it is the same."""

    name: str
    old: str
    new: str

    @property
    def same(self) -> bool:
        """Whether both studies have it alike."""
        return self.old == self.new


@dataclass(frozen=True, kw_only=True)
class Replication:
    """A repeated study beside the first one."""

    criteria: tuple[CriterionReplication, ...]
    properties: tuple[StudyProperty, ...]
    missing: tuple[Any, ...] = ()
    """Criteria that only one of the studies has."""

    columns: ClassVar[tuple[str, ...]] = (
        *("criterion", "kind", "about", "old", "new", "cv_star", "pearson", "spearman"),
        *("n", "upheld"),
    )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each score, set of scores and finding."""
        return [row for criterion in self.criteria for row in _rows(criterion)]

    def upheld(self, kind: str) -> tuple[int, int]:
        """How many findings of a kind are upheld over all criteria, and how many there are."""
        counts = [criterion.upheld(kind) for criterion in self.criteria]
        return sum(count[0] for count in counts), sum(count[1] for count in counts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "properties": [one.to_dict() | {"same": one.same} for one in self.properties],
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "missing": plain(list(self.missing)),
        }


def _rows(part: CriterionReplication) -> Iterator[dict[str, Any]]:
    name = {"criterion": "" if part.criterion is None else part.criterion}
    for score in part.scores:
        about = "all items" if score.system is None else score.system
        values = {"old": score.old, "new": score.new, "cv_star": score.cv.value}
        yield name | {"kind": "score", "about": about} | values
    for scores in part.sets:
        values = {"pearson": scores.pearson, "spearman": scores.spearman, "n": scores.n}
        yield name | {"kind": "set of scores", "about": scores.of} | values
    for kind, estimate in (("labels (alpha)", part.labels), ("labels (xRR)", part.cross)):
        if estimate is not None:
            yield name | {"kind": kind, "about": "items", "new": estimate.value, "n": part.shared}
    for finding in part.findings:
        found = {"old": finding.old, "new": finding.new}
        about = {"kind": f"finding: {finding.kind}", "about": finding.about}
        yield name | about | found | {"upheld": "yes" if finding.upheld else "no"}


def replication(
    new: Ratings, old: Ratings, *, items: Matching = "auto", confidence: float = 0.95, rng: Any = 0
) -> Replication:
    """How close is a repeated study to the first one?

    Parameters
    ----------
    new, old
        The ratings of the repeated study and of the first one. What is compared are the criteria
        that both have, the systems that both have, and the items that are the same.
    items
        Items of the same name are `"same"` or `"different"`; `"auto"` takes them for the same.
        Say `"different"` where the names are mere numbers that do not fit each other.
    confidence, rng
        Of the intervals of both reliabilities.

    Returns
    -------
    Replication
        `properties` that are the same and that differ; for each criterion the scores with CV*,
        correlations of sets of scores, agreement of labels, and which findings are upheld.

    Examples
    --------
    >>> from covary import datasets
    >>> old, new = (datasets.load(f"qgstec-{name}") for name in ("original", "reevaluated"))
    >>> found = replication(new, old, items="different")
    >>> found.upheld("pair")[1]  # six pairs of four systems, five criteria
    30
    """
    if items not in ("auto", "same", "different"):
        allowed = ("auto", "same", "different")
        raise InvalidArgument("replication.items", argument="items", value=items, allowed=allowed)
    sides = tuple(first_occasion(ratings) for ratings in (old, new))
    for ratings in sides:
        refuse_many(ratings, "comparing studies")
    both = [name for name in sides[1].criteria if name in sides[0].criteria]
    if not both:
        names = [[*side.criteria] for side in (new, old)]
        raise InvalidArgument("replication.no-criterion", new=names[0], old=names[1])
    with quiet():
        results = [reliability(side, confidence=confidence, rng=rng) for side in sides]
    criteria = tuple(_criterion(name, sides, results, items) for name in both)
    every = dict.fromkeys([*sides[0].criteria, *sides[1].criteria])
    return Replication(
        criteria=criteria,
        properties=tuple(_properties(sides, items)),
        missing=tuple(name for name in every if name not in both),
    )


Sides = Sequence[Ratings]


def _criterion(
    name: Any, sides: Sides, results: Sequence[Reliability], items: Matching
) -> CriterionReplication:
    scales = [side.scale(name) for side in sides]
    columns = [_columns(side, name) for side in sides]
    means = _means_of(columns, scales, "system")
    systems = [system for system in means[0] if system in means[1]]
    old, new = (_of_criterion(result, name) for result in results)
    shared = [] if items == "different" else _shared(columns)
    of_items = _means_of(columns, scales, "item")
    comparable = bool(shared) and scales[0].categories == scales[1].categories
    return CriterionReplication(
        criterion=name,
        scores=tuple(_scores(columns, means, systems, scales)),
        sets=(*_sets("systems", means, systems), *_sets("items", of_items, shared)),
        findings=(*_system_findings(systems, means, scales), *_verdicts(old, new)),
        old=old,
        new=new,
        shared=len(shared),
        labels=_labels(columns, shared, scales[1]) if comparable else None,
        cross=_cross(sides, name) if comparable else None,
    )


Means = list[dict[Any, float]]


def _means_of(columns: Sequence[dict[str, Any]], scales: Sequence[Scale], by: str) -> Means:
    return [_means(own, scale, by) for own, scale in zip(columns, scales, strict=True)]


def _scores(
    columns: Sequence[dict[str, Any]], means: Means, systems: Sequence[Any], scales: Sequence[Scale]
) -> Iterator[RepeatedScore]:
    """The mean of all ratings, then of each system."""
    old, new = (float(np.mean(own["number"])) for own in columns)
    yield _score(None, old, new, scales)
    yield from (_score(system, means[0][system], means[1][system], scales) for system in systems)


def _columns(ratings: Ratings, criterion: Any) -> dict[str, Any]:
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    known = [name for name in ("item", "system", "rating") if name in ratings.columns]
    columns: dict[str, Any] = fetch(frame.select(*known))
    return columns | {"number": scale_numbers(columns["rating"], ratings.scale(criterion))}


def _means(columns: dict[str, Any], scale: Scale, by: str) -> dict[Any, float]:
    """The mean rating of each system or item; none where the categories have no order."""
    if by not in columns or scale.level is Level.NOMINAL:
        return {}
    sums: dict[Any, list[float]] = {}
    for name, number in zip(columns[by].tolist(), columns["number"].tolist(), strict=True):
        sums.setdefault(name, []).append(number)
    return {name: float(np.mean(sums[name])) for name in sorted(sums, key=str)}


def _score(system: Any, old: float, new: float, scales: Sequence[Scale]) -> RepeatedScore:
    return RepeatedScore(system=system, old=old, new=new, cv=_variation(old, new, scales))


def _variation(old: float, new: float, scales: Sequence[Scale]) -> Variation:
    """CV* on the scale shifted to 0; none where its ends are not known or differ."""
    ends = [(scale.low, scale.high) for scale in scales]
    reason = ""
    if any(scale.level is Level.NOMINAL for scale in scales):
        reason = Note("replication.no-order")
    elif not all(scale.declared for scale in scales):
        reason = Note("replication.scale-not-declared")
    elif ends[0] != ends[1]:
        reason = Note("replication.scales-differ")
    if reason:
        return Variation(value=math.nan, mean=math.nan, n=2, reason=reason)
    positions = scales[0].positions(Level.INTERVAL) if scales[0].categories else [scales[0].low]
    return cv_star([old, new], minimum=float(min(positions)))


def _sets(
    of: Literal["systems", "items"], means: Means, names: Sequence[Any]
) -> Iterator[ScoreSets]:
    known = [name for name in names if all(name in own for own in means)]
    x, y = (np.asarray([own[name] for name in known], dtype=float) for own in means)
    if x.size >= LEAST:
        ranks = (_ranks(x), _ranks(y))
        yield ScoreSets(of=of, n=x.size, pearson=_pearson(x, y), spearman=_pearson(*ranks))


def _ranks(values: Floats) -> Floats:
    """Ranks from the lowest up, equal values sharing the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[which].astype(float)
    return ranks


def _pearson(x: Floats, y: Floats) -> float:
    a, b = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / spread if spread > 0 else math.nan


def _shared(columns: Sequence[dict[str, Any]]) -> list[Any]:
    first, second = ({*own["item"].tolist()} for own in columns)
    return sorted(first & second, key=str)


def _labels(columns: Sequence[dict[str, Any]], shared: list[Any], scale: Scale) -> Estimate | None:
    """Agreement of the two studies as of two judges, who each give an item its median rating."""
    if scale.categories is None or scale.level is Level.NOMINAL:
        return None
    medians = []
    for own in columns:
        given: dict[Any, list[float]] = {}
        for item, number in zip(own["item"].tolist(), own["number"].tolist(), strict=True):
            given.setdefault(item, []).append(number)
        medians.append({item: sorted(own)[(len(own) - 1) // 2] for item, own in given.items()})
    names = dict(zip(scale.positions(Level.INTERVAL), scale.categories, strict=True))
    rows = [[names[own[item]] for own in medians] for item in shared]
    with quiet():
        return krippendorff_alpha(Ratings.from_wide(rows, scale=scale))


def _cross(sides: Sides, criterion: Any) -> Estimate | None:
    try:
        with quiet():
            return xrr(sides[0], sides[1], criterion=criterion, rng=0)
    except InvalidArgument:
        return None


def _of_criterion(result: Reliability, name: Any) -> CriterionReliability:
    return next(part for part in result.criteria if part.criterion == name)


def _system_findings(
    systems: Sequence[Any], means: Means, scales: Sequence[Scale]
) -> Iterator[RepeatedFinding]:
    """The order of every two systems, the ranking, and the best one, by their means."""
    if len(systems) < 2:
        return
    signs = [-1 if scale.best == "low" else 1 for scale in scales]
    values = [{s: sign * own[s] for s in systems} for sign, own in zip(signs, means, strict=True)]
    for a, b in combinations(systems, 2):
        old, new = (_order(own, a, b) for own in values)
        yield RepeatedFinding(kind="pair", about=f"{a} and {b}", old=old, new=new)
    rankings = [_ranking(systems, own) for own in values]
    old, new = (" > ".join(map(str, ranking)) for ranking in rankings)
    yield RepeatedFinding(kind="ranking", about="ranking", old=old, new=new)
    old, new = (str(ranking[0]) for ranking in rankings)
    yield RepeatedFinding(kind="best", about="best system", old=old, new=new)


def _ranking(systems: Sequence[Any], values: dict[Any, float]) -> list[Any]:
    return sorted(systems, key=lambda system: (-values[system], str(system)))


def _order(values: dict[Any, float], a: Any, b: Any) -> str:
    if values[a] == values[b]:
        return f"{a} = {b}"
    return f"{a} > {b}" if values[a] > values[b] else f"{b} > {a}"


def _verdicts(old: CriterionReliability, new: CriterionReliability) -> Iterator[RepeatedFinding]:
    facts = [{fact.about: fact.state for fact in part.overall.verdict.facts} for part in (old, new)]
    for about in facts[0]:
        if about in facts[1]:
            yield RepeatedFinding(
                kind="verdict", about=about, old=facts[0][about], new=facts[1][about]
            )


def _properties(sides: Sides, items: Matching) -> Iterator[StudyProperty]:
    """What describes both studies: criteria, scales, counts, and who and what they share."""
    counts = [rating_counts(side.frame, side.criteria) for side in sides]
    texts = [dict(_described(*pair)) for pair in zip(sides, counts, strict=True)]
    for name in dict.fromkeys([*texts[0], *texts[1]]):
        old, new = (text.get(name, "–") for text in texts)
        yield StudyProperty(name=name, old=old, new=new)
    for column in ("judge", "item", "system"):
        if all(column in side.columns for side in sides) and not any(s.slots for s in sides):
            names = [{*map(str, side.values(column))} for side in sides]
            matched = column != "item" or items != "different"
            shared = len(names[0] & names[1]) if matched else 0
            own = [f"{shared} of {len(one)} {column}s in both" for one in names]
            yield StudyProperty(name=f"shared {column}s", old=own[0], new=own[1])


def _described(side: Ratings, counts: Sequence[RatingCounts]) -> Iterator[tuple[str, str]]:
    yield "criteria", ", ".join(str(name) for name in side.criteria if name is not None) or "one"
    for count in counts:
        scale = side.scale(count.criterion)
        best = f", {scale.best} is best" if scale.best else ""
        where = "" if count.criterion is None else f" of {count.criterion}"
        yield f"scale{where}", f"{scale.describe()}{best}"
    first = counts[0]
    yield "items", f"{first.items:,}"
    yield "judges", f"{first.judges:,}"
    per = f"{first.least}" if first.least == first.most else f"{first.least} to {first.most}"
    yield "ratings per item", per
    if first.systems:
        yield "systems", f"{first.systems:,}"
