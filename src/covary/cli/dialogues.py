"""`covary dialogues`: the turns of dialogues become the items of a study."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from covary.analysis.crowd import shared_sessions
from covary.cli.options import default_option, file_option, output_option
from covary.cli.output import check_writable
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import is_study
from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from covary.study import DialogueTurn, dialogue_items, read_dialogues, write_items

FILE = "items.jsonl"

EPILOG = """\b
Examples:
  covary dialogues talks.csv --speaker bot -o items.jsonl
  covary dialogues talks.jsonl --context 5 --keep-first --keep-last
  covary dialogues talks.csv -o STUDY             into the study's folder
  covary dialogues talks.csv --rated ratings.csv  only sessions that the same two judges rated

FILE has one row for each turn (CSV, TSV or JSON lines): session, turn (its number), speaker, text,
and system where some are compared. Greetings and farewells are nearly always right, so judges
agree on them and agreement looks better than it is: the first and the last judged turn of each
session are left out unless you keep them."""


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@output_option(
    f"Where the items go: a .jsonl file or a study's folder; {FILE} beside FILE by default."
)
@click.option(
    "--context",
    default="3",
    show_default=True,
    metavar="TURNS",
    help="How many earlier turns are shown with the judged one; 'all' for the whole dialogue.",
)
@click.option(
    "--speaker",
    "speakers",
    multiple=True,
    help="Whose turns are judged; repeat for more. Everybody's by default.",
)
@click.option("--keep-first", is_flag=True, help="Keep the first judged turn of each session.")
@click.option("--keep-last", is_flag=True, help="Keep the last judged turn of each session.")
@file_option(
    "--rated",
    "Keep the largest set of sessions that the same judges rated in this file.",
    metavar="RATINGS",
)
@default_option(
    "--judges",
    click.IntRange(1),
    2,
    "With --rated: by how many judges a session must have been rated.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@debug_option
def dialogues(
    file: Path,
    output: Path | None,
    context: str,
    speakers: Sequence[str],
    keep_first: bool,
    keep_last: bool,
    rated: Path | None,
    judges: int,
    force: bool,
) -> None:
    """Make an item of each turn in FILE that is judged, shown with the turns before it."""
    path = _path(file, output, force)
    turns: Sequence[DialogueTurn] = read_dialogues(file)
    if rated is not None:
        turns = _shared(turns, rated, judges)
    items = dialogue_items(
        turns,
        context=_turns(context),
        speakers=speakers or None,
        skip_first=not keep_first,
        skip_last=not keep_last,
    )
    if not items.items:
        raise InvalidArgument("cli.no-turns", file=file.name)
    for sentence in items.sentences():
        say(sentence)
    click.echo(f"Written: {write_items(items, path)}")
    if is_study(path.parent):
        say(f'Say items = "{path.name}" in study.toml if it does not yet. Then:')
        click.echo(f"  covary design {shlex.quote(str(path.parent))}")


def _turns(context: str) -> int | None:
    if context == "all":
        return None
    if not context.isdecimal():
        raise click.BadParameter(
            f"{context!r} is not a number of turns, nor 'all'", param_hint="--context"
        )
    return int(context)


def _path(file: Path, output: Path | None, force: bool) -> Path:
    path = file.with_name(FILE) if output is None else output
    path = path / FILE if path.is_dir() else path
    if path.suffix.lower() != ".jsonl":
        raise click.UsageError(f"-o '{path}' must end in .jsonl, because items hold earlier turns")
    if path.exists() and file.exists() and path.samefile(file):
        raise click.UsageError(f"-o '{path}' is the input itself; name another file")
    if path.exists() and not force:
        raise InvalidArgument("cli.exists", path=path)
    check_writable(path)
    return path


def _shared(turns: Sequence[DialogueTurn], rated: Path, judges: int) -> list[DialogueTurn]:
    """Keep the sessions that the same judges rated, and say which these are."""
    ratings = read(rated)
    if "cluster" not in ratings.columns:
        raise RatingsError("cli.no-sessions", file=rated.name)
    shared = shared_sessions(ratings, judges=judges)
    names = {str(session) for session in shared.sessions}
    kept = [turn for turn in turns if turn.session in names]
    if not kept:
        raise RatingsError("cli.no-shared-session", file=rated.name, judges=shared.judges)
    before, after = ({turn.session for turn in some} for some in (turns, kept))
    sure = "" if shared.exact else " There may be a larger set: not all sets of judges were tried."
    people = " and ".join(str(judge) for judge in shared.judges)
    say(
        f"{people} rated {len(after)} of {len(before)} sessions, the most that {judges} judges "
        f"share; the other sessions are left out.{sure}"
    )
    return kept
