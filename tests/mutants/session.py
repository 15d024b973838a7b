"""Processes in which tests are run on changed code, many times over.

A session loads the libraries, and a fork of it the tests and the code, from a copy of the source.
For each change that fork forks again, gives the changed functions their new code, and runs the
tests asked for until one fails. Only what shows while a module is loaded needs loading anew.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import inspect
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

LIBRARIES = (
    "numpy scipy pandas narwhals sqlalchemy starlette httpx anyio uvicorn jinja2 hypothesis click"
)
"""What tests load and nobody changes; loaded once, then forked."""

OPTIONS = ("-q", "--assert=plain", "-p", "no:cacheprovider")
"""Of pytest: nothing in a test file is rewritten, which would cost more than it tells."""

MEMORY = 12 << 30
"""Bytes of address space, for a change that never stops collecting."""

ANEW = 77
"""How a fork ends that could not exchange the code: load it anew."""


@dataclass(frozen=True)
class Question:
    """A change of a file in the copy, and the tests to ask, each with what it may take.

    That is processor seconds, and seconds.
    """

    file: str
    before: str
    after: str
    tests: Sequence[str]
    limits: Sequence[tuple[float, float]]


class Session:
    """A process that answers questions over a copy of the source."""

    def __init__(self, copy: Path, tests: Sequence[str], modules: Sequence[str], log: Path) -> None:
        ours, theirs = socket.socketpair()
        environment = os.environ | {
            "PYTHONPATH": str(copy),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",  # hypothesis draws the same examples each time
        }
        number = theirs.fileno()
        with log.open("w") as words:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.mutants.session", str(number), str(copy), *tests],
                cwd=ROOT,
                env=environment,
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
            )
        theirs.close()
        self.log = log
        self.channel, self.stream = ours, ours.makefile("rw", encoding="utf-8")
        self.stream.write(json.dumps(modules) + "\n")

    def answer(self, question: Question) -> dict[str, Any]:
        """Ask, and wait for the answer."""
        self.stream.write(json.dumps(asdict(question)) + "\n")
        self.stream.flush()
        line = self.stream.readline()
        if not line:
            raise SystemExit(f"a session ended; {self.log} says why")
        return json.loads(line)

    def end(self) -> None:
        """Ask nothing more."""
        self.stream.close()
        self.channel.close()
        self.process.wait()


def main(channel: str, copy: str, *tests: str) -> None:
    """Answer questions until nobody asks any more."""
    asked = socket.socket(fileno=int(channel)).makefile("rw", encoding="utf-8")
    modules = json.loads(asked.readline())
    own = [name for name in modules if name.partition(".")[0] == "covary"]
    others = [name for name in modules if name.partition(".")[0] in LIBRARIES.split()]
    _load(others)
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _pytest(copy, tests, _Loaded(theirs, own))
    theirs.close()
    loaded = ours.makefile("rw", encoding="utf-8")
    for line in iter(asked.readline, ""):
        question = Question(**json.loads(line))
        place = Path(copy) / question.file
        times = place.stat().st_atime, place.stat().st_mtime
        place.write_text(question.after, encoding="utf-8", newline="")
        try:
            told = {"anew": True}
            if exchanged(place, question) is not None:
                loaded.write(line)
                loaded.flush()
                told = json.loads(loaded.readline())
            if told.get("anew"):
                told = _anew(copy, question) | {"anew": True}
        finally:
            place.write_text(question.before, encoding="utf-8", newline="")
            os.utime(place, times)
        asked.write(json.dumps(told) + "\n")
        asked.flush()


def _load(names: Sequence[str]) -> None:
    """Load modules that tests load, so that no fork has to; one that does not load is left."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _pytest(copy: str, tests: Sequence[str], plugin: object) -> None:
    """Run pytest over the copy, in this process, and end it."""
    code = 1
    try:
        options = [*OPTIONS, f"--basetemp={Path(copy).parent / f'{Path(copy).name}-files'}"]
        code = int(pytest.main([*options, *tests], plugins=[plugin]))
    finally:
        os._exit(code)


class _Loaded:
    """A plugin that answers questions when the tests are collected, instead of running them."""

    def __init__(self, channel: socket.socket, modules: Sequence[str]) -> None:
        self.channel, self.modules = channel, modules

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        _load(self.modules)
        items = {item.nodeid: item for item in session.items}
        functions: dict[str, list[FunctionType]] = {}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                functions.setdefault(thing.__code__.co_filename, []).append(thing)
        gc.freeze()
        stream = self.channel.makefile("rw", encoding="utf-8")
        for line in stream:
            question = Question(**json.loads(line))
            told = _asked_in_fork(partial(_changed, question, session, items, functions))
            stream.write(json.dumps(told) + "\n")
            stream.flush()
        return True


def _changed(
    question: Question,
    session: pytest.Session,
    items: dict[str, pytest.Item],
    functions: dict[str, list[FunctionType]],
    notes: int,
) -> int:
    """Exchange the code of what is loaded, and run the tests; how the fork ends."""
    place = Path(os.environ["PYTHONPATH"]) / question.file
    codes = exchanged(place, question) or {}
    try:
        for function in functions.get(str(place), ()):
            old = function.__code__
            function.__code__ = codes.get((old.co_qualname, old.co_firstlineno), old)
    except ValueError:
        return ANEW
    return _run(session, items, question, notes)


def _anew(copy: str, question: Question) -> dict[str, Any]:
    """Load code and tests from the beginning; what cannot be loaded is noticed."""

    def work(notes: int) -> int:
        files = sorted({test.partition("::")[0] for test in question.tests})
        _pytest(copy, files, _Once(question, notes))
        return 1

    return _asked_in_fork(work)


class _Once:
    """A plugin that runs the tests of one question."""

    def __init__(self, question: Question, notes: int) -> None:
        self.question, self.notes = question, notes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        os._exit(_run(session, items, self.question, self.notes))


def _run(
    session: pytest.Session, items: dict[str, pytest.Item], question: Question, notes: int
) -> int:
    """Run the tests until one fails: 1. Each has its time; afterwards the alarm ends this fork."""
    asked = [items[name] for name in question.tests]
    try:
        for number, (item, limits) in enumerate(zip(asked, question.limits, strict=True)):
            os.write(notes, f"{number}\n".encode())
            signal.setitimer(signal.ITIMER_PROF, limits[0])
            signal.setitimer(signal.ITIMER_REAL, limits[1])
            following = asked[number + 1] if number + 1 < len(asked) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return 1
    finally:
        session._setupstate.teardown_exact(None)
    return 0


def _asked_in_fork(work: Any) -> dict[str, Any]:
    """Do work in a fork that notes the number of the test it is at; say how it ended."""
    begun = time.monotonic()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgid(0, 0)
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.setitimer(signal.ITIMER_PROF, 120)
            code = work(writing)
        finally:
            os._exit(code)
    os.close(writing)
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # servers that a test had started
    with os.fdopen(reading) as notes:
        numbers = notes.read().split()
    code = os.waitstatus_to_exitcode(status)
    return {
        "anew": code == ANEW,
        "noticed": code not in (0, ANEW),
        "hung": code in (-signal.SIGALRM, -signal.SIGPROF),
        "test": int(numbers[-1]) if numbers else None,
        "seconds": time.monotonic() - begun,
        "processor": used.ru_utime + used.ru_stime,
    }


def exchanged(place: Path, question: Question) -> dict[tuple[str, int], CodeType] | None:
    """Return the new code of every function by its name and old line; None if more has changed."""
    try:
        old = compile(question.before, str(place), "exec", dont_inherit=True)
        new = compile(question.after, str(place), "exec", dont_inherit=True)
        pairs = list(_pairs(old, new, called_while_loaded(question.before), loading=True))
    except (SyntaxError, ValueError):
        return None
    if any(loading and _differs(before, after) for before, after, loading in pairs):
        return None
    return {(before.co_qualname, before.co_firstlineno): after for before, after, _ in pairs}


def _pairs(
    old: CodeType, new: CodeType, called: set[str], *, loading: bool
) -> Iterator[tuple[CodeType, CodeType, bool]]:
    """Each piece of code with its successor, and whether it is run while the module is loaded."""
    yield old, new, loading
    inner = [[part for part in code.co_consts if isinstance(part, CodeType)] for code in (old, new)]
    for before, after in zip(*inner, strict=True):
        if before.co_name != after.co_name:
            raise ValueError(before.co_name)
        at_once = not before.co_flags & inspect.CO_NEWLOCALS or before.co_name in COMPREHENSIONS
        yield from _pairs(
            before, after, called, loading=(loading and at_once) or before.co_name in called
        )


COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def called_while_loaded(source: str) -> set[str]:
    """Return the names of a file's functions that are called, at any depth, as it is loaded."""
    tree = ast.parse(source)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    within = {id(call) for f in functions for part in f.body for call in ast.walk(part)}
    outside = [node for node in ast.walk(tree) if id(node) not in within]
    called: set[str] = set()
    reached = _called(outside)
    while reached - called:
        called |= reached
        reached = {
            name for f in functions if f.name in called for name in _called(list(ast.walk(f)))
        }
    return called & {function.name for function in functions}


def _called(nodes: Sequence[ast.AST]) -> set[str]:
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)}


def _differs(old: CodeType, new: CodeType) -> bool:
    constants = [
        [part for part in code.co_consts if not isinstance(part, CodeType)] for code in (old, new)
    ]
    return (old.co_code, old.co_names, repr(constants[0])) != (
        new.co_code,
        new.co_names,
        repr(constants[1]),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
