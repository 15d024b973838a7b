"""A study on the network: uvicorn, on this machine alone unless told otherwise."""

from __future__ import annotations

import asyncio
import errno
import gc
import ipaddress
import logging
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread

import uvicorn

from covary.errors import InvalidArgument
from covary.store.store import Store
from covary.study.model import Study
from covary.web.guard import Limit, host_name
from covary.web.serving.app import FAULTS, create_app
from covary.web.serving.connections import Bounds, bounded_protocol, usual_bounds
from covary.web.serving.metrics import Metrics

SECRET_PATH = re.compile(r"(/(?:[jr]|join)/)[^/?\s]+")

SECONDS_TO_FINISH = 10
"""So long a request that was begun may take after the server was told to end."""

SECONDS_TO_DRAIN = 0.5
"""So long what is already on its way is still taken, after no new visitors are."""

WAITING_AT_THE_DOOR = 2048

NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""A machine may know the name ::1 and speak no IPv6."""

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class RedactSecrets(logging.Filter):
    """Keep personal links and queries out of the log of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(map(_redacted, record.args))
        return True


@dataclass(frozen=True)
class Door:
    """How visitors come in.

    With `proxy`, a reverse proxy stands before the server and speaks https to browsers: cookies
    are sent by https only, and who is asking is what the proxy says (X-Forwarded-For), where it
    asks from one of the `trusted` addresses or networks, or from anywhere (`*`). `log_requests`
    writes each request to the log, without personal links. Who has the `metrics_token` reads
    /metrics from other machines. `hosts` are the names by which browsers may ask; with none, any.
    """

    proxy: bool = False
    trusted: str = "127.0.0.1,::1"
    log_requests: bool = False
    metrics_token: str = ""
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.trusted != "*":
            for network in self.trusted.split(","):
                _check_network(network.strip())


class Server(uvicorn.Server):
    """A server that ends without anyone noticing.

    Told to end, it takes no new connections, answers what comes over those that are open and
    closes them, finishes what was begun, and returns; who opened the store closes it then.
    """

    def __init__(self, config: uvicorn.Config, store: Store, metrics: Metrics) -> None:
        super().__init__(config)
        self._store = store
        self._metrics = metrics
        self.when_ready: Callable[[], None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal, and let the caller go on; uvicorn would raise the signal again."""
        if current_thread() is not main_thread():
            yield
            return
        heeded = [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle_exit) for number in heeded}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # what was loaded stays; nobody waits while it is looked through again
        if self.started and self.when_ready is not None:
            self.when_ready()

    async def on_tick(self, counter: int) -> bool:
        """Leave the counts for the other processes, once in a second, and say what is over."""
        if counter % 10 == 0:
            load = self._store.workload
            FAULTS.look_back(load.written)
            self._metrics.leave(waiting=load.waiting, commits=load.commits, written=load.written)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nothing new, wait for what is on its way, then close what is left."""
        self._metrics.leaving = True
        for server in self.servers:
            server.close()
        state = self.server_state
        state.default_headers = [*state.default_headers, (b"connection", b"close")]
        until = time.monotonic() + SECONDS_TO_DRAIN
        while state.connections and time.monotonic() < until and not self.force_exit:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)


def serve(
    study: Study,
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    door: Door | None = None,
    per_judge: Limit | None = None,
) -> None:
    """Serve a study from this process until it is told to end.

    Parameters
    ----------
    study, store
        What is served, and where its answers are kept.
    host, port
        Where to listen. The default is reached from this machine only.
    door
        How visitors come in.
    per_judge
        How often one judge may ask, where that is not what suits a person.
    """
    sockets = listen(host, port)
    try:
        make_server(study, store, door or Door(), per_judge=per_judge).run(sockets)
    finally:
        for opened in sockets:
            opened.close()


def make_server(
    study: Study,
    store: Store,
    door: Door,
    *,
    metrics: Metrics | None = None,
    per_judge: Limit | None = None,
    bounds: Bounds | None = None,
) -> Server:
    """Return a server of a study, which runs on the sockets that it is given."""
    if door.log_requests:
        logging.getLogger("uvicorn.access").addFilter(RedactSecrets())
    counts = metrics or Metrics()
    app = create_app(
        study,
        store,
        secure=door.proxy,
        per_judge=per_judge,
        metrics=counts,
        metrics_token=door.metrics_token,
        hosts=frozenset(map(host_name, door.hosts)) or None,
    )
    config = uvicorn.Config(
        app,
        http=bounded_protocol(bounds or usual_bounds(proxy=door.proxy)),
        proxy_headers=door.proxy,
        forwarded_allow_ips=door.trusted,
        access_log=door.log_requests,
        log_level="info" if door.log_requests else "warning",
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_FINISH,
    )
    return Server(config, store, counts)


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen at every address of this machine that a name stands for, or say why not."""
    opened: list[socket.socket] = []
    try:
        for family, address in _addresses(host, port):
            try:
                opened.append(_listening(family, address))
            except OSError as error:
                if error.errno not in NOT_HERE:
                    raise
        if not opened:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    except OSError as error:
        for sock in opened:
            sock.close()
        reason = error.strerror or error
        raise InvalidArgument("web.cannot-listen", host=host, port=port, reason=reason) from None
    return opened


def free_or_refused(host: str, port: int) -> None:
    """Say why a server could not listen there, before it is said that it does."""
    for sock in listen(host, port):
        sock.close()


def _addresses(host: str, port: int) -> Sequence[tuple[socket.AddressFamily, tuple[object, ...]]]:
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, address) for family, _, _, _, address in addresses))


def _listening(family: socket.AddressFamily, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(WAITING_AT_THE_DOOR)
    except BaseException:
        made.close()
        raise
    return made


def _check_network(network: str) -> None:
    try:
        ipaddress.ip_network(network)
    except ValueError as error:
        raise InvalidArgument(
            "web.trusted", argument="trusted", value=network, reason=error
        ) from None


def _redacted(value: object) -> object:
    if not isinstance(value, str) or not value.startswith("/"):
        return value
    return SECRET_PATH.sub(r"\1…", value.partition("?")[0])
