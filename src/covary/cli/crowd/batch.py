"""`covary crowd import`: a batch of Mechanical Turk becomes votes, and is accounted for."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from covary.cli.reading import Reading, reads_ratings
from covary.cli.screen import debug_option, say
from covary.cli.wording import as_options
from covary.crowd.batch_cost import BatchCost, batch_cost
from covary.errors import InvalidArgument
from covary.formats.mturk_batch import Batch, read_batch, write_batch
from covary.formats.write import write
from covary.ratings import Ratings

__all__ = ["import_batch"]

MOST_NAMED = 20

EPILOG = """\b
Examples:
  covary crowd import batch.csv -o votes.csv
  covary crowd import batch.csv -o votes.csv --item turn_id --rating quality --scale 1-3
  covary crowd import batch.csv -o votes.csv --assignments assignments.csv --set-aside

The file is the batch as Mechanical Turk wrote it: HITId, ..., then Input.… and Answer.… columns.
Mechanical Turk is closed; its files and those of tasks made by 'covary crowd template' are read.
Rejected assignments are left out unless you say --keep-rejected."""

ASSIGNMENTS = ("line", "id", "hit", "worker", "status", "reward", "seconds", "accepted",
               "submitted")  # fmt: skip


@click.command(
    "import", epilog=EPILOG, short_help="Take votes, rewards and times from an MTurk batch."
)
@reads_ratings
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True,
    help="Where the votes go, one row each: .csv, .tsv, .jsonl or .parquet.",
)  # fmt: skip
@click.option(
    "--assignments", type=click.Path(path_type=Path), metavar="FILE",
    help="Write who was paid what for how long as well, as CSV.",
)  # fmt: skip
@click.option("--wage", type=click.FloatRange(0), help="The least that an hour should pay.")
@click.option("--set-aside", is_flag=True, help="Leave out broken rows; they are named.")
@debug_option
def import_batch(
    reading: Reading, output: Path, assignments: Path | None, wage: float | None, set_aside: bool
) -> None:
    """Take the votes out of FILE, a batch of Mechanical Turk.

    Every row is looked at; broken ones are named. Says what the batch cost and what an hour of it
    paid.
    """
    _check_places(reading.file, output, assignments)
    batch = read_batch(reading.file)
    _tell_broken(batch, set_aside)
    ratings = _votes(batch, reading)
    write(ratings, output)
    say(f"{reading.file.name}: {_counts(batch)}", bold=True)
    for sentence in _account(batch_cost(batch.assignments), wage):
        say(sentence, indent=2, hang=2)
    for note in ratings.notes:
        say(as_options(note), indent=2, hang=2)
    if batch.missing:
        say(f"Columns that a batch has and that are not there: {', '.join(batch.missing)}.",
            indent=2, hang=2)  # fmt: skip
    if assignments is not None:
        _write_assignments(batch, assignments)
        click.echo(f"Written: {assignments}")
    what = repr(ratings).removeprefix("Ratings(").removesuffix(")")
    click.echo(f"Written: {output} ({what})")


def _check_places(file: Path, *places: Path | None) -> None:
    for place in places:
        if place is not None and place.exists() and file.exists() and place.samefile(file):
            raise click.UsageError(f"'{place}' is the batch itself; name another file")


def _tell_broken(batch: Batch, set_aside: bool) -> None:
    """Name the broken rows, and stop where they are not to be left out."""
    lines = {each.line for each in batch.broken}
    for each in batch.broken[:MOST_NAMED]:
        say(str(each), fg="yellow", hang=2)
    if len(batch.broken) > MOST_NAMED:
        say(f"and {len(batch.broken) - MOST_NAMED} more faults", fg="yellow")
    if not lines:
        return
    rows = "1 row is" if len(lines) == 1 else f"{len(lines):,} rows are"
    left = "1 row was" if len(lines) == 1 else f"{len(lines):,} rows were"
    if not set_aside:
        raise InvalidArgument(
            f"{rows} broken and nothing was written; mend them, or leave them out with --set-aside"
        )
    if not batch.assignments:
        raise InvalidArgument(f"{rows} broken and no other is left")
    say(f"{left} left out.", fg="yellow")
    say()


def _votes(batch: Batch, reading: Reading) -> Ratings:
    with TemporaryDirectory() as folder:
        copy = write_batch(batch, Path(folder) / f"{reading.file.name.split('.')[0]}.csv")
        keywords = {"format": "mturk"} | dict(reading.keywords)
        return dataclasses.replace(reading, file=copy, keywords=keywords).ratings()


def _counts(batch: Batch) -> str:
    people = {each.worker for each in batch.assignments}
    tasks = {each.hit for each in batch.assignments}
    statuses = ", ".join(f"{count:,} {status}" for status, count in batch.statuses.items())
    return (
        f"{len(batch.assignments):,} assignments of {len(tasks):,} HITs by {len(people):,} people"
        f"{f' ({statuses})' if statuses else ''}"
    )


def _account(cost: BatchCost, wage: float | None) -> list[str]:
    said = [
        f"rewards {cost.paid:.2f} paid and {cost.owed:.2f} owed, fees {cost.fees:.2f}: "
        f"{cost.total:.2f} in all"
    ]
    if cost.unpriced:
        said.append(f"the reward of {cost.unpriced:,} assignments is not known")
    if not math.isnan(cost.seconds_mean):
        said.append(
            f"{cost.seconds_mean:.1f} s an assignment on average, median {cost.seconds_median:.1f}"
        )
    if not math.isnan(cost.hourly):
        less = f", less than the wage of {wage:.2f}" if wage and cost.hourly < wage else ""
        said.append(f"an hour paid {cost.hourly:.2f}{less}")
    return said


def _write_assignments(batch: Batch, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(ASSIGNMENTS)
        for each in batch.assignments:
            cells = (getattr(each, name) for name in ASSIGNMENTS)
            table.writerow("" if cell is None else cell for cell in cells)
