"""What a cycle tells an analysis: ratings in their order, the work of each round, the editions."""

from dataclasses import replace

from covary.ratings.frames import fetch
from covary.scales import VerbalScale
from covary.training import (
    Agreed,
    Cycle,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Rated,
    RoundOpened,
    Stopped,
)
from tests.training.courses import (
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
        "Training goes on: round 1 is in internalisation; Ann, Bo, Cy still to finish.": open_round,
        "Training goes on: round 1 is in externalisation.": in_externalisation(),
        "Training ended on the researcher's word: enough": open_round.apply(
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
