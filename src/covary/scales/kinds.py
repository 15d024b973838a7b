"""The kinds of scale, one class each, and the list of those that a study can use."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.scales.controls import (
    JOINED,
    LONGEST_TEXT,
    MOST_SIDE_BY_SIDE,
    PLAIN,
    BestWorstControl,
    Category,
    Choice,
    ChoiceControl,
    Control,
    Drawing,
    LineControl,
    LineMark,
    NumberControl,
    SeveralControl,
    TextControl,
)
from covary.scales.scale import (
    ENDS,
    LEVELS,
    MOST_ORDERED_CATEGORIES,
    End,
    Level,
    Scale,
    ScaleTable,
    as_level,
    as_number,
    check_best,
    check_categories,
    ends_of,
    read_best_and_level,
    read_line,
)

Polarity = Literal["unipolar", "bipolar"]

TIE_WITHIN = 0.05
"""Two outputs whose qualities seem closer than this are the same to a simulated judge."""


@dataclass(frozen=True, init=False)
class VerbalScale(Scale):
    """Described categories, such as a five-point scale from 'Very Poor' to 'Very Good'.

    Parameters
    ----------
    categories
        The ratings as they are stored, in the order of the scale: `[1, 2, 3, 4]`.
    labels
        The words beside each category, as the judge reads them; "" where a category has none, so
        that a scale may have words at its ends only.
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
    >>> relevance.read(" 2 ")
    2
    """

    kind: ClassVar[str] = "verbal"
    labels: tuple[str, ...] = ()
    polarity: Polarity = "unipolar"

    def __init__(
        self,
        categories: Iterable[Category],
        *,
        labels: Sequence[str] = (),
        best: End | None = "high",
        level: Level | str = Level.ORDINAL,
        polarity: Polarity = "unipolar",
    ) -> None:
        chosen, measured = tuple(categories), as_level(level)
        check_categories(chosen, measured)
        check_best(best)
        if labels and len(labels) != len(chosen):
            raise InvalidArgument(
                "scales.labels", categories=len(chosen), labels=len(labels), argument="labels"
            )
        low, high = ends_of(chosen)
        super().__init__(measured, chosen, low, high, best=best if measured else None)
        object.__setattr__(self, "labels", tuple(labels))
        object.__setattr__(self, "polarity", polarity)

    def answer_words(self) -> Mapping[Any, str]:
        words = zip(self.options, self.labels, strict=True) if self.labels else ()
        return {category: label for category, label in words if label}

    @property
    def labelled(self) -> tuple[Category, ...]:
        return self.options

    def with_labels(self, labels: Sequence[str]) -> Scale:
        if tuple(labels) == self.labels:
            return self
        return VerbalScale(
            self.options, labels=labels, best=self.best, level=self.level, polarity=self.polarity
        )

    def to_table(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "categories": list(self.options),
            "labels": list(self.labels) if all(self.labels) else self._some_labels(),
            **_ends_and_level(self),
            "polarity": self.polarity,
        }

    def _some_labels(self) -> dict[str, str]:
        return {str(category): words for category, words in self.answer_words().items()}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        if table.has("ends") or isinstance(table.content.get("labels"), Mapping):
            return cls._from_some_labels(table)
        empty = table.has("labels") and "" in (table.content["labels"] or ())
        if empty:
            table.fault("labels", "scales.table.empty-label")
        labels = None if empty else table.texts("labels")
        categories = _read_categories(table, len(labels or ()))
        level = table.choice("level", LEVELS, "ordinal")
        best = table.choice("best", ENDS, "high")
        polarity = table.choice("polarity", ("unipolar", "bipolar"), "unipolar")
        if categories is None or labels is None:
            return None
        if level != "nominal" and len(categories) > MOST_ORDERED_CATEGORIES:
            key = "categories" if table.has("categories") else "labels"
            most = MOST_ORDERED_CATEGORIES
            table.fault(key, "scales.table.too-many", number=len(categories), most=most)
        elif labels and len(labels) != len(categories):
            counts = {"labels": len(labels), "categories": len(categories)}
            table.fault("labels", "scales.table.labels", **counts)
        else:
            return cls(categories, labels=labels, best=best, level=level, polarity=polarity)
        return None

    @classmethod
    def _from_some_labels(cls, table: ScaleTable) -> Scale | None:
        """Read a scale with words at its ends (`ends`) or at some points (a table of `labels`)."""
        categories = _read_categories(table, 0)
        level = table.choice("level", LEVELS, "ordinal")
        best = table.choice("best", ENDS, "high")
        polarity = table.choice("polarity", ("unipolar", "bipolar"), "unipolar")
        labels = _some_labels(table, categories or [])
        if categories is None or labels is None:
            return None
        if level != "nominal" and len(categories) > MOST_ORDERED_CATEGORIES:
            number, most = len(categories), MOST_ORDERED_CATEGORIES
            table.fault("categories", "scales.table.too-many", number=number, most=most)
            return None
        return cls(categories, labels=labels, best=best, level=level, polarity=polarity)


@dataclass(frozen=True, init=False)
class VisualScale(Scale):
    """A line without ticks between two end labels; any number from 0 to 100.

    Examples
    --------
    >>> VisualScale(labels=("extremely bad", "excellent")).accepts(57.5)
    True
    """

    kind: ClassVar[str] = "visual"
    appearance: ClassVar[str] = "a line to point at"
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
            raise InvalidArgument("scales.empty-line", low=low, high=high)
        check_best(best)
        super().__init__(as_level(level), None, float(low), float(high), best=best)
        object.__setattr__(self, "labels", tuple(labels))

    def answer_words(self) -> Mapping[Any, str]:
        return dict(zip((self.low, self.high), self.labels, strict=True))

    def control(self, drawing: Drawing = PLAIN, /) -> Control:
        faces = ("frowning face", "smiling face")
        return LineControl(
            low=self.low,
            high=self.high,
            labels=self.labels,
            faces=(faces[::-1] if self.best == "low" else faces) if drawing.faces else None,
            vertical=bool(drawing.vertical),
            marks=self._marks(),
        )

    def _marks(self) -> tuple[LineMark, ...]:
        return ()

    def to_table(self) -> dict[str, Any]:
        labels = [label for label in self.labels if label]
        ends = {"low": self.low, "high": self.high}
        return {"kind": self.kind, "labels": labels, **ends, **_ends_and_level(self)}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        low, high = read_line(table)
        labels = table.texts("labels")
        if labels is not None and len(labels) not in (0, 2):
            table.fault("labels", "scales.table.line-labels", number=len(labels))
            labels = None
        best, level = read_best_and_level(table)
        if labels is None or not low < high:
            return None
        first, last = labels or ("", "")
        return VisualScale(low, high, labels=(first, last), best=best, level=level)


@dataclass(frozen=True, init=False)
class GraphicScale(VisualScale):
    """A line with descriptors along it: answered like a `VisualScale`, read like a verbal one.

    `descriptors` maps positions on the line to words.

    Examples
    --------
    >>> GraphicScale({0: "poor", 50: "fair", 100: "good"}).accepts(25)
    True
    """

    kind: ClassVar[str] = "graphic"
    appearance: ClassVar[str] = "a line with words along it"
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
            raise InvalidArgument("scales.descriptors", outside=outside, low=low, high=high)
        super().__init__(low, high, best=best, level=level)
        object.__setattr__(self, "descriptors", tuple(sorted(descriptors.items())))

    def answer_words(self) -> Mapping[Any, str]:
        return {**super().answer_words(), **dict(self.descriptors)}

    def _marks(self) -> tuple[LineMark, ...]:
        length = self.high - self.low
        return tuple(
            LineMark(100 * (float(place) - self.low) / length, words)
            for place, words in self.descriptors
        )

    def to_table(self) -> dict[str, Any]:
        descriptors = {str(place): words for place, words in self.descriptors}
        ends = {"low": self.low, "high": self.high}
        return {"kind": self.kind, "descriptors": descriptors, **ends, **_ends_and_level(self)}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        low, high = read_line(table)
        best, level = read_best_and_level(table)
        below = table.table("descriptors")
        descriptors: dict[float, str] = {}
        for key in below.content:
            words = below.text(key, required=True)
            place = as_number(key)
            if place is None or not low <= place <= high:
                below.fault(key, "scales.table.off-line", value=key, low=low, high=high)
            elif place in descriptors:
                below.fault(key, "scales.table.second-descriptor", place=place)
            else:
                descriptors[place] = words
        if len(below.content) < 2:
            table.fault("descriptors", "scales.table.descriptors")
        if len(descriptors) < 2 or not low < high:
            return None
        return cls(descriptors, low=low, high=high, best=best, level=level)


@dataclass(frozen=True, init=False)
class YesNo(Scale):
    """A question answered with no (0) or yes (1), or with two words of the study's own.

    Examples
    --------
    >>> YesNo().categories
    (0, 1)
    """

    kind: ClassVar[str] = "yes-no"
    appearance: ClassVar[str] = "yes or no"

    def __init__(self, no: Category = 0, yes: Category = 1, *, best: End | None = "high") -> None:
        check_categories((no, yes), Level.ORDINAL)
        check_best(best)
        low, high = ends_of((no, yes))
        super().__init__(Level.ORDINAL, (no, yes), low, high, best=best)

    def answer_words(self) -> Mapping[Any, str]:
        return {0: "no", 1: "yes"} if self.options == (0, 1) else {}

    def control(self, _drawing: Drawing = PLAIN, /) -> Control:
        no, yes = self.options
        plain = (no, yes) == (0, 1)
        words = {no: "No", yes: "Yes"} if plain else {no: str(no), yes: str(yes)}
        choices = (Choice(sent=str(one), rating=one, words=words[one]) for one in (yes, no))
        return ChoiceControl(look="yes-no", choices=tuple(choices))

    def threshold(self) -> float:
        return 0.0

    def to_table(self) -> dict[str, Any]:
        labels = [] if self.options == (0, 1) else list(self.options)
        return {"kind": self.kind, "labels": labels, "best": self.best or "high"}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        labels = table.texts("labels")
        best = table.choice("best", ENDS, "high")
        if labels is None:
            return None
        if len(labels) not in (0, 2):
            table.fault("labels", "scales.table.yes-no-labels", number=len(labels))
            return None
        return cls(*labels, best=best)


@dataclass(frozen=True, init=False)
class Preference(Scale):
    """Which of two outputs is better: the first, the second, or (where allowed) neither.

    Examples
    --------
    >>> same = Preference(tie="same")
    >>> same.categories
    ('A', 'same', 'B')
    >>> same.simulate([0.5, 0.52]), Preference(tie=None).simulate([0.5, 0.52])
    ('same', 'B')
    """

    kind: ClassVar[str] = "preference"
    appearance: ClassVar[str] = "a choice between two texts"
    compares: ClassVar[bool] = True

    def __init__(
        self, first: Category = "A", second: Category = "B", *, tie: Category | None = "tie"
    ) -> None:
        options = (first, second) if tie is None else (first, tie, second)
        check_categories(options, Level.ORDINAL)
        low, high = ends_of(options)
        super().__init__(Level.ORDINAL, options, low, high)

    @property
    def tie(self) -> Category | None:
        """What says that neither is better; None where that cannot be said."""
        return self.options[1] if len(self.options) == 3 else None

    @property
    def text_names(self) -> tuple[str, ...]:
        return str(self.options[0]), str(self.options[-1])

    def control(self, drawing: Drawing = PLAIN, /) -> Control:
        """Return the marks left, tie and right; none tells which text is the item's first."""
        first, *tie, second = self.options
        left, right = (second, first) if drawing.order[:1] == (1,) else (first, second)
        choices = (
            Choice(sent="left", rating=left, words=str(first)),
            *(Choice(sent="tie", rating=option, words=str(option)) for option in tie),
            Choice(sent="right", rating=right, words=str(second)),
        )
        return ChoiceControl(look="preference", choices=choices)

    def simulate(self, qualities: Sequence[float], _severity: float = 0.0, /) -> Any:
        first, second = qualities[:2]
        if self.tie is not None and abs(first - second) < TIE_WITHIN:
            return self.tie
        return self.options[0] if first > second else self.options[-1]

    def threshold(self) -> float:
        return 0.0 if self.tie is None else super().threshold()

    def to_table(self) -> dict[str, Any]:
        return {"kind": self.kind, "tie": False if self.tie is None else self.tie}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        tie = table.content["tie"] if table.has("tie") else True
        if isinstance(tie, bool):
            return cls() if tie else cls(tie=None)
        if not isinstance(tie, str) or not tie.strip() or tie in ("A", "B"):
            table.fault("tie", "scales.table.tie", value=tie)
            return None
        return cls(tie=tie)


WORST, NEITHER, BEST = "worst", "neither", "best"
"""What is known of each output among those of which the best and the worst were chosen."""


@dataclass(frozen=True, init=False)
class BestWorst(Scale):
    """Of several outputs side by side the best, the worst, or one of the others.

    Whoever chooses the best and the worst says nothing about the order of the others.

    Examples
    --------
    >>> BestWorst().better("best", "neither"), BestWorst().better("neither", "neither")
    (1, None)
    """

    appearance: ClassVar[str] = "the best and the worst of several texts"
    side_by_side: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__(Level.ORDINAL, (WORST, NEITHER, BEST), math.nan, math.nan, best="high")

    def better(self, first: Any, second: Any) -> int | None:
        return None if first == second else super().better(first, second)


@dataclass(frozen=True, init=False)
class BestWorstChoice(Scale):
    """Which of several outputs is the best, and which the worst.

    An answer names both by their places in the item: `"2 > 4"` says that the second text is the
    best and the fourth the worst. It becomes a rating of each output, on the scale `BestWorst`.

    Examples
    --------
    >>> choice = BestWorstChoice()
    >>> choice.simulate([0.3, 0.9, 0.5, 0.1])
    '2 > 4'
    >>> choice.ratings_of_texts("2 > 4", 4)
    ('neither', 'best', 'neither', 'worst')
    """

    kind: ClassVar[str] = "best-worst"
    appearance: ClassVar[str] = "the best and the worst of several texts"
    compares: ClassVar[bool] = True
    most_texts: ClassVar[int] = MOST_SIDE_BY_SIDE

    def __init__(self) -> None:
        super().__init__(Level.NOMINAL, None, math.nan, math.nan)

    @property
    def rated(self) -> Scale:
        return BestWorst()

    def ratings_of_texts(self, answer: Any, texts: int) -> tuple[Any, ...]:
        """Return best, worst or neither for each text; None for all where there is no answer."""
        best, worst = BestWorstControl.places(answer) or (0, 0)
        known = {best: BEST, worst: WORST}
        others = None if answer is None else NEITHER
        return tuple(known.get(place, others) for place in range(1, texts + 1))

    def accepts(self, rating: object) -> bool:
        return isinstance(rating, str) and self.read(rating) == rating

    def read(self, value: object) -> Any:
        places = BestWorstControl.places(value)
        if places is None or max(places) > self.most_texts:
            return None
        return BestWorstControl.answer(*places)

    def describe(self) -> str:
        return self.appearance

    def control(self, drawing: Drawing = PLAIN, /) -> Control:
        return BestWorstControl(order=drawing.order)

    def simulate(self, qualities: Sequence[float], _severity: float = 0.0, /) -> Any:
        """Choose the text that seems best and the one that seems worst, the first of equal ones."""
        places = range(len(qualities))
        best = max(places, key=lambda place: (qualities[place], -place))
        worst = min(places, key=lambda place: (qualities[place], -place))
        return BestWorstControl.answer(best + 1, worst + 1)

    def threshold(self) -> float:
        return 0.0

    def to_table(self) -> dict[str, Any]:
        return {"kind": self.kind}

    @classmethod
    def from_table(cls, _table: ScaleTable, /) -> Scale | None:
        return cls()


@dataclass(frozen=True, init=False)
class NumberScale(Scale):
    """A number that is typed in, such as a count or a percentage.

    Examples
    --------
    >>> NumberScale(0, 10).accepts(11), NumberScale(0, 10).accepts(7)
    (False, True)
    """

    kind: ClassVar[str] = "number"
    appearance: ClassVar[str] = "a number to type in"
    whole: bool = True

    def __init__(
        self,
        low: float = 0,
        high: float = 100,
        *,
        whole: bool = True,
        best: End | None = "high",
        level: Level | str = Level.INTERVAL,
    ) -> None:
        if not low < high:
            raise InvalidArgument("scales.empty-line", low=low, high=high)
        check_best(best)
        super().__init__(as_level(level), None, float(low), float(high), best=best)
        object.__setattr__(self, "whole", whole)

    def accepts(self, rating: object) -> bool:
        return super().accepts(rating) and (not self.whole or float(rating).is_integer())  # type: ignore[arg-type]

    def nearest(self, quality: float) -> Any:
        place = super().nearest(quality)
        return round(place) if self.whole else place

    def control(self, _drawing: Drawing = PLAIN, /) -> Control:
        return NumberControl(low=self.low, high=self.high, whole=self.whole)

    def to_table(self) -> dict[str, Any]:
        ends = {"low": self.low, "high": self.high, "whole": self.whole}
        return {"kind": self.kind, **ends, **_ends_and_level(self)}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        low, high = read_line(table)
        best, level = read_best_and_level(table)
        whole = table.content["whole"] if table.has("whole") else True
        if not isinstance(whole, bool):
            table.fault("whole", "toml.no-flag", value=whole)
            return None
        return cls(low, high, whole=whole, best=best, level=level) if low < high else None


@dataclass(frozen=True, init=False)
class SeveralChoices(Scale):
    """A question of which several answers may be chosen; collected and exported, not analysed.

    Examples
    --------
    >>> errors = SeveralChoices(["grammar", "facts", "style"])
    >>> errors.accepts("grammar | style"), errors.accepts("spelling")
    (True, False)
    """

    kind: ClassVar[str] = "several"
    appearance: ClassVar[str] = "answers of which several may be chosen"
    analysed: ClassVar[bool] = False
    answers: tuple[str, ...] = ()

    def __init__(self, answers: Iterable[str]) -> None:
        options = tuple(answers)
        check_categories(options, Level.NOMINAL)
        if any(JOINED.strip() in option for option in options):
            raise InvalidArgument("scales.joined-option", mark=JOINED.strip())
        super().__init__(Level.NOMINAL, None, math.nan, math.nan)
        object.__setattr__(self, "answers", options)

    def accepts(self, rating: object) -> bool:
        if not isinstance(rating, str):
            return False
        chosen = rating.split(JOINED)
        return len(set(chosen)) == len(chosen) and set(chosen) <= set(self.answers)

    def read(self, value: object) -> Any:
        text = str(value).strip()
        return text if self.accepts(text) else None

    def describe(self) -> str:
        return f"several of {', '.join(map(repr, self.answers))}"

    def control(self, _drawing: Drawing = PLAIN, /) -> Control:
        return SeveralControl(options=self.answers)

    def simulate(self, qualities: Sequence[float], severity: float = 0.0, /) -> Any:
        """Return the first answers: the more, the worse the outputs seem."""
        share = 1 - min(1.0, max(0.0, sum(qualities) / len(qualities) - severity))
        return JOINED.join(self.answers[: max(1, round(share * len(self.answers)))])

    def threshold(self) -> float:
        return 0.0

    def to_table(self) -> dict[str, Any]:
        return {"kind": self.kind, "answers": list(self.answers)}

    @classmethod
    def from_table(cls, table: ScaleTable) -> Scale | None:
        answers = table.texts("answers")
        if answers is not None and len(answers) < 2:
            table.fault("answers", "scales.table.answers", number=len(answers))
        return cls(answers) if answers and len(answers) > 1 else None


@dataclass(frozen=True, init=False)
class FreeText(Scale):
    """A question answered in the judge's own words; collected and exported, not analysed.

    Examples
    --------
    >>> FreeText().accepts("The second sentence contradicts the first.")
    True
    """

    kind: ClassVar[str] = "text"
    appearance: ClassVar[str] = "a field to write in"
    analysed: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(Level.NOMINAL, None, math.nan, math.nan)

    def accepts(self, rating: object) -> bool:
        return isinstance(rating, str) and 0 < len(rating) <= LONGEST_TEXT

    def read(self, value: object) -> Any:
        text = str(value).strip()
        return text if self.accepts(text) else None

    def describe(self) -> str:
        return "an answer in one's own words"

    def control(self, _drawing: Drawing = PLAIN, /) -> Control:
        return TextControl()

    def simulate(self, qualities: Sequence[float], severity: float = 0.0, /) -> Any:
        return f"simulated: it seems {sum(qualities) / len(qualities) - severity:.2f} good"

    def threshold(self) -> float:
        return 0.0

    def to_table(self) -> dict[str, Any]:
        return {"kind": self.kind}

    @classmethod
    def from_table(cls, _table: ScaleTable, /) -> Scale | None:
        return cls()


@dataclass(frozen=True)
class ObservedScale(Scale):
    """What could be learnt from the data when nobody declared a scale.

    It cannot know of categories that nobody used, so statistics that depend on the number of
    possible categories refuse it. `guessed` says that even the level was not declared.
    """

    _: KW_ONLY
    declared: bool = field(default=False, init=False)
    guessed: bool = True

    @property
    def level_guessed(self) -> bool:
        return self.guessed


KINDS: Mapping[str, type[Scale]] = MappingProxyType(
    {
        kind.kind: kind
        for kind in (
            *(VerbalScale, VisualScale, GraphicScale, YesNo, Preference, BestWorstChoice),
            *(NumberScale, SeveralChoices, FreeText),
        )
    }
)
"""The kinds that a study can use, by their names in study.toml."""


def scale_from_table(table: ScaleTable) -> Scale | None:
    """Read a scale from its table with a `kind`; None where it has a fault."""
    if not table.has("kind"):
        table.fault("kind", "scales.table.kind-missing", value="", allowed=tuple(KINDS))
        return None
    kind = table.content["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        table.fault("kind", "scales.table.no-kind", value=kind, allowed=tuple(KINDS))
        return None
    try:
        return KINDS[kind].from_table(table)
    except InvalidArgument as error:
        table.fault("", error.code, **error.facts)
        return None


def as_scale(text: str, *, best: End | None = "high", level: Level | str | None = None) -> Scale:
    """Read a scale from the short form used on the command line.

    `"1-5"` is five numbered categories, `"0-100"` (more than eleven points) and `"0.0-10.0"` (with
    decimals) a line, `"good,fair,bad"` named categories in that order, `"yes/no"` a yes-or-no
    question, and `"1,1.5,2,2.5,3"` numbers with half points.

    Examples
    --------
    >>> as_scale("1-5").categories
    (1, 2, 3, 4, 5)
    >>> as_scale("1,1.5,2").categories
    (1, 1.5, 2)
    >>> as_scale("0-100").categories is None
    True
    >>> as_scale("0.0-10.0").accepts(4.2)
    True
    """
    ordinal = Level.ORDINAL if level is None else level
    end = r"\s*(-?\d+(?:\.\d+)?)\s*"
    if match := re.fullmatch(f"{end}(?:-|–|\\.\\.|:|to){end}", text):
        low, high = float(match[1]), float(match[2])
        if "." in match[1] + match[2] or high - low + 1 > MOST_ORDERED_CATEGORIES:
            line = Level.INTERVAL if level is None else level
            return VisualScale(low, high, best=best, level=line)
        return VerbalScale(range(int(low), int(high) + 1), best=best, level=ordinal)
    for mark in (",", "/"):
        names = [name.strip() for name in text.split(mark)]
        if len(names) >= 2 and all(names):
            numbers = all(re.fullmatch(r"-?\d+(?:\.\d+)?", name) for name in names)
            categories = [_as_number(name) for name in names] if numbers else names
            return VerbalScale(categories, best=best, level=ordinal)
    raise InvalidArgument("scales.not-understood", argument="scale", value=text)


def _as_number(text: str) -> int | float:
    number = float(text)
    return int(number) if number == int(number) else number


def _ends_and_level(scale: Scale) -> dict[str, Any]:
    return {"best": scale.best or "high", "level": str(scale.level)}


def _some_labels(table: ScaleTable, categories: Sequence[Any]) -> list[str] | None:
    """Return the words of each category, "" for none; None where there is a fault."""
    places = {str(category): place for place, category in enumerate(categories)}
    labels = [""] * len(categories)
    if table.has("ends"):
        ends = table.texts("ends")
        if ends is not None and len(ends) != 2:
            table.fault("ends", "scales.table.ends", number=len(ends))
        if not ends or len(ends) != 2 or not labels:
            return None
        return [ends[0], *labels[1:-1], ends[1]]
    below = table.table("labels")
    faults = False
    for key in below.content:
        words = below.text(key, required=True)
        if key in places:
            labels[places[key]] = words
        elif places:
            below.fault(key, "scales.table.no-category", value=key, allowed=tuple(places))
            faults = True
    return None if faults else labels


def _read_categories(table: ScaleTable, labels: int) -> list[Any] | None:
    """Return the categories, numbered from 1 where only labels are given."""
    if not table.has("categories"):
        if labels < 2:
            table.fault("categories", "scales.table.categories-missing")
            return None
        return list(range(1, labels + 1))
    given = table.content["categories"]
    if isinstance(given, str):
        return _read_range(table, given)
    if not isinstance(given, list) or not all(type(each) in (int, float, str) for each in given):
        table.fault("categories", "scales.table.categories-kind", value=given)
    elif len(given) < 2 or len(set(given)) < len(given):
        table.fault("categories", "scales.table.categories-different", value=given)
    elif any(isinstance(each, str) and not each.strip() for each in given):
        table.fault("categories", "toml.empty-text")
    else:
        return given
    return None


def _read_range(table: ScaleTable, text: str) -> list[Any] | None:
    try:
        scale = as_scale(text)
    except InvalidArgument:
        table.fault("categories", "scales.table.categories-range", value=text)
        return None
    if scale.categories is None:
        return list(range(int(scale.low), int(scale.high) + 1))
    return list(scale.categories)
