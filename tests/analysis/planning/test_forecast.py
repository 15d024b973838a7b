"""What a study of a size reaches: worked values, identities, and the cheapest one by trying all."""

import itertools
import math

import pytest

from covary.analysis.planning import (
    Price,
    StudySize,
    cheapest,
    forecast,
    guessed_components,
    known_components,
    votes_needed,
)
from covary.errors import InvalidArgument

SHROUT_FLEISS = known_components(item=2.556, judge=5.244, residual=1.019)
QGSTEC = known_components(item=0.591, judge=0.196, residual=0.727)
SYSTEMS = known_components(
    system=0.2, source=0.3, item=0.4, judge=0.15, judge_system=0.05, residual=0.5
)


@pytest.mark.parametrize(
    ("pilot", "votes", "relative", "absolute"),
    [
        # Shrout & Fleiss' data, k judges (lme4's components): by hand from v / (v + e / k).
        (SHROUT_FLEISS, 1, 0.715, 0.290),
        (SHROUT_FLEISS, 2, 0.834, 0.449),
        (SHROUT_FLEISS, 4, 0.909, 0.620),
        (SHROUT_FLEISS, 10, 0.962, 0.803),
        (SHROUT_FLEISS, 20, 0.980, 0.891),
        (QGSTEC, 1, 0.448, 0.390),
        (QGSTEC, 2, 0.619, 0.562),
        (QGSTEC, 3, 0.709, 0.658),
        (QGSTEC, 5, 0.803, 0.762),
        (QGSTEC, 10, 0.890, 0.865),
    ],
)
def test_the_worth_of_a_mean_of_k_ratings(pilot, votes, relative, absolute):
    reached = forecast(pilot, StudySize(items=50, judges=votes, votes=votes))
    assert reached.generalisability == pytest.approx(relative, abs=0.0006)
    assert reached.dependability == pytest.approx(absolute, abs=0.0006)


def test_the_worth_of_systems_means_by_hand():
    reached = forecast(SYSTEMS, StudySize(systems=4, items=50, judges=5, votes=2), object="systems")
    relative = 0.4 / 50 + 0.05 / 5 + 0.5 / 100
    absolute = relative + 0.3 / 50 + 0.15 / 5
    assert reached.relative == pytest.approx(relative)
    assert reached.absolute == pytest.approx(absolute)
    assert reached.dependability == pytest.approx(0.2 / (0.2 + absolute))


@pytest.mark.parametrize("target", [0.5, 0.7, 0.8, 0.9])
def test_so_many_votes_reach_the_target_and_one_fewer_does_not(target):
    for absolute in (False, True):
        votes = votes_needed(QGSTEC, target, absolute=absolute)

        def worth(k, absolute=absolute):
            reached = forecast(QGSTEC, StudySize(items=9, judges=k, votes=k))
            return reached.dependability if absolute else reached.generalisability

        assert worth(votes) >= target
        assert votes == 1 or worth(votes - 1) < target


def test_items_that_do_not_differ_need_no_number_of_votes():
    assert votes_needed(known_components(judge=1.0, residual=1.0), 0.8) is None


def test_the_cheapest_study_is_the_cheapest_of_all():
    price = Price(rating=1.0, judge=12.0)
    size = StudySize(systems=4, items=1, judges=1, votes=1)
    best = cheapest(
        SYSTEMS, 0.85, size, object="systems", price=price, most_judges=8, most_items=60
    )
    every = [
        forecast(
            SYSTEMS,
            StudySize(systems=4, items=items, judges=judges, votes=votes),
            object="systems",
            price=price,
        )
        for judges, items in itertools.product(range(2, 9), range(1, 61))
        for votes in range(1, judges + 1)
    ]
    least = min(plan.cost for plan in every if plan.generalisability >= 0.85)
    assert best.cost == least
    assert best.generalisability >= 0.85


def test_the_crowd_that_was_planned_is_among_what_is_tried():
    """Tastes of judges make 2 of 200 judges cheaper than 50: their variance is shared by all."""
    tastes = known_components(system=0.2, item=0.4, judge_system=0.5, residual=0.5)
    of_many = StudySize(systems=4, items=40, judges=200, votes=2)
    rule = {"object": "systems", "price": Price(rating=1.0)}
    found = cheapest(tastes, 0.9, of_many, **rule)
    limited = cheapest(tastes, 0.9, StudySize(systems=4, items=40, judges=50, votes=2), **rule)
    assert found.cost < limited.cost
    assert 50 < found.size.judges <= 200
    every = [forecast(tastes, StudySize(systems=4, items=items, judges=200, votes=votes), **rule)
             for items in range(1, 60) for votes in range(1, 51)]  # fmt: skip
    assert found.cost <= min(plan.cost for plan in every if plan.generalisability >= 0.9)


def test_a_target_that_no_study_reaches_has_no_cheapest():
    size = StudySize(systems=4, items=1, judges=1, votes=1)
    assert cheapest(SYSTEMS, 0.999, size, object="systems", most_judges=3, most_items=20) is None


def test_plain_answers_become_variances():
    # Two normal draws lie 2 sd / sqrt(pi) apart on average: sd 1 gives 1.1284.
    guess = guessed_components(texts=2 / math.sqrt(math.pi), judges=1.0)
    assert guess["item"] == pytest.approx(1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: StudySize(items=0, judges=1, votes=1),
        lambda: StudySize(items=1, judges=2, votes=3),
        lambda: votes_needed(QGSTEC, 1.0),
        lambda: known_components(items=1.0),
        lambda: known_components(item=-1.0),
        lambda: guessed_components(texts=1.0, judges=0.5, severity=0.6),
        lambda: guessed_components(texts=-1.0, judges=0.5),
    ],
    ids=["items", "votes", "target", "name", "variance", "severity", "distance"],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidArgument):
        wrong()
