"""The guideline cycle in the store: in one order, each event once, refused with nothing lost."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from covary.errors import InvalidArgument
from covary.store import Store, StoreError
from covary.store.training import Training
from covary.study.manual import Edition
from covary.training import (
    Agreed,
    Began,
    Change,
    Changed,
    Cycle,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    Refused,
    RoundOpened,
    Said,
    SetAsideMark,
    StaleEdit,
    Stopped,
    as_dict,
)
from tests.store.made_up import answer, study
from tests.training.courses import FIRST, JUDGES, RULE, an_edit, in_combination

ROOT = Path(__file__).parents[2]

FIRST_EVENTS = (Began(FIRST, JUDGES, ("e1", "e2")), RoundOpened(("t1", "t2")))


def read_anew(store) -> Training:
    """The cycle as a process finds it that has read nothing of it yet."""
    return Training(store.training._transactions)


@pytest.fixture
def training(empty):
    return empty.training


def put(training, cycle_or_events):
    """Let everything that happened in a cycle happen in a store."""
    happened = getattr(cycle_or_events, "events", cycle_or_events)
    for event in happened:
        training.apply(event)
    return training.cycle()


def test_a_new_store_has_a_cycle_that_has_not_begun(training):
    assert training.cycle() == Cycle()
    with pytest.raises(Refused, match="has not begun"):
        training.apply(RoundOpened(("t1",)))
    assert training.cycle().events == ()


def test_what_happened_is_there_after_opening_again(training, empty, place):
    cycle = put(training, in_combination())
    assert cycle.phase == "combination"
    with Store.open(place) as other:
        assert other.training.cycle() == cycle
        assert other.check() == []
    assert [each.number for each in empty.training.events()] == list(
        range(1, len(cycle.events) + 1)
    )
    assert [each.number for each in empty.training.events(after=3)][:2] == [4, 5]


def test_an_event_gets_the_time_of_the_server_unless_it_has_its_own(training, empty):
    training.apply(FIRST_EVENTS[0])
    training.apply(RoundOpened(("t1",), at="2026-03-01"))
    first, second = training.cycle().events
    assert datetime.fromisoformat(first.at).utcoffset().total_seconds() == 0
    assert second.at == "2026-03-01"
    kept = empty.training.events()[0]
    assert abs((kept.at - datetime.fromisoformat(first.at)).total_seconds()) < 60


def test_the_same_key_twice_is_one_event(training, empty):
    put(training, FIRST_EVENTS)
    event = Rated("Ann", "t1", {"relevance": 2}, seconds=4)
    once = training.apply(event, key="k")
    assert training.apply(event, key="k") == once
    slower = Rated("Ann", "t1", {"relevance": 2}, seconds=5)
    assert training.apply(slower, key="k") == once
    assert len(empty.training.events()) == 3
    # also where another process has taken the first one
    assert len(read_anew(empty).apply(event, key="k").events) == 3


def test_another_event_under_a_used_key_is_refused_and_not_lost_in_silence(training):
    put(training, FIRST_EVENTS)
    training.apply(Rated("Ann", "t1", {"relevance": 2}), key="k")
    with pytest.raises(Refused, match="already sent with different content"):
        training.apply(Rated("Ann", "t1", {"relevance": 3}), key="k")
    assert training.cycle().round.ratings["Ann", "t1"] == {"relevance": 2}


def test_a_refused_event_may_be_sent_again_under_its_key_when_it_fits(training):
    put(training, FIRST_EVENTS)
    with pytest.raises(Refused, match="has not rated"):
        training.apply(Finished("Ann"), key="done")
    for item in ("t1", "t2"):
        training.apply(Rated("Ann", item, {"relevance": 2, "fluency": 50}))
    assert training.apply(Finished("Ann"), key="done").round.finished == ("Ann",)


def test_many_at_once_in_two_stores_keep_every_event_once_and_in_one_order(empty, place):
    judges = tuple(f"judge {n}" for n in range(6))
    items = tuple(f"t{n}" for n in range(5))
    put(empty.training, [Began(FIRST, judges), RoundOpened(items)])
    with Store.open(place) as other:
        both = empty.training, other.training

        def rate(judge):
            for n, item in enumerate(items):  # everything is sent twice, to both
                event = Rated(judge, item, {"relevance": n % 4 + 1, "fluency": 10.5})
                for training in (both[n % 2], both[1 - n % 2]):
                    training.apply(event, key=f"{judge}-{item}")
            both[len(judge) % 2].apply(Finished(judge), key=f"{judge}-done")

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(rate, judges))
        first, second = (each.cycle() for each in both)
    assert first == second
    assert len(first.events) == 2 + 6 * 5 + 6
    assert set(first.round.finished) == set(judges)
    assert {len(found) for found in first.round.ratings.values()} == {2}
    assert [each.number for each in empty.training.events()] == list(range(1, 39))


def test_two_who_edit_at_once_do_not_overwrite_each_other(empty, place):
    cycle = put(empty.training, in_combination())
    with Store.open(place) as other, ThreadPoolExecutor(2) as pool:
        edits = [an_edit(cycle), an_edit(cycle, sentence=f"{RULE} Always.")]
        stores = [empty.training, other.training]
        for each in stores:
            each.cycle()  # both have read the same manual
        futures = [pool.submit(t.apply, e) for t, e in zip(stores, edits, strict=True)]
        refused = [future.exception() for future in futures]
    (stale,) = [each for each in refused if each is not None]
    assert isinstance(stale, StaleEdit)
    after = read_anew(empty).cycle()
    assert len(after.editions) == 2
    assert stale.current == after.edition
    lost = edits[refused.index(stale)].edition
    assert stale.proposed == lost  # what was typed comes back with the refusal
    again = Changed("Ann", after.edition.version, Edition(
        lost.criteria, f"{after.edition.guidelines}\nAlways look twice.\n"
    ), (Change("wording", "a reminder", "Always look twice."),))  # fmt: skip
    assert len(read_anew(empty).apply(again).editions) == 3


def refused_moves():
    """Moves that must not be made, each with where the cycle is and what the refusal says."""
    back = in_combination().events
    talking = back[: [type(each) for each in back].index(Said)]
    unfinished = back[: [type(each) for each in back].index(Finished)]
    proposing = back[: [type(each) for each in back].index(Agreed)]
    cycle = in_combination()
    without = (cycle.edition.criteria[0],)
    done = (*back, an_edit(cycle))
    return {
        "evaluation items": (FIRST_EVENTS[:1], RoundOpened(("t1", "e2")), "evaluation: e2"),
        "items of a round": (done, RoundOpened(("t9", "t2")), "round 1: t2"),
        "not finished": (unfinished, MovedOn("socialisation"), "Ann, Bo, Cy have not finished"),
        "empty discussion": (talking, Said("Ann", "t1", "relevance", " \n"), "said nothing"),
        "nothing discussed": (talking, MovedOn("externalisation"), "no discussion yet"),
        "set aside silently": (talking, SetAsideMark("t1", "relevance", ""), "say why"),
        "empty proposal": (proposing, Proposed("Cy", "", (("t1", "relevance"),)), "is empty"),
        "undecided": (proposing, MovedOn("combination"), "yet to say whether they agree"),
        "skipped phase": (talking, MovedOn("combination"), "after socialisation comes"),
        "deleted criterion": (back, an_edit(cycle, criteria=without), "cannot be deleted"),
        "stale edit": (done, an_edit(cycle, sentence="Other."), "begins from version"),
        "no consensus": (
            (*back[:-3], Agreed("Ann", 1, agrees=True), Agreed("Cy", 1, agrees=False), back[-1]),
            an_edit(cycle), "no consensus (Cy)",
        ),
        "rule not met": (back, Stopped("rule"), "the stop rule is not met"),
    }  # fmt: skip


MOVES = refused_moves()


@pytest.mark.parametrize("move", MOVES)
def test_a_bad_move_is_refused_with_the_reason_and_nothing_is_lost(tmp_path, move):
    happened, event, reason = MOVES[move]
    with Store.open(tmp_path) as store:
        training = store.training
        before = put(training, happened)
        with pytest.raises(Refused) as refusal:
            training.apply(event, key="bad")
        assert reason in str(refusal.value)
        assert training.cycle() == before
        assert len(store.training.events()) == len(happened)
        assert store.check() == []
    with Store.open(tmp_path) as store:
        assert read_anew(store).cycle() == before


def test_what_cannot_be_given_back_unchanged_is_refused(training, empty):
    put(training, FIRST_EVENTS)
    with pytest.raises(InvalidArgument, match="text cannot have"):
        training.apply(Rated("Ann", "t1", {"relevance": 2}), key="\0")
    with pytest.raises(InvalidArgument, match="text cannot have"):
        empty.training.add(as_dict(Said("Ann", "t1", "relevance", "half \ud800")), 3)
    with pytest.raises(InvalidArgument, match="cannot be kept"):
        empty.training.add({"event": "Rated", "seconds": float("nan")}, 3)
    with pytest.raises(InvalidArgument, match="comes 3, not 5"):
        empty.training.add({"event": "Finished", "judge": "Ann"}, 5)
    assert len(empty.training.events()) == 2


def test_a_taken_number_or_key_is_said_and_nothing_is_added(empty):
    assert empty.training.add(as_dict(FIRST_EVENTS[0]), 1, "a")
    assert not empty.training.add(as_dict(FIRST_EVENTS[1]), 1, "b")
    assert not empty.training.add(as_dict(FIRST_EVENTS[1]), 2, "a")
    assert [each.key for each in empty.training.events()] == ["a"]


def test_an_event_that_leaves_a_number_out_is_refused(empty):
    assert empty.training.add(as_dict(FIRST_EVENTS[0]), 1)
    with pytest.raises(InvalidArgument) as refused:
        empty.training.add(as_dict(FIRST_EVENTS[1]), 3)
    assert (refused.value.data["next"], refused.value.data["number"]) == (2, 3)
    assert len(empty.training.events()) == 1


# A process that rates as fast as it can; a line is printed when the store has it.
RATING = """
import sys
from covary.store import Store
from covary.training import Rated

training = Store.open(sys.argv[1]).training
print("ready", flush=True)
for n in range(100_000):
    training.apply(Rated("Ann", "t1", {"relevance": n % 4 + 1}), key=f"k{n}")
    print(f"k{n}", flush=True)
"""


def test_a_killed_process_loses_nothing_that_it_was_told_is_kept(empty, place):
    put(empty.training, FIRST_EVENTS)
    command = [sys.executable, "-c", RATING, place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout.readline() == "ready\n"
        told = [process.stdout.readline() for _ in range(20)]
        empty.training.apply(Rated("Bo", "t1", {"relevance": 4}), key="Bo")
        process.kill()  # in the middle of whatever it does
        told += process.stdout.read().split("\n")[:-1]
    training = read_anew(empty)
    keys = {each.key for each in empty.training.events()}
    assert {each.strip() for each in told} | {"Bo"} <= keys
    assert empty.check() == []
    last = max(int(key[1:]) for key in keys if key and key.startswith("k"))
    again = Rated("Ann", "t1", {"relevance": last % 4 + 1})
    before = len(training.cycle().events)
    assert len(training.apply(again, key=f"k{last}").events) == before  # the page sends it again


def test_the_last_edition_is_found_without_the_whole_cycle(training, empty):
    assert empty.training.last_edition() is None
    cycle = put(training, in_combination())
    assert Edition.from_dict(empty.training.last_edition()) == FIRST
    newer = training.apply(an_edit(cycle, sentence=f'{RULE} {{"event": "Changed"'))
    assert Edition.from_dict(empty.training.last_edition()) == newer.edition


def test_a_backup_holds_the_cycle_and_goes_on(training, empty, tmp_path):
    cycle = put(training, in_combination())
    with Store.open(empty.backup(tmp_path / "copy.db")) as copy:
        there = copy.training
        assert there.cycle() == cycle
        assert copy.training.events() == empty.training.events()
        assert copy.check() == []
        assert len(there.apply(an_edit(cycle)).editions) == 2
    assert len(training.cycle().editions) == 1


INSERT = "INSERT INTO cycle_events (number, event, at) VALUES ({}, '{}', 0)"

FAULTS = {
    "gap": (INSERT.format(9, json.dumps(as_dict(Finished("Ann")))), "cycle-gap", "3, 4, 5"),
    "no JSON": (INSERT.format(3, "{"), "cycle-event", "event 3"),
    "no event": (INSERT.format(3, '{"event": "Danced"}'), "cycle-event", "Danced"),
    "does not fit": (
        INSERT.format(3, json.dumps(as_dict(MovedOn("combination")))),
        "cycle-event",
        "after internalisation comes socialisation",
    ),
    "no edition": (
        INSERT.format(3, '{"event": "Changed", "by": "Ann", "based_on": "", "edition": {}, '
                         '"changes": []}'),
        "cycle-event",
        "scheme",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_events_that_somebody_meddled_with_are_found(training, empty, fault):
    put(training, FIRST_EVENTS)
    statement, code, said = FAULTS[fault]
    with empty.database.writing() as connection:
        connection.exec_driver_sql(statement)
    problem, unsealed = empty.check()
    assert unsealed.code == "rows-unsealed"
    assert (problem.code, problem.serious) == (code, True)
    assert said in problem.message
    assert "backup" in problem.advice
    with pytest.raises(StoreError, match="check-store"):
        empty.training.cycle()


def test_a_first_event_that_is_missing_is_found(empty):
    with empty.database.writing() as connection:
        connection.exec_driver_sql(INSERT.format(2, json.dumps(as_dict(FIRST_EVENTS[0]))))
    gap = next(problem for problem in empty.check() if problem.code == "cycle-gap")
    assert gap.serious
    assert "1" in gap.message


def test_events_cannot_be_changed_or_removed(training, empty):
    put(training, FIRST_EVENTS)
    for statement in ("UPDATE cycle_events SET event = '{}'", "DELETE FROM cycle_events"):
        with (
            pytest.raises(Exception, match="only ever added"),
            empty.database.writing() as connection,
        ):
            connection.exec_driver_sql(statement)
    assert len(empty.training.events()) == 2


def test_answers_under_the_manual_in_force_are_not_called_outdated(training, store):
    cycle = put(training, in_combination())
    version = training.apply(an_edit(cycle)).edition.version
    store.answers.save([answer(4, manual=version), answer(4, position=2, manual="m0")])
    problems = {each.code: each for each in store.check(study())}
    assert "'m0'" in problems["other-manual"].message
    assert problems["other-manual"].count == 1
    assert "'t1', 't2'" in problems["unknown-training-item"].message
