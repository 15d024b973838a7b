"""A measure per system and a preference per judge, from small files."""

import pytest

from covary.errors import CovaryError
from covary.formats.measures import read_measures, read_preferences


def written(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_column_beside_the_system_is_a_measure(tmp_path):
    path = written(tmp_path, "accuracy;System;speed\n0.5;A;3\n;B;2.5\n\n")
    assert read_measures(path) == {"accuracy": {"A": 0.5}, "speed": {"A": 3.0, "B": 2.5}}


def test_a_file_of_ratings_may_hold_the_preference(tmp_path):
    path = written(tmp_path, "\ufeffjudge,item,preference\nAnn,1,VAS\nAnn,2,VAS\nBo,1,\n")
    assert read_preferences(path) == {"Ann": "VAS", "Bo": ""}


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (read_measures, "", "is empty"),
        (read_measures, "name,accuracy\nA,1\n", "no column 'system'"),
        (read_measures, "system\nA\n", "no column beside"),
        (read_measures, "system,accuracy\nA,good\n", "line 2: 'good'"),
        (read_measures, "system,accuracy\nA,inf\n", "not a number"),
        (read_measures, "system,accuracy\nA,1\nA,2\n", "line 3.*twice"),
        (read_measures, "system,accuracy\nA,1,2\n", "3 cells"),
        (read_preferences, "judge,preference\nAnn,VAS\nAnn,VDS\n", "both 'VAS' and 'VDS'"),
        (read_preferences, "judge,likes\nAnn,VAS\n", "no column 'preference'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, read, text, words):
    with pytest.raises(CovaryError, match=words):
        read(written(tmp_path, text))


def test_a_spreadsheet_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "table.xlsx"
    path.write_bytes(b"PK\x03\x04\xff\xfe\x80")
    with pytest.raises(CovaryError, match="save it as CSV"):
        read_measures(path)


def test_a_file_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(CovaryError, match=r"gone\.csv"):
        read_measures(tmp_path / "gone.csv")
