"""`check`: every finding about a study, and one finding where criteria share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from covary.analysis.forensics.alignment import shifted_criteria, shifted_judges, shifted_occasions
from covary.analysis.forensics.behaviour import constant_judges, copying_judges, narrow_judges
from covary.analysis.forensics.coverage import (
    few_ratings,
    merged_conditions,
    missing_ratings,
    over_collected,
    single_ratings,
)
from covary.analysis.forensics.design import confounded, few_common_items, unconnected
from covary.analysis.forensics.findings import HEADINGS, Finding, Findings
from covary.analysis.forensics.identity import slots_not_judges, sorted_columns
from covary.analysis.forensics.runs import straight_lining
from covary.analysis.forensics.scale_use import (
    dominating_category,
    faults,
    stray_categories,
    unused_categories,
)
from covary.analysis.forensics.sheet import Sheet, read_sheets
from covary.analysis.forensics.times import response_times
from covary.ratings import Ratings

__all__ = ["check"]

OF_ANY_COLUMN: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    sorted_columns,
    merged_conditions,
    single_ratings,
    over_collected,
    unused_categories,
    stray_categories,
    dominating_category,
    response_times,
    missing_ratings,
)
"""What can be found whether or not the judges are persons."""

OF_PERSONS: tuple[Callable[[Sheet], Iterable[Finding]], ...] = (
    slots_not_judges,
    copying_judges,
    constant_judges,
    narrow_judges,
    straight_lining,
    shifted_judges,
    confounded,
    unconnected,
    few_common_items,
    few_ratings,
)
"""What follows a judge from item to item, and means nothing for slots."""


def check(ratings: Ratings, *, criterion: Any = None) -> Findings:
    """Look for what makes ratings unfit for coefficients, or the coefficients hard to read.

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
    In every item the ratings are sorted by column, so the columns are no judges.
    """
    sheets = read_sheets(ratings, criterion)
    found = list(faults(ratings, sheets))
    for sheet in (sheet for sheet in sheets if sheet.rating.size):
        checks = OF_ANY_COLUMN if sheet.slots else OF_ANY_COLUMN + OF_PERSONS
        found += [_about(each, sheet) for look in checks for each in look(sheet)]
        found += [_about(each, sheet) for each in shifted_occasions(sheet)]
    return Findings((*_merged(found, len(sheets)), *shifted_criteria(sheets)))


def _about(found: Finding, sheet: Sheet) -> Finding:
    return replace(found, criterion=sheet.criterion)


def _merged(found: list[Finding], n_criteria: int) -> list[Finding]:
    """Say once what is the same on several criteria, because the design is."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for each in found:
        alike.setdefault((each.code, each.title), []).append(each)
    return [_once(group, n_criteria) for group in alike.values()]


def _once(group: list[Finding], n_criteria: int) -> Finding:
    """One finding for several criteria: the gravest speaks, and all keep their data."""
    if len(group) == 1:
        return group[0]
    worst = min(group, key=lambda found: list(HEADINGS).index(found.seriousness))
    criteria = [found.criterion for found in group]
    where = "every criterion" if len(criteria) == n_criteria else " and ".join(map(repr, criteria))
    alike = all(found.evidence == worst.evidence for found in group)
    evidence = f"On {where}: {worst.evidence}"
    if not alike:
        evidence = f"The same holds on {where}. On {worst.criterion!r}: {worst.evidence}"
    data = {"criteria": criteria, "by_criterion": {f.criterion: f.data for f in group}}
    return replace(worst, criterion=None, evidence=evidence, data={**worst.data, **data})
