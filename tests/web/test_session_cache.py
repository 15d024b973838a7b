"""What a save relies on: remembered for a moment, never longer, and only to be let in."""

import asyncio
import time
from threading import Event

import pytest

from covary.store import Store
from covary.store.database import StoreError
from covary.store.records import Judge
from covary.study.model import Session
from covary.web.serving.app import create_app
from covary.web.session_cache import SECONDS_TO_RELY, ManualInForce, SessionCache
from tests.web import studies
from tests.web.client import Judge as Client
from tests.web.client import hidden


@pytest.fixture
def study(tmp_path):
    return studies.bare(tmp_path, studies.VERBAL, session=Session(go_back=False))


@pytest.fixture
def two_servers(tmp_path, study, monkeypatch):
    """One judge who reaches two processes of one study, as behind a proxy."""
    with Store.open(tmp_path / "study.db") as one, Store.open(tmp_path / "study.db") as other:
        one.sheets.put([studies.sheet(study)])
        _, token = one.judges.add()
        clients = [Client(create_app(study, store), token) for store in (one, other)]
        for client in clients:
            client.enter()
        yield one, other, *clients
        for client in clients:
            client.close()


def saving(client, **changes):
    """Return how to save from the page that is shown now, without asking for a page again."""
    fields = hidden(client.page().text)
    body = {"position": int(fields["position"]), "criterion": "Fluency", "rating": "3",
            "page": fields["page"]}  # fmt: skip
    headers = {"X-Covary-Token": fields["token"]}

    def save(sequence, **more):
        sent = body | {"sequence": sequence, "key": f"k{sequence}"} | changes | more
        return client.post("/judge/answer", json=sent, headers=headers).status_code

    return save


def test_a_second_save_asks_the_store_nothing(enter, study, store, monkeypatch):
    judge = enter(study)
    judge.enter()
    save = saving(judge)
    assert save(1) == 200
    monkeypatch.setattr(store, "standings", None)
    monkeypatch.setattr(store.notes, "all", None)
    assert save(2) == 200


@pytest.mark.parametrize("change", ["revoke", "pause", "reclaim"])
def test_what_this_process_changes_is_known_at_once(enter, study, store, change):
    judge = enter(study)
    judge.enter()
    save = saving(judge)
    assert save(1) == 200
    changes = {
        "revoke": (lambda: store.judges.revoke(1), 403),
        "pause": (lambda: store.set_state("paused"), 409),
        "reclaim": (lambda: store.sheets.reclaim(1), 422),
    }
    make, status = changes[change]
    make()
    assert save(2) == status
    assert len(list(store.answers.log())) == 1


@pytest.mark.parametrize(("change", "status"), [("revoke", 403), ("pause", 409), ("reclaim", 422)])
def test_what_another_process_changes_is_known_within_two_seconds(two_servers, change, status):
    one, other, here, _ = two_servers
    save = saving(here)
    assert save(1) == 200
    make = {"revoke": lambda: other.judges.revoke(1), "pause": lambda: other.set_state("paused"),
            "reclaim": lambda: other.sheets.reclaim(1)}  # fmt: skip
    make[change]()
    time.sleep(SECONDS_TO_RELY)
    assert save(2) == status
    assert len(list(one.answers.log())) == 1


def test_an_item_left_in_another_process_lets_the_next_one_be_saved_here_at_once(two_servers):
    one, _, here, there = two_servers
    assert saving(here)(1) == 200
    there.send("next", rating_0="3")
    fields = hidden(there.page().text)
    body = {"position": 2, "criterion": "Fluency", "rating": "5", "page": fields["page"],
            "sequence": 1, "key": "second"}  # fmt: skip
    answer = here.post("/judge/answer", json=body, headers={"X-Covary-Token": fields["token"]})
    assert answer.status_code == 200
    assert one.answers.current(1)[2, "Fluency"].rating == 5


def test_no_judge_saves_with_what_is_remembered_of_another(enter, study, store):
    one, other = enter(study, judges=2)
    one.enter()
    other.enter()
    own, foreign = saving(one), hidden(other.page().text)
    assert own(1) == 200
    assert own(2, page=foreign["page"]) == 422
    body = {"position": 1, "criterion": "Fluency", "rating": "5", "page": foreign["page"],
            "sequence": 1, "key": "x"}  # fmt: skip
    headers = {"X-Covary-Token": foreign["token"]}
    assert one.post("/judge/answer", json=body, headers=headers).status_code == 403
    assert {answer.judge for _, _, answer in store.answers.log()} == {1}


def test_only_so_many_judges_are_remembered_and_none_is_mistaken(enter, study, store, monkeypatch):
    monkeypatch.setattr("covary.web.session_cache.MOST_AT_WORK", 2)
    judges = enter(study, judges=4)
    for judge in judges:
        judge.enter()
    saves = [saving(judge) for judge in judges]
    for sequence in (1, 2):
        assert [save(sequence) for save in saves] == [200] * 4
    site = judges[0].http._transport.app.state.site
    assert len(site.sessions._seats) <= 2
    assert len(site.sessions._trails) <= 2
    assert [isinstance(each, Judge) for each in store.judges.all()] == [True] * 4


def test_every_note_is_read_from_the_store_once(enter, study, store, monkeypatch):
    judge = enter(study)
    judge.enter()
    read = []
    notes = store.notes.all

    def counted(*given, **more):
        found = notes(*given, **more)
        read.extend(note.id for note in found)
        return found

    monkeypatch.setattr(store.notes, "all", counted)
    judge.send("next", rating_0="3")
    judge.send("next", rating_0="4")
    judge.page()
    assert len(read) == len(set(read)) >= 2


@pytest.fixture
def later(monkeypatch):
    """Let the clock of the sessions go on by more than they rely on anything."""
    ahead = [0.0]
    real = time.monotonic
    monkeypatch.setattr("covary.web.session_cache.time.monotonic", lambda: real() + ahead[0])

    def wait():
        ahead[0] += SECONDS_TO_RELY + 1

    return wait


def sessions_of(client):
    return client.http._transport.app.state.site.sessions


def test_one_look_at_everybody_spares_reading_each_anew(enter, study, store, monkeypatch, later):
    judges = enter(study, judges=3)
    for judge in judges:
        judge.enter()
    saves = [saving(judge) for judge in judges]
    assert [save(1) for save in saves] == [200] * 3
    later()
    sessions_of(judges[0]).confirm()
    with monkeypatch.context() as broken:
        broken.setattr(store, "standings", None)
        assert [save(2) for save in saves] == [200] * 3
    later()  # and nobody has looked since: each is read
    monkeypatch.setattr(store, "pulse", None)
    assert [save(3) for save in saves] == [200] * 3


@pytest.mark.parametrize(
    ("change", "status"),
    [("revoke", 403), ("pause", 409), ("reclaim", 422), ("token", 403), ("nothing", 200)],
)
def test_that_look_sees_what_another_process_has_changed(two_servers, later, change, status):
    one, other, here, _ = two_servers
    save = saving(here)
    assert save(1) == 200
    make = {"revoke": lambda: other.judges.revoke(1), "pause": lambda: other.set_state("paused"),
            "reclaim": lambda: other.sheets.reclaim(1), "nothing": lambda: None,
            "token": lambda: other.judges.new_token(1)}  # fmt: skip
    make[change]()
    later()
    sessions_of(here).confirm()
    assert save(2) == status
    assert len(list(one.answers.log())) == (2 if status == 200 else 1)


def test_where_nobody_is_at_work_nothing_is_looked_up(enter, study, store, monkeypatch):
    judge = enter(study)
    monkeypatch.setattr(store, "pulse", None)
    sessions_of(judge).confirm()


@pytest.fixture
def at_the_store(store, study, monkeypatch):
    """Judges who are read in turn: their tokens, and what the store was asked, which waits."""
    store.sheets.put([studies.sheet(study, number) for number in (1, 2, 3)])
    tokens = [store.judges.add()[1] for _ in range(3)]
    for judge in store.judges.all():
        store.sheets.issue(judge.id)
    store.items.take(study)
    sessions = SessionCache(ManualInForce(study, store.training), store)
    asked, begun, free, standings = [], Event(), Event(), store.standings

    def slowly(wanted):
        asked.append(sorted(wanted))
        begun.set()
        assert free.wait(120)
        return standings(wanted)

    monkeypatch.setattr(store, "standings", slowly)
    return sessions, tokens, asked, begun, free


async def until(happened):
    while not happened.is_set():
        await asyncio.sleep(0.001)


def test_all_who_wait_to_be_read_are_read_at_once_and_none_is_mistaken(at_the_store):
    sessions, tokens, asked, begun, free = at_the_store

    async def all_ask():
        first = asyncio.create_task(sessions.read_in_turn(tokens[0]))
        await until(begun)
        others = [*tokens, tokens[1], "nobody's"]
        later = [asyncio.create_task(sessions.read_in_turn(token)) for token in others]
        await asyncio.sleep(0)
        free.set()
        return [await first, *[await task for task in later]]

    read = asyncio.run(all_ask())
    assert [None if each is None else each.judge.id for each in read] == [1, 1, 2, 3, 2, None]
    assert [each.flow.sheet.number for each in read[:-1]] == [1, 1, 2, 3, 2]
    assert asked == [[tokens[0]], sorted([*tokens, "nobody's"])]


def test_who_asks_while_others_are_read_is_told_what_was_done_meanwhile(at_the_store, store):
    sessions, tokens, _, begun, free = at_the_store

    async def paused_between():
        first = asyncio.create_task(sessions.read_in_turn(tokens[0]))
        await until(begun)
        store.set_state("paused")
        second = asyncio.create_task(sessions.read_in_turn(tokens[1]))
        await asyncio.sleep(0)
        free.set()
        await first
        return await second

    assert asyncio.run(paused_between()).state == "paused"


def test_a_store_that_fails_fails_those_who_wait_and_nobody_after(at_the_store, store, monkeypatch):
    sessions, tokens, _, _, free = at_the_store
    free.set()
    works = store.standings

    def broken(wanted):
        raise StoreError("store.closed")

    async def ask():
        return await asyncio.gather(*map(sessions.read_in_turn, tokens), return_exceptions=True)

    monkeypatch.setattr(store, "standings", broken)
    assert [type(each) for each in asyncio.run(ask())] == [StoreError] * 3
    monkeypatch.setattr(store, "standings", works)
    assert [each.judge.id for each in asyncio.run(ask())] == [1, 2, 3]
