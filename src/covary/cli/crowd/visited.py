"""People whom a platform sent, as the study's store knows them, in the platform's terms."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from covary.crowd.payments import Ended
from covary.crowd.submissions import Submission

if TYPE_CHECKING:
    from covary.store import Store
    from covary.store.visitors import VisitorRecord

__all__ = ["ENDED", "STATUS", "as_done", "known", "outcomes", "store_of", "submissions_of"]

ENDED: dict[str, Ended] = {
    "done": "done",
    "screened out": "screened out",
    "failed checks": "failed checks",
    "withdrew": "returned",
    "declined": "returned",
    "full": "returned",
    "abandoned": "returned",
    "arrived": "at work",
    "at work": "at work",
}

STATUS = {
    "done": "AWAITING REVIEW",
    "screened out": "SCREENED OUT",
    "failed checks": "AWAITING REVIEW",
    "abandoned": "TIMED-OUT",
    "arrived": "ACTIVE",
    "at work": "ACTIVE",
}
"""What a platform would say; all else was returned there."""


def store_of(study: Path, database: str | None) -> AbstractContextManager[Store | None]:
    """Open the store of a study where there is one; a study that was never served has none."""
    from covary.store import Store

    folder = study.parent if study.suffix == ".db" else study
    if database is None and not (folder / "study.db").is_file():
        return nullcontext(None)
    return Store.open(database or folder / "study.db", create=False)


def submissions_of(visitors: Iterable[VisitorRecord]) -> tuple[Submission, ...]:
    """Return the visits as a platform would tell them, in whole seconds.

    People who came by a plain link have no submission; there they go by their names here.
    """
    return tuple(
        Submission(
            id=each.submission or each.name,
            participant=each.participant,
            status=STATUS.get(each.outcome, "RETURNED"),
            code=each.code,
            seconds=None if each.seconds is None else float(int(each.seconds)),
        )
        for each in visitors
    )


def known(visitors: Iterable[VisitorRecord]) -> dict[str, Ended]:
    """Return how the visit of each participant ended here."""
    return {each.participant: ENDED[each.outcome] for each in visitors}


def as_done(visitors: Sequence[VisitorRecord]) -> list[Submission]:
    """Return the visits as they will stand when everybody who finished has been approved."""
    return [
        dataclasses.replace(visit, status="APPROVED" if each.outcome == "done" else visit.status)
        for each, visit in zip(visitors, submissions_of(visitors), strict=True)
        if each.outcome != "failed checks"
    ]


def outcomes(visitors: Iterable[VisitorRecord]) -> dict[str, int]:
    """Count the visits by how they stand, in the order of `ENDED`."""
    found: Counter[str] = Counter(each.outcome for each in visitors)
    return {each: found[each] for each in ENDED if each in found}
