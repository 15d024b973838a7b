"""Servers that can be killed, and started again as anyone would start them."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.web.ports import free_port

PATIENCE = 600
"""Seconds, for a machine that has much else to do."""


class Starter:
    """Starts processes of `covary serve`; see tests/chaos/starter.py."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.starter"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip

    def start(self, arguments: list[str], log: Path, files: int | None = None) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"arguments": arguments, "log": str(log), "files": files}
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def starting(environment: Mapping[str, str] | None = None) -> Iterator[Starter]:
    starter = Starter(environment)
    try:
        yield starter
    finally:
        starter.close()


@dataclass
class Served:
    """A study at a port of this machine, by a server that may be killed and started again."""

    starter: Starter
    study: Path
    place: str
    log: Path
    more: tuple[str, ...] = ()
    files: int | None = None
    port: int = field(default_factory=free_port)
    process: int = 0

    def start(self, *, wait: bool = True, again: bool = False) -> None:
        """Start it, and wait until it serves; `again` as systemd does where it ends before."""
        arguments = [str(self.study), "--database", self.place, "--port", str(self.port)]
        self.process = self.starter.start([*arguments, *self.more], self.log, self.files)
        if not wait:
            return
        until = time.monotonic() + PATIENCE
        while again and self.status("/health") != 200 and time.monotonic() < until:
            if not is_alive(self.process):
                self.start(wait=False)
            time.sleep(0.05)
        self.wait_until(200, "/health")

    def check_alive(self) -> None:
        assert is_alive(self.process), f"the server ended:\n{self.said()}"

    def kill(self, process: int | None = None) -> None:
        """Kill the first process, or one of those that it has started; kill -9."""
        victim = self.process if process is None else process
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        wait_until_gone([victim])

    def stop(self) -> None:
        if self.process and is_alive(self.process):
            os.kill(self.process, signal.SIGTERM)
            wait_until_gone([self.process])

    def children(self) -> list[int]:
        return children_of(self.process)

    def status(self, path: str = "/ready") -> int:
        """What a probe is answered; 0 where nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as reply:
                return reply.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        except OSError:
            return 0

    def wait_until(self, status: int, path: str = "/ready") -> None:
        until = time.monotonic() + PATIENCE
        while self.status(path) != status:
            assert time.monotonic() < until, f"{path} did not become {status}:\n{self.said()}"
            self.check_alive()
            time.sleep(0.05)

    def said(self) -> str:
        """What stands in the log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def megabytes(self) -> float:
        """The memory that the server and what it has started hold now."""
        return sum(map(_megabytes, (self.process, *self.children())))


@contextmanager
def served(starter: Starter, study: Path, place: str, *more: str, **fields) -> Iterator[Served]:
    """Serve a study, and end the server in the end."""
    server = Served(starter, study, place, study.parent / "log.txt", more, **fields)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def children_of(process: int) -> list[int]:
    """The processes that one has started."""
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, thread.read_text().split())
    return sorted(found)


def is_alive(process: int) -> bool:
    """Say whether any thread of a process is left; its first may have ended before the others."""
    try:
        ended = ") Z" in Path(f"/proc/{process}/stat").read_text()
        return not ended or len(list(Path(f"/proc/{process}/task").iterdir())) > 1
    except OSError:
        return False


def wait_until_gone(processes: list[int]) -> None:
    until = time.monotonic() + PATIENCE
    while any(map(is_alive, processes)):
        assert time.monotonic() < until, "a process did not end"
        time.sleep(0.02)
