"""How each kind of scale is drawn, and what a judge's mark on it means as a rating.

The forms follow the papers that compared them: a verbal descriptor scale is a vertical list with
numbers and words and the best at the bottom; a visual analogue scale is a plain line whose
pointer starts in the middle (Belz & Kow 2011).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.scales import GraphicScale, Preference, VerbalScale, VisualScale, YesNo
from covary.study.model import Criterion

__all__ = ["Choice", "Choices", "Drawn", "Line", "Mark", "draw"]

Rating = str | int | float
STEPS = 1000
"""A line is read to a thousandth of its length, about what a finger on a screen can place."""

LEFT, TIE, RIGHT = "left", "tie", "right"


@dataclass(frozen=True)
class Choice:
    """One of several marks to choose from: what is sent, what it means, what is read.

    `number` stands before the words of a numbered category and is empty elsewhere.
    """

    sent: str
    rating: Rating
    number: str
    words: str


@dataclass(frozen=True)
class Choices:
    """A scale drawn as a list of choices: verbal, yes or no, preference."""

    criterion: Criterion
    look: Literal["list", "row", "yes-no", "preference"]
    choices: tuple[Choice, ...]

    def rating(self, sent: object) -> Rating:
        """Return the rating that a sent mark means."""
        for choice in self.choices:
            if str(sent) == choice.sent and not isinstance(sent, bool):
                return choice.rating
        raise InvalidArgument(f"{sent!r} is not one of the choices")

    def sent(self, rating: Rating) -> str | None:
        """Return the mark that means a rating, to show an answer again."""
        return next((each.sent for each in self.choices if each.rating == rating), None)


@dataclass(frozen=True)
class Mark:
    """Words along a line, at a percentage of its length."""

    percent: float
    words: str


@dataclass(frozen=True)
class Line:
    """A scale drawn as a line: visual (`marks` empty) or graphic (words along it)."""

    criterion: Criterion
    low: float
    high: float
    labels: tuple[str, str]
    faces: tuple[str, str] | None
    vertical: bool
    marks: tuple[Mark, ...] = ()
    look: Literal["line"] = "line"

    @property
    def middle(self) -> float:
        """Where the pointer stands before it is touched."""
        return (self.low + self.high) / 2

    @property
    def step(self) -> float:
        """The finest difference that is kept."""
        return (self.high - self.low) / STEPS

    @property
    def ends(self) -> str:
        """What the ends of the line mean, for those who hear the page."""
        words = self.labels if any(self.labels) else self.faces
        if self.marks:
            words = (self.marks[0].words, self.marks[-1].words)
        return "" if words is None else f"from {words[0]} to {words[1]}"

    def rating(self, sent: object) -> Rating:
        """Return the place on the line that was sent, as a rating."""
        try:
            place = float(sent) if isinstance(sent, str | int | float) else math.nan
        except ValueError:
            place = math.nan
        if isinstance(sent, bool) or not self.criterion.scale.accepts(place):
            raise InvalidArgument(f"{sent!r} is not on the line from {self.low:g} to {self.high:g}")
        return place

    def sent(self, rating: Rating) -> str | None:
        """Return the place that means a rating, to show an answer again."""
        return repr(float(rating)) if isinstance(rating, int | float) else None


Drawn = Choices | Line


def draw(criterion: Criterion, task: Task) -> Drawn:
    """Say how a criterion is drawn at a task, whose order tells which of two texts is left."""
    scale = criterion.scale
    if isinstance(scale, VisualScale):
        return _line(criterion, scale)
    if isinstance(scale, Preference):
        return Choices(criterion, "preference", _preferences(scale, task.order))
    if isinstance(scale, YesNo):
        return Choices(criterion, "yes-no", _yes_no(scale))
    if scale.categories is None:
        raise InvalidArgument(f"a scale of {type(scale).__name__} cannot be drawn")
    look: Literal["list", "row"] = "row" if criterion.vertical is False else "list"
    return Choices(criterion, look, _categories(criterion))


def _line(criterion: Criterion, scale: VisualScale) -> Line:
    first, second = scale.labels
    faces = None
    if criterion.faces:
        faces = ("smiling", "frowning") if scale.best == "low" else ("frowning", "smiling")
    marks: tuple[Mark, ...] = ()
    if isinstance(scale, GraphicScale):
        length = scale.high - scale.low
        marks = tuple(
            Mark(100 * (float(place) - scale.low) / length, words)
            for place, words in scale.descriptors
        )
    return Line(
        criterion, scale.low, scale.high, (first, second), faces, bool(criterion.vertical), marks
    )


def _categories(criterion: Criterion) -> tuple[Choice, ...]:
    """Categories in the order in which they are read: the best at the bottom."""
    scale = criterion.scale
    assert scale.categories is not None
    labels = scale.labels if isinstance(scale, VerbalScale) else ()
    words = labels or ("",) * len(scale.categories)
    choices = tuple(map(_category, scale.categories, words))
    return choices[::-1] if scale.best == "low" else choices


def _category(rating: Rating, words: str) -> Choice:
    written = str(rating)
    if not words:
        return Choice(written, rating, "", written)
    return Choice(written, rating, "" if words == written else written, words)


def _yes_no(scale: YesNo) -> tuple[Choice, ...]:
    assert scale.categories is not None
    no, yes = scale.categories
    words = ("Yes", "No") if (no, yes) == (0, 1) else (str(yes), str(no))
    return (Choice(str(yes), yes, "", words[0]), Choice(str(no), no, "", words[1]))


def _preferences(scale: Preference, order: tuple[int, ...]) -> tuple[Choice, ...]:
    """The marks left, tie and right; what is sent does not tell which text is the item's first."""
    assert scale.categories is not None
    first, *tie, second = scale.categories
    left, right = (second, first) if order[:1] == (1,) else (first, second)
    return (
        Choice(LEFT, left, "", str(first)),
        *(Choice(TIE, each, "", str(each)) for each in tie),
        Choice(RIGHT, right, "", str(second)),
    )
