"""A backup is whole, of one moment, and opens as a store."""

import sqlite3
from threading import Thread

import pytest

from covary.errors import InvalidArgument
from covary.store import Store, StoreError, backup
from tests.store.made_up import answer, sheets


def fill(store):
    store.answers.save(
        [answer(rating, position=n) for n, rating in enumerate([4, 4.5, "x", None], 1)]
    )
    store.answers.save([answer(1, sequence=2, order=(1, 0), seconds=1.25)])
    store.notes.add(1, "remarks", {"text": "é"}, key="r")
    store.set_state("paused")
    store.sheets.reclaim(2)


def test_a_backup_holds_everything_and_opens_as_a_store(store, tmp_path):
    fill(store)
    secret = store.secret()
    link = store.researchers.new_link()
    file = store.backup(tmp_path / "copy.db")
    with Store.open(file) as copy:
        assert list(copy.answers.log()) == list(store.answers.log())
        assert list(copy.answers.counted()) == list(store.answers.counted())
        assert copy.judges.all() == store.judges.all()
        assert copy.sheets.all() == store.sheets.all()
        assert copy.sheets.holders() == store.sheets.holders()
        assert copy.notes.all() == store.notes.all()
        assert (copy.get_state(), copy.secret()) == ("paused", secret)
        assert copy.researchers.admits(copy.researchers.claim(link))
        assert copy.check() == []


def test_a_study_goes_on_from_its_backup(store, tmp_path):
    fill(store)
    with Store.open(store.backup(tmp_path / "copy.db")) as copy:
        numbers = [number for number, _, _ in copy.answers.log()]
        copy.answers.save([answer(5, sequence=9)])
        assert copy.judges.add()[0].id == 3
        assert [number for number, _, _ in copy.answers.log()][-1] > max(numbers)


def test_a_backup_made_while_judges_answer_holds_what_was_acknowledged_before(store, tmp_path):
    acknowledged = []

    def work():
        for n in range(1, 151):
            store.answers.save([answer(2, position=n, key=f"k{n}")])
            acknowledged.append(f"k{n}")

    thread = Thread(target=work)
    thread.start()
    made = []
    while thread.is_alive() and len(made) < 4:
        before = list(acknowledged)
        made.append((before, store.backup(tmp_path / f"copy{len(made)}.db")))
    thread.join()
    assert len(made) >= 1
    for before, file in made:
        with Store.open(file) as copy:
            assert set(before) <= {each.key for _, _, each in copy.answers.log()}
            assert copy.check() == []


def test_a_backup_is_one_file_and_leaves_nothing_else(store, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    store.backup(folder / "copy.db")
    assert [each.name for each in folder.iterdir()] == ["copy.db"]
    assert (folder / "copy.db").stat().st_mode & 0o077 == 0


def test_a_backup_never_replaces_a_file(store, tmp_path):
    file = tmp_path / "precious.db"
    file.write_text("mine")
    with pytest.raises(InvalidArgument, match="exists already"):
        store.backup(file)
    assert file.read_text() == "mine"
    with pytest.raises(InvalidArgument, match="does not exist"):
        store.backup(tmp_path / "no" / "x.db")


def test_a_backup_that_is_not_sound_is_not_kept(tmp_path, monkeypatch):
    with Store.open(tmp_path) as store:
        store.sheets.put(sheets(1))
        copied = backup._copied

        def spoilt(database, draft):
            counts = copied(database, draft)
            with sqlite3.connect(draft) as copy:
                copy.execute("DELETE FROM sheets")
            copy.close()
            return counts

        monkeypatch.setattr(backup, "_copied", spoilt)
        with pytest.raises(StoreError, match=r"not sound.*sheets"):
            store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_copy_whose_rows_are_not_those_that_were_read_is_not_kept(tmp_path, monkeypatch):
    """As many rows, and one of them says something else: as from a server, row by row."""
    with Store.open(tmp_path) as store:
        store.judges.add("Ann")
        copied = backup._copied

        def spoilt(database, draft):
            counts, _ = copied(database, draft)
            with database.reading() as connection:
                read = backup.digests_of(connection)
            with sqlite3.connect(draft) as copy:
                copy.execute("UPDATE judges SET name = 'Eve'")
            copy.close()
            return counts, read

        monkeypatch.setattr(backup, "_copied", spoilt)
        with pytest.raises(StoreError, match=r"not sound.*judges"):
            store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_full_disk_is_said_of_the_copy_and_leaves_nothing(store, tmp_path, monkeypatch):
    fill(store)

    def full(database, draft):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("covary.store.backup._copied", full)
    with pytest.raises(StoreError, match=r"copy\.db: database or disk is full"):
        store.backup(tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy.db*"))
