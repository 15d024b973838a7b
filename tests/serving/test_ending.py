"""A server that is told to end finishes what it has begun, closes its store, and only then ends."""

import errno
import json
import os
import signal
import socket
import time
from contextlib import suppress

import pytest

from covary.cli.entry import main
from covary.errors import InvalidArgument
from covary.store import Store
from covary.web.serving.server import Door, listen
from covary.web.serving.simulation import PageVisitor
from tests.serving.servers import serving
from tests.web.killing import prepare
from tests.web.ports import free_port

PATIENCE = 180
"""Seconds, for a machine that has much else to do."""


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP"])
def test_a_save_that_was_begun_is_finished_and_no_new_visitor_is_let_in(how, tmp_path):
    folder, port = tmp_path / "study", free_port()
    file = tmp_path / "study.db"
    (token,) = prepare(folder, str(file), 1)
    with serving(folder, str(file), port) as server:
        head, body = a_save(port, token)
        with socket.create_connection(("127.0.0.1", port)) as begun:
            begun.sendall(head)
            with begun.makefile("rb", buffering=0) as told:
                assert told.readline() == b"HTTP/1.1 100 Continue\r\n"  # it waits for the body
                assert told.readline() == b"\r\n"
            begun.sendall(body[:10])
            server.send_signal(signal.Signals[how])
            wait_until_refused(port)
            begun.sendall(body[10:])
            with begun.makefile("rb") as replied:
                reply = replied.read().decode()  # up to the end of the connection
        assert server.wait(PATIENCE) == 0
    assert reply.startswith("HTTP/1.1 200")
    assert json.loads(reply.partition("\r\n\r\n")[2])["saved"] is True
    assert not file.with_name("study.db-wal").exists(), "the store was not closed"
    with Store.open(file) as store:
        assert [answer.key for _, _, answer in store.answers.log()] == ["begun"]


def test_who_waits_without_a_request_does_not_hold_the_end_up(tmp_path):
    folder, port = tmp_path / "study", free_port()
    prepare(folder, str(tmp_path / "study.db"), 1)
    with (
        serving(folder, str(tmp_path / "study.db"), port) as server,
        socket.create_connection(("127.0.0.1", port)) as idle,
    ):
        server.terminate()
        assert server.wait(PATIENCE) == 0
        with suppress(ConnectionResetError):  # where the server had not even taken it
            assert idle.recv(1) == b""


def test_a_port_that_is_taken_is_said_before_anything_is_served():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidArgument, match=rf"127\.0\.0\.1, port {port} .*--port") as said:
            listen("127.0.0.1", port)
    assert os.strerror(errno.EADDRINUSE) in str(said.value)
    assert "Errno" not in str(said.value)


def test_nothing_is_said_to_be_served_at_a_port_that_is_taken(capsys, tmp_path):
    assert main(["init", str(tmp_path / "study")]) == 0
    capsys.readouterr()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", str(tmp_path / "study"), "--port", port]) == 1
    ended = capsys.readouterr()
    assert "Serving" not in ended.out
    assert "the server cannot listen" in ended.err
    assert not (tmp_path / "study" / "study.db").exists()


def test_localhost_is_listened_to_at_each_of_its_addresses():
    port = free_port()
    sockets = listen("localhost", port)
    wanted = {info[4][0] for info in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM)}
    found = {each.getsockname()[0] for each in sockets}
    for each in sockets:
        each.close()
    assert "127.0.0.1" in found
    assert found <= wanted


def test_an_address_of_another_machine_cannot_be_listened_to():
    with pytest.raises(InvalidArgument, match=r"the server cannot listen at 192\.0\.2\.1"):
        listen("192.0.2.1", free_port())


@pytest.mark.parametrize("good", ["127.0.0.1", "10.0.0.0/8, 192.168.1.4", "::1", "*"])
def test_a_proxy_may_be_trusted_by_address_or_network(good):
    assert Door(proxy=True, trusted=good).trusted == good


@pytest.mark.parametrize("bad", ["", "proxy", "10.0.0.1/8", "10.0.0.0/8,*"])
def test_what_is_no_address_is_never_trusted(bad):
    with pytest.raises(InvalidArgument, match="not an address or network"):
        Door(proxy=True, trusted=bad)


def a_save(port: int, token: str) -> tuple[bytes, bytes]:
    """The head and the body of a judge's first save."""
    visitor = PageVisitor("127.0.0.1", port)
    form = visitor.get(f"/j/{token}").forms["/judge/next"]
    sent = {
        "position": 1, "criterion": form.criteria[0], "rating": "3", "touched": True,
        "page": form.value("page"), "sequence": 1, "key": "begun", "seconds": 1.0,
    }  # fmt: skip
    body = json.dumps(sent).encode()
    head = (
        f"POST /judge/answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Cookie: {visitor._cookie['Cookie']}\r\nX-Covary-Token: {form.value('token')}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    visitor.close()
    return head.encode(), body


def wait_until_refused(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the server takes new visitors")
