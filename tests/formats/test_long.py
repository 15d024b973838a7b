"""Long tables: what their further columns say about the rows."""

import pytest

import covary
from covary.errors import RatingsError


def test_rows_of_people_who_gave_up_are_said_to_be_read(tmp_path):
    path = tmp_path / "merged.csv"
    rows = ["participant,status,item,rating", "p1,APPROVED,a,4", "p1,APPROVED,b,3"]
    rows += ["p2,RETURNED,a,1", "p2,RETURNED,b,2", "p3,Approved,a,4", "p3,Approved,b,2"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    notes = covary.read(path, scale="1-5").notes
    (told,) = [note for note in notes if getattr(note, "code", "") == "formats.unfinished"]
    assert (told.data["count"], told.data["values"]) == (2, ["RETURNED"])


def _german_sheet(path, criterion):
    lines = [f"Zeitstempel,Bewerter,Text,{criterion},Bewertung"]
    lines += [
        f'0{n % 9 + 1}.03.2024,{judge},T{n // 2},{quality},"{1 + n % 3},5"'
        for n, judge in enumerate(["Anna", "Björn"] * 6)
        for quality in ("Flüssigkeit", "Angemessenheit")
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_german_names_of_columns_are_known(tmp_path):
    ratings = covary.read(_german_sheet(tmp_path / "Blatt1.csv", "Kriterium"))
    assert ratings.criteria == ("Angemessenheit", "Flüssigkeit")
    (told,) = [note for note in ratings.notes if note.code == "formats.columns-left-out"]
    assert told.data["columns"] == ["Zeitstempel"]


def test_the_column_with_the_fewest_values_tells_duplicates_apart(tmp_path):
    """Without a name that tells, a column of two values is believed before one of nine days."""
    path = _german_sheet(tmp_path / "Blatt1.csv", "Was")
    with pytest.raises(RatingsError) as refused:
        covary.read(path)
    assert (refused.value.code, refused.value.data["column"]) == ("formats.duplicate-parted", "Was")
    ratings = covary.read(path, faulty="set-aside")
    (told,) = [note for note in ratings.notes if note.code == "formats.parting-column"]
    assert told.data["column"] == "Was"


def test_two_columns_called_ann_do_not_drive_bo_out(tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"t{n},{1 + n % 5},{1 + n % 4},{1 + n % 3}" for n in range(6)]
    path.write_text("\n".join(["item,Ann,Ann,Bo", *rows]) + "\n", encoding="utf-8")
    assert covary.read(path, scale="1-5").judges == ("Ann (1)", "Ann (2)", "Bo")


def test_a_number_that_cannot_be_squared_is_no_rating(tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("item,judge,rating\nq1,Ann,1e308\nq1,Bo,3\n", encoding="utf-8")
    with pytest.raises(RatingsError) as refused:
        covary.read(path)
    assert refused.value.code == "ratings.infinite"


def test_a_source_and_a_system_name_the_item_where_nothing_else_does(tmp_path):
    path = tmp_path / "long.csv"
    rows = [
        f"s{n},{system},{judge},{1 + n % 3}"
        for n in range(3)
        for system in ("x", "y")
        for judge in ("Ann", "Bo")
    ]
    path.write_text("source,system,judge,rating\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ratings = covary.read(path)
    assert (ratings.n_items, ratings.values("source")) == (6, ("s0", "s1", "s2"))


def test_a_source_and_a_system_name_the_item_beside_columns_of_judges(tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"s{n},{system},{1 + n % 3},{1 + n % 2}" for n in range(3) for system in ("x", "y")]
    path.write_text("source,system,Ann,Bo\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ratings = covary.read(path)
    assert (ratings.n_items, ratings.values("system")) == (6, ("x", "y"))


def test_more_than_eight_judges_may_be_told_apart_by_letters(tmp_path):
    path = tmp_path / "letters.csv"
    names = [f"Rater {letter}" for letter in "ABCDEFGHIJKL"]
    rows = [",".join([f"t{n}", *(str(1 + (n + k) % 5) for k in range(12))]) for n in range(20)]
    path.write_text("item," + ",".join(names) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert covary.read(path).judges == tuple(names)


def test_errors_of_a_spreadsheet_among_the_ratings_are_missing_and_said(tmp_path):
    path = tmp_path / "errors.csv"
    rows = [f"t{n},{judge},{1 + n % 3}" for n in range(6) for judge in ("Ann", "Bo")]
    path.write_text(
        "item,judge,rating\n" + "\n".join([*rows, "z,Ann,#DIV/0!", "z,Bo,#REF!"]) + "\n",
        encoding="utf-8",
    )
    ratings = covary.read(path)
    assert ratings.n_ratings == 12
    (told,) = [note for note in ratings.notes if note.code == "formats.missing-answers"]
    assert told.data["words"] == ["#DIV/0!", "#REF!"]
