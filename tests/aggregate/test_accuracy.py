"""How many combined ratings are wrong: the stated share against the real one, or no number."""

import csv
import math

import numpy as np
import pytest

from covary import InvalidArgument, Ratings, VerbalScale, read
from covary.aggregate import accuracy, combine, combined_error
from tests.aggregate.crowds import coins, crowd, misled, with_spammers
from tests.architecture.conftest import ROOT

EXAMPLES = ROOT / "docs" / "examples"


def coin_crowd(rng):
    return crowd(coins(rng.uniform(0.55, 0.9, 40), 3), rng, items=1000, votes=5)


def spammed_crowd(rng):
    confusion, spammers = with_spammers(coins(rng.uniform(0.6, 0.95, 40), 3), 0.3, rng)
    return crowd(confusion, rng, items=1000, votes=5, spammers=spammers)


def neighbours_crowd(rng):
    """Judges who confuse neighbours, each a little differently; half of the items are the first."""
    usual = np.array([[0.85, 0.12, 0.03], [0.15, 0.7, 0.15], [0.03, 0.22, 0.75]])
    confusion = np.array([[rng.dirichlet(12 * row + 0.2) for row in usual] for _ in range(40)])
    return crowd(confusion, rng, items=1000, votes=5, prior=np.array([0.5, 0.3, 0.2]))


@pytest.fixture
def few_copies(monkeypatch):
    """Simulate the study itself a few times: enough to tell, where the share is not looked at."""
    monkeypatch.setattr(accuracy, "SIMULATED_ITEMS", 1000)


def real_share(made, truth):
    pairs = zip(made.ratings, truth, strict=True)
    return float(np.mean([rating != answer for rating, answer in pairs if rating is not None]))


@pytest.mark.parametrize("method", ["majority", "one-coin", "dawid-skene", "mace"])
@pytest.mark.parametrize("simulated", [coin_crowd, spammed_crowd, neighbours_crowd])
def test_the_stated_share_is_within_a_factor_of_one_and_a_half_of_the_real_one(simulated, method):
    people = simulated(np.random.default_rng(11))
    made = combine(people.ratings, method)
    error = combined_error(people.ratings, made)
    real = real_share(made, people.truth)
    assert error.basis == "model"
    assert 1 / 1.5 < error.share / real < 1.5
    assert error.low < error.share < error.high


@pytest.mark.parametrize("categories", [3, 5])
@pytest.mark.parametrize("method", ["majority", "one-coin", "dawid-skene", "glad"])
def test_where_items_mislead_there_is_no_number(method, categories, few_copies):
    """On three in ten items most judges follow the same wrong category: models expect far less."""
    people = misled(np.random.default_rng(3), items=400, votes=5, categories=categories)
    made = combine(people.ratings, method)
    error = combined_error(people.ratings, made)
    assert (error.basis, error.reason) == ("none", "dependent")
    assert math.isnan(error.share)
    assert error.simulated < real_share(made, people.truth) / 2
    assert max(error.misfit.values()) > 3


@pytest.mark.parametrize(("categories", "votes"), [(2, 7), (3, 4)])
def test_few_votes_cannot_show_whether_judges_err_together(categories, votes):
    people = misled(np.random.default_rng(3), items=400, votes=votes, categories=categories)
    error = combined_error(people.ratings, combine(people.ratings, "majority"))
    assert (error.basis, error.reason) == ("none", "few-votes")


def test_hardly_any_wrong_ratings_are_not_given_a_share(few_copies):
    rng = np.random.default_rng(2)
    sure = crowd(coins(np.full(20, 0.95), 3), rng, items=300, votes=7)
    error = combined_error(sure.ratings, combine(sure.ratings, "one-coin"))
    assert (error.basis, error.reason) == ("none", "few-errors")


def test_gold_is_counted_with_wilson_s_interval():
    """Of 20 known answers 5 are wrong: (.25 + .0960 ± 1.96 √(.25·.75/20 + .0024)) / 1.1921."""
    rows = [["a", "a", "a"]] * 15 + [["a", "a", "b"]] * 5
    votes = Ratings.from_wide(rows)
    gold = {item: "a" if item < 15 else "b" for item in range(20)}
    error = combined_error(votes, combine(votes, "majority"), gold=gold)
    assert (error.basis, error.gold_items, error.gold_wrong) == ("gold", 20, 5)
    assert (error.share, error.low, error.high) == pytest.approx((0.25, 0.1119, 0.4687), abs=5e-5)


def test_gold_says_where_a_model_is_too_sure(few_copies):
    people = misled(np.random.default_rng(3), items=400, votes=5, categories=3)
    made = combine(people.ratings, "dawid-skene")
    gold = dict(enumerate(people.truth[:200].tolist()))
    error = combined_error(people.ratings, made, gold=gold)
    assert error.low < real_share(made, people.truth) < error.high
    assert "aggregate.overconfident" in [note.code for note in error.notes]


def test_methods_that_contradict_the_stated_share_are_named(few_copies):
    """Nine judges of 12 always say b: majority follows them and Dawid and Skene do not."""
    rng = np.random.default_rng(4)
    good, lazy = coins(np.full(4, 0.97), 2), np.tile([[0.03, 0.97]], (5, 2, 1))
    people = crowd(np.concatenate([good, lazy]), rng, items=300, votes=9)
    made = combine(people.ratings, "dawid-skene")
    error = combined_error(people.ratings, made)
    assert error.disagreement["majority"] > 0.2 > 10 * made.expected_errors
    (note,) = [n for n in error.notes if n.code.startswith("aggregate.methods-disagree")]
    assert "majority" in note.data["methods"]
    assert math.isnan(error.share)
    assert "thought to be wrong" not in note
    gold = combined_error(people.ratings, made, gold={0: people.truth[0], 1: people.truth[1]})
    (note,) = [n for n in gold.notes if n.code.startswith("aggregate.methods-disagree")]
    assert "more than are thought to be wrong" in note


def test_where_no_share_is_given_nothing_is_said_of_what_is_thought_to_be_wrong():
    """Of seven votes on each of 40 items, four who guess b outvote three who know."""
    rows = [[t, t, t, "b", "b", "b", "b"] for t in ["a", "b"] * 20]
    votes = Ratings.from_wide(rows)
    error = combined_error(votes, combine(votes, "majority"))
    assert error.reason == "few-votes"
    (note,) = [n for n in error.notes if n.code.startswith("aggregate.methods-disagree")]
    assert "of the items differently: look" in note
    assert "thought to be wrong" not in note


@pytest.mark.parametrize("method", ["banchs-b", "majority", "dawid-skene"])
def test_the_shipped_votes_are_too_few_for_a_number_and_enough_with_experts(method):
    scale = "invalid,acceptable,valid"
    votes = read(EXAMPLES / "crowd.csv", scale=scale)
    made = combine(votes, method)
    assert combined_error(votes, made).reason == "few-votes"
    answers = {}
    with (EXAMPLES / "experts.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            answers.setdefault(row["item"], set()).add(row["rating"])
    gold = {item: next(iter(given)) for item, given in answers.items() if len(given) == 1}
    pairs = [(gold[i], r) for i, r in zip(made.items, made.ratings, strict=True) if i in gold]
    real = np.mean([answer != rating for answer, rating in pairs if rating is not None])
    error = combined_error(votes, made, gold=gold)
    assert error.share == pytest.approx(real)
    assert error.low < error.share < error.high


@pytest.mark.parametrize(
    ("ratings", "method", "reason"),
    [
        (Ratings.from_wide([[1, 2, 2], [3, 3, 1]], scale="1-3", judges="slots"), "median", "slots"),
        (Ratings.from_wide([[1.5, 2.5], [30.0, 31.0]], scale="0-100"), "mean", "line"),
    ],
    ids=["slots", "line"],
)
def test_slots_and_lines_have_no_number(ratings, method, reason):
    assert combined_error(ratings, combine(ratings, method)).reason == reason


def test_known_answers_must_be_possible_and_of_these_items():
    votes = Ratings.from_wide([["a", "a", "b"], ["b", "b", "a"]], scale=VerbalScale(["a", "b"]))
    made = combine(votes, "majority")
    with pytest.raises(InvalidArgument, match="'c' of item 0 is not possible"):
        combined_error(votes, made, gold={0: "c"})
    with pytest.raises(InvalidArgument, match="none of the 1 items"):
        combined_error(votes, made, gold={"elsewhere": "a"})
    with pytest.raises(InvalidArgument, match="confidence"):
        combined_error(votes, made, confidence=95)


def test_the_same_seed_gives_the_same_number_and_it_writes_itself(few_copies):
    people = coin_crowd(np.random.default_rng(1))
    made = combine(people.ratings, "dawid-skene")
    first, second = (combined_error(people.ratings, made, seed=4) for _ in range(2))
    assert first == second
    assert first.to_dict()["share"] == first.share
    assert [row["source"] for row in first.rows()] == [
        "stated",
        "expected by the model",
        "simulated",
    ]


@pytest.mark.parametrize("options", [{}, {"smoothing": 1.0}])
def test_a_fit_that_is_there_already_stands_for_the_same_one_made_again(
    options, few_copies, monkeypatch
):
    people = coin_crowd(np.random.default_rng(1))
    made = combine(people.ratings, "dawid-skene", **options)
    once = combined_error(people.ratings, made, seed=4)
    monkeypatch.setattr(accuracy, "_is_plain", lambda *_: False)
    assert combined_error(people.ratings, made, seed=4) == once
