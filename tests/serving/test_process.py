"""One of several processes: what it says, and that it ends when told to or when left alone."""

import http.client
import os
import socket
import subprocess
import sys

import pytest

from covary.store import Store
from covary.study import write_template
from covary.web.serving.processes import READY, ServerOrder
from covary.web.serving.server import Door

PATIENCE = 120


@pytest.fixture
def process(tmp_path):
    """A process that serves a study, started as its parent starts it."""
    write_template(tmp_path / "study")
    with Store.open(tmp_path / "study.db"):
        pass
    told, tell = os.pipe()
    counts = tmp_path / f"covary-counts-{os.getpid()}-x"
    counts.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as door:
        address = door.getsockname()
        order = ServerOrder(
            study=str(tmp_path / "study"),
            database=str(tmp_path / "study.db"),
            door=Door(),
            sockets=(door.fileno(),),
            counts=str(counts),
            number=1,
            tell=tell,
        )
        served = subprocess.Popen(
            [sys.executable, "-m", "covary.web.serving.processes"],
            stdin=subprocess.PIPE,
            pass_fds=(door.fileno(), tell),
            text=True,
        )
    os.close(tell)
    try:
        served.stdin.write(order.line())
        served.stdin.flush()
        assert os.read(told, len(READY)) == READY
        served.address = address
        yield served
    finally:
        os.close(told)
        served.kill()
        served.wait()
        served.stdin.close()


def test_it_ends_when_told_to_although_its_parent_goes_on(process):
    process.terminate()
    assert process.wait(PATIENCE) == 0


def test_it_ends_when_its_parent_is_gone(process):
    process.stdin.close()
    assert process.wait(PATIENCE) == 0


def test_no_answer_says_which_program_serves(process):
    asked = http.client.HTTPConnection(*process.address)
    asked.request("GET", "/health")
    answer = asked.getresponse()
    asked.close()
    assert answer.status == 200
    assert answer.getheader("server") is None
