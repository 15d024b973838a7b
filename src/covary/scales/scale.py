"""What every scale can say of itself: the ratings it takes, in words, on a page and in a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Literal, Protocol, Self

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.scales.controls import (
    LINE_STEPS,
    PLAIN,
    Category,
    Choice,
    ChoiceControl,
    Control,
    Drawing,
)

End = Literal["high", "low"]
"""Which end of a scale is best."""

MOST_ORDERED_CATEGORIES = 11
"""So many ordered categories judges can tell apart (Svensson 2000 speaks of 2 to 11)."""

MOST_SHOWN = 12
"""So many categories are named where a scale is described; the others are counted."""

RANKS_APART = 1
"""Ratings more than so many ranks apart differ significantly (Godwin & Piwek 2016)."""

SHARE_APART = 0.2
"""On a line, ratings further apart than this share of it do: 20 points of 100."""


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
        levels = map(str, Level)
        raise InvalidArgument(
            "scales.no-level", argument="level", value=level, allowed=levels
        ) from None


ENDS = ("high", "low")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


class ScaleTable(Protocol):
    """A scale's table of keys, as study.toml has it: each key is asked for once.

    `fault` reports what is wrong at a key by its code, and reading goes on.
    """

    @property
    def content(self) -> Mapping[str, Any]:
        """The values as they were written."""

    def has(self, key: str) -> bool:
        """Say whether a key is there, and that it is known."""

    def fault(self, key: str, code: str, /, **data: Any) -> None:
        """Report a fault at a key."""

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return a text."""

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of different texts; None where something else is there."""

    def choice(self, key: str, allowed: Sequence[str], default: str) -> Any:
        """Return one of a few words."""

    def number(self, key: str, default: Any, least: float = -math.inf) -> Any:
        """Return a number."""

    def table(self, key: str) -> Self:
        """Return the table below a key."""


@dataclass(frozen=True)
class Scale:
    """How a criterion is answered; the parent of the kinds of scale.

    `categories` are all the ratings that are possible, worst to best or best to worst as the
    judge sees them, or None when any number between `low` and `high` is possible.

    A kind of scale is one class. It says what it records (`accepts`, `read`), how it is described
    (`describe`, `appearance`, `answer_words`), what a page needs to draw it (`control`), how a
    simulated judge answers (`simulate`), from which distance two ratings are worth a discussion
    (`threshold`), what an answer says of each of several texts (`rated`, `ratings_of_texts`), and
    how it stands in study.toml (`kind`, `to_table`, `from_table`). What it does not say is said
    here, for a list of categories and for a line.
    """

    kind: ClassVar[str] = ""
    """Its name in study.toml; empty where it cannot stand there."""

    appearance: ClassVar[str] = "a list of answers to choose from"
    """What a judge sees, in a few words."""

    analysed: ClassVar[bool] = True
    """Whether answers are ratings; the others are collected and exported, and not analysed."""

    compares: ClassVar[bool] = False
    """Whether it asks which of an item's texts is better than another."""

    most_texts: ClassVar[int] = 2
    """Of how many texts at most, where it compares; of two at least."""

    side_by_side: ClassVar[bool] = False
    """Whether each output was chosen or not beside others, so that what one gains another loses."""

    level: Level
    categories: tuple[Category, ...] | None
    low: float
    high: float
    best: End | None = None
    declared: bool = True

    @property
    def rated(self) -> Scale:
        """The scale of the ratings that answers become: another where they rate each text."""
        return self

    def ratings_of_texts(self, _answer: Any, _texts: int, /) -> tuple[Any, ...]:
        """Return what an answer says of each of an item's texts; nothing where it is one rating."""
        return ()

    @property
    def text_names(self) -> tuple[str, ...]:
        """What stands over the texts that are compared; nothing where they are counted."""
        return ()

    @property
    def level_guessed(self) -> bool:
        """Whether even the level was guessed from the ratings."""
        return False

    @property
    def options(self) -> tuple[Category, ...]:
        """The categories; an `InvalidArgument` where any number of a line is possible."""
        if self.categories is None:
            raise InvalidArgument("scales.no-categories", scale=self.describe())
        return self.categories

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
            raise InvalidArgument("scales.no-rating", value=rating, scale=self.describe())

    def read(self, value: object) -> Any:
        """Return the rating that a value stands for, or None where it stands for none.

        A cell of a spreadsheet is text, so `"4"` stands for the category 4.
        """
        if isinstance(value, bool):
            return None
        text = str(value).strip()
        number = as_number(text)
        if self.categories is None:
            return number if number is not None and self.accepts(number) else None
        for category in self.categories:
            if text == str(category).strip() or (number is not None and number == category):
                return category
        return None

    def positions(self, level: Level | None = None) -> tuple[float, ...]:
        """Return where each category stands: its number from interval level up, else its rank."""
        numeric = all(is_number(category) for category in self.options)
        if numeric and (self.level if level is None else level) >= Level.INTERVAL:
            return tuple(float(category) for category in self.options)
        return tuple(float(rank) for rank in range(1, len(self.options) + 1))

    def describe(self) -> str:
        """Describe the possible ratings in a few words."""
        if self.categories is None:
            return f"{self.level}: any number from {self.low:g} to {self.high:g}"
        shown = ", ".join(map(repr, self.categories[:MOST_SHOWN]))
        rest = len(self.categories) - MOST_SHOWN
        return f"{self.level}: {shown}" + (f" and {rest} more" if rest > 0 else "")

    def answer_words(self) -> Mapping[Any, str]:
        """Return the words that a judge reads beside ratings, by rating."""
        return {}

    @property
    def labelled(self) -> tuple[Category, ...]:
        """The categories beside which a study may write words of its own."""
        return ()

    def with_labels(self, labels: Sequence[str]) -> Scale:
        """Return the scale with other words beside its categories."""
        raise InvalidArgument("scales.no-labels", scale=self.describe(), labels=labels)

    def control(self, drawing: Drawing = PLAIN, /) -> Control:
        """Return what a page needs to draw the scale."""
        if self.categories is None:
            raise InvalidArgument("scales.not-drawable", kind=type(self).__name__)
        words = self.answer_words()
        choices = [_choice(category, words.get(category, "")) for category in self.categories]
        look: Literal["row", "list", "points"] = "row" if drawing.vertical is False else "list"
        if drawing.vertical is None and self._is_points:
            look = "points"
        return ChoiceControl(look=look, choices=tuple(choices))

    @property
    def lacks_words(self) -> bool:
        """Whether a judge sees bare numbers, with nothing that says what they mean."""
        return self.categories is not None and self._is_points and not self.answer_words()

    @property
    def _is_points(self) -> bool:
        """Whether the categories are numbers, with words beside some of them or none."""
        return len(self.answer_words()) < len(self.options) and all(map(is_number, self.options))

    def simulate(self, qualities: Sequence[float], severity: float = 0.0, /) -> Any:
        """Return the rating that a judge gives to outputs whose qualities seem to be these.

        0 is the worst end of the scale and 1 its best; `severity` lowers what the judge sees.
        """
        return self.nearest(sum(qualities) / len(qualities) - severity)

    def nearest(self, quality: float) -> Any:
        """Return the rating nearest to a quality between 0 (worst) and 1 (best).

        Examples
        --------
        >>> Scale(Level.ORDINAL, (1, 2, 3, 4), 1, 4, "low").nearest(1.0)
        1
        >>> Scale(Level.INTERVAL, None, 0, 100).nearest(0.25)
        25.0
        """
        share = min(1.0, max(0.0, quality))
        if self.best == "low":
            share = 1 - share
        if self.categories is not None:
            return self.categories[math.floor(share * (len(self.categories) - 1) + 0.5)]
        place = self.low + round(share * LINE_STEPS) / LINE_STEPS * (self.high - self.low)
        return min(self.high, max(self.low, place))

    def better(self, first: Any, second: Any) -> int | None:
        """Say which of two outputs was rated better: 1, -1, or 0 for neither; None if not said.

        Examples
        --------
        >>> Scale(Level.ORDINAL, ("bad", "fair", "good"), 1, 3).better("good", "bad")
        1
        >>> Scale(Level.ORDINAL, (1, 2, 3), 1, 3, "low").better(3, 2)
        -1
        >>> Scale(Level.NOMINAL, ("noun", "verb"), 1, 2).better("noun", "verb") is None
        True
        """
        if self.level is Level.NOMINAL:
            return None
        if self.categories is not None:
            first, second = map(self.categories.index, (first, second))
        higher = int(first > second) - int(first < second)
        return -higher if self.best == "low" else higher

    def threshold(self) -> float:
        """Return how far apart two ratings may be before they are worth a discussion."""
        if self.categories is None:
            return SHARE_APART * (self.high - self.low)
        return 0.0 if self.level is Level.NOMINAL else float(RANKS_APART)

    def to_table(self) -> dict[str, Any]:
        """Return the table of study.toml from which `from_table` makes the same scale."""
        raise InvalidArgument("scales.no-table", kind=type(self).__name__)

    @classmethod
    def from_table(cls, _table: ScaleTable, /) -> Scale | None:
        """Read the scale from its table; None where a key has a fault."""
        raise InvalidArgument("scales.no-table", kind=cls.__name__)


def _choice(category: Category, words: str) -> Choice:
    text = str(category)
    number = "" if words in ("", text) else text
    return Choice(sent=text, rating=category, words=words or text, number=number)


def is_number(value: object) -> bool:
    """Say whether a category is a number (True and False are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(text: str) -> float | None:
    """Read a finite number, None where there is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def check_categories(categories: tuple[Category, ...], level: Level) -> None:
    """Refuse categories that are too few, too many or not different."""
    if len(categories) < 2:
        raise InvalidArgument("scales.too-few", categories=categories)
    if len(set(categories)) < len(categories):
        raise InvalidArgument("scales.duplicate", categories=categories)
    if level > Level.NOMINAL and len(categories) > MOST_ORDERED_CATEGORIES:
        raise InvalidArgument(
            "scales.too-many", number=len(categories), most=MOST_ORDERED_CATEGORIES
        )


def check_best(best: str | None) -> None:
    """Refuse what is not an end of a scale."""
    if best not in ("high", "low", None):
        raise InvalidArgument("scales.no-end", argument="best", value=best)


def ends_of(categories: Iterable[Category]) -> tuple[float, float]:
    """Return the least and the largest category, NaN where some are words."""
    numbers = [float(category) if is_number(category) else math.nan for category in categories]
    return (math.nan, math.nan) if math.nan in numbers else (min(numbers), max(numbers))


def read_line(table: ScaleTable) -> tuple[float, float]:
    """Read the two ends of a line."""
    low, high = table.number("low", 0), table.number("high", 100)
    if not low < high:
        table.fault("high", "scales.table.empty-line", low=low, high=high)
    return low, high


def read_best_and_level(table: ScaleTable) -> tuple[Any, str]:
    """Read which end is best, and what the numbers mean."""
    return table.choice("best", ENDS, "high"), table.choice("level", LEVELS[1:], "interval")
