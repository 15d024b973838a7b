"""Messages name the row, and the line where it differs, in which a thing stands in its file."""

import pytest

import covary
from covary.errors import RatingsError
from covary.formats.row_places import places_in
from covary.formats.tables import TableOptions
from tests.formats.test_sheets import xlsx

ROWS = "item,judge,rating\nq1,Ann,3\nq1,Bo,2\nq2,Ann,9\nq2,Bo,1\n"
FILES = {
    "plain.csv": (ROWS, "row 4:"),
    "blank.csv": (ROWS.replace("\nq1", "\n\nq1"), "row 6:"),
    "title.csv": (f"Our study,,\n,,\n{ROWS}", "row 6:"),
    "lines.csv": (ROWS.replace("Ann,3", '"Ann\n(1)",3'), "row 4 (line 5):"),
    "sep.csv": (f"sep=,\n{ROWS}", "row 4 (line 5):"),
    "wide.csv": ("item,J1,J2\nq1,1,2\n\nq2,1,9\n", "row 4:"),
    "twice.csv": (ROWS.replace("9", "3") + "\nq1,Bo,3\n", "rows 3 and 7:"),
    "word.csv": (ROWS.replace("Ann,3", '"Ann\n(1)",3').replace("9", "good"), "row 4 (line 5):"),
    "records.jsonl": (
        '{"item": "q1", "judge": "Ann", "rating": 3}\n\n'
        '{"item": "q1", "judge": "Bo", "rating": 9}\n',
        "row 3:",
    ),
}


def refusal(path, **keywords):
    with pytest.raises(RatingsError) as refused:
        covary.read(path, scale="1-5", **keywords)
    return str(refused.value)


@pytest.mark.parametrize("name", FILES)
def test_a_row_is_named_as_it_stands_in_the_file(tmp_path, name):
    text, place = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert place in refusal(tmp_path / name)


def test_a_row_of_a_sheet_is_named_with_the_sheet(tmp_path):
    head = ["item", "rating"]
    sheets = {"Ann": [head, ["q1", 3], [], ["q2", 9]], "Bo": [head, ["q1", 3], ["q2", 2]]}
    book = xlsx(tmp_path / "judges.xlsx", **sheets)
    assert "row 4 of 'Ann': item 'q2'" in refusal(book, sheets="judge")


def test_a_row_of_several_files_is_named_with_its_file(tmp_path):
    (tmp_path / "a.csv").write_text("item,judge,rating\nq1,Ann,3\nq1,Bo,2\n")
    (tmp_path / "b.csv").write_text("item,judge,rating\n\nq2,Ann,9\nq2,Bo,2\n")
    assert "row 3 of 'b.csv': item 'q2', judge 'Ann'" in refusal(tmp_path)


def test_a_turned_table_names_the_column(tmp_path):
    path = tmp_path / "turned.csv"
    path.write_text("item,q1,q2,q3\nAnn,1,2,9\nBo,2,2,3\n", encoding="utf-8")
    assert "column D: item 'q3', judge 'Ann', rating 9" in refusal(path, transpose=True)


def test_lines_in_windows_1252_have_places_too(tmp_path):
    file = tmp_path / "ratings.jsonl"
    file.write_bytes('{"item": "q1"}\n\n{"item": "caf\u00e9"}\n'.encode("cp1252"))
    places = places_in(file, TableOptions())
    assert [(place.row, place.cells["item"]) for place in places] == [(1, "q1"), (3, "caf\u00e9")]
