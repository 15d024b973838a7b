"""What a balance says, against counts by hand."""

import json
from dataclasses import replace

import pytest

from covary.design import Plan, Sheet, Task, balance, make_plan
from tests.design.counting import common_items, neighbours, positions
from tests.design.studies import grid, of_kind, texts


def by_hand(*rows, kind="everyone"):
    """A plan whose sheets show these items in this order."""
    sheets = [
        Sheet(
            number, tuple(Task(place, item) for place, item in enumerate(row, start=1)), f"{number}"
        )
        for number, row in enumerate(rows, start=1)
    ]
    return Plan(kind, 0, tuple(sheets))


def test_a_plan_made_by_hand_is_counted_as_it_is():
    """Two sources, two systems: judge 1 rates t0s0, t1s1, t0s1; judge 2 rates t0s0, t1s0."""
    study = grid(2, 2, source_distance=1)
    plan = by_hand(["t0s0", "t1s1", "t0s1"], ["t0s0", "t1s0"])
    found = balance(study, plan)
    numbers = {each.name: (each.low, each.high) for each in found.aspects}
    assert numbers["items per judge"] == (2, 3)
    assert numbers["judges per item"] == (1, 2)
    assert numbers["systems per judge"] == (0, 2)
    assert numbers["judges per system"] == (1, 2)
    assert numbers["pairs of systems"] == (1, 1)
    assert numbers["sources"] == (1, 2)
    assert numbers["positions"] == (0, 2)
    assert numbers["carry-over"] == (0, 1)
    assert numbers["pairs of judges"] == (1, 1)
    assert found.aspect("links").good
    assert found.aspect("pairs of judges").words.code == "design.no-common-pair"
    assert found.aspect("source distance").low == 1
    assert (found.judges, found.items, found.tasks) == (2, 4, 5)


def test_the_efficiency_by_hand():
    """Judge 1 rates system 0 once and 1 twice, judge 2 system 0 once and 1 once.

    The information about the difference is the sum of a b / (a + b): 2/3 + 1/2 = 7/6. With two and
    three ratings and no judges it were 2·3 / (2 + 3) = 6/5, so the factor is (7/6) / (6/5) = 35/36.
    """
    study = grid(3, 2)
    found = balance(study, by_hand(["t0s0", "t1s1", "t2s1"], ["t1s0", "t2s1"]))
    assert found.aspect("efficiency").low == pytest.approx(35 / 36)


def test_systems_that_never_meet_have_no_efficiency():
    study = grid(2, 2)
    found = balance(study, by_hand(["t0s0", "t1s0"], ["t0s1", "t1s1"]))
    assert (found.aspect("efficiency").good, found.aspect("efficiency").low) == (False, 0)
    assert "never compared" in found.aspect("efficiency").words
    links = found.aspect("links")
    assert (links.good, links.low) == (False, 2)
    assert "2 groups that share no item" in links.words


def test_counts_of_a_random_plan_equal_plain_counts():
    study = grid(9, 3, extra=of_kind("anchor", 2), kind="latin-squares", judges=7, seed=3)
    plan = make_plan(study)
    found = balance(study, plan)
    shared = common_items(plan).values()
    assert (found.aspect("pairs of judges").low, found.aspect("pairs of judges").high) == (
        min(shared), max(shared),
    )  # fmt: skip
    places = positions(study, plan)
    counts = [places[place, f"system {s}"] for place in range(9) for s in range(3)]
    assert (found.aspect("positions").low, found.aspect("positions").high) == (
        min(counts), max(counts),
    )  # fmt: skip


def test_carry_over_counts_direct_neighbours_only():
    study = grid(4, 2, kind="latin-squares", judges=4)
    plan = make_plan(study)
    pairs = neighbours(study, plan)
    counts = [pairs["system 0", "system 1"], pairs["system 1", "system 0"]]
    found = balance(study, plan).aspect("carry-over")
    assert (found.low, found.high) == (min(counts), max(counts))
    apart = of_kind("check", 7)
    between = replace(study, items=(*study.items, *apart))
    tasks = [
        Task(2 * place + shift + 1, item)
        for place, (one, check) in enumerate(
            zip(["t0s0", "t1s1", "t2s0", "t3s1"], apart, strict=False)
        )
        for shift, item in enumerate((one, check.id))
    ]
    tasks = [replace(t, kind="check" if t.item.startswith("check") else "item") for t in tasks]
    lone = Plan("everyone", 0, (Sheet(1, tuple(tasks)),))
    assert balance(between, lone).aspect("carry-over").high == 0


def test_sentences_and_json_say_what_is_balanced_and_what_is_not():
    study = texts(10, systems=2, kind="everyone", judges=3)
    found = balance(study, make_plan(study))
    sentences = found.sentences()
    assert "systems per judge: balanced: each judge rates each system 5 times." in sentences
    assert any(each.startswith("positions: not balanced: ") for each in sentences)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["judges"] == 3
    assert {each["name"] for each in told["aspects"]} == {each.name for each in found.aspects}
    assert "links" in found
    assert "sides" not in found
