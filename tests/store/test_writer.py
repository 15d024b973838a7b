"""Group commit: who is answered when, what is tried again, and what is never done twice."""

import asyncio
import time
from contextlib import contextmanager
from threading import Event

import pytest
from sqlalchemy.exc import OperationalError

from covary.store import StoreBusy, StoreError
from covary.store.writer import MOST_AT_ONCE, Writer


class Disk:
    """Transactions in place of a database's: what was committed, and what fails on the way."""

    def __init__(self):
        self.committed, self.attempts, self.gate = [], 0, Event()
        self.fails = {}  # by the number of the attempt, the first being 0
        self.gate.set()

    @contextmanager
    def transaction(self):
        self.gate.wait(120)
        self.attempts += 1
        done = []
        yield done
        if self.attempts - 1 in self.fails:
            raise self.fails[self.attempts - 1]
        self.committed.append(done)


def database_error(*, lost):
    error = OperationalError("COMMIT", {}, Exception("the server went away"))
    error.connection_invalidated = lost
    return error


def add(done, requests):
    """Work: keep all requests, and reply to each with its double."""
    if "faulty" in requests:
        raise ValueError("faulty")
    done.extend(requests)
    return [request * 2 for request in requests]


@pytest.fixture
def disk():
    return Disk()


@pytest.fixture
def writer(disk):
    made = Writer(disk.transaction)
    yield made
    made.close()


def held_up(disk, writer):
    """A request that the writer has taken, and that waits for the disk."""
    disk.gate.clear()
    first = writer.submit(add, "first")
    while writer.waiting:
        time.sleep(0.001)
    return first


def together(disk, writer, requests, *, repeatable=()):
    """Let several requests meet in one transaction, behind one that is held up."""
    first = held_up(disk, writer)
    waiting = [writer.submit(add, each, repeatable=each in repeatable) for each in requests]
    assert writer.waiting == len(requests)
    disk.gate.set()
    assert first.result(120) == "firstfirst"
    return waiting


def test_what_waits_is_written_in_one_transaction_and_each_gets_its_own_reply(disk, writer):
    futures = together(disk, writer, ["a", "b", "c"])
    assert [future.result(120) for future in futures] == ["aa", "bb", "cc"]
    assert disk.committed == [["first"], ["a", "b", "c"]]
    assert (writer.commits, writer.written, writer.waiting) == (2, 4, 0)


def test_a_reply_comes_after_the_commit_and_not_before(disk, writer):
    disk.gate.clear()
    future = writer.submit(add, "a")
    assert not future.done()
    disk.gate.set()
    future.result(120)
    assert disk.committed == [["a"]]


def test_neighbours_of_another_kind_keep_their_place(disk, writer):
    def other(done, requests):
        done.append(tuple(requests))
        return requests

    held_up(disk, writer)
    futures = [writer.submit(work, n) for n, work in enumerate((add, other, other, add), 1)]
    disk.gate.set()
    assert [future.result(120) for future in futures] == [2, 2, 3, 8]
    assert disk.committed[1] == [1, (2, 3), 4]


def test_a_transaction_has_room_for_many_but_not_for_all(disk, writer):
    futures = together(disk, writer, list(range(MOST_AT_ONCE + 1)))
    assert [future.result(120) for future in futures][-1] == 2 * MOST_AT_ONCE
    assert [len(each) for each in disk.committed] == [1, MOST_AT_ONCE, 1]


def test_a_faulty_request_fails_alone(disk, writer):
    futures = together(disk, writer, ["a", "faulty", "b"])
    assert (futures[0].result(120), futures[2].result(120)) == ("aa", "bb")
    with pytest.raises(ValueError, match="faulty"):
        futures[1].result(120)
    assert disk.committed == [["first"], ["a"], ["b"]]
    assert (writer.commits, writer.written) == (3, 3)


def test_a_request_that_fails_on_its_own_is_not_tried_again(disk, writer):
    disk.fails = {0: database_error(lost=False)}
    future = writer.submit(add, "a", repeatable=True)
    with pytest.raises(StoreError, match="the server went away"):
        future.result(120)
    assert (disk.committed, disk.attempts) == ([], 1)


def test_after_a_lost_connection_a_write_that_may_not_be_repeated_is_not(disk, writer):
    """The commit may have happened and only its answer be lost: again could mean twice."""
    disk.fails = {0: database_error(lost=True)}
    future = writer.submit(add, "a")
    with pytest.raises(StoreError, match="the server went away"):
        future.result(120)
    assert (disk.committed, disk.attempts) == ([], 1)


def test_after_a_lost_connection_what_may_be_repeated_is(disk, writer):
    disk.fails = {0: database_error(lost=True)}
    assert writer.submit(add, "a", repeatable=True).result(120) == "aa"
    assert disk.committed == [["a"]]
    assert (writer.commits, writer.written) == (1, 1)


def test_what_is_lost_twice_fails(disk, writer):
    disk.fails = {0: database_error(lost=True), 1: database_error(lost=True)}
    with pytest.raises(StoreError, match="the server went away"):
        writer.submit(add, "a", repeatable=True).result(120)
    assert (disk.committed, disk.attempts) == ([], 2)


def test_of_several_that_lost_their_connection_only_those_that_may_are_repeated(disk, writer):
    disk.fails = {1: database_error(lost=True)}
    once, again = together(disk, writer, ["a", "b"], repeatable=["b"])
    with pytest.raises(StoreError, match="the server went away"):
        once.result(120)
    assert again.result(120) == "bb"
    assert disk.committed == [["first"], ["b"]]


def test_of_several_that_failed_otherwise_each_is_tried_on_its_own(disk, writer):
    disk.fails = {1: database_error(lost=False), 2: database_error(lost=False)}
    faulty, good = together(disk, writer, ["a", "b"])
    with pytest.raises(StoreError, match="the server went away"):
        faulty.result(120)
    assert good.result(120) == "bb"
    assert disk.committed == [["first"], ["b"]]


def test_too_much_at_once_is_refused_before_it_waits(disk):
    writer = Writer(disk.transaction, most_waiting=2)
    held_up(disk, writer)
    futures = [writer.submit(add, "a"), writer.submit(add, "b")]
    with pytest.raises(StoreBusy, match="2 answers wait"):
        writer.submit(add, "c")
    disk.gate.set()
    assert [future.result(120) for future in futures] == ["aa", "bb"]
    writer.close()


def test_closing_finishes_what_was_accepted_and_takes_no_more(disk):
    writer = Writer(disk.transaction)
    futures = [writer.submit(add, n) for n in range(20)]
    writer.close()
    assert all(future.done() for future in futures)
    with pytest.raises(StoreError, match="closed"):
        writer.submit(add, 1)


def test_a_writer_that_was_never_used_closes(disk):
    writer = Writer(disk.transaction)
    writer.close()
    assert disk.committed == []


def test_only_what_does_more_than_add_counts_as_a_change(store):
    before = store.changes
    store.notes.add(1, "remarks")
    store.answers.save([])
    store.check_ready()
    assert store.changes == before
    store.judges.new_token(1)
    assert store.changes == before + 1
    with pytest.raises(ValueError, match="no judge 99"):
        store.judges.revoke(99)
    assert store.changes == before + 2  # what a failed write left is not known


def test_in_a_loop_each_gets_its_own_reply_or_its_own_error(disk, writer):
    async def work():
        futures = [writer.submit_in_loop(add, request) for request in ("a", "faulty", "b")]
        return await asyncio.gather(*futures, return_exceptions=True)

    first, faulty, last = asyncio.run(work())
    assert (first, last) == ("aa", "bb")
    assert isinstance(faulty, ValueError)
    assert disk.committed == [["a"], ["b"]]


def test_in_a_loop_too_only_what_may_be_repeated_is(disk, writer):
    async def work(**how):
        return await writer.submit_in_loop(add, "a", **how)

    disk.fails = {0: database_error(lost=True), 1: database_error(lost=True)}
    with pytest.raises(StoreError, match="the server went away"):
        asyncio.run(work())
    assert disk.attempts == 1
    assert asyncio.run(work(repeatable=True)) == "aa"
    assert disk.committed == [["a"]]


def test_what_was_accepted_is_written_also_when_whoever_waited_has_left(disk, writer):
    async def work():
        left, stayed = (writer.submit_in_loop(add, request) for request in "ab")
        left.cancel()
        return await stayed

    assert asyncio.run(work()) == "bb"
    assert [request for done in disk.committed for request in done] == ["a", "b"]


def test_a_loop_that_has_ended_keeps_nobody_else_waiting(disk, writer):
    disk.gate.clear()

    async def work():
        writer.submit_in_loop(add, "a")
        await asyncio.sleep(0)

    asyncio.run(work())
    future = writer.submit(add, "b")
    disk.gate.set()
    assert future.result(120) == "bb"
    assert [request for done in disk.committed for request in done] == ["a", "b"]
