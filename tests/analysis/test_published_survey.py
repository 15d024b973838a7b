"""A survey of papers; the counts and means are hand arithmetic."""

import pytest

from tests.analysis.numbers_files import audited

PAPERS = """
[[paper]]
name = "A"
agreement = true
items = 40
details = true
independent = true
interpretation = "Landis & Koch"
uses = [{ coefficient = "cohen_kappa", level = "nominal", values = ["0.60", "0.80"] }]

[[paper]]
name = "B"
agreement = true
items = false
independent = false
interpretation = false
uses = [
  { coefficient = "cohen_kappa", level = "interval", values = ["0.30"] },
  { coefficient = "kappa", level = "ordinal", values = ["0.50"] },
]

[[paper]]
name = "C"
agreement = true
uses = [{ coefficient = "kappa", values = ["0.10"] }]

[[paper]]
name = "D"
agreement = false
"""


@pytest.fixture
def found(tmp_path):
    return {number.row: number for number in audited(tmp_path, PAPERS).numbers}


def test_shares_say_what_they_are_of(found):
    assert found["report agreement"].expected == "3 of 4 papers (75%)"
    assert found["cohen_kappa"].expected == (
        "2 of 4 uses (50%), in 2 of 3 papers (67%), mean 0.50, from 0.30 to 0.80"
    )  # each use counts once: (.70 + .30) / 2


def test_values_of_coefficients_without_a_name_are_not_averaged(tmp_path, found):
    assert "no mean, from 0.10 to 0.50" in found["kappa"].expected
    assert "mean" not in found["kappa"].data
    said = [part.conclusion for part in audited(tmp_path, PAPERS).parts]
    assert any("not averaged" in conclusion for conclusion in said)


@pytest.mark.parametrize(
    ("row", "expected", "papers"),
    [
        ("the coefficient is not named", "2 of 3 papers", ["B", "C"]),
        ("too little is said of how the data were collected", "0 of 1 paper, not coded for 2", []),
        (
            "the coefficient does not quite suit the level of the data",
            "1 of 2 papers, not coded for 1",
            ["B"],
        ),
        ("the number of items is missing", "1 of 2 papers, not coded for 1", ["B"]),
        (
            "it is not said whether judges worked independently",
            "1 of 2 papers, not coded for 1",
            ["B"],
        ),
        ("no scale of interpretation is named", "1 of 2 papers, not coded for 1", ["B"]),
    ],
)
def test_what_reports_lack_is_counted(found, row, expected, papers):
    assert found[row].expected == expected
    assert found[row].data["papers"] == papers


def test_coding_a_paper_otherwise_flips_the_check(tmp_path):
    changed = PAPERS.replace("items = false", "items = 12")
    rows = {number.row: number for number in audited(tmp_path, changed).numbers}
    assert rows["the number of items is missing"].data["papers"] == []
