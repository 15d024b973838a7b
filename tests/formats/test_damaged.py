"""Files that are damaged, huge, empty or no files at all."""

import gzip
import json

import pytest

from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows

FOUR = "item,judge,rating\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,2\n"
EXPECTED = [("q1", "Ann", 4), ("q1", "Bo", 5)]


@pytest.mark.parametrize("name", ["long", "wide", "mturk", "qg-stec", "label-studio"])
def test_a_format_that_a_folder_cannot_have_is_refused(tmp_path, name):
    with pytest.raises(InvalidArgument, match="is not; covary reads"):
        read(tmp_path, format=name)


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(FOUR.encode(), mtime=0)[:30]])
def test_a_packed_file_that_is_damaged_is_refused(file, content):
    with pytest.raises(RatingsError, match=r"a\.csv\.gz cannot be unpacked"):
        read(file(content, "a.csv.gz"))


def test_a_huge_cell_is_read(file):
    path = file("item,judge,rating,text\nq1,Ann,4," + "x" * 200_000 + "\nq1,Bo,5,y\n")
    assert rows(read(path)) == EXPECTED


@pytest.mark.parametrize("cell", ["3²", "²", '"3,²5"', "₂"])
def test_a_number_with_the_mark_of_a_footnote_is_refused(file, cell):
    path = file(f"item,judge,rating\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,{cell}\n")
    with pytest.raises(RatingsError, match="row 5"):
        read(path)


@pytest.mark.parametrize("header", ["item,judge,rating", "item,J1,J2", "J1,J2,items"])
def test_names_of_columns_without_rows_are_refused(file, header):
    with pytest.raises(RatingsError, match="no rows"):
        read(file(header))


def test_nothing_is_left_of_the_files_that_helped(file, tmp_path, monkeypatch):
    helping = tmp_path / "helping"
    helping.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(helping))
    assert read(file(FOUR.encode("utf-16"))).n_ratings == 4
    assert list(helping.iterdir()) == []


@pytest.mark.parametrize(("name", "opening"), [("deep.json", ""), ("deep.jsonl", '{"item": ')])
def test_json_that_is_nested_without_end_is_refused(tmp_path, name, opening):
    file = tmp_path / name
    file.write_text(opening + "[" * 100_000 + "]" * 100_000 + ("}" if opening else ""))
    with pytest.raises(CovaryError, match=name):
        read(file)


def test_text_of_which_one_letter_is_broken_is_not_read_as_another_encoding(tmp_path):
    path = tmp_path / "a.csv"
    rows = "item,judge,rating\na,甲,很好\na,乙,好\nb,甲,差\nb,乙,很差\n".encode()
    path.write_bytes(rows.replace("差\n".encode(), b"\xe5\xb7\n", 1))
    with pytest.raises(RatingsError, match="damaged UTF-8 text"):
        read(path)


def test_half_a_character_in_json_is_refused_with_its_place(tmp_path):
    path = tmp_path / "a.json"
    rows = [{"item": "a", "judge": "A", "rating": "good \\ud800"}, {"item": "a", "judge": "B"}]
    path.write_text(json.dumps({"rows": rows}).replace("\\\\ud800", "\\ud800"))
    with pytest.raises(RatingsError, match="half a character"):
        read(path)


def test_a_word_among_numbers_with_decimal_commas_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item;judge;rating\na;A;1,5\na;B;2,5\nb;A;3,5x\nb;B;4,5\n", encoding="utf-8")
    with pytest.raises(RatingsError) as error:
        read(path)
    assert error.value.code == "formats.words-among-numbers"
    assert error.value.data["words"] == ["3,5x"]


@pytest.mark.parametrize("name", ["long.json", "long.jsonl"])
def test_a_number_that_python_does_not_read_is_refused_with_its_place(tmp_path, name):
    rows = [
        f'{{"item": {i}, "judge": "{j}", "note": "{"8" * 5000}", "rating": {1 + i % 5}}}'
        for i in range(4)
        for j in "ab"
    ]
    rows[4] = f'{{"item": 2, "judge": "a", "rating": {"7" * 5000}}}'
    lines = name.endswith("l")
    file = tmp_path / name
    file.write_text("\n".join(rows) if lines else "[" + ",\n".join(rows) + "]")
    with pytest.raises(RatingsError) as refused:
        read(file)
    assert refused.value.code == "formats.long-number"
    said = str(refused.value)
    assert f"line 5 of {name}" in said
    assert "5,000 digits" in said
    assert '"judge": "a", "rating":' in said


def test_a_string_that_looks_like_json_with_a_number_too_long_is_text(tmp_path):
    file = tmp_path / "trials.json"
    long = "{" + f'\\"q\\": {"7" * 5000}' + "}"
    file.write_text(f'[{{"trial_type": "survey", "participant": "a", "response": "{long}"}}]')
    with pytest.raises(CovaryError):
        read(file)
