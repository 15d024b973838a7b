"""Servers in processes of their own, and how much memory and processor time they took."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Running", "running"]

HERE = Path(__file__).parents[1]
SECONDS_TO_START = 60


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    process: int
    port: int

    @property
    def megabytes(self) -> float:
        """The most memory that it has held so far."""
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024

    @property
    def processor_seconds(self) -> float:
        """The processor's time that it and the processes it has started have taken so far."""
        started = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        return sum(map(_processor_seconds, (self.process, *started)))

    def wait_for_all(self, number: int) -> None:
        """Wait until so many processes behind the port have left their counts."""
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as told:
                if told.read().count(b"\ncovary_started_seconds{") == number:
                    return
            time.sleep(0.2)
        raise RuntimeError(f"not all {number} processes started")


def _processor_seconds(process: int | str) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(module: str, *arguments: str) -> Iterator[Running]:
    """Start `python -m MODULE ARGUMENTS PORT` on a free port, and stop it in the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", module, *arguments, str(port)]
    process = subprocess.Popen(command, cwd=HERE, stdout=subprocess.DEVNULL)
    try:
        _wait(process, port)
        yield Running(process.pid, port)
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server did not start")
