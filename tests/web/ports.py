"""Servers in processes of their own."""

import socket
import time
import urllib.error
import urllib.request

PATIENCE = 180
"""Seconds: where the machine has much else to do, Python alone takes many to start."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(port: int, server) -> str:
    """Wait until a server answers, and return its address."""
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert server.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(f"{address}/health", timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
        else:
            return address
    raise AssertionError("the server did not start")
