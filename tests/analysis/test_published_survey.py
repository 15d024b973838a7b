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


def test_papers_are_counted_by_year_and_by_venue_and_none_is_lost(tmp_path):
    """By hand: 2017 has A (agreement) and D (none), 2018 has B; C has neither year nor venue."""
    coded = PAPERS.replace('name = "A"', 'name = "A"\nyear = 2017\nvenue = "INLG"')
    coded = coded.replace('name = "B"', 'name = "B"\nyear = 2018\nvenue = "ACL"')
    coded = coded.replace('name = "D"', 'name = "D"\nyear = 2017\nvenue = "ACL"')
    parts = {part.place: part for part in audited(tmp_path, coded).parts}
    years = {number.row: number.expected for number in parts["survey, by year"].numbers}
    assert years == {
        "2017": "1 of 2 papers (50%)",
        "2018": "1 of 1 paper (100%)",
        "year not coded": "1 of 1 paper (100%)",
    }
    venues = {number.row: number.data["papers"] for number in parts["survey, by venue"].numbers}
    assert venues == {"ACL": 2, "INLG": 1, "venue not coded": 1}
    assert "2 years" in parts["survey, by year"].conclusion


def test_without_years_and_venues_nothing_is_said_of_them(tmp_path):
    assert not [p for p in audited(tmp_path, PAPERS).parts if p.place.startswith("survey, by")]
