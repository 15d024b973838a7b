"""Random order under constraints: complete, apart where possible, and always at an end."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, make_plan
from covary.design.sheets import Spacing, insert_extras, insert_repeats, order_apart
from covary.study.model import Item
from tests.design.counting import others_between
from tests.design.studies import grid, of_kind, texts

seeds = st.integers(0, 10_000).map(np.random.default_rng)


def least_between(order):
    last, least = {}, 10**9
    for place, each in enumerate(order):
        if each.source is not None and each.source in last:
            least = min(least, place - last[each.source] - 1)
        last[each.source] = place
    return least


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(0, 6), seeds)
def test_an_order_holds_every_item_once_whatever_is_asked(sizes, between, rng):
    items = [
        Item(f"{s}-{i}", ("x",), source=f"s{s}") for s, n in enumerate(sizes) for i in range(n)
    ]
    order = order_apart(items, between, rng)
    assert Counter(each.id for each in order) == Counter(each.id for each in items)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(0, 6), seeds)
def test_sources_are_kept_apart_whenever_that_is_possible(sizes, between, rng):
    """Possible exactly if (most - 1)(between + 1) + number of most frequent sources fit."""
    items = [
        Item(f"{s}-{i}", ("x",), source=f"s{s}") for s, n in enumerate(sizes) for i in range(n)
    ]
    most = max(sizes)
    if (most - 1) * (between + 1) + sizes.count(most) <= len(items):
        assert least_between(order_apart(items, between, rng)) >= between


def test_without_constraint_all_orders_are_equally_likely():
    """6 orders of 3 items, 3,000 draws: 500 each, standard deviation 20."""
    rng = np.random.default_rng(1)
    items = [Item(name, ("x",), source=name) for name in "abc"]
    drawn = Counter("".join(each.id for each in order_apart(items, 1, rng)) for _ in range(3000))
    assert len(drawn) == 6
    assert all(abs(number - 500) < 100 for number in drawn.values())


@given(st.integers(1, 40), st.integers(0, 10), st.integers(0, 30), seeds)
def test_repeats_come_later_and_as_far_as_there_is_room(number, repeats, distance, rng):
    order = [(Item(f"t{i}", ("x",)), "item") for i in range(number)]
    repeats = min(repeats, number)
    placed = insert_repeats(order, repeats, distance, Spacing(1, rng))
    assert len(placed) == number + repeats
    first = {}
    for place, (item, kind) in enumerate(placed):
        if kind == "repeat":
            assert place - first[item.id] - 1 >= min(distance, number - repeats)
        else:
            first[item.id] = place
    again = [item.id for item, kind in placed if kind == "repeat"]
    assert len({*again}) == repeats


@given(st.integers(0, 60), st.integers(0, 8), seeds)
def test_checks_are_spread_one_to_each_stretch(number, checks, rng):
    order = [(Item(f"t{i}", ("x",)), "item") for i in range(number)]
    extras = [Item(f"c{i}", ("x",), kind="check") for i in range(checks)]
    placed = insert_extras(order, extras, Spacing(1, rng))
    assert len(placed) == number + checks
    places = [place for place, (_, kind) in enumerate(placed) if kind == "check"]
    if checks > 1 and number >= 4 * checks:
        stretch = number / checks + 1
        assert all(place // stretch <= turn + 1 for turn, place in enumerate(places))
        assert places[-1] - places[0] > number / 2 - stretch
    if number and checks:
        assert places[0] > 0  # nobody begins with a check


def test_a_plan_keeps_sources_and_repeats_apart_and_says_so():
    study = grid(10, 4, kind="everyone", judges=6, source_distance=3, repeats=4, repeat_distance=12)
    plan = make_plan(study)
    for sheet in plan.sheets:
        assert others_between(sheet, lambda task: study.item(task.item).source) >= 3
        assert others_between(sheet, lambda task: task.item) >= 12
    found = balance(study, plan)
    assert found.aspect("source distance").good
    assert found.aspect("repeats").good


def test_a_distance_that_cannot_be_had_is_told():
    study = grid(2, 6, kind="everyone", judges=2, source_distance=4, repeats=3, repeat_distance=50)
    plan = make_plan(study)
    found = balance(study, plan)
    for name, of, asked in (
        ("source distance", lambda task: study.item(task.item).source, "4 were asked for"),
        ("repeats", lambda task: task.item, "50 were asked for"),
    ):
        least = min(others_between(sheet, of) for sheet in plan.sheets)
        assert (found.aspect(name).good, found.aspect(name).low) == (False, least)
        assert asked in found.aspect(name).words


def test_williams_rounds_are_not_broken_by_checks_or_repeats():
    study = grid(8, 4, extra=of_kind("check", 2), kind="latin-squares", order="williams",
                 judges=4, repeats=2, repeat_distance=2)  # fmt: skip
    for sheet in make_plan(study).sheets:
        kinds = "".join(task.kind[0] for task in sheet.tasks)
        inside = kinds.replace("r", " ").replace("c", " ").split()
        assert all(len(run) % 4 == 0 for run in inside)


def test_as_listed_means_as_listed():
    study = texts(12, extra=of_kind("gold", 1), kind="everyone", judges=2, order="as-listed")
    for sheet in make_plan(study).sheets:
        assert [task.item for task in sheet.tasks] == [each.id for each in study.items]
