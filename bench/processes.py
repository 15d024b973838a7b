"""Runs measurements, one process at a time, and gives up on those that take too long."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MOST_SECONDS", "Bench", "Outcome"]

MOST_SECONDS = 60
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
        self.known: dict[tuple, Outcome] = {}
        self.costs: dict[tuple, tuple[int, float]] = {}

    def run(self, program: str, function: str, wish: dict, settings: dict) -> Outcome:
        job = {"program": program, "function": function, "wish": wish, "settings": settings}
        key = (json.dumps(job, sort_keys=True),)
        if key not in self.known:
            self.known[key] = self._hopeless(job) or self._measured(job)
            self._remember(job, self.known[key])
        return self.known[key]

    def _measured(self, job: dict) -> Outcome:
        start = time.perf_counter()
        found = _in_a_process(job)
        said = found.failed or f"{found.seconds:.4f} s"
        took = time.perf_counter() - start
        what = [job["program"], job["function"], job["settings"].get("interval", ""), job["wish"]]
        print(*what, said, f"({took:.0f} s in all)", file=sys.stderr, flush=True)
        return found

    def _hopeless(self, job: dict) -> Outcome | None:
        """Give up where a smaller size, scaled up in proportion, already says too long."""
        if _kind(job) not in self.costs:
            return None
        ratings, seconds = self.costs[_kind(job)]
        if seconds * _ratings(job) / ratings < MOST_SECONDS:
            return None
        return Outcome(failed=f"over {MOST_SECONDS} s (not tried)")

    def _remember(self, job: dict, found: Outcome) -> None:
        if found.seconds is not None:
            self.costs[_kind(job)] = _ratings(job), found.seconds


def _kind(job: dict) -> tuple:
    same = {name: job["wish"][name] for name in ("continuous", "missing")}
    return job["program"], job["function"], str(job["settings"]), str(same)


def _ratings(job: dict) -> int:
    return job["wish"]["items"] * job["wish"]["judges"]


def _in_a_process(job: dict) -> Outcome:
    try:
        done = subprocess.run(
            [sys.executable, str(MEASURE), json.dumps(job)],
            capture_output=True, text=True, timeout=MOST_SECONDS, env=os.environ | ONE_THREAD,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(failed=f"over {MOST_SECONDS} s")
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return Outcome(failed=f"ended with {done.returncode}")
    return Outcome(**json.loads(lines[-1]))
