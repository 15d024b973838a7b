"""Every answer as it came, for researchers: by judge, by item, by criterion, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from covary.scales import CannotJudge
from covary.store.rated_outputs import ShownVersions
from covary.store.records import LoggedAnswer
from covary.web.researcher.desk import PAGE, PER_PAGE, Researcher, TablePage
from covary.web.researcher.progress import lasting

HERE = "/researcher/answers"
FILTERS = ("judge", "item", "criterion")
NOBODY = 0
"""The number of a judge whose name nobody has."""


@dataclass(frozen=True)
class AnswerRow:
    """One answer in words: what was said of which version of the item, when, and if it counts."""

    logged: LoggedAnswer
    item: str
    rating: str
    reason: str
    note: str

    @property
    def seconds(self) -> str:
        """The time on the page until the answer."""
        seconds = self.logged.answer.seconds
        return "" if seconds is None else lasting(seconds)


def show_answers(who: Researcher) -> Response:
    """Show the answers that the address asks for, with their times, versions and comments."""
    desk, query = who.desk, who.request.query_params
    asked = {name: query.get(name, "").strip() for name in FILTERS}
    judges = {judge.name: judge.id for judge in desk.store.judges.all()}
    number = PAGE.read(query)
    total, logged = desk.store.answers.selected(
        judge=judges.get(asked["judge"], NOBODY) if asked["judge"] else None,
        item=asked["item"] or None,
        criterion=asked["criterion"] or None,
        first=(number - 1) * PER_PAGE,
        most=PER_PAGE,
    )
    shown = TablePage(number, max(1, -(-total // PER_PAGE)), logged)
    versions = ShownVersions(desk.study, desk.store)
    known = {item.id for item in desk.study.items}
    return who.page(
        "answers",
        rows=[_row(each, versions, known) for each in logged],
        shown=shown,
        total=total,
        asked=asked,
        judges=judges,
        criteria=_criteria(who),
        address=f"{HERE}?{urlencode(asked)}&",
    )


def _row(logged: LoggedAnswer, versions: ShownVersions, known: set[str]) -> AnswerRow:
    answer = logged.answer
    item = versions.of(answer).name if answer.item in known else answer.item
    undecided = isinstance(answer.rating, CannotJudge)
    rating = "cannot judge" if undecided else answer.rating
    return AnswerRow(
        logged=logged,
        item=item,
        rating="untouched" if rating is None else str(rating),
        reason=answer.rating.reason if isinstance(answer.rating, CannotJudge) else "",
        note="" if logged.counts else "late" if answer.late else "does not count",
    )


def _criteria(who: Researcher) -> list[str]:
    study = who.desk.study
    return [criterion.key for criterion in (*study.criteria, *study.questions)]
