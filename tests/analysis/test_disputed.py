"""Disputed items against arithmetic by hand."""

import numpy as np
import pytest

from covary import InvalidArgument, Ratings, datasets, disputed, read
from covary.reports.reliability.disputed import disputed_table


def table(rows, judges=("Ann", "Bo", "Cy"), level="interval", **more):
    return Ratings.from_wide(rows, scale="1-5", level=level, judges=list(judges), **more)


def test_severity_does_not_make_an_item_disputed():
    """Ann is higher by 1 throughout: taken off, nothing is left to disagree on."""
    found = disputed(table([[2, 1], [4, 3], [5, 4]], judges=("Ann", "Bo")))
    assert [item.share for item in found.items] == [0, 0, 0]
    assert found.top(5) == []


def test_shares_by_hand():
    """Differences 1, 1, -3, 1, 1 less their mean .2: .8 four times, and -3.2.

    Half their squares are the variances: .32 four times and 5.12, which is 80% of 6.4.
    """
    found = disputed(table([[4, 3], [3, 2], [1, 4], [5, 4], [2, 1]], judges=("Ann", "Bo")))
    assert [item.item for item in found.items] == [2, 0, 1, 3, 4]
    assert [round(item.share, 10) for item in found.items] == [0.8, 0.05, 0.05, 0.05, 0.05]
    worst = found.items[0]
    assert (worst.rank, worst.ratings, worst.judges) == (1, (1, 4), ("Ann", "Bo"))
    assert worst.furthest is None  # of two, neither
    # The ratings less half the mean difference: 3.9 3.1, 2.9 2.1, .9 4.1, 4.9 4.1, 1.9 1.1
    adjusted = [3.9, 3.1, 2.9, 2.1, 0.9, 4.1, 4.9, 4.1, 1.9, 1.1]
    assert worst.distance == pytest.approx(5.12 / np.var(adjusted, ddof=1))


def test_the_judge_furthest_from_the_others_is_named():
    found = disputed(table([[3, 3, 3], [1, 1, 5], [4, 4, 3], [2, 2, 1], [5, 5, 4], [3, 3, 2]]))
    assert found.items[0].item == 1
    assert found.items[0].furthest == "Cy"


def test_an_items_weight_is_its_ratings_times_their_variance():
    """As in alpha: ratings 1 and 3 (2 x 2 = 4) weigh less than 1, 3 and 2, 4 (4 x 5/3)."""
    rows = {"item": ["a"] * 2 + ["b"] * 4, "judge": list("12") + list("1234")}
    slots = Ratings({**rows, "rating": [1, 3, 1, 3, 2, 4]}, level="interval", judges="slots")
    found = disputed(slots)
    assert [item.item for item in found.items] == ["b", "a"]
    assert found.items[0].share == pytest.approx((20 / 3) / (20 / 3 + 4))
    assert found.unadjusted == (None,)
    assert found.items[0].judges == ()
    assert found.items[0].given == "1, 3, 2, 4"


def test_mid_ranks_are_the_metric_of_ordinal_ratings():
    """Of 1 1 | 1 5 | 1 5 | 2 2 only the order counts: 1 is rank 2.5, 2 is 5.5, 5 is 7.5."""
    frame = {
        "item": [*"aabbccdd"],
        "judge": [1, 2] * 4,
        "rating": [1, 1, 1, 5, 1, 5, 2, 2],
    }
    found = disputed(Ratings(frame, scale="1-5", level="ordinal", judges="slots"))
    assert [item.share for item in found.items] == [0.5, 0.5, 0, 0]
    ranks = [2.5, 2.5, 2.5, 7.5, 2.5, 7.5, 5.5, 5.5]
    assert found.items[0].distance == pytest.approx(12.5 / np.var(ranks, ddof=1))


def test_names_differ_or_not():
    frame = {"item": [*"aabbcc"], "judge": [1, 2] * 3, "rating": ["x", "y", "x", "x", "z", "z"]}
    found = disputed(Ratings(frame, level="nominal", judges="slots"))
    assert [(item.item, item.share) for item in found.items] == [("a", 1), ("b", 0), ("c", 0)]
    assert found.rows()[0]["lowest"] == ""


def test_items_with_one_rating_are_left_out():
    found = disputed(table([[1, 2, None], [3, None, None], [2, 2, 5]]))
    assert found.n_items == 2
    assert {item.item for item in found.items} == {0, 2}


def test_text_comes_from_the_file(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(
        "id,annotator,score,output\n"
        "q1,Ann,5,It is sunny.\nq1,Bo,1,It is sunny.\n"
        "q2,Ann,2,\nq2,Bo,2,\nq3,Ann,4,42\nq3,Bo,5,42\n"
    )
    ratings = read(file, scale="1-5")
    texts = {item.item: item.text for item in disputed(ratings).items}
    assert texts == {"q1": "It is sunny.", "q2": "", "q3": "42"}
    assert "output" not in str(ratings.account and ratings.account.added)
    assert set(disputed(ratings).rows()[0]) == set(disputed(ratings).columns)


def test_text_comes_with_a_column_for_each_judge(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("id,text,J1,J2\na,One.,1,5\nb,Two.,2,2\nc,Three.,3,4\n")
    first = disputed(read(file, scale="1-5", wide="J*")).items[0]
    assert (first.item, first.text) == ("a", "One.")


def test_equal_ratings_are_counted_and_shown_once():
    found = disputed(datasets.load("qgstec-original"), criterion="variety")
    top = found.top(5)
    kinds = {(item.judges, item.ratings) for item in top}
    assert len(kinds) == len(top) == 5
    same = [i for i in found.items if (i.judges, i.ratings) == (top[0].judges, top[0].ratings)]
    assert top[0].alike == len(same)


def test_an_item_that_all_rate_alike_is_not_named_as_disputed():
    """Bo is lower by 2 but for one item, where both give 3; that one is odd, and not disputed."""
    found = disputed(table([[4, 2], [5, 3], [3, 3], [3, 1], [5, 2]], judges=("Ann", "Bo")))
    assert found.items[0].ratings == (3, 3)
    assert found.top(1)[0].ratings == (5, 2)


def test_most_keeps_so_many_of_each_criterion():
    found = disputed(datasets.load("qgstec-original"), most=3)
    assert len(found.items) == 15
    assert [item.rank for item in found.items] == [1, 2, 3] * 5
    with pytest.raises(InvalidArgument, match="at least 1"):
        disputed(datasets.load("qgstec-original"), most=0)


def test_a_table_names_each_rating_of_many_judges_once():
    rows = [[4, 4, 1, 4], [2, 2, 2, 3], [1, 1, 1, 1]]
    result = disputed(table(rows, judges=("Ann", "Bo", "Cy", "Di")))
    given = [row[1] for row in disputed_table(result.top(2), result).rows]
    assert given == ["4 (Ann, Bo, Di), 1 (Cy)", "3 (Di), 2 (Ann, Bo, Cy)"]
