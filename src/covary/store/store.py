"""`Store`: what a study collects, on SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import TimeoutError as TooLong
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, update

from covary.design.plan import Sheet
from covary.store.answers import Answers
from covary.store.backup import back_up
from covary.store.check import find_problems
from covary.store.database import Database, Location, ServingLock, StoreError, open_database
from covary.store.items import KeptItems
from covary.store.judges import Judges, Researchers, digest, judge_marks, judges_by_token
from covary.store.notes import Notes
from covary.store.records import Judge, JudgeMark, Problem, Pulse, Standing, State
from covary.store.schema import MIGRATIONS, settings, version_of
from covary.store.seals import head_of, upgrade
from covary.store.settings import change_state, make_secret, read_state
from covary.store.sheets import Sheets
from covary.store.training import Training
from covary.store.visits import Visits
from covary.store.writer import Transactions
from covary.study.model import Study


@dataclass(frozen=True, kw_only=True)
class WriterLoad:
    """What waits to be written, how many transactions were, and how many requests they held."""

    waiting: int
    commits: int
    written: int


class Store:
    """What a study collects, in sections that each own the SQL of their tables.

    `judges`, `researchers` and `visits` know people, `items` what was judged, `sheets` who rates
    what, `answers` what they said, `notes` what happened, and `training` the guideline cycle.

    Answers are only ever added; the one that counts is derived from them. Everything that is
    written goes through one thread, which commits what waits in one transaction (see `Writer`).
    A method that writes returns when that is durable. All methods may be called from any thread.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
    ...     ann, token = store.judges.add("Ann")
    ...     store.judges.by_token(token).name
    'Ann'
    """

    def __init__(self, database: Database, lock: ServingLock | None = None) -> None:
        self.database = database
        self._lock = lock
        self._transactions = Transactions(database)
        self._secret: bytes | None = None
        self.judges = Judges(self._transactions)
        self.researchers = Researchers(self._transactions)
        self.items = KeptItems(self._transactions)
        self.sheets = Sheets(self._transactions)
        self.answers = Answers(self._transactions)
        self.notes = Notes(self._transactions)
        self.visits = Visits(self._transactions, self.secret)
        self.training = Training(self._transactions)

    @classmethod
    def open(cls, place: Location, *, create: bool = True, serving: bool = False) -> Self:
        """Open a store, and upgrade it where it was made by an older covary.

        Parameters
        ----------
        place
            The path of a `study.db`, the folder that holds it, or `postgresql://…`.
        create
            Whether to make the store where there is none.
        serving
            Whether this process will serve the study. One process at a time may serve a file;
            reading it is always possible.
        """
        database = open_database(place, create=create)
        lock = ServingLock(database.file) if serving and database.file else None
        try:
            with database.explained():
                upgrade(database)
        except BaseException:
            database.close()
            if lock:
                lock.release()
            raise
        return cls(database, lock)

    def close(self) -> None:
        """Finish what was accepted and let go of the database."""
        self._transactions.writer.close()
        self.database.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Where the store is, without a password."""
        return self.database.name

    @property
    def changes(self) -> int:
        """How often this process has changed anything but answers, notes and the cycle.

        What was read before holds as long as this number stays, unless another process writes.
        """
        return self._transactions.changes

    def secret(self) -> bytes:
        """Return the study's own secret, made on first use and kept in the store."""
        if self._secret is None:
            self._secret = bytes.fromhex(self._transactions.write(make_secret))
        return self._secret

    # the study

    def get_state(self) -> State:
        """Return whether the study is open, paused or closed."""
        with self.database.reading() as connection:
            return read_state(connection)

    def set_state(self, state: State) -> None:
        """Open, pause or close the study."""
        self._transactions.write(lambda connection: change_state(connection, state))

    def standings(self, tokens: Collection[str]) -> dict[str, Standing]:
        """Return whom each token lets in, the sheet and the study's state, all at one moment.

        A token that lets nobody in is left out.
        """
        with self.database.reading() as connection:
            state = read_state(connection)
            found = judges_by_token(connection, tokens)
            held = self.sheets.held(connection, [judge.id for judge in found.values()])
            return {
                token: _standing(judge, token, held.get(judge.id), state)
                for token, judge in found.items()
            }

    def pulse(self, judges: Collection[int]) -> Pulse:
        """Return the study's state and a mark of each of these judges, all at one moment.

        Two small statements say of everybody at work whether anything has changed.
        """
        with self.database.reading() as connection:
            return Pulse(read_state(connection), judge_marks(connection, judges))

    # the whole

    def backup(self, path: Location) -> Path:
        """Copy the store into a new SQLite file, while the study goes on, and verify the copy."""
        return back_up(self.database, path)

    def check(self, study: Study | None = None, *, head: str | None = None) -> list[Problem]:
        """Return what is wrong with the store, and with a study also whether the two fit.

        `head` is a seal that a backup, an export or a report named: the store must still hold it.
        """
        with self.database.reading() as connection:
            return find_problems(connection, study, head)

    def head(self) -> str:
        """Return the newest seal, to be written down elsewhere: its number and its digest."""
        with self.database.reading() as connection:
            return str(head_of(connection))

    @property
    def workload(self) -> WriterLoad:
        """How much this process has written, and how much waits."""
        writer = self._transactions.writer
        return WriterLoad(waiting=writer.waiting, commits=writer.commits, written=writer.written)

    def check_ready(self, patience: float = 5.0) -> None:
        """Raise `StoreError` unless an answer could be kept now, in the schema we know.

        What is written is what stands there already, in a transaction of its own that goes the way
        of every other: behind what waits, to the disk.
        """
        newest = MIGRATIONS[-1].number
        self.database.check_place()
        self.database.check_space()
        with self.database.reading() as connection:
            schema = version_of(connection)
        if schema != newest:
            raise StoreError("store.other-schema", schema=schema, newest=newest)
        try:
            self._transactions.writer.submit(_write_nothing_new, None, repeatable=True).result(
                patience
            )
        except TooLong:
            raise StoreError("store.stalled", seconds=patience) from None


def _standing(judge: Judge, token: str, sheet: Sheet | None, state: State) -> Standing:
    mark = JudgeMark(judge, digest(token), None if sheet is None else sheet.number)
    return Standing(judge, sheet, state, mark)


def _write_nothing_new(connection: Connection, requests: list[Any]) -> list[None]:
    connection.execute(update(settings).values(value=settings.c.value))
    return [None] * len(requests)
