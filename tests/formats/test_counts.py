"""Frequency tables are written out as the items that they count."""

import pytest

import covary
from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from covary.ratings import Ratings
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from tests.formats.tables import rows

TABLE = "J1,J2,items\n1,1,10\n1,2,3\n2,2,7\n"


@pytest.mark.parametrize("name", ["items", "count", "n", "Frequency", "N items"])
def test_a_column_that_counts_is_recognised(file, name):
    ratings = read(file(TABLE.replace("items", name)), scale="1-2")
    assert (ratings.n_items, ratings.n_ratings) == (20, 40)
    assert f"as many items as the column '{name}' says" in ratings.notes[1]


def test_the_table_says_what_from_counts_says(file):
    table = {"J1": [1, 1, 2], "J2": [1, 2, 2], "items": [10, 3, 7]}
    direct = Ratings.from_counts(table, judges=["J1", "J2"], scale="1-2")
    ours = krippendorff_alpha(read(file(TABLE), scale="1-2"), interval=None)
    assert ours.value == pytest.approx(krippendorff_alpha(direct, interval=None).value)


def test_the_counting_column_and_the_judges_may_be_said(file):
    path = file("a,b,times\n1,1,2\n1,2,1\n")
    ratings = read(path, count="times", wide=["a", "b"])
    assert rows(ratings)[:3] == [(1, "a", 1), (1, "b", 1), (2, "a", 1)]
    assert ratings.n_items == 3


def test_missing_ratings_and_empty_patterns_are_no_ratings(file):
    ratings = read(file("J1,J2,n\n1,,2\n1,2,0\n"))
    assert rows(ratings) == [(1, "J1", 1), (2, "J1", 1)]


def test_criteria_are_kept(file):
    ratings = read(file("criterion,J1,J2,n\nfluency,1,2,2\nclarity,1,1,1\n"))
    assert ratings.criteria == ("clarity", "fluency")


@pytest.mark.parametrize("times", ["-1", "1.5", "many", ""])
def test_a_count_that_is_none_is_refused_with_its_row(file, times):
    with pytest.raises(RatingsError, match="must hold numbers of items: row 2"):
        read(file(f"J1,J2,items\n1,1,10\n1,2,{times}\n"))


def test_a_table_that_names_its_items_is_no_frequency_table(file):
    ratings = read(file("item,J1,J2,n\nq1,1,2,30\nq2,1,1,40\n"))
    assert (ratings.n_items, ratings.judges) == (2, ("J1", "J2"))


def test_a_count_that_is_not_there_is_refused(file):
    with pytest.raises(InvalidArgument, match="count='k' is not a column"):
        read(file(TABLE), count="k")
    with pytest.raises(InvalidArgument, match=r"which column .* counts"):
        read(file("J1,J2\n1,2\n"), format="counts")


def test_a_cross_table_is_not_read_as_ratings_and_the_way_out_works(tmp_path):
    """20 + 22 of 50 items agree; by the margins 25 of 50 would: (.84 - .5) / (1 - .5) = .68."""
    table = tmp_path / "cross.csv"
    table.write_text(",yes,no\nyes,20,5\nno,3,22\n", encoding="utf-8")
    with pytest.raises(RatingsError) as error:
        covary.read(table)
    assert error.value.code == "formats.cross-table"
    rows = tmp_path / "rows.csv"
    cells = "yes,yes,20\nyes,no,5\nno,yes,3\nno,no,22\n"
    rows.write_text(f"first,second,n\n{cells}", encoding="utf-8")
    ratings = covary.read(rows, wide="first,second", count="n", level="nominal")
    assert covary.cohen_kappa(ratings, interval=None).value == pytest.approx(0.68)
