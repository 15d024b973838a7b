"""Judges who save for minutes, and how much memory the server holds."""

import time
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.faults import staged
from tests.chaos.raters import acknowledged, wait_for_saves
from tests.chaos.servers import Starter


@dataclass(frozen=True, kw_only=True)
class Soak:
    """Memory of the server when it had warmed up, in the middle and in the end, in megabytes."""

    seconds: float
    acknowledged: int
    first: float
    middle: float
    last: float


def soaked(starter: Starter, folder: Path, seconds: float, place: str = "") -> Soak:
    """Let judges save for so long; the first fifth of the time is for warming up."""
    began = time.monotonic()
    with staged(starter, folder, place) as scene:
        measured = []
        for share in (0.2, 0.6, 1.0):
            time.sleep(max(0.0, began + share * seconds - time.monotonic()))
            wait_for_saves(scene.raters)
            measured.append(scene.server.megabytes())
        number = acknowledged(scene.raters)
    first, middle, last = measured
    return Soak(
        seconds=time.monotonic() - began, acknowledged=number,
        first=first, middle=middle, last=last,
    )  # fmt: skip
