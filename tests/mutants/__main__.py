"""`make mutants`: change the code in small ways and say which changes no test notices.

Each session has a copy of the source, changes one place in it, and runs the tests that run the
changed statement, the quickest first, until one fails. A change survives when all of them pass.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tests.mutants.changes import Change, changes, run_with
from tests.mutants.reach import instrumented
from tests.mutants.session import ROOT, Question, Session

SOURCE = ROOT / "src"
FOLDER = ROOT / "build" / "mutants"
MUST_DIE = Path(__file__).with_name("must_die.toml")
CHILDREN = Path(__file__).with_name("children")

ROOMS = {
    "store": ("covary/store", "tests/store"),
    "web": ("covary/web", "tests/web tests/serving tests/crowd/test_signed_links*"),
    "crowd": ("covary/crowd", "tests/crowd"),
    "training": ("covary/training", "tests/training"),
    "intervals": (
        "covary/stats/intervals",
        "tests/stats/test_interval* tests/stats/test_estimate*",
    ),
    "forensics": ("covary/analysis/forensics/behaviour", "tests/analysis"),
    "aggregate": ("covary/aggregate/em", "tests/aggregate"),
}
"""Each room by the beginning of its files, and the folders or files of tests that are asked."""

MARKS = {"killed": ".", "hung": "h", "survived": "S", "not reached": "?"}

SLOW = 2.0
"""Seconds of processor time; slower tests are asked last."""


@dataclass(frozen=True)
class Mutant:
    """One change in one file."""

    room: str
    file: str
    change: Change

    def __str__(self) -> str:
        return f"src/{self.file}:{self.change}"


@dataclass(frozen=True)
class Reach:
    """Each test's lines, by file, and seconds; and the modules that tests load."""

    tests: dict[str, dict[str, Any]]
    modules: Sequence[str]

    def limits(self, names: Sequence[str]) -> list[tuple[float, float]]:
        """Processor seconds and seconds after which a test hangs: many times what it took.

        A test that waits is given long, because a busy machine lets it wait.
        """
        taken = [(self.tests[name]["processor"], self.tests[name]["seconds"]) for name in names]
        return [(5 + 10 * processor, 120 + 20 * seconds) for processor, seconds in taken]


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant: killed, hung, survived, or not reached by any test."""

    mutant: Mutant
    verdict: str
    tests: int
    by: str = ""
    seconds: float = 0.0
    processor: float = 0.0


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
    parser.add_argument("--seconds", type=float, default=60, help="of tests at most per change")
    parser.add_argument("--least", type=float, default=0.9, help="share that has to die")
    parser.add_argument("--file", default="", help="only files whose path contains this")
    parser.add_argument("--again", action="store_true", help="use what tests reached last time")
    return parser.parse_args(arguments)


def _reach(rooms: Sequence[str], asked: argparse.Namespace) -> Reach:
    """Which lines each test runs: a run of the test files that are not as they were last time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    tests: dict[str, dict[str, Any]] = {}
    modules: set[str] = set()
    for room in rooms:
        path = FOLDER / f"{room}.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        files = [
            file.relative_to(ROOT).as_posix()
            for pattern in ROOMS[room][1].split()
            for file in sorted([*ROOT.glob(f"{pattern}.py"), *ROOT.glob(f"{pattern}/test_*.py")])
        ]
        changed = [
            file
            for file in files
            if file in kept and kept[file]["digest"] != _digest(file, kept[file])
        ]
        old = [f for f in files if f not in kept or (f in changed and not asked.again)]
        if old:
            print(f"{room}: asking which lines {len(old)} files of tests run", flush=True)
            notes = _recorded(room, old, asked.processes)
            for file in set(old) - {name.partition("::")[0] for name in notes["failed"]}:
                own = {
                    name: t for name, t in notes["tests"].items() if name.startswith(f"{file}::")
                }
                entry = {"tests": own, "modules": notes["modules"]}
                kept[file] = entry | {"digest": _digest(file, entry)}
            present = {file: kept[file] for file in files if file in kept}
            path.write_text(json.dumps(present), encoding="utf-8")
            if notes["failed"]:
                raise SystemExit("\n".join(["these tests fail as they are:", *notes["failed"]]))
        for file in files:
            tests |= kept[file]["tests"]
            modules |= set(kept[file]["modules"])
    return Reach(tests, sorted(modules))


def _digest(file: str, kept: dict[str, Any]) -> str:
    """What the lines depend on: the test, what stands beside it, and the source that it runs."""
    beside = [other for other in (ROOT / file).parent.glob("*.py") if other.name[:5] != "test_"]
    sources = {source for test in kept["tests"].values() for source in test["lines"]}
    paths = [ROOT / file, *sorted(beside), *(SOURCE / source for source in sorted(sources))]
    parts = [path.read_bytes() if path.exists() else b"" for path in paths]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _recorded(room: str, files: Sequence[str], processes: int) -> dict[str, Any]:
    """Run files of tests and note each test's lines and seconds, and which tests failed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for file in _files(room):
            text = (SOURCE / file).read_text(encoding="utf-8")
            (copy / file).write_text(instrumented(text, file), encoding="utf-8")
        compileall.compile_dir(copy, quiet=1)
        environment = os.environ | {
            "PYTHONPATH": f"{copy}{os.pathsep}{CHILDREN}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",
            "COVARY_REACH": f"{folder}/lines",
            "COVARY_REACH_CHILDREN": f"{folder}/children",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.reach"]
        command += ["-p", "no:cacheprovider", "-n", str(processes), "--dist", "loadfile"]
        command += ["-k", "not postgres", *files]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode > 1:
            raise SystemExit(f"the tests cannot be run:\n{done.stdout[-5000:]}")
        tests: dict[str, dict[str, Any]] = {}
        modules: set[str] = set()
        for path in Path(folder).glob("linesgw*"):
            notes = json.loads(path.read_text(encoding="utf-8"))
            tests |= notes["tests"]
            modules |= set(notes["modules"])
    passed = {name: entry for name, entry in tests.items() if entry.get("passed")}
    failed = sorted(name for name, entry in tests.items() if entry.get("failed"))
    return {"tests": passed, "failed": failed, "modules": sorted(modules)}


def _files(room: str) -> list[str]:
    files = [file.relative_to(SOURCE).as_posix() for file in sorted(SOURCE.rglob("*.py"))]
    return [file for file in files if file.startswith(ROOMS[room][0])]


def _drawn(room: str, asked: argparse.Namespace) -> list[Mutant]:
    """The changes of a room: those that must die, and a sample of all others."""
    all_of_them = [
        Mutant(room, file, change)
        for file in _files(room)
        if asked.file in file
        for change in changes((SOURCE / file).read_bytes())
    ]
    if asked.sample and len(all_of_them) > asked.sample:
        all_of_them = random.Random(f"{asked.seed} {room}").sample(all_of_them, asked.sample)
    return [*must_die(room, asked.file), *all_of_them]


def must_die(room: str, part: str = "") -> Iterator[Mutant]:
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
            Change(line, start, end, entry["before"], entry["after"]),
        )


def _tried(mutants: Sequence[Mutant], reach: Reach, asked: argparse.Namespace) -> Iterator[Outcome]:
    """Try each change, in a few sessions that each have a copy of the source."""
    work = [(mutant, _asked_tests(mutant, reach, asked.seconds)) for mutant in mutants]
    files = sorted({test.partition("::")[0] for _, tests in work for test in tests})
    with tempfile.TemporaryDirectory() as folder, ThreadPool(asked.processes) as pool:
        sessions = SimpleQueue()
        for number in range(asked.processes):
            copy = Path(folder) / str(number)
            shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
            compileall.compile_dir(copy, quiet=1)
            sessions.put(
                Session(copy, files, reach.modules, FOLDER / f"{work[0][0].room}{number}.log")
            )

        def attempt(task: tuple[Mutant, list[str]]) -> Outcome:
            session = sessions.get()
            try:
                return _attempt(*task, reach, session)
            finally:
                sessions.put(session)

        session = sessions.get()
        _check_sound(work, reach, session)
        sessions.put(session)
        try:
            for outcome in pool.imap(attempt, work):
                print(MARKS[outcome.verdict], end="", flush=True)
                if outcome.verdict in ("survived", "not reached"):
                    print(f"  {outcome.mutant}", flush=True)
                yield outcome
        finally:
            while not sessions.empty():
                sessions.get().end()
    print()


def _check_sound(work: Sequence[tuple[Mutant, list[str]]], reach: Reach, session: Session) -> None:
    """Ask the first test of every change on a file that is changed into itself: all pass."""
    files: dict[str, set[str]] = {}
    for mutant, tests in work:
        files.setdefault(mutant.file, set()).update(tests[:1])
    for file, tests in files.items():
        same, names = (SOURCE / file).read_text(encoding="utf-8"), sorted(tests)
        told = session.answer(Question(file, same, same, names, reach.limits(names)))
        if told["noticed"]:
            raise SystemExit(f"{names[told['test'] or 0]} fails without any change of {file}")


def _asked_tests(mutant: Mutant, reach: Reach, most: float) -> list[str]:
    """The tests that run the changed statement, or the changed file.

    Those of files that are called like the changed one come first; of the others one of each file
    in turn, the quickest first, so that no file with many quick tests crowds out the rest.
    """
    needed = run_with((SOURCE / mutant.file).read_bytes(), mutant.change.line)
    shows = [mutant.file] if needed else [mutant.file, *_users(mutant.file, mutant.room)]
    files: dict[str, list[tuple[float, str]]] = {}
    for name, entry in reach.tests.items():
        lines = {line for file in shows for line in entry["lines"].get(file, ())}
        if lines and (not needed or not needed.isdisjoint(lines)):
            files.setdefault(name.partition("::")[0], []).append((entry["processor"], name))
    stem = Path(mutant.file).stem
    turns = []
    for file, tests in files.items():
        own = stem in Path(file).stem
        turns += [
            (seconds > SLOW, 0 if own else turn, seconds, name)
            for turn, (seconds, name) in enumerate(sorted(tests), 1)
        ]
    turns.sort()
    sums = accumulate(seconds for *_, seconds, _ in turns)
    return [turn[-1] for turn, spent in zip(turns, sums, strict=True) if spent < most] or [
        turn[-1] for turn in turns[:1]
    ]


@cache
def _users(file: str, room: str) -> tuple[str, ...]:
    """Return the files of a room that import a file: a constant of it may show only there."""
    module = file.removesuffix(".py").replace("/", ".")
    wanted = re.compile(rf"^\s*(?:from|import) {re.escape(module)}\b", re.MULTILINE)
    texts = ((other, (SOURCE / other).read_text(encoding="utf-8")) for other in _files(room))
    return tuple(other for other, text in texts if other != file and wanted.search(text))


def _attempt(mutant: Mutant, tests: list[str], reach: Reach, session: Session) -> Outcome:
    if not tests:
        return Outcome(mutant, "not reached", 0)
    source = (SOURCE / mutant.file).read_bytes()
    after = mutant.change.apply(source).decode()
    question = Question(mutant.file, source.decode(), after, tests, reach.limits(tests))
    told = session.answer(question)
    verdict = "hung" if told["hung"] else "killed" if told["noticed"] else "survived"
    by = tests[told["test"]] if told["noticed"] and told["test"] is not None else ""
    return Outcome(mutant, verdict, len(tests), by, told["seconds"], told["processor"])


def _told(rooms: Sequence[str], outcomes: Sequence[Outcome], least: float) -> bool:
    """Print the survivors and the share that died; whether all rooms reach the least share."""
    good = True
    for room in rooms:
        own = [outcome for outcome in outcomes if outcome.mutant.room == room]
        for outcome in own:
            if outcome.verdict != "killed":
                print(f"  {outcome.verdict} ({outcome.tests} tests)  {outcome.mutant}")
        counts = Counter(outcome.verdict for outcome in own)
        noticed = counts["killed"] + counts["hung"]
        share = noticed / len(own) if own else 1.0
        good = good and share >= least
        processor = sum(outcome.processor for outcome in own)
        print(
            f"{room}: {noticed} of {len(own)} changes were noticed ({share:.0%}); "
            f"{processor:.0f} s of processor time"
        )
    return good


if __name__ == "__main__":
    sys.exit(main())
