"""One of several processes that serve a study; `processes` starts it and tells it what to serve.

The first line of its input is the order, as JSON. As long as the input stays open, whoever started
it is there; when it closes, this process ends by itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Thread

from covary.errors import CovaryError
from covary.store.store import Store
from covary.study.read import read_study
from covary.web.serving.metrics import Metrics
from covary.web.serving.server import Door, Server, make_server

__all__ = ["READY", "Order", "main"]

READY = b"ready"


@dataclass(frozen=True)
class Order:
    """What one process is to serve: the study, its store, the open sockets, and its number.

    It says that it is ready on `tell`, the number of a pipe.
    """

    study: str
    database: str
    door: Door
    sockets: tuple[int, ...]
    counts: str
    number: int
    tell: int

    def line(self) -> str:
        """Return the order as one line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Order:
        """Read what `line` wrote."""
        given = json.loads(line)
        door = Door(**given.pop("door"))
        return cls(**given | {"door": door, "sockets": tuple(given["sockets"])})


def main() -> int:
    """Serve as ordered until told to end, or until whoever ordered it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    order = Order.read(sys.stdin.readline())
    try:
        study = read_study(order.study)
        with Store.open(order.database, create=False, serving=True) as store:
            metrics = Metrics(order.number, Path(order.counts))
            server = make_server(study, store, order.door, metrics=metrics)
            Thread(target=_end_with_parent, args=[server], daemon=True).start()
            server.when_ready = partial(_tell, order.tell)
            server.run([socket.socket(fileno=each) for each in order.sockets])
    except CovaryError as error:
        sys.stderr.write(f"covary: {error}\n")
        return 1
    return 0


def _end_with_parent(server: Server) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    server.should_exit = True


def _tell(pipe: int) -> None:
    os.write(pipe, READY)
    os.close(pipe)


if __name__ == "__main__":
    sys.exit(main())
