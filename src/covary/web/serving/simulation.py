"""A whole study by simulated judges, through the pages that people will use."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.cookies import SimpleCookie
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import uvicorn

from covary.design.plan import Sheet, Task
from covary.errors import CovaryError
from covary.scales import CannotJudge, Control
from covary.store.notes import SIMULATED_NOTE
from covary.store.store import Store
from covary.study.model import Study
from covary.study.simulated_judges import SimulatedJudge
from covary.training import EvaluationFirst, awaits_training
from covary.web.guard import Limit
from covary.web.judge.item_page import Sent, draw_scale
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.app import create_app

FORM_HEADERS = {"Content-Type": "application/x-www-form-urlencoded"}
SECONDS_TO_ANSWER = 30
SECONDS_TO_WAIT = 20
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
TOO_MANY, UNAVAILABLE = 429, 503


@dataclass
class PageForm:
    """A form as it stands on a page: where it goes, what it holds, what can be chosen."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    criteria: list[str] = field(default_factory=list)

    def value(self, name: str) -> str:
        """Return what a field holds, '' where there is none."""
        return self.values.get(name, "")


@dataclass(frozen=True)
class VisitedPage:
    """What came back for one address."""

    path: str
    status: int
    text: str

    @property
    def forms(self) -> dict[str, PageForm]:
        """The forms of the page, by where they go."""
        reader = _Reader()
        reader.feed(self.text)
        return reader.forms


class PageVisitor:
    """One visitor with a connection and cookies of their own.

    A request that the server has no time for is sent again after a while, and so is one whose
    connection was cut off, for as many seconds as the visitor has patience: everything that can be
    sent here may be sent twice.
    """

    def __init__(self, host: str, port: int, *, patience: float = SECONDS_TO_WAIT) -> None:
        self._connection = HTTPConnection(host, port, timeout=SECONDS_TO_ANSWER)
        self._patience = patience
        self._cookies: dict[str, str] = {}

    def close(self) -> None:
        """Leave."""
        self._connection.close()

    def get(self, path: str) -> VisitedPage:
        """Open a page, and follow where it leads."""
        while True:
            page, onward = self._request("GET", path)
            if onward is None:
                return page
            path = onward

    def send(self, form: PageForm, **values: str) -> VisitedPage:
        """Send a form with what is given in place of what it held, and follow where it leads."""
        body = urlencode(form.values | values).encode()
        page, onward = self._request("POST", form.action, body, FORM_HEADERS)
        return page if onward is None else self.get(onward)

    def send_json(self, path: str, token: str, values: Mapping[str, Any]) -> int:
        """Send what the script of a page sends; return the status."""
        headers = {"Content-Type": "application/json", "X-Covary-Token": token}
        return self._request("POST", path, json.dumps(values).encode(), headers)[0].status

    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> tuple[VisitedPage, str | None]:
        until, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while (
            reply := self._attempt(method, path, body=body, headers=headers, until=until)
        ) is None:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        response, text = reply
        for cookie in response.headers.get_all("set-cookie", []):
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        return VisitedPage(path, response.status, text), response.headers.get("location")

    def _attempt(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], until: float
    ) -> tuple[HTTPResponse, str] | None:
        """Ask once; None where it is worth another attempt and there is time for one."""
        impatient = time.monotonic() > until
        try:
            self._connection.request(method, path, body, {**headers, **self._cookie})
            response = self._connection.getresponse()
            text = response.read().decode()
        except (OSError, HTTPException):
            self._connection.close()
            if impatient:
                raise
            return None
        if response.status in (TOO_MANY, UNAVAILABLE) and not impatient:
            return None
        return response, text

    @property
    def _cookie(self) -> dict[str, str]:
        if not self._cookies:
            return {}
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}


class _Reader(HTMLParser):
    """Collects the forms of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, PageForm] = {}
        self._open: PageForm | None = None
        self._area = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = self.forms[attributes.get("action", "")] = PageForm(
                attributes.get("action", "")
            )
        if self._open is None:
            return
        if "data-criterion" in attributes:
            self._open.criteria.append(attributes["data-criterion"])
        if tag == "option" and self._select:
            self._option(self._open, attributes)
        if "name" in attributes:
            self._field(self._open, tag, attributes)

    def handle_data(self, data: str) -> None:
        if self._open is not None and self._area:
            self._open.values[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "textarea" and self._open is not None and self._area:
            text = self._open.values[self._area]
            self._open.values[self._area] = text.removeprefix("\n")  # as browsers do
            self._area = ""
        elif tag == "select":
            self._select = ""

    def _option(self, form: PageForm, attributes: Mapping[str, str]) -> None:
        """The option that is chosen on the page, else the first."""
        if "selected" in attributes or not form.values.get(self._select):
            form.values[self._select] = attributes.get("value", "")

    def _field(self, form: PageForm, tag: str, attributes: Mapping[str, str]) -> None:
        name, value = attributes["name"], attributes.get("value", "")
        kind = attributes.get("type", "text") if tag == "input" else tag
        if tag == "textarea":
            self._area = name
        elif tag == "select":
            self._select = name
        if kind == "checkbox" and "checked" not in attributes:
            return
        if kind in ("radio", "button"):
            form.choices.setdefault(name, []).append(value)
            if kind == "button" or "checked" not in attributes:
                return
        form.values[name] = value


AT_ONCE = 8
"""How many judges work at the same time."""

SECONDS_TO_START = 20
USUAL_SECONDS = 8.0
NO_LONGER = 409

UNLIMITED = Limit(per_second=1e9, burst=1_000_000_000)


@dataclass(frozen=True)
class SimulationSummary:
    """What a simulation did."""

    judges: int
    answers: int
    seconds: float


@dataclass(frozen=True)
class Participant:
    """A simulated judge who was given a link: who they are in the store, and its last part."""

    judge: SimulatedJudge
    id: int
    name: str
    token: str


def admit(store: Store, judge: SimulatedJudge) -> Participant:
    """Add a simulated judge to a store."""
    name = f"simulated {judge.number}"
    attributes = {"simulated": True, "severity": judge.severity}
    known, token = store.judges.add(name, attributes=attributes)
    return Participant(judge, known.id, name, token)


def simulate(
    study: Study,
    store: Store,
    judges: Sequence[SimulatedJudge],
    *,
    progress: Callable[[str], None] | None = None,
) -> SimulationSummary:
    """Let simulated judges go through a study over HTTP, from their links to the end.

    Parameters
    ----------
    study
        The study. Waiting times between occasions are left out.
    store
        Where the answers go; not the store of people's answers.
    judges
        Who judges, as `covary.study.simulated_judges.simulated_judges` returns them.
    progress
        Called with a few words as judges finish.
    """
    hurried = without_waiting(study)
    prepare_sheets(hurried, store)
    evaluate_first(hurried, store)
    began = time.monotonic()
    everybody = [admit(store, judge) for judge in judges]
    with background_server(hurried, store) as door:
        attend_all(hurried, store, door, everybody, progress=progress)
    return SimulationSummary(len(judges), store.answers.counts().answers, time.monotonic() - began)


def evaluate_first(study: Study, store: Store) -> None:
    """Let judges rate the study before any training, where it would wait for one."""
    if awaits_training(study, store.training.cycle()):
        store.training.apply(EvaluationFirst())


def without_waiting(study: Study) -> Study:
    """Return a study whose second occasion follows at once."""
    return replace(study, session=replace(study.session, occasion_gap_hours=0))


def attend_all(
    study: Study,
    store: Store,
    door: tuple[str, int],
    people: Sequence[Participant],
    *,
    progress: Callable[[str], None] | None = None,
    once: bool = False,
) -> None:
    """Let everybody take part at the same time, several at once; `once` is for one occasion."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        work = [pool.submit(_attend, study, store, door, person=p, once=once) for p in people]
        for done, finished in enumerate(as_completed(work), 1):
            finished.result()
            if progress:
                progress(f"{done} of {len(work)} judges")


@contextmanager
def background_server(study: Study, store: Store) -> Iterator[tuple[str, int]]:
    """Serve a study from this process on a free port of this machine, without limits of pace.

    The store says from then on that its answers are simulated.
    """
    store.notes.add(None, SIMULATED_NOTE, key=SIMULATED_NOTE)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(study, store, per_judge=UNLIMITED, simulated=True),
        access_log=False,
        log_level="warning",
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + SECONDS_TO_START
        while not server.started:
            if not thread.is_alive() or time.monotonic() > until:
                raise CovaryError("web.simulation-did-not-start")
            time.sleep(0.01)
        host, port = listening.getsockname()[:2]
        yield host, port
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _attend(
    study: Study, store: Store, door: tuple[str, int], *, person: Participant, once: bool
) -> None:
    """Take part as a judge of one's own."""
    visitor = PageVisitor(*door)
    try:
        attend(
            study,
            person.judge,
            visitor=visitor,
            token=person.token,
            sheet_given=lambda: store.sheets.of(person.id),
            once=once,
        )
    finally:
        visitor.close()


def attend(
    study: Study,
    judge: SimulatedJudge,
    visitor: PageVisitor,
    token: str,
    sheet_given: Callable[[], Sheet | None],
    once: bool = False,
) -> None:
    """Take part from the link to the end.

    Parameters
    ----------
    study, judge
        What is judged, and by whom.
    visitor
        Who opens the pages and sends the answers.
    token
        The last part of the personal link.
    sheet_given
        Says which sheet the judge was given, when there is one; the pages themselves do not say
        which item they show.
    once
        Leave where the second occasion begins.
    """
    sheet = None
    page = visitor.get(f"/j/{token}")
    while (form := _form_of(page)) is not None:
        if once and form.value("step") == "occasion":
            return
        sheet = sheet or sheet_given()
        page = answer_page(visitor, study, sheet=sheet, judge=judge, form=form)


def _form_of(page: VisitedPage) -> PageForm | None:
    """Return the form that leads on from a page; None at the end of the way."""
    if page.status != 200:
        raise CovaryError("web.simulated-judge-refused", path=page.path, status=page.status)
    return next(iter(page.forms.values()), None)


def answer_page(
    visitor: PageVisitor, study: Study, sheet: Sheet | None, judge: SimulatedJudge, form: PageForm
) -> VisitedPage:
    """Send what a judge answers on a page, and return the next one."""
    name = form.action.rpartition("/")[2]
    if name == "next":
        assert sheet is not None
        return _rate(
            visitor,
            study,
            task=sheet.tasks[int(form.value("position")) - 1],
            judge=judge,
            form=form,
        )
    if name == "dialogue":
        assert sheet is not None
        return _rate_dialogue(visitor, study, sheet=sheet, judge=judge, form=form)
    chance = random.Random(f"{judge.number} {name}")
    values = {name: chance.choice(options) for name, options in form.choices.items()}
    if name == "consent":
        values = {"agreed": "yes"}
    elif name == "background":
        typed = (field for field in form.values if field.startswith("answer-"))
        values |= {field: "simulated" for field in typed if field not in values}
    return visitor.send(form, **values)


def _rate(
    visitor: PageVisitor, study: Study, task: Task, judge: SimulatedJudge, form: PageForm
) -> VisitedPage:
    """Answer each criterion as it is met, then go on."""
    return _leave(visitor, form, AnsweredPage(visitor, study, judge, form).rate(task))


def _rate_dialogue(
    visitor: PageVisitor, study: Study, sheet: Sheet, judge: SimulatedJudge, form: PageForm
) -> VisitedPage:
    """Answer each criterion of each turn, then go on."""
    answered = AnsweredPage(visitor, study, judge, form)
    values: dict[str, str] = {}
    first = 0
    for number in range(int(form.value("turns"))):
        task = sheet.tasks[int(form.value(f"position.{number}")) - 1]
        values |= answered.rate(task, f".{number}", first)
        first += len(study.asked_of(task.part))
    return _leave(visitor, form, values)


@dataclass(frozen=True)
class AnsweredPage:
    """A simulated judge at a page with scales."""

    visitor: PageVisitor
    study: Study
    judge: SimulatedJudge
    form: PageForm

    def rate(self, task: Task, place: str = "", first: int = 0) -> dict[str, str]:
        """Answer each criterion of a task as it is met; return what the form then sends.

        `place` ends the names of the task's fields, `first` is the number of its first scale.
        """
        item = self.study.item(task.item)
        again = task.occasion if task.kind != "repeat" else -task.position
        seconds = _seconds(self.judge, task)
        asked = self.study.asked_of(task.part)
        values = {f"seconds{place}": f"{seconds:.1f}", f"sequence{place}": str(len(asked) + 1)}
        answers: dict[str, Any] = {}
        for number, criterion in enumerate(asked):
            if not criterion.is_due(answers):
                continue
            rating = answers[criterion.key] = self.judge.answer(criterion, item, again)
            control = draw_scale(criterion, task).control
            fields, sent = _as_sent(control, rating, first + number)
            values |= fields
            answer = {
                "position": task.position,
                "criterion": criterion.key,
                **sent,
                "touched": True,
                "page": self.form.value(f"page{place}"),
                "sequence": number + 1,
                "key": f"{self.judge.number}.{task.position}.{number}",
                "seconds": seconds,
            }
            self._save(answer)
        return values

    def _save(self, answer: Mapping[str, Any]) -> None:
        status = self.visitor.send_json("/judge/answer", self.form.value("token"), dict(answer))
        if status != 200:
            raise CovaryError(
                "web.simulated-answer-refused", position=answer["position"], status=status
            )


def _leave(visitor: PageVisitor, form: PageForm, values: Mapping[str, str]) -> VisitedPage:
    page = visitor.send(form, **values)
    left_already = page.status == NO_LONGER  # it was sent twice, because the first reply was lost
    return visitor.get("/judge") if left_already else page


def _as_sent(control: Control, rating: Any, number: int) -> tuple[dict[str, str], dict[str, Any]]:
    """Return an answer as the fields of the form send it, and as the page's script does."""
    if isinstance(rating, CannotJudge):
        fields = {f"cannot-{number}": "1", f"reason-{number}": rating.reason}
        return fields, {"cannot_judge": True, "reason": rating.reason}
    sent = control.sent(rating)
    touched = {f"touched-{number}": "1"} if control.needs_touch else {}
    return as_fields(f"rating-{number}", sent) | touched, {"rating": sent}


def as_fields(name: str, sent: Sent | None) -> dict[str, str]:
    """Return the fields of a form that send an answer."""
    if isinstance(sent, Mapping):
        return {f"{name}-{part}": str(mark) for part, mark in sent.items()}
    if isinstance(sent, list):
        return {f"{name}-{place}": "1" for place in sent}
    return {name: str(sent)}


def _seconds(judge: SimulatedJudge, task: Task) -> float:
    """A time that a person might take for an item."""
    pace = random.Random(f"{judge.quality.seed} {judge.number} {task.position}")
    return USUAL_SECONDS * pace.lognormvariate(0, 0.4)
