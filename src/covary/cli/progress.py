"""A progress bar on a terminal, for those who wait longer than a moment."""

from __future__ import annotations

import sys
from threading import Timer
from types import TracebackType
from typing import Any

from covary.cli.screen import heed_interrupt
from covary.ratings import Ratings

__all__ = ["Bar"]

PATIENCE = 1.0
"""Seconds after which somebody who sees nothing begins to wonder."""


class Bar:
    """Called with a few words at each step; shown on a terminal when it takes long, then removed.

    Nothing is shown, and Rich is not loaded, where the run is short or nobody looks.
    """

    def __init__(self, words: str) -> None:
        self.words = words
        self.done, self.total = 0, 0
        self._shown: Any = None
        self._timer = Timer(PATIENCE, self._appear)
        self._timer.daemon = True

    def expect(self, ratings: Ratings) -> None:
        """Foresee the steps: check, judges, writing; per criterion all, the pairs, the rest."""
        n = 0 if ratings.slots else ratings.n_judges
        self.total = 3 + len(ratings.criteria) * (2 + n * (n - 1) // 2)

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __call__(self, words: str) -> None:
        heed_interrupt()
        self.words, self.done = words, self.done + 1
        self._update()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if self._shown is not None:
            self._shown.stop()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        shown = Progress(
            BarColumn(24),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        shown.add_task(self.words, total=None)
        shown.start()
        self._shown = shown
        self._update()

    def _update(self) -> None:
        if self._shown is None:
            return
        total = max(self.total, self.done) or None
        self._shown.update(0, description=self.words, completed=self.done, total=total)
