"""The one door, and what can be done with what comes out of it."""

import copy
import json
import pickle

import numpy as np
import pytest

from covary import InvalidArgument, Ratings, RatingsError, VerbalScale, cohen_kappa
from covary.aggregate import METHODS, combine, options_of
from tests.ratings.frames import ENGINES

VOTES = [[3, 3, 1], [3, 1, 1], [2, 2, 3], [1, 1, 1], [3, 3, 3]]


@pytest.fixture
def votes():
    return Ratings.from_wide(VOTES, scale="1-3")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_same_answer_to_read(method, votes):
    made = combine(votes, method)
    assert made.items == (0, 1, 2, 3, 4)
    assert made.ratings[3:] == (1, 3)
    assert made.categories == (1, 2, 3)
    assert made.shares.sum(axis=1) == pytest.approx(1)
    assert made.n_votes.tolist() == [3] * 5
    assert made.method == method.replace("-", "_")
    assert made.signature.startswith(f"{made.method}|level:ordinal|ties:")
    assert (made.probabilities is None) == (made.convergence is None) == (not made.judges)
    assert made.title in str(made)
    told = json.loads(json.dumps(made.to_dict()))
    assert told["ratings"] == list(made.ratings)
    assert told["signature"] == made.signature


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_the_criterion_the_tie_rule_the_occasions_and_the_seed(method):
    assert {"criterion", "ties", "occasions", "seed"} <= set(options_of(method))


def test_names_may_be_written_with_an_underscore(votes):
    assert combine(votes, "banchs_b").ratings == combine(votes, "banchs-b").ratings


def test_an_unknown_method_is_refused_with_the_known_ones(votes):
    with pytest.raises(InvalidArgument, match="method='vote' is not known; choose one of 'banchs"):
        combine(votes, "vote")


def test_an_unknown_option_is_refused_with_the_known_ones(votes):
    with pytest.raises(InvalidArgument, match=r"median has no option 'smoothing'; it takes"):
        combine(votes, "median", smoothing=1)


@pytest.mark.parametrize("method", METHODS)
def test_anything_but_ratings_is_refused(method):
    with pytest.raises(InvalidArgument, match="takes Ratings, got a list"):
        combine(VOTES, method)


def test_answers_can_be_copied_and_pickled(votes):
    made = combine(votes, "dawid-skene")
    for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again.signature == made.signature
        assert np.array_equal(again.probabilities, made.probabilities)


def test_settings_cannot_be_changed(votes):
    with pytest.raises(TypeError):
        combine(votes, "median").settings["ties"] = "upper"


def test_combined_ratings_can_be_compared_with_experts(votes):
    expert = Ratings.from_wide([[2], [2], [2], [1], [3]], scale="1-3", judges=["expert"])
    made = combine(votes, "banchs-a").to_ratings(beside=expert)
    assert made.judges == ("crowd", "expert")
    with pytest.warns(UserWarning, match="loses the order"):
        assert cohen_kappa(made, interval=None).value == 1  # 2, 2, 2, 1, 3 on both sides


def test_items_without_rating_are_not_in_the_ratings():
    made = combine(Ratings.from_wide([[1, 2], [2, 2]], scale="1-2"), "majority")
    assert made.to_ratings("many").n_ratings == 1
    none = combine(Ratings.from_wide([[1, 2]], scale="1-2"), "majority")
    with pytest.raises(RatingsError, match="no item got a rating"):
        none.to_ratings()


def test_a_judge_of_that_name_is_refused(votes):
    expert = Ratings.from_wide([[2]], scale="1-3", judges=["crowd"])
    with pytest.raises(InvalidArgument, match="already among the judges"):
        combine(votes, "median").to_ratings(beside=expert)


def test_the_criterion_goes_with_the_ratings():
    table = {
        "item": ["a", "a"],
        "judge": ["x", "y"],
        "criterion": ["fluency"] * 2,
        "rating": [1, 1],
    }
    made = combine(Ratings(table, scale="1-3"), "median")
    assert made.criterion == "fluency"
    assert made.to_ratings().criteria == ("fluency",)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["median", "dawid-skene"])
def test_every_engine_gives_the_same_answer(engine, method):
    table = {
        "item": [f"q{i}" for i in range(5) for _ in range(3)],
        "judge": ["Ann", "Bo", "Cy"] * 5,
        "rating": [vote for row in VOTES for vote in row],
    }
    scale = VerbalScale([1, 2, 3])
    made = combine(Ratings(ENGINES[engine](table), scale=scale), method)
    plain = combine(Ratings.from_wide(VOTES, scale=scale), method)
    assert made.ratings == plain.ratings
    assert made.items == ("q0", "q1", "q2", "q3", "q4")
