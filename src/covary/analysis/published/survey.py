"""A survey of papers: who measures agreement, with which coefficient, and what is left unsaid.

The summary is that of Amidei, Piwek & Willis (2019), Table 3, and their list of what reports of
agreement often lack. A share always says what it is a share of, because papers and uses of
coefficients are not the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from covary.analysis.published.digits import Printed, written
from covary.analysis.published.fields import Field, flag, numbers, whole, words
from covary.analysis.published.numbers import CheckedNumber, Part, counted
from covary.errors import InvalidArgument
from covary.stats.suitability import suitability

__all__ = ["PAPER", "SHORTCOMINGS", "Paper", "Use", "coded", "survey"]

UNNAMED = ("", "kappa", "weighted kappa", "agreement", "correlation", "not named")
"""Names that leave open which coefficient was used."""


@dataclass(frozen=True)
class Use:
    """A coefficient that a paper reports, with the level of its data and its values."""

    coefficient: str
    level: str
    values: tuple[Printed, ...]

    @property
    def named(self) -> bool:
        """Whether it can be told which coefficient it is."""
        return self.coefficient.lower() not in UNNAMED

    @property
    def suitable(self) -> bool | None:
        """Whether it suits the level of its data; None where that cannot be told."""
        try:
            return suitability(self.coefficient, self.level).word == "ok" if self.level else None
        except InvalidArgument:
            return None


@dataclass(frozen=True)
class Paper:
    """A paper as it was coded; None is what was not coded, False what the paper does not say."""

    name: str
    agreement: bool
    uses: tuple[Use, ...] = ()
    details: bool | None = None
    items: int | bool | None = None
    independent: bool | None = None
    interpretation: str | bool | None = None


def _unless_false(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Read a value, or false where a paper does not say it."""

    def reading(value: Any) -> Any:
        return False if value is False else read(value)

    return reading


def _uses(value: Any) -> tuple[Use, ...]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise ValueError('write uses = [{ coefficient = "cohen_kappa", values = ["0.61"] }]')
    return tuple(_use(each) for each in value)


def _use(given: Mapping[str, Any]) -> Use:
    wrong = set(given) - {"coefficient", "level", "values"}
    if wrong:
        known = "coefficient, level and values"
        raise ValueError(f"{sorted(wrong)[0]!r} is no key of a use; it has {known}")
    level = _unless_false(words)(given.get("level", False)) or ""
    if level not in ("", "nominal", "ordinal", "interval", "ratio"):
        raise ValueError(f"level {level!r} is none; it can be nominal, ordinal, interval or ratio")
    return Use(words(given.get("coefficient", "")), level, numbers(given.get("values", [])))


PAPER = {
    "name": Field(words, needed=True),
    "agreement": Field(flag, needed=True),
    "uses": Field(_uses),
    "details": Field(flag),
    "items": Field(_unless_false(whole)),
    "independent": Field(flag),
    "interpretation": Field(_unless_false(words)),
    "venue": Field(words),
    "year": Field(whole),
}
"""The keys of a coded paper."""


def coded(values: Mapping[str, Any]) -> Paper:
    """Make a paper of its keys."""
    kept = {key: value for key, value in values.items() if key not in ("venue", "year")}
    return Paper(**kept)


def _said(value: Any) -> bool | None:
    return None if value is None else value is not False


def _all_named(paper: Paper) -> bool | None:
    return all(use.named for use in paper.uses) if paper.uses else None


def _all_suitable(paper: Paper) -> bool | None:
    known = [use.suitable for use in paper.uses if use.suitable is not None]
    return all(known) if known else None


SHORTCOMINGS: Mapping[str, Callable[[Paper], bool | None]] = {
    "the coefficient is not named": _all_named,
    "too little is said of how the data were collected": lambda paper: paper.details,
    "the coefficient does not quite suit the level of the data": _all_suitable,
    "the number of items is missing": lambda paper: _said(paper.items),
    "it is not said whether judges worked independently": lambda paper: paper.independent,
    "no scale of interpretation is named": lambda paper: _said(paper.interpretation),
}
"""What reports lack (Amidei, Piwek & Willis 2019, section 3), and whether a paper has it."""


def survey(papers: Sequence[Paper]) -> tuple[Part, ...]:
    """Sum up coded papers: how many measure agreement, with what, and what they leave unsaid."""
    reporting = [paper for paper in papers if paper.agreement]
    uses = [use for paper in reporting for use in paper.uses]
    return (
        _reporting(papers, reporting),
        _coefficients(reporting, uses),
        _shortcomings(reporting),
    )


def _reporting(papers: Sequence[Paper], reporting: Sequence[Paper]) -> Part:
    share = _share(len(reporting), len(papers))
    said = f"{len(reporting)} of {counted(len(papers), 'paper')} ({share})"
    line = f"{len(reporting)} / {len(papers)}"
    data = {"papers": len(papers), "reporting": len(reporting)}
    number = _number("papers", "report agreement", "", said, line, data)
    return Part("survey", "survey, papers", f"{said} report agreement.", (number,))


def _coefficients(reporting: Sequence[Paper], uses: Sequence[Use]) -> Part:
    found = [
        _used(name, reporting, uses) for name in dict.fromkeys(use.coefficient for use in uses)
    ]
    several = sum(len(paper.uses) > 1 for paper in reporting)
    said = (
        f"{counted(len(uses), 'use')} of coefficients in {counted(len(reporting), 'paper')}, "
        f"{several} of which use more than one."
    )
    unnamed = [use for use in uses if not use.named]
    if len(unnamed) > 1:
        said += (
            " The values of coefficients that are not named are not averaged: they may be "
            "different coefficients."
        )
    return Part("survey", "survey, coefficients", said, tuple(found))


def _used(name: str, reporting: Sequence[Paper], uses: Sequence[Use]) -> CheckedNumber:
    """Sum up one coefficient; each use counts once in its mean, however many values it has."""
    mine = [use for use in uses if use.coefficient == name]
    papers = sum(any(use.coefficient == name for use in paper.uses) for paper in reporting)
    values = [value.value for use in mine for value in use.values]
    means = [_mean([value.value for value in use.values]) for use in mine if use.values]
    parts = [f"{len(mine)} of {counted(len(uses), 'use')} ({_share(len(mine), len(uses))})"]
    share = _share(papers, len(reporting))
    parts.append(f"in {papers} of {counted(len(reporting), 'paper')} ({share})")
    data: dict[str, Any] = {"uses": len(mine), "papers": papers}
    if values and (mine[0].named or len(mine) == 1):
        data |= {"mean": _mean(means), "min": min(values), "max": max(values)}
        parts.append(f"mean {written(data['mean'], 2)}, {_span(values)}")
    elif values:
        data |= {"min": min(values), "max": max(values)}
        parts.append(f"no mean, {_span(values)}")
    line = "; ".join(", ".join(value.text for value in use.values) for use in mine if use.values)
    row = name or "not named"
    return _number("coefficients", row, "", ", ".join(parts), line or "no values", data)


def _span(values: Sequence[Fraction]) -> str:
    return f"from {written(min(values), 2)} to {written(max(values), 2)}"


def _shortcomings(reporting: Sequence[Paper]) -> Part:
    found = list(_checklist(reporting))
    worst = max(found, key=lambda number: number.data["lacking"], default=None)
    said = "Nothing that was coded is lacking."
    if worst is not None and worst.data["lacking"]:
        said = f"Most often: {worst.row} ({worst.expected})."
    return Part("survey", "survey, what is left unsaid", said, tuple(found))


def _checklist(reporting: Sequence[Paper]) -> Iterator[CheckedNumber]:
    for sentence, has in SHORTCOMINGS.items():
        answers = {paper.name: has(paper) for paper in reporting}
        lacking = [name for name, answer in answers.items() if answer is False]
        known = sum(answer is not None for answer in answers.values())
        said = f"{len(lacking)} of {counted(known, 'paper')}"
        if known < len(answers):
            said += f", not coded for {len(answers) - known}"
        data = {"lacking": len(lacking), "coded": known, "papers": lacking}
        line = ", ".join(lacking) or "none"
        yield _number("what is left unsaid", sentence, "", said, line, data)


def _number(
    place: str, row: str, printed: str, expected: str, line: str, data: Mapping[str, Any]
) -> CheckedNumber:
    return CheckedNumber(
        "survey", f"survey, {place}", printed, expected, "derived", line, row, data=data
    )


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _share(part: int, whole_: int) -> str:
    return f"{written(Fraction(100 * part, whole_), 0)}%" if whole_ else "–"
