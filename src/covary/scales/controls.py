"""What a page needs to draw a scale, free of HTML, and what a mark on it means."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from covary.errors import InvalidArgument
from covary.records import dataclass

Category = str | int | float
"""One answer among those that a scale offers."""

JOINED = " | "
"""What stands between the options of an answer with several choices; no option may hold it."""

MOST_SIDE_BY_SIDE = 6
"""Of so many texts on a page at most the best and the worst are chosen."""

LONGEST_TEXT = 2_000

BETTER = " > "
"""What stands between the best and the worst text of an answer."""

LINE_STEPS = 1000
"""A line is read to a thousandth of its length, about what a finger on a screen can place."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How a study and a task wish a scale to be drawn.

    `order` tells which of two texts stands left; a `vertical` list or line is upright, and `faces`
    stand at the ends of a line.
    """

    order: tuple[int, ...] = ()
    vertical: bool | None = None
    faces: bool = False


PLAIN = Drawing()


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of several marks to choose from: what is sent, what it means, what is read.

    `number` stands before the words of a numbered category and is empty elsewhere.
    """

    sent: str
    rating: Category
    words: str
    number: str = ""


@dataclass(frozen=True, kw_only=True)
class ChoiceControl:
    """Marks to choose from: in a list or a row, yes or no, one of two outputs."""

    needs_touch: ClassVar[bool] = False
    look: Literal["list", "row", "points", "yes-no", "preference"]
    choices: tuple[Choice, ...]

    @property
    def worded(self) -> tuple[Choice, ...]:
        """The points that have words beside their number."""
        return tuple(choice for choice in self.choices if choice.number)

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return what the fields of a form send under a name; None where nothing was chosen."""
        return form.get(name)

    def rating(self, sent: object) -> Category:
        """Return the rating that a sent mark means."""
        for choice in self.choices:
            if str(sent) == choice.sent and not isinstance(sent, bool):
                return choice.rating
        raise InvalidArgument("scales.no-choice", value=sent)

    def sent(self, rating: Category) -> str | None:
        """Return the mark that means a rating, to show an answer again."""
        return next((choice.sent for choice in self.choices if choice.rating == rating), None)

    def words(self, rating: Category) -> str:
        """Return what a judge read beside a rating; the rating itself where nothing stood."""
        for choice in self.choices:
            if choice.rating == rating:
                return f"{choice.number} {choice.words}".strip()
        return str(rating)


@dataclass(frozen=True)
class LineMark:
    """Words along a line, at a percentage of its length."""

    percent: float
    words: str


@dataclass(frozen=True, kw_only=True)
class LineControl:
    """A line to point at, with words along it where it has `marks`.

    Its pointer stands somewhere before anybody answers: only a touched one is an answer.
    """

    needs_touch: ClassVar[bool] = True
    look: ClassVar[str] = "line"
    low: float
    high: float
    labels: tuple[str, str] = ("", "")
    faces: tuple[str, str] | None = None
    vertical: bool = False
    marks: tuple[LineMark, ...] = ()

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return the place that a form sends; None where nobody touched the line."""
        return form.get(name) if form.get(name.replace("rating", "touched")) == "1" else None

    @property
    def middle(self) -> float:
        """Where the pointer stands before it is touched."""
        return (self.low + self.high) / 2

    @property
    def step(self) -> float:
        """The finest difference that is kept."""
        return (self.high - self.low) / LINE_STEPS

    @property
    def ends(self) -> tuple[str, str] | None:
        """What the ends of the line mean, for those who hear the page."""
        if self.marks:
            return self.marks[0].words, self.marks[-1].words
        return self.labels if any(self.labels) else self.faces

    def rating(self, sent: object) -> Category:
        """Return the place on the line that was sent, as a rating."""
        try:
            place = float(sent) if isinstance(sent, str | int | float) else math.nan
        except (ValueError, OverflowError):
            place = math.nan
        if isinstance(sent, bool) or not self.low <= place <= self.high:
            raise InvalidArgument("scales.off-line", value=sent, low=self.low, high=self.high)
        return place

    def sent(self, rating: Category) -> str | None:
        """Return the place that means a rating, to show an answer again."""
        return repr(float(rating)) if isinstance(rating, int | float) else None

    def words(self, rating: Category) -> str:
        """Return a rating as it is read."""
        return f"{rating:g}" if isinstance(rating, int | float) else str(rating)


@dataclass(frozen=True, kw_only=True)
class SeveralControl:
    """Marks of which any number can be chosen; the answer is their words, joined."""

    needs_touch: ClassVar[bool] = False
    look: ClassVar[str] = "several"
    options: tuple[str, ...]

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return the places of the options that were ticked; None where none was."""
        ticked = [place for place in range(len(self.options)) if f"{name}-{place}" in form]
        return ticked or None

    def rating(self, sent: object) -> Category:
        """Return the answer that ticked places mean."""
        known = range(len(self.options))
        if not isinstance(sent, list) or not sent or not all(place in known for place in sent):
            raise InvalidArgument("scales.no-choice", value=sent)
        return JOINED.join(self.options[place] for place in sorted({int(n) for n in sent}))

    def sent(self, rating: Category) -> list[int]:
        """Return the places of the options of an answer, to show it again."""
        chosen = str(rating).split(JOINED)
        return [place for place, option in enumerate(self.options) if option in chosen]

    def words(self, rating: Category) -> str:
        """Return an answer as it is read."""
        return str(rating)


@dataclass(frozen=True, kw_only=True)
class BestWorstControl:
    """Marks for the best and for the worst of the texts on a page, which are counted from 1.

    `order` has the place in the item of each text as it stands on the page, from 0. The answer
    names the places in the item.
    """

    needs_touch: ClassVar[bool] = False
    look: ClassVar[str] = "best-worst"
    parts: ClassVar[tuple[str, str]] = ("best", "worst")
    order: tuple[int, ...] = ()

    @property
    def marks(self) -> range:
        """The numbers of the texts on the page."""
        return range(1, len(self.order) + 1)

    @staticmethod
    def answer(best: int, worst: int) -> str:
        """Return the answer that names two places, counted from 1."""
        return f"{best}{BETTER}{worst}"

    @staticmethod
    def places(answer: object) -> tuple[int, int] | None:
        """Return the places of the best and of the worst; None where an answer names no two.

        Examples
        --------
        >>> BestWorstControl.places("2 > 4"), BestWorstControl.places("2 > 2")
        ((2, 4), None)
        """
        match = re.fullmatch(r"\s*([1-9])\s*>\s*([1-9])\s*", str(answer), re.ASCII)
        return (int(match[1]), int(match[2])) if match and match[1] != match[2] else None

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return both marks; None where one is missing."""
        marks = {part: form[f"{name}-{part}"] for part in self.parts if f"{name}-{part}" in form}
        return marks if len(marks) == len(self.parts) else None

    def rating(self, sent: object) -> Category:
        """Return the answer that two marks on the page mean; refuse both on one text."""
        marks = [str(sent.get(part)) for part in self.parts] if isinstance(sent, Mapping) else []
        known = {str(mark): self.order[mark - 1] + 1 for mark in self.marks}
        if len(set(marks)) != len(self.parts) or not set(marks) <= set(known):
            raise InvalidArgument("scales.no-choice", value=sent)
        return self.answer(known[marks[0]], known[marks[1]])

    def sent(self, rating: Category) -> dict[str, int] | None:
        """Return the marks that mean an answer, to show it again; None where a text is missing."""
        places = self.places(rating) or (0, 0)
        if not {place - 1 for place in places} <= set(self.order):
            return None
        marks = (self.order.index(place - 1) + 1 for place in places)
        return dict(zip(self.parts, marks, strict=True))

    def words(self, rating: Category) -> str:
        """Return an answer by the numbers of the texts on the page."""
        marks = self.sent(rating)
        return str(rating) if marks is None else self.answer(marks["best"], marks["worst"])


@dataclass(frozen=True, kw_only=True)
class NumberControl:
    """A field for a number from `low` to `high`; without an end where one is infinite."""

    needs_touch: ClassVar[bool] = False
    look: ClassVar[str] = "digits"
    low: float
    high: float
    whole: bool = True

    @property
    def bounds(self) -> tuple[str, str] | None:
        """The two ends in digits; None where one is missing."""
        ends = (self.low, self.high)
        return None if any(map(math.isinf, ends)) else (f"{self.low:.15g}", f"{self.high:.15g}")

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return the text of the field; None where it is empty."""
        return form.get(name, "").strip() or None

    def rating(self, sent: object) -> Category:
        """Return the number that was sent, with a comma or a point for its decimals."""
        try:
            number = float(str(sent).strip().replace(",", ".")) if sent is not True else math.nan
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or (self.whole and not number.is_integer()):
            raise InvalidArgument("scales.off-line", value=sent, low=self.low, high=self.high)
        return int(number) if self.whole else number

    def sent(self, rating: Category) -> str:
        """Return the digits of a number, to show it again."""
        return f"{rating:.15g}" if isinstance(rating, int | float) else str(rating)

    def words(self, rating: Category) -> str:
        """Return a number as it is read."""
        return self.sent(rating)


@dataclass(frozen=True, kw_only=True)
class TextControl:
    """A field for an answer in the judge's own words."""

    needs_touch: ClassVar[bool] = False
    look: ClassVar[str] = "text"
    longest: int = LONGEST_TEXT

    def from_form(self, form: Mapping[str, str], name: str) -> object | None:
        """Return the text; None where nothing was written."""
        return form.get(name, "").strip() or None

    def rating(self, sent: object) -> Category:
        """Return the text with plain line ends."""
        text = sent.replace("\r\n", "\n").strip() if isinstance(sent, str) else ""
        if not 0 < len(text) <= self.longest or "\0" in text:
            raise InvalidArgument("scales.no-text", length=len(text), most=self.longest)
        return text

    def sent(self, rating: Category) -> str:
        """Return the text, to show it again."""
        return str(rating)

    def words(self, rating: Category) -> str:
        """Return the text."""
        return str(rating)


@dataclass(frozen=True)
class CannotJudge:
    """The answer of somebody who cannot judge, with a reason where one was given.

    It is an answer of its own: counted, and never a category of the scale.
    """

    reason: str = ""


@dataclass(frozen=True)
class Passage:
    """Words that a judge marked as the reason for a rating, from one place to another.

    `where` is the text that holds them: `"text 1"` in the item's own order, `"input"`, `"turn 2"`.
    Places count letters (Unicode code points) of the text as it was shown, from 0.
    """

    where: str
    start: int
    end: int
    quote: str


Control = (
    ChoiceControl | LineControl | SeveralControl | BestWorstControl | NumberControl | TextControl
)
"""What a page draws for a judge to answer on."""
