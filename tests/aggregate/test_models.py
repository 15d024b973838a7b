"""The four models: what they recover, refuse, and do not depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import InvalidArgument, Ratings, RatingsError, VerbalScale, VisualScale
from covary.aggregate import combine, dawid_skene, glad, mace, majority, one_coin
from covary.aggregate.em import spammer_score
from tests.aggregate.crowds import coins, crowd, with_spammers

MODELS = {"dawid-skene": dawid_skene, "one-coin": one_coin, "mace": mace, "glad": glad}
each_model = pytest.mark.parametrize("method", MODELS.values(), ids=list(MODELS))
NAMES = VerbalScale(["cat", "dog", "eel"], level="nominal")


@pytest.fixture(scope="module")
def spammed():
    """400 items, five votes each by 40 judges, twelve of whom do not look."""
    rng = np.random.default_rng(5)
    confusion, spammers = with_spammers(coins(rng.uniform(0.6, 0.95, 40), 3), 0.3, rng)
    return crowd(confusion, rng, items=400, votes=5, spammers=spammers)


@each_model
def test_a_model_beats_majority_where_there_are_spammers(method, spammed):
    made = method(spammed.ratings)
    counted = spammed.correct(majority(spammed.ratings, ties="random"))
    assert spammed.correct(made) > counted + 0.04
    assert made.convergence.agreed >= 2
    assert 1 - spammed.correct(made) == pytest.approx(made.expected_errors, abs=0.06)


@each_model
def test_a_model_finds_the_spammers(method, spammed):
    accuracy = np.array([judge.accuracy for judge in method(spammed.ratings).judges])
    assert accuracy[spammed.spammers].mean() < 0.55
    assert accuracy[~spammed.spammers].mean() > 0.7


def test_dawid_skene_scores_spammers_near_0(spammed):
    score = np.array([judge.spammer_score for judge in dawid_skene(spammed.ratings).judges])
    assert score[spammed.spammers].max() < score[~spammed.spammers].mean()


def test_the_spammer_score_by_hand():
    # Raykar & Yu for two categories: (sensitivity + specificity - 1)².
    assert spammer_score(np.array([[0.9, 0.1], [0.3, 0.7]])) == pytest.approx(0.36)
    assert np.isnan(spammer_score(np.array([[1.0, 0.0], [np.nan, np.nan]])))
    # Three categories: pairs of rows differ by 2 (six ordered pairs, halved) over 3 · 2.
    assert spammer_score(np.eye(3)) == 1
    known = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [np.nan] * 3])
    assert spammer_score(known) == pytest.approx(0.25)


def test_one_coin_recovers_accuracies():
    rng = np.random.default_rng(2)
    accuracy = np.linspace(0.35, 0.95, 10)
    found = one_coin(crowd(coins(accuracy, 3), rng, items=1500, votes=5).ratings, smoothing=0)
    errors = np.array([judge.accuracy for judge in found.judges]) - accuracy
    assert np.abs(errors).max() < 0.06  # standard errors are about sqrt(.25 / 750) = .018


def test_mace_recovers_trust_and_habit():
    rng = np.random.default_rng(3)
    trust, habit = np.array([0.9, 0.8, 0.7, 0.6, 0.0, 0.5]), rng.dirichlet(np.ones(3), 6)
    lazy = np.repeat(((1 - trust)[:, None] * habit)[:, None, :], 3, axis=1)
    made = mace(crowd(lazy + trust[:, None, None] * np.eye(3), rng, items=3000, votes=5).ratings)
    for judge, knows, strategy in zip(made.judges, trust, habit, strict=True):
        assert judge.parameters["trust"] == pytest.approx(knows, abs=0.06)
        if knows < 0.8:  # else there are few guesses to learn from
            assert judge.parameters["strategy"] == pytest.approx(strategy, abs=0.1)


def test_dawid_skene_understands_a_judge_who_swaps_two_categories():
    rng = np.random.default_rng(4)
    swapping = np.array([[0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4]])
    confusion = np.stack([*coins(np.array([0.75, 0.75, 0.75, 0.75]), 3), swapping])
    made = crowd(confusion, rng, items=1200, votes=5)
    found = dawid_skene(made.ratings, smoothing=0)
    assert found.judges[4].confusion == pytest.approx(swapping, abs=0.07)
    assert made.correct(found) > made.correct(one_coin(made.ratings)) + 0.01
    assert "1 of 5 judges are right less often than chance" in found.notes


def test_glad_tells_easy_items_and_able_judges():
    rng = np.random.default_rng(6)
    ability, ease = np.linspace(0.3, 2.5, 12), rng.normal(0.5, 1, 400)
    truth = rng.integers(0, 2, 400)
    right = rng.random((400, 12)) < 1 / (1 + np.exp(-np.exp(ease)[:, None] * ability))
    made = glad(
        Ratings.from_wide(
            np.where(right, truth[:, None], 1 - truth[:, None]).tolist(),
            scale=VerbalScale([0, 1], level="nominal"),
        )
    )
    found = [judge.parameters["ability"] for judge in made.judges]
    assert np.corrcoef(found, ability)[0, 1] > 0.95
    assert np.corrcoef(np.log(made.details["easiness"]), ease)[0, 1] > 0.6
    assert np.mean(np.array(made.ratings) == truth) > 0.95


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(MODELS)))
def test_rows_names_of_items_and_names_of_judges_change_nothing(draw, method):
    votes = [(i, j, draw.choice(["cat", "cat", "dog", "eel"])) for i in range(9) for j in range(4)]
    items, judges = list(range(9)), list(range(4))
    draw.shuffle(items)
    draw.shuffle(judges)
    renamed = [(items[i], judges[j], v) for i, j, v in votes if (i, j) != (0, 0)]
    draw.shuffle(renamed)
    first = combine(named(votes[1:]), method, tolerance=1e-7)
    second = combine(named(renamed), method, tolerance=1e-7)
    back = [second.items.index(items[i]) for i in first.items]
    assert first.probabilities == pytest.approx(second.probabilities[back], abs=1e-3)
    sure = np.sort(first.probabilities, axis=1)[:, 1:] @ [-1, 1] > 0.01
    assert [r for r, s in zip(first.ratings, sure, strict=True) if s] == [
        second.ratings[b] for b, s in zip(back, sure, strict=True) if s
    ]


def named(votes):
    item, judge, vote = map(list, zip(*votes, strict=True))
    return Ratings({"item": item, "judge": judge, "rating": vote}, scale=NAMES)


@each_model
def test_rows_in_another_order_give_the_very_same_numbers(method, spammed):
    columns = {
        name: spammed.ratings.frame.to_native().fetchnumpy()[name]
        for name in ("item", "judge", "rating")
    }
    order = np.random.default_rng(0).permutation(columns["item"].size)
    turned = Ratings({n: c[order] for n, c in columns.items()}, scale=spammed.ratings.scale())
    first, second = method(spammed.ratings), method(turned)
    assert first.ratings == second.ratings
    assert np.array_equal(first.probabilities, second.probabilities)


@each_model
def test_collapsed_items_give_what_single_items_give(method, monkeypatch):
    rng = np.random.default_rng(8)
    made = crowd(coins(np.array([0.9, 0.7, 0.6, 0.8]), 3), rng, items=60, votes=3)
    collapsed = method(made.ratings, tolerance=1e-8)
    monkeypatch.setattr("covary.aggregate.votes.EXACT", 1)  # no key fits any more
    apart = method(made.ratings, tolerance=1e-8)
    assert collapsed.ratings == apart.ratings
    assert collapsed.probabilities == pytest.approx(apart.probabilities, abs=1e-6)


@each_model
def test_slots_are_refused_with_what_to_use_instead(method):
    slots = Ratings.from_wide([["cat", "dog"]], judges="slots", scale=NAMES)
    with pytest.raises(InvalidArgument, match="majority, median, mean, banchs_a and banchs_b"):
        method(slots)


@each_model
def test_a_line_is_refused(method):
    with pytest.raises(InvalidArgument, match="hardly ever coincide; use median or mean"):
        method(Ratings.from_wide([[1.5, 2.5]], scale=VisualScale()))


@each_model
def test_one_judge_cannot_be_compared_with_anybody(method):
    with pytest.raises(RatingsError, match="no item has votes from two judges"):
        method(Ratings.from_wide([["cat"], ["dog"]], scale=NAMES))


@each_model
def test_judges_who_share_no_item_cannot_be_compared(method):
    with pytest.raises(RatingsError, match="no item has votes from two judges"):
        method(Ratings.from_wide([["cat", None], [None, "dog"]], scale=NAMES))


@each_model
def test_two_judges_are_said_to_be_too_few(method):
    made = method(Ratings.from_wide([["cat", "cat"], ["dog", "dog"], ["cat", "dog"]], scale=NAMES))
    assert made.ratings[:2] == ("cat", "dog")
    assert any("two judges cannot show which of them is right" in note for note in made.notes)


@each_model
def test_votes_that_balance_exactly_are_a_tie(method):
    rows = [["cat", "dog"], ["dog", "cat"], ["cat", "cat"], ["dog", "dog"]]
    votes = Ratings.from_wide(rows, scale=VerbalScale(["cat", "dog"], level="nominal"))
    made = method(votes)
    assert made.ratings[:2] == (None, None)
    assert made.tied.tolist() == [True, True, False, False]
    assert method(votes, ties="lower").ratings[:2] == ("cat", "cat")


@each_model
def test_a_category_that_nobody_used_gets_nothing(method):
    rows = [["cat", "cat", "dog"], ["dog", "dog", "dog"], ["cat", "cat", "cat"]] * 4
    made = method(Ratings.from_wide(rows, scale=NAMES))
    assert "eel" not in made.ratings
    assert made.probabilities[:, 2].max() < 0.05
    if method is dawid_skene:
        assert made.prior["eel"] < 1e-12
        assert np.isnan(made.judges[0].confusion[2]).all()


@each_model
def test_everybody_agreeing_on_one_category_is_no_trouble(method):
    made = method(Ratings.from_wide([["cat"] * 3] * 5, scale=NAMES))
    assert set(made.ratings) == {"cat"}
    assert made.certainty.min() > 0.9


@each_model
def test_items_with_one_vote_and_missing_votes_are_taken(method, spammed):
    rows = [["cat", "cat", None], [None, "dog", "dog"], ["eel", None, None]] + [["dog"] * 3] * 5
    made = method(Ratings.from_wide(rows, scale=NAMES))
    assert made.ratings[:2] == ("cat", "dog")
    assert made.n_votes.tolist()[:3] == [2, 2, 1]
    assert "1 of 8 items rest on one vote" in made.notes


@each_model
def test_a_judge_without_a_vote_has_no_accuracy(method):
    rows = [["cat", "cat", None], ["dog", "dog", None], ["cat", "dog", None]]
    judge = method(Ratings.from_wide(rows, scale=NAMES)).judges[2]
    assert judge.n_votes == 0
    assert np.isnan(judge.accuracy)


@each_model
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"smoothing": -1}, "smoothing=-1 must be a number of at least 0"),
        ({"starts": 0}, "starts=0 must be a whole number of at least 1"),
        ({"starts": 1.5}, "starts=1.5 must be a whole number of at least 1"),
        ({"max_iterations": 2.5}, "max_iterations=2.5 must be a whole number of at least 2"),
        ({"seed": 1.5}, "seed=1.5 must be a whole number"),
        ({"tolerance": 0}, "tolerance=0 must lie between 0 and 1"),
        ({"top": "best"}, "top='best' is not known; choose one of 'nearest', 'highest'"),
        ({"ties": "first"}, "ties='first' is not known"),
        ({"occasions": "all"}, "occasions='all' is not known"),
    ],
    ids=lambda option: "-".join(map(str, *option.items())) if isinstance(option, dict) else "",
)
def test_a_wrong_option_is_refused(method, option, words, spammed):
    with pytest.raises(InvalidArgument, match=words):
        method(spammed.ratings, **option)


def test_the_order_of_a_scale_is_said_to_be_lost():
    ordered = Ratings.from_wide([[1, 1, 2], [3, 3, 3], [2, 2, 1]], scale="1-3")
    assert any("does not know the order" in note for note in one_coin(ordered).notes)
    assert not any("does not know the order" in note for note in dawid_skene(ordered).notes)


@pytest.mark.parametrize("scale", [VerbalScale([1, 2, 3], level="nominal"), VerbalScale([1, 2])])
def test_where_there_is_no_order_none_is_lost(scale):
    votes = Ratings.from_wide([[1, 1, 2], [2, 2, 2], [2, 2, 1]], scale=scale)
    assert notes_of(one_coin(votes), "aggregate.model-ignores-order") == []


def test_a_model_that_lost_its_way_says_so():
    """Two categories and one-sided judges: with an estimated prior, all items become one."""
    rng = np.random.default_rng(0)
    confusion, _ = with_spammers(coins(rng.uniform(0.55, 0.95, 200), 2), 0.3, rng)
    made = one_coin(crowd(confusion, rng, items=800, votes=3).ratings, prior="estimated")
    assert any("probably wrong" in note for note in made.notes)


def notes_of(made, code):
    return [note.data for note in made.notes if note.code == code]


def test_starts_that_agree_are_not_mentioned(spammed):
    made = one_coin(spammed.ratings, starts=2)
    assert made.convergence.agreed == 2
    assert notes_of(made, "aggregate.other-tops") == []


def test_starts_that_end_elsewhere_are_counted_with_the_height_that_they_gain():
    """Unsmoothed, with three votes for each item, several readings are as good or better."""
    rng = np.random.default_rng(3)
    votes = crowd(coins(rng.uniform(0.4, 0.8, 30), 3), rng, items=60, votes=3).ratings
    made = dawid_skene(votes, smoothing=0, starts=4)
    (note,) = notes_of(made, "aggregate.other-tops")
    heights = made.convergence.heights
    assert note["other"] == 4 - made.convergence.agreed > 0
    assert note["higher"] == pytest.approx(max(heights) - heights[0])


def test_a_judge_is_below_chance_from_one_in_as_many_as_there_are_categories():
    """Of four categories a quarter is chance: .4 is better than that, and .1 is worse."""
    rng = np.random.default_rng(4)
    mediocre = one_coin(crowd(coins(np.full(8, 0.4), 4), rng, items=600, votes=8).ratings)
    assert 0.3 < min(judge.accuracy for judge in mediocre.judges) < 0.5
    assert notes_of(mediocre, "aggregate.below-chance") == []
    accuracy = np.array([0.9] * 6 + [0.1, 0.1])
    two = one_coin(crowd(coins(accuracy, 4), rng, items=600, votes=8).ratings)
    assert notes_of(two, "aggregate.below-chance") == [{"n": 2, "judges": 8}]
