"""Servers replaced one after another while judges work."""

import re
import signal
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from tests.deploy.nginx import nginx_before, over_tls
from tests.serving.judging import Work, judge_while
from tests.serving.proxy import proxy_before
from tests.serving.servers import processes_of, serving
from tests.web.killing import prepare
from tests.web.ports import free_port

PATIENCE = 120


def servers_replaced(
    folder: Path, place: str, *, judges: int, times: int, nginx: bool = False
) -> Work:
    """Two servers behind a proxy, each ended and started again so many times, in turn."""
    tokens = prepare(folder, place, judges)
    ports = [free_port(), free_port()]
    front = nginx_before(ports, folder.parent / "nginx") if nginx else proxy_before(ports)
    more = ("--proxy",) if nginx else ()
    with ExitStack() as stack, front as proxy:
        servers = [stack.enter_context(serving(folder, place, port, *more)) for port in ports]

        def replaced(wait_for_more):
            wait_for_more()
            for turn in range(2 * times):
                server, port = servers[turn % 2], ports[turn % 2]
                server.terminate()
                assert server.wait(PATIENCE) == 0, "the server did not end by itself"
                wait_for_more()  # the other serves alone
                servers[turn % 2] = stack.enter_context(serving(folder, place, port, *more))
                wait_for_more()

        connect = over_tls if nginx else None
        return judge_while(folder, place, proxy.port, tokens, replaced, connect)


def check_counts(port: int) -> None:
    """Whichever process is asked tells of both, once the other has left its counts."""
    until = time.monotonic() + PATIENCE
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            told = re.findall(
                r'^covary_started_seconds{worker="(\d)"}', answer.read().decode(), re.M
            )
        if told == ["1", "2"]:
            return
        assert time.monotonic() < until, f"counts of {told} only"
        time.sleep(0.1)


def processes_replaced(folder: Path, place: str, *, judges: int, times: int) -> Work:
    """Two processes of one `covary serve`, replaced by SIGHUP so many times."""
    tokens = prepare(folder, place, judges)
    port = free_port()
    with serving(folder, place, port, "--workers", "2") as server:

        def replaced(wait_for_more):
            for _ in range(times):
                before = set(processes_of(server))
                wait_for_more()
                server.send_signal(signal.SIGHUP)
                until = time.monotonic() + PATIENCE
                while before & set(processes_of(server)):
                    assert time.monotonic() < until, "the processes were not replaced"
                    wait_for_more()
            wait_for_more()
            assert len(processes_of(server)) == 2
            check_counts(port)

        work = judge_while(folder, place, port, tokens, replaced)
    assert server.returncode == 0
    for number in (1, 2):
        assert server.said.count(f"process {number} was replaced") == times
    return work
