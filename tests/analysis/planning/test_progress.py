"""A running study: what is reached, what is decided by the sequence, what helps next."""

from dataclasses import replace

import numpy as np
import pytest

from covary.analysis.planning import (
    Goal,
    PlanRecord,
    StudySize,
    kept_plan,
    known_components,
    plan,
    progress,
    read_record,
)
from covary.analysis.planning.simulation import draw_study
from covary.analysis.planning.standings import declared_look, planned_information, standings
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import as_scale
from covary.stats.models.observations import observations
from covary.stats.sequential import equivalent_t

PILOT = known_components(item=0.3, source=0.2, judge=0.15, judge_system=0.01, residual=0.4)
SIZE = StudySize(systems=2, items=15, judges=6, votes=6)


def study(difference, seed=1, size=SIZE):
    return draw_study(PILOT, size, difference, np.random.default_rng(seed))


def record(**facts):
    return PlanRecord(made="2026-11-17", size=SIZE, target=0.8, **facts)


def test_a_large_difference_is_decided_and_no_difference_stays_open():
    planned = planned_information(Goal(difference=1.0), as_scale("1-5"))
    (far,) = standings(observations(study(3.0)), planned=planned)
    (near,) = standings(observations(study(0.0)), planned=planned)
    assert far.state == "different"
    assert far.low < far.difference < far.high < 0
    assert near.state == "open"


def test_equality_within_a_wide_margin_is_decided():
    planned = planned_information(Goal(margin=3.0), as_scale("1-5"))
    (near,) = standings(observations(study(0.0)), planned=planned, margin=3.0)
    assert near.state == "equivalent"


def test_the_interval_is_wider_than_an_ordinary_one():
    planned = planned_information(Goal(difference=0.5), as_scale("1-5"))
    (pair,) = standings(observations(study(0.0)), planned=planned)
    assert pair.high - pair.low > 2 * 2.0 * pair.standard_error


def test_the_rule_is_tuned_to_what_was_declared_else_to_the_scale():
    # ((1.96 + .8416) / .5)² = 31.40; an eighth of 1-5 is half a point.
    assert planned_information(Goal(difference=0.5), as_scale("1-7")) == pytest.approx(
        31.4, abs=0.1
    )
    assert planned_information(Goal(), as_scale("1-5")) == pytest.approx(31.4, abs=0.1)


def test_a_study_that_has_hardly_begun_is_not_looked_at():
    small = StudySize(systems=2, items=3, judges=2, votes=2)
    with pytest.raises(InvalidArgument, match="too early"):
        standings(observations(study(0.0, size=small)), planned=30.0)


def test_progress_counts_what_is_there_and_names_what_is_thin():
    ratings = study(0.5)
    items = sorted(ratings.values("item"))
    found = progress(ratings.select(judge=["j0", "j1", "j2", "j3"]), record=record(difference=0.5))
    (one,) = found.criteria
    assert one.ratings == 2 * 15 * 4
    assert one.planned == 180
    assert set(one.thin) == set(items)
    assert set(one.thin.values()) == {4}
    assert found.goal.difference == 0.5


def test_open_pairs_get_more_of_the_next_ratings_and_the_price_is_told():
    size = StudySize(systems=4, items=12, judges=6, votes=6)
    ratings = draw_study(PILOT, size, 8.0, np.random.default_rng(2))  # two lie between the others
    (one,) = progress(ratings, goal=Goal(difference=1.0)).criteria
    undecided = [(pair.first, pair.second) for pair in one.pairs if pair.state == "open"]
    assert undecided == [("s002", "s003")]
    assert not one.may_stop
    offer = one.allocation
    assert offer.ratings == 48
    assert offer.shares == {"s000": 2, "s001": 2, "s002": 22, "s003": 22}  # 9.6 / 4 and 38.4 / 2
    assert offer.error < offer.balanced_error
    assert offer.efficiency < 1


def test_a_study_whose_differences_are_all_decided_may_stop():
    size = StudySize(systems=3, items=12, judges=6, votes=6)
    ratings = draw_study(PILOT, size, 8.0, np.random.default_rng(2))
    (one,) = progress(ratings, goal=Goal(difference=1.0)).criteria
    assert {pair.state for pair in one.pairs} == {"different"}
    assert one.may_stop
    assert one.allocation is None


def test_a_plan_that_was_kept_and_one_that_was_not(tmp_path):
    plan = record(difference=0.5, basis="a pilot")
    plan.write(tmp_path)
    assert read_record(tmp_path) == plan
    assert read_record(tmp_path / "elsewhere") is None
    whole = study(0.5)
    assert kept_plan(plan, whole).kept
    fewer = kept_plan(plan, whole.select(judge=["j0", "j1", "j2", "j3"]))
    assert [note.data["what"] for note in fewer.deviations] == ["judges", "ratings"]
    assert "It was not kept: 4 judges instead of 6; 120 ratings instead of 180." in str(
        fewer.note()
    )


def test_a_broken_plan_is_refused_with_its_place(tmp_path):
    (tmp_path / "plan.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"plan\.json"):
        read_record(tmp_path)


def test_a_criterion_of_names_is_left_out_with_its_reason_and_the_others_are_planned():
    rows = [
        (item, judge, criterion, rating)
        for item, (a, b) in enumerate([(1, 2), (3, 3), (5, 4), (2, 2), (4, 5)])
        for judge, number, name in (("A", a, "x"), ("B", b, "yz"[item % 2]))
        for criterion, rating in (("fluency", "abcde"[number - 1]), ("kind", name))
    ]
    names = ("item", "judge", "criterion", "rating")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    scale = {"fluency": "a,b,c,d,e", "kind": as_scale("x,y,z", level="nominal")}
    ratings = Ratings(columns, scale=scale)
    made = {one.criterion: one for one in plan(ratings).criteria}
    assert made["fluency"].now is not None
    assert made["kind"].now is None
    assert made["kind"].components.reason
    found = {one.criterion: one for one in progress(ratings).criteria}
    assert found["kind"].reason
    assert found["fluency"].ratings == 10


def test_declared_looks_are_due_at_equal_shares_of_the_plan():
    look = declared_look(3, planned=100, ratings=66)
    assert (look.number, look.due, look.next_due) == (1, 34, 67)  # thirds of 100, rounded up
    assert look.next_share == pytest.approx(2 / 3)
    assert declared_look(3, planned=100, ratings=67).number == 2
    assert declared_look(3, planned=100, ratings=120).next_due is None
    assert declared_look(3, planned=100, ratings=33).number == 0


def test_a_declared_look_has_its_published_bound_and_none_is_taken_in_between():
    # Jennison & Turnbull (2000), Table 2.3: C_B(2, .05) = 1.977, thus 1.977 × √2 at the first look.
    collected = study(0.0)
    planned = record(looks=2)  # 180 ratings
    (last,) = progress(collected, record=planned).criteria
    assert last.look is not None
    assert (last.look.number, last.look.next_due) == (2, None)
    (pair,) = last.pairs or ()
    half = equivalent_t(1.977, pair.df) * pair.standard_error
    assert pair.high - pair.difference == pytest.approx(half, rel=1e-3)

    early = replace(planned, size=replace(SIZE, items=30))  # now 180 of 360: the first look
    (one,) = progress(collected, record=early).criteria
    (pair,) = one.pairs or ()
    half = equivalent_t(1.977 * np.sqrt(2), pair.df) * pair.standard_error
    assert pair.high - pair.difference == pytest.approx(half, rel=1e-3)

    between = replace(planned, size=replace(SIZE, items=29))  # 180 of 348, the look was at 174
    (two,) = progress(collected, record=between).criteria
    assert two.look is not None
    assert two.look.due == 174
    assert two.pairs is None
    assert not two.may_stop


def test_a_difference_counts_in_proportion_on_a_longer_scale():
    """Half a point of the six of 1-7 is a twelfth of a line: the same ratings, decided alike."""
    columns = fetch(study(0.8).frame)
    low, high = min(columns["rating"]), max(columns["rating"])
    span = high - low + 1  # what was said of the short scale is in its points
    line = [100 * (rating - low) / span for rating in columns["rating"]]
    (own,) = progress(
        Ratings(columns, level="interval"), record=record(difference=0.5, span=span)
    ).criteria
    (long,) = progress(
        Ratings({**columns, "rating": line}, scale="0-100"),
        record=record(difference=0.5, span=span),
    ).criteria
    for one, other in zip(own.pairs, long.pairs, strict=True):
        assert other.high - other.low == pytest.approx((one.high - one.low) * 100 / span, rel=1e-6)
        assert other.state == one.state
