"""Connections that send nothing keep nobody out, and requests that never end are ended."""

import resource
import socket
import time
from contextlib import contextmanager, suppress
from threading import Thread

import pytest

from covary.store import Store
from covary.study import read_study
from covary.web.serving.connections import KEPT_FREE, MOST_CONNECTIONS, Bounds, usual_bounds
from covary.web.serving.server import Door, listen, make_server
from tests.web.killing import prepare
from tests.web.ports import free_port


@contextmanager
def served(folder, bounds):
    """A study on this thread's machine, in this process."""
    place = folder / "study" / "study.db"
    prepare(folder / "study", place, 1)
    port = free_port()
    sockets = listen("127.0.0.1", port)
    with Store.open(place) as store:
        server = make_server(read_study(folder / "study"), store, Door(), bounds=bounds)
        thread = Thread(target=server.run, args=(sockets,))
        thread.start()
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()
            for sock in sockets:
                sock.close()


def opened(port):
    return socket.create_connection(("127.0.0.1", port), timeout=180)


def answer_to(connection, sent=b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"):
    if sent:
        connection.sendall(sent)
    return connection.recv(4096)


def test_one_address_cannot_take_all_connections(tmp_path):
    with served(tmp_path, Bounds(connections=50, per_address=10)) as port:
        idle = [opened(port) for _ in range(10)]
        assert answer_to(idle[0]).startswith(b"HTTP/1.1 200")  # they are all taken
        with opened(port) as one_more:
            assert answer_to(one_more, b"").startswith(b"HTTP/1.1 503")
        for connection in idle:
            connection.close()


def test_who_closes_one_connection_has_room_for_one_and_no_more(tmp_path):
    with served(tmp_path, Bounds(connections=50, per_address=3)) as port:
        held = [opened(port) for _ in range(3)]
        for connection in held:
            assert answer_to(connection).startswith(b"HTTP/1.1 200")
        held.pop().close()
        held.append(let_in(port))
        with opened(port) as one_more:
            assert answer_to(one_more, b"").startswith(b"HTTP/1.1 503")
        for connection in held:
            connection.close()


def let_in(port):
    """Knock until there is room: a server hears a little later that a connection was closed."""
    until = time.monotonic() + 180
    while time.monotonic() < until:
        connection = opened(port)
        with suppress(ConnectionError):  # closed before it was asked anything
            if answer_to(connection).startswith(b"HTTP/1.1 200"):
                return connection
        connection.close()
    raise AssertionError("nobody was let in again")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /health HTTP/1.1\r\nHost:",
        b"POST /j HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na",
    ],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_request_that_does_not_arrive_is_ended(tmp_path, sent):
    with (
        served(tmp_path, Bounds(connections=50, per_address=50, seconds=0.3)) as port,
        opened(port) as slow,
    ):
        answer = answer_to(slow, sent)
        assert answer == b"" or answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 4"))
        while answer:
            answer = slow.recv(4096)  # until it is closed


def test_after_half_open_connections_are_ended_others_come_in(tmp_path):
    with served(tmp_path, Bounds(connections=20, per_address=None, seconds=2)) as port:
        idle = [opened(port) for _ in range(20)]
        for connection in idle:
            while connection.recv(4096):
                pass
            connection.close()
        with let_in(port) as judge:
            assert answer_to(judge).startswith(b"HTTP/1.1 200")  # and stay


@pytest.mark.parametrize(
    ("soft", "hard", "asked", "connections"),
    [
        (1024, 4096, [(4096, 4096)], 4096 - KEPT_FREE),
        (4096, 4096, [], 4096 - KEPT_FREE),
        (1024, resource.RLIM_INFINITY, [MOST_CONNECTIONS + KEPT_FREE], MOST_CONNECTIONS),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, [], MOST_CONNECTIONS),
    ],
    ids=["raised to the most", "at the most already", "as many as are wanted", "no limit"],
)
def test_as_many_connections_are_taken_as_files_may_be_opened(
    monkeypatch, soft, hard, asked, connections
):
    limits = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    bounds = usual_bounds(proxy=False)
    assert limits == [limit if isinstance(limit, tuple) else (limit, hard) for limit in asked]
    assert (bounds.connections, bounds.per_address) == (connections, connections // 2)
    assert usual_bounds(proxy=True).per_address is None
