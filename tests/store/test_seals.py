"""What was changed, removed or added without covary is named."""

import hashlib
import random
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import select

from covary.errors import CovaryError
from covary.store import Store
from covary.store.backup import digests_of
from covary.store.database import StoreError
from covary.store.seals import SEALED, row_digest, seal_changed
from tests.store.made_up import answer, sheets

ANSWERS = 120
GUARDS = [f"DROP TRIGGER answers_no_{verb}" for verb in ("update", "delete")]
GUARDS += [f"DROP TRIGGER notes_no_{verb}" for verb in ("update", "delete")]
GUARDS += [f"DROP TRIGGER seals_no_{verb}" for verb in ("update", "delete")]


@pytest.fixture
def collected(tmp_path):
    """A store in which judges have answered, and its file."""
    file = tmp_path / "study.db"
    with Store.open(file) as store:
        store.sheets.put(sheets(3))
        for name in ("Ann", "Bo"):
            store.sheets.issue(store.judges.add(name)[0].id)
        for judge in (1, 2):
            for first in range(1, ANSWERS + 1, 10):
                batch = range(first, first + 10)
                store.answers.save(
                    [answer(4, judge=judge, sheet=judge, position=n, key=f"k{n}") for n in batch]
                )
        for number in range(30):
            store.notes.add(1, "break", {"number": number})
        assert not store.check()
    return file


def rewrite(file, *statements):
    with closing(sqlite3.connect(file)) as opened:
        for statement in (*GUARDS, *statements):
            opened.execute(statement)
        opened.commit()


def problems_of(file, **named):
    with Store.open(file, create=False) as store:
        return {problem.code: problem for problem in store.check(**named)}


FORGED = (
    "INSERT INTO answers SELECT id + 1000, judge, sheet, position, criterion, item, kind, "
    "occasion, rating, touched, late, changed, manual, page, sequence, answer_key || 'x', "
    "shown_order, seconds, shown_at, answered_at, item_version, passages "
    "FROM answers WHERE id <= 19"
)

REWRITINGS = {
    "rewritten ratings": (["UPDATE answers SET rating = '5' WHERE id <= 50"], "rows-changed", 50),
    "removed from the middle": (
        ["DELETE FROM answers WHERE id BETWEEN 20 AND 60"], "rows-gone", 41,
    ),
    "removed from the end": (["DELETE FROM answers WHERE id > 140"], "rows-gone", 100),
    "marked late": (["UPDATE answers SET late = 1 WHERE id > 170"], "rows-changed", 70),
    "moved in time": (
        ["UPDATE answers SET answered_at = answered_at + 1 WHERE id = 7"], "rows-changed", 1,
    ),
    "notes removed": (["DELETE FROM notes WHERE id > 5"], "rows-gone", 25),
    "forged answers": ([FORGED], "rows-unsealed", 19),
    "another judge's name": (["UPDATE judges SET name = 'Cy' WHERE id = 2"], "rows-changed", 1),
    "another sheet": (["UPDATE sheets SET tasks = '[]' WHERE number = 3"], "rows-changed", 1),
    "another secret": (
        ["UPDATE settings SET value = 'ab' WHERE name = 'secret'"], "seal-other-secret", 59,
    ),
    "a seal rewritten": (["UPDATE seals SET hashes = '{}' WHERE number = 9"], "seal-broken", 1),
    "a seal removed": (["DELETE FROM seals WHERE number = 9"], "seal-broken", 1),
    "the last seals and answers removed": (
        ["DELETE FROM seals WHERE number > 20", "DELETE FROM answers WHERE id > 120",
         "DELETE FROM notes"],
        "seal-head", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("rewriting", REWRITINGS)
def test_a_rewritten_store_is_named(collected, rewriting):
    statements, code, count = REWRITINGS[rewriting]
    rewrite(collected, *statements)
    problems = problems_of(collected)
    assert code in problems, list(problems)
    if rewriting != "another secret":
        assert problems[code].count == count
    assert problems[code].serious


def test_a_head_that_was_written_down_is_held_until_its_past_is_changed(collected):
    with Store.open(collected) as store:
        head = store.head()
        store.notes.add(2, "break", {})
    assert not problems_of(collected, head=head)
    # Somebody who knows covary seals again what was rewritten: only the head tells.
    rewrite(
        collected,
        "UPDATE answers SET rating = '5' WHERE id = 3",
        "DELETE FROM seals",
        "DELETE FROM settings WHERE name = 'seal'",
    )
    with Store.open(collected) as store, store.database.writing() as connection:
        for table in SEALED:
            (key,) = table.primary_key.columns
            seal_changed(connection, table, connection.scalars(select(key)).all())
    assert "rows-changed" not in problems_of(collected)
    assert set(problems_of(collected, head=head)) >= {"seal-other-head"}
    assert set(problems_of(collected, head="not a head")) >= {"seal-other-head"}


def test_an_empty_file_is_not_in_order(tmp_path):
    file = tmp_path / "study.db"
    file.touch()
    with pytest.raises(StoreError, match="is empty"):
        Store.open(file, create=False)


def test_a_bit_that_flipped_is_named_or_changes_nothing(collected, tmp_path):
    with closing(sqlite3.connect(collected)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = collected.read_bytes()
    with Store.open(collected) as store, store.database.reading() as connection:
        before = digests_of(connection)
    draw, named = random.Random(7), 0
    flipped = tmp_path / "flipped" / "study.db"
    flipped.parent.mkdir()
    for _ in range(25):
        place = draw.randrange(100, len(whole))
        byte = whole[place] ^ (1 << draw.randrange(8))
        flipped.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        for ending in ("-wal", "-shm"):
            flipped.with_name(flipped.name + ending).unlink(missing_ok=True)
        try:
            with Store.open(flipped, create=False) as store:
                found = store.check()
                if not found:
                    with store.database.reading() as connection:
                        after = digests_of(connection)
                    mutable = {"researchers", "settings", "issues", "visitors"}
                    assert {n: d for n, d in after.items() if n not in mutable} == {
                        n: d for n, d in before.items() if n not in mutable
                    }
        except CovaryError:
            found = True
        named += bool(found)
    assert named >= 5


def test_opening_seals_nothing_anew_that_somebody_has_unsealed(collected):
    """Or whoever removed all seals would have what was rewritten sealed at the next start."""
    rewrite(
        collected,
        "UPDATE answers SET rating = '5' WHERE id = 3",
        "DELETE FROM seals",
        "DELETE FROM settings WHERE name = 'seal'",
    )
    for _ in range(2):
        problems = problems_of(collected)
        assert problems["rows-unsealed"].serious
    with Store.open(collected, create=False) as store:
        assert store.head() == "0"


def test_rows_under_the_one_seal_that_holds_are_still_compared(tmp_path):
    """By hand: two seals, of which the second is broken; a row of the first was changed."""
    file = tmp_path / "study.db"
    with Store.open(file) as store:
        store.judges.add("Ann")
        store.judges.add("Bo")
        assert store.head().startswith("2:")
    rewrite(
        file,
        "UPDATE seals SET digest = 'forged' WHERE number = 2",
        "UPDATE judges SET name = 'Eve' WHERE id = 1",
    )
    problems = problems_of(file)
    assert problems["seal-broken"].data["places"] == [2]
    assert problems["rows-changed"].data["places"] == ["1"]


def test_what_is_hashed_of_a_row_is_fixed():
    """Or every store that was sealed before would look rewritten: JSON in letters of ASCII."""
    written = b'["\\u00e9", 4, true, null]'
    assert row_digest(["é", 4, True, None]) == hashlib.sha256(written).digest()


@pytest.mark.parametrize("table", ["answers", "notes"])
def test_the_newest_row_that_was_rewritten_is_still_named_when_more_is_added(collected, table):
    """A seal holds the rows that were added, and not once more the one before them."""
    column = {"answers": "rating", "notes": "data"}[table]
    with closing(sqlite3.connect(collected)) as opened:
        (newest,) = opened.execute(f"SELECT max(id) FROM {table}").fetchone()
    rewrite(collected, f"UPDATE {table} SET {column} = '{{}}' WHERE id = {newest}")
    with Store.open(collected) as store:
        store.answers.save([answer(3, position=150, key="later")])
        store.notes.add(1, "break", {"number": 31})
    assert problems_of(collected)["rows-changed"].data["places"] == [str(newest)]
