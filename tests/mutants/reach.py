"""A pytest plugin: which lines of a room each test runs, how long the test takes and what it loads.

Only the room's own frames are traced. What a wider fixture runs counts for every test that uses it.
A process that a test starts notes its lines itself (`children/sitecustomize.py`).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = f"{os.environ.get('COVARY_REACH_ROOT', '')}{os.sep}"
ROOM = ROOT + os.environ.get("COVARY_REACH_ROOM", "")
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
CHILDREN = Path(os.environ.get("COVARY_REACH_CHILDREN", "") + WORKER)

run: set[tuple[str, int]] = set()
wide: dict[int, tuple[set[tuple[str, int]], float]] = {}
reached: dict[str, dict[str, Any]] = {}


def look(frame: FrameType, event: str, _: Any) -> Any:
    file = frame.f_code.co_filename
    if not file.startswith(ROOM):
        return None

    def line(frame: FrameType, event: str, _: Any) -> Any:
        run.add((file, frame.f_lineno))
        return line

    return line(frame, event, _)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    run.clear()
    CHILDREN.unlink(missing_ok=True)
    os.environ["COVARY_REACH_CHILDREN"] = str(CHILDREN)
    begun = _processor()
    threading.settrace(look)
    sys.settrace(look)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        if CHILDREN.exists():
            for noted in CHILDREN.read_text(encoding="utf-8").splitlines():
                number, file = noted.split(" ", 1)
                run.add((file, int(number)))
        entry = reached.setdefault(item.nodeid, {"seconds": 0.0})
        entry["processor"] = _processor() - begun
        for fixture in _fixtures(item):
            lines, seconds = wide.get(id(fixture), (set(), 0.0))
            run.update(lines)
            entry["processor"] += seconds
        files = defaultdict(list)
        for file, number in run:
            files[file.removeprefix(ROOT)].append(number)
        entry["lines"] = files


def _processor() -> float:
    """Seconds of processor time so far, with those of ended children: waiting costs nothing."""
    return sum(os.times()[:4])


def _fixtures(item: pytest.Item) -> Iterator[Any]:
    known = getattr(item, "_fixtureinfo", None)
    for definitions in known.name2fixturedefs.values() if known else ():
        yield from definitions


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[object]:
    """Keep the lines of a fixture that several tests share."""
    if fixturedef.scope == "function":
        return (yield)
    before, begun = set(run), _processor()
    run.clear()
    try:
        return (yield)
    finally:
        wide[id(fixturedef)] = set(run), _processor() - begun
        run.update(before)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    entry = reached.setdefault(report.nodeid, {"seconds": 0.0})
    entry["seconds"] += report.duration
    entry["passed"] = entry.get("passed", True) and report.outcome == "passed"


def pytest_sessionfinish() -> None:
    where = os.environ.get("COVARY_REACH", "")
    if where:
        notes = {"tests": reached, "modules": sorted(sys.modules)}
        Path(where + WORKER).write_text(json.dumps(notes), encoding="utf-8")
