"""Servers replaced while judges work: nothing is lost, and nobody is turned away.

The judges are programs that open the pages and send the answers as a browser does. Every answer
that was acknowledged must be in the store once, with its rating; `tests/slow` does it for longer.
"""

import io
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from threading import Timer

import pytest

from covary.errors import CovaryError
from covary.study import write_template
from covary.web.serving.processes import (
    COUNTS,
    FIRST_PAUSE,
    Processes,
    ServerOrder,
    ServerProcess,
    _leave_counts,
    remove_old_counts,
    serve_by_several,
)
from covary.web.serving.server import Door
from tests.serving.judging import judge_while
from tests.serving.rolling import check_counts, processes_replaced, servers_replaced
from tests.serving.servers import processes_of, serving
from tests.store.databases import postgres  # noqa: F401 (a fixture)
from tests.web.killing import prepare
from tests.web.ports import free_port

JUDGES = 6


@pytest.fixture
def place(postgres):  # noqa: F811
    return postgres.new_place()


def test_two_servers_behind_a_proxy_are_replaced_in_turn(place, tmp_path):
    work = servers_replaced(tmp_path / "study", place, judges=JUDGES, times=1)
    assert set(work.seen) <= {200, 303}, "a judge was shown an error"
    assert work.acknowledged >= 8 * JUDGES
    assert work.kept - work.acknowledged <= JUDGES  # the last of each may not have been heard of


def test_the_processes_of_one_server_are_replaced_by_a_signal(place, tmp_path):
    work = processes_replaced(tmp_path / "study", place, judges=JUDGES, times=1)
    assert set(work.seen) <= {200, 303}, "a judge was shown an error"
    assert work.acknowledged >= 4 * JUDGES
    assert work.kept - work.acknowledged <= JUDGES


def test_a_process_that_is_killed_is_started_again_and_loses_nothing(place, tmp_path):
    folder, port = tmp_path / "study", free_port()
    tokens = prepare(folder, place, JUDGES)
    with serving(folder, place, port, "--workers", "2") as server:
        check_counts(port)  # both of them serve
        victim = processes_of(server)[0]

        def killed(wait_for_more):
            wait_for_more()
            os.kill(victim, signal.SIGKILL)
            until = time.monotonic() + 180
            while victim in processes_of(server) or len(processes_of(server)) < 2:
                assert time.monotonic() < until, "the process was not started again"
                time.sleep(0.05)
            wait_for_more()

        work = judge_while(folder, place, port, tokens, killed)
        left = processes_of(server)
        server.kill()  # the processes that it has started end by themselves
        wait_until_gone(left)
    assert set(work.seen) <= {200, 303, 409}  # 409: an item was left, and that reply was lost
    assert work.kept >= work.acknowledged
    assert "ended (-9) and is started again" in server.said


def test_processes_that_cannot_start_are_said_and_none_is_left(tmp_path, capfd):
    folder = tmp_path / "forecasts"
    write_template(folder)
    nowhere = f"postgresql://covary@127.0.0.1:{free_port()}/covary"
    with pytest.raises(CovaryError, match="process 1 of the server did not start"):
        serve_by_several(folder, nowhere, 2, host="127.0.0.1", port=free_port(), door=Door())
    assert "refused" in capfd.readouterr().err


class Scripts(Processes):
    """Processes that are one line of shell each, in the order in which they are started."""

    def __init__(self, *scripts: str) -> None:
        super().__init__(
            Path("study"), "postgresql://", 2, sockets=[], counts=Path("counts"), door=Door()
        )
        self.scripts = iter(scripts)
        self.started: list[tuple[int, float]] = []

    def _start(self, number: int, pause: float = FIRST_PAUSE) -> ServerProcess:
        told, tell = os.pipe()
        script = next(self.scripts, f"printf ready >/dev/fd/{tell}; exec sleep 600")
        command = ["sh", "-c", script.replace("TELL", str(tell))]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[tell], text=True)
        os.close(tell)
        self.started.append((number, pause))
        if len(self.started) > 3:
            self._end()
        return ServerProcess(
            number=number, process=process, told=told, since=time.monotonic(), pause=pause
        )


SERVES = "printf ready >/dev/fd/TELL; exec sleep 600"


class Asked(Scripts):
    """Asked by a signal to replace all of them, once they are looked after."""

    def _look_after(self) -> None:
        super()._look_after()
        if len(self.started) == 2:
            os.kill(os.getpid(), signal.SIGHUP)


def test_all_are_replaced_when_a_signal_says_so_and_not_before():
    processes = Asked(SERVES, SERVES)
    given_up = Timer(180, processes._end)
    given_up.start()
    processes.run()  # until the fourth was started, which is the successor of the second
    given_up.cancel()
    assert processes.started == [(1, 0.5), (2, 0.5), (1, 0.5), (2, 0.5)]


def wait_until_gone(processes: list[int]) -> None:
    until = time.monotonic() + 180
    while any(Path(f"/proc/{each}").exists() for each in processes):
        assert time.monotonic() < until, "a process outlived the one that started it"
        time.sleep(0.05)


def test_the_folder_of_counts_goes_with_the_last_process(tmp_path):
    counts = tmp_path / f"{COUNTS}4999999-x"
    counts.mkdir()
    for name in ("7.json", "8.json"):
        (counts / name).write_text("{}")
    _leave_counts(counts, "7.json")  # whoever made it is not who started this one
    assert [each.name for each in counts.iterdir()] == ["8.json"]
    _leave_counts(counts, "8.json")
    assert not counts.exists()


def test_folders_of_counts_of_servers_that_are_gone_are_removed(tmp_path):
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    gone = tmp_path / f"{COUNTS}{ended.pid}-x"
    own, foreign = tmp_path / f"{COUNTS}{os.getpid()}-x", tmp_path / f"{COUNTS}abc"
    for folder in (gone, own, foreign):
        folder.mkdir()
        (folder / "1.json").write_text("{}")
    remove_old_counts(tmp_path)
    assert not gone.exists()
    assert own.exists()
    assert foreign.exists()


def test_every_open_socket_is_handed_on_to_a_process(tmp_path, monkeypatch):
    """A name may stand for two addresses, as localhost does for 127.0.0.1 and ::1."""

    class Started:
        def __init__(self, *_, pass_fds, **__):
            self.stdin, self.handed = io.StringIO(), pass_fds

    monkeypatch.setattr("covary.web.serving.processes.subprocess.Popen", Started)
    with socket.create_server(("", 0)) as one, socket.create_server(("", 0)) as other:
        several = Processes(
            tmp_path, "postgresql://", 2, sockets=[one, other], counts=tmp_path, door=Door()
        )
        begun = several._start(2)
        order = ServerOrder.read(begun.process.stdin.getvalue())
        assert order.sockets == (one.fileno(), other.fileno())
        assert set(begun.process.handed) == {*order.sockets, order.tell}
    assert (order.number, order.counts, begun.pause) == (2, str(tmp_path), FIRST_PAUSE)
    begun.forget()
