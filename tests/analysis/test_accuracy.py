"""How close judges are to known answers: by hand, and what is refused."""

import numpy as np
import pytest

import covary
from covary import Ratings, accuracy
from covary.analysis.accuracy import _independent
from covary.errors import InvalidArgument

MILD = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3]
STRICT = [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
BOTH = Ratings.from_wide(
    list(zip(MILD, STRICT, strict=True)), scale="1-3", judges=["mild", "strict"]
)
GOLD = dict(enumerate(MILD))


@pytest.fixture(scope="module")
def found():
    return accuracy(BOTH, GOLD, rng=1).criteria[0]


def test_each_judge_is_compared_with_the_known_answers(found):
    mild, strict = found.judges
    assert (mild.judge, mild.right, mild.shift, mild.alpha.value) == ("mild", 1, 0, 1)
    assert (strict.judge, strict.n, strict.right) == ("strict", 10, 0.4)
    assert strict.shift == pytest.approx(-0.6)
    # Wilson, by hand: (.4 + 3.84/20 ± 1.96 sqrt(.24/10 + 3.84/400)) / (1 + 3.84/10)
    assert (strict.right_low, strict.right_high) == pytest.approx((0.1682, 0.6873), abs=1e-4)
    alone = Ratings.from_wide(list(zip(STRICT, MILD, strict=True)), scale="1-3")
    assert strict.alpha.value == pytest.approx(covary.krippendorff_alpha(alone).value)


def test_all_judges_together_count_each_rating_and_draw_whole_items(found):
    whole = found.overall
    assert (whole.judge, whole.items, whole.n, whole.right) == (None, 10, 20, 0.7)
    assert whole.shift == pytest.approx(-0.3)
    assert whole.right_low < 0.7 < whole.right_high
    assert whole.alpha.n_items == 20


def test_copies_of_a_judge_add_no_independent_ratings():
    """Two judges who copy: the variance of a mean of n - 1 where n items were rated."""
    right = np.repeat([1.0, 1, 0, 1, 0, 1], 2)
    assert _independent(right - right.mean(), np.repeat(np.arange(6), 2)) == pytest.approx(5)


def test_a_judge_can_be_the_standard(found):
    by_judge = accuracy(BOTH, reference="mild", rng=1).criteria[0]
    assert [judge.judge for judge in by_judge.judges] == ["strict"]
    assert by_judge.judges[0].right == found.judges[1].right


def test_a_line_is_right_within_a_tenth_of_its_length():
    rows = [[50, 61, 59], [20, 20, 31], [90, 80, 100]]
    line = Ratings.from_wide(rows, scale="0-100", level="interval", judges=["gold", "a", "b"])
    a, b = accuracy(line, reference="gold").criteria[0].judges
    assert (a.right, b.right) == pytest.approx((2 / 3, 2 / 3))


def test_names_have_no_shift():
    names = Ratings.from_wide([["x", "x"], ["y", "x"], ["y", "y"]], judges=["gold", "a"])
    (a,) = accuracy(names, reference="gold").criteria[0].judges
    assert a.right == pytest.approx(2 / 3)
    assert np.isnan(a.shift)


def test_items_with_an_answer_that_nobody_rated_are_counted():
    assert accuracy(BOTH, GOLD | {"x": 1}).criteria[0].unrated == 1


def test_every_row_is_labelled_accuracy_and_the_sentence_says_the_share(found):
    rows = accuracy(BOTH, GOLD).rows()
    assert {row["kind"] for row in rows} == {"accuracy"}
    assert [row["judge"] for row in rows] == [None, "mild", "strict"]
    assert "strict gives the known answer in 40% [17%, 69%] of 10 items" in str(
        accuracy(BOTH, GOLD)
    )
    assert "below it by 0.60" in found.judges[1].sentence


@pytest.mark.parametrize(
    ("keywords", "code"),
    [
        ({}, "accuracy.gold-or-reference"),
        ({"gold": GOLD, "reference": "mild"}, "accuracy.gold-or-reference"),
        ({"gold": {0: 7}}, "accuracy.off-scale"),
        ({"gold": {"elsewhere": 1}}, "accuracy.elsewhere"),
        ({"reference": "nobody"}, "stats.no-such-judges"),
    ],
)
def test_what_cannot_be_compared_is_refused(keywords, code):
    with pytest.raises(InvalidArgument) as refused:
        accuracy(BOTH, **keywords)
    assert refused.value.code == code


def test_several_criteria_need_their_own_answers():
    table = {
        "item": [1, 2] * 4,
        "judge": ["a", "a", "b", "b"] * 2,
        "criterion": ["fluency"] * 4 + ["clarity"] * 4,
        "rating": [1, 2, 1, 3, 3, 3, 2, 3],
    }
    ratings = Ratings(table, scale="1-3")
    with pytest.raises(InvalidArgument, match="several criteria"):
        accuracy(ratings, {1: 1})
    (only,) = accuracy(ratings, {"fluency": {1: 1, 2: 2}}).criteria
    assert (only.criterion, only.overall.right) == ("fluency", 0.75)


def test_a_report_has_accuracy_where_answers_are_known_and_only_there():
    without = covary.report(BOTH, intervals=False)
    assert "accuracy" not in {section.key for section in without.contents.sections}
    assert {row["kind"] for row in without.rows()} == {"reproducibility"}
    made = covary.report(BOTH, intervals=False, accuracy=accuracy(BOTH, GOLD))
    assert "accuracy" in {section.key for section in made.contents.sections}
    assert {row["kind"] for row in made.rows()} == {"reproducibility", "accuracy"}
    assert "known answer in 70%" in " ".join(made.short().split())
    assert made.to_dict()["accuracy"]["criteria"][0]["kind"] == "accuracy"
