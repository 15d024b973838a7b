"""Runs measurements, one process at a time, and gives up on those that take too long."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MOST_SECONDS", "Bench", "Outcome"]

MOST_SECONDS = 45
TOO_LONG = f"stopped after {MOST_SECONDS} s"
TELLING = 100_000  # ratings; what fewer of them take says little about more
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
ONE_THREAD = dict.fromkeys(THREADS, "1")
MEASURE = Path(__file__).with_name("measure.py")


@dataclass(frozen=True)
class Outcome:
    """A value with its time and memory, or why there is none."""

    value: float | None = None
    seconds: float | None = None
    bytes: int | None = None
    failed: str = ""


class Bench:
    """Remembers what took long, so that a larger size of it is not even tried."""

    def __init__(self) -> None:
        self.known: dict[str, Outcome] = {}
        self.costs: dict[tuple[str, ...], float] = {}

    def run(self, program: str, function: str, wish: dict, settings: dict) -> Outcome:
        job = {"program": program, "function": function, "wish": wish, "settings": settings}
        key = json.dumps(job)
        if key not in self.known:
            self.known[key] = self._hopeless(job) or self._measured(job)
        return self.known[key]

    def _measured(self, job: dict) -> Outcome:
        start = time.perf_counter()
        found = _in_a_process(job)
        took = time.perf_counter() - start
        said = found.failed or f"{found.seconds:.4f} s"
        print(json.dumps(job), said, f"({took:.0f} s in all)", file=sys.stderr, flush=True)
        if _ratings(job) >= TELLING and (found.seconds or found.failed == TOO_LONG):
            self.costs[_kind(job)] = (found.seconds or MOST_SECONDS) / _ratings(job)
        return found

    def _hopeless(self, job: dict) -> Outcome | None:
        """Give up where another size, scaled in proportion, already says too long."""
        if self.costs.get(_kind(job), 0) * _ratings(job) < 0.99 * MOST_SECONDS:
            return None
        return Outcome(failed="not tried, too long")


def _kind(job: dict) -> tuple[str, ...]:
    return job["program"], job["function"], str(job["settings"])


def _ratings(job: dict) -> int:
    return job["wish"]["items"] * job["wish"]["judges"]


def _in_a_process(job: dict) -> Outcome:
    try:
        done = subprocess.run(
            [sys.executable, str(MEASURE), json.dumps(job)],
            capture_output=True, text=True, timeout=MOST_SECONDS, env=os.environ | ONE_THREAD,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(failed=TOO_LONG)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return Outcome(failed=f"ended with {done.returncode}")
    return Outcome(**json.loads(lines[-1]))
