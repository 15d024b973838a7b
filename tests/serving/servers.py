"""`covary serve` in processes of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.web.ports import started


@contextmanager
def serving(folder: Path, place: str, port: int, *more: str) -> Iterator[subprocess.Popen]:
    """Serve a study as anyone would, and end the server with SIGTERM."""
    server = subprocess.Popen(
        [sys.executable, "-m", "covary", "serve", str(folder), "--database", place,
         "--port", str(port), *more],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=heed_hangups,
    )  # fmt: skip
    try:
        started(port, server)
        yield server
    finally:
        server.terminate()
        server.said = server.communicate(timeout=120)[1]
        print(server.said)


def heed_hangups() -> None:
    """Heed SIGHUP, also where the tests run under nohup, which hands on that it is ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def processes_of(server: subprocess.Popen) -> list[int]:
    """The processes that a server has started, oldest first."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.pid)], capture_output=True, text=True
    )
    return sorted(map(int, listed.stdout.split()))
