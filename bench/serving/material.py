"""A study to be served under load, its store, and what each judge's page would send."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert

from covary.design.plan import Sheet, Task
from covary.store import Store
from covary.store.schema import notes
from covary.study import read_study
from covary.web.site import Site, visit

__all__ = ["Material", "prepared"]

STUDY = """\
title = "Under load"
guidelines = ""
[[criterion]]
name = "Clarity"
question = "How clear is this text?"
scale = { kind = "verbal", categories = "1-7" }
[[criterion]]
name = "Readability"
question = "How readable is this text?"
scale = { kind = "visual" }
[session]
go_back = true
break_every = 0
"""
ANSWERS_PER_ITEM = 2
MANY = 1000


@dataclass(frozen=True)
class Seat:
    """A judge with what the browser would know: the cookie, the form's token, the page's marks."""

    number: int
    cookie: str
    token: str
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """The folder of a study whose judges have seen all their items and may go back to any."""

    folder: Path
    place: str
    criteria: tuple[str, ...]
    seats: tuple[Seat, ...]

    def requests(self, seat: Seat, port: int, run: str) -> Iterator[bytes]:
        """What a judge's page sends, item after item and criterion after criterion."""
        head = (
            f"POST /judge/answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nCookie: {seat.cookie}\r\n"
            f"X-Covary-Token: {seat.token}\r\nContent-Type: application/json\r\n"
        )
        for position, mark in enumerate(seat.marks, 1):
            for number, criterion in enumerate(self.criteria):
                body = json.dumps({
                    "position": position, "criterion": criterion,
                    "rating": str((position + seat.number) % 7 + 1), "touched": True, "page": mark,
                    "sequence": number + 1, "key": f"{run}.{position}.{number}", "seconds": 4.2,
                })  # fmt: skip
                yield f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def prepared(folder: Path, place: str, *, judges: int, saves: int) -> Material:
    """Make the study and its store, so that `judges` judges can save `saves` times in all."""
    each = -(-saves // (judges * ANSWERS_PER_ITEM)) + 1
    _write(folder, each)
    study = read_study(folder)
    with Store.open(place) as store:
        store.sheets.put(Sheet(number, _tasks(study, each)) for number in range(1, judges + 1))
        site = Site(study, store)
        seats = tuple(_seat(site, number, each) for number in range(judges))
        _leave(store, judges, each)
    keys = tuple(each.key for each in study.criteria)
    return Material(folder, place, keys, seats)


def _write(folder: Path, items: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(STUDY)
    lines = (f"i{number},Text number {number}.\n" for number in range(1, items + 1))
    (folder / "items.csv").write_text("item,text\n" + "".join(lines))


def _tasks(study, items: int) -> tuple[Task, ...]:
    return tuple(Task(place, f"i{place}", "item", study.parts[0]) for place in range(1, items + 1))


def _seat(site: Site, number: int, items: int) -> Seat:
    judge, token = site.store.judges.add(f"judge {number}")
    site.store.sheets.issue(judge.id)
    here = visit(site, judge)
    tasks = filter(None, map(here.task, range(1, items + 1)))
    marks = tuple(here.tokens.new_page(judge.id, *here.page_place(task)) for task in tasks)
    return Seat(number, f"{site.cookie}={token}", here.tokens.form_token(str(judge.id)), marks)


def _leave(store: Store, judges: int, items: int) -> None:
    """Note that every judge has left every item but the last, as the pages would note it."""
    rows = [
        {"judge": judge, "kind": "left", "at": 1_700_000_000_000_000 + place,
         "data": json.dumps({"sheet": judge, "position": place}),
         "note_key": f"{judge}:left:{judge}:{place}"}
        for place in range(1, items) for judge in range(1, judges + 1)
    ]  # fmt: skip
    for start in range(0, len(rows), MANY):
        with store.database.writing() as connection:
            connection.execute(insert(notes), rows[start : start + MANY])
