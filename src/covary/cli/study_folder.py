"""A study's folder on the command line, and the store that belongs to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from covary.errors import InvalidArgument

if TYPE_CHECKING:
    from covary.store import Store
    from covary.study import Study


SIMULATED = "simulated.db"
"""Where the answers of simulated judges are kept, apart from those of people."""

Command = TypeVar("Command", bound=Callable[..., Any])


@contextmanager
def private_files() -> Iterator[None]:
    """Let every file and folder that this process makes be read by this user alone.

    For commands: a process has one such setting, whichever thread makes a file.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def study_argument(command: Command) -> Command:
    """Let a command take the folder of a study."""
    return click.argument("study", type=click.Path(path_type=Path))(command)


def database_option(command: Command) -> Command:
    """Let a command read or write the store elsewhere than in the study's folder."""
    return click.option(
        "--database",
        metavar="PLACE",
        envvar="COVARY_DATABASE",
        help="Where the study's answers are, if not in its study.db: postgresql://… or a file "
        "such as a backup.",
    )(command)


def is_study(path: Path) -> bool:
    """Say whether a path is the folder of a study, or the store in it."""
    return (path / "study.toml").is_file() or (path.suffix == ".db" and path.is_file())


def read_study_folder(path: Path) -> Study:
    """Read the study of a folder, or of the folder that a store is in."""
    from covary.study import read_study

    folder = path.parent if path.suffix == ".db" and path.is_file() else path
    if not (folder / "study.toml").is_file():
        beside = [file.parent.name for file in folder.parent.glob("*/study.toml")]
        raise InvalidArgument("cli.not-a-study", value=folder.name, allowed=beside, folder=folder)
    return read_study(folder)


def open_store(path: Path, database: str | None, *, quiet: bool = False) -> Store:
    """Open the store of a study for reading; there must be one.

    Where nobody has answered yet and simulated judges have, it is their store, and that is said.
    """
    from covary.store import Store

    tried = path / SIMULATED
    if database is not None or not tried.is_file():
        return Store.open(database or path, create=False)
    if (path / "study.db").is_file():
        store = Store.open(path, create=False)
        if _is_answered(store):
            return store
        store.close()
    store = Store.open(tried, create=False)
    if quiet or not _is_answered(store):  # a simulation that failed leaves a store without answers
        return store
    message = "Nobody has answered yet: these are the answers of simulated judges."
    click.secho(message, fg="yellow", err=True)  # not among what another program may read
    return store


def _is_answered(store: Store) -> bool:
    """Whether anybody, or a simulated judge, did more than practise."""
    return store.answers.any_counted() or bool(store.training.events())


def existing_store(study: Path, database: str | None) -> AbstractContextManager[Store | None]:
    """Open the store of a study where there is one; a study that was never served has none."""
    from covary.store import Store

    folder = study.parent if study.suffix == ".db" else study
    if database is None and not (folder / "study.db").is_file():
        return nullcontext(None)
    return Store.open(database or folder / "study.db", create=False)
