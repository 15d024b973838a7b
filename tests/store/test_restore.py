"""A backup comes back whole, on either database, and never over a study."""

import shutil
import sqlite3
from threading import Thread

import pytest
from sqlalchemy import Boolean, Float, Integer, Text, insert, text
from sqlalchemy.exc import DBAPIError

from covary.cli import main
from covary.errors import InvalidArgument
from covary.store import Store, StoreError, restore
from covary.store.backup import TABLES, Digest, digests_of
from covary.store.database import FILE_NAME
from covary.store.restore import restore as bring_back
from covary.store.schema import MIGRATIONS, metadata
from covary.study import write_template
from tests.store.databases import server
from tests.store.made_up import answer, sheets

WAYS = [(a, b) for a in ("sqlite", "postgresql") for b in ("sqlite", "postgresql")]


@pytest.fixture
def new_place(postgres, tmp_path):
    """Return an empty place on the database that is asked for."""
    numbers = iter(range(1, 100))

    def made(kind: str) -> str:
        return server().new_place() if kind == "postgresql" else f"{tmp_path}/s{next(numbers)}.db"

    return made


def filled(place: str) -> tuple[Store, dict]:
    """A store with something in every table, whatever tables there are, and with what it gave."""
    store = Store.open(place)
    store.sheets.put(sheets(4))
    tokens = [store.judges.add(name, group="é", attributes={"n": 1})[1] for name in ("Ann", "Bo")]
    for judge in (1, 2):
        store.sheets.issue(judge)
    store.answers.save(
        [answer(rating, position=n) for n, rating in enumerate([4, 4.5, "x", None], 1)]
    )
    store.answers.save([answer(1, sequence=2, order=(1, 0), seconds=0.1 + 0.2)])
    store.notes.add(1, "remarks", {"text": "ſ – \U0001f600"}, key="r")
    store.notes.add(None, "paused")
    store.set_state("paused")
    store.sheets.reclaim(2)
    link = store.researchers.new_link()
    _fill_the_rest(store)
    return store, {"tokens": tokens, "link": link, "secret": store.secret()}


def _fill_the_rest(store: Store) -> None:
    """Give a row to each table that has none, made from what kinds its columns are of."""
    values = {Boolean: True, Float: 0.5, Integer: 1, Text: "{}"}
    for table in TABLES:
        with store.database.writing() as connection:
            if digests_of(connection)[table.name].rows == 0:
                row = {
                    column.name: next(v for kind, v in values.items()
                                      if isinstance(column.type, kind))
                    for column in table.columns
                }  # fmt: skip
                connection.execute(insert(table).values(row))


def digests(store: Store) -> dict[str, Digest]:
    with store.database.reading() as connection:
        return digests_of(connection)


def test_every_table_but_the_list_of_migrations_is_copied():
    assert {table.name for table in TABLES} == set(metadata.tables) - {"migrations"}
    assert {"answers", "cycle_events", "visitors"} <= {table.name for table in TABLES}


@pytest.mark.parametrize(("before", "after"), WAYS)
def test_a_backup_comes_back_whole_from_either_to_either_database(
    before, after, new_place, tmp_path
):
    source, gave = filled(new_place(before))
    with source:
        file = source.backup(tmp_path / "copy.db")
        place = new_place(after)
        made = bring_back(file, place)
        assert all(number >= 1 for number in made.rows.values()), "a table was not filled"
        with Store.open(place, create=False) as back:
            assert digests(back) == digests(source)
            assert list(back.answers.log()) == list(source.answers.log())
            assert list(back.answers.counted()) == list(source.answers.counted())
            assert back.judges.all() == source.judges.all()
            assert back.sheets.holders() == source.sheets.holders()
            assert back.notes.all() == source.notes.all()
            assert (back.get_state(), back.secret()) == ("paused", gave["secret"])
            assert [back.judges.by_token(token).name for token in gave["tokens"]] == ["Ann", "Bo"]
            assert back.researchers.admits(back.researchers.claim(gave["link"]))


@pytest.mark.parametrize(("before", "after"), WAYS)
def test_a_study_goes_on_where_it_was_restored(before, after, new_place, tmp_path):
    source, _ = filled(new_place(before))
    with source:
        file = source.backup(tmp_path / "copy.db")
        numbers = [number for number, _, _ in source.answers.log()]
        notes = [note.id for note in source.notes.all()]
    place = new_place(after)
    bring_back(file, place)
    with Store.open(place) as back:
        back.answers.save([answer(5, sequence=9)])
        assert [number for number, _, _ in back.answers.log()][-1] > max(numbers)
        back.notes.add(1, "break")
        assert back.notes.all()[-1].id > max(notes)
        judge, _ = back.judges.add()
        assert judge.id == 3
        assert back.sheets.issue(judge.id).number == 2
        assert back.researchers.claim(back.researchers.new_link(again=True))


@pytest.mark.parametrize("table", ["answers", "notes", "cycle_events"])
@pytest.mark.parametrize("verb", ["UPDATE {} SET at_or_not = 1", "DELETE FROM {}"])
@pytest.mark.parametrize("after", ["sqlite", "postgresql"])
def test_what_is_only_ever_added_is_so_after_a_restore(table, verb, after, new_place, tmp_path):
    source, _ = filled(new_place("sqlite"))
    with source:
        file = source.backup(tmp_path / "copy.db")
    place = new_place(after)
    bring_back(file, place)
    column = "answered_at" if table == "answers" else "at"
    statement = verb.format(table).replace("at_or_not", column)
    with Store.open(place) as back:
        with pytest.raises(DBAPIError, match="only ever added"):  # noqa: SIM117
            with back.database.migrating().begin() as connection:
                connection.execute(text(statement))
        assert "unprotected" not in {problem.code for problem in back.check()}


@pytest.mark.parametrize("after", ["sqlite", "postgresql"])
def test_a_study_is_never_written_over(after, new_place, tmp_path):
    source, _ = filled(new_place("sqlite"))
    with source:
        file = source.backup(tmp_path / "copy.db")
    place = new_place(after)
    with Store.open(place) as there:
        there.judges.add("Cy")
        before = digests(there)
    with pytest.raises(InvalidArgument, match=r"never restored over a study"):
        bring_back(file, place)
    with Store.open(place) as there:
        assert digests(there) == before
        assert [judge.name for judge in there.judges.all()] == ["Cy"]


def test_what_does_not_arrive_as_it_was_is_not_kept(new_place, tmp_path, monkeypatch):
    source, _ = filled(new_place("sqlite"))
    with source:
        file = source.backup(tmp_path / "copy.db")
    copied = restore.copy_rows

    def spoilt(rows, connection):
        found = copied(rows, connection)
        connection.execute(text("UPDATE judges SET name = 'Eve' WHERE id = 1"))
        return found

    monkeypatch.setattr(restore, "copy_rows", spoilt)
    place = new_place("postgresql")
    with pytest.raises(StoreError, match=r"not what the backup holds \(judges\)"):
        bring_back(file, place)
    with Store.open(place) as there:
        assert all(digest.rows == 0 for digest in digests(there).values())


@pytest.mark.parametrize("after", ["sqlite", "postgresql"])
def test_a_damaged_backup_is_not_restored(after, new_place, tmp_path):
    source, _ = filled(new_place("sqlite"))
    with source:
        file = source.backup(tmp_path / "copy.db")
    with sqlite3.connect(file) as damaged:
        page = damaged.execute("PRAGMA page_size").fetchone()[0]
        (root,) = damaged.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'answers_once'"
        ).fetchone()
    damaged.close()
    with file.open("r+b") as opened:
        opened.seek((root - 1) * page + 100)
        opened.write(b"\xff" * (page - 100))
    place = new_place(after)
    with pytest.raises(StoreError, match="damaged"):
        bring_back(file, place)
    if after == "sqlite":
        with pytest.raises(StoreError, match="does not exist"):
            Store.open(place, create=False)
    else:
        with Store.open(place) as there:
            assert all(digest.rows == 0 for digest in digests(there).values())


def test_a_backup_made_while_judges_answer_is_restored_with_what_was_acknowledged(
    new_place, tmp_path
):
    source, _ = filled(new_place("postgresql"))
    acknowledged = []

    def work():
        for n in range(1, 201):
            source.answers.save([answer(2, position=n, key=f"k{n}")])
            acknowledged.append(f"k{n}")

    with source:
        thread = Thread(target=work)
        thread.start()
        while len(acknowledged) < 5:
            pass
        before = list(acknowledged)
        file = source.backup(tmp_path / "copy.db")
        place = new_place("postgresql")
        bring_back(file, place)
        thread.join()
        with Store.open(place) as back:
            assert set(before) <= {each.key for _, _, each in back.answers.log()}
        assert {f"k{n}" for n in range(1, 201)} <= {each.key for _, _, each in source.answers.log()}


def test_a_backup_of_an_older_covary_is_upgraded_on_the_way_and_stays_as_it_is(new_place, tmp_path):
    old = tmp_path / "old.db"
    with Store.open(old) as store:
        store.judges.add("Ann")
    with sqlite3.connect(old) as opened:  # as the first release left it
        for table in ("cycle_events", "item_versions", "seals"):
            for verb in ("update", "delete"):
                opened.execute(f"DROP TRIGGER {table}_no_{verb}")
        for table in ("cycle_events", "visitors", "item_versions", "seals"):
            opened.execute(f"DROP TABLE {table}")
        for column in ("answers DROP item_version", "answers DROP passages", "sheets DROP part"):
            opened.execute(f"ALTER TABLE {column}")
        opened.execute("DELETE FROM settings WHERE name = 'seal'")
        opened.execute("DELETE FROM migrations WHERE number > 1")
    opened.close()
    for kind in ("sqlite", "postgresql"):
        place = new_place(kind)
        assert bring_back(old, place).rows["judges"] == 1
        with Store.open(place) as back:
            assert back.judges.all()[0].name == "Ann"
            assert not back.check()
            assert back.head().startswith("1:")  # what was there is sealed now
    with sqlite3.connect(old) as opened:
        assert opened.execute("SELECT max(number) FROM migrations").fetchone() == (1,)
    opened.close()


def test_a_backup_of_a_newer_covary_is_refused(new_place, tmp_path):
    newer = tmp_path / "newer.db"
    Store.open(newer).close()
    with sqlite3.connect(newer) as opened:
        number = MIGRATIONS[-1].number + 1
        opened.execute("INSERT INTO migrations VALUES (?, 'x', 0)", [number])
    opened.close()
    with pytest.raises(StoreError, match="newer covary"):
        bring_back(newer, new_place("sqlite"))


@pytest.mark.parametrize("what", ["nothing", "text", "empty", "other"])
def test_what_is_no_backup_is_refused_and_leaves_nothing(what, tmp_path):
    file, folder = tmp_path / "x.db", tmp_path / "study"
    folder.mkdir()
    if what == "text":
        file.write_text("ratings, not a database at all, but long enough to look at" * 20)
    elif what == "empty":
        file.touch()
    elif what == "other":
        with sqlite3.connect(file) as opened:
            opened.execute("CREATE TABLE mine (x)")
        opened.close()
    with pytest.raises((InvalidArgument, StoreError)):
        bring_back(file, folder)
    assert list(folder.iterdir()) == []


def test_a_restored_file_is_read_by_this_user_only_and_stands_alone(tmp_path):
    source, _ = filled(str(tmp_path / "study.db"))
    with source:
        file = source.backup(tmp_path / "copy.db")
    folder = tmp_path / "back"
    folder.mkdir()
    bring_back(file, folder)
    assert [each.name for each in folder.iterdir()] == [FILE_NAME]
    assert (folder / FILE_NAME).stat().st_mode & 0o077 == 0


def test_a_digest_does_not_depend_on_order_and_sees_a_row_that_is_there_twice():
    table = metadata.tables["settings"]
    one, two = {"name": "a", "value": "1"}, {"name": "b", "value": "2"}
    empty = Digest()
    assert empty.with_rows(table, [one, two]) == empty.with_rows(table, [two, one])
    assert empty.with_rows(table, [one, two]) == empty.with_rows(table, [one]).with_rows(
        table, [two]
    )
    assert empty.with_rows(table, [one, one]) != empty.with_rows(table, [two, two])
    swapped = {"name": "1", "value": "a"}
    assert empty.with_rows(table, [one]) != empty.with_rows(table, [swapped])


def test_the_command_brings_a_backup_back_and_says_what_it_holds(tmp_path, capsys, new_place):
    folder = tmp_path / "forecasts"
    write_template(folder)
    assert main(["links", str(folder), "--judges", "3"]) == 0
    copy = str(tmp_path / "copy.db")
    assert main(["backup", str(folder), "-o", copy]) == 0
    assert main(["restore", copy, str(folder)]) == 1
    assert "exists already" in capsys.readouterr().err
    shutil.move(folder / FILE_NAME, tmp_path / "away.db")
    assert main(["restore", copy, str(folder)]) == 0
    assert "3 judges, 8 sheets" in capsys.readouterr().out
    place = new_place("postgresql")
    assert main(["restore", copy, str(folder), "--database", place]) == 0
    assert "Restored and compared: postgresql://" in capsys.readouterr().out
    with Store.open(place) as store:
        assert len(store.judges.all()) == 3
