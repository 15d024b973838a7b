"""What can happen to a server and its store, one function each: what judges saw meanwhile, what the
log said, and how it came back.

A function does its harm while judges save, waits until it is felt (or until it is clear that nobody
feels it), undoes it, and waits until everybody saves again. What was acknowledged is compared with
the store in the end, by whoever runs the trial.
"""

import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.network import cut_between
from tests.chaos.raters import Rater, acknowledged, compare, rating, seen, wait_for, wait_for_saves
from tests.chaos.servers import Served, Starter, served, starting
from tests.store.databases import Server as Postgres
from tests.web.killing import prepare

JUDGES = 3
HALF_OPEN = 1100
LOCKED_SECONDS = 7
DAY = 24 * 3600


class NotPossible(Exception):
    """This machine does not allow to try it."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One fault: what was seen of it; no answer acknowledged so far is lost or altered."""

    fault: str
    saw: str
    log: str = ""
    recovery: str = ""
    acknowledged: int = 0

    def row(self) -> tuple[str, ...]:
        return (self.fault, self.saw, self.log, self.recovery, f"{self.acknowledged:,}")


@dataclass
class Scene:
    """A server, its judges at work, a folder for whatever a fault needs, and the store itself."""

    server: Served
    raters: Sequence[Rater]
    folder: Path
    store: str

    @property
    def file(self) -> Path:
        return Path(self.server.place)

    def felt(self, *outcomes: str) -> str:
        """Wait until judges feel it, and say what they saw."""
        return _in_words(wait_for(self.raters, set(outcomes)))

    def not_felt(self) -> str:
        """Wait until everybody has saved more, and say what they saw."""
        before = seen(self.raters)
        wait_for_saves(self.raters, 3)
        return _in_words(seen(self.raters) - before)

    def not_ready(self) -> None:
        self.server.wait_until(503)

    def recovered(self) -> None:
        wait_for_saves(self.raters)
        self.server.wait_until(200)

    def logged(self, since: int) -> str:
        """The first line since then, and how many there are."""
        lines = [line for line in self.server.said()[since:].splitlines() if line.strip()]
        if not lines:
            return "nothing"
        more = f" ({len(lines)} lines)" if len(lines) > 1 else ""
        return lines[0].replace(str(self.folder), "…").replace("|", "/")[:160] + more


def _in_words(outcomes) -> str:
    words = {"200": "saved", "503": "503, sent again", "cut": "cut off, sent again"}
    return ", ".join(f"{words.get(name, name)} ({n})" for name, n in sorted(outcomes.items()) if n)


Happening = Callable[[Scene], tuple[str, str]]
"""Does the harm and undoes it; returns what judges saw, and how it came back."""


# the store's file


def file_moved(scene: Scene) -> tuple[str, str]:
    away = scene.file.with_suffix(".away")
    scene.file.rename(away)
    saw = scene.felt("503")
    scene.not_ready()
    away.rename(scene.file)
    scene.recovered()
    return saw, "by itself, once the file was back"


def journal_gone(scene: Scene) -> tuple[str, str]:
    scene.file.with_name(scene.file.name + "-wal").unlink()
    saw = scene.felt("200", "503")
    scene.recovered()
    return saw, "by itself: what the journal held was written into the file, and a new one made"


def file_swapped(scene: Scene) -> tuple[str, str]:
    away, copy = scene.file.with_suffix(".away"), scene.file.with_suffix(".copy")
    with closing(sqlite3.connect(scene.file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    scene.file.rename(away)
    copy.rename(scene.file)
    saw = scene.felt("503")
    scene.not_ready()
    scene.file.unlink()
    away.rename(scene.file)
    scene.recovered()
    return saw, "by itself, once the file was back"


def file_locked(scene: Scene) -> tuple[str, str]:
    before = seen(scene.raters)
    with closing(sqlite3.connect(scene.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_SECONDS)
        waited = _in_words(seen(scene.raters) - before) or "“saving” until it was saved"
        other.execute("ROLLBACK")
    scene.recovered()
    return waited, f"by itself, after {LOCKED_SECONDS} seconds"


def disk_full(scene: Scene) -> tuple[str, str]:
    filler = scene.file.with_name("filler")
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65536):
                pass
        except OSError:
            pass
    saw = scene.felt("503")
    scene.not_ready()
    filler.unlink()
    scene.recovered()
    return saw, "by itself, once there was room"


def read_only(scene: Scene) -> tuple[str, str]:
    files = [f"{scene.file}{ending}" for ending in ("", "-wal")]
    if shutil.which("chattr") is None or subprocess.run(["chattr", "+i", *files]).returncode:
        raise NotPossible("needs root, and a file system with immutable files")
    try:
        saw = scene.felt("503")
        scene.not_ready()
    finally:
        subprocess.run(["chattr", "-i", *files], check=True)
    scene.recovered()
    return saw, "by itself, once it could be written"


# the machine


def half_open(scene: Scene) -> tuple[str, str]:
    with ExitStack() as stack:
        for number in range(HALF_OPEN):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", scene.server.port)))
            if number % 2:
                sock.sendall(b"POST /judge/answer HTTP/1.1\r\nHost:")
        saw = scene.not_felt()
    scene.recovered()
    return saw, "nothing to recover from"


def few_files(scene: Scene) -> tuple[str, str]:
    address = ("127.0.0.1", scene.server.port)
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(address)) for _ in range(300)]
        turned_away = 0
        for sock in idle:
            sock.settimeout(0.05)
            try:
                turned_away += sock.recv(12) == b"HTTP/1.1 503"
            except OSError:
                continue
        saw = scene.not_felt()
    scene.recovered()
    assert turned_away
    return f"{saw}; {turned_away} of 300 who only came were told 503", "nothing to recover from"


def clock_back(scene: Scene) -> tuple[str, str]:
    return _clock(scene, -DAY)


def clock_forward(scene: Scene) -> tuple[str, str]:
    return _clock(scene, DAY)


def _clock(scene: Scene, seconds: int) -> tuple[str, str]:
    (scene.folder / "clock").write_text(str(seconds))
    saw = scene.not_felt()
    (scene.folder / "clock").write_text("0")
    scene.recovered()
    return saw, "nothing to recover from; the answers' times are the clock's"


def process_killed(scene: Scene) -> tuple[str, str]:
    scene.server.kill()
    saw = scene.felt("cut")
    scene.server.start()
    scene.recovered()
    return saw, "once it was started again, as systemd does"


# PostgreSQL


def worker_killed(scene: Scene) -> tuple[str, str]:
    before = seen(scene.raters)
    victim = scene.server.children()[0]
    scene.server.kill(victim)
    until = time.monotonic() + 120
    while len(scene.server.children()) < 2:
        assert time.monotonic() < until, "the process was not started again"
        time.sleep(0.05)
    scene.recovered()
    return _in_words(seen(scene.raters) - before), "by itself: the process was started again"


def postgres_restarted(postgres: Postgres) -> Happening:
    def happening(scene: Scene) -> tuple[str, str]:
        postgres.crash()
        saw = scene.felt("503", "cut")
        scene.not_ready()
        postgres.start_again()
        scene.recovered()
        return saw, "by itself, once PostgreSQL was back"

    return happening


FILE_FAULTS: dict[str, Happening] = {
    "the file is moved away": file_moved,
    "the journal (-wal) is removed": journal_gone,
    "the file is replaced by a copy": file_swapped,
    "another program locks the file": file_locked,
    "the file becomes read-only": read_only,
    "1,100 half-open connections": half_open,
    "kill -9 of the server": process_killed,
}
"""Faults of a study in a file, on one server one after another."""


# trials


def file_faults(folder: Path, wanted: Sequence[str] = tuple(FILE_FAULTS)) -> Iterator[Trial]:
    """Try faults of a study in a file, all on one server."""
    with starting() as starter, staged(starter, folder) as scene:
        for name in wanted:
            yield tried(scene, name, FILE_FAULTS[name])


def other_faults(folder: Path) -> Iterator[Trial]:
    """Try what needs a disk, a limit or a clock of its own."""
    with starting() as starter:
        yield _on_small_disk(starter, folder / "full", "the disk is full", disk_full)
        name = "few open files (limit 96)"
        yield _alone(starter, folder / "files", name, few_files, files=96)
    shim = _clock_shim(folder)
    clock = folder / "clocks" / "clock"
    environment = {"LD_PRELOAD": str(shim), "CHAOS_CLOCK": str(clock)} if shim else {}
    with starting(environment) as starter:
        for name, happening in (
            ("the clock is set back by a day", clock_back),
            ("the clock is set forward by a day", clock_forward),
        ):
            if shim is None:
                yield not_tried(name, "needs a C compiler")
                continue
            shutil.rmtree(clock.parent, ignore_errors=True)
            yield _alone(starter, clock.parent, name, happening)


def postgres_faults(folder: Path, postgres: Postgres) -> Iterator[Trial]:
    """Try faults of a study on PostgreSQL that two processes serve."""
    workers = ("--workers", "2")
    place = postgres.new_place()
    with starting() as starter:
        with staged(starter, folder / "pg", place, workers) as scene:
            yield tried(scene, "PostgreSQL: kill -9 of one of two processes", worker_killed)
            restarted = postgres_restarted(postgres)
            yield tried(scene, "PostgreSQL crashes and is started again", restarted)
        place = postgres.new_place()
        with cut_between(folder, place) as (through, cut, mend):

            def happening(scene: Scene) -> tuple[str, str]:
                cut()
                saw = scene.felt("503", "cut")
                mend()
                scene.recovered()
                return saw, "by itself, once it was there again"

            with staged(starter, folder / "cut", through, workers, store=place) as scene:
                yield tried(scene, "PostgreSQL: the connection is cut", happening)


@contextmanager
def staged(
    starter: Starter,
    folder: Path,
    place: str = "",
    more: tuple[str, ...] = (),
    *,
    store: str = "",
    **fields,
) -> Iterator[Scene]:
    """Serve a study to judges who save all the time, and compare in the end.

    `store` is where the store is, if the server reaches it by another `place`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reached = place or str(folder / "study.db")
    store = store or reached
    tokens = prepare(folder / "study", store, JUDGES)
    with (
        served(starter, folder / "study", reached, *more, **fields) as server,
        rating(server.port, tokens) as raters,
    ):
        wait_for_saves(raters)
        yield Scene(server, raters, folder, store)
    compare(store, raters)


def tried(scene: Scene, name: str, happening: Happening) -> Trial:
    """Let something happen, tell of it, and look whether anything is lost."""
    since = len(scene.server.said())
    before = acknowledged(scene.raters)
    try:
        saw, recovery = happening(scene)
    except NotPossible as error:
        return not_tried(name, str(error))
    log = scene.logged(since)
    compare(scene.store, scene.raters)
    number = acknowledged(scene.raters) - before
    return Trial(fault=name, saw=saw, log=log, recovery=recovery, acknowledged=number)


def not_tried(name: str, why: str) -> Trial:
    return Trial(fault=name, saw=f"not tried: {why}")


def _alone(
    starter: Starter, folder: Path, name: str, happening: Happening, *, place: str = "", **fields
) -> Trial:
    """Try a fault on a server of its own."""
    with staged(starter, folder, place, **fields) as scene:
        return tried(scene, name, happening)


def _on_small_disk(starter: Starter, folder: Path, name: str, happening: Happening) -> Trial:
    """Try a fault with the store on a disk of 32 MB, which is memory."""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        return not_tried(name, "needs the right to mount a disk (root)")
    try:
        return _alone(starter, folder, name, happening, place=str(disk / "study.db"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _clock_shim(folder: Path) -> Path | None:
    """Compile what moves a process's clock; None where there is no compiler."""
    made = folder / "clock.so"
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source = Path(__file__).with_name("clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made
