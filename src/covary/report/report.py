"""`covary.report`: from ratings to everything that a reliability section needs."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from covary.analysis.comparison import Reliability
from covary.analysis.forensics import Findings, check
from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.reliability import reliability
from covary.analysis.systems import Systems
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.report.as_csv import to_csv
from covary.report.as_json import to_json
from covary.report.contents import Contents
from covary.report.document import Document, Place, check_place
from covary.report.rounding import coefficient
from covary.report.sections import contents_of
from covary.report.short import short
from covary.report.systems.brief import compared_briefly
from covary.report.wording import listing
from covary.scales import Level
from covary.stats.gamma import goodman_kruskal_gamma

__all__ = ["Report", "report"]

SORTED = "sorted-columns"
"""The finding after which nothing may follow a judge from item to item."""


LEFT_OUT = (
    "Coefficients are computed from counts of all ratings. Not in this report, because they need "
    "the ratings one by one: drift, runs and times of judges, and the comparison of systems. "
    "Judges who are too many for their patterns to be counted have no profiles."
)
"""What is said of ratings that stay in their engine."""


@dataclass(frozen=True, repr=False)
class Report(Document):
    """A reliability report: what was found, and its forms.

    `ratings` are those that were reported on (as slots, where columns turned out to be sorted);
    `contents` is what every written form says; `systems` a brief comparison of the systems, where
    the ratings know them.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.report.report import report  # or covary.report
    >>> made = report(Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3"), rng=1)
    >>> made.reliability.criteria[0].n_items
    4
    """

    ratings: Ratings
    findings: Findings
    reliability: Reliability
    profiles: tuple[JudgeProfile, ...]
    contents: Contents
    systems: Systems | None = None

    in_notebooks: ClassVar[tuple[str, ...]] = ("verdict", "data", "agreement")

    def json(self) -> str:
        """Return everything that was found, not rounded, as the shipped schema has it."""
        return to_json(self)

    def csv(self) -> str:
        """Return the coefficients as one table, not rounded."""
        return to_csv(self.reliability)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as in the JSON form."""
        found: dict[str, Any] = json.loads(self.json())
        return found

    def short(self) -> str:
        """Return the short form for a terminal: the table, the verdicts, the serious defects."""
        return short(self.reliability, self.findings)

    def __repr__(self) -> str:
        return f"Report({self.ratings!r}, {len(self.findings)} findings)"


def report(
    ratings: Ratings,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    intervals: bool = True,
    rng: Any = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Can these ratings be relied on? Check them, measure them, and write it all down.

    Parameters
    ----------
    ratings
        The ratings. Where their columns turn out to be sorted and no judges, the report goes on
        with slots and says so.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    criterion, group
        Only these criteria, only judges of this group; all by default.
    confidence, intervals, rng
        As in `reliability`.
    title
        The heading of the report.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    Report
        With `findings`, `reliability`, `profiles` and a method for each form.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.report.report import report  # or covary.report
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> print(report(Ratings.from_wide(list(zip(mild, strict)), scale="1-3"), rng=1).short())
    criterion  agreement        correlation        verdict
    ratings    .53 [-.01, .85]  1.00 [1.00, 1.00]  consistent, different severity (unsure)
    agreement: Krippendorff's alpha (ordinal); correlation: Goodman & Kruskal's gamma (ordinal). In
    brackets the 95% interval.
    """
    say = progress or _silent
    check_place(path, format)
    chosen = _chosen(ratings, criterion, group)
    say("checking the data")
    looked_at = chosen.looked_at()
    findings = check(looked_at)
    if chosen.large:
        chosen = chosen.with_notes(looked_at.notes[-1], LEFT_OUT)
    notes = tuple(_sorted_notes(chosen, findings))
    if notes:
        chosen = chosen.as_slots()
    found = reliability(
        chosen, confidence=confidence, intervals=intervals, rng=rng, progress=progress
    )
    say("judges")
    profiles = judge_profiles(chosen, confidence=confidence)
    heading = title or "How far can these ratings be relied on?"
    systems = compared_briefly(chosen, confidence)
    contents = contents_of(heading, chosen, findings, found, profiles, notes, systems)
    made = Report(chosen, findings, found, profiles, contents, systems)
    if path is not None:
        say("writing")
        made.write(path, format)
    return made


def _chosen(ratings: Ratings, criterion: Any, group: Any) -> Ratings:
    wanted = {"criterion": criterion, "group": group}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    return ratings.select(**wanted) if wanted else ratings


def _sorted_notes(ratings: Ratings, findings: Findings) -> Iterator[str]:
    """Say what is done about sorted columns, where they are a serious finding."""
    if not any(found.code == SORTED for found in findings.serious):
        return
    yield (
        "The columns are sorted within each item, so they are no judges. This report treats them "
        "as slots: correlation is taken over all arrangements of each item's ratings, and nothing "
        "follows a judge from item to item."
    )
    artefacts = [
        f"{coefficient(value, 3)}{'' if name is None else f' on {name}'}"
        for name, value in _gammas(ratings)
    ]
    if artefacts:
        yield (
            f"Taken for judges, the columns would give a gamma of {listing(artefacts)}: an "
            "artefact of the sorting, not a correlation of judges."
        )


def _gammas(ratings: Ratings) -> Iterator[tuple[Any, float]]:
    """Gamma as if sorted columns were judges, to show what sorting does."""
    for name, scale in ratings.scales.items():
        if scale.level is not Level.NOMINAL:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CovaryWarning)
                value = goodman_kruskal_gamma(ratings, criterion=name, interval=None).value
            if not math.isnan(value):
                yield name, value


def _silent(_: str) -> None:
    """Say nothing."""
