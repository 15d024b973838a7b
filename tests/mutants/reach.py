"""A pytest plugin: which functions of covary each test enters, and how long the test takes.

Functions and not lines, so that no tracer is needed. A process that a test starts notes them itself
(`children/sitecustomize.py`).
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
WHERE = os.environ.get("COVARY_REACH", "")
CHILDREN = Path(f"{WHERE}.children")

entered: set[tuple[str, int]] = set()
reached: dict[str, dict[str, Any]] = {}


def look(frame: FrameType, event: str, _: Any) -> None:
    if event == "call" and frame.f_code.co_filename.startswith(ROOT):
        entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    entered.clear()
    CHILDREN.unlink(missing_ok=True)
    sys.setprofile(look)
    threading.setprofile(look)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        if CHILDREN.exists():
            for line in CHILDREN.read_text(encoding="utf-8").splitlines():
                number, file = line.split(" ", 1)
                entered.add((file, int(number)))
        functions = defaultdict(list)
        for file, line in entered:
            functions[file.removeprefix(ROOT)].append(line)
        reached.setdefault(item.nodeid, {})["functions"] = functions


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    entry = reached.setdefault(report.nodeid, {})
    entry["seconds"] = entry.get("seconds", 0.0) + report.duration
    entry["passed"] = entry.get("passed", True) and report.outcome == "passed"


def pytest_sessionfinish() -> None:
    if WHERE:
        Path(WHERE).write_text(json.dumps(reached), encoding="utf-8")
