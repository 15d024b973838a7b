"""Many at once: the same and different answers, one writer, a bounded queue, an orderly end."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from time import sleep

import pytest

from covary.store import Store, StoreBusy, StoreError
from covary.store.writer import Writer
from tests.store.made_up import answer, sheets


def test_thirty_threads_saving_lose_and_double_nothing(empty):
    empty.sheets.put(sheets(30))
    judges = [empty.judges.add()[0].id for _ in range(30)]
    own = {judge: empty.sheets.issue(judge).number for judge in judges}

    def work(judge):
        for n in range(10):  # each its own, and twice one that all of this judge's threads send
            empty.answers.save([answer(n % 5 + 1, judge=judge, sheet=own[judge], position=n)])
            empty.answers.save(
                [answer(3, judge=judges[0], sheet=own[judges[0]], position=99, key="all")]
            )

    with ThreadPoolExecutor(30) as pool:
        list(pool.map(work, judges))
    kept = [(each.judge, each.position) for _, _, each in empty.answers.log()]
    assert sorted(kept) == sorted([(j, n) for j in judges for n in range(10)] + [(judges[0], 99)])


def test_two_stores_saving_the_same_answers_keep_them_once(store, place):
    calls = [answer(n % 5 + 1, position=n, key=f"k{n}") for n in range(40)]
    with Store.open(place) as other, ThreadPoolExecutor(20) as pool:
        done = [pool.submit(s.answers.save, [call]) for call in calls for s in (store, other)]
        saved = [future.result()[0] for future in done]
    assert sum(not each.again for each in saved) == 40
    assert sorted(each.key for _, _, each in store.answers.log()) == sorted(
        call.key for call in calls
    )


def test_numbers_of_answers_grow_in_the_order_of_their_commits(store, place):
    """So that counting only what is new misses nothing."""
    with Store.open(place) as other, ThreadPoolExecutor(8) as pool:
        done = [
            pool.submit((store, other)[n % 2].answers.save, [answer(1, position=n)])
            for n in range(60)
        ]
        seen = [store.answers.counts().answers for _ in range(20)]
        wait(done)
    assert seen == sorted(seen)
    assert store.answers.counts().answers == 60


def test_what_was_accepted_is_finished_before_the_end(place):
    store = Store.open(place)
    store.sheets.put(sheets(1))
    judge = store.judges.add()[0].id
    store.sheets.issue(judge)
    futures = [
        store.answers.save_soon([answer(2, judge=judge, sheet=1, position=n)]) for n in range(200)
    ]
    store.close()
    assert all(future.done() and not future.exception() for future in futures)
    with Store.open(place) as again:
        assert again.answers.counts().answers == 200
    with pytest.raises(StoreError, match="closed"):
        store.answers.save([answer()])


def test_who_stops_waiting_does_not_stop_the_answer(store):
    future = store.answers.save_soon([answer(4)])
    assert not future.cancel()
    assert not future.result()[0].again


class Database:
    """Stands for a database whose commits wait until they are let through."""

    def __init__(self) -> None:
        self.go = Event()
        self.transactions = 0

    def __call__(self):
        return self

    def __enter__(self):
        self.go.wait(120)
        self.transactions += 1

    def __exit__(self, *_):
        return False


def echo(_, requests):
    return requests


def test_everything_that_waits_goes_into_one_transaction():
    database = Database()
    writer = Writer(database)
    futures = [writer.submit(echo, n) for n in range(100)]
    database.go.set()
    assert [future.result(120) for future in futures] == list(range(100))
    writer.close()
    assert database.transactions <= 2  # the first may have been taken alone


def test_too_much_waiting_is_refused_and_the_rest_is_kept():
    database = Database()
    writer = Writer(database, most_waiting=5)
    futures = [writer.submit(echo, 0)]
    while writer._waiting:  # until the thread has taken it and waits for the database
        sleep(0.001)
    futures += [writer.submit(echo, n) for n in range(1, 6)]
    with pytest.raises(StoreBusy, match="try again"):
        writer.submit(echo, 6)
    database.go.set()
    assert [future.result(120) for future in futures] == [0, 1, 2, 3, 4, 5]
    writer.close()
    with pytest.raises(StoreError):
        writer.submit(echo, 1)
