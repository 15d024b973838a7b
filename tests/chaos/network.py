"""A connection to PostgreSQL that can be cut and mended."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit, urlunsplit

NAME = ".s.PGSQL.5432"


class Line:
    """A socket in a folder, passed on to PostgreSQL's own; while it is cut, nobody is let in."""

    def __init__(self, behind: Path, folder: Path) -> None:
        self._behind = behind
        self._open: list[socket.socket] = []
        self._cut = False
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / NAME))
        self._listening.listen(64)
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._cut = True
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def mend(self) -> None:
        self._cut = False

    def close(self) -> None:
        self.cut()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if self._cut:
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(self._behind))
            self._open += [near, far]
            for one, other in ((near, far), (far, near)):
                Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    for each in (one, other):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut_between(
    folder: Path, place: str
) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """Give another address of a database, and what cuts and mends the connection to it."""
    parts = urlsplit(place)
    (behind,) = parse_qs(parts.query)["host"]
    between = folder / "line"
    between.mkdir(parents=True)
    line = Line(Path(behind) / NAME, between)
    through = urlunsplit(parts._replace(query=parts.query.replace(behind, str(between))))
    try:
        yield through, line.cut, line.mend
    finally:
        line.close()
