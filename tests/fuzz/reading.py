"""Read many changed files of the gallery, and say what should not have happened."""

import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from covary.errors import CovaryError
from covary.formats import read
from covary.ratings.frames import fetch
from tests.fuzz.mutants import DAMAGE, SAME, TEXT
from tests.gallery.habits import HABITS
from tests.gallery.sheets import CASES as SHEETS
from tests.gallery.sheets import Case
from tests.gallery.tools import TOOLS


@dataclass
class Tally:
    """How many files were read and refused, and what went wrong, each with how to see it again."""

    read: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    refusals: Counter = field(default_factory=Counter)


def single_files() -> list[Case]:
    return [case for case in (*SHEETS, *HABITS, *TOOLS) if len(case.files) == 1]


def fuzz(folder: Path, inputs: int, seed: int, first: int = 0) -> Tally:
    """Change files so many times, each by its own number, and read them."""
    tally = Tally()
    cases = single_files()
    for number in range(first, first + inputs):
        draw = Random(f"{seed}-{number}")
        case = draw.choice(cases)
        ((name, content),) = case.files.items()
        fault = "".join(_try(folder, case, name, content, draw, tally))
        if fault:
            tally.faults.append(f"input {number} (seed {seed}), {case.name}: {fault}")
    return tally


def _try(folder, case, name, content, draw, tally) -> Iterator[str]:
    same = isinstance(content, str) and Path(name).suffix in TEXT and draw.random() < 0.4
    raw = content.encode() if isinstance(content, str) else content
    change = draw.choice(SAME if same else DAMAGE)
    changed = change(content if same else raw, draw)
    path = folder / name
    path.write_bytes(changed)
    found = _read(path, case, tally)
    if isinstance(found, str):
        yield f"{change.__name__}: {found}"
    elif same and found is not None:
        path.write_bytes(raw)
        before = _read(path, case, Tally())
        if isinstance(before, dict) and before != found:
            yield f"{change.__name__}: other ratings than before, {len(before)} and {len(found)}"


def _read(path: Path, case: Case, tally: Tally) -> dict | str | None:
    """The ratings; None where covary refuses; a text where something else happens."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ratings = read(path, **(case.way_out or case.said))
            columns = fetch(ratings.frame)
    except CovaryError as error:
        if not str(error).strip():
            return "a refusal without words"
        tally.refused += 1
        tally.refusals[error.code] += 1
        return None
    except Exception:
        return traceback.format_exc(limit=-3)
    tally.read += 1
    keys = [name for name in ("item", "judge", "criterion", "occasion", "round") if name in columns]
    cells = zip(*(map(str, columns[name].tolist()) for name in (*keys, "rating")), strict=True)
    return dict(Counter(cells))
