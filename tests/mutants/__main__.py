"""`make mutants`: change the code in small ways and say which changes no test notices.

Each process has a copy of the source, changes one place in it, and runs the tests that enter the
changed function, the quickest first, until one fails. A change survives when all of them pass.
"""

from __future__ import annotations

import argparse
import compileall
import importlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants.changes import Change, changes

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MUST_DIE = Path(__file__).with_name("must_die.toml")
CHILDREN = Path(__file__).with_name("children")

ROOMS = {
    "store": ("covary/store", "tests/store"),
    "web": ("covary/web", "tests/web tests/serving"),
    "crowd": ("covary/crowd", "tests/crowd"),
    "training": ("covary/training", "tests/training"),
    "intervals": ("covary/stats/intervals", "tests/stats"),
    "forensics": ("covary/analysis/forensics/behaviour", "tests/analysis"),
    "aggregate": ("covary/aggregate/em", "tests/aggregate"),
}
"""Each room by the beginning of its files, and the tests that are asked."""

PRELOADED = "numpy scipy.special scipy.optimize narwhals sqlalchemy starlette.applications duckdb"
"""What every run needs and nobody changes; loaded once, then forked."""

OPTIONS = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider")
"""Of pytest: stop at the first failure, and do not rewrite what is loaded already."""

MARKS = {"killed": ".", "survived": "S", "not reached": "?"}

SLOWEST = 8.0
"""Seconds; slower tests are asked only where there are no quicker ones."""


@dataclass(frozen=True)
class Mutant:
    """One change in one file."""

    room: str
    file: str
    change: Change

    def __str__(self) -> str:
        return f"src/{self.file}:{self.change}"


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant: killed, survived, or not reached by any test."""

    mutant: Mutant
    verdict: str
    tests: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rooms asked for and print what survived; 0 when nine in ten died, room by room."""
    asked = _arguments(arguments)
    rooms = asked.room or list(ROOMS)
    begun = time.monotonic()
    reach = _reach(rooms, asked)
    mutants = [mutant for room in rooms for mutant in _drawn(room, asked)]
    print(f"{len(mutants)} changes in {', '.join(rooms)}; seed {asked.seed}", flush=True)
    outcomes = list(_tried(mutants, reach, asked))
    good = _told(rooms, outcomes, asked.least)
    print(f"{time.monotonic() - begun:.0f} s")
    return 0 if good else 1


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--room", action="append", choices=list(ROOMS), help="only this room")
    parser.add_argument("--sample", type=int, default=60, help="changes drawn per room; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--tests", type=int, default=90, help="tests asked at most per change")
    parser.add_argument("--least", type=float, default=0.9, help="share that has to die")
    parser.add_argument("--file", default="", help="only files whose path contains this")
    parser.add_argument("--again", action="store_true", help="use what tests reached last time")
    return parser.parse_args(arguments)


def _reach(rooms: Sequence[str], asked: argparse.Namespace) -> dict[str, dict[str, object]]:
    """Which functions each test enters: one run of the rooms' tests, all of which must pass."""
    folder = ROOT / "build" / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    reached: dict[str, dict[str, object]] = {}
    for room in rooms:
        kept = folder / f"{room}.json"
        if not (asked.again and kept.exists()):
            print(f"asking which functions {ROOMS[room][1]} reaches", flush=True)
            environment = _environment(SOURCE) | {
                "COVARY_REACH": str(kept),
                "COVARY_REACH_ROOT": str(SOURCE),
                "COVARY_REACH_CHILDREN": f"{kept}.children",
            }
            environment["PYTHONPATH"] += f"{os.pathsep}{CHILDREN}"
            command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.reach"]
            command += ["-p", "no:cacheprovider", *ROOMS[room][1].split()]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True
            )
            if done.returncode:
                raise SystemExit(f"the tests fail as they are:\n{done.stdout[-3000:]}")
        reached |= json.loads(kept.read_text(encoding="utf-8"))
    return {name: entry for name, entry in reached.items() if "postgres" not in name.lower()}


def _environment(source: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}


def _drawn(room: str, asked: argparse.Namespace) -> list[Mutant]:
    """The changes of a room: those that must die, and a sample of all others."""
    start = ROOMS[room][0]
    files = [f.relative_to(SOURCE).as_posix() for f in sorted(SOURCE.rglob("*.py"))]
    files = [file for file in files if file.startswith(start) and asked.file in file]
    all_of_them = [
        Mutant(room, file, change)
        for file in files
        for change in changes((SOURCE / file).read_bytes())
    ]
    if asked.sample and len(all_of_them) > asked.sample:
        all_of_them = random.Random(f"{asked.seed} {room}").sample(all_of_them, asked.sample)
    return [*_must_die(room, asked.file), *all_of_them]


def _must_die(room: str, part: str) -> Iterator[Mutant]:
    """The named changes of a room; one whose text is gone is an error, not a silence."""
    for entry in tomllib.loads(MUST_DIE.read_text(encoding="utf-8")).get("change", ()):
        if entry["room"] != room or part not in entry["file"]:
            continue
        source = (SOURCE / entry["file"]).read_bytes()
        start = source.find(entry["before"].encode())
        if start < 0:
            raise SystemExit(f"{MUST_DIE.name}: {entry['before']!r} is not in {entry['file']}")
        line = source[:start].count(b"\n") + 1
        end = start + len(entry["before"].encode())
        yield Mutant(
            room,
            entry["file"],
            Change(line, start, end, entry["before"], entry["after"], entry.get("function", -1)),
        )


def _tried(
    mutants: Sequence[Mutant], reach: dict[str, dict[str, object]], asked: argparse.Namespace
) -> Iterator[Outcome]:
    """Try each change, in a few processes that each have a copy of the source."""
    for name in PRELOADED.split():
        importlib.import_module(name)
    work = [(mutant, _asked_tests(mutant, reach, asked.tests)) for mutant in mutants]
    seconds = {name: float(entry["seconds"]) for name, entry in reach.items()}
    with tempfile.TemporaryDirectory() as folder:
        context = multiprocessing.get_context("fork")
        with context.Pool(asked.processes, _copy_source, (folder,)) as pool:
            sound = _sound(work)
            if pool.apply(_fails, (sound, _patience(sound, seconds))):
                raise SystemExit("the tests fail in a copy of the source that has no change")
            tasks = [(mutant, tests, _patience(tests, seconds)) for mutant, tests in work]
            for outcome in pool.imap(_attempt, tasks):
                print(MARKS[outcome.verdict], end="", flush=True)
                yield outcome
    print()


def _patience(tests: Sequence[str], seconds: dict[str, float]) -> float:
    """Processor seconds after which tests hang: many times what they took."""
    return 60 + 5 * sum(seconds[name] for name in tests)


def _sound(work: Sequence[tuple[Mutant, Sequence[str]]]) -> list[str]:
    """The quickest test of every change: without any change, all of them pass."""
    return sorted({tests[0] for _, tests in work if tests})


def _copy_source(folder: str) -> None:
    """Give this process a copy of the source of its own, compiled once."""
    global copy
    copy = Path(folder) / str(os.getpid())
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(copy, quiet=1)


copy = Path()
"""This process's copy of the source."""


def _asked_tests(mutant: Mutant, reach: dict[str, dict[str, object]], most: int) -> list[str]:
    """The tests that enter the changed function, or the changed file.

    Those of files that are called like the changed one come first; of the others one of each file
    in turn, the quickest first, so that no file with many quick tests crowds out the rest.
    """
    files: dict[str, list[tuple[float, str]]] = {}
    for name, entry in reach.items():
        lines = entry.get("functions", {}).get(mutant.file, ())
        if lines and (mutant.change.function <= 0 or _enters(mutant, lines)):
            files.setdefault(name.partition("::")[0], []).append((entry["seconds"], name))
    stem = Path(mutant.file).stem
    turns = []
    for file, tests in files.items():
        own = stem in Path(file).stem
        turns += [(0 if own else turn, *test) for turn, test in enumerate(sorted(tests), 1)]
    turns.sort()
    quick = [name for _, seconds, name in turns if seconds < SLOWEST]
    return (quick or [name for *_, name in turns])[:most]


def _enters(mutant: Mutant, lines: Sequence[int]) -> bool:
    """Whether a function was entered; its first line may be that of a decorator above it."""
    return any(mutant.change.function - 6 <= line <= mutant.change.function for line in lines)


def _attempt(task: tuple[Mutant, Sequence[str], float]) -> Outcome:
    mutant, tests, patience = task
    if not tests:
        return Outcome(mutant, "not reached", 0)
    place = copy / mutant.file
    source = (SOURCE / mutant.file).read_bytes()
    place.write_bytes(mutant.change.apply(source))
    try:
        noticed = _fails(tests, patience)
    finally:
        place.write_bytes(source)
    return Outcome(mutant, "killed" if noticed else "survived", len(tests))


def _fails(tests: Sequence[str], patience: float) -> bool:
    """Run tests on a copy, in a fork that has loaded everything else; a hang counts as noticed.

    Patience is processor time; of the clock's, a busy machine gets four times as much.
    """
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(patience), int(patience) + 5))
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            os.chdir(ROOT)
            os.environ.update(_environment(copy))
            sys.dont_write_bytecode = True
            sys.path.insert(0, str(copy))
            code = 1
            try:
                code = int(pytest.main([*OPTIONS, *tests]))
            finally:
                os._exit(code)
    ends = time.monotonic() + 4 * patience
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _told(rooms: Sequence[str], outcomes: Sequence[Outcome], least: float) -> bool:
    """Print the survivors and the share that died; whether all rooms reach the least share."""
    good = True
    for room in rooms:
        own = [outcome for outcome in outcomes if outcome.mutant.room == room]
        for outcome in own:
            if outcome.verdict != "killed":
                print(f"  {outcome.verdict} ({outcome.tests} tests)  {outcome.mutant}")
        counts = Counter(outcome.verdict for outcome in own)
        share = counts["killed"] / len(own) if own else 1.0
        good = good and share >= least
        print(f"{room}: {counts['killed']} of {len(own)} changes were noticed ({share:.0%})")
    return good


if __name__ == "__main__":
    sys.exit(main())
