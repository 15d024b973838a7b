"""Small files of ratings, and a way to run a command and see how it ends."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from covary.cli import main, screen


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def no_progress_lines(monkeypatch):
    """Lines of progress depend on how fast the machine is."""
    monkeypatch.setattr(screen, "BETWEEN_LINES", math.inf)


@pytest.fixture
def run(capsys) -> Callable[..., Ended]:
    def command(*arguments: object) -> Ended:
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    return command


@pytest.fixture
def ratings_file(tmp_path) -> Path:
    """Forty items, three judges who differ a little, two criteria, two groups."""
    draw = random.Random(7)
    lines = ["qid,annotator,score,criterion,group"]
    for item in range(40):
        for criterion in ("fluency", "adequacy"):
            true = draw.randint(1, 5)
            for judge, group in (("Ann", "expert"), ("Bo", "expert"), ("Cy", "crowd")):
                score = min(5, max(1, true + draw.choice((-1, 0, 0, 0, 1))))
                lines.append(f"q{item},{judge},{score},{criterion},{group}")
    return written(tmp_path / "ratings.csv", lines)


@pytest.fixture
def sorted_file(tmp_path) -> Path:
    """A wide file whose columns are the lowest, the middle and the highest rating."""
    draw = random.Random(3)
    rows = [sorted(draw.randint(1, 5) for _ in range(3)) for _ in range(60)]
    lines = ["item,J1,J2,J3", *(f"q{i},{a},{b},{c}" for i, (a, b, c) in enumerate(rows))]
    return written(tmp_path / "sorted.csv", lines)


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
