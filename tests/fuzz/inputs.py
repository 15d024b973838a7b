"""Numbered inputs: each number and seed is one changed file or form, the same in every run."""

from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tests.fuzz import reading, tables
from tests.fuzz.forms import Pages, send_changed
from tests.fuzz.tally import Tally

SHARES = {"ratings": 0.35, "other files": 0.35, "forms": 0.3}
"""How many of the inputs are files of ratings, other files, and forms of the pages."""


class Inputs:
    """Takes inputs by their numbers, and counts what came of each kind."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._seed = seed
        self._stack = ExitStack()
        self._pages: Pages | None = None
        self.tallies = {name: Tally() for name in SHARES}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def take(self, number: int, only: str | None = None) -> None:
        """Take one input, or leave it out where `only` is another kind."""
        draw = Random(f"{self._seed}-{number}")
        (kind,) = draw.choices(list(SHARES), list(SHARES.values()))
        if only not in (None, kind):
            return
        tally = self.tallies[kind]
        if kind == "forms":
            fault = send_changed(self._served(), draw, tally)
        else:
            reader = reading if kind == "ratings" else tables
            fault = reader.read_changed(self._emptied(kind), draw, tally)
        if fault:
            tally.faults.append(f"input {number} (seed {self._seed}), {kind}: {fault}")

    def _served(self) -> Pages:
        if self._pages is None:
            self._pages = Pages(self._emptied("forms"), self._stack)
        return self._pages

    def _emptied(self, name: str) -> Path:
        folder = self._folder / name.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        return folder
