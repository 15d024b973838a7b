"""Numbers and reports while a study runs, worked out in threads beside the pages."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event, Lock, Thread, main_thread
from typing import Any

from covary.analysis.disputed import Disputed, DisputedItem, disputed
from covary.analysis.planning import progress, read_record
from covary.errors import CovaryError
from covary.ratings import Ratings
from covary.reports.planning.progress import progress_lines
from covary.reports.reliability.document import report
from covary.store.export import Collection, collect, ratings_of
from covary.store.paper import paper_answers
from covary.store.store import Store
from covary.study.model import Criterion, Study
from covary.web.researcher.measures import (
    CriterionLine,
    Flag,
    KnownAnswers,
    flags_of,
    known_answers,
    measure_criterion,
    seconds_per_item,
    too_many,
)
from covary.words import Note, sentence, word

MANY_JUDGES = 60
"""With more judges the report, which compares every two of them, is made on the command line."""


@dataclass(frozen=True)
class ReportPage:
    """A report as a page, or the reason why there is none."""

    mark: Hashable
    page: str = ""
    trouble: str = ""


class ReportCache:
    """The newest report on some criteria; another is made when answers have come."""

    def __init__(self, study: Study, store: Store) -> None:
        self._study = study
        self._store = store
        self._alone = Lock()
        self._made: dict[tuple[str, ...], ReportPage] = {}
        self._running: Thread | None = None

    def newest(
        self, criteria: tuple[str, ...], mark: Hashable, patience: float = 0.0
    ) -> ReportPage | None:
        """Return the report if it is made; else begin to make it, one at a time, and wait a bit."""
        with self._alone:
            made = self._made.get(criteria)
            if made is not None and made.mark == mark:
                return made
            if self._running is None or not self._running.is_alive():
                self._running = Thread(
                    target=self._make, args=(criteria, mark), name="covary-report"
                )
                self._running.start()
            running = self._running
        running.join(patience)
        made = self._made.get(criteria)
        return made if made is not None and made.mark == mark else None

    def _make(self, criteria: tuple[str, ...], mark: Hashable) -> None:
        try:
            made = ReportPage(mark, self._page(criteria))
        except CovaryError as error:
            made = ReportPage(mark, trouble=sentence(error))
        except Exception:
            log.exception("the report could not be made")
            made = ReportPage(mark, trouble=word("web.report-failed"))
        self._made[criteria] = made

    def _page(self, criteria: tuple[str, ...]) -> str:
        ratings = ratings_of(self._study, self._store, criteria=criteria, faulty="set-aside")
        if ratings.n_judges > MANY_JUDGES:
            raise CovaryError("web.too-many-to-report", judges=ratings.n_judges)
        title = f"{self._study.title}: can it be relied on?"
        answers = paper_answers(self._study, self._store)
        return report(ratings, rng=1, title=title, answers=answers, progress=stop_at_the_end).html()


def stop_at_the_end(step: str) -> None:
    """Give up when the server has ended, so that its process need not wait for a report."""
    if not main_thread().is_alive():
        raise CovaryError("web.server-ended", step=step)


def policy_of(page: str) -> str:
    """Return a policy that lets a report have its own styles, and nothing else whatever."""
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
        for style in re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    ]
    styles = " ".join(hashes) or "'none'"
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {styles}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


LEAST_SECONDS = 5.0
"""Looks are at least so far apart."""

SHARE = 10
"""After a look there is a pause of so many times its length."""

MOST_PLANNED = 20_000
"""Ratings of a criterion beyond which its differences are followed on the command line only."""

MOST_ANSWERS = 500_000
"""With more, to read them all again and again would be felt by judges."""

MOST_DISPUTED = 5
"""Disputed items that the dashboard names."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Snapshot:
    """What the ratings say at one moment.

    `lines` has a line for each criterion, `flags` what is notable about judges, by their names,
    `pace` each judge's median seconds per item, `known` how each judge did where answers are known,
    `disputed` the items that judges disagree on most. `plan` says how far the study is beside the
    plan that was kept, if one was. `trouble` says why there is none of this.
    """

    mark: Hashable
    at: datetime
    lines: tuple[CriterionLine, ...] = ()
    flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    pace: Mapping[str, float] = field(default_factory=dict)
    known: Mapping[str, Mapping[str, KnownAnswers]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    disputed: tuple[DisputedItem, ...] = ()
    trouble: str = ""


class LiveNumbers:
    """The newest snapshot; another is taken in a thread when the study has moved on."""

    def __init__(self, study: Study, store: Store, *, least_seconds: float = LEAST_SECONDS) -> None:
        self._study = study
        self._store = store
        self._least = least_seconds
        self._alone = Lock()
        self._newest: Snapshot | None = None
        self._running = False
        self._ready = Event()
        self._not_before = 0.0

    def newest(self, mark: Hashable, patience: float = 0.0) -> Snapshot | None:
        """Return the newest snapshot, and have another taken if it is not of this `mark`.

        Where there is none yet, wait for the first one with some `patience` (seconds), which is
        enough for a small study.
        """
        with self._alone:
            if self._due(mark):
                self._running = True
                self._ready.clear()
                Thread(target=self._take, args=(mark,), name="covary-live").start()
        if self._newest is None and patience:
            self._ready.wait(patience)
        return self._newest

    def _due(self, mark: Hashable) -> bool:
        fresh = self._newest is not None and self._newest.mark == mark
        return not (fresh or self._running or time.monotonic() < self._not_before)

    def _take(self, mark: Hashable) -> None:
        began = time.monotonic()
        try:
            taken = Snapshot(mark, datetime.now(UTC), **examine(self._study, self._store))
        except Exception:
            log.exception("the ratings could not be looked at")
            words = word("web.numbers-failed")
            taken = Snapshot(mark, datetime.now(UTC), trouble=words)
        ended = time.monotonic()
        with self._alone:
            self._newest = taken
            self._running = False
            self._not_before = ended + max(self._least, SHARE * (ended - began))
            self._ready.set()


def examine(study: Study, store: Store) -> dict[str, Any]:
    """Read what was collected, and say what there is to say about it."""
    answers = store.answers.counts().answers
    if answers > MOST_ANSWERS:
        return {"trouble": word("web.too-many-answers", {"answers": answers})}
    collection = collect(study, store)
    parts = dict(split_by_criterion(collection))
    pace, known = seconds_per_item(collection), known_answers(study, store)
    return {
        "lines": tuple(_criterion_lines(study, parts)),
        "flags": flags_of(collection, parts, pace=pace, known=known),
        "pace": pace,
        "known": known,
        "notes": (*collection.notes, *_left_undone(parts)),
        "plan": tuple(_plan_lines(study, parts)),
        "disputed": _disputed(collection, parts),
    }


def _plan_lines(study: Study, parts: Mapping[str, Ratings]) -> Iterator[str]:
    """How far the study is beside its plan; a plan that cannot be read is no reason to fail."""
    try:
        record = read_record(study.folder)
    except CovaryError as error:
        yield sentence(error)
        return
    if record is None:
        return
    for key, part in parts.items():
        stop_at_the_end(key)
        if part.n_ratings > MOST_PLANNED:
            continue
        try:
            found = progress(part, record=record)
        except CovaryError:  # words, or preferences: nothing was planned for them
            continue
        yield from (f"{key}: {line}" for line in progress_lines(found))


def _disputed(collection: Collection, parts: Mapping[str, Ratings]) -> tuple[DisputedItem, ...]:
    """The items that judges disagree on most, with what they say."""
    several = [disputed(part, most=MOST_DISPUTED) for part in parts.values() if not too_many(part)]
    whole = Disputed(
        items=tuple(item for part in several for item in part.items),
        n_items=sum(part.n_items for part in several),
    )
    top = whole.top(MOST_DISPUTED)
    return tuple(replace(item, text=collection.texts.get(item.item, "")) for item in top)


def _left_undone(parts: Mapping[str, Ratings]) -> Iterator[str]:
    later = sum(part.n_ratings - part.first_occasion().n_ratings for part in parts.values())
    if later:
        yield Note("web.later-ratings", later=later)
    if any(map(too_many, parts.values())):
        yield Note("web.too-many-judges-to-compare")


def _criterion_lines(study: Study, parts: Mapping[str, Ratings]) -> Iterator[CriterionLine]:
    for criterion in study.criteria:
        stop_at_the_end(criterion.key)
        part = parts.get(criterion.key)
        yield measure_criterion(criterion, None if part is None else part.first_occasion())


def split_by_criterion(collection: Collection) -> Iterator[tuple[str, Ratings]]:
    """Return the ratings of each criterion by itself, because some may be words, some numbers."""
    columns = collection.shown()
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(columns["criterion"]):
        rows.setdefault(key, []).append(row)
    for key, chosen in rows.items():
        own = {name: [values[row] for row in chosen] for name, values in columns.items()}
        scale = _scale(collection.criteria[key])
        if any(rating is not None for rating in own["rating"]):
            ratings = Ratings(own, scale=scale, faulty="set-aside")
            yield key, ratings.with_measured_times()


def _scale(criterion: Criterion) -> dict[Any, Any]:
    return {criterion.key: criterion.scale.rated}
