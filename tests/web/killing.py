"""A study that is served by `covary serve`, judged by simulated judges, and killed meanwhile."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from covary.design.plan import Sheet, Task
from covary.store import Store
from covary.study import read_study
from covary.study.simulated_judges import simulated_judges
from covary.web.serving.simulation import PageVisitor, attend
from tests.web.ports import free_port, started

ITEMS = 300
PATIENCE = 300
STUDY = """\
title = "Killed while judges work"
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
go_back = false
break_every = 50
"""


class Enough(Exception):
    """The test is over, however many items are left."""


@dataclass
class Noting(PageVisitor):
    """A visitor who notes every answer that the server has acknowledged."""

    host: str
    port: int
    over: Event
    acknowledged: dict[str, object] = field(default_factory=dict)

    def __post_init__(self):
        super().__init__(self.host, self.port, patience=PATIENCE)

    def send_json(self, path, token, values):
        if self.over.is_set():
            raise Enough
        status = super().send_json(path, token, values)
        if status == 200:
            self.acknowledged[values["key"]] = values["rating"]
        return status


@dataclass(frozen=True)
class Outcome:
    """How often the server was killed, and how many answers it had acknowledged."""

    kills: int
    acknowledged: int
    kept: int
    seconds_to_start: list[float]


def kill_while_judges_work(folder: Path, place: str, *, judges: int, kills: int) -> Outcome:
    """Kill the server again and again, start it as anyone would, and compare in the end."""
    tokens = prepare(folder, place, judges)
    command = [sys.executable, "-m", "covary", "serve", str(folder), "--database", place]
    port, over, draw, starts = free_port(), Event(), random.Random(kills), []
    visitors = [Noting("127.0.0.1", port, over) for _ in tokens]

    def start():
        began = time.monotonic()
        server = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL)
        started(port, server)
        starts.append(time.monotonic() - began)
        return server

    server = start()
    with ThreadPoolExecutor(judges) as pool:
        try:
            work = [
                pool.submit(judged, folder, place, visitor, number, token)
                for number, (visitor, token) in enumerate(zip(visitors, tokens, strict=True), 1)
            ]
            for _ in range(kills):
                wait_for_more(visitors, judges)
                time.sleep(draw.uniform(0, 0.5))
                server.send_signal(signal.SIGKILL)
                server.wait()
                server = start()
            wait_for_more(visitors, judges)
        finally:
            over.set()
            wait(work, timeout=PATIENCE)
            server.terminate()
            server.wait()
    for each in work:
        each.result()
    kept = compare(place, visitors)
    acknowledged = sum(len(each.acknowledged) for each in visitors)
    return Outcome(kills, acknowledged, kept, starts)


def prepare(folder: Path, place: str, judges: int) -> list[str]:
    """Write a study with a sheet of all items for each judge, and return their tokens."""
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    rows = (f"i{number},Text {number}.,s{number % 3}\n" for number in range(1, ITEMS + 1))
    (folder / "items.csv").write_text("item,text,system\n" + "".join(rows))
    part = read_study(folder).parts[0]
    with Store.open(place) as store:
        tasks = tuple(Task(n, f"i{n}", "item", part) for n in range(1, ITEMS + 1))
        store.sheets.put(Sheet(number, tasks) for number in range(1, judges + 1))
        return [store.judges.add()[1] for _ in range(judges)]


def judged(folder: Path, place: str, visitor: Noting, number: int, token: str) -> None:
    """Judge until it is enough."""
    study = read_study(folder)
    judge = simulated_judges(study, judges=number, seed=1)[-1]
    sheet = Sheet(0, tuple(Task(n, f"i{n}", "item", study.parts[0]) for n in range(1, ITEMS + 1)))
    try:
        attend(study, judge, visitor, token, lambda: sheet)
    except Enough:
        pass
    finally:
        visitor.close()


def wait_for_more(
    visitors: list[Noting], number: int, look: Callable[[], None] = lambda: None
) -> None:
    """Wait until so many more answers were acknowledged; `look` is called all the time."""
    before = sum(len(each.acknowledged) for each in visitors)
    until = time.monotonic() + PATIENCE
    while sum(len(each.acknowledged) for each in visitors) < before + number:
        assert time.monotonic() < until, "no answer was acknowledged any more"
        look()
        time.sleep(0.01)


def compare(place: str, visitors: list[Noting]) -> int:
    """Every acknowledged answer is there once, with its rating; nothing is there twice."""
    with Store.open(place) as store:
        log = [answer for _, _, answer in store.answers.log()]
        assert store.check() == []
        assert store.answers.counts().answers == len(log)
    by_key = {}
    for answer in log:
        assert (answer.judge, answer.key) not in by_key
        by_key[answer.judge, answer.key] = answer
    for judge, visitor in enumerate(visitors, 1):
        for key, rating in visitor.acknowledged.items():
            assert float(by_key[judge, key].rating) == float(rating)
    given = [(each.judge, each.position, each.criterion) for each in log]
    assert len(given) == len(set(given)), "an answer was stored twice"
    return len(log)
