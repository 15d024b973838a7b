"""A whole study by simulated judges, through the pages that people will use.

Every answer is sent as a judge's browser sends it and stored as a judge's answer is stored, so
that a study can be seen to work, from the link to the report, before anyone is paid.
"""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Thread

import uvicorn

from covary.design.plan import Sheet, Task
from covary.errors import CovaryError
from covary.store.store import Store
from covary.study.model import Study
from covary.study.simulated import SimulatedJudge
from covary.web.app import create_app
from covary.web.judge.drawing import Line, draw
from covary.web.judge.sheets import prepare_sheets
from covary.web.limits import Limit
from covary.web.visitor import Form, Page, Visitor

__all__ = ["Simulated", "attend", "background_server", "simulate"]

AT_ONCE = 8
"""How many judges work at the same time."""

SECONDS_TO_START = 20
USUAL_SECONDS = 8.0
NO_LONGER = 409

UNLIMITED = Limit(per_second=1e9, burst=1_000_000_000)


@dataclass(frozen=True)
class Simulated:
    """What a simulation did."""

    judges: int
    answers: int
    seconds: float


def simulate(
    study: Study,
    store: Store,
    judges: Sequence[SimulatedJudge],
    *,
    progress: Callable[[str], None] | None = None,
) -> Simulated:
    """Let simulated judges go through a study over HTTP, from their links to the end.

    Parameters
    ----------
    study
        The study. Waiting times between occasions are left out.
    store
        Where the answers go; not the store of people's answers.
    judges
        Who judges, as `covary.study.simulated.simulated` returns them.
    progress
        Called with a few words as judges finish.
    """
    hurried = replace(study, session=replace(study.session, occasion_gap_hours=0))
    prepare_sheets(hurried, store)
    began = time.monotonic()
    with (
        background_server(hurried, store) as (host, port),
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        work = [pool.submit(_attend, hurried, store, host, port, judge) for judge in judges]
        for done, each in enumerate(as_completed(work), 1):
            each.result()
            if progress:
                progress(f"{done} of {len(work)} judges")
    return Simulated(len(judges), store.counts().answers, time.monotonic() - began)


@contextmanager
def background_server(study: Study, store: Store) -> Iterator[tuple[str, int]]:
    """Serve a study from this process on a free port of this machine, without limits of pace."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(study, store, per_judge=UNLIMITED), access_log=False, log_level="warning"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + SECONDS_TO_START
        while not server.started:
            if not thread.is_alive() or time.monotonic() > until:
                raise CovaryError("the server of the simulation did not start")
            time.sleep(0.01)
        host, port = listening.getsockname()[:2]
        yield host, port
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _attend(study: Study, store: Store, host: str, port: int, judge: SimulatedJudge) -> None:
    """Take part as a judge of one's own."""
    known, token = store.add_judge(
        f"simulated {judge.number}", attributes={"simulated": True, "severity": judge.severity}
    )
    visitor = Visitor(host, port)
    try:
        attend(study, judge, visitor, token, lambda: store.sheet_of(known.id))
    finally:
        visitor.close()


def attend(
    study: Study,
    judge: SimulatedJudge,
    visitor: Visitor,
    token: str,
    sheet_given: Callable[[], Sheet | None],
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
    """
    sheet = None
    page = visitor.get(f"/j/{token}")
    while (form := _form_of(page)) is not None:
        sheet = sheet or sheet_given()
        page = _answer(visitor, study, sheet, judge, form)


def _form_of(page: Page) -> Form | None:
    """Return the form that leads on from a page; None at the end of the way."""
    if page.status != 200:
        raise CovaryError(f"a simulated judge was refused at {page.path} (status {page.status})")
    return next(iter(page.forms.values()), None)


def _answer(
    visitor: Visitor, study: Study, sheet: Sheet | None, judge: SimulatedJudge, form: Form
) -> Page:
    name = form.action.rpartition("/")[2]
    if name == "next":
        assert sheet is not None
        return _rate(visitor, study, sheet.tasks[int(form.value("position")) - 1], judge, form)
    chance = random.Random(f"{judge.number} {name}")
    values = {each: chance.choice(options) for each, options in form.choices.items()}
    if name == "consent":
        values = {"agreed": "yes"}
    elif name == "background":
        asked = range(len(study.background))
        values |= {f"answer-{n}": "simulated" for n in asked if f"answer-{n}" not in values}
    return visitor.send(form, **values)


def _rate(visitor: Visitor, study: Study, task: Task, judge: SimulatedJudge, form: Form) -> Page:
    """Answer each criterion as it is met, then go on."""
    item = study.item(task.item)
    again = task.occasion if task.kind != "repeat" else -task.position
    seconds = _seconds(judge, task)
    values = {"seconds": f"{seconds:.1f}"}
    for number, criterion in enumerate(study.criteria_of(task.part)):
        drawn = draw(criterion, task)
        sent = str(drawn.sent(judge.answer(criterion, item, again)))
        values[f"rating-{number}"] = sent
        if isinstance(drawn, Line):
            values[f"touched-{number}"] = "1"
        status = visitor.send_json(
            "/judge/answer",
            form.value("token"),
            {
                "position": task.position,
                "criterion": criterion.key,
                "rating": sent,
                "touched": True,
                "page": form.value("page"),
                "sequence": number + 1,
                "key": f"{judge.number}.{task.position}.{number}",
                "seconds": seconds,
            },
        )
        if status != 200:
            raise CovaryError(f"an answer at position {task.position} was refused ({status})")
    values["sequence"] = str(len(study.criteria_of(task.part)) + 1)
    page = visitor.send(form, **values)
    left_already = page.status == NO_LONGER  # it was sent twice, because the first reply was lost
    return visitor.get("/judge") if left_already else page


def _seconds(judge: SimulatedJudge, task: Task) -> float:
    """A time that a person might take for an item."""
    pace = random.Random(f"{judge.quality.seed} {judge.number} {task.position}")
    return USUAL_SECONDS * pace.lognormvariate(0, 0.4)
