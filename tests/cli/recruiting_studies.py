"""A study that recruits through Prolific, and people who came to it."""

from datetime import UTC, datetime, timedelta

import pytest

from covary.design import make_plan
from covary.store import Answer, Store
from covary.study import read_study
from tests.study.folders import write_study

TOML = """\
title = "Small talk"

[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = { kind = "verbal", categories = "1-5" }

[design]
kind = "everyone"
judges = 6
"""

RECRUITING = """
[recruiting]
platform = "prolific"
done = "DONE1"
screened_out = "OUT1"
failed = "FAIL1"
returned = "BACK1"
currency = "GBP"
pay = "2.00"
screen_out_pay = "0.20"
fee_share = "0.25"
minimum_wage = "12.00"
minutes = 10
"""

ITEMS = "item,text,system,source\n" + "".join(f"a{n},Text {n}.,x,s{n}\n" for n in range(1, 5))


class Clock:
    """A clock that stands still unless it is put forward."""

    def __init__(self):
        self.at = datetime.now(UTC)

    def now(self, zone=None):
        return self.at.astimezone(zone)


CAME = {
    "p1": ("done", 10, 4), "p2": ("done", 20, 4), "p3": ("screened out", 2, 0),
    "p4": ("failed checks", 5, 2), "p5": (None, 0, 1), "p6": ("withdrew", 1, 0),
}  # fmt: skip
"""Participant: how it ended, after how many minutes, with how many items judged."""


@pytest.fixture
def study(tmp_path):
    """The folder of a study of four items for six people, which nobody has seen."""
    return write_study(tmp_path / "talk", TOML + RECRUITING, ITEMS)


@pytest.fixture
def visited(study, monkeypatch):
    """The same after six people came, one of them twice."""
    plan = make_plan(read_study(study))
    clock = Clock()
    ahead = type("datetime", (datetime,), {"now": staticmethod(clock.now)})
    monkeypatch.setattr("covary.store.records.datetime", ahead)
    codes = {"done": "DONE1", "screened out": "OUT1", "failed checks": "FAIL1", "withdrew": "BACK1"}
    with Store.open(study / "study.db") as store:
        store.sheets.put(plan.sheets)
        for name, (ending, minutes, judged) in CAME.items():
            judge = store.visits.arrive("Prolific", name, f"sub-{name}", "study1").judge.id
            sheet = store.visits.take_place(judge)
            tasks = store.sheets.of(judge).tasks
            store.answers.save([answer_of(judge, sheet, tasks[place]) for place in range(judged)])
            clock.at += timedelta(minutes=minutes)
            if ending:
                store.visits.end(judge, ending, code=codes[ending])
        store.visits.arrive("Prolific", "p5", "sub-p5-again", "study1")
    return study


def answer_of(judge, sheet, task):
    return Answer(
        judge=judge, sheet=sheet, position=task.position, item=task.item, criterion="Fluency",
        rating=3, key=f"{judge}-{task.position}", page="p", sequence=1, manual="m",
    )  # fmt: skip
