"""Sheets for judges: those of the plan first, further ones when more judges come than planned."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from covary.design import Plan, Sheet, make_plan, more_sheets, read_plan, write_plan
from covary.errors import CovaryError
from covary.store.store import Store
from covary.study.model import Study
from covary.web.site import Site

__all__ = ["DESIGN", "give_sheet", "prepare_sheets"]

DESIGN = "design.csv"
"""Where the plan of a study is kept, in its folder."""

ONE_AT_A_TIME = Lock()
ATTEMPTS = 5
"""Another server of the same study may add sheets at the same moment."""


def prepare_sheets(study: Study, store: Store) -> str:
    """Put the sheets of the plan into a store that has none, and say in a sentence what was done.

    Where the study has no design.csv yet, the plan is made and written there.
    """
    present = len(store.holders())
    if present:
        return f"{present} sheets are in the store."
    place = study.folder / DESIGN
    if place.is_file():
        plan = read_plan(place, study)
        store.put_sheets(plan.sheets)
        return f"{len(plan.sheets)} sheets were taken from {DESIGN}."
    plan = make_plan(study)
    write_plan(plan, place)
    store.put_sheets(plan.sheets)
    return (
        f"There was no {DESIGN}, so a plan was made as study.toml asks: {len(plan.sheets)} sheets, "
        f"written to {DESIGN}."
    )


def give_sheet(site: Site, judge: int) -> Sheet:
    """Return the judge's sheet: the next free one, or a new one where none is free."""
    for _ in range(ATTEMPTS):
        found = site.store.sheet_of(judge) or site.store.issue_sheet(judge)
        if found is not None:
            return found
        with ONE_AT_A_TIME:
            site.store.put_sheets(more_sheets(site.study, _plan_so_far(site), 1))
    raise CovaryError("no sheet could be given out: others took each that was made")


def _plan_so_far(site: Site) -> Plan:
    """The plan of the study with all the sheets that were made since."""
    place = site.study.folder / DESIGN
    plan = read_plan(place) if place.is_file() else make_plan(site.study)
    return replace(plan, sheets=tuple(site.store.sheets()))
