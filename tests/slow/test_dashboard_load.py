"""The researchers' pages stay quick with a thousand judges, and a look does not stop saves."""

import random
import time
from statistics import median
from threading import Thread

from covary.design.plan import Sheet, Task
from covary.scales import VerbalScale
from covary.store import Answer, Store
from covary.study.model import Criterion
from covary.web.researcher.live import examine
from covary.web.serving.app import create_app
from tests.web.client import Judge
from tests.web.researching import Researcher, many_items

JUDGES, ITEMS, EACH = 1000, 500, 10
FIVE = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)))
QUICK = 2.0
"""Seconds for a page, on a machine that is busy with other things too."""


def test_ten_thousand_answers_of_a_thousand_judges(tmp_path):
    study = many_items(tmp_path, ITEMS, FIVE)
    chance = random.Random(1)
    with Store.open(tmp_path / "study.db") as store:
        sheets = [
            Sheet(number, tuple(
                Task(place, f"i{item}")
                for place, item in enumerate(chance.sample(range(1, ITEMS + 1), EACH), 1)
            ))
            for number in range(1, JUDGES + 1)
        ]  # fmt: skip
        store.sheets.put(sheets)
        researcher = Researcher(create_app(study, store), store)
        researcher.enter()
        assert len(researcher.links(number=str(JUDGES - 1))) == JUDGES - 1
        _, token = store.judges.add()
        for judge in store.judges.all():
            sheet = store.sheets.issue(judge.id)
            store.answers.save(
                [_answer(judge.id, sheet, task, chance) for task in sheet.tasks[:-1]]
            )
        taken = {path: _seconds(lambda path=path: researcher.page(path))
                 for path in ("", "/live", "/judges", "/items")}  # fmt: skip
        assert "9,000" in researcher.page().text
        assert max(taken.values()) < QUICK, taken
        _saves_go_on_while_a_look_is_taken(study, store, token)
        researcher.close()


def _saves_go_on_while_a_look_is_taken(study, store, token):
    judge = Judge(create_app(study, store), token)
    judge.enter()
    looking = Thread(target=examine, args=(study, store))
    looking.start()
    waited = []
    while looking.is_alive() or not waited:
        number = len(waited) + 1
        waited.append(_seconds(lambda n=number: judge.save(1 + n % 5, sequence=n)))
    judge.close()
    assert median(waited) < 0.5
    assert max(waited) < QUICK


def _answer(judge, sheet, task, chance):
    return Answer(
        judge=judge, sheet=sheet.number, position=task.position, item=task.item,
        criterion="Fluency", rating=chance.randint(1, 5), key=str(task.position), page="p",
        sequence=task.position, seconds=8.0, manual="m1",
    )  # fmt: skip


def _seconds(work):
    began = time.monotonic()
    assert work().status_code == 200
    return time.monotonic() - began
