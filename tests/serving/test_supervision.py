"""How the processes of a server are watched, step by step, on a clock that the test turns."""

import io
import logging
import os
import signal
import subprocess
from pathlib import Path

import pytest

from covary.errors import CovaryError
from covary.study import write_template
from covary.web.serving import processes
from covary.web.serving.processes import (
    LONGEST_PAUSE,
    READY,
    SECONDS_TO_END,
    SECONDS_TO_START,
    Processes,
    ServerOrder,
    ServerProcess,
    _lives,
    main,
    serve_by_several,
)
from covary.web.serving.server import SECONDS_TO_FINISH, Door


class Program:
    """A program that is none: it ends when told to, and says what it was told."""

    def __init__(self, number, code=None, deaf=False):
        self.pid, self.code, self.deaf = 7000 + number, code, deaf
        self.stdin, self.told = io.StringIO(), []

    def poll(self):
        return self.code

    def terminate(self):
        self.told.append("end")
        self.code = self.code if self.deaf else 0

    def kill(self):
        self.told.append("kill")
        self.code = -9

    def wait(self, seconds=None):
        if self.code is None:
            assert seconds == SECONDS_TO_END
            raise subprocess.TimeoutExpired("it", seconds)
        self.told.append("waited for")


class Watched(Processes):
    """Processes whose programs are none; `serves` says of each in turn whether it says so."""

    def __init__(self, folder, number=2, serves=(), codes=()):
        super().__init__(
            Path("study"), "postgresql://", number, sockets=[], counts=folder, door=Door()
        )
        self.serves, self.codes = iter(serves), iter(codes)
        self.started = []

    def _start(self, number, pause=processes.FIRST_PAUSE):
        told, tell = os.pipe()
        program = Program(len(self.started), next(self.codes, None))
        serves = next(self.serves, True)
        if serves:
            os.write(tell, READY)
        if serves is None or program.code is not None:
            os.close(tell)  # it ended before it said anything
        else:
            self.open = [*getattr(self, "open", ()), tell]
        one = ServerProcess(
            number=number, process=program, told=told, since=processes.time.monotonic(),
            pause=pause,
        )  # fmt: skip
        self.started.append(one)
        return one

    def close(self):
        for pipe in getattr(self, "open", ()):
            os.close(pipe)


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("covary.web.serving.processes.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def watch(tmp_path, clock):
    made = []

    def watched(*given, **more):
        made.append(Watched(tmp_path, *given, **more))
        return made[-1]

    yield watched
    for one in made:
        one.close()


def test_a_process_is_ready_once_it_says_so_and_ended_where_it_never_did(watch):
    serving, silent, gone = (watch(serves=[serves])._start(1) for serves in (True, False, None))
    assert [each.is_ready(0) for each in (serving, silent, gone)] == [True, False, None]
    assert [each.is_ready(0) for each in (serving, silent, gone)] == [True, False, None]
    assert [each.served for each in (serving, silent, gone)] == [True, False, False]


def test_all_are_started_and_one_that_serves_is_enough(watch):
    several = watch(3, serves=[False, True, None])
    several._start_all()
    assert [each.number for each in several.started] == [1, 2, 3]
    assert list(several._running.values()) == several.started


@pytest.mark.parametrize("number", [1, 2])
def test_where_all_have_ended_nothing_is_waited_for(watch, number):
    with pytest.raises(CovaryError, match="did not start"):
        watch(number, serves=[None] * number)._start_all()


def passing(clock, by):
    """Let each look at the clock take so many seconds; the first look is free."""

    def look():
        clock[0] += by
        return clock[0] - by

    return look


def test_what_does_not_serve_in_time_is_given_up(watch, clock, monkeypatch):
    monkeypatch.setattr(processes.time, "monotonic", passing(clock, SECONDS_TO_START / 2))
    several = watch(1, serves=[False])
    with pytest.raises(CovaryError, match="did not start"):
        several._start_all()
    one = several._start(1)
    one.served = False
    assert several._wait_for(one) is True
    assert several._wait_for(watch(serves=[None])._start(1)) is False
    begun = clock[0]
    assert several._wait_for(watch(serves=[False])._start(1)) is False
    assert clock[0] - begun <= 3 * SECONDS_TO_START


def test_nothing_is_waited_for_when_all_are_to_end(watch):
    several = watch(1, serves=[False])
    several._end()
    several._start_all()
    assert several._wait_for(several.started[0]) is False


def test_what_ended_by_itself_is_started_again_after_its_pause_and_later_each_time(watch, clock):
    several = watch(1, serves=[None] * 20, codes=[3] * 20)
    several._running[1] = several._start(1)
    pauses = []
    for _ in range(9):
        one = several._running[1]
        counts = several._counts / f"{one.process.pid}.json"
        counts.write_text("{}")
        several._look_after()
        assert (several._running[1], one.due) == (one, clock[0] + one.pause)
        clock[0] += one.pause - 0.01
        several._look_after()
        assert several._running[1] is one, "it was started again before its pause was over"
        assert counts.exists()
        clock[0] = one.due
        several._look_after()
        assert several._running[1] is several.started[-1] is not one
        assert one.process.stdin.closed
        assert not counts.exists()
        pauses.append(several._running[1].pause)
    # by hand: twice as long each time, and half a minute at most
    assert pauses == [1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]


def test_one_that_has_served_is_started_again_soon_and_the_others_are_left_alone(
    watch, clock, caplog
):
    several = watch(2)
    several._start_all()
    first, second = several.started
    first.pause = 16.0
    first.is_ready(0)
    first.process.code = -9
    with caplog.at_level(logging.ERROR):
        several._look_after()
        several._look_after()
    assert [record.getMessage() for record in caplog.records] == [
        "process 1 ended (-9) and is started again"
    ]
    clock[0] += 16
    several._look_after()
    assert several._running == {1: several.started[2], 2: second}
    assert (several.started[2].number, several.started[2].pause) == (1, 0.5)
    assert second.process.told == []


@pytest.mark.parametrize(
    ("serves", "seconds", "told"),
    [
        (False, SECONDS_TO_START, []),
        (False, SECONDS_TO_START + 1, ["kill"]),
        (True, SECONDS_TO_START + 1, []),
    ],
)
def test_one_that_hangs_while_it_starts_is_killed(watch, clock, caplog, serves, seconds, told):
    several = watch(1, serves=[serves])
    several._running[1] = several._start(1)
    clock[0] += seconds
    several._look_after()
    assert several.started[0].process.told == told
    said = [record.getMessage() for record in caplog.records]
    assert said == ["process 1 did not start in time and is killed"] * len(told)


def test_nothing_is_started_again_when_all_are_to_end(watch, clock):
    several = watch(1, codes=[1])
    several._running[1] = several._start(1)
    several._end()
    for _ in range(2):
        several._look_after()
        clock[0] += 99
    assert len(several.started) == 1


def test_each_is_replaced_when_its_successor_serves(watch, caplog):
    several = watch(2)
    several._start_all()
    old = dict(several._running)
    (several._counts / f"{old[1].process.pid}.json").write_text("{}")
    with caplog.at_level(logging.INFO):
        several._replace_all()
    assert list(several._running.values()) == several.started[2:]
    assert [each.number for each in several.started] == [1, 2, 1, 2]
    assert [each.process.told for each in old.values()] == [["end", "waited for"]] * 2
    assert list(several._counts.iterdir()) == []
    said = [record.getMessage() for record in caplog.records]
    assert said == ["process 1 was replaced", "process 2 was replaced"]


@pytest.mark.parametrize("ending", [False, True])
def test_where_a_successor_does_not_serve_all_go_on_as_they_are(watch, caplog, ending):
    several = watch(2, serves=[True, True, None])
    several._start_all()
    before = dict(several._running)
    if ending:
        several._end()
    several._replace_all()
    assert several._running == before
    assert [each.process.told for each in several.started] == [[], [], ["kill", "waited for"]]
    words = "process 1 could not be replaced, and goes on as it is"
    said = [record.getMessage() for record in caplog.records]
    assert said == ([] if ending else [words])


def test_one_that_does_not_end_when_told_to_is_killed_and_the_log_says_so(watch, caplog):
    several = watch(1)
    one = several._start(4)
    one.process.deaf = True
    one.end()
    assert one.process.told == ["end", "kill", "waited for"]
    assert [record.getMessage() for record in caplog.records] == [
        "process 4 did not end in time and is killed"
    ]
    assert SECONDS_TO_END > SECONDS_TO_FINISH, "killed before a request may have been finished"


class Steps(Watched):
    """Processes of which the look around is noted; signals come in between, as they are listed."""

    def __init__(self, *given, signals, **more):
        super().__init__(*given, **more)
        self.signals, self.steps = iter(signals), []

    def _look_after(self):
        self.steps.append("look")
        for number in next(self.signals, [signal.SIGTERM]):
            os.kill(os.getpid(), number)

    def _replace_all(self):
        self.steps.append("replace")


@pytest.mark.parametrize(
    ("signals", "steps"),
    [
        ([[signal.SIGTERM]], ["look"]),
        ([[], [signal.SIGINT]], ["look", "look"]),
        ([[signal.SIGHUP]], ["look", "replace", "look"]),
        ([[signal.SIGHUP], []], ["look", "replace", "look", "look"]),
        ([[signal.SIGHUP, signal.SIGTERM]], ["look"]),
    ],
    ids=["told to end", "interrupted", "replace", "replace once", "replace and end"],
)
def test_signals_end_or_replace_and_belong_to_the_processes_only_meanwhile(
    tmp_path, monkeypatch, signals, steps
):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    several = Steps(tmp_path, signals=signals)
    monkeypatch.setattr(several._woken, "wait", lambda seconds: None)
    several.run()
    several.close()
    assert several.steps == steps
    assert several._running == {}
    assert all(each.process.told == ["end", "waited for"] for each in several.started)
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_a_signal_wakes_the_parent_up(watch):
    for wake in ("_end", "_replace"):
        several = watch(1)
        assert not several._woken.is_set()
        getattr(several, wake)()
        assert several._woken.is_set()


def test_without_the_signal_that_replaces_several_processes_are_refused(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP")
    with pytest.raises(CovaryError) as refused:
        serve_by_several(Path("s"), "postgresql://", 2, host="127.0.0.1", port=0, door=Door())
    assert refused.value.code == "web.no-shared-port"


def test_a_process_lives_until_it_has_ended(monkeypatch):
    assert _lives(os.getpid())
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    assert not _lives(ended.pid)

    def another_users(*_):
        raise PermissionError

    monkeypatch.setattr(os, "kill", another_users)
    assert _lives(1)


@pytest.mark.parametrize("missing", ["study", "database"])
def test_a_process_that_cannot_serve_says_why_and_leaves_nothing(
    tmp_path, monkeypatch, capfd, missing
):
    counts = tmp_path / f"{processes.COUNTS}{os.getppid()}-x"
    counts.mkdir()
    (counts / f"{os.getpid()}.json").write_text("{}")
    told, tell = os.pipe()

    def never(*_, **__):
        raise CovaryError("web.no-shared-port")

    monkeypatch.setattr(processes, "make_server", never)
    database = tmp_path / "study.db"
    if missing == "database":
        write_template(tmp_path / "study")
    order = ServerOrder(
        study=str(tmp_path / "study"), database=str(database), door=Door(), sockets=(),
        counts=str(counts), number=1, tell=tell,
    )  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO(order.line()))
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    try:
        assert main() == 1
        assert {signal.getsignal(number) for number in kept} == {signal.SIG_IGN}
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        os.close(told)
        os.close(tell)
    said = capfd.readouterr().err
    assert said.startswith("covary: ")
    assert str(CovaryError("web.no-shared-port")) not in said
    assert not database.exists()
    assert list(counts.iterdir()) == []  # and the folder is its maker's, who lives
