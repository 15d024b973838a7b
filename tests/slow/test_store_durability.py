"""Killed twenty times on each database: nothing acknowledged is lost, nothing is doubled."""

import random
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event
from time import perf_counter, process_time

from covary.store import Store, StoreError
from tests.store.databases import Server, place, postgres  # noqa: F401 (fixtures)
from tests.store.killing import check_after, killed_while_saving, prepare
from tests.store.made_up import answer, sheets


def test_twenty_kills_lose_and_double_nothing(place):  # noqa: F811
    prepare(place)
    draw = random.Random(20)
    acknowledged: list[str] = []
    for run in range(20):
        acknowledged += killed_while_saving(place, f"run{run}", draw)
        kept = check_after(place, acknowledged)
    print(f"{len(acknowledged)} acknowledged, {kept} kept")
    assert len(acknowledged) > 200


def test_a_server_that_crashes_loses_nothing_and_the_store_goes_on_by_itself():
    """The same store object saves before, fails during, and saves after the crash."""
    server = Server()
    try:
        place = server.new_place()
        prepare(place)
        with Store.open(place) as store, ThreadPoolExecutor(8) as pool:
            acknowledged: list[str] = []
            for crash in range(3):
                over = Event()

                def work(thread, crash=crash, over=over):
                    n = 0
                    while not over.is_set():
                        n += 1
                        key = f"{crash}-{thread}-{n}"
                        try:
                            store.answers.save([answer(3, position=n % 200 + 1, key=key, page=key)])
                            acknowledged.append(key)
                        except StoreError:
                            time.sleep(0.05)

                done = [pool.submit(work, thread) for thread in range(8)]
                time.sleep(0.5)
                server.crash()
                server.start_again()
                time.sleep(0.5)
                over.set()
                for each in done:
                    each.result()
                check_after(place, acknowledged)
            store.answers.save([answer(3, position=1, key="last", page="last")])
        assert len(acknowledged) > 100
        check_after(place, [*acknowledged, "last"])
    finally:
        server.stop()


def test_a_save_costs_the_same_after_100_000_answers(place):  # noqa: F811
    """In the processor's time, because the disk may be shared with others."""
    with Store.open(place) as store:
        store.sheets.put(sheets(30, tasks=5))
        judges = [store.judges.add()[0].id for _ in range(30)]
        own = {judge: store.sheets.issue(judge).number for judge in judges}

        def filled(start, end):
            for n in range(start, end, 100):
                judge = judges[n // 100 % 30]
                store.answers.save([
                    answer(3, judge=judge, sheet=own[judge], position=k, item=f"q{k % 500}",
                           key=f"f{k}")
                    for k in range(n, n + 100)
                ])  # fmt: skip

        def cost(tag):
            started = process_time()
            for n in range(300):
                store.answers.save([answer(3, judge=1, sheet=own[1], position=10**6 + n, page=tag)])
            return (process_time() - started) / 300

        filled(0, 1_000)
        few = cost("few")
        filled(1_000, 100_000)
        many = cost("many")
        store.answers.counts()
        started = process_time()
        assert store.answers.counts().answers == 100_600
        counted = process_time() - started
    print(f"1,000: {few * 1e3:.2f} ms, 100,000: {many * 1e3:.2f} ms, counts {counted * 1e3:.2f} ms")
    assert many < 2 * few
    assert counted < 0.05


def test_saving_together_is_quicker_than_a_commit_for_each(tmp_path):
    """Against a bare loop of SQLite with the same durability and one commit per answer."""
    threads = 30

    def bare(name, number=1000):
        with closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("CREATE TABLE answers (judge, item, criterion, rating, key UNIQUE)")
            started = perf_counter()
            for n in range(number):
                connection.execute("BEGIN IMMEDIATE")
                row = (1, f"q{n}", "fluency", 3, f"k{n}")
                connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", row)
                connection.execute("COMMIT")
            return number / (perf_counter() - started)

    with Store.open(tmp_path / "study.db") as store:
        store.sheets.put(sheets(threads))
        judges = [store.judges.add()[0].id for _ in range(threads)]
        own = {judge: store.sheets.issue(judge).number for judge in judges}

        def saves(tag, each=60):
            def work(judge):
                for n in range(1, each + 1):
                    store.answers.save(
                        [answer(3, judge=judge, sheet=own[judge], position=n, page=tag)]
                    )

            started = perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, judges))
            return each * threads / (perf_counter() - started)

        pairs = [(saves(f"run{n}"), bare(f"bare{n}.db")) for n in range(5)]
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    print([(round(ours), round(theirs)) for ours, theirs in pairs], "ratio", round(ratios[2], 2))
    assert ratios[2] > 0.8
