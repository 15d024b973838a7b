"""Loaded by an instrumented copy of the source: which statements of the room are run.

The tests' own process reads `run`. A process that a test starts writes each statement at once and
not at the end, because servers are killed.
"""

from __future__ import annotations

import os
from collections.abc import Callable

run: set[tuple[str, int]] = set()
in_tests = False


def probe(file: str) -> Callable[[int], None]:
    """Return what every statement of a file calls with its line."""

    def reached(line: int) -> None:
        if in_tests:
            run.add((file, line))
        elif (file, line) not in run:
            run.add((file, line))
            with open(
                os.environ.get("COVARY_REACH_CHILDREN", os.devnull), "a", encoding="utf-8"
            ) as notes:
                notes.write(f"{line} {file}\n")

    return reached
