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

from covary.analysis.published.arithmetic import mean_of
from covary.analysis.published.check import (
    CheckedNumber,
    CheckResult,
    Reader,
    flag,
    numbers,
    whole,
    words,
)
from covary.analysis.published.digits import Printed
from covary.errors import InvalidArgument
from covary.stats.suitability import suitability
from covary.words import Note

UNNAMED = ("", "kappa", "weighted kappa", "agreement", "correlation", "not named")
"""Names that leave open which coefficient was used."""

USE_KEYS = ("coefficient", "level", "values")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


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


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper as it was coded; None is what was not coded, False what the paper does not say."""

    name: str
    agreement: bool
    uses: tuple[Use, ...] = ()
    details: bool | None = None
    items: int | bool | None = None
    independent: bool | None = None
    interpretation: str | bool | None = None
    venue: str = ""
    year: int | None = None


def _unless_false(read: Reader) -> Reader:
    """Read a value, or false where a paper does not say it."""
    return lambda value: False if value is False else read(value)


def _uses(value: Any) -> tuple[Use, ...]:
    if not isinstance(value, list) or not all(isinstance(use, Mapping) for use in value):
        raise InvalidArgument("published.no-uses")
    return tuple(_use(use) for use in value)


def _use(keys: Mapping[str, Any]) -> Use:
    for key in sorted(set(keys) - set(USE_KEYS)):
        raise InvalidArgument("published.no-use-key", value=key)
    level = _unless_false(words)(keys.get("level", False)) or ""
    if level and level not in LEVELS:
        raise InvalidArgument("published.no-level", value=level)
    return Use(words(keys.get("coefficient", "")), level, numbers(keys.get("values", [])))


NEEDED: Mapping[str, Reader] = {"name": words, "agreement": flag}
OPTIONAL: Mapping[str, Reader] = {
    "uses": _uses,
    "details": flag,
    "items": _unless_false(whole),
    "independent": flag,
    "interpretation": _unless_false(words),
    "venue": words,
    "year": whole,
}
"""The keys of a coded paper."""


def _is_said(value: Any) -> bool | None:
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
    "the number of items is missing": lambda paper: _is_said(paper.items),
    "it is not said whether judges worked independently": lambda paper: paper.independent,
    "no scale of interpretation is named": lambda paper: _is_said(paper.interpretation),
}
"""What reports lack (Amidei, Piwek & Willis 2019, section 3), and whether a paper has it."""


def survey(papers: Sequence[Paper]) -> list[CheckResult]:
    """Sum up coded papers: how many measure agreement, with what, and what they leave unsaid."""
    reporting = [paper for paper in papers if paper.agreement]
    counts = [_reporting(papers, reporting), *_by_origin(papers)]
    return [*counts, _coefficients(reporting), _shortcomings(reporting)]


def _result(place: str, conclusion: str, rows: Sequence[dict[str, Any]]) -> CheckResult:
    """Write down a part of the survey; a row says what was counted, and what came out."""
    about: dict[str, Any] = {"kind": "survey", "place": f"survey, {place}"}
    derived = [CheckedNumber(**about, printed="", verdict="derived", **row) for row in rows]
    return CheckResult(**about, conclusion=conclusion, numbers=tuple(derived))


def _reporting(papers: Sequence[Paper], reporting: Sequence[Paper]) -> CheckResult:
    data = {"papers": len(papers), "reporting": len(reporting)}
    row = {
        "row": "report agreement",
        "expected": Note("published.survey-share", **data),
        "arithmetic": f"{len(reporting)} / {len(papers)}",
        "data": data,
    }
    return _result("papers", Note("published.survey-papers", **data), [row])


def _by_origin(papers: Sequence[Paper]) -> Iterator[CheckResult]:
    """Count the papers of each year and of each venue, where one of them is coded."""
    for key in ("year", "venue"):
        origins = {paper.name: getattr(paper, key) or None for paper in papers}
        known = sorted({origin for origin in origins.values() if origin is not None})
        if not known:
            continue
        missing = [None] if None in origins.values() else []
        rows = []
        for origin in (*known, *missing):
            own = [paper for paper in papers if origins[paper.name] == origin]
            reporting = sum(paper.agreement for paper in own)
            data = {"papers": len(own), "reporting": reporting, key: origin}
            rows.append(
                {
                    "row": f"{key} not coded" if origin is None else str(origin),
                    "expected": Note(
                        "published.survey-share", papers=len(own), reporting=reporting
                    ),
                    "arithmetic": f"{reporting} / {len(own)}",
                    "data": data,
                }
            )
        counts = {"papers": len(papers), "known": len(known), "key": key}
        yield _result(f"by {key}", Note("published.survey-origin", **counts), rows)


def _coefficients(reporting: Sequence[Paper]) -> CheckResult:
    uses = [use for paper in reporting for use in paper.uses]
    names = dict.fromkeys(use.coefficient for use in uses)
    conclusion = Note(
        "published.survey-uses",
        uses=len(uses),
        papers=len(reporting),
        several=sum(len(paper.uses) > 1 for paper in reporting),
        unnamed=sum(not use.named for use in uses),
    )
    return _result("coefficients", conclusion, [_usage(name, reporting, uses) for name in names])


def _usage(name: str, reporting: Sequence[Paper], uses: Sequence[Use]) -> dict[str, Any]:
    """Sum up one coefficient; each use counts once in its mean, however many values it has."""
    own = [use for use in uses if use.coefficient == name]
    papers = [paper for paper in reporting if any(use in own for use in paper.uses)]
    data = {"uses": len(own), "papers": len(papers), **_spread(own)}
    lines = [", ".join(value.text for value in use.values) for use in own if use.values]
    totals = {"all_uses": len(uses), "all_papers": len(reporting)}
    return {
        "row": name or "not named",
        "expected": Note("published.survey-usage", **data, **totals),
        "arithmetic": "; ".join(lines) or "no values",
        "data": data,
    }


def _spread(uses: Sequence[Use]) -> dict[str, Fraction]:
    """The mean and the ends of the values; no mean where they may be of different coefficients."""
    groups = [[value.value for value in use.values] for use in uses if use.values]
    if not groups:
        return {}
    same = uses[0].named or len(uses) == 1
    mean = {"mean": mean_of([mean_of(group) for group in groups])} if same else {}
    return mean | {"min": min(map(min, groups)), "max": max(map(max, groups))}


def _shortcomings(reporting: Sequence[Paper]) -> CheckResult:
    rows = list(_checklist(reporting))
    worst = max(rows, key=lambda row: row["data"]["lacking"], default=None)
    facts = {} if worst is None else {name: worst[name] for name in ("row", "expected")}
    lacking = 0 if worst is None else worst["data"]["lacking"]
    return _result(
        "what is left unsaid", Note("published.survey-lacking", lacking=lacking, **facts), rows
    )


def _checklist(reporting: Sequence[Paper]) -> Iterator[dict[str, Any]]:
    for sentence, has in SHORTCOMINGS.items():
        answers = {paper.name: has(paper) for paper in reporting}
        lacking = [name for name, answer in answers.items() if answer is False]
        coded = sum(answer is not None for answer in answers.values())
        yield {
            "row": sentence,
            "expected": Note(
                "published.survey-coded", lacking=len(lacking), coded=coded, papers=len(answers)
            ),
            "arithmetic": ", ".join(lacking) or "none",
            "data": {"lacking": len(lacking), "coded": coded, "papers": lacking},
        }
