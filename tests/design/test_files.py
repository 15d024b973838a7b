"""design.csv: a round trip, what a spreadsheet does to it, and every fault of a hand at once."""

import csv
import io

import pytest

from covary.design import make_plan, more_sheets, read_plan, write_plan
from covary.errors import StudyError
from covary.study.model import Item
from tests.design.studies import a_study, grid, of_kind, pairs, texts, two_parts

STUDIES = {
    "latin": two_parts(grid(4, 4, extra=of_kind("practice", 2), kind="latin-squares", judges=4)),
    "pairs": pairs(6, kind="everyone", judges=3, repeats=2, repeat_distance=2),
    "overlap": texts(12, extra=of_kind("anchor", 1), kind="overlap", judges=4, occasions=2),
    "odd names": a_study(
        [Item('say "a, b";', ("x",), ("Größe",), "ü"), Item("=1+1", ("y",), ("Größe",), "ö")],
        kind="everyone",
    ),
}


def edited(tmp_path, study, change):
    """Write a plan, change its rows (a list of dictionaries) by hand, and give the path."""
    path = write_plan(make_plan(study), tmp_path / "design.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    names = list(rows[0])
    rows = change(rows) or rows
    written = io.StringIO()
    writer = csv.DictWriter(written, names)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(written.getvalue(), encoding="utf-8")
    return path


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_plan_comes_back_as_it_was(tmp_path, study):
    plan = make_plan(study, seed=12)
    assert read_plan(write_plan(plan, tmp_path / "design.csv"), study) == plan


def test_the_file_is_a_plain_table_with_the_settings_in_one_cell(tmp_path):
    study = pairs(3, kind="everyone", judges=2, seed=8)
    path = write_plan(make_plan(study), tmp_path / "design.csv")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == [
        "sheet", "row", "position", "item", "kind", "part", "occasion", "order", "settings",
    ]  # fmt: skip
    assert len(rows) == 1 + 2 * 3
    assert rows[1][8].startswith("kind=everyone; seed=8; judges=2;")
    assert {row[8] for row in rows[2:]} == {""}
    assert {row[7] for row in rows[1:]} == {"1 2", "2 1"}  # places count from 1 for people


def test_a_spreadsheet_may_sort_and_separate_as_it_likes(tmp_path):
    study = STUDIES["latin"]
    path = write_plan(make_plan(study), tmp_path / "design.csv")
    first, *rest = path.read_text().splitlines()
    text = "\r\n".join([first, *reversed(rest)]).replace(",", "\t")
    path.write_text(text + "\r\n", encoding="utf-16")
    assert read_plan(path, study) == make_plan(study)


def test_empty_positions_are_taken_from_the_rows(tmp_path):
    study = texts(5, kind="everyone", judges=2)
    path = edited(tmp_path, study, lambda rows: [row | {"position": ""} for row in rows])
    assert read_plan(path, study) == make_plan(study)


def test_sheets_without_settings_take_the_wish_of_the_study(tmp_path):
    study = grid(4, 4, kind="latin-squares", judges=3)
    path = edited(tmp_path, study, lambda rows: [row | {"settings": ""} for row in rows])
    plan = read_plan(path, study)
    assert (plan.kind, plan.settings) == ("", ())
    assert more_sheets(study, plan, 1) == more_sheets(study, make_plan(study), 1)


def test_every_fault_of_a_hand_is_told_at_once_with_its_line(tmp_path):
    study = pairs(4, kind="everyone", judges=2)

    def spoil(rows):
        rows[0]["item"] = "nobody"
        rows[1]["kind"] = "itm"
        rows[2]["position"] = "x"
        rows[3]["order"] = "1 1"
        rows[4]["position"] = rows[5]["position"]
        rows[6]["item"] = rows[5]["item"]
        rows[7]["part"] = "second"
        rows.append(rows[7] | {"position": "9", "kind": "practice", "part": "", "order": "1"})

    path = edited(tmp_path, study, spoil)
    with pytest.raises(StudyError) as raised:
        read_plan(path, study)
    told = {(each.line, each.key) for each in raised.value.faults}
    assert told >= {
        (2, "item"), (3, "kind"), (4, "position"), (5, "order"), (7, "position"), (8, "item"),
        (9, "part"), (10, "position"), (10, "kind"), (10, "order"),
    }  # fmt: skip
    assert all(each.file == "design.csv" for each in raised.value.faults)
    assert "did you mean 'item'?" in str(raised.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.append(rows[-1] | {"kind": "repeat", "position": "7", "item": "t9"}),
         "does not come before it"),
        (lambda rows: rows[1].update(row="another"), "sheet 1 has another row"),
        (lambda rows: rows[0].update(kind="anchor"), "the study calls .* 'item'"),
        (lambda rows: rows[0].update(order="2 1"), "has 1 text, but the order has 2"),
        (lambda rows: rows[0].update(position=""), "is empty; fill it"),
        (lambda rows: rows[0].update(sheet="0"), "whole number of at least 1"),
        (lambda rows: rows[0].update(item=""), "name the item"),
        (lambda rows: rows.pop(2), "number them 1 to 5"),
        (lambda rows: rows.clear(), "holds no tasks"),
    ],
    ids=["repeat", "row", "kind", "order", "position", "sheet", "item", "gap", "empty"],
)  # fmt: skip
def test_a_fault_says_what_is_wrong(tmp_path, change, words):
    study = texts(6, kind="everyone", judges=1)

    def spoil(rows):
        change(rows)
        return rows or [dict.fromkeys(("sheet", "item"), "")]

    with pytest.raises(StudyError, match=words):
        read_plan(edited(tmp_path, study, spoil), study)


def test_a_file_that_is_no_design_is_refused(tmp_path):
    path = tmp_path / "design.csv"
    path.write_text("judge;rating\n1;2\n")
    with pytest.raises(StudyError, match="must name the columns sheet, item"):
        read_plan(path)
    with pytest.raises(StudyError, match=r"missing|No such file"):
        read_plan(tmp_path / "none.csv")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = write_plan(make_plan(STUDIES["pairs"]), tmp_path / "design.csv")
    write_plan(make_plan(STUDIES["latin"]), path)
    assert [each.name for each in tmp_path.iterdir()] == ["design.csv"]
    assert read_plan(path) == make_plan(STUDIES["latin"])
