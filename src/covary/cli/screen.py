"""What is the same on every screen: the width, the voice, the progress bar, and the setting of a
run.
"""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Timer
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from covary.records import dataclass
from covary.words import TERMINAL, reword
from covary.words.data import spell_keywords

if TYPE_CHECKING:
    from covary.ratings import Ratings

Command = TypeVar("Command", bound=Callable[..., Any])

WIDEST = 96


@dataclass
class Run:
    """What was said about the run as a whole."""

    debug: bool = False
    interrupted: bool = False
    result_on_stdout: bool = False
    arguments: tuple[str, ...] = ()


def debug_option(command: Command) -> Command:
    """Let a command take --debug."""
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Show where an error arose.",
    )(command)


def say(text: str = "", *, indent: int = 0, hang: int = 0, **style: Any) -> None:
    """Print a sentence, wrapped to the terminal; styles show only there."""
    heed_interrupt()
    lines = textwrap.wrap(
        text,
        _width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
    echo("\n".join(click.style(line, **style) for line in lines))


def current_run() -> Run:
    """Return what was said about this run; nothing where there is none."""
    context = click.get_current_context(silent=True)
    return (None if context is None else context.find_object(Run)) or Run()


def echo(text: str = "") -> None:
    """Print a line as it is; beside a result on standard output, for people on standard error."""
    click.echo(text, err=current_run().result_on_stdout)


def heed_interrupt() -> None:
    """Stop a run that was interrupted while DuckDB, which then goes on, looked for a module."""
    if current_run().interrupted:
        raise KeyboardInterrupt


def heading(text: str) -> None:
    """Print a heading with a line under it."""
    say()
    say(text, bold=True)
    say("-" * min(len(text), _width()))


def introduce(name: str, ratings: Ratings, *, notes: Iterable[str] | None = None) -> None:
    """Say what was read, how, and how to say the same without guessing."""
    say(f"{name}: {ratings.describe()}")
    for note in ratings.notes if notes is None else notes:
        say(reword(note, TERMINAL), indent=2)
    account = ratings.account
    if account is None or not account.added:
        return
    for row in ratings.first_ratings():
        say(describe_rating(row), indent=4, dim=True)
    say("To say the same without guessing:", indent=2)
    echo(f"    {command_line(account.added)}")


SHOWN = {"item": "item ", "judge": "judge ", "system": "system "}


def describe_rating(row: Mapping[str, Any]) -> str:
    """Write one rating in a line.

    Examples
    --------
    >>> describe_rating({"item": "S1", "judge": "A", "rating": 4, "criterion": "fluency"})
    'item S1 · judge A · fluency · 4'
    """
    order = ("item", "system", "judge", "criterion", "occasion", "round", "rating")
    known = [(name, row[name]) for name in order if row.get(name) is not None]
    return " · ".join(f"{SHOWN.get(name, '')}{value}" for name, value in known)


def command_line(
    added: Mapping[str, Any] | None = None, *, verb: str | None = None, without: Sequence[str] = ()
) -> str:
    """Write the command of this run again: with further keywords, or as another verb.

    `without` are options that the other verb does not know; of `--format` also its value goes.
    """
    arguments = list(current_run().arguments)
    for option in without:
        while option in arguments:
            place = arguments.index(option)
            del arguments[place : place + (1 if option in FLAGS else 2)]
    if verb is not None and arguments:
        arguments[0] = verb
    options = spell_keywords(TERMINAL, added or {})
    shown = " ".join(_shown(argument) for argument in arguments)
    return " ".join(part for part in ("covary", shown, options) if part)


def _shown(argument: str) -> str:
    """Write an argument as a shell takes it; an address may hold a password and is cut off."""
    scheme, mark, _ = argument.partition("://")
    return f"{scheme}://…" if mark and scheme.isalnum() else shlex.quote(argument)


FLAGS = ("--strict", "--set-aside", "--no-intervals", "--anonymous")


def _width() -> int:
    if not sys.stdout.isatty():
        return WIDEST
    import shutil  # which loads all that packs files

    return max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def _remember(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    run = context.find_object(Run)
    if run is not None and wanted:
        run.debug = True


PATIENCE = 1.0
"""Seconds after which somebody who sees nothing begins to wonder."""

BETWEEN_LINES = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class ProgressBar:
    """Called with a few words at each step; shown on a terminal when it takes long, then removed.

    Nothing is shown, and Rich is not loaded, where the run is short or nobody looks.
    """

    def __init__(self, words: str) -> None:
        self.words = words
        self.done, self.total = 0, 0
        self._shown: Any = None
        self._last = time.monotonic()
        self._timer = Timer(PATIENCE, self._appear)
        self._timer.daemon = True

    def expect(self, ratings: Ratings, most_pairs: int) -> None:
        """Foresee the steps: check, judges, writing; per criterion all, the pairs, the rest.

        More pairs of judges than `most_pairs` are no steps of their own.
        """
        n = 0 if ratings.slots else ratings.n_judges
        pairs = n * (n - 1) // 2
        self.total = 3 + len(ratings.criteria) * (2 + (pairs if pairs <= most_pairs else 0))

    def __enter__(self) -> ProgressBar:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __call__(self, words: str) -> None:
        heed_interrupt()
        self.words, self.done = words, self.done + 1
        self._update()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if self._shown is not None:
            self._shown.stop()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        shown = Progress(
            BarColumn(24),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        shown.add_task(self.words, total=None)
        shown.start()
        self._shown = shown
        self._update()

    def _update(self) -> None:
        if self._shown is None:
            self._print_line()
            return
        total = max(self.total, self.done) or None
        self._shown.update(0, description=self.words, completed=self.done, total=total)

    def _print_line(self) -> None:
        """Say how far a long run is, where nobody sees a bar: now and then, on standard error."""
        if sys.stderr.isatty() or time.monotonic() - self._last < BETWEEN_LINES:
            return
        self._last = time.monotonic()
        of = f" of {self.total}" if self.total >= self.done else ""
        click.echo(f"covary: {self.words} (step {self.done}{of})", err=True)
