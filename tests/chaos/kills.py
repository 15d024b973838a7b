"""Kill -9 again and again while judges go from page to page, and count what came of it."""

import os
import random
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import psycopg

from tests.chaos.servers import PATIENCE, Served, Starter, wait_until_gone
from tests.web.killing import Noting, compare, judged, prepare, wait_for_more

JUDGES = 6
PER_STORE = 25
"""Kills, before a new study is begun: judges have so many items only."""

EARLY = 0.1
"""So often a server is killed before it serves."""


@dataclass
class KillCount:
    """How often what was killed, and how many answers were acknowledged and kept."""

    killed: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    kept: int = 0

    def add(self, victims: Counter[str], acknowledged: int, kept: int) -> None:
        self.killed += victims
        self.acknowledged += acknowledged
        self.kept += kept


def killed(
    starter: Starter,
    folder: Path,
    place: str,
    *,
    kills: int,
    draw: random.Random,
    workers: int = 0,
    postgres: str = "",
) -> tuple[Counter[str], int, int]:
    """Kill the processes of one study so many times, and compare in the end.

    With `workers`, one of these is killed, or the first process, or (with the address of
    `postgres`) a process of the database, which then starts anew. Returns what was killed, and how
    many answers were acknowledged and kept.
    """
    tokens = prepare(folder, place, JUDGES)
    more = ("--workers", str(workers)) if workers else ()
    server = Served(starter, folder, place, folder.parent / f"{folder.name}.log", more)
    server.start()
    over, victims = Event(), Counter[str]()
    visitors = [Noting("127.0.0.1", server.port, over) for _ in tokens]
    with ThreadPoolExecutor(JUDGES) as pool:
        work = [
            pool.submit(judged, folder, place, visitor, number, token)
            for number, (visitor, token) in enumerate(zip(visitors, tokens, strict=True), 1)
        ]
        try:
            while victims.total() < kills:
                wait_for_more(visitors, JUDGES, server.check_alive)
                time.sleep(draw.uniform(0, 0.3))
                victims[_kill_one(server, draw, postgres)] += 1
            wait_for_more(visitors, JUDGES, server.check_alive)
        finally:
            over.set()
            wait(work, timeout=PATIENCE)
            server.stop()
    for each in work:
        each.result()
    kept = compare(place, visitors)
    return victims, sum(len(each.acknowledged) for each in visitors), kept


def _kill_one(server: Served, draw: random.Random, postgres: str) -> str:
    children = server.children() if server.more else []
    victims = ["the server", *(["a process of the server"] * len(children))]
    victims += ["a process of PostgreSQL"] if postgres else []
    victim = draw.choice(victims)
    if victim == "a process of PostgreSQL":
        _kill_backend(postgres, draw)
    elif victim == "a process of the server":
        server.kill(draw.choice(children))
    else:
        server.kill()
        wait_until_gone(children)
        while draw.random() < EARLY:
            server.start(wait=False)
            time.sleep(draw.uniform(0, 0.5))
            early = server.children() if server.more else []
            server.kill()
            wait_until_gone(early)
            victim = "the server, and once more before it served"
        server.start(again=postgres != "")
    return victim


def _kill_backend(address: str, draw: random.Random) -> None:
    """Kill a process that works for covary; PostgreSQL then ends all of them and recovers."""
    with psycopg.connect(address, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid()"
        ).fetchall()
    if rows:
        with suppress(ProcessLookupError):
            os.kill(draw.choice(rows)[0], signal.SIGKILL)
