"""How many votes equal an expert, who voted, what it cost, and which sessions are shared."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.crowd import crowd_study, shared_sessions
from covary.analysis.crowd.comparison import combined_shares, crossing, longest_curve
from covary.analysis.crowd.workforce import gini
from covary.errors import InvalidArgument
from tests.analysis.crowd_studies import SCALE, WORDS, crowd_and_experts, drawn, long

EXPERTS = ["expert 1", "expert 2"]


def study(seed=2, **more):
    given = {key: more.pop(key) for key in ("items", "votes", "crowd", "expert") if key in more}
    votes, experts, _ = drawn(seed, **given)
    return crowd_study(
        long(votes, [[f"p{n}" for n in range(votes.shape[1])]] * len(votes)),
        long(experts, [EXPERTS] * len(experts)),
        **{"rng": 1, "arrangements": 50, "resamples": 300, "methods": "banchs-b", **more},
    )


def curve(found, coefficient, method="banchs-b"):
    return [
        each for each in found.curve if (each.coefficient, each.method) == (coefficient, method)
    ]


def test_the_ways_to_pick_votes_are_counted_by_hand():
    """Votes 0 0 2: two of them are 00 once and 02 twice; three are 0 0 2, whose median is 0."""
    counts = np.array([[2, 0, 1]])
    one, two, three = (combined_shares(counts, k, "banchs-b", SCALE)[0] for k in (1, 2, 3))
    assert one == pytest.approx([2 / 3, 0, 1 / 3])
    assert two == pytest.approx([1 / 3 + 2 / 3 / 2, 0, 2 / 3 / 2])
    assert three == pytest.approx([1, 0, 0])
    assert combined_shares(counts, 3, "banchs-a", SCALE)[0] == pytest.approx([0, 1, 0])


def test_picking_votes_at_random_gives_the_same_shares():
    rng = np.random.default_rng(1)
    votes = rng.integers(0, 3, (6, 5))
    counts = np.stack([(votes == k).sum(axis=1) for k in range(3)], axis=1)
    exact = combined_shares(counts, 3, "banchs-b", SCALE)
    every = [np.sort(votes[:, list(way)], axis=1)[:, 1] for way in combinations(range(5), 3)]
    assert exact == pytest.approx(
        np.stack([(np.array(every) == k).mean(axis=0) for k in range(3)], axis=1)
    )


@pytest.mark.parametrize("coefficient", ["cohen_kappa", "fisher_icc"])
@pytest.mark.parametrize("method", ["banchs-b", "majority", "median"])
def test_more_votes_agree_better(coefficient, method):
    found = study(votes=9, methods=method)
    values = [each.value for each in curve(found, coefficient, method)]
    assert len(values) == 9
    assert all(b >= a - 1e-9 for a, b in pairwise(values))
    assert values[8] > values[0] + 0.15


def test_the_curve_ends_where_all_votes_are_combined():
    found = study(votes=3)
    last = curve(found, "cohen_kappa")[-1]
    both = [found.combined("cohen_kappa", expert)[0].value for expert in EXPERTS]
    assert last.votes == 3
    assert last.by_expert == pytest.approx(both)
    assert last.value == pytest.approx(np.mean(both))
    one = curve(found, "cohen_kappa")[0]
    means = [e.closed_form.mean for e in found.arrangements if e.coefficient == "cohen_kappa"]
    assert one.value == pytest.approx(np.mean(means))


def test_experts_like_the_crowd_are_worth_one_vote_and_perfect_ones_more_than_there_are():
    alike = study(seed=6, votes=5, crowd=0.6, expert=0.55, coefficients="cohen_kappa")
    (rate,) = alike.votes_per_expert
    assert rate.low == 1
    assert rate.votes < 3
    sharp = study(seed=6, votes=3, crowd=0.3, expert=0.97, coefficients="cohen_kappa")
    (rate,) = sharp.votes_per_expert
    assert math.isinf(rate.votes)
    assert math.isinf(rate.high)
    assert rate.reached == 0
    assert sharp.to_dict()["votes_per_expert"][0]["votes"] is None


def test_votes_per_expert_is_where_the_curve_meets_the_experts():
    """Nine votes of people who are right half the time beside experts who mostly are."""
    found = study(
        seed=3, votes=9, crowd=0.45, expert=0.7, pay=0.05, fee=0.01, coefficients="cohen_kappa"
    )
    (rate,) = found.votes_per_expert
    points = curve(found, "cohen_kappa")
    below, above = points[math.floor(rate.votes) - 1], points[math.ceil(rate.votes) - 1]
    assert below.value <= rate.experts <= above.value
    assert rate.low < rate.votes < rate.high
    assert rate.cost_per_item == pytest.approx(rate.votes * 0.06)


def test_a_curve_is_read_between_whole_numbers():
    found = crossing(
        np.array([[0.5, 0.6], [0.1, 0.2], [0.1, 0.3], [np.nan, 1]]), np.array([0.4, 0.3, 0.2, 0.3])
    )
    assert found[:3].tolist() == [1.0, math.inf, 1.5]
    assert math.isnan(found[3])


def test_the_curve_stops_where_most_items_have_fewer_votes():
    assert longest_curve(np.array([3, 3, 3, 7]), 3) == 3
    assert longest_curve(np.array([1, 9, 9]), 3) == 9
    assert longest_curve(np.array([30, 30, 30]), 11) < 30


def test_the_cost_of_the_published_study():
    """Banchs (2016), section 4: 405 × 3 votes at .05 + .01 cost 72.90; 33 people, 36.82 each."""
    crowd, experts = crowd_and_experts(people=33)
    found = crowd_study(
        crowd, experts, pay=0.05, fee=0.01, rng=1, arrangements=50, resamples=50, expert_pay=0.25
    )
    assert found.costs.crowd_votes == 1215
    assert found.costs.crowd_cost == pytest.approx(72.90)
    assert found.costs.crowd_cost_per_item == pytest.approx(0.18)
    assert found.costs.expert_cost == pytest.approx(810 * 0.25)
    assert [each.cost for each in curve(found, "cohen_kappa")] == pytest.approx([24.3, 48.6, 72.9])
    assert found.judges.n_judges == 33
    assert round(found.judges.mean, 2) == 36.82


def people(times, seconds):
    """One item per vote; person n votes so often and takes so many seconds each time."""
    rows = {"item": [], "judge": [], "rating": [], "seconds": []}
    for person, (n, each) in enumerate(zip(times, seconds, strict=True)):
        for _ in range(n):
            rows["item"].append(f"t{len(rows['item'])}")
            rows["judge"].append(f"p{person}")
            rows["rating"].append(WORDS[len(rows["item"]) % 3])
            rows["seconds"].append(float(each))
    return Ratings(rows, scale=SCALE)


def test_the_people_of_a_crowd_by_hand():
    """Votes 1, 2 and 7: Gini 4/10 = Σ|differences| / (2 n² mean); 30 s at .05 is 6.00 an hour."""
    crowd = people([1, 2, 7], [90, 45, 150 / 7])
    expert = Ratings(
        {
            "item": [f"t{n}" for n in range(10)],
            "judge": ["E"] * 10,
            "rating": [WORDS[(n + 1) % 3] for n in range(10)],
        },
        scale=SCALE,
    )
    found = crowd_study(crowd, expert, pay=0.05, wage=5.0, rng=1, arrangements=10, resamples=10)
    who = found.judges
    assert (who.n_judges, who.fewest, who.most, who.n_votes) == (3, 1, 7, 10)
    assert who.mean == pytest.approx(10 / 3)
    assert who.gini == pytest.approx((1 + 6 + 5) * 2 / (2 * 9 * 10 / 3))
    assert who.top_share == pytest.approx(0.7)
    assert who.seconds_mean == pytest.approx(33)  # (90 + 90 + 150) / 10
    assert who.hourly == pytest.approx(0.05 * 3600 / 33)
    assert who.share_below == pytest.approx(2 / 3)  # 2.00, 4.00 and 8.40 an hour
    assert not who.underpaid
    assert found.costs.crowd_hours == pytest.approx(330 / 3600)
    assert math.isnan(found.costs.expert_hours)


def test_thirty_seconds_at_five_cents_is_six_dollars_and_below_a_minimum_wage():
    crowd = people([5, 5], [30, 30])
    expert = Ratings(
        {
            "item": [f"t{n}" for n in range(10)],
            "judge": ["E"] * 10,
            "rating": [WORDS[n % 3] for n in range(10)],
        },
        scale=SCALE,
    )
    found = crowd_study(crowd, expert, pay=0.05, wage=7.25, rng=1, arrangements=10, resamples=10)
    assert found.judges.hourly == pytest.approx(6.00)
    assert found.judges.underpaid


def test_gini_of_equal_and_of_very_unequal_people():
    assert gini(np.full(7, 3.0)) == pytest.approx(0)
    assert gini(np.array([0.0] * 99 + [5.0])) == pytest.approx(0.99)


def test_slots_have_no_people_and_say_so():
    votes, experts, _ = drawn(2, items=30)
    crowd = Ratings.from_wide(
        [[WORDS[c] for c in row] for row in votes], scale=SCALE, judges="slots"
    )
    judges = Ratings.from_wide(
        [[WORDS[c] for c in row] for row in experts], scale=SCALE, judges=EXPERTS
    )
    found = crowd_study(crowd, judges, rng=1, arrangements=10, resamples=10)
    assert not found.judges.known
    assert math.isnan(found.judges.gini)
    assert "it is not known" in found.judges.reason


def sessions_of(rated, items=2):
    """`rated[judge]` is a string of sessions; each session has so many items."""
    rows = {"item": [], "judge": [], "rating": [], "cluster": []}
    for judge, sessions in rated.items():
        for session in sessions:
            for number in range(items):
                rows["item"].append(f"{session}{number}")
                rows["judge"].append(judge)
                rows["rating"].append(1 + number % 2)
                rows["cluster"].append(session)
    return Ratings(rows, scale="1-2")


def test_the_largest_set_of_sessions_that_two_judges_share():
    found = shared_sessions(sessions_of({"A": "abcd", "B": "bcde", "C": "aef", "D": "bcdf"}))
    assert found.judges == ("A", "B")
    assert found.sessions == ("b", "c", "d")
    assert (found.n_items, found.exact) == (6, True)


def test_the_number_of_judges_may_be_left_open():
    ratings = sessions_of({"A": "abcd", "B": "abc", "C": "abc", "D": "xyzuvw"})
    found = shared_sessions(ratings, judges=None)
    assert found.judges == ("A", "B", "C")  # 3 × 3 sessions are more than 1 × 6
    assert found.sessions == ("a", "b", "c")


def test_a_session_with_a_missing_turn_is_not_shared():
    rows = {
        "item": ["a0", "a1", "a0", "b0", "b0"],
        "judge": list("AABAB"),
        "rating": [1, 2, 1, 2, 1],
        "cluster": ["a", "a", "a", "b", "b"],
    }
    assert shared_sessions(Ratings(rows, scale="1-2")).sessions == ("b",)


def test_too_many_sets_of_judges_are_not_all_tried_and_that_is_said():
    rng = np.random.default_rng(1)
    letters = "abcdefghij"
    rated = {f"J{n:02}": [x for x in letters if rng.random() < 0.4] or ["a"] for n in range(40)}
    rated |= {f"K{n}": list(letters) for n in range(6)}  # six judges who rated everything
    found = shared_sessions(sessions_of(rated, items=1), judges=6)
    assert not found.exact
    assert found.n_items == 10
    assert found.judges == tuple(f"K{n}" for n in range(6))


def test_slots_and_impossible_numbers_of_judges_are_refused():
    ratings = sessions_of({"A": "ab", "B": "ab"})
    with pytest.raises(InvalidArgument, match="slots"):
        shared_sessions(ratings.as_slots())
    with pytest.raises(InvalidArgument, match="from 1 to 2"):
        shared_sessions(ratings, judges=3)
