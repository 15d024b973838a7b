"""The rows of several files stand in the order in which the files were named, every time."""

import pytest

from covary.formats import read
from covary.ratings.frames import fetch

TIMES = 15
"""An engine left to itself gave another order in about one of twenty reads."""


def files(folder, header, n=4):
    """Files whose ratings count on from one to the next."""
    paths = []
    for number in range(n):
        path = folder / f"{'dbca'[number]}.csv"
        rows = [f"q{5 * number + row},Ann,{5 * number + row}" for row in range(5)]
        path.write_text("\n".join([*header, *rows]) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def order(paths, **said):
    return fetch(read(paths, scale="0-30", **said).frame)["rating"].tolist()


@pytest.mark.parametrize(
    "header", [["item,judge,rating"], ["My study,,", "item,judge,rating"]], ids=["plain", "titled"]
)
def test_files_named_one_by_one_keep_their_order(tmp_path, header):
    paths = files(tmp_path, header)
    assert all(order(paths) == list(range(20)) for _ in range(TIMES))
    backwards = [5 * number + row for number in (3, 2, 1, 0) for row in range(5)]
    assert order(paths[::-1]) == backwards


def test_files_that_stand_for_something_keep_their_order(tmp_path):
    paths = files(tmp_path, ["item,judge,rating"])
    said = {"files": "criterion", "item": "item", "judge": "judge", "rating": "rating"}
    assert all(order(paths, **said) == list(range(20)) for _ in range(TIMES))


def test_a_folder_is_read_by_the_names_of_its_files(tmp_path):
    files(tmp_path, ["item,judge,rating"])
    by_name = [5 * "dbca".index(name) + row for name in "abcd" for row in range(5)]
    assert all(order(tmp_path) == by_name for _ in range(3))
