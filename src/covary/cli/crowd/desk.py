"""What the commands on Prolific share: the token, asking before money moves, what is due."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covary.cli.collected import database_option, read_folder, study_argument
from covary.cli.crowd.visited import known, store_of
from covary.cli.screen import say
from covary.crowd.payments import Payment, payments
from covary.crowd.prolific import ADDRESS, Prolific
from covary.crowd.recruiting import codes_of, prices_of, recruiting_of
from covary.errors import InvalidArgument, listed

if TYPE_CHECKING:
    from covary.store.visitors import VisitorRecord

__all__ = [
    "ABOUT_TOKEN",
    "MONEY_EPILOG",
    "due_on_prolific",
    "moves_money",
    "on_prolific",
    "platform_study_of",
    "sure",
    "tell_each",
    "visitors_of",
]

TOKEN = "PROLIFIC_TOKEN"

ABOUT_TOKEN = f"""\
The token of your Prolific account is taken from the environment variable {TOKEN}, or asked for
without being shown; it never stands on the command line and covary does not keep it."""

MONEY_EPILOG = f"""Without --now nothing happens: the command only says what it would do and what it
would cost. {ABOUT_TOKEN}"""

Command = Callable[..., Any]


def on_prolific(command: Command) -> Command:
    """Let a command speak to Prolific about one study; it gets `prolific` and `platform_study`."""

    @functools.wraps(command)
    def wrapped(server: str, study_id: str | None, **options: Any) -> Any:
        prolific = Prolific(_token(), address=server)
        return command(prolific=prolific, platform_study=study_id, **options)

    for option in (
        click.option("--server", default=ADDRESS, metavar="URL", help="Where Prolific's API is."),
        click.option(
            "--study-id", metavar="ID",
            help="The study on Prolific; by default the one that people came from.",
        ),
        database_option,
        study_argument,
    ):  # fmt: skip
        wrapped = option(wrapped)
    return wrapped


def moves_money(command: Command) -> Command:
    """Let a command only say what it would do, unless it is told to do it now."""
    for option in (
        click.option("--yes", is_flag=True, help="With --now: do not ask."),
        click.option("--now", is_flag=True, help="Do it, after asking."),
    ):
        command = option(command)
    return command


def _token() -> str:
    token = os.environ.get(TOKEN, "")
    if token.strip():
        return token.strip()
    if not sys.stdin.isatty():
        raise InvalidArgument(
            f"put the token of your Prolific account into the environment variable {TOKEN}"
        )
    return str(click.prompt("Prolific token", hide_input=True)).strip()


def sure(words: str, now: bool, yes: bool) -> bool:
    """Say what would be done, and ask before it is done."""
    if not now:
        say(f"This would {words}. Nothing was done; --now does it, after asking.")
        return False
    return yes or click.confirm(f"{words[0].upper()}{words[1:]}?", default=False)


def visitors_of(study: Path, database: str | None) -> Sequence[VisitorRecord]:
    """Return everybody who came; nobody where the study was never served."""
    with store_of(study, database) as store:
        return [] if store is None else store.visitors()


def platform_study_of(said: str | None, came: Sequence[VisitorRecord]) -> str:
    """Return the platform's id of the study: what was said, or where everybody came from."""
    found = sorted({each.study for each in came if each.study})
    if said is not None:
        return said
    if len(found) == 1:
        return found[0]
    why = f"people came from {listed(found)}" if found else "nobody has come yet"
    raise click.UsageError(f"say --study-id, the study's id on Prolific: {why}")


def due_on_prolific(
    study: Path, database: str | None, prolific: Prolific, said: str | None
) -> tuple[str, Sequence[Payment]]:
    """Return the study's id there, and what each submission is due by the study's own records."""
    recruiting = recruiting_of(read_folder(study))
    came = visitors_of(study, database)
    name = platform_study_of(said, came)
    found = prolific.submissions(name)
    return name, payments(found, prices_of(recruiting), codes_of(recruiting), known(came))


def tell_each(due: Sequence[Payment]) -> None:
    """Say how each submission stands and what is left to do about it."""
    for each in due:
        visit = each.submission
        minutes = "" if visit.seconds is None else f", {visit.minutes:.1f} min"
        words = f"{visit.id}: {visit.status}, {each.ended}{minutes}"
        say(f"{words}; {each.to_do}" if each.to_do else words, indent=2, hang=2)
