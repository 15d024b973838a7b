"""Read many changed files of the gallery, and say what should not have happened."""

import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from covary.errors import CovaryError
from covary.formats import read
from covary.ratings.frames import fetch
from tests.fuzz.mutants import DAMAGE, MOVED, SAME, TEXT, cells_of, is_plain_table
from tests.gallery.habits import HABITS
from tests.gallery.sheets import CASES as SHEETS
from tests.gallery.sheets import Case
from tests.gallery.tools import TOOLS


@dataclass
class Tally:
    """How many files were read and refused, and what went wrong, each with how to see it again."""

    read: int = 0
    refused: int = 0
    compared: int = 0
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
    text = isinstance(content, str) and Path(name).suffix in TEXT
    raw = content.encode() if isinstance(content, str) else content
    kinds = [DAMAGE, DAMAGE, SAME, MOVED if text and is_plain_table(content) else SAME]
    changes = draw.choice(kinds) if text else DAMAGE
    change = draw.choice(changes)
    changed = change(raw if changes is DAMAGE else content, draw)
    path = folder / name
    path.write_bytes(changed)
    found = _read(path, case, tally)
    if isinstance(found, str):
        yield f"{change.__name__}: {found}"
    elif text and found is not None:
        path.write_bytes(raw)
        before = _read(path, case, Tally())
        if isinstance(before, dict):
            tally.compared += 1
            wrong = _difference(changes, (before, raw), (found, changed))
            yield from [f"{change.__name__}: {wrong}"] if wrong else []


def _difference(changes, before, after) -> str:
    """Say what is silently different: each side is the ratings, and the file that they are from."""
    (first, raw), (found, changed) = before, after
    if changes is SAME and first != found:
        return f"other ratings than before, {len(first)} and {len(found)}"
    if changes is MOVED and _how_often(first) != _how_often(found):
        return f"{_how_often(first)} has become {_how_often(found)}"
    if changes is DAMAGE and not _invented(first, raw):
        invented = _invented(found, changed)
        return f"ratings that stand nowhere in the file: {sorted(invented)}" if invented else ""
    return ""


def _how_often(ratings: dict) -> Counter:
    """How often each rating was given, whoever gave it to whatever."""
    counts: Counter = Counter()
    for key, number in ratings.items():
        counts[key[-1]] += number
    return counts


def _invented(ratings: dict, content: bytes) -> set[str]:
    """The ratings that no cell of a file says, as it is written or as a number."""
    cells = cells_of(content)
    said = cells | {str(number) for cell in cells for number in _numbers(cell)}
    return {rating for rating in _how_often(ratings) if not _is_missing(rating)} - said


def _numbers(cell: str) -> Iterator[int | float]:
    with suppress(ValueError, OverflowError):
        number = float(cell.replace(",", "."))
        yield number
        yield int(number)


def _is_missing(rating: str) -> bool:
    return rating in ("nan", "None", "<NA>", "NaT")


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
