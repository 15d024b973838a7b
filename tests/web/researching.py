"""A researcher without a browser, and judges whose answers are known."""

import re
import time
from dataclasses import replace
from html import unescape

from covary.design.plan import Sheet, Task
from covary.store import Answer
from covary.study.model import Item
from tests.web import studies
from tests.web.client import Client, hidden

PATIENCE = 300

HOSTILE = '<img src=x onerror="alert(1)">{{ 7*7 }}'


class Researcher(Client):
    """A researcher with a link that works once."""

    def __init__(self, app, store, origin="http://study.test"):
        super().__init__(app, origin)
        self.link = store.researchers.new_link(again=True)

    def enter(self):
        assert self.get(f"/r/{self.link}").status_code == 303
        return self.page()

    def page(self, path=""):
        """Look at a page; the numbers of the first one may take a moment."""
        until = time.monotonic() + PATIENCE
        while True:
            shown = self.ask("GET", f"/researcher{path}", follow_redirects=True)
            if path or "being computed" not in shown.text:
                return shown
            assert time.monotonic() < until, "the numbers were never worked out"
            time.sleep(0.05)

    def send(self, path, on="", **fields):
        """Send a form of a page, with the page's hidden fields."""
        form = hidden(self.page(on).text) | fields
        return self.post(f"/researcher{path}", data=form, follow_redirects=True)

    def links(self, **fields):
        """Make links, and return them by name."""
        made = self.send("/links", "/judges", **fields)
        assert made.status_code == 200, made.text
        rows = re.findall(
            r'<th scope="row">(.*?)(?: <span.*?)?</th><td><code>(.*?)</code>', made.text
        )
        return {unescape(name): unescape(link) for name, link in rows}


def many_items(folder, number, *criteria, **changes):
    """A study that goes straight to many items."""
    plain = studies.bare(folder, *criteria)
    items = tuple(
        Item(f"i{place}", (f"Text {place}.",), ("alpha" if place % 2 else "beta",))
        for place in range(1, number + 1)
    )
    return replace(plain, **({"items": items} | changes))


def everything(study, number):
    """A sheet of all items, in order, in the study's only part."""
    tasks = (Task(place, item.id, item.kind) for place, item in enumerate(study.items, 1))
    return Sheet(number, tuple(tasks))


def answer(store, judge, sheet, ratings, *, seconds=8.0, touched=True, criterion="Fluency"):
    """Save what a judge answers to the first tasks of a sheet, one rating each."""
    store.answers.save(
        [
            Answer(
                judge=judge, sheet=sheet.number, position=task.position, item=task.item,
                criterion=criterion, rating=rating, key=f"{criterion}{task.position}", page="p",
                sequence=task.position, kind=task.kind, touched=touched, seconds=seconds,
                manual="m1",
            )
            for task, rating in zip(sheet.tasks, ratings, strict=False)
        ]
    )  # fmt: skip


def rated(study, store, table, **more):
    """Let judges answer: a row of ratings for each, by name."""
    store.sheets.put([everything(study, number + 1) for number in range(len(table))])
    judges = {}
    for name, ratings in table.items():
        judge, _ = store.judges.add(name)
        answer(store, judge.id, store.sheets.issue(judge.id), ratings, **more)
        judges[name] = judge
    return judges
