"""`covary.accuracy`: how close are judges to answers that are known?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from covary.analysis.stability import first_occasion, wilson
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Tabular, fetch
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.distributions import level_of_each, t_quantile
from covary.stats.estimate import Estimate, Result
from covary.stats.intervals import check_confidence
from covary.stats.patterns import scale_numbers
from covary.words import word

Floats = npt.NDArray[np.float64]
Answers = Mapping[Any, Any]

ACCURACY = "accuracy"
"""Which of Krippendorff's kinds of reliability (2004: 215) the numbers are: against a standard."""

STANDARD = "known answer"

NEAR = 0.1
"""On a line a rating is right that is nearer to the known answer than this share of the line."""

COLUMNS = (
    *("criterion", "kind", "judge", "items", "n", "right", "right_low", "right_high"),
    *("alpha", "alpha_low", "alpha_high", "shift", "shift_low", "shift_high", "signature"),
)


@dataclass(frozen=True, kw_only=True)
class Closeness(Result):
    """How close the ratings of a judge, or of all judges, are to the known answers.

    `right` is the share of ratings that are the known answer (on a line: within a tenth of its
    length), `alpha` Krippendorff's alpha between ratings and known answers, `shift` the mean of
    rating less known answer; NaN on names. `judge` is None for all judges together; the intervals
    of single judges' shifts hold for all of them at once (Šidák 1967).
    """

    judge: Any
    items: int
    n: int
    right: float
    right_low: float
    right_high: float
    alpha: Estimate
    shift: float = math.nan
    shift_low: float = math.nan
    shift_high: float = math.nan

    @property
    def sentence(self) -> str:
        """Say how many ratings are right, and whether they lie above or below the answers."""
        return word("accuracy.closeness", vars(self))

    def row(self) -> dict[str, Any]:
        """Return the numbers under the names of the columns."""
        values = {name: value for name, value in vars(self).items() if name in COLUMNS}
        interval = self.alpha.interval
        ends = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
        about = {"alpha": self.alpha.value, "signature": self.alpha.signature}
        return values | about | {"alpha_low": ends[0], "alpha_high": ends[1]}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"alpha": self.alpha.to_dict(), "sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class CriterionAccuracy(Tabular):
    """How close the ratings on one criterion are to the known answers.

    `overall` takes the ratings of all judges together; `unrated` counts the items with a known
    answer that nobody rated.
    """

    criterion: Any
    scale: Scale
    overall: Closeness
    judges: tuple[Closeness, ...] = ()
    unrated: int = 0

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for all judges and one for each."""
        about = {"criterion": "" if self.criterion is None else self.criterion, "kind": ACCURACY}
        return [about | closeness.row() for closeness in (self.overall, *self.judges)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "criterion": self.criterion,
            "kind": ACCURACY,
            "overall": self.overall.to_dict(),
            "judges": [judge.to_dict() for judge in self.judges],
            "unrated": self.unrated,
        }


@dataclass(frozen=True, kw_only=True)
class Accuracy(Tabular):
    """How close the ratings on every criterion are to the known answers."""

    criteria: tuple[CriterionAccuracy, ...]
    confidence: float

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for all judges and one for each judge, on each criterion."""
        return [row for criterion in self.criteria for row in criterion.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        criteria = [criterion.to_dict() for criterion in self.criteria]
        return {"confidence": self.confidence, "criteria": criteria}

    def __str__(self) -> str:
        lines = []
        for criterion in self.criteria:
            lines.append(f"{criterion.name}: {criterion.overall.sentence}")
            lines += [f"  {judge.sentence}" for judge in criterion.judges]
        return "\n".join(lines)


def accuracy(
    ratings: Ratings,
    gold: Mapping[Any, Any] | None = None,
    *,
    reference: Any = None,
    confidence: float = 0.95,
    rng: Any = None,
) -> Accuracy:
    """How close are judges to answers that are known?

    Krippendorff's *accuracy*: judges against a standard. How far judges agree with each other is
    reproducibility (`covary.reliability`), with themselves stability (`covary.stability`); judges
    who all make the same mistake are reproducible and not accurate.

    Parameters
    ----------
    ratings
        The ratings, also of items without a known answer, which are left out. Where judges rated
        items on several occasions, the first one counts.
    gold
        The known answer of each item; where there are several criteria, such a mapping for each
        criterion that has known answers.
    reference
        Instead of `gold`: the judge whose ratings are the known answers.
    confidence, rng
        Of the intervals, and the seed of those that are drawn.

    Returns
    -------
    Accuracy
        For each criterion the share of right ratings, alpha with the known answers and the mean
        difference from them, with intervals, for all judges together and for each.

    Notes
    -----
    Intervals speak of these judges and other items. That of a judge's right ratings is Wilson's.
    For all judges together the ratings of an item are not independent: Wilson's interval is taken
    at the number of independent ratings that has the same variance, with Student's t, and alpha's
    resamples draw whole items. `alpha` is that of two judges, of whom one is the standard.

    References
    ----------
    Krippendorff (2004), Content analysis, 2nd edition, pages 214-216. Wilson (1927), Probable
    inference, the law of succession, and statistical inference. Korn & Graubard (1998), Survey
    Methodology 24, for the effective number of ratings.

    Examples
    --------
    >>> from covary import Ratings, accuracy
    >>> table = {"item": [1, 2, 3, 4] * 2, "judge": ["Ann"] * 4 + ["Bo"] * 4}
    >>> ratings = Ratings(table | {"rating": [1, 2, 3, 3, 1, 2, 2, 2]}, scale="1-3")
    >>> found = accuracy(ratings, {1: 1, 2: 2, 3: 3, 4: 3})
    >>> [(judge.judge, judge.right) for judge in found.criteria[0].judges]
    [('Ann', 1.0), ('Bo', 0.5)]
    >>> found.criteria[0].overall.right
    0.75
    """
    check_confidence(confidence)
    if (gold is None) == (reference is None):
        raise InvalidArgument("accuracy.gold-or-reference")
    rated = first_occasion(ratings)
    known = reference_answers(rated, reference) if gold is None else _by_criterion(rated, gold)
    criteria = []
    with quiet():  # the estimates keep their notes
        for name, answers in known.items():
            pairs = _pair_up(rated, name, answers, reference)
            if pairs:
                unrated = len(answers) - len({pair.item for pair in pairs})
                found = _criterion(rated, name, pairs, confidence=confidence, rng=rng)
                criteria.append(replace(found, unrated=unrated))
    if not criteria:
        raise InvalidArgument("accuracy.elsewhere", n=sum(map(len, known.values())))
    return Accuracy(criteria=tuple(criteria), confidence=confidence)


def reference_answers(ratings: Ratings, reference: Any) -> dict[Any, dict[Any, Any]]:
    """Return the ratings of a judge who is the standard, by criterion and item."""
    if ratings.slots or reference not in ratings.judges:
        judges = () if ratings.slots else ratings.judges
        raise InvalidArgument(
            "stats.no-such-judges", argument="reference", value=[reference], allowed=judges
        )
    known: dict[Any, dict[Any, Any]] = {}
    for name in ratings.criteria:
        rows = _rows(ratings, name, nw.col("judge") == reference)
        known[name] = {item: rating for item, _, rating in rows}
    return known


class GoldPair(NamedTuple):
    """A judge's rating of an item beside the known answer."""

    item: Any
    judge: Any
    rating: Any
    answer: Any


def _by_criterion(ratings: Ratings, gold: Mapping[Any, Any]) -> dict[Any, Answers]:
    """Check the known answers, and say which criterion they belong to."""
    names = ratings.criteria
    nested = bool(gold) and all(isinstance(answers, Mapping) for answers in gold.values())
    if not nested and len(names) > 1:
        raise InvalidArgument("accuracy.which-criterion", allowed=names)
    known = dict(gold) if nested else {names[0]: gold}
    for name, answers in known.items():
        scale = ratings.scales[ratings.one_criterion(name)]
        for item, answer in answers.items():
            if not scale.accepts(answer):
                facts = {"value": answer, "item": item, "scale": scale.describe()}
                raise InvalidArgument("accuracy.off-scale", argument="gold", **facts)
    return known


def _pair_up(ratings: Ratings, criterion: Any, answers: Answers, reference: Any) -> list[GoldPair]:
    """Put the ratings of items with a known answer beside it, in an order of their own."""
    rated = [item for item in ratings.values("item") if item in answers]
    if not rated:
        return []
    rows = _rows(ratings, criterion, nw.col("item").is_in(rated))
    pairs = [
        GoldPair(item, judge, rating, answers[item])
        for item, judge, rating in rows
        if reference is None or judge != reference
    ]
    return sorted(pairs, key=lambda pair: (str(pair.judge), str(pair.item)))


def _rows(ratings: Ratings, criterion: Any, wanted: Any) -> list[tuple[Any, Any, Any]]:
    frame = ratings.frame.filter(~nw.col("rating").is_null(), wanted)
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    columns = fetch(frame.select("item", "judge", "rating"))
    return list(zip(*(columns[name].tolist() for name in columns), strict=True))


def _criterion(
    ratings: Ratings, criterion: Any, pairs: list[GoldPair], *, confidence: float, rng: Any
) -> CriterionAccuracy:
    scale = ratings.scales[criterion]

    def closeness(judge: Any, own: list[GoldPair]) -> Closeness:
        found = _closeness(judge, own, scale, confidence=confidence, rng=rng)
        return _shifted(found, own, scale, level_of_each(confidence, len(names)))

    names = () if ratings.slots else tuple(dict.fromkeys(pair.judge for pair in pairs))
    overall = _closeness(None, pairs, scale, confidence=confidence, rng=rng)
    return CriterionAccuracy(
        criterion=criterion,
        scale=scale,
        overall=_shifted(overall, pairs, scale, confidence),
        judges=tuple(closeness(name, [p for p in pairs if p.judge == name]) for name in names),
    )


def _closeness(
    judge: Any, pairs: list[GoldPair], scale: Scale, *, confidence: float, rng: Any
) -> Closeness:
    items = np.unique([str(pair.item) for pair in pairs], return_inverse=True)[1]
    right = np.array([_is_right(pair, scale) for pair in pairs], dtype=float)
    share, low, high = _share(right, items, confidence)
    return Closeness(
        judge=judge,
        items=int(items.max()) + 1,
        n=len(pairs),
        right=share,
        right_low=low,
        right_high=high,
        alpha=_alpha(pairs, scale, confidence, rng),
    )


def _shifted(found: Closeness, pairs: list[GoldPair], scale: Scale, confidence: float) -> Closeness:
    """Add how far the ratings lie above the known answers, where these are no names."""
    if scale.level is Level.NOMINAL:
        return found
    items = np.unique([str(pair.item) for pair in pairs], return_inverse=True)[1]
    shift, low, high = _mean_by_item(_differences(pairs, scale), items, confidence)
    return replace(found, shift=shift, shift_low=low, shift_high=high)


def _is_right(pair: GoldPair, scale: Scale) -> bool:
    if scale.categories is not None:
        return bool(pair.rating == pair.answer)
    return abs(float(pair.rating) - float(pair.answer)) <= NEAR * (scale.high - scale.low)


def _differences(pairs: Sequence[GoldPair], scale: Scale) -> Floats:
    given = scale_numbers(np.array([pair.rating for pair in pairs], dtype=object), scale)
    known = scale_numbers(np.array([pair.answer for pair in pairs], dtype=object), scale)
    return np.asarray(given - known)


def _alpha(pairs: list[GoldPair], scale: Scale, confidence: float, rng: Any) -> Estimate:
    """Alpha of the ratings and the known answers; the ratings of an item are one cluster."""
    columns: dict[str, list[Any]] = {"item": [], "cluster": [], "judge": [], "rating": []}
    for number, pair in enumerate(pairs):
        for who, rating in (("judge", pair.rating), (STANDARD, pair.answer)):
            values = (number, str(pair.item), who, rating)
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    if len({pair.item for pair in pairs}) == len(pairs):
        del columns["cluster"]
    return krippendorff_alpha(Ratings(columns, scale=scale), confidence=confidence, rng=rng)


def _share(
    right: Floats, items: npt.NDArray[np.int64], confidence: float
) -> tuple[float, float, float]:
    """A share with Wilson's interval, at the effective number of ratings where items repeat."""
    n_items = int(items.max()) + 1
    if n_items == right.size:
        return wilson(float(right.sum()), right.size, confidence)
    share = float(right.mean())
    t = t_quantile((1 + confidence) / 2, n_items - 1) if n_items > 1 else math.nan
    n = _independent(right - share, items)
    return wilson(share * n, n, confidence, t)


def _independent(residuals: Floats, items: npt.NDArray[np.int64]) -> float:
    """How many independent ratings would know the share as well; as many as items if unknown."""
    totals = np.bincount(items, residuals)
    squares, n_items = float(residuals @ residuals), totals.size
    together = float(totals @ totals) * n_items / max(n_items - 1, 1)
    if together <= 0 or squares <= 0:
        return float(n_items)
    return min(float(residuals.size), residuals.size * squares / together)


def _mean_by_item(
    numbers: Floats, items: npt.NDArray[np.int64], confidence: float
) -> tuple[float, float, float]:
    """A mean with Student's interval over items, whose numbers stay together."""
    mean, n = float(numbers.mean()), int(items.max()) + 1
    if n < 2:
        return mean, math.nan, math.nan
    totals = np.bincount(items, numbers - mean)
    error = math.sqrt(float(totals @ totals) * n / (n - 1)) / numbers.size
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    return mean, mean - margin, mean + margin


def accuracy_rows(found: Accuracy) -> Iterator[dict[str, Any]]:
    """Return the same under the columns of `Reliability`, for one table of all kinds."""
    for row in found.rows():
        whom = "overall" if row["judge"] is None else "judge"
        about = {"criterion": row["criterion"], "kind": ACCURACY, "comparison": whom}
        about |= {"label": "" if row["judge"] is None else row["judge"], "items": row["items"]}
        about |= {"ratings": row["n"], "confidence": found.confidence}
        names = {"right": "share_right", "alpha": "krippendorff_alpha", "shift": "mean_shift"}
        for name, title in names.items():
            ends = {"low": row[f"{name}_low"], "high": row[f"{name}_high"]}
            yield about | {"coefficient": title, "value": row[name]} | ends
