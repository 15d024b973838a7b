"""The full report of what was collected so far, made in a thread because it takes its time."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock, Thread, main_thread

from covary.errors import CovaryError
from covary.report.report import report
from covary.store.export import ratings_of
from covary.store.store import Store
from covary.study.model import Study

__all__ = ["Made", "Reports", "policy_of", "stop_at_the_end"]

MANY_JUDGES = 60
"""With more judges the report, which compares every two of them, is made on the command line."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Made:
    """A report as a page, or the reason why there is none."""

    mark: Hashable
    page: str = ""
    trouble: str = ""


class Reports:
    """The newest report on some criteria; another is made when answers have come."""

    def __init__(self, study: Study, store: Store) -> None:
        self._study = study
        self._store = store
        self._alone = Lock()
        self._made: dict[tuple[str, ...], Made] = {}
        self._running: Thread | None = None

    def newest(
        self, criteria: tuple[str, ...], mark: Hashable, patience: float = 0.0
    ) -> Made | None:
        """Return the report if it is made; else begin to make it, one at a time, and wait a bit."""
        with self._alone:
            made = self._made.get(criteria)
            if made is not None and made.mark == mark:
                return made
            if self._running is None or not self._running.is_alive():
                self._running = Thread(
                    target=self._make, args=(criteria, mark), name="covary-report"
                )
                self._running.start()
            running = self._running
        running.join(patience)
        made = self._made.get(criteria)
        return made if made is not None and made.mark == mark else None

    def _make(self, criteria: tuple[str, ...], mark: Hashable) -> None:
        try:
            made = Made(mark, self._page(criteria))
        except CovaryError as error:
            made = Made(mark, trouble=f"{str(error)[:1].upper()}{str(error)[1:]}.")
        except Exception:
            log.exception("the report could not be made")
            made = Made(mark, trouble="The report could not be made; the server's log says why.")
        self._made[criteria] = made

    def _page(self, criteria: tuple[str, ...]) -> str:
        ratings = ratings_of(self._study, self._store, criteria=criteria, faulty="set-aside")
        if ratings.n_judges > MANY_JUDGES:
            raise CovaryError(
                f"the report compares every two of {ratings.n_judges} judges, which takes too long "
                "beside a study that runs; make it with 'covary report' and the study's folder"
            )
        title = f"{self._study.title}: can it be relied on?"
        return report(ratings, rng=1, title=title, progress=stop_at_the_end).html()


def stop_at_the_end(step: str) -> None:
    """Give up when the server has ended, so that its process need not wait for a report."""
    if not main_thread().is_alive():
        raise CovaryError(f"the server ended before {step}")


def policy_of(page: str) -> str:
    """Return a policy that lets a report have its own styles, and nothing else whatever."""
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
        for style in re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    ]
    styles = " ".join(hashes) or "'none'"
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {styles}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
