"""`covary dialogues`: the turns of dialogues become the items of a study."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from covary.analysis.crowd import shared_sessions
from covary.cli.collected import is_study
from covary.cli.screen import debug_option, say
from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats import read
from covary.study import DialogueTurn, dialogue_items, read_dialogues, write_items

__all__ = ["dialogues"]

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


@click.command(epilog=EPILOG, short_help="Make items of the turns of dialogues.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help=f"Where the items go: a .jsonl file or a study's folder; {FILE} beside FILE by default.",
)  # fmt: skip
@click.option(
    "--context", type=click.IntRange(0), default=3, show_default=True, metavar="TURNS",
    help="So many turns before the judged one are shown with it.",
)  # fmt: skip
@click.option(
    "--speaker", "speakers", multiple=True,
    help="Whose turns are judged; repeat for more. Everybody's by default.",
)  # fmt: skip
@click.option("--keep-first", is_flag=True, help="Keep the first judged turn of each session.")
@click.option("--keep-last", is_flag=True, help="Keep the last judged turn of each session.")
@click.option(
    "--rated", type=click.Path(path_type=Path), metavar="RATINGS",
    help="Keep the largest set of sessions that the same judges rated in this file.",
)  # fmt: skip
@click.option(
    "--judges", type=click.IntRange(1), default=2, show_default=True,
    help="With --rated: by how many judges a session must have been rated.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@debug_option
def dialogues(
    file: Path,
    output: Path | None,
    context: int,
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
    found = dialogue_items(
        turns,
        context=context,
        speakers=speakers or None,
        skip_first=not keep_first,
        skip_last=not keep_last,
    )
    if not found.items:
        raise InvalidArgument(
            f"no turn of {file.name} is left to be judged; --keep-first and --keep-last keep more"
        )
    for sentence in found.sentences():
        say(sentence)
    click.echo(f"Written: {write_items(found, path)}")
    if is_study(path.parent):
        say(f'Say items = "{path.name}" in study.toml if it does not yet. Then:')
        click.echo(f"  covary design {shlex.quote(str(path.parent))}")


def _path(file: Path, output: Path | None, force: bool) -> Path:
    path = file.with_name(FILE) if output is None else output
    path = path / FILE if path.is_dir() else path
    if path.suffix.lower() != ".jsonl":
        raise click.UsageError(f"-o '{path}' must end in .jsonl, because items hold earlier turns")
    if path.exists() and file.exists() and path.samefile(file):
        raise click.UsageError(f"-o '{path}' is the input itself; name another file")
    if path.exists() and not force:
        raise InvalidArgument(f"'{path}' exists; --force replaces it")
    if not path.parent.is_dir():
        raise InvalidArgument(f"the folder '{path.parent}' does not exist; make it first")
    return path


def _shared(turns: Sequence[DialogueTurn], rated: Path, judges: int) -> list[DialogueTurn]:
    """Keep the sessions that the same judges rated, and say which these are."""
    ratings = read(rated)
    if "cluster" not in ratings.columns:
        raise RatingsError(
            f"{rated.name} does not say which session an item belongs to; it needs a column "
            "'session' or 'cluster'"
        )
    found = shared_sessions(ratings, judges=judges)
    names = {str(each) for each in found.sessions}
    kept = [each for each in turns if each.session in names]
    if not kept:
        raise RatingsError(
            f"no session of {rated.name} that {listed(found.judges)} rated is in the dialogues; "
            "sessions are matched by name"
        )
    before, after = ({each.session for each in some} for some in (turns, kept))
    sure = "" if found.exact else " There may be a larger set: not all sets of judges were tried."
    people = " and ".join(str(each) for each in found.judges)
    say(f"{people} rated {len(after)} of {len(before)} sessions, the most that {judges} judges "
        f"share; the other sessions are left out.{sure}")  # fmt: skip
    return kept
