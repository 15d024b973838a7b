"""Opening a store: upgrades, refusals, who may serve."""

import os
import sqlite3
import stat
import subprocess
import sys
from threading import Event, Thread

import pytest
from sqlalchemy import event, inspect, text

from covary.errors import InvalidArgument
from covary.store import Store, StoreError, schema
from covary.store import database as databases
from covary.store.database import MOST_AT_ONCE, PATIENCE, ReadGate, open_database
from covary.store.schema import MIGRATIONS, Migration, metadata, migrate, version_of
from tests.store.made_up import answer


def test_the_tables_are_those_that_the_queries_expect(empty):
    with empty.database.reading() as connection:
        found = inspect(connection)
        for name, table in metadata.tables.items():
            columns = {each["name"]: each["nullable"] for each in found.get_columns(name)}
            assert set(columns) == set(table.columns.keys())
            for column in table.columns:
                assert column.primary_key or columns[column.name] == column.nullable
        assert set(found.get_table_names()) - {"sqlite_sequence"} == set(metadata.tables)


def test_migrations_are_numbered_one_by_one():
    assert [each.number for each in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


NEXT = len(MIGRATIONS) + 1
GOOD = Migration(NEXT, "colours", ("CREATE TABLE colours (name TEXT)",))
BAD = Migration(NEXT + 1, "broken", ("CREATE TABLE shapes (name TEXT)", "CREATE NONSENSE"))


def test_an_upgrade_keeps_what_was_there(store, place, monkeypatch):
    store.answers.save([answer(4)])
    store.close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, GOOD))
    monkeypatch.setattr(schema.migrate, "__defaults__", ((*MIGRATIONS, GOOD),))
    with Store.open(place) as upgraded:
        assert [each.rating for _, _, each in upgraded.answers.log()] == [4]
        with upgraded.database.reading() as connection:
            assert version_of(connection) == NEXT
            assert "colours" in inspect(connection).get_table_names()


def test_an_upgrade_that_fails_leaves_the_schema_before_it(store):
    store.answers.save([answer(4)])
    with pytest.raises(Exception, match="NONSENSE"):
        migrate(store.database.migrating(), (*MIGRATIONS, GOOD, BAD))
    with store.database.reading() as connection:
        assert version_of(connection) == NEXT  # the good one was whole, the bad one never was
        assert "shapes" not in inspect(connection).get_table_names()
    assert store.answers.current(1)[1, answer().criterion].rating == 4


def test_a_store_of_a_newer_covary_is_refused_and_not_touched(store, place):
    migrate(store.database.migrating(), (*MIGRATIONS, GOOD))
    store.close()
    words = f"schema {NEXT} and this covary knows up to {NEXT - 1}.*newer covary.*ratings are safe"
    with pytest.raises(StoreError, match=words):
        Store.open(place)


@pytest.mark.parametrize(
    ("name", "word"),
    [("missing/study.db", "folder"), ("notes.txt", "not a store"), ("other.db", "not a store")],
)
def test_what_is_no_store_is_refused(tmp_path, name, word):
    (tmp_path / "notes.txt").write_text("a text that is long enough to be no database")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises((StoreError, InvalidArgument), match=word):
        Store.open(tmp_path / name)


def test_reading_does_not_make_a_store(tmp_path):
    with pytest.raises(StoreError, match="no ratings have been collected"):
        Store.open(tmp_path / "study.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_means_the_store_in_it(tmp_path):
    Store.open(tmp_path).close()
    assert (tmp_path / "study.db").exists()


@pytest.mark.skipif(os.name == "nt", reason="file modes are those of POSIX")
def test_only_the_owner_may_read_the_file(tmp_path):
    with Store.open(tmp_path, serving=True) as store:
        store.secret()
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {0o600}


@pytest.mark.parametrize(
    "address", ["mysql://localhost/x", "postgresql://localhost:port/x", "sqlite:///x.db"]
)
def test_an_address_that_is_not_understood_is_refused(address):
    with pytest.raises(InvalidArgument, match="postgresql://"):
        Store.open(address)


def test_a_server_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://ann:hunter2@localhost:1/x?connect_timeout=2")
    assert "localhost" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_without_psycopg_the_way_to_install_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install covary\[postgres\]"):
        Store.open("postgresql://localhost/x")


def test_a_second_process_may_not_serve_the_same_file(tmp_path):
    script = "import sys\nfrom covary.store import Store\nStore.open(sys.argv[1], serving=True)"
    with Store.open(tmp_path, serving=True):
        command = [sys.executable, "-c", script, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert "another process serves" in done.stderr


def test_a_file_that_is_served_may_be_read_and_later_served_by_another(tmp_path):
    with Store.open(tmp_path, serving=True):
        with Store.open(tmp_path, create=False) as reader:
            assert reader.get_state() == "open"
        with pytest.raises(StoreError, match=r"another process serves.*PostgreSQL"):
            Store.open(tmp_path, serving=True)
    Store.open(tmp_path, serving=True).close()


def test_several_processes_may_serve_from_postgresql(postgres):
    place = postgres.new_place()
    with Store.open(place, serving=True), Store.open(place, serving=True) as second:
        assert second.get_state() == "open"


def test_commits_wait_for_the_disk(empty):
    with empty.database.reading() as connection:
        if empty.database.kind == "sqlite":
            assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
            assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
        else:
            assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
            assert connection.execute(text("SHOW fsync")).scalar() == "on"


def test_as_many_connections_are_open_at_once_as_are_allowed_and_no_more(empty):
    pool = empty.database.engine.pool
    most = MOST_AT_ONCE[empty.database.engine.dialect.name]
    assert pool.size() + pool._max_overflow == most


def test_nobody_reads_while_the_gate_is_closed_and_everybody_when_it_is_open_again():
    gate, inside = ReadGate(), Event()

    def read():
        with gate.passed():
            inside.set()

    with gate.closed() as everybody_left:
        assert everybody_left
        reader = Thread(target=read)
        reader.start()
        assert not inside.wait(0.2)
    reader.join(PATIENCE / 2)  # a reader at a gate that stays closed waits for twice as long
    assert inside.is_set()


def test_who_closes_the_gate_is_told_whether_somebody_still_reads(monkeypatch):
    monkeypatch.setattr(databases, "PATIENCE_WITH_READERS", 0.05)
    gate = ReadGate()
    with gate.passed():
        with gate.passed(), gate.closed() as everybody_left:
            assert not everybody_left
        with gate.closed() as everybody_left:
            assert not everybody_left, "one of the two still reads"
    with gate.closed() as everybody_left:
        assert everybody_left


def test_a_process_that_does_not_close_its_store_still_ends(tmp_path):
    script = "import sys\nfrom covary.store import Store\n"
    script += "store = Store.open(sys.argv[1])\nstore.judges.add('Ann')"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=120)
    with Store.open(tmp_path, create=False) as store:
        assert [judge.name for judge in store.judges.all()] == ["Ann"]


def test_a_silent_server_is_noticed_within_half_a_minute_unless_its_address_says_otherwise():
    said = {}

    class Enough(Exception):
        pass

    def note(_dialect, _record, _arguments, named):
        said.update(named)
        raise Enough

    database = open_database("postgresql://localhost/x?connect_timeout=2")
    event.listen(database.engine, "do_connect", note)
    with pytest.raises(Enough):
        database.engine.connect()
    assert said["connect_timeout"] == "2"
    probes = said["keepalives_interval"] * said["keepalives_count"]
    assert said["keepalives_idle"] + probes == 30
    assert said["tcp_user_timeout"] == 30_000  # milliseconds
