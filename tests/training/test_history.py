"""What a cycle tells an analysis: ratings in their order, the work of each round, the editions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from covary.errors import InvalidArgument
from covary.ratings.frames import fetch
from covary.scales import VerbalScale
from covary.study.manual import Edition
from covary.study.model import Item, Manual, Study
from covary.training import (
    Agreed,
    Began,
    Cycle,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Rated,
    Refused,
    RoundOpened,
    Said,
    Stopped,
    as_dict,
    as_event,
)
from tests.training.courses import (
    FIRST,
    FLUENCY,
    JUDGES,
    RELEVANCE,
    RULE,
    an_edit,
    begun,
    in_combination,
    in_externalisation,
    in_socialisation,
    rated,
)


def test_a_second_thought_does_not_move_an_item_to_the_end():
    cycle = begun().apply(RoundOpened(("t1", "t2")))
    for judge in JUDGES:
        for item in ("t2", "t1", "t2"):
            cycle = cycle.apply(Rated(judge, item, {"relevance": 2, "fluency": 50.0}, seconds=3))
        cycle = cycle.apply(Finished(judge))
    ratings = cycle.apply(MovedOn("socialisation")).ratings()
    ann = fetch(ratings.select(judge="Ann", criterion="relevance").frame)
    found = {item: (order, seconds) for item, order, seconds in
             zip(ann["item"].tolist(), ann["order"].tolist(), ann["seconds"].tolist(),
                 strict=True)}  # fmt: skip
    assert found == {"t2": (1, 6.0), "t1": (2, 3.0)}


def test_ratings_point_to_the_manual_of_their_round():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle))
    first = cycle.editions[0].version
    assert cycle.ratings().values("manual") == (first,)
    again = rated(cycle.apply(RoundOpened(("u1", "u2"))), {
        judge: {"u1": (1, 50.0), "u2": (2, 50.0)} for judge in JUDGES
    }).apply(MovedOn("socialisation"))  # fmt: skip
    by_round = {number: again.ratings().select(round=number).values("manual") for number in (1, 2)}
    assert by_round == {1: (first,), 2: (cycle.edition.version,)}


def test_the_work_of_a_round_is_counted():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle))
    (work,) = cycle.history().work
    assert (work.round, work.judges, work.items, work.marked) == (1, 3, 2, 2)
    assert (work.said, work.proposals, work.accepted, work.changes) == (3, 1, 1, 1)
    assert work.verdict.startswith("2 of 4 ratings of items")
    assert (work.began, work.ended) == ("", "")


def test_the_times_of_a_round_are_those_of_its_events():
    timed = [replace(each, at=f"2026-03-{day:02}") for day, each in
             enumerate(in_socialisation().events, start=1)]  # fmt: skip
    (work,) = Cycle.of(timed).history().work
    assert (work.began, work.ended) == ("2026-03-02", f"2026-03-{len(timed):02}")


def test_editions_say_who_changed_what():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle))
    first, second = cycle.history().editions
    assert (first.round, first.by, first.changes) == (0, "", ())
    assert (second.round, second.by) == (1, "Cy")
    assert second.changes == (("rule", "what cannot be answered", RULE),)
    assert [each.version for each in (first, second)] == [e.version for e in cycle.editions]


def test_the_outcome_says_where_the_cycle_stands():
    open_round = begun().apply(RoundOpened(("t1", "t2")))
    told = {
        "The cycle has not begun.": Cycle(),
        "No round has been opened yet.": begun(),
        "Training goes on: in round 1 the judges rate alone; Ann, Bo, Cy still to finish.": (
            open_round
        ),
        "Training goes on: in round 1 the judges propose what would have helped.": (
            in_externalisation()
        ),
        "The researcher ended the training: enough": open_round.apply(
            Stopped("researcher", "enough")
        ),
    }
    for sentence, cycle in told.items():
        assert cycle.history().outcome == sentence


def test_a_round_that_nobody_compared_has_no_marks_and_no_verdict():
    (work,) = begun().apply(RoundOpened(("t1",))).history().work
    assert work.marked is None
    assert work.verdict == ""


def test_a_proposal_that_somebody_opposes_is_not_accepted_work():
    cycle = Cycle.of(in_combination().events[:-3])
    for judge, agrees in (("Ann", True), ("Cy", False)):
        cycle = cycle.apply(Agreed(judge, 1, agrees=agrees))
    (work,) = cycle.history().work
    assert (work.proposals, work.accepted) == (1, 0)


def test_everybody_counts_those_who_left_and_who_joined():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle)).apply(JudgeJoined("Dee")).apply(JudgeLeft("Bo", "ill"))
    assert cycle.judges == ("Ann", "Cy", "Dee")
    assert cycle.everybody == ("Ann", "Bo", "Cy", "Dee")


def test_words_beside_the_ranks_change_no_rating_but_another_best_end_does():
    cycle = in_combination()
    for scale, kept in (
        (VerbalScale([1, 2, 3, 4], labels=["good", "fair", "poor", "bad"], best="low"), 2),
        (VerbalScale([1, 2, 3, 4], best="high"), 1),
    ):
        edit = an_edit(cycle)
        criteria = (replace(RELEVANCE, scale=scale), FLUENCY)
        changed = cycle.apply(replace(edit, edition=replace(edit.edition, criteria=criteria)))
        assert len(changed.ratings().criteria) == kept


def agreeing_round(cycle, items, judges, *, rank=1, seconds=None):
    """A round on which everybody gives the same."""
    cycle = cycle.apply(RoundOpened(items))
    for judge in judges:
        for item in items:
            cycle = cycle.apply(
                Rated(judge, item, {"relevance": rank, "fluency": 50.0}, seconds=seconds)
            )
        cycle = cycle.apply(Finished(judge))
    return cycle.apply(MovedOn("socialisation"))


def test_who_joins_later_has_no_vote_on_what_was_decided_before():
    cycle = in_combination()
    cycle = cycle.apply(an_edit(cycle)).apply(JudgeJoined("Di"))
    cycle = agreeing_round(cycle, ("u1",), (*JUDGES, "Di"))
    assert cycle.undecided(cycle.proposals[0]) == ()
    assert cycle.accepted(cycle.proposals[0])
    assert [work.round for work in cycle.history().work] == [1, 2]
    assert [work.judges for work in cycle.history().work] == [3, 4]


def test_criteria_can_be_chosen_and_must_be_known():
    cycle = in_combination()
    assert cycle.ratings(criteria=["fluency"]).criteria == ("fluency",)
    assert cycle.ratings(criteria=["fluency", "relevance"]).n_ratings == 12
    with pytest.raises(InvalidArgument, match="'clarity' is not a criterion of the manual"):
        cycle.ratings(criteria=["fluency", "clarity"])


def test_a_time_that_nobody_took_is_no_column():
    cycle = agreeing_round(begun(), ("t1",), JUDGES)
    assert "seconds" not in cycle.ratings().columns
    timed = agreeing_round(begun(), ("t1",), JUDGES, seconds=2.5)
    assert "seconds" in timed.ratings().columns
    assert timed.history().seconds == {(1, judge): 2.5 for judge in JUDGES}


def test_one_rating_is_a_table_too():
    cycle = begun().apply(RoundOpened(("t1",)))
    for judge, rank in zip(JUDGES, (2, None, None), strict=True):
        cycle = cycle.apply(Rated(judge, "t1", {"relevance": rank, "fluency": None}))
        cycle = cycle.apply(Finished(judge))
    cycle = cycle.apply(MovedOn("socialisation"))
    assert cycle.ratings().n_ratings == 1


def test_who_left_before_finishing_has_no_ratings():
    cycle = begun().apply(RoundOpened(("t1",)))
    for judge in JUDGES:
        cycle = cycle.apply(Rated(judge, "t1", {"relevance": 1, "fluency": 50.0}))
    for judge in ("Ann", "Bo"):
        cycle = cycle.apply(Finished(judge))
    cycle = cycle.apply(JudgeLeft("Cy", "ill")).apply(MovedOn("socialisation"))
    assert cycle.ratings().judges == ("Ann", "Bo")
    assert cycle.round.counts == {"relevance": (0, 1), "fluency": (0, 1)}


def test_a_study_adds_what_it_knows_of_the_items():
    items = (Item("t1", ("x",), ("sys",), source="s1"), Item("t3", ("y",)))
    known = Study(Path(), "Q", (RELEVANCE, FLUENCY), items, Manual("x", "m1"))
    frame = fetch(in_socialisation().ratings(known).frame)
    pairs = set(
        zip(frame["item"].tolist(), frame["system"].tolist(), frame["source"].tolist(), strict=True)
    )
    assert ("t1", "sys", "s1") in pairs
    assert len(pairs) == 2
    plain = Study(Path(), "Q", (RELEVANCE, FLUENCY), (Item("t1", ("x",)),), Manual("x", "m1"))
    assert not {"system", "source"} & set(in_socialisation().ratings(plain).columns)


def test_words_and_numbers_are_not_put_into_one_table():
    words = replace(RELEVANCE, scale=VerbalScale(["good", "bad"], best="low"))
    cycle = Cycle().apply(Began(Edition((words, FLUENCY), "x"), JUDGES))
    cycle = agreeing_round(cycle, ("t1",), JUDGES, rank="good")
    with pytest.raises(InvalidArgument, match=r"'relevance' is answered in words and 'fluency' is"):
        cycle.ratings()
    assert cycle.ratings(criteria=["relevance"]).n_ratings == 3


def test_rounds_are_asked_for_by_their_number():
    cycle = in_combination()
    assert cycle.verdict(1).share.of_all == 4
    for number in (0, 2, -1):
        with pytest.raises(Refused, match=f"there is no round {number}; there are 1"):
            cycle.verdict(number)
    with pytest.raises(Refused, match="there are none"):
        begun().verdict(1)
    opened = begun().apply(RoundOpened(("t1",)))
    with pytest.raises(Refused, match="round 1 has not been compared yet"):
        opened.verdict(1)


def test_somebody_who_takes_no_part_sees_nothing():
    cycle = in_socialisation()
    assert cycle.waiting_for() == ()
    with pytest.raises(Refused, match="'Di' does not take part"):
        cycle.seen_by("Di")


def test_proposals_that_somebody_opposes_are_counted_by_round():
    cycle = Cycle.of(in_combination().events[:-3])
    assert cycle.history().refused == {1: 0}
    cycle = cycle.apply(Agreed("Ann", 1, agrees=False)).apply(Agreed("Cy", 1, agrees=False))
    assert cycle.history().refused == {1: 1}


def test_an_event_may_leave_out_what_has_a_default():
    began = {"event": "Began", "edition": FIRST.to_dict(), "judges": ["Ann", "Bo"]}
    assert as_event(began) == Began(FIRST, ("Ann", "Bo"))
    rated_ = {"event": "Rated", "judge": "Ann", "item": "t1", "ratings": {"relevance": 1}}
    assert as_event(rated_) == Rated("Ann", "t1", {"relevance": 1})
    for missing in ("judge", "item", "ratings"):
        less = {name: value for name, value in rated_.items() if name != missing}
        with pytest.raises(InvalidArgument, match=missing):
            as_event(less)


def test_numbers_of_numpy_are_plain_in_an_event():
    event = Rated("Ann", "t1", {"relevance": np.int64(3)}, seconds=np.float64(1.5))
    plain = as_dict(event)
    assert type(plain["ratings"]["relevance"]) is int
    assert type(plain["seconds"]) is float


def test_what_was_said_of_an_item_is_all_that_anybody_said_of_it_and_of_no_other():
    said = in_externalisation().apply(Said("Cy", "t1", "", "All of it is odd.")).round.said_of
    assert [entry.judge for entry in said("t1")] == ["Bo", "Ann", "Cy"]
    assert [entry.criterion for entry in said("t2")] == ["fluency"]
