"""`check`: every finding about a study, and one finding where criteria share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from covary.analysis.forensics.behaviour import (
    constant_judges,
    judges_apart,
    narrow_judges,
    response_times,
    straight_lining,
)
from covary.analysis.forensics.copies import copies_over_criteria, copying_judges
from covary.analysis.forensics.coverage import (
    confounding,
    dominating_category,
    excess_ratings,
    few_common_items,
    few_ratings,
    merged_conditions,
    missing_ratings,
    rows_set_aside,
    single_ratings,
    stray_categories,
    unconnected_judges,
    unused_categories,
)
from covary.analysis.forensics.file_layout import (
    averages_for_items,
    dates_for_ratings,
    items_without_criterion,
    near_equal_names,
    slots_not_judges,
    sorted_columns,
)
from covary.analysis.forensics.findings import RANKS, Finding, Findings
from covary.analysis.forensics.sheet import Sheet, read_sheets
from covary.analysis.forensics.shifts import shifted_criteria, shifted_judges, shifted_occasions
from covary.ratings import Ratings

OF_ANY_COLUMN: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    sorted_columns,
    merged_conditions,
    single_ratings,
    excess_ratings,
    unused_categories,
    stray_categories,
    dominating_category,
    response_times,
    missing_ratings,
    averages_for_items,
)
"""What can be found whether or not the judges are persons."""

OF_PERSONS: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    slots_not_judges,
    judges_apart,
    constant_judges,
    narrow_judges,
    straight_lining,
    confounding,
    unconnected_judges,
    few_common_items,
    few_ratings,
)
"""What follows a judge from item to item, and means nothing for slots."""


OF_LONG_COLUMNS: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    copying_judges,
    shifted_judges,
)
"""What can be said of persons only where they rated some twenty items."""

OF_SEVERAL: tuple[Callable[[Sequence[Sheet]], Iterable[Finding]], ...] = (
    items_without_criterion,
    near_equal_names,
)
"""What can be found only where all criteria are looked at together."""

LEAST_ITEMS = 20
"""In fewer items no copy and no slip can be told from chance."""

NO_PERSONS = ("sorted-columns", "serious")
"""The finding after which columns are no longer taken for persons."""

SUBJECTS = {
    "constant-judge": "judge",
    "narrow-judge": "judge",
    "straight-lining": "judge",
    "stray-category": "category",
}
"""Findings that are about one judge or category each, and are said once for all of them."""

PLURALS = {"judge": "judges", "category": "categories"}


def check(ratings: Ratings, *, criterion: Any = None) -> Findings:
    """Look for defects that make ratings unfit for coefficients, or coefficients hard to interpret.

    Parameters
    ----------
    ratings
        The ratings. Load them with `faulty="set-aside"` to have ratings off the scale and
        duplicates reported here instead of refused.
    criterion
        One criterion; all of them when left out.

    Returns
    -------
    Findings
        The most serious first. Nothing is changed in the ratings.

    Examples
    --------
    >>> from covary import datasets
    >>> found = check(datasets.load("flickr8k-experts", judges="named"))
    >>> print(found.serious[0].title)
    In every item the ratings are sorted by column, so the columns are not individual judges.
    """
    sheets = read_sheets(ratings, criterion)
    findings = [*rows_set_aside(ratings, sheets), *dates_for_ratings(ratings, sheets)]
    by_persons = []
    for sheet in (sheet for sheet in sheets if sheet.rating.size):
        own = _of_sheet(sheet)
        findings += [replace(finding, criterion=sheet.criterion) for finding in own]
        if sheet.n_units >= LEAST_ITEMS and _persons(sheet, own):
            by_persons.append(sheet)
    long = any(sheet.n_units >= LEAST_ITEMS for sheet in sheets)
    between = (*OF_SEVERAL, shifted_criteria) if long else OF_SEVERAL
    shared = [finding for look in between for finding in look(sheets)]
    merged = _merge(findings, len(sheets))
    if len(by_persons) > 1:
        merged = _once(merged, list(copies_over_criteria(by_persons)))
    return Findings((*merged, *shared))


def _once(by_criterion: list[Finding], together: list[Finding]) -> list[Finding]:
    """Keep of two findings about the same copies the graver; of equals the one with criteria."""
    for copied in together:
        about = [
            finding
            for finding in by_criterion
            if finding.code == copied.code
            and set(finding.about["judges"]) & set(copied.about["judges"])
        ]
        rank = RANKS.index(copied.seriousness)
        if all(RANKS.index(finding.seriousness) > rank for finding in about):
            by_criterion = [finding for finding in by_criterion if finding not in about]
            by_criterion.append(copied)
    return by_criterion


def _persons(sheet: Sheet, findings: list[Finding]) -> bool:
    """Whether the columns may be taken for persons."""
    return not sheet.slots and not any(
        (finding.code, finding.seriousness) == NO_PERSONS for finding in findings
    )


def _of_sheet(sheet: Sheet) -> list[Finding]:
    """Everything that can be found on one criterion."""
    findings = [finding for look in OF_ANY_COLUMN for finding in look(sheet)]
    long, persons = sheet.n_units >= LEAST_ITEMS, _persons(sheet, findings)
    checks = [*(OF_PERSONS if persons else ()), *(OF_LONG_COLUMNS if persons and long else ())]
    checks += [shifted_occasions] if long else []
    return _group([*findings, *(finding for look in checks for finding in look(sheet))])


def _group(findings: list[Finding]) -> list[Finding]:
    """Say once what holds for several judges, or for several categories."""
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for place, finding in enumerate(findings):
        subject = SUBJECTS.get(finding.code)
        groups.setdefault((finding.code, None if subject else place), []).append(finding)
    return [
        group[0] if len(group) == 1 else _group_finding(SUBJECTS[code], group)
        for (code, _), group in groups.items()
    ]


def _group_finding(subject: str, group: list[Finding]) -> Finding:
    worst = min(group, key=lambda finding: RANKS.index(finding.seriousness))
    names, plural = [finding.about[subject] for finding in group], PLURALS[subject]
    by_name = {name: finding.data for name, finding in zip(names, group, strict=True)}
    return replace(
        worst,
        variant="several",
        about={plural: tuple(names)},
        data={plural: names, f"by_{subject}": by_name},
        parts=tuple(group),
        subject=subject,
    )


def _merge(findings: list[Finding], n_criteria: int) -> list[Finding]:
    """Say once what is the same on several criteria, because the design is."""
    alike: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.code, finding.variant, *finding.about.items())
        alike.setdefault(key, []).append(finding)
    return [_merge_group(group, n_criteria) for group in alike.values()]


def _merge_group(group: list[Finding], n_criteria: int) -> Finding:
    """One finding for several criteria: the gravest speaks, and all keep their data."""
    if len(group) == 1:
        return group[0]
    worst = min(group, key=lambda finding: RANKS.index(finding.seriousness))
    data = {
        **worst.data,
        "criteria": [finding.criterion for finding in group],
        "by_criterion": {finding.criterion: finding.data for finding in group},
    }
    return replace(
        worst,
        criterion=None,
        data=data,
        parts=tuple(group),
        n_criteria=n_criteria,
        subject="criterion",
    )
