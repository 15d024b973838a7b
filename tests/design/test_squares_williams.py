"""Williams squares: each ordered pair and each position equally often."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, make_plan
from covary.design.squares import rows_needed, williams_square
from covary.errors import InvalidArgument
from tests.design.counting import by_item, by_judge_and_system, neighbours, positions
from tests.design.studies import grid, texts

SIZES = range(3, 13)


def test_the_square_of_four_by_hand():
    """0, 1, n-1, 2 and its shifts (Williams 1949)."""
    assert williams_square(4) == [(0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1)]


@pytest.mark.parametrize("size", SIZES)
def test_each_ordered_pair_and_each_position_equally_often(size):
    rows = williams_square(size)
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    places = Counter((place, each) for row in rows for place, each in enumerate(row))
    times = 1 if size % 2 == 0 else 2
    assert len(rows) == size * times
    assert (len(pairs), {*pairs.values()}) == (size * (size - 1), {times})
    assert (len(places), {*places.values()}) == (size * size, {times})


@pytest.mark.parametrize("size", SIZES)
def test_a_plan_of_one_square_is_balanced_in_pairs_positions_and_outputs(size):
    study = grid(size, size, kind="williams", judges=rows_needed(size), seed=3)
    plan = make_plan(study)
    times = 1 if size % 2 == 0 else 2
    pairs, places = neighbours(study, plan), positions(study, plan)
    assert (len(pairs), {*pairs.values()}) == (size * (size - 1), {times})
    assert (len(places), {*places.values()}) == (size * size, {times})
    assert {*by_item(plan).values()} == {times}
    found = balance(study, plan)
    assert found.aspect("carry-over").good
    assert found.aspect("positions").good


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_carry_over_from_round_to_round_is_even_too(size):
    """n - 1 changes of round go through all n - 1 steps, so that all pairs occur equally often."""
    study = grid(size, size, kind="everyone", order="williams", judges=rows_needed(size))
    plan = make_plan(study)
    pairs = neighbours(study, plan)
    assert len(pairs) == size * (size - 1)
    assert len({*pairs.values()}) == 1


@given(st.integers(2, 7), st.integers(1, 3), st.integers(0, 99))
def test_rounds_never_repeat_a_system_at_once(systems, blocks, seed):
    study = grid(systems * blocks, systems, kind="latin-squares", order="williams",
                 judges=systems, seed=seed)  # fmt: skip
    plan = make_plan(study)
    assert all(one != other for one, other in neighbours(study, plan))
    assert {*by_judge_and_system(study, plan).values()} == {blocks}


def test_items_without_sources_are_one_output_per_system():
    study = texts(5, systems=5, kind="williams", judges=10)
    plan = make_plan(study)
    assert {*by_item(plan).values()} == {10}
    assert {*neighbours(study, plan).values()} == {2}  # 10 judges × 4 steps over 20 pairs


def test_half_a_square_is_told_with_the_number_that_fills_it():
    study = grid(5, 5, kind="williams", judges=7)
    found = balance(study, make_plan(study)).aspect("carry-over")
    assert not found.good
    assert "10 judges" in found.words


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (grid(3, 4, kind="williams", judges=4), "use 4"),
        (grid(1, 4, kind="williams", judges=4, per_judge=2), "use kind = 'blocks'"),
        (texts(9, systems=3, kind="overlap", judges=4, order="williams"), "order = 'random'"),
        (grid(4, 4, kind="blocks", per_judge=2, judges=4, order="williams"), "leave the order out"),
    ],
    ids=["sources", "per judge", "overlap", "blocks"],
)
def test_what_williams_cannot_give_is_refused(study, words):
    with pytest.raises(InvalidArgument, match=words):
        make_plan(study)
