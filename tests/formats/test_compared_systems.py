"""Files of two systems and a winner that is named by its system; every count is by hand."""

import pytest

from covary import Ratings, read
from covary.analysis.preferences import preferences
from covary.errors import InvalidArgument, RatingsError
from covary.scales import VerbalScale

ROWS = [
    ("s1", "Ann", "bart", "t5", "t5"),
    ("s1", "Bo", "t5", "bart", "t5"),
    ("s2", "Ann", "t5", "gpt", "gpt"),
    ("s2", "Bo", "gpt", "t5", "gpt"),
    ("s3", "Ann", "bart", "gpt", "bart"),
]


def written(tmp_path, rows, column="winner"):
    lines = [f"source,judge,model_a,model_b,{column}", *map(",".join, rows)]
    file = tmp_path / "compared.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def counts(ratings):
    (own,) = preferences(ratings).criteria
    return {(one.first, one.second): (one.wins, one.ties, one.losses) for one in own.pairs}


@pytest.mark.parametrize(
    "wrong",
    [("s3", "Bo", "bart", "t5", "gpt"), ("s3", "Bo", "t5", "t5", "gpt")],
    ids=["a third system", "one system twice"],
)
def test_a_winner_that_was_not_compared_is_refused_with_its_row(tmp_path, wrong):
    assert counts(read(written(tmp_path, ROWS))) == {
        ("bart", "t5"): (0, 0, 2), ("gpt", "t5"): (2, 0, 0), ("bart", "gpt"): (1, 0, 0),
    }  # fmt: skip
    with pytest.raises(RatingsError, match="row 4: 'winner' names 'gpt'") as refused:
        read(written(tmp_path, [*ROWS[:2], wrong, *ROWS[2:]]))
    assert refused.value.code == "formats.winners-of-neither"


def test_a_missing_winner_is_no_name(tmp_path):
    rows = [*ROWS, ("s3", "Bo", "bart", "t5", "N/A")]
    assert counts(read(written(tmp_path, rows)))[("bart", "t5")] == (0, 0, 2)


def test_letters_of_sides_are_no_names_of_systems_that_are_called_so(tmp_path):
    """A is the first text and B the second, so C is preferred to B twice."""
    rows = [("s1", "Ann", "A", "B", "A"), ("s1", "Bo", "A", "B", "B"),
            ("s2", "Ann", "B", "C", "B"), ("s2", "Bo", "C", "B", "A")]  # fmt: skip
    assert counts(read(written(tmp_path, rows)))[("B", "C")] == (0, 0, 2)


@pytest.mark.parametrize(
    "names",
    [("bart", "gpt", "t5"), ("bart", "t5"), ("A", "B", "tie")],
    ids=["three systems", "two systems", "ties last"],
)
def test_names_in_the_order_of_the_alphabet_are_no_sides(names):
    rows = {
        "item": list(range(len(names))),
        "judge": ["Ann"] * len(names),
        "rating": list(names),
        "system": ["t5 / bart"] * len(names),
    }
    with pytest.raises(InvalidArgument) as refused:
        preferences(Ratings(rows, scale=VerbalScale(names, level="nominal")))
    assert refused.value.code == "preferences.no-preference-alone"


def test_a_and_b_alone_are_sides():
    rows = {"item": [1, 2], "judge": ["Ann"] * 2, "rating": ["A", "A"], "system": ["x / y"] * 2}
    assert counts(Ratings(rows, scale=VerbalScale(["A", "B"], level="nominal"))) == {
        ("x", "y"): (2, 0, 0)
    }
