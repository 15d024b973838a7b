"""Several processes that serve one study at one address: started, watched, and replaced in turn.

The first only opens the sockets and keeps them open; the others accept from them. One that leaves
therefore turns nobody away: who waits at the door is let in by another. Each is an interpreter of
its own (this module, run as a program), so that one that is replaced is of the covary, and serves
the study's folder, as they are then. It reads what to serve from its input, which stays open for
as long as whoever started it is there.
"""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from covary.errors import CovaryError
from covary.store.store import Store
from covary.study.read import read_study
from covary.web.serving.metrics import Metrics
from covary.web.serving.server import SECONDS_TO_FINISH, Door, Server, listen, make_server

READY = b"ready"


@dataclass(frozen=True)
class ServerOrder:
    """What one process is to serve: the study, its store, the open sockets, and its number.

    It says that it is ready on `tell`, the number of a pipe.
    """

    study: str
    database: str
    door: Door
    sockets: tuple[int, ...]
    counts: str
    number: int
    tell: int

    def line(self) -> str:
        """Return the order as one line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> ServerOrder:
        """Read what `line` wrote."""
        values = json.loads(line)
        said = values.pop("door")
        door = Door(**said | {"hosts": tuple(said["hosts"])})
        return cls(**values | {"door": door, "sockets": tuple(values["sockets"])})


def main() -> int:
    """Serve as ordered until told to end, or until whoever ordered it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    order = ServerOrder.read(sys.stdin.readline())
    try:
        study = read_study(order.study)
        with Store.open(order.database, create=False, serving=True) as store:
            metrics = Metrics(order.number, Path(order.counts))
            server = make_server(study, store, order.door, metrics=metrics)
            Thread(target=_end_with_parent, args=[server], daemon=True).start()
            server.when_ready = partial(_tell, order.tell)
            server.run([socket.socket(fileno=number) for number in order.sockets])
    except CovaryError as error:
        sys.stderr.write(f"covary: {error}\n")
        return 1
    finally:
        _leave_counts(Path(order.counts), f"{os.getpid()}.json")
    return 0


def _leave_counts(folder: Path, own: str) -> None:
    """Take the own counts away, and the folder where whoever made it is gone."""
    with suppress(OSError):
        (folder / own).unlink(missing_ok=True)
        if os.getppid() != _maker_of(folder):
            folder.rmdir()  # the last one does it; to the others it is not empty


COUNTS = "covary-counts-"


def _maker_of(folder: Path) -> int | None:
    """Return the number of the process that made a folder of counts."""
    number = folder.name.removeprefix(COUNTS).partition("-")[0]
    return int(number) if number.isdecimal() else None


def remove_old_counts(place: Path) -> None:
    """Remove the folders of servers that were killed with all their processes."""
    for folder in place.glob(f"{COUNTS}*"):
        maker = _maker_of(folder)
        with suppress(OSError):
            if maker is not None and folder.stat().st_uid == os.getuid() and not _lives(maker):
                shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _end_with_parent(server: Server) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    server.should_exit = True


def _tell(pipe: int) -> None:
    with suppress(BrokenPipeError):  # whoever asked is gone, and this process ends as well
        os.write(pipe, READY)
    os.close(pipe)


SECONDS_TO_START = 120
SECONDS_TO_END = SECONDS_TO_FINISH + 5
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before what ended by itself is started again; longer each time it has not served."""

log = logging.getLogger(__name__)


@dataclass
class ServerProcess:
    """One process, and the end of the pipe on which it says that it is ready.

    Where it ends by itself, it is started again after a `pause`, when it is `due`.
    """

    number: int
    process: subprocess.Popen[str]
    told: int
    since: float
    pause: float
    due: float | None = None
    served: bool = False

    def is_ready(self, seconds: float) -> bool | None:
        """Wait a little, and say whether it is; None where it ended before."""
        if not self.served:
            if not select.select([self.told], [], [], seconds)[0]:
                return False
            self.served = os.read(self.told, len(READY)) == READY
        return self.served or None

    def end(self) -> None:
        """Ask it to finish what it has begun, and wait for that; then it is ended anyway."""
        self.process.terminate()
        self.wait()

    def wait(self) -> None:
        try:
            self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            log.error("process %d did not end in time and is killed", self.number)
            self.process.kill()
            self.process.wait()
        self.forget()

    def forget(self) -> None:
        """Let go of its pipes."""
        os.close(self.told)
        if self.process.stdin:
            self.process.stdin.close()


class Processes:
    """As many processes as wanted, which serve one study until this one is told to end.

    SIGHUP replaces them one after another: each is told to end only when its successor serves.
    SIGTERM and SIGINT end all of them, each after what it has begun.
    """

    def __init__(
        self,
        study: Path,
        database: str,
        number: int,
        *,
        sockets: Sequence[socket.socket],
        counts: Path,
        door: Door,
    ) -> None:
        self._study = str(study)
        self._database = database
        self._sockets = sockets
        self._counts = counts
        self._door = door
        self._number = number
        self._running: dict[int, ServerProcess] = {}
        self._woken = Event()
        self._ending = False
        self._replacing = False

    def run(self) -> None:
        """Start all of them and look after them until the end."""
        with self._heeding():
            try:
                self._start_all()
                while not self._ending:
                    self._woken.wait(0.5)
                    self._woken.clear()
                    if self._replacing and not self._ending:
                        self._replacing = False
                        self._replace_all()
                    self._look_after()
            finally:
                self._end_all()

    def _start_all(self) -> None:
        """Start all of them, and wait until one serves; the others are looked after from then on.

        One that ends meanwhile, whoever killed it, does not end those that serve.
        """
        for number in range(1, self._number + 1):
            self._running[number] = self._start(number)
        until = time.monotonic() + SECONDS_TO_START
        while not self._ending:
            ready = [process.is_ready(0.1) for process in self._running.values()]
            if any(ready):
                return
            if time.monotonic() > until or not any(each is False for each in ready):
                raise CovaryError("web.process-did-not-start", number=1)

    def _start(self, number: int, pause: float = FIRST_PAUSE) -> ServerProcess:
        told, tell = os.pipe()
        handed = (*(opened.fileno() for opened in self._sockets), tell)
        process = subprocess.Popen(
            [sys.executable, "-m", "covary.web.serving.processes"],
            stdin=subprocess.PIPE,
            pass_fds=handed,
            text=True,
            encoding="utf-8",
        )
        os.close(tell)
        order = ServerOrder(
            study=self._study,
            database=self._database,
            door=self._door,
            sockets=handed[:-1],
            counts=str(self._counts),
            number=number,
            tell=tell,
        )
        assert process.stdin is not None
        process.stdin.write(order.line())
        process.stdin.flush()
        return ServerProcess(
            number=number, process=process, told=told, since=time.monotonic(), pause=pause
        )

    def _wait_for(self, process: ServerProcess) -> bool:
        """Wait until a process serves; False when it ended, took too long, or all are to end."""
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until and not self._ending:
            ready = process.is_ready(0.1)
            if ready is not False:
                return bool(ready)
        return False

    def _replace_all(self) -> None:
        for number in list(self._running):
            successor = self._start(number)
            if not self._wait_for(successor):
                successor.process.kill()
                successor.wait()
                if not self._ending:
                    log.error("process %d could not be replaced, and goes on as it is", number)
                return
            before = self._running[number]
            self._running[number] = successor
            before.end()
            self._remove_counts(before)
            log.info("process %d was replaced", number)

    def _look_after(self) -> None:
        """Start again what has ended by itself, with pauses where it ends before it serves."""
        now = time.monotonic()
        for process in list(self._running.values()):
            code, ready = process.process.poll(), process.is_ready(0)
            if self._ending:
                continue
            if code is None:
                if not ready and now - process.since > SECONDS_TO_START:
                    log.error("process %d did not start in time and is killed", process.number)
                    process.process.kill()
                continue
            if process.due is None:
                log.error("process %d ended (%d) and is started again", process.number, code)
                process.due = now + process.pause
            if now >= process.due:
                process.forget()
                self._remove_counts(process)
                longer = min(2 * process.pause, LONGEST_PAUSE)
                pause = FIRST_PAUSE if process.served else longer
                self._running[process.number] = self._start(process.number, pause)

    def _end_all(self) -> None:
        for process in self._running.values():
            process.process.terminate()
        for process in self._running.values():
            process.wait()
        self._running.clear()

    def _remove_counts(self, process: ServerProcess) -> None:
        (self._counts / f"{process.process.pid}.json").unlink(missing_ok=True)

    @contextmanager
    def _heeding(self) -> Iterator[None]:
        heeded = {signal.SIGINT: self._end, signal.SIGTERM: self._end, signal.SIGHUP: self._replace}
        before = {number: signal.signal(number, heed) for number, heed in heeded.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, *_: Any) -> None:
        self._ending = True
        self._woken.set()

    def _replace(self, *_: Any) -> None:
        self._replacing = True
        self._woken.set()


def serve_by_several(
    study: Path, database: str, number: int, *, host: str, port: int, door: Door
) -> None:
    """Serve a study on PostgreSQL by several processes until this one is told to end.

    Parameters
    ----------
    study, database
        The study's folder, and the address of its database.
    number
        How many processes.
    host, port, door
        Where they listen, and how visitors come in.
    """
    if not hasattr(signal, "SIGHUP"):
        raise CovaryError("web.no-shared-port")
    _tell_what_happens()
    sockets = listen(host, port)
    try:
        remove_old_counts(Path(tempfile.gettempdir()))
        with tempfile.TemporaryDirectory(prefix=f"{COUNTS}{os.getpid()}-") as counts:
            Processes(
                study, database, number, sockets=sockets, counts=Path(counts), door=door
            ).run()
    finally:
        for opened in sockets:
            opened.close()


def _tell_what_happens() -> None:
    """Write to the log what becomes of the processes."""
    told = logging.StreamHandler()
    told.setFormatter(logging.Formatter("covary: %(message)s"))
    log.addHandler(told)
    log.setLevel(logging.INFO)
    log.propagate = False


if __name__ == "__main__":
    sys.exit(main())
