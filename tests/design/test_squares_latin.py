"""Repeated Latin squares: Belz & Kow's two designs, generated sizes, and what is impossible."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, make_plan
from covary.design.squares import latin_square
from covary.errors import InvalidArgument
from covary.study.model import Item
from tests.design.counting import by_item, by_judge_and_source, by_judge_and_system
from tests.design.studies import a_study, grid


def test_22_judges_22_dates_11_systems():
    """Belz & Kow (2011), weather forecasts: each system twice per judge, each output twice."""
    study = grid(22, 11, kind="latin-squares", judges=22, seed=7)
    plan = make_plan(study)
    per_judge = by_judge_and_system(study, plan)
    assert (len(per_judge), {*per_judge.values()}) == (22 * 11, {2})
    assert (len(by_item(plan)), {*by_item(plan).values()}) == (22 * 11, {2})
    assert {*by_judge_and_source(study, plan).values()} == {1}


def test_8_judges_112_items_8_systems():
    """Belz & Kow (2011), referring expressions: 14 per system and judge, each output once."""
    study = grid(112, 8, kind="latin-squares", judges=8)
    plan = make_plan(study)
    assert {*by_judge_and_system(study, plan).values()} == {14}
    assert (len(by_item(plan)), {*by_item(plan).values()}) == (112 * 8, {1})


@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 3), st.integers(0, 999))
def test_whole_squares_balance_everything_about_who_rates_what(systems, blocks, groups, seed):
    judges = systems * groups
    study = grid(systems * blocks, systems, kind="latin-squares", judges=judges, seed=seed)
    plan = make_plan(study)
    assert {*by_judge_and_system(study, plan).values()} == {blocks}
    assert {*by_item(plan).values()} == {groups}
    assert len(by_item(plan)) == len(study.items)
    assert {*by_judge_and_source(study, plan).values()} == {1}


@given(st.integers(1, 12), st.integers(0, 999))
def test_a_square_has_each_symbol_once_in_each_row_and_column(size, seed):
    drawn = latin_square(size, np.random.default_rng(seed))
    for line in (*drawn, *drawn.T):
        assert sorted(line.tolist()) == list(range(size))


def test_fewer_items_per_judge_keep_the_systems_even():
    study = grid(12, 3, kind="latin-squares", judges=12, per_judge=6)
    plan = make_plan(study)
    assert {*by_judge_and_system(study, plan).values()} == {2}
    assert {*by_item(plan).values()} == {2}  # 12 judges × 6 = 36 outputs × 2


def test_judges_that_do_not_fill_a_square_are_told():
    study = grid(4, 4, kind="latin-squares", judges=6)
    found = balance(study, make_plan(study)).aspect("judges per item")
    assert (found.good, found.low, found.high) == (False, 1, 2)
    assert "4 or 8 judges" in found.words


def test_squares_differ_between_groups_and_blocks():
    study = grid(10, 5, kind="latin-squares", judges=10)
    hands = [frozenset(t.item for t in sheet.tasks) for sheet in make_plan(study).sheets]
    assert len({*hands}) == 10  # equal rows twice would have a chance of about 1 in 1,000
    joint = Counter(len(one & other) for one in hands[:5] for other in hands[5:])
    assert len(joint) > 1


@pytest.mark.parametrize(
    ("sources", "systems", "wish", "words"),
    [
        (23, 11, {}, "23 sources; use 22 or 33"),
        (3, 4, {}, "3 sources; use 4"),
        (12, 4, {"per_judge": 6}, "use 4 or 8"),
        (12, 4, {"per_judge": 30}, "use 12"),
        (12, 4, {"judges": 8, "judges_per_item": 3}, "use 12 judges"),
    ],
    ids=["23 of 11", "fewer sources", "per judge", "per judge too large", "judges per item"],
)
def test_what_no_square_can_give_is_refused_with_the_nearest(sources, systems, wish, words):
    study = grid(sources, systems, kind="latin-squares", **({"judges": 8} | wish))
    with pytest.raises(InvalidArgument, match=words):
        make_plan(study)


def test_holes_and_doubles_in_the_grid_are_all_named_at_once():
    study = grid(4, 4)
    items = [each for each in study.items if each.id not in ("t1s2", "t3s0")]
    items.append(Item("twin", ("Again",), ("system 1",), "source 0"))
    with pytest.raises(InvalidArgument) as raised:
        make_plan(a_study(items, kind="latin-squares", judges=4))
    message = str(raised.value)
    assert "'system 2' for 'source 1', 'system 0' for 'source 3'" in message
    assert "2 items for source 'source 0': 't0s1', 'twin'" in message


def test_items_without_system_or_source_are_named():
    items = [Item("a", ("x",)), Item("b", ("y",), ("s",), "one")]
    with pytest.raises(InvalidArgument, match=r"name no system: 'a'.*name no source: 'a'"):
        make_plan(a_study(items, kind="latin-squares"))
