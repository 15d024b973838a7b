"""Send every form of the pages with odd fields: answered in words, and kept as it was sent or not
at all.
"""

import json
import logging
import string
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from covary.store import Store
from covary.web.guard import Limit
from covary.web.serving.app import create_app
from covary.web.serving.simulation import PageForm, VisitedPage
from tests.fuzz.tally import Tally
from tests.web import in_training, recruiting, studies
from tests.web.client import Client, Judge, hidden
from tests.web.payloads import FRAMES, PICTURES, SCRIPTS
from tests.web.researching import Researcher

UNLIMITED = Limit(per_second=1e9, burst=1_000_000_000)
NUMBERS = (
    "0",
    "-1",
    "1.5",
    "007",
    "²",
    "٣",
    "1e3",
    "9" * 30,
    "9" * 5000,
    "NaN",
    "inf",
    "0x1",
    " 1",
)
TEXTS = (
    "", " ", "\x00", "\x07", "\ud800", "\u202e", "\u2028", "a" * 70_000, "é" * 5000, "=1+1", "../x",
    "yes", "no", "{{ 7*7 }}", "%s%n", "'; DROP TABLE answers; --", "\r\n\r\n", "🙂", "null", "[]",
    *SCRIPTS[:4], *PICTURES[:4], *FRAMES[:2],
)  # fmt: skip
VALUES = (*NUMBERS, *TEXTS)
ODD_JSON: tuple[Any, ...] = (
    *VALUES, None, True, False, [], {}, [1], {"a": 1}, 0, -1, 3, 4.0, 4.5, 1e308, 10**30, 10**400,
)  # fmt: skip

JUDGE_PAGES = ("/judge", "/judge/guidelines", "/judge/stop", "/judge/round", "/judge/done")
RESEARCHER_PAGES = (
    "/researcher/judges", "/researcher/items", "/researcher/answers", "/researcher/links",
    "/researcher/study", "/researcher/export", "/researcher/recruiting", "/researcher/rounds",
    "/researcher/rounds/edit", "/researcher/preview", "/researcher/parts", "/researcher/live",
)  # fmt: skip


class Faults(logging.Handler):
    """Whatever was logged as a fault of covary's own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(self.format(record))


class Pages:
    """Three studies at work in this process: one with every scale, one that recruits, one that
    trains; each with its judges and its researcher signed in.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.faults = Faults()
        logging.getLogger("covary").addHandler(self.faults)
        stack.callback(logging.getLogger("covary").removeHandler, self.faults)
        self.visitors: list[tuple[Client, tuple[str, ...], Store]] = []
        plain = studies.bare(folder, *studies.EVERY)
        store = self._store(folder / "plain.db", stack)
        store.sheets.put([studies.sheet(plain, number) for number in (1, 2, 3)])
        self.app = self._add(plain, store, stack, 3)
        self.store = store
        self._add(recruiting.study(folder), self._store(folder / "crowd.db", stack), stack, 0)
        training = self._store(folder / "training.db", stack)
        room = in_training.Room(training, in_training.study(folder))
        stack.callback(room.close)
        room.begun()
        for each in room.judges.values():
            self.visitors.append((each, JUDGE_PAGES, training))
        self.visitors.append((room.researcher, RESEARCHER_PAGES, training))

    @staticmethod
    def _store(place: Path, stack: ExitStack) -> Store:
        return stack.enter_context(Store.open(place))

    def _add(self, study: Any, store: Store, stack: ExitStack, judges: int) -> Any:
        app = create_app(study, store, per_judge=UNLIMITED)
        for _ in range(judges):
            judge = Judge(app, store.judges.add()[1])
            stack.callback(judge.close)
            judge.enter()
            self.visitors.append((judge, JUDGE_PAGES, store))
        researcher = Researcher(app, store)
        stack.callback(researcher.close)
        researcher.enter()
        self.visitors.append((researcher, RESEARCHER_PAGES, store))
        return app


def send_changed(pages: Pages, draw: Random, tally: Tally) -> str:
    """Send one form, or one answer, with odd fields; return what should not have happened."""
    kind = draw.random()
    if kind < 0.4:
        fault = _answer(pages, draw, tally)
    elif kind < 0.9:
        fault = _form(pages, draw, tally)
    else:
        fault = _address(pages, draw, tally)
    faults, pages.faults.seen = pages.faults.seen, []
    return fault or "; ".join(faults)[-1500:]


def _told(response: Any, what: str, tally: Tally) -> str:
    if response.status_code >= 500:
        return f"{what}: status {response.status_code}"
    if response.status_code >= 400:
        tally.refused += 1
        return "" if response.text.strip() else f"{what}: a refusal without words"
    tally.read += 1
    return ""


def _form(pages: Pages, draw: Random, tally: Tally) -> str:
    visitor, places, _ = draw.choice(pages.visitors)
    place = draw.choice(places)
    page = visitor.ask("GET", place, follow_redirects=True)
    if page.status_code >= 500:
        return f"GET {place}: status {page.status_code}"
    forms = [
        form
        for form in VisitedPage(place, page.status_code, page.text).forms.values()
        if form.action.startswith("/")
    ]
    if not forms:
        tally.read += 1
        return ""
    form = draw.choice(forms)
    fields = _changed(form, draw)
    response = visitor.post(
        form.action,
        content=urlencode(fields, errors="surrogatepass"),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        follow_redirects=False,
    )
    return _told(response, f"POST {form.action} with {str(fields)[:300]}", tally)


def _changed(form: PageForm, draw: Random) -> list[tuple[str, str]]:
    """The fields of a form as a page would send them, one or two of them odd."""
    chosen = {name: draw.choice(choices) for name, choices in form.choices.items()}
    fields = list((form.values | chosen).items())
    names = [name for name, _ in fields if name != "token"] or ["x"]
    for _ in range(draw.randint(1, 2)):
        name, what = draw.choice(names), draw.random()
        if what < 0.15:
            fields = [(own, value) for own, value in fields if own != name]
        elif what < 0.25:
            fields.append((name, draw.choice(VALUES)))
        elif what < 0.3:
            fields.append((draw.choice(VALUES)[:50], "1"))
        else:
            odd = draw.choice(VALUES)
            fields = [(own, odd if own == name else value) for own, value in fields]
    return fields


def _address(pages: Pages, draw: Random, tally: Tally) -> str:
    """Ask for a page by an odd address."""
    visitor, places, _ = draw.choice(pages.visitors)
    odd = quote(draw.choice(VALUES)[:2000], errors="surrogatepass")
    name = draw.choice(["page", "judge", "item", "sheet", "since", "round", "part", "of"])
    more = draw.choice([f"/{odd}", f"?{name}={odd}", f"/{odd}/1", f"/1?{odd}"])
    place = draw.choice([*places, "/join", "/j", "/r", "/static"]) + more
    response = visitor.ask("GET", place, follow_redirects=False)
    return _told(response, f"GET {place[:200]}", tally)


def _answer(pages: Pages, draw: Random, tally: Tally) -> str:
    """Save an answer as a page's script does; what is acknowledged is kept exactly as sent."""
    judges = [each for each, _, store in pages.visitors
              if isinstance(each, Judge) and store is pages.store]  # fmt: skip
    number = draw.randrange(len(judges))
    judge = judges[number]
    page = judge.page().text
    fields = hidden(page)
    criterion = draw.choice(studies.EVERY).name
    usual = ["yes", "no"] if criterion == studies.YES.name else ["1", "2", "3", "4", "5"]
    sent: dict[str, Any] = {
        "position": int(fields.get("position", 1)), "criterion": criterion,
        "rating": draw.choice(usual), "touched": True,
        "page": fields.get("page"), "sequence": draw.randrange(1, 10**6), "seconds": 1.5,
        "key": "".join(draw.choices(string.ascii_letters, k=12)),
    }  # fmt: skip
    for _ in range(draw.choice([0, 1, 1, 2])):
        name = draw.choice([*sent, "more"])
        if draw.random() < 0.15:
            sent.pop(name, None)
        else:
            sent[name] = draw.choice(ODD_JSON)
    before = pages.store.answers.counts().answers
    response = judge.post(
        "/judge/answer", content=json.dumps(sent),
        headers={"X-Covary-Token": fields.get("token", ""), "Content-Type": "application/json"},
    )  # fmt: skip
    fault = _told(response, f"answer {str(sent)[:300]}", tally)
    if fault:
        return fault
    after = pages.store.answers.counts().answers
    if response.status_code >= 400:
        return "" if after == before else f"refused, and kept nevertheless: {sent}"
    tally.compared += 1
    found = [each for each in pages.store.answers.at(number + 1, number + 1, sent["position"])
             if each.key == sent["key"]]  # fmt: skip
    if len(found) != 1:
        return f"acknowledged, and there {len(found)} times: {str(sent)[:300]}"
    (kept,) = found
    if sent.get("touched") is False and kept.rating is None:  # nobody has moved the mark
        return ""
    if kept.criterion != sent["criterion"] or not _same(kept.rating, sent["rating"]):
        return f"{kept.criterion} {kept.rating!r} was kept of {str(sent)[:300]}"
    return ""


def _same(kept: Any, sent: Any) -> bool:
    """Say whether a rating is what was sent, as a word or as a number."""
    if isinstance(kept, bool) or isinstance(sent, bool):
        return kept is sent or str(kept).casefold() == str(sent).casefold()
    try:
        return float(kept) == float(sent)
    except (TypeError, ValueError):
        words = {"yes": "1", "no": "0"}
        return str(kept) == str(sent) or str(kept) == words.get(str(sent))
