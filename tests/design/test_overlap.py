"""Overlap: even loads, even pairs, one connected group, quick for many judges and items."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.design import balance, extension, make_plan, more_sheets
from covary.errors import InvalidArgument
from tests.design.counting import by_item, by_judge_and_system, common_items, rated
from tests.design.studies import grid, of_kind, texts


def loads(plan):
    return Counter(number for number, _ in rated(plan))


def groups(plan):
    """Groups of judges without a common item, by walking from judge to judge."""
    left = {sheet.number: {t.item for t in sheet.tasks} for sheet in plan.sheets}
    found = 0
    while left:
        found += 1
        _, reached = left.popitem()
        while near := [number for number, items in left.items() if items & reached]:
            for number in near:
                reached = reached | left.pop(number)
    return found


@given(st.data())
def test_every_item_gets_its_judges_and_loads_differ_by_one_at_most(data):
    judges = data.draw(st.integers(2, 12))
    number = data.draw(st.integers(2, min(judges, 4)))
    items = data.draw(st.integers(-(-judges // number), 60))  # something for each judge
    systems = data.draw(st.integers(0, 4))
    study = texts(items, systems=systems, kind="overlap", judges=judges, judges_per_item=number,
                  seed=data.draw(st.integers(0, 99)))  # fmt: skip
    plan = make_plan(study)
    assert {*by_item(plan).values()} == {number}
    assert len(by_item(plan)) == items
    counts = [loads(plan)[sheet.number] for sheet in plan.sheets]
    assert max(counts) - min(counts) <= 1
    if systems:
        table = by_judge_and_system(study, plan)
        for system in {each.system for each in study.items}:
            of_system = [table[sheet.number, system] for sheet in plan.sheets]
            assert max(of_system) - min(of_system) <= 1
    assert balance(study, plan).aspect("links").low == groups(plan)


@pytest.mark.parametrize("seed", range(5))
def test_judges_form_one_group_and_pairs_share_about_equally_many(seed):
    """120 items × 3 pairs of judges over the 15 pairs of 6 judges: 24 each on average."""
    study = texts(120, kind="overlap", judges=6, judges_per_item=3, seed=seed)
    plan = make_plan(study)
    shared = common_items(plan).values()
    assert sum(shared) == 120 * 3
    assert max(shared) - min(shared) <= 1
    found = balance(study, plan)
    assert found.aspect("pairs of judges").low == min(shared)
    assert found.aspect("links").good


def test_no_judge_meets_a_source_twice_while_others_have_not_met_it():
    study = grid(20, 3, kind="overlap", judges=12, judges_per_item=3)
    met = Counter((n, study.item(i).source) for n, i in rated(make_plan(study)))
    assert {*met.values()} == {1}  # 9 ratings per source, 12 judges


def test_sources_are_shared_out_evenly_where_judges_must_meet_them_again():
    """24 ratings per source and 10 judges: two or three each."""
    study = grid(30, 8, kind="overlap", judges=10, judges_per_item=3)
    plan = make_plan(study)
    met = Counter((n, study.item(i).source) for n, i in rated(plan))
    assert {*met.values()} == {2, 3}
    shared = common_items(plan).values()
    assert max(shared) - min(shared) <= 2  # 16 on average


def test_anchors_are_rated_by_all_and_link_judges_of_different_items():
    study = texts(30, extra=of_kind("anchor", 2), kind="overlap", judges=5, judges_per_item=1)
    plan = make_plan(study)
    assert all(sum(t.kind == "anchor" for t in s.tasks) == 2 for s in plan.sheets)
    found = balance(study, plan)
    assert found.aspect("links").good
    assert {*common_items(plan).values()} == {2}
    assert found.aspect("pairs of judges").low == 2
    assert "needs 10 or more" in found.aspect("pairs of judges").words


def test_a_thousand_judges_and_ten_thousand_items_are_shared_evenly():
    study = texts(10_000, systems=10, kind="overlap", judges=1000, judges_per_item=3)
    plan = make_plan(study)
    found = balance(study, plan)
    assert {*loads(plan).values()} == {30}
    assert {*by_judge_and_system(study, plan).values()} == {3}
    assert found.aspect("links").good


def test_per_judge_is_the_most_that_a_judge_rates():
    study = texts(50, kind="overlap", judges=10, per_judge=12)
    plan = make_plan(study)  # 120 ratings: two for each of 50 items
    assert {*by_item(plan).values()} == {2}
    assert {*loads(plan).values()} == {10}


def test_late_judges_get_the_items_with_the_fewest_ratings():
    study = texts(20, systems=2, kind="overlap", judges=4, judges_per_item=2)
    plan = make_plan(study)
    late = more_sheets(study, plan, 2)
    assert [sheet.number for sheet in late] == [5, 6]
    assert [sheet.row for sheet in late] == ["share 5", "share 6"]
    items = [{task.item for task in sheet.tasks} for sheet in late]
    assert [len(each) for each in items] == [10, 10]
    assert not items[0] & items[1]  # together each item once more
    for hand in items:
        assert Counter(study.item(each).system for each in hand) == {"system 0": 5, "system 1": 5}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"judges": 3, "judges_per_item": 5}, "more than the 3 judges; use 3 or fewer"),
        ({"judges": 3, "per_judge": 60}, "more than the 40 items"),
        ({"judges": 4, "per_judge": 5}, "use 8 judges, or per_judge = 10"),
        ({"judges": 4, "per_judge": 10, "judges_per_item": 2}, "use 8 judges, or per_judge = 20"),
        ({"judges": 4, "judges_per_item": 1}, "use judges_per_item = 2, or add anchor items"),
    ],
    ids=["judges", "items", "few", "both", "no overlap"],
)
def test_numbers_that_do_not_fit_are_refused_with_the_nearest(wish, words):
    with pytest.raises(InvalidArgument, match=words):
        make_plan(texts(40, kind="overlap", **wish))


def test_more_judges_than_ratings_are_refused_with_what_would_do():
    """24 items × 5 are 120 ratings; 200 judges need 200 / 24, so 9 for each item."""
    study = texts(24, systems=3, kind="overlap", judges=200, judges_per_item=5)
    with pytest.raises(InvalidArgument, match=r"200 judges cannot share 120 ratings .*= 9 or more"):
        make_plan(study)
    for fits in ({"judges": 120, "judges_per_item": 5}, {"judges": 200, "judges_per_item": 9}):
        sheets = make_plan(texts(24, systems=3, kind="overlap", **fits)).sheets
        assert all(any(task.kind == "item" for task in sheet.tasks) for sheet in sheets)


def test_few_new_items_are_rated_as_often_as_the_design_says():
    """Two new items × 5 judges each are ten ratings, for ten of the twelve judges."""
    before = texts(24, systems=3, kind="overlap", judges=12, judges_per_item=5)
    study = replace(before, items=texts(26, systems=2).items[24:] + before.items)
    new = [each.id for each in study.items[:2]]
    assert not {*new} & {each.id for each in before.items}
    added = extension(study, make_plan(before), new)
    assert len(added.sheets) == 10
    assert {*by_item(added).values()} == {5}
    assert len(extension(study, make_plan(before), new, 12).sheets) == 12
