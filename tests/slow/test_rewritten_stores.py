"""Stores of a real size that somebody rewrote, each named by `covary check-store`; 150 bit flips.

`tests/store/test_seals.py` has more kinds, on a small store.
"""

import random
import sqlite3
from contextlib import closing

import pytest

from covary.errors import CovaryError
from covary.store import Store
from covary.store.backup import digests_of
from tests.store.made_up import answer, sheets
from tests.store.test_seals import FORGED, problems_of, rewrite

ANSWERS, JUDGES, NOTES, FLIPS = 1500, 15, 500, 150

REWRITINGS = {
    "50 rewritten ratings": ("UPDATE answers SET rating = '5' WHERE id <= 50", "rows-changed", 50),
    "201 from the middle": ("DELETE FROM answers WHERE id BETWEEN 300 AND 500", "rows-gone", 201),
    "503 from the end": (f"DELETE FROM answers WHERE id > {ANSWERS - 503}", "rows-gone", 503),
    "700 marked late": ("UPDATE answers SET late = 1 WHERE id <= 700", "rows-changed", 700),
    "timestamps moved": (
        "UPDATE answers SET answered_at = answered_at - 3600000000", "rows-changed", ANSWERS,
    ),
    "442 notes": ("DELETE FROM notes WHERE id <= 442", "rows-gone", 442),
    "19 forged answers": (FORGED.replace("id + 1000", "id + 10000"), "rows-unsealed", 19),
    "another secret": (
        "UPDATE settings SET value = 'ab' WHERE name = 'secret'", "seal-other-secret", None,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a store with 1,500 answers and 500 notes, and digests of its tables."""
    file = tmp_path_factory.mktemp("store") / "study.db"
    with Store.open(file) as store:
        store.sheets.put(sheets(JUDGES))
        for judge in range(1, JUDGES + 1):
            store.sheets.issue(store.judges.add()[0].id)
            for first in range(1, ANSWERS // JUDGES + 1, 10):
                batch = range(first, first + 10)
                store.answers.save(
                    [answer(4, judge=judge, sheet=judge, position=n, key=f"k{n}") for n in batch]
                )
        for number in range(NOTES):
            store.notes.add(1, "break", {"number": number})
        assert store.check() == []
        with store.database.reading() as connection:
            digests = digests_of(connection)
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.read_bytes(), digests


@pytest.mark.parametrize("rewriting", REWRITINGS)
def test_a_rewritten_store_of_real_size_is_named(whole, tmp_path, rewriting):
    statement, code, count = REWRITINGS[rewriting]
    file = tmp_path / "study.db"
    file.write_bytes(whole[0])
    rewrite(file, statement)
    problems = problems_of(file)
    assert problems[code].serious
    assert count in (None, problems[code].count)


def test_of_150_flipped_bits_each_is_named_or_changes_nothing(whole, tmp_path):
    content, before = whole
    mutable = {"researchers", "settings", "issues", "visitors"}
    file, draw, named = tmp_path / "study.db", random.Random(20), 0
    for _ in range(FLIPS):
        place = draw.randrange(100, len(content))
        byte = content[place] ^ (1 << draw.randrange(8))
        file.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
        for ending in ("-wal", "-shm"):
            file.with_name(file.name + ending).unlink(missing_ok=True)
        try:
            with Store.open(file, create=False) as store:
                found = store.check()
                with store.database.reading() as connection:
                    after = {} if found else digests_of(connection)
        except CovaryError:
            named += 1
            continue
        named += bool(found)
        for name, digest in after.items():
            assert name in mutable or digest == before[name], (place, name)
    print(f"{named} of {FLIPS} flipped bits named; the others changed nothing that was collected")
    assert named > FLIPS / 2
