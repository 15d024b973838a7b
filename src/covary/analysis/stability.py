"""`covary.stability`: does a judge who rates an item again give the same rating?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.distributions import level_of_each, normal_quantile, t_quantile
from covary.stats.estimate import Estimate, Result
from covary.stats.patterns import scale_numbers
from covary.words import word

Floats = npt.NDArray[np.float64]

STABILITY = "stability"
"""Which of Krippendorff's kinds of reliability (2004: 215) the numbers are: a judge again."""

LEAST = 3
"""Pairs of ratings from which a judge has a correlation."""

EARLIER = ("test", "pre", "before", "first")
"""Names of a first occasion that do not come first by the alphabet."""


@dataclass(frozen=True, kw_only=True)
class JudgeRetest(Result):
    """One judge's first and second ratings of the same items.

    `same` is the share of equal ratings, `alpha` and `r` agreement and correlation between the two,
    `shift` the mean of second less first ratings with its interval over items, which holds for all
    judges at once (Šidák 1967).
    """

    judge: Any
    n: int
    same: float
    alpha: float
    r: float
    shift: float
    shift_low: float = math.nan
    shift_high: float = math.nan

    @property
    def sentence(self) -> str:
        """Say how stable the judge is, and whether the judge has moved."""
        return word("stability.judge", vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class CriterionRetest:
    """The stability of the ratings on one criterion.

    `r` is the correlation within judges (each judge's mean taken away), so that a lasting severity
    is not counted as stability. `ceiling` is the mean over pairs of judges of sqrt(r_j r_k): no
    correlation between judges can be expected to be higher. `inconsistency` is half the variance
    of the changes, in squared points of the scale.
    """

    criterion: Any
    scale: Scale
    n_pairs: int
    same: float = math.nan
    same_low: float = math.nan
    same_high: float = math.nan
    alpha: Estimate | None = None
    r: float = math.nan
    shift: float = math.nan
    shift_low: float = math.nan
    shift_high: float = math.nan
    ceiling: float = math.nan
    inconsistency: float = math.nan
    judges: tuple[JudgeRetest, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def sentence(self) -> str:
        """Say how often judges repeat themselves, and what that leaves possible between judges."""
        facts = vars(self) | {"n_judges": len(self.judges)}
        return word("stability.criterion", facts)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return a row for all judges and one for each."""
        name = {"criterion": "" if self.criterion is None else self.criterion, "kind": STABILITY}
        whole = {key: value for key, value in vars(self).items() if key in COLUMNS}
        alpha = math.nan if self.alpha is None else self.alpha.value
        yield name | whole | {"criterion": name["criterion"], "alpha": alpha, "n": self.n_pairs}
        for judge in self.judges:
            yield name | vars(judge)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        values = {key: value for key, value in vars(self).items() if isinstance(value, int | float)}
        alpha = self.alpha and self.alpha.to_dict()
        judges = [judge.to_dict() for judge in self.judges]
        about = {"criterion": self.criterion, "kind": STABILITY, "sentence": self.sentence}
        return about | values | {"alpha": alpha, "judges": judges}


COLUMNS = (
    *("criterion", "kind", "judge", "n", "same", "same_low", "same_high", "alpha", "r"),
    *("shift", "shift_low", "shift_high", "ceiling", "inconsistency"),
)


@dataclass(frozen=True, kw_only=True)
class RetestStudy:
    """The stability of the ratings on every criterion."""

    criteria: tuple[CriterionRetest, ...]
    confidence: float

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for all judges and one for each judge, on each criterion."""
        return [row for criterion in self.criteria for row in criterion.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        criteria = [criterion.to_dict() for criterion in self.criteria]
        return {"confidence": self.confidence, "criteria": criteria}

    def __str__(self) -> str:
        lines = []
        for criterion in self.criteria:
            lines.append(f"{criterion.name}: {criterion.sentence}")
            lines += [f"  {judge.sentence}" for judge in criterion.judges]
        return "\n".join(lines)


def stability(ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95) -> RetestStudy:
    """Does a judge who rates an item again give the same rating?

    Krippendorff's *stability*: the same judge again. How far different judges agree is
    reproducibility (`covary.reliability`), and cannot be expected to be higher.

    Parameters
    ----------
    ratings
        Ratings with a column `occasion` (or read with `repeats="occasions"`); the first two
        ratings of an item by a judge are compared.
    criterion
        One criterion; all by default.
    confidence
        Of the intervals.

    Returns
    -------
    RetestStudy
        For each criterion equal ratings, alpha, correlation and shift, for all judges and each.

    Notes
    -----
    The interval of the shift is Student's over judges, or over items where there is one judge; that
    of equal ratings is Wilson's. The noise ceiling is the mean of sqrt(r_j r_k) over pairs of
    judges, with r the correlation of a judge's two ratings (Spearman 1904).

    References
    ----------
    Krippendorff (2004), Content analysis, 2nd edition, pages 214-216. Spearman (1904), The proof
    and measurement of association between two things, American Journal of Psychology 15.

    Examples
    --------
    >>> from covary import Ratings, stability
    >>> table = {"item": [1, 2, 3, 4] * 2, "judge": ["Ann"] * 8, "rating": [1, 2, 3, 3, 1, 2, 3, 2]}
    >>> again = stability(Ratings(table, scale="1-3", repeats="occasions"))
    >>> again.criteria[0].same
    0.75
    """
    if not has_retests(ratings):
        raise InvalidArgument("stability.no-occasions")
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    with quiet():
        criteria = tuple(_criterion(ratings, name, confidence) for name in names)
    return RetestStudy(criteria=criteria, confidence=confidence)


def has_retests(ratings: Ratings) -> bool:
    """Say whether there are several occasions, of ratings that can be looked at one by one."""
    known = "occasion" in ratings.columns and not ratings.slots and not ratings.large
    return known and len(ratings.values("occasion")) > 1


def occasions_in_order(ratings: Ratings) -> list[Any]:
    """The occasions, the first one first; `test` comes before `retest`."""
    return sorted(ratings.values("occasion"), key=lambda o: (str(o).lower() not in EARLIER, str(o)))


def first_occasion(ratings: Ratings) -> Ratings:
    """Keep each judge's first rating of each item, where there are several occasions."""
    return ratings.first_occasion() if has_retests(ratings) else ratings


def _criterion(ratings: Ratings, criterion: Any, confidence: float) -> CriterionRetest:
    scale = ratings.scales[criterion]
    judges, pairs = repeated_ratings(ratings, criterion)
    whole = CriterionRetest(criterion=criterion, scale=scale, n_pairs=len(pairs))
    if not pairs:
        return whole
    names = tuple(sorted(set(judges), key=str))
    own = [[row for row, judge in enumerate(judges) if judge == name] for name in names]
    of_each = level_of_each(confidence, len(names))
    by_judge = tuple(
        _judge(name, [pairs[row] for row in rows], scale, of_each)
        for name, rows in zip(names, own, strict=True)
    )
    same, low, high = wilson(sum(a == b for a, b in pairs), len(pairs), confidence)
    whole = replace(
        whole,
        same=same,
        same_low=low,
        same_high=high,
        alpha=_alpha(pairs, scale),
        ceiling=_ceiling(by_judge),
        judges=by_judge,
    )
    return whole if scale.level is Level.NOMINAL else _moves(whole, pairs, own, confidence)


def _moves(
    whole: CriterionRetest, pairs: list[tuple[Any, Any]], own: list[list[int]], confidence: float
) -> CriterionRetest:
    """Add what needs numbers: correlation, shift and the variance of changes."""
    x, y = _sides(pairs, whole.scale)
    change = y - x
    shifts = [float(change[rows].mean()) for rows in own]
    shift, low, high = _mean(shifts if len(own) > 1 else change, confidence)
    spread = sum(
        float(np.sum((change[rows] - mean) ** 2)) for rows, mean in zip(own, shifts, strict=True)
    )
    df = len(pairs) - len(own)
    return replace(
        whole,
        r=_within(x, y, own),
        shift=shift,
        shift_low=low,
        shift_high=high,
        inconsistency=spread / df / 2 if df > 0 else math.nan,
    )


def _sides(pairs: list[tuple[Any, Any]], scale: Scale) -> tuple[Floats, Floats]:
    """First and second ratings as numbers."""
    first, second = zip(*pairs, strict=True)
    x, y = (scale_numbers(np.array(side, dtype=object), scale) for side in (first, second))
    return x, y


def repeated_ratings(ratings: Ratings, criterion: Any) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """The judges and the first two ratings of each item that a judge rated twice."""
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    columns = fetch(frame.select("item", "judge", "occasion", "rating"))
    order = {occasion: place for place, occasion in enumerate(occasions_in_order(ratings))}
    rows: dict[tuple[Any, Any], list[tuple[int, Any]]] = {}
    lists = (columns[name].tolist() for name in ("item", "judge", "occasion", "rating"))
    for item, judge, occasion, rating in zip(*lists, strict=True):
        rows.setdefault((judge, item), []).append((order[occasion], rating))
    twice = [(key, sorted(given, key=lambda one: one[0])) for key, given in rows.items()]
    known = sorted(
        ((key, given) for key, given in twice if len(given) > 1), key=lambda p: str(p[0])
    )
    return [key[0] for key, _ in known], [(given[0][1], given[1][1]) for _, given in known]


def _judge(
    judge: Any, pairs: list[tuple[Any, Any]], scale: Scale, confidence: float
) -> JudgeRetest:
    x, y = _sides(pairs, scale)
    shift, low, high = _mean(y - x, confidence)
    alpha = _alpha(pairs, scale).value
    return JudgeRetest(
        judge=judge,
        n=len(pairs),
        same=sum(a == b for a, b in pairs) / len(pairs),
        alpha=alpha,
        r=_within(x, y, [np.arange(x.size)]) if x.size >= LEAST else math.nan,
        shift=shift,
        shift_low=low,
        shift_high=high,
    )


def _alpha(pairs: list[tuple[Any, Any]], scale: Scale) -> Estimate:
    """Alpha with the two occasions as two judges."""
    ratings = Ratings.from_wide(pairs, scale=scale, judges=["first", "second"])
    return krippendorff_alpha(ratings)


def _within(x: Floats, y: Floats, groups: list[Any]) -> float:
    """Pearson's r after each group's means are taken away."""
    sums = np.zeros(3)
    for rows in groups:
        a, b = x[rows] - x[rows].mean(), y[rows] - y[rows].mean()
        sums += (a @ b, a @ a, b @ b)
    spread = math.sqrt(sums[1] * sums[2])
    return float(sums[0] / spread) if spread > 0 else math.nan


def _mean(values: Any, confidence: float) -> tuple[float, float, float]:
    numbers = np.asarray(values, dtype=float)
    mean = float(numbers.mean())
    if numbers.size < 2:
        return mean, math.nan, math.nan
    error = float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    margin = t_quantile((1 + confidence) / 2, numbers.size - 1) * error
    return mean, mean - margin, mean + margin


def wilson(
    times: float, n: float, confidence: float, quantile: float | None = None
) -> tuple[float, float, float]:
    """A share with Wilson's interval; `quantile` is the normal one unless given."""
    share, z = times / n, normal_quantile((1 + confidence) / 2) if quantile is None else quantile
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    margin = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return share, max(centre - margin, 0.0), min(centre + margin, 1.0)


def _ceiling(judges: tuple[JudgeRetest, ...]) -> float:
    known = [judge.r for judge in judges if judge.r >= 0]
    pairs = [math.sqrt(a * b) for a, b in combinations(known, 2)]
    return float(np.mean(pairs)) if pairs else math.nan


def stability_rows(found: RetestStudy) -> Iterator[dict[str, Any]]:
    """Return the same under the columns of `Reliability`, for one table of all kinds."""
    names = {"same": "share_same", "alpha": "krippendorff_alpha", "r": "pearson"}
    names["shift"] = "mean_shift"
    for row in found.rows():
        judge = row.get("judge")
        about = {"criterion": row["criterion"], "kind": STABILITY, "ratings": row["n"]}
        about |= {"comparison": "overall" if judge is None else "judge", "label": judge or ""}
        for name, title in names.items():
            ends = {"low": row.get(f"{name}_low"), "high": row.get(f"{name}_high")}
            known = ends["low"] is not None
            level = {**ends, "confidence": found.confidence} if known else {}
            yield about | {"coefficient": title, "value": row[name]} | level
