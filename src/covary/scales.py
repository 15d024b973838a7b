"""Levels of measurement and the kinds of scale a criterion can be answered on.

A scale, and not the data, says which ratings are possible, their order, how far apart they
stand and which end is best. Statistics that depend on the number of possible categories
(weighted kappas, Gwet's AC1 and AC2, Brennan-Prediger) take it from here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import IntEnum
from typing import Literal

from covary.errors import InvalidArgument, choose, listed

__all__ = [
    "GraphicScale",
    "Level",
    "ObservedScale",
    "Preference",
    "Scale",
    "VerbalScale",
    "VisualScale",
    "YesNo",
    "as_level",
    "as_scale",
]

Category = str | int | float
End = Literal["high", "low"]

MOST_ORDERED_CATEGORIES = 11


class Level(IntEnum):
    """What the numbers mean: names, ranks, equal steps, or equal steps from a true zero."""

    NOMINAL = 0
    ORDINAL = 1
    INTERVAL = 2
    RATIO = 3

    def __str__(self) -> str:
        return self.name.lower()


def as_level(level: Level | str) -> Level:
    """Read a level from its name.

    Examples
    --------
    >>> str(as_level("ordinal"))
    'ordinal'
    """
    if isinstance(level, Level):
        return level
    try:
        return Level[str(level).upper()]
    except KeyError:
        raise InvalidArgument(
            f"level={level!r} is not a level of measurement; {choose(level, map(str, Level))}"
        ) from None


@dataclass(frozen=True)
class Scale:
    """How a criterion is answered; the parent of the kinds of scale.

    `categories` are all the ratings that are possible, worst to best or best to worst as the
    judge sees them, or None when any number between `low` and `high` is possible.
    """

    level: Level
    categories: tuple[Category, ...] | None
    low: float
    high: float
    best: End | None = None
    declared: bool = True

    def accepts(self, rating: object) -> bool:
        """Say whether a rating is possible on this scale."""
        if self.categories is not None:
            return rating in self.categories
        return (
            isinstance(rating, int | float)
            and not isinstance(rating, bool)
            and math.isfinite(rating)
            and self.low <= rating <= self.high
        )

    def check(self, rating: object) -> None:
        """Raise `InvalidArgument` when a rating is not possible on this scale."""
        if not self.accepts(rating):
            raise InvalidArgument(f"{rating!r} is not a rating on this scale ({self.describe()})")

    def positions(self, level: Level | None = None) -> tuple[float, ...]:
        """Return where each category stands: its number from interval level up, else its rank."""
        if self.categories is None:
            raise InvalidArgument(f"this scale ({self.describe()}) has no list of categories")
        numeric = all(is_number(c) for c in self.categories)
        if numeric and (self.level if level is None else level) >= Level.INTERVAL:
            return tuple(float(c) for c in self.categories)
        return tuple(float(rank) for rank in range(1, len(self.categories) + 1))

    def describe(self) -> str:
        """Describe the possible ratings in a few words."""
        if self.categories is not None:
            return f"{self.level}: {listed(self.categories, 12)}"
        return f"{self.level}: any number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, init=False)
class VerbalScale(Scale):
    """Described categories, such as a five-point scale from 'Very Poor' to 'Very Good'.

    Parameters
    ----------
    categories
        The ratings as they are stored, in the order of the scale: `[1, 2, 3, 4]`.
    labels
        The words beside each category, as the judge reads them.
    best
        Which end is best: `"high"` (the last category) or `"low"` (the first).
    level
        Ordinal unless said otherwise. Unordered labels are `"nominal"`.
    polarity
        `"unipolar"` (none to much) or `"bipolar"` (negative through neutral to positive).

    Examples
    --------
    >>> relevance = VerbalScale([1, 2, 3, 4], best="low")
    >>> relevance.accepts(5)
    False
    >>> relevance.describe()
    'ordinal: 1, 2, 3, 4'
    """

    labels: tuple[str, ...] = ()
    polarity: Literal["unipolar", "bipolar"] = "unipolar"

    def __init__(
        self,
        categories: Iterable[Category],
        *,
        labels: Sequence[str] = (),
        best: End | None = "high",
        level: Level | str = Level.ORDINAL,
        polarity: Literal["unipolar", "bipolar"] = "unipolar",
    ) -> None:
        chosen, measured = tuple(categories), as_level(level)
        _check_categories(chosen, measured)
        _check_end(best)
        if labels and len(labels) != len(chosen):
            raise InvalidArgument(
                f"VerbalScale got {len(chosen)} categories and {len(labels)} labels; "
                "give one label for each category or none"
            )
        low, high = _ends(chosen)
        super().__init__(measured, chosen, low, high, best if measured else None)
        object.__setattr__(self, "labels", tuple(labels))
        object.__setattr__(self, "polarity", polarity)


@dataclass(frozen=True, init=False)
class VisualScale(Scale):
    """A line without ticks between two end labels; any number from 0 to 100.

    Examples
    --------
    >>> VisualScale(labels=("extremely bad", "excellent")).accepts(57.5)
    True
    """

    labels: tuple[str, str] = ("", "")

    def __init__(
        self,
        low: float = 0,
        high: float = 100,
        *,
        labels: tuple[str, str] = ("", ""),
        best: End | None = "high",
        level: Level | str = Level.INTERVAL,
    ) -> None:
        if not low < high:
            raise InvalidArgument(
                f"a line from {low} to {high} has no length; low must be below high"
            )
        _check_end(best)
        super().__init__(as_level(level), None, float(low), float(high), best)
        object.__setattr__(self, "labels", tuple(labels))


@dataclass(frozen=True, init=False)
class GraphicScale(VisualScale):
    """A line with descriptors along it: answered like a `VisualScale`, read like a verbal one.

    `descriptors` maps positions on the line to words.

    Examples
    --------
    >>> GraphicScale({0: "poor", 50: "fair", 100: "good"}).accepts(25)
    True
    """

    descriptors: tuple[tuple[float, str], ...] = ()

    def __init__(
        self,
        descriptors: dict[float, str],
        *,
        low: float = 0,
        high: float = 100,
        best: End | None = "high",
        level: Level | str = Level.INTERVAL,
    ) -> None:
        outside = [place for place in descriptors if not low <= place <= high]
        if outside:
            raise InvalidArgument(f"descriptors at {listed(outside)} lie outside {low} to {high}")
        super().__init__(low, high, best=best, level=level)
        object.__setattr__(self, "descriptors", tuple(sorted(descriptors.items())))


@dataclass(frozen=True, init=False)
class YesNo(Scale):
    """A question answered with no (0) or yes (1), or with two words of the study's own.

    Examples
    --------
    >>> YesNo().categories
    (0, 1)
    """

    def __init__(self, no: Category = 0, yes: Category = 1, *, best: End | None = "high") -> None:
        _check_categories((no, yes), Level.ORDINAL)
        _check_end(best)
        super().__init__(Level.ORDINAL, (no, yes), *_ends((no, yes)), best)


@dataclass(frozen=True, init=False)
class Preference(Scale):
    """Which of two outputs is better: the first, the second, or (where allowed) neither.

    Examples
    --------
    >>> Preference(tie="same").categories
    ('A', 'same', 'B')
    """

    def __init__(
        self, first: Category = "A", second: Category = "B", *, tie: Category | None = "tie"
    ) -> None:
        options = (first, second) if tie is None else (first, tie, second)
        _check_categories(options, Level.ORDINAL)
        super().__init__(Level.ORDINAL, options, *_ends(options), None)


@dataclass(frozen=True)
class ObservedScale(Scale):
    """What could be learnt from the data when nobody declared a scale.

    It cannot know of categories that nobody used, so statistics that depend on the number of
    possible categories refuse it. `guessed` says that even the level was not declared.
    """

    _: KW_ONLY
    declared: bool = field(default=False, init=False)
    guessed: bool = True


def as_scale(text: str, *, best: End | None = "high", level: Level | str | None = None) -> Scale:
    """Read a scale from the short form used on the command line.

    `"1-5"` is five numbered categories, `"0-100"` (more than eleven points) a visual scale,
    `"good,fair,bad"` named categories in that order, `"yes/no"` a yes-or-no question.

    Examples
    --------
    >>> as_scale("1-5").categories
    (1, 2, 3, 4, 5)
    >>> as_scale("0-100").categories is None
    True
    """
    if match := re.fullmatch(r"\s*(-?\d+)\s*(?:-|–|\.\.|:|to)\s*(-?\d+)\s*", text):
        return _numbered(int(match[1]), int(match[2]), best, level)
    for mark, least in ((",", 2), ("/", 2)):
        names = [name.strip() for name in text.split(mark)]
        if len(names) >= least and all(names):
            whole = all(re.fullmatch(r"-?\d+", name) for name in names)
            return VerbalScale(
                [int(name) for name in names] if whole else names,
                best=best,
                level=Level.ORDINAL if level is None else level,
            )
    raise InvalidArgument(
        f"scale={text!r} is not understood; write it like '1-5', '0-100' or 'good,fair,bad'"
    )


def is_number(value: object) -> bool:
    """Say whether a category is a number (True and False are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbered(low: int, high: int, best: End | None, level: Level | str | None) -> Scale:
    if high - low + 1 > MOST_ORDERED_CATEGORIES:
        return VisualScale(low, high, best=best, level=Level.INTERVAL if level is None else level)
    return VerbalScale(
        range(low, high + 1), best=best, level=Level.ORDINAL if level is None else level
    )


def _check_categories(categories: tuple[Category, ...], level: Level) -> None:
    if len(categories) < 2:
        raise InvalidArgument(f"a scale needs at least two categories, got {listed(categories)}")
    if len(set(categories)) < len(categories):
        raise InvalidArgument(f"the categories {listed(categories)} are not all different")
    if level > Level.NOMINAL and len(categories) > MOST_ORDERED_CATEGORIES:
        raise InvalidArgument(
            f"{len(categories)} ordered categories are more than the {MOST_ORDERED_CATEGORIES} "
            "that judges can tell apart; use VisualScale, or level='nominal' for unordered labels"
        )


def _check_end(best: str | None) -> None:
    if best not in ("high", "low", None):
        raise InvalidArgument(
            f"best={best!r} is not an end of the scale; use 'high', 'low' or None"
        )


def _ends(categories: tuple[Category, ...]) -> tuple[float, float]:
    numbers = [float(c) for c in categories if is_number(c)]
    return (min(numbers), max(numbers)) if len(numbers) == len(categories) else (math.nan, math.nan)
