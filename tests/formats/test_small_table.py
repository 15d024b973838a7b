"""A small text file is read without an engine, and means what DuckDB reads in it."""

import random
import subprocess
import sys

import pytest

from covary.errors import CovaryError
from covary.formats import read, small_table, tables
from covary.formats.small_table import is_plain_text, number_in
from covary.ratings.frames import fetch
from tests.gallery.habits import HABITS
from tests.gallery.sheets import CASES as SHEETS
from tests.gallery.tools import TOOLS
from tests.gallery.unlabelled import UNLABELLED

CASES = [*SHEETS, *HABITS, *TOOLS, *UNLABELLED]

OF_TEXT = [
    case for case in CASES if all(name.endswith((".csv", ".tsv", ".txt")) for name in case.files)
]


def outcome(paths, said):
    """All that a reader can find out of a file: its rows and their kinds, notes, scales; or why
    it is refused."""
    try:
        ratings = read(paths, faulty="set-aside", **said)
    except CovaryError as error:
        return type(error).__name__, str(error)
    columns = fetch(ratings.frame)
    cells = {name: [(type(cell), str(cell)) for cell in columns[name].tolist()] for name in columns}
    account = ratings.account
    return (
        cells,
        {name: str(kind) for name, kind in ratings.frame.collect_schema().items()},
        list(map(str, ratings.notes)),
        [(fault.kind, fault.count, fault.message) for fault in ratings.faults],
        {name: repr(scale) for name, scale in ratings.scales.items()},
        (account.layout, account.keywords, account.added, account.columns, account.left_out),
    )


def both(paths, said, monkeypatch):
    """What is found out without an engine, and with DuckDB; and whether the first did without.

    Cells that are never held as a small table are DuckDB's both times: there is nothing to compare.
    """
    engines, held = [], []
    opened, hold = tables.new_engine, tables._small_table
    with monkeypatch.context() as watched:
        watched.setattr(tables, "new_engine", lambda memory: engines.append(1) or opened(memory))
        watched.setattr(tables, "_small_table", lambda *of: held.append(hold(*of)) or held[-1])
        small = outcome(paths, said)
    if not any(each is not None for each in held):
        return small, small, not engines
    with monkeypatch.context() as watched:
        watched.setattr(tables, "LARGEST_SMALL", -1)
        return small, outcome(paths, said), not engines


def write_files(case, folder):
    paths = []
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    if case.folder:
        return folder / case.folder
    return paths[0] if len(paths) == 1 else paths


@pytest.mark.parametrize("start", range(8))
def test_every_text_of_the_gallery_is_the_same_to_both_readers(start, tmp_path, monkeypatch):
    alone = 0
    for case in OF_TEXT[start::8]:
        folder = tmp_path / case.name
        folder.mkdir()
        small, large, done = both(write_files(case, folder), {}, monkeypatch)
        assert small == large, case.name
        alone += done
    assert alone > 1


ITEMS = ["q1", "q2", "3", "04", " q5", "q 6 ", "", "Zoë", "NA", "1.5", "5\t", '"a, b"']
JUDGES = ["Ann", "Bo", "nan", "7", "inf", "", "-", "Cy", "1e3", "ANN", "Ann "]
RATINGS = ["1", "2", "3", "4", "5", " 2", "3 ", "NA", "", "n/a", "-", "2.5", "4.0"]
ODD_RATINGS = ["2,5", "1.000", "99", "-1", "-99", "good", "1e2", "+3", ".5", "5.", "inf", "nan"]
ODD_RATINGS += ["0x1F", "1_0", "43210", "N/A (not shown)", "none", "1-5", "?", "1234567890123456"]
HEADERS = [
    ("item", "judge", "rating"),
    ("qid", "rater", "score", "system"),
    ("item", "judge", "fluency", "adequacy"),
    ("item", "J1", "J2", "J3"),
    ("id", "Ann", "Bo", "Cy", "comment"),
    ("a", "b", "c"),
    ("item", "judge", "rating", "seconds", "order"),
    ("text", "annotator", "label", "round"),
    ("hit", "worker", "good", "bad", "neutral"),
]


def generated(seed):
    """A small table as people leave it, with the odd cell in every third."""
    draw = random.Random(seed)
    names = draw.choice(HEADERS)
    pools = {"item": ITEMS, "qid": ITEMS, "id": ITEMS, "text": ITEMS, "hit": ITEMS, "a": ITEMS}
    pools |= {"judge": JUDGES, "rater": JUDGES, "annotator": JUDGES, "worker": JUDGES}
    pools |= {"system": ["A", "B", "gpt-4", ""], "comment": ["", "fine, really", "3 dogs", "«»"]}
    ratings = RATINGS + draw.sample(ODD_RATINGS, 2) * (seed % 3 == 0)
    marks = names[0] == "hit"
    pools |= {"good": ["x", "", "0"], "bad": ["", "X"], "neutral": ["", "1"]} if marks else {}
    clean = seed % 2
    rows = []
    for number in range(draw.choice([2, 5, 12, 40])):
        row = [draw.choice(pools.get(name, ratings)) for name in names]
        if clean:  # nobody rates an item twice
            row[0] = f"i{number // 3}"
            row[1] = row[1] if names[1] not in pools else "ABC"[number % 3]
        rows.append(row)
    mark, end = draw.choice([",", ";", "\t"]), draw.choice(["\n", "\r\n"])
    cells = [[f'"{c}"' if mark in c and '"' not in c else c for c in row] for row in rows]
    lines = [mark.join(row) for row in [list(names), *cells]]
    return end.join(lines) + draw.choice(["", end, end + end])


def compare_generated(seeds, folder, monkeypatch):
    """Read generated tables both ways, and return how many needed no engine."""
    file, alone = folder / "ratings.csv", 0
    for seed in seeds:
        text = generated(seed)
        file.write_text(text, encoding="utf-8", newline="")
        said = ({}, {"scale": "1-5"}, {"judges": "slots"}, {})[seed % 4]
        small, large, done = both(file, said, monkeypatch)
        assert small == large, (said, text)
        alone += done
    return alone


def test_generated_tables_are_the_same_to_both_readers(tmp_path, monkeypatch):
    assert compare_generated(range(48), tmp_path, monkeypatch) > 9  # tests/slow has a thousand


@pytest.mark.parametrize(
    ("cell", "number"),
    [("4", 4.0), ("-2.50", -2.5), ("Ann", None), ("3 dogs!", None), ("", None), ("好", None)],
)
def test_a_cell_is_a_number_or_none(cell, number):
    assert number_in(cell) == number


@pytest.mark.parametrize(
    "cell", ["1e5", "+3", ".5", "5.", "inf", "NaN", "-Infinity", "0x10", "1_000", "1-5"]
)
def test_of_a_cell_that_engines_may_read_as_a_number_nothing_is_said(cell):
    with pytest.raises(small_table.Unsure):
        number_in(cell)


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        (b"a,b\n1,2\n", True),
        (b"a,b\r\n1,2\r\n", True),
        (b"a,b\r\n1,2\n", False),
        (b"a,b\r1,2\r", False),
        (b'a,b\n"x, y",2\n', True),
        (b'a,b\n"say ""yes""",2\n', True),
        (b'a,b\n5" tall,2\n', False),
        (b'a,b\n"",2\n', False),
    ],
)
def test_lines_and_quotes_that_readers_take_differently_are_left_to_the_engine(
    content, plain, tmp_path
):
    file = tmp_path / "ratings.csv"
    file.write_bytes(content)
    assert is_plain_text(file, ",") == plain


COMMANDS = [["check"], ["report", "-o", "page.html"], ["systems", "-o", "page.html"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_small_plain_file_is_looked_at_without_an_engine(command, tmp_path):
    rows = ["item,judge,system,fluency"]
    for item in range(12):
        rows += [
            f"i{item},{judge},s{item % 3},{1 + (item + place) % 5}"
            for place, judge in enumerate("ABC")
        ]
    (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    verb, *options = command
    script = (
        f"import sys; from covary.cli import main; code = main([{verb!r}, 'ratings.csv', "
        f"*{options!r}]); print(code, {{'duckdb', 'narwhals', 'pandas'}} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "0 set()", done.stderr
