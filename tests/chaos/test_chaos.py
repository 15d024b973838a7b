"""A short, deterministic share of `make chaos`: a journal that is removed, and who notices."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from covary.store import Store, StoreError
from tests.chaos.__main__ import write
from tests.chaos.raters import compare
from tests.store.made_up import answer, sheets


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "study.db") as opened:
        opened.sheets.put(sheets(1))
        opened.sheets.issue(opened.judges.add()[0].id)
        yield opened


def journal(store):
    return Path(f"{store.database.file}-wal")


def keys(place):
    with Store.open(place) as other:
        assert not [each for each in other.check() if each.serious]
        return [each.key for _, _, each in other.answers.log()]


def as_a_kill_leaves_it(store, folder):
    """Copy the files while they are open, and leave behind what only the process has."""
    folder.mkdir()
    for ending in ("", "-wal"):
        file = Path(f"{store.database.file}{ending}")
        if file.exists():
            shutil.copy(file, folder / file.name)
    return folder / store.database.file.name


def test_what_a_removed_journal_held_is_saved_before_the_next_answer_is(store, tmp_path, caplog):
    for number in (1, 2, 3):
        store.answers.save([answer(number, key=f"k{number}", sequence=number)])
    journal(store).unlink()
    store.answers.save([answer(4, key="k4", sequence=4)])
    assert keys(as_a_kill_leaves_it(store, tmp_path / "killed")) == ["k1", "k2", "k3", "k4"]
    assert [each.message for each in caplog.records] == [
        f"the journal of {store.database.file} was removed; what it held is in the file"
    ]
    store.check_ready()


def test_a_journal_that_is_removed_during_a_commit_loses_nothing(store, tmp_path, monkeypatch):
    store.answers.save([answer(1, key="k1", sequence=1)])
    written = store.database._keep_place
    calls = iter([lambda: None, lambda: journal(store).unlink()])
    monkeypatch.setattr(
        store.database, "_keep_place", lambda: (next(calls, lambda: None)(), written())[1]
    )
    store.answers.save([answer(2, key="k2", sequence=2)])
    assert keys(as_a_kill_leaves_it(store, tmp_path / "killed")) == ["k1", "k2"]


def test_somebody_who_looks_meanwhile_does_no_harm(store, tmp_path):
    store.answers.save([answer(1, key="k1", sequence=1)])
    journal(store).unlink()
    look = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version')"
    subprocess.run([sys.executable, "-c", look, str(store.database.file)], check=False)
    store.answers.save([answer(2, key="k2", sequence=2)])
    assert keys(as_a_kill_leaves_it(store, tmp_path / "killed")) == ["k1", "k2"]


def test_while_somebody_reads_for_long_nothing_is_acknowledged(store, monkeypatch):
    monkeypatch.setattr("covary.store.database.PATIENCE_WITH_READERS", 0.05)
    store.answers.save([answer(1, key="k1", sequence=1)])
    with closing(store.answers.log()) as log:
        next(log)
        journal(store).unlink()
        with pytest.raises(StoreError) as refused:
            store.answers.save([answer(2, key="k2", sequence=2)])
        assert refused.value.code == "store.file-gone"
    store.answers.save([answer(2, key="k2", sequence=2)])  # they have left
    assert [each.key for _, _, each in store.answers.log()] == ["k1", "k2"]


@pytest.mark.parametrize(
    ("told", "complaint"),
    [({"k1": 1}, None), ({"k1": 1, "k2": 2}, "lost"), ({"k1": 2}, "altered")],
    ids=["kept", "lost", "altered"],
)
def test_the_comparison_notices_what_is_lost_or_altered(store, told, complaint):
    store.answers.save([answer(1, key="k1", sequence=1)])
    raters = [SimpleNamespace(acknowledged=told)]
    if complaint is None:
        assert compare(str(store.database.file), raters) == 1
    else:
        with pytest.raises(AssertionError, match=complaint):
            compare(str(store.database.file), raters)


def test_the_figures_go_between_the_marks_of_the_page(tmp_path, monkeypatch):
    page = tmp_path / "reliability.md"
    page.write_text("before\n<!-- chaos: begin -->\nold\n<!-- chaos: end -->\nafter\n")
    monkeypatch.setattr("tests.chaos.__main__.PAGE", page)
    write("new")
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "new" in text
