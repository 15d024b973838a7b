"""Read many changed files of the gallery, and say what should not have happened."""

import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import pyarrow as pa

from covary.errors import CovaryError
from covary.formats import read
from covary.ratings.frames import fetch
from tests.fuzz import mutants
from tests.fuzz.mutants import DAMAGE, MOVED, SAME, TEXT, is_plain_table, values_in
from tests.fuzz.tally import Tally
from tests.gallery.habits import HABITS
from tests.gallery.sheets import CASES as SHEETS
from tests.gallery.sheets import Case, long
from tests.gallery.tools import TOOLS

XML = """<questions>
<question id="17" system="A" source="wiki-3"><text>Who wrote it?</text>
<rating judge="CP" criterion="Relevance">1</rating>
<rating judge="KD" criterion="Relevance" value="2"/></question>
<question id="18" system="B" source="wiki-3"><text>When?</text>
<rating judge="CP" criterion="Relevance">4</rating>
<rating judge="KD" criterion="Relevance" value="3"/></question>
</questions>
"""


@cache
def single_files() -> tuple[Case, ...]:
    """The gallery's cases of one file, and one in each binary form."""
    rows = long()
    columns = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    binary = mutants.parquet_of(pa.table(columns))
    more = (
        Case(name="parquet", files={"ratings.parquet": binary}, wanted={}),
        Case(name="qg-stec", files={"questions.xml": XML}, wanted={}),
    )
    gallery = (case for case in (*SHEETS, *HABITS, *TOOLS) if len(case.files) == 1)
    return (*gallery, *more * 4)


KINDS = {
    ".json": (mutants.JSON_DAMAGE, mutants.JSON_SAME),
    ".jsonl": (mutants.JSON_DAMAGE, mutants.JSON_SAME),
    ".xlsx": (mutants.PACKED_DAMAGE, mutants.PACKED_SAME),
    ".zip": (mutants.PACKED_DAMAGE, mutants.PACKED_SAME),
    ".gz": (mutants.PACKED_DAMAGE, mutants.PACKED_SAME),
    ".parquet": (mutants.PARQUET_DAMAGE, mutants.PARQUET_SAME),
    ".xml": (DAMAGE, mutants.XML_SAME),
}
"""What is done to files by their endings: damage, and writing the same otherwise."""


def read_changed(folder: Path, draw: Random, tally: Tally) -> str:
    """Change a file of ratings in one way and read it; return what should not have happened."""
    case = draw.choice(single_files())
    ((name, content),) = case.files.items()
    fault = "".join(_try(folder, case, name, content, draw, tally))
    return f"{case.name}: {fault}" if fault else ""


def _try(folder, case, name, content, draw, tally) -> Iterator[str]:
    suffix = Path(name).suffix
    raw = content.encode() if isinstance(content, str) else content
    if suffix in KINDS:
        damage, same = KINDS[suffix]
        changes = draw.choice([damage, damage, same])
    elif isinstance(content, str) and suffix in TEXT:
        # Which of several ratings counts, and which rows are read, is said by their place.
        in_order = {"repeats", "rows"} & {**case.said, **(case.way_out or {})}.keys()
        moved = MOVED if is_plain_table(content) and not in_order else SAME
        changes = draw.choice([DAMAGE, DAMAGE, SAME, moved])
    else:
        changes = DAMAGE
    change = draw.choice(changes)
    damages = "DAMAGE" if change in ALL_DAMAGE else "MOVED" if changes is MOVED else "SAME"
    as_text = isinstance(content, str) and damages != "DAMAGE"
    changed = change(content if as_text else raw, draw)
    path = folder / name
    path.write_bytes(changed)
    found = _read(path, case, tally)
    if isinstance(found, str):
        yield f"{change.__name__}: {found}"
    elif found is not None:
        before = read_as_it_is(folder, case)
        if isinstance(before, dict):
            tally.compared += 1
            wrong = _difference(damages, (before, raw), (found, changed))
            yield from [f"{change.__name__}: {wrong}"] if wrong else []


ALL_DAMAGE = {*DAMAGE, *(change for damage, _ in KINDS.values() for change in damage)}

BEFORE: dict[str, dict | str | None] = {}


def read_as_it_is(folder: Path, case: Case) -> dict | str | None:
    """The ratings of a case that nobody changed, read once."""
    if case.name not in BEFORE:
        ((name, content),) = case.files.items()
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        BEFORE[case.name] = _read(path, case, Tally())
    return BEFORE[case.name]


def _difference(changes: str, before, after) -> str:
    """Say what is silently different: each side is the ratings, and the file that they are from."""
    (first, raw), (found, changed) = before, after
    if changes == "SAME" and first != found:
        return f"other ratings than before, {len(first)} and {len(found)}"
    if changes == "MOVED" and _how_often(first) != _how_often(found):
        return f"{_how_often(first)} has become {_how_often(found)}"
    if changes == "DAMAGE" and not _invented(first, raw):
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
    cells = values_in(content)
    said = cells | {str(number) for cell in cells for number in _numbers(cell)}
    ratings_said = {rating for rating in _how_often(ratings) if not _is_missing(rating)}
    return {rating for rating in ratings_said if rating.strip() not in said}


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
