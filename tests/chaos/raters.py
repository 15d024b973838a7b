"""Judges who save all the time, as the script of a page does, and what must be true in the end."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

from covary.store import Store
from covary.web.serving.simulation import PageVisitor
from tests.chaos.servers import PATIENCE

PAUSE = 0.05
"""Seconds between two answers of one judge."""


class Rater(Thread):
    """A judge at one item, who changes the answer again and again.

    An answer that is not acknowledged is sent again under the same key until it is, as a judge's
    page does. Whatever came back is counted: a status, or `cut` for a connection that ended.
    """

    def __init__(self, port: int, token: str) -> None:
        super().__init__(daemon=True)
        self.acknowledged: dict[str, int] = {}
        self.seen: Counter[str] = Counter()
        self.over = Event()
        self._visitor = PageVisitor("127.0.0.1", port, patience=PATIENCE)
        self._form = self._visitor.get(f"/j/{token}").forms["/judge/next"]
        self._visitor._patience = -1  # from here on every attempt is seen

    def run(self) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            while not self.over.is_set() and not self.save(number):
                time.sleep(PAUSE)
            time.sleep(PAUSE)
        self._visitor.close()

    def save(self, number: int) -> bool:
        """Send one answer once, and say whether it was acknowledged."""
        rating = number % 7 + 1
        sent = {
            "position": 1, "criterion": self._form.criteria[0], "rating": str(rating),
            "touched": True, "page": self._form.value("page"), "sequence": number,
            "key": f"n{number}", "seconds": 1.0,
        }  # fmt: skip
        try:
            status = self._visitor.send_json("/judge/answer", self._form.value("token"), sent)
        except Exception:
            self.seen["cut"] += 1
            return False
        self.seen[str(status)] += 1
        if status == 200:
            self.acknowledged[sent["key"]] = rating
        return status == 200


@contextmanager
def rating(port: int, tokens: Sequence[str]) -> Iterator[list[Rater]]:
    """Let a judge for each token save all the time."""
    raters = [Rater(port, token) for token in tokens]
    for each in raters:
        each.start()
    try:
        yield raters
    finally:
        for each in raters:
            each.over.set()
        for each in raters:
            each.join(PATIENCE)


def acknowledged(raters: Sequence[Rater]) -> int:
    return sum(len(each.acknowledged) for each in raters)


def seen(raters: Sequence[Rater]) -> Counter[str]:
    return sum((each.seen for each in raters), Counter())


def wait_for_saves(raters: Sequence[Rater], each: int = 2) -> None:
    """Wait until every judge was told of so many more answers that they are kept."""
    before = [len(rater.acknowledged) for rater in raters]
    until = time.monotonic() + PATIENCE
    for rater, number in zip(raters, before, strict=True):
        while len(rater.acknowledged) < number + each:
            assert rater.is_alive(), "a judge has ended"
            assert time.monotonic() < until, f"nothing is acknowledged any more: {rater.seen}"
            time.sleep(0.02)


def wait_for(raters: Sequence[Rater], outcomes: set[str], attempts: int = 2) -> Counter[str]:
    """Wait until there were so many such outcomes, and return all that came meanwhile."""
    before = seen(raters)
    until = time.monotonic() + PATIENCE
    while True:
        new = seen(raters) - before
        if sum(new[outcome] for outcome in outcomes) >= attempts:
            return new
        assert time.monotonic() < until, f"judges saw {dict(new)}, not {outcomes}"
        time.sleep(0.02)


def compare(place: str, raters: Sequence[Rater]) -> int:
    """Every acknowledged answer is there once and as it was; return how many there are in all."""
    told = [dict(rater.acknowledged) for rater in raters]  # before the store is read
    with Store.open(place) as store:
        problems = [problem for problem in store.check() if problem.serious]
        log = [answer for _, _, answer in store.answers.log()]
    assert not problems, problems
    kept = {(answer.judge, answer.key): answer for answer in log}
    assert len(kept) == len(log), "an answer is there twice"
    for judge, answers in enumerate(told, 1):
        for key, given in answers.items():
            assert (judge, key) in kept, f"an acknowledged answer is lost: {judge}, {key}"
            assert float(kept[judge, key].rating) == given, "an answer was altered"
    return len(log)
