"""What is written is read again, and a failure leaves nothing behind."""

import polars
import pytest

from covary.errors import InvalidArgument
from covary.formats import FORMATS, read, write
from covary.ratings import Ratings
from tests.formats.tables import rows

TABLE = {
    "item": ["q1", "q1", "q2", 'a "b", c\nd'],
    "judge": ["Ann", "Bo", "Ann", "北京"],
    "rating": [4, 5, 1, 2],
    "criterion": ["fluency"] * 4,
    "system": ["A", "A", "B", "<b>"],
    "seconds": [1.5, 2.0, 3.25, 4.0],
}
ENDINGS = [ending for each in FORMATS for ending in each.write]


@pytest.mark.parametrize("ending", ENDINGS)
def test_ratings_come_back_as_they_were(tmp_path, ending):
    ratings = Ratings(TABLE)
    path = write(ratings, tmp_path / f"it's here{ending}")
    assert rows(read(path), *TABLE) == rows(ratings, *TABLE)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_ratings_stay_missing(tmp_path, ending):
    ratings = Ratings({"item": ["q1", "q2"], "judge": ["Ann", "Ann"], "rating": [4, None]})
    assert read(write(ratings, tmp_path / f"a{ending}")).n_ratings == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_frame_of_another_engine_is_written(tmp_path, ending):
    ratings = Ratings(polars.DataFrame(TABLE))
    back = read(write(ratings, tmp_path / f"a{ending}"))
    assert rows(back, *TABLE) == rows(Ratings(TABLE), *TABLE)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_matrix_is_written(tmp_path, ending):
    ratings = Ratings.from_wide([[1, 2], [None, 3]], judges=["Ann", "Bo"])
    assert rows(read(write(ratings, tmp_path / f"a{ending}"))) == [
        (0, "Ann", 1),
        (0, "Bo", 2),
        (1, "Bo", 3),
    ]


def test_covarys_own_names_are_written(tmp_path):
    ratings = Ratings({"qid": ["q1"], "who": ["Ann"], "score": [4]}, item="qid", judge="who",
                      rating="score")  # fmt: skip
    assert write(ratings, tmp_path / "a.tsv").read_text() == "item\tjudge\trating\nq1\tAnn\t4\n"


def test_an_older_file_is_replaced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    assert write(Ratings(TABLE), path).read_text().startswith("item,")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_leaves_the_older_file_and_nothing_else(tmp_path, ending, monkeypatch):
    path = tmp_path / f"a{ending}"
    path.write_text("old")

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write(Ratings(TABLE), path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.csv.gz"])
def test_an_ending_that_cannot_be_written_is_refused(tmp_path, name):
    with pytest.raises(InvalidArgument, match=r"must end in one of '\.json', '\.csv'"):
        write(Ratings(TABLE), tmp_path / name)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="does not exist"):
        write(Ratings(TABLE), tmp_path / "nowhere" / "a.csv")
