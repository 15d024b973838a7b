"""Majority, median and mean: by hand, with every rule for ties, on every kind of scale."""

import numpy as np
import pytest

from covary import InvalidArgument, Ratings, RatingsError, VerbalScale, VisualScale
from covary.aggregate import (
    RULES,
    combine,
    combined_error,
    dawid_skene,
    majority,
    mean,
    median,
)
from covary.aggregate.method import settle

NAMES = VerbalScale(["cat", "dog", "eel"], level="nominal")


def votes(*rows, **given):
    width = max(map(len, rows))
    return Ratings.from_wide(
        [[*row, *[None] * (width - len(row))] for row in rows], **({"scale": "1-5"} | given)
    )


@pytest.mark.parametrize(
    ("row", "rule", "rating"),
    [
        ([1, 2], "lower", 1),
        ([1, 2], "upper", 2),
        ([1, 2], "middle", 2),
        ([4, 5], "middle", 4),
        ([2, 3], "middle", 3),
        ([3, 4], "middle", 3),
        ([1, 5], "middle", 3),
        ([2, 4], "middle", 3),
        ([1, 4], "middle", 3),
        ([1, 2], "abstain", None),
        ([3, 3], "abstain", 3),
        ([1, 1, 2, 4], "lower", 1),
        ([1, 1, 2, 4], "upper", 2),
        ([1, 2, 4, 5], "middle", 3),
    ],
    ids=lambda each: "".join(map(str, each)) if isinstance(each, list) else str(each),
)
def test_the_median_of_an_even_number_of_votes_follows_the_rule(row, rule, rating):
    made = median(votes(row), ties=rule)
    assert made.ratings == (rating,)
    assert made.settings["ties"] == rule


def test_no_category_is_the_middle_of_an_even_scale():
    made = median(votes([2, 3], [1, 2], scale="1-4"), ties="middle")
    assert made.ratings == (None, 2)
    assert any("1 of 2 items got no rating" in note for note in made.notes)


def test_an_odd_number_of_votes_never_ties_in_the_median():
    made = median(votes([1, 5, 5], [1, 2, 3], [4]), ties="abstain")
    assert made.ratings == (5, 2, 4)
    assert made.ties == ()


@pytest.mark.parametrize(
    ("row", "rule", "rating"),
    [
        ([1, 2], "lower", 1),
        ([1, 2], "upper", 2),
        ([1, 2], "middle", 2),
        ([1, 2], "abstain", None),
        ([1, 1, 2], "abstain", 1),
        ([1, 5, 5], "abstain", 4),
        ([1, 1, 1, 5], "abstain", 2),
        ([4, 5, 5, 4], "middle", 4),
    ],
    ids=lambda each: "".join(map(str, each)) if isinstance(each, list) else str(each),
)
def test_the_rounded_mean_by_hand(row, rule, rating):
    assert mean(votes(row), ties=rule).ratings == (rating,)


def test_the_mean_uses_numbers_from_interval_level_up_and_ranks_below():
    row = [[0, 0, 10]]  # mean 10/3 is nearest to 1 of 0, 1, 10; mean rank 5/3 to the second too
    far = [[0, 10]]  # the number 5 is nearer to 1 than to 10; the rank 2 is 1 as well
    spread = [[0, 10, 10]]  # 20/3 is nearest to 10; the rank 7/3 to the second, which is 1
    interval = VerbalScale([0, 1, 10], level="interval")
    ordinal = VerbalScale([0, 1, 10])
    for given, number, rank in ((row, 1, 1), (far, 1, 1), (spread, 10, 1)):
        assert mean(Ratings.from_wide(given, scale=interval)).ratings == (number,)
        assert mean(Ratings.from_wide(given, scale=ordinal)).ratings == (rank,)


def test_majority_says_which_items_tied_and_between_what():
    made = majority(votes(["cat", "cat", "dog"], ["cat", "dog"], ["eel"], scale=NAMES))
    assert made.ratings == ("cat", None, "eel")
    (tie,) = made.ties
    assert (tie.item, tie.between, tie.chosen) == (1, ("cat", "dog"), None)
    assert made.n_votes.tolist() == [3, 2, 1]
    assert made.certainty.tolist() == [pytest.approx(2 / 3), pytest.approx(np.nan, nan_ok=True), 1]
    assert "1 of 3 items rest on one vote" in made.notes


def test_random_ties_depend_on_names_and_the_seed_not_on_rows():
    items = [f"q{number}" for number in range(40) for _ in range(2)]
    rows = {"item": items, "judge": ["cat", "dog"] * 40, "rating": ["cat", "dog"] * 40}
    turned = {name: column[::-1] for name, column in rows.items()}
    first = majority(Ratings(rows, scale=NAMES), ties="random", seed=3)
    assert majority(Ratings(turned, scale=NAMES), ties="random", seed=3).ratings == first.ratings
    assert majority(Ratings(rows, scale=NAMES), ties="random", seed=4).ratings != first.ratings
    assert 8 < first.ratings.count("cat") < 32
    assert first.n_abstained == 0
    assert "|seed:3|" in first.signature


def test_middle_of_several_lies_between_the_first_and_the_last():
    tied = np.array([[1, 1, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0]], dtype=bool)
    assert settle(tied, "middle").tolist() == [2, 2, 2]


@pytest.mark.parametrize("method", [majority, median, mean])
def test_an_unknown_rule_is_refused_with_the_known_ones(method):
    with pytest.raises(InvalidArgument, match=r"ties='first'.*'abstain', 'lower', 'upper'"):
        method(votes([1, 2]), ties="first")


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in ("abstain", "random")])
def test_names_have_no_lower_end(rule):
    with pytest.raises(InvalidArgument, match="needs ordered ratings"):
        majority(votes(["cat", "dog"], scale=NAMES), ties=rule)


@pytest.mark.parametrize("method", [median, mean])
def test_names_have_no_middle(method):
    with pytest.raises(InvalidArgument, match="use majority or dawid_skene"):
        method(votes(["cat", "dog"], scale=NAMES))


@pytest.mark.parametrize("method", [median, mean])
def test_an_undeclared_scale_may_have_categories_between(method):
    with pytest.raises(InvalidArgument, match="declare the scale, such as scale"):
        method(votes([1, 3], scale=None, level="ordinal"))


def test_a_line_has_a_median_and_a_mean_that_are_not_rounded():
    lines = votes([10.0, 30.5], [1.5, 2.5, 80.0], [7.0], scale=VisualScale())
    assert median(lines).ratings == (20.25, 2.5, 7.0)
    made = mean(lines)
    assert made.ratings == (20.25, 28.0, 7.0)
    # By hand: 20.5 / sqrt(2) / sqrt(2); sqrt((26.5² + 25.5² + 52²) / 2 / 3); one vote has none.
    expected = [10.25, np.sqrt(4056.5 / 6), np.nan]
    assert made.details["standard_error"] == pytest.approx(expected, nan_ok=True)
    assert np.isnan(made.certainty).all()
    assert made.shares.shape == (3, 0)


def test_undeclared_interval_numbers_are_a_line():
    assert mean(votes([1.5, 2.0], scale=None, level="interval")).ratings == (1.75,)


def test_majority_refuses_a_line():
    with pytest.raises(InvalidArgument, match="votes hardly ever coincide; use median or mean"):
        majority(votes([1.5, 2.5], scale=VisualScale()))


def test_slots_are_enough_to_count_votes():
    slots = votes([1, 1, 2], [3, 4, 5], judges="slots")
    assert majority(slots, ties="middle").ratings == (1, 4)
    assert median(slots).ratings == (1, 4)


def test_items_without_a_vote_are_left_out_and_said():
    made = majority(votes([1, 1], [None, None], [2, 2]))
    assert (made.items, made.ratings) == ((0, 2), (1, 2))
    assert "1 items have no vote and are left out" in made.notes


def test_nothing_but_missing_votes_is_an_error():
    with pytest.raises(RatingsError, match="every rating is missing"):
        majority(votes([None, None], scale=VerbalScale([1, 2])))


def test_a_category_that_nobody_used_keeps_its_column():
    made = majority(votes([1, 1, 2], scale="1-3"))
    assert made.categories == (1, 2, 3)
    assert made.shares.tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3), 0]]


def test_soft_labels_can_be_smoothed():
    made = majority(votes([1, 1, 2], scale="1-3"))
    assert made.soft_labels(1.0).tolist() == [[pytest.approx(n / 6) for n in (3, 2, 1)]]
    with pytest.raises(InvalidArgument, match="0 or more"):
        made.soft_labels(-1)


def test_several_occasions_are_refused_or_each_a_vote():
    table = {"item": ["a", "a", "a"], "judge": ["x", "x", "y"], "rating": [1, 1, 2]}
    twice = Ratings(table, scale="1-2", repeats="occasions")
    with pytest.raises(InvalidArgument, match="occasions='votes'"):
        majority(twice)
    assert majority(twice, occasions="votes").ratings == (1,)


def test_a_criterion_is_chosen_by_name():
    table = {
        "item": ["a", "a"],
        "judge": ["x", "x"],
        "criterion": ["fluency", "clarity"],
        "rating": [1, 3],
    }
    both = Ratings(table, scale="1-3")
    assert majority(both, criterion="clarity").ratings == (3,)
    with pytest.raises(InvalidArgument, match="must be one of them"):
        majority(both)


def long_votes(scale, *, seed=1):
    """Votes on 40 items by six judges, some without a rating, as long rows in an engine."""
    rng = np.random.default_rng(seed)
    given = rng.integers(0, len(scale.categories), 240).tolist()
    ratings = [None if rng.random() < 0.2 else scale.categories[code] for code in given]
    ratings[:6] = [None] * 6
    return Ratings(
        {
            "item": [f"item {row // 6}" for row in range(240)],
            "judge": [f"judge {row % 6}" for row in range(240)],
            "rating": ratings,
        },
        scale=scale,
    )


def beyond(ratings, room):
    """The same ratings, of which only so many may be brought."""
    copy = ratings.select()
    copy.room = room
    copy.__dict__.pop("large", None)
    assert copy.large
    return copy


@pytest.mark.parametrize("method", ["majority", "median", "mean", "banchs-a", "banchs-b"])
def test_the_engine_counts_more_votes_than_may_be_brought(method):
    ratings = long_votes(VerbalScale([1, 2, 3, 4, 5]))
    brought, counted = combine(ratings, method), combine(beyond(ratings, 100), method)
    assert counted.items == brought.items
    assert counted.ratings == brought.ratings
    assert counted.notes == brought.notes
    assert (counted.shares == brought.shares).all()
    assert (counted.n_votes == brought.n_votes).all()
    assert (counted.candidates == brought.candidates).all()


def test_the_engine_counts_names_too():
    ratings = long_votes(NAMES)
    assert majority(beyond(ratings, 100)).ratings == majority(ratings).ratings


def test_counted_votes_have_no_share_of_wrong_ratings_without_gold():
    ratings = beyond(long_votes(NAMES), 100)
    error = combined_error(ratings, majority(ratings))
    assert (error.basis, error.reason) == ("none", "large")


def test_a_model_of_judges_says_what_to_do_with_too_many_votes():
    with pytest.raises(InvalidArgument, match=r"combine\(ratings, 'dawid-skene'\)") as refusal:
        dawid_skene(beyond(long_votes(NAMES), 100))
    assert refusal.value.code == "aggregate.too-many"


def test_more_items_than_may_be_brought_are_refused():
    with pytest.raises(InvalidArgument, match="39 items are more than the 20") as refusal:
        majority(beyond(long_votes(NAMES), 20))
    assert refusal.value.code == "aggregate.too-many-items"


def test_numbers_without_a_declared_scale_are_averaged_beyond_memory_too():
    votes = [(1, 1, 3, 3, 1), (2, 2, 2, 1, 3), (3, 3, 3, 3, 1)] * 20
    table = {
        "item": [f"i{n:02}" for n in range(60) for _ in range(5)],
        "judge": [judge for _ in range(60) for judge in "abcde"],
        "rating": [vote for own in votes for vote in own],
    }
    large = beyond(Ratings(table, level="interval"), 200)
    assert large.large
    assert combine(large, "mean").ratings[:3] == pytest.approx((1.8, 2.0, 2.6))
    assert combine(large, "median").ratings[:3] == pytest.approx((1, 2, 3))


@pytest.mark.parametrize("numbers", [False, True])
def test_votes_counted_by_the_engine_give_what_votes_one_by_one_give(monkeypatch, numbers):
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(300), 3)
    named = [int(one) if numbers else f"item {one}" for one in item]
    rows = {
        "item": named,
        "judge": [f"j{one}" for one in np.tile(np.arange(3), 300)],
        "rating": rng.integers(1, 6, item.size).tolist(),
    }
    rows = {
        name: [column[place] for place in rng.permutation(900)] for name, column in rows.items()
    }
    rows["judge"] = [f"j{place}" for place in range(900)]
    each = majority(Ratings(rows, scale="1-5"), ties="random")
    for few in ("FEW", "FEW_COUNTED"):
        monkeypatch.setattr(f"covary.aggregate.votes.{few}", 0)
    counted = majority(Ratings(rows, scale="1-5"), ties="random")
    assert counted.items == each.items
    assert counted.ratings == each.ratings
    assert counted.certainty == pytest.approx(each.certainty)
