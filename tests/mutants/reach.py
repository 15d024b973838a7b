"""A pytest plugin: which lines of a room each test runs, how long the test takes and what it loads.

It runs over a copy of the source in which the statements of the room say when they are run: a
tracer would slow down everything else as well. What a wider fixture runs counts for every test that
uses it.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
CHILDREN = Path(os.environ.get("COVARY_REACH_CHILDREN", "") + WORKER)

wide: dict[int, tuple[set[tuple[str, int]], float]] = {}
reached: dict[str, dict[str, Any]] = {}


def instrumented(source: str, file: str) -> str:
    """Return a program in which each statement inside a function says that it is run."""
    tree = ast.parse(source)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    blocks = {
        id(block): block
        for function in functions
        for node in ast.walk(function)
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
        if isinstance(block, list) and block
    }
    for block in blocks.values():
        words = isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant)
        for place in range(len(block) - 1, 0 if words else -1, -1):
            block.insert(place, *ast.parse(f"_reached({block[place].lineno})").body)
    first = next(
        (place for place, node in enumerate(tree.body) if not _stays_first(node)), len(tree.body)
    )
    probe = f"import covary_reach\n_reached = covary_reach.probe({file!r})"
    tree.body[first:first] = ast.parse(probe).body
    return ast.unparse(tree)


def _stays_first(node: ast.stmt) -> bool:
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return words or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _run() -> set[tuple[str, int]]:
    import covary_reach

    covary_reach.in_tests = True
    return covary_reach.run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    run = _run()
    run.clear()
    CHILDREN.unlink(missing_ok=True)
    os.environ["COVARY_REACH_CHILDREN"] = str(CHILDREN)
    begun = _processor()
    try:
        return (yield)
    finally:
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
            files[file].append(number)
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
    run = _run()
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
    entry["failed"] = entry.get("failed", False) or report.outcome == "failed"


def pytest_sessionfinish() -> None:
    where = os.environ.get("COVARY_REACH", "")
    if where:
        notes = {"tests": reached, "modules": sorted(sys.modules)}
        Path(where + WORKER).write_text(json.dumps(notes), encoding="utf-8")
