"""Incomplete blocks: the seven-point plane, other known designs, search, and refusals."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, make_plan
from covary.design.blocks import (
    blocks_for,
    efficiency_limit,
    initial_blocks,
    judges_for_balance,
    judges_for_equal_use,
)
from covary.errors import InvalidArgument
from tests.design.counting import by_item, by_judge_and_source, positions, systems_in_order
from tests.design.studies import grid


def meetings(blocks):
    return Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))


def test_seven_systems_three_per_judge_are_the_shifts_of_0_1_3():
    """The plane of seven points: each pair once, each system three times, once in each place."""
    blocks = blocks_for(7, 3, 7)
    assert [{*block} for block in blocks] == [{i, (i + 1) % 7, (i + 3) % 7} for i in range(7)]
    assert {*meetings(blocks).values()} == {1}
    assert len(meetings(blocks)) == 21
    places = Counter((place, each) for block in blocks for place, each in enumerate(block))
    assert (len(places), {*places.values()}) == (21, {1})


def test_the_plan_of_seven_systems_keeps_pairs_and_positions():
    study = grid(7, 7, kind="blocks", per_judge=3, judges=7, seed=5)
    plan = make_plan(study)
    rows = [systems_in_order(study, sheet) for sheet in plan.sheets]
    assert {*meetings(rows).values()} == {1}
    assert {*positions(study, plan).values()} == {1}
    assert {*by_judge_and_source(study, plan).values()} == {1}
    found = balance(study, plan)
    assert found.aspect("pairs of systems").good
    assert found.aspect("positions").good
    assert found.aspect("efficiency").low == pytest.approx(7 / 9)  # λv / (rk) = 1·7 / (3·3)


@pytest.mark.parametrize(
    ("systems", "size", "judges", "times"),
    [
        (7, 4, 7, 2),  # complement of the plane
        (11, 5, 11, 2),  # Paley's biplane
        (13, 3, 26, 1),  # Netto's triple system
        (13, 4, 13, 1),  # projective plane of order 3
        (15, 7, 15, 3),
        (21, 5, 21, 1),  # projective plane of order 4
        (6, 3, 10, 2),  # no shifts: found by exchange
        (9, 3, 12, 1),  # affine plane of order 3
        (10, 4, 15, 2),
        (15, 3, 35, 1),  # Kirkman's schoolgirls
        (4, 2, 6, 1),  # all pairs
    ],
)
def test_designs_that_are_known_to_exist_are_found(systems, size, judges, times):
    """Parameters from Fisher & Yates' table of balanced incomplete blocks."""
    met = meetings(blocks_for(systems, size, judges))
    assert len(met) == systems * (systems - 1) // 2
    assert {*met.values()} == {times}
    assert judges % judges_for_balance(systems, size) == 0


@given(st.data())
def test_any_blocks_hold_all_systems_equally_often_and_place_them_evenly(data):
    systems = data.draw(st.integers(3, 12))
    size = data.draw(st.integers(2, systems))
    judges = judges_for_equal_use(systems, size) * data.draw(st.integers(1, 3))
    blocks = blocks_for(systems, size, judges)
    assert all(len({*block}) == size for block in blocks)
    often = Counter(each for block in blocks for each in block)
    assert {*often.values()} == {judges * size // systems}
    assert len(often) == systems
    places = np.zeros((systems, size), dtype=int)
    for block in blocks:
        places[list(block), range(size)] += 1
    assert np.ptp(places) <= 1


def test_the_smallest_eigenvalue_is_that_of_the_information_matrix():
    """For eight systems in blocks of three, from NumPy's eigenvalues of r I - N N' / k."""
    best = 0.0
    for rest in combinations(range(1, 8), 2):
        marks = np.zeros((8, 8))
        for shift in range(8):
            marks[[(each + shift) % 8 for each in (0, *rest)], shift] = 1
        information = 3 * np.eye(8) - marks @ marks.T / 3
        best = max(best, np.sort(np.linalg.eigvalsh(information))[1] / 3)
    study = grid(8, 8, kind="blocks", per_judge=3, judges=8)
    found = balance(study, make_plan(study)).aspect("efficiency")
    assert found.low == pytest.approx(best)
    assert found.high <= efficiency_limit(8, 3) + 1e-12
    assert len(initial_blocks(8, 3, 1)) == 1


def test_many_judges_are_shifts_and_a_rest():
    blocks = blocks_for(20, 5, 204)
    assert {*Counter(each for block in blocks for each in block).values()} == {51}
    study = grid(20, 20, kind="blocks", per_judge=5, judges=204)
    plan = make_plan(study)
    found = balance(study, plan)
    assert found.aspect("judges per system").good
    assert found.aspect("positions").high - found.aspect("positions").low <= 1
    assert {*by_judge_and_source(study, plan).values()} == {1}


def test_judges_per_item_says_how_many_outputs_of_a_system_a_judge_rates():
    study = grid(6, 7, kind="blocks", per_judge=3, judges=7, judges_per_item=1)
    plan = make_plan(study)
    assert {*by_item(plan).values()} == {1}
    assert len(by_item(plan)) == 42
    assert {*by_judge_and_source(study, plan).values()} == {1}  # 3 systems × 2 of 6 sources
    assert {*positions(study, plan).values()} == {1}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"per_judge": 4, "judges": 10}, "use 7 or 14 judges.* with 7 judges or a multiple of 7"),
        ({"per_judge": 3, "judges": 4}, "use 7 judges"),
        ({"per_judge": 9, "judges": 7}, "there are 7; use 2 to 7"),
        ({"per_judge": 1, "judges": 7}, "use 2 to 7"),
        ({"judges": 7}, "needs per_judge"),
        ({"per_judge": 3, "judges": 7, "judges_per_item": 1}, "cannot share 70 ratings evenly"),
    ],
    ids=["unequal", "too few", "too large", "one", "no size", "outputs"],
)
def test_what_no_blocks_can_give_is_refused_with_the_nearest(wish, words):
    with pytest.raises(InvalidArgument, match=words):
        make_plan(grid(10, 7, kind="blocks", **wish))


def test_two_judges_cannot_link_six_systems():
    with pytest.raises(InvalidArgument, match=r"cannot link all systems.*use 4 judges, or 10"):
        make_plan(grid(6, 6, kind="blocks", per_judge=3, judges=2))
