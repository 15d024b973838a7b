"""A store whose file was moved, removed or replaced acknowledges nothing until it is back."""

import asyncio
import shutil
import sqlite3
from types import SimpleNamespace

import pytest
from sqlalchemy import event

from covary.store import Store, StoreError
from covary.store import database as databases
from tests.store.made_up import answer, sheets


@pytest.fixture
def file(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def store(file):
    with Store.open(file) as opened:
        opened.sheets.put(sheets(1))
        opened.sheets.issue(opened.judges.add("Ann")[0].id)
        opened.answers.save([answer(4)])
        yield opened


def check_refused(store, code):
    with pytest.raises(StoreError) as saving:
        store.answers.save([answer(5, position=2)])
    with pytest.raises(StoreError) as ready:
        store.check_ready()
    assert saving.value.code == ready.value.code == code


def test_a_journal_that_was_moved_away_is_emptied_into_the_file(store, file):
    journal, elsewhere = file.with_name(f"{file.name}-wal"), file.with_name("elsewhere")
    journal.rename(elsewhere)
    store.answers.save([answer(5, position=2)])
    assert elsewhere.stat().st_size == 0, "put back, it would write old pages over new ones"
    elsewhere.replace(journal)  # somebody puts it back nevertheless
    (receipt,) = store.answers.save([answer(3, position=3)])
    assert receipt.key
    assert [answer.rating for answer in store.answers.current(1).values()] == [4, 5, 3]
    store.check_ready()


def test_what_was_moved_away_and_back_is_written_to_again(store, file):
    file.rename(file.with_name("elsewhere"))
    check_refused(store, "store.file-gone")
    file.with_name("elsewhere").rename(file)
    store.check_ready()
    (receipt,) = store.answers.save([answer(5, position=2)])
    assert receipt.key
    assert [answer.rating for answer in store.answers.current(1).values()] == [4, 5]


def test_another_file_under_the_name_is_not_written_to(store, file):
    copy = file.with_name("copy")
    shutil.copy(file, copy)
    copy.replace(file)
    check_refused(store, "store.file-replaced")


def test_what_was_opened_while_the_file_was_read_only_is_not_used_again(store, file):
    def for_reading(*_):
        return sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)

    engine = store.database.engine
    engine.dispose()
    event.listen(engine, "do_connect", for_reading)
    for attempt in (1, 2):
        with pytest.raises(StoreError, match="readonly"):
            store.answers.save([answer(5, position=2, key=f"refused {attempt}")])
    with store.database.reading(), store.database.reading():  # two that were opened for reading
        pass
    event.remove(engine, "do_connect", for_reading)
    for position in (2, 3, 4):  # the file can be written again: nobody is refused any more
        store.answers.save([answer(5, position=position, key=f"kept {position}")])


def test_a_disk_without_room_is_not_ready(store, monkeypatch):
    monkeypatch.setattr(databases.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(StoreError) as ready:
        store.check_ready()
    assert ready.value.code == "store.disk-full"


def test_a_disk_is_ready_down_to_the_least_room_and_not_below(store, monkeypatch):
    left = SimpleNamespace(free=databases.LEAST_SPACE)
    monkeypatch.setattr(databases.shutil, "disk_usage", lambda _: left)
    store.check_ready()
    left.free -= 1
    with pytest.raises(StoreError) as ready:
        store.check_ready()
    assert ready.value.code == "store.disk-full"


def test_a_file_that_can_be_written_again_is_ready_at_once(store, file):
    """The connection of a moment ago may not write; the question is asked again on a new one."""

    def for_reading(*_):
        return sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)

    engine = store.database.engine
    engine.dispose()
    event.listen(engine, "do_connect", for_reading)
    with store.database.reading():
        pass
    event.remove(engine, "do_connect", for_reading)
    store.check_ready()


def test_a_journal_that_is_gone_is_saved_when_the_last_reader_has_left(store, file, monkeypatch):
    monkeypatch.setattr(databases, "PATIENCE_WITH_READERS", 0.05)
    with store.database.reading():
        file.with_name(f"{file.name}-wal").unlink()
        check_refused(store, "store.file-gone")
    store.answers.save([answer(5, position=2)])
    assert [answer.rating for answer in store.answers.current(1).values()] == [4, 5]


def test_an_empty_journal_in_place_of_the_one_that_was_removed_counts_as_none(store, file):
    """As somebody makes one who opens the database meanwhile."""
    journal = file.with_name(f"{file.name}-wal")
    journal.rename(file.with_name("elsewhere"))
    journal.touch()
    store.answers.save([answer(5, position=2)])
    store.check_ready()
    assert [answer.rating for answer in store.answers.current(1).values()] == [4, 5]


def test_another_journal_in_place_of_the_one_that_was_there_is_not_written_to(store, file):
    journal = file.with_name(f"{file.name}-wal")
    journal.rename(file.with_name("elsewhere"))
    journal.write_bytes(b"of another database")
    check_refused(store, "store.file-replaced")
    file.with_name("elsewhere").replace(journal)
    store.check_ready()


def test_a_save_in_a_loop_is_repeated_on_a_connection_that_may_write(store, file):
    def for_reading(*_):
        return sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)

    async def save():
        return await store.answers.save_in_loop([answer(5, position=2)])

    engine = store.database.engine
    engine.dispose()
    event.listen(engine, "do_connect", for_reading)
    with store.database.reading():
        pass
    event.remove(engine, "do_connect", for_reading)
    (receipt,) = asyncio.run(save())
    assert not receipt.again
