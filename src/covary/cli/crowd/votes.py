"""`covary crowd import` and `report`: a crowd's votes, taken in and compared with experts."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from covary.aggregate import METHODS
from covary.analysis.crowd.arrangements import COEFFICIENTS
from covary.cli.command_group import Choice
from covary.cli.options import file_option, output_option
from covary.cli.output import ReportTarget, refuse_input, show_report, writes_report
from covary.cli.reading import RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce, say
from covary.cli.study_folder import is_study
from covary.crowd.cost import BatchCost, batch_cost
from covary.errors import CovaryError, InvalidArgument
from covary.formats.files import write
from covary.formats.mturk import Batch, read_batch, write_batch
from covary.ratings import COLUMNS, Ratings
from covary.reports.crowd import crowd_report
from covary.scales import Level
from covary.words import TERMINAL, counted, reword

MOST_NAMED = 20

IMPORT_EPILOG = """\b
Examples:
  covary crowd import batch.csv -o votes.csv
  covary crowd import batch.csv -o votes.csv --item turn_id --rating quality --scale 1-3
  covary crowd import batch.csv -o votes.csv --assignments assignments.csv --set-aside

The file is the batch as Mechanical Turk wrote it: HITId, ..., then Input.… and Answer.… columns.
Mechanical Turk is closed; its files and those of tasks made by 'covary crowd template' are read.
Rejected assignments are left out unless you say --keep-rejected."""

ASSIGNMENTS = (
    "line",
    "id",
    "hit",
    "worker",
    "status",
    "reward",
    "seconds",
    "accepted",
    "submitted",
)


@click.command("import", epilog=IMPORT_EPILOG)
@reads_ratings
@output_option("Where the votes go, one row each: .csv, .tsv, .jsonl or .parquet.", required=True)
@file_option("--assignments", "Write who was paid what for how long as well, as CSV.")
@click.option("--wage", type=click.FloatRange(0), help="The least that an hour should pay.")
@click.option("--set-aside", is_flag=True, help="Leave out broken rows; they are named.")
@debug_option
def import_batch(
    reading: RatingsInput,
    output: Path,
    assignments: Path | None,
    wage: float | None,
    set_aside: bool,
) -> None:
    """Take the votes out of FILE, a batch of Mechanical Turk.

    Every row is looked at; broken ones are named. Says what the batch cost and what an hour of it
    paid.
    """
    for place in (output, *([] if assignments is None else [assignments])):
        refuse_input(place, reading.file)
    batch = read_batch(reading.file)
    _tell_broken(batch, set_aside)
    ratings = _votes(batch, reading)
    write(ratings, output)
    say(f"{reading.file.name}: {_counts(batch)}", bold=True)
    for sentence in _account(batch_cost(batch.assignments), wage):
        say(sentence, indent=2, hang=2)
    for note in ratings.notes:
        say(reword(note, TERMINAL), indent=2, hang=2)
    if batch.missing:
        say(
            f"Columns that a batch has and that are not there: {', '.join(batch.missing)}.",
            indent=2,
            hang=2,
        )
    if assignments is not None:
        _write_assignments(batch, assignments)
        click.echo(f"Written: {assignments}")
    click.echo(f"Written: {output} ({ratings.describe()})")


def _tell_broken(batch: Batch, set_aside: bool) -> None:
    """Name the broken rows, and stop where they are not to be left out."""
    lines = {row.line for row in batch.broken}
    for row in batch.broken[:MOST_NAMED]:
        say(str(row), fg="yellow", hang=2)
    if len(batch.broken) > MOST_NAMED:
        say(f"and {len(batch.broken) - MOST_NAMED} more faults", fg="yellow")
    if not lines:
        return
    none_left = set_aside and not batch.assignments
    if none_left or not set_aside:
        raise InvalidArgument("cli.broken-rows", count=len(lines), none_left=none_left)
    say(f"{counted(len(lines), 'row was', 'rows were')} left out.", fg="yellow")
    say()


def _votes(batch: Batch, reading: RatingsInput) -> Ratings:
    with TemporaryDirectory() as folder:
        copy = write_batch(batch, Path(folder) / f"{reading.file.name.split('.')[0]}.csv")
        keywords = {"format": "mturk"} | dict(reading.keywords)
        return dataclasses.replace(reading, file=copy, keywords=keywords).ratings()


def _counts(batch: Batch) -> str:
    people = {assignment.worker for assignment in batch.assignments}
    tasks = {assignment.hit for assignment in batch.assignments}
    statuses = ", ".join(f"{count:,} {status}" for status, count in batch.statuses.items())
    return (
        f"{len(batch.assignments):,} assignments of {len(tasks):,} HITs by {len(people):,} people"
        f"{f' ({statuses})' if statuses else ''}"
    )


def _account(cost: BatchCost, wage: float | None) -> list[str]:
    sentences = [
        f"rewards {cost.paid:.2f} paid and {cost.owed:.2f} owed, fees {cost.fees:.2f}: "
        f"{cost.total:.2f} in all"
    ]
    if cost.unpriced:
        sentences.append(f"the reward of {cost.unpriced:,} assignments is not known")
    if not math.isnan(cost.seconds_mean):
        sentences.append(
            f"{cost.seconds_mean:.1f} s an assignment on average, median {cost.seconds_median:.1f}"
        )
    if not math.isnan(cost.turnaround):
        sentences.append(f"{cost.turnaround:.1f} hours from first acceptance to last answer")
    if not math.isnan(cost.hourly):
        less = f", less than the wage of {wage:.2f}" if wage and cost.hourly < wage else ""
        sentences.append(f"an hour paid {cost.hourly:.2f}{less}")
    return sentences


def _write_assignments(batch: Batch, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(ASSIGNMENTS)
        for assignment in batch.assignments:
            cells = (getattr(assignment, name) for name in ASSIGNMENTS)
            table.writerow("" if cell is None else cell for cell in cells)


STEPS = 5
AMOUNT = click.FloatRange(0)
USUAL = ("banchs-a", "banchs-b")
WITHOUT_ORDER = ("majority",)

REPORT_EPILOG = """\b
Examples:
  covary crowd report votes.csv --experts experts.csv --scale 1-3
  covary crowd report votes.csv --experts experts.csv --scale invalid,acceptable,valid \\
      --pay 0.05 --fee 0.01 --wage 7.25 -o crowd.html
  covary crowd report ratings.csv --expert-group expert --scale 1-5 --method majority
  covary crowd report STUDY --experts experts.csv
  covary crowd report STUDY                               a part for a crowd, a part for experts

Items of both files are matched by name. Options about columns are about FILE; those of the
experts' file are found by their names, or said by --experts-column and --experts-wide. Columns
vote_1, vote_2, ... are not persons: nothing is computed between them, and random arrangements of an
item's votes take their place.

Where a study has a part for experts beside that of the crowd, --expert-part names it; with two
parts, one of them for recruited people, the other is meant. What a vote pays and costs is --pay
and --fee."""


@click.command(epilog=REPORT_EPILOG)
@reads_ratings
@file_option("--experts", "The experts' ratings of the same items.")
@click.option(
    "--expert-group",
    metavar="GROUP",
    help="Instead of a file: judges of this group are the experts, all others the crowd.",
)
@click.option(
    "--expert-part",
    metavar="PART",
    help="Instead of a file: judges of this part of the study are the experts.",
)
@click.option(
    "--experts-column",
    "columns",
    metavar="ROLE=COLUMN",
    multiple=True,
    help="A column of the experts' file, such as item=qid; repeat for more.",
)
@click.option(
    "--experts-wide",
    metavar="COLUMNS",
    help="Columns of the experts' file that hold one expert each: Ada,Ben or a pattern.",
)
@click.option(
    "--method",
    "methods",
    type=Choice(list(METHODS)),
    multiple=True,
    help="How votes are combined; repeat for more. Banchs' methods A and B by default.",
)
@click.option(
    "--coefficient",
    "coefficients",
    type=Choice(list(COEFFICIENTS)),
    multiple=True,
    help="What is compared; repeat for more. Cohen's kappa and Fisher's ICC by default.",
)
@click.option(
    "--arrangements",
    "--permutations",
    type=click.IntRange(2),
    default=30_000,
    show_default=True,
    help="How many random arrangements of the votes are drawn.",
)
@click.option(
    "--pay",
    type=AMOUNT,
    help="What one vote pays: what a person is paid, divided by the items that the person judges.",
)
@click.option("--fee", type=AMOUNT, help="What the platform takes for one vote.")
@click.option("--wage", type=AMOUNT, help="The least that an hour should pay.")
@click.option("--expert-pay", type=AMOUNT, help="What one rating of an expert costs.")
@writes_report("beside FILE")
@debug_option
def report(
    reading: RatingsInput,
    experts: Path | None,
    expert_group: str | None,
    expert_part: str | None,
    columns: Sequence[str],
    experts_wide: str | None,
    methods: Sequence[str],
    coefficients: Sequence[str],
    target: ReportTarget,
    seed: int,
    **said: Any,
) -> None:
    """Say how well the crowd's votes in FILE agree with experts, and at what cost.

    One vote, over random arrangements; combined votes, with intervals over sessions; how many
    votes equal one expert; who voted, how long it took and what it paid.
    """
    part = expert_part or _part_of_experts(reading, experts, expert_group)
    if sum(who is not None for who in (experts, expert_group, part)) != 1:
        raise click.UsageError(
            "say who the experts are: --experts FILE, --expert-group GROUP or, of a study, "
            "--expert-part PART"
        )
    path = target.beside(reading.file, "report")
    with ProgressBar(f"reading {reading.name}") as bar:
        bar.total = STEPS
        if experts is not None:
            crowd = reading.ratings()
            judges = _experts(experts, _experts_keywords(columns, experts_wide), reading, crowd)
        elif part is not None:
            crowd, judges = _split_by_part(reading, part)
        else:
            crowd, judges = _split_by_group(reading.ratings(), str(expert_group))
        made = crowd_report(
            crowd,
            judges,
            methods=methods or _usual(crowd),
            coefficients=coefficients or None,
            title=target.title,
            rng=seed,
            progress=bar,
            **said,
        )
        bar("writing")
        made.write(path, target.form)
    introduce(reading.name, crowd)
    introduce(experts.name if experts else f"experts ({expert_group or part})", judges)
    show_report(made, path)


def _experts_keywords(columns: Sequence[str], wide: str | None) -> dict[str, Any]:
    """Put together what was said about the experts' file."""
    keywords: dict[str, Any] = {}
    for text in columns:
        role, equals, column = text.partition("=")
        if role not in COLUMNS or not equals:
            raise click.UsageError(
                f"--experts-column {text!r} must say ROLE=COLUMN, with one of {', '.join(COLUMNS)}"
            )
        keywords[role] = column or None
    if wide is not None:
        names = [name.strip() for name in wide.split(",")]
        keywords["wide"] = names[0] if len(names) == 1 else names
    return keywords


def _experts(
    file: Path, keywords: dict[str, Any], reading: RatingsInput, crowd: Ratings
) -> Ratings:
    """Read the experts' ratings on the crowd's scale and criterion."""
    criteria = [criterion for criterion in crowd.criteria if criterion is not None]
    if not is_study(file):
        keywords |= {
            key: reading.keywords[key] for key in ("scale", "level") if key in reading.keywords
        }
        if is_study(reading.file) and len(criteria) == 1:
            keywords["scale"] = crowd.scale(criteria[0])
    try:
        ratings = RatingsInput(file, keywords, {}).ratings()
    except CovaryError as error:
        raise InvalidArgument("cli.about", about="the experts", error=error) from error
    shared = [criterion for criterion in ratings.criteria if criterion in criteria]
    return ratings.select(criterion=shared) if shared and len(ratings.criteria) > 1 else ratings


def _split_by_group(ratings: Ratings, group: str) -> tuple[Ratings, Ratings]:
    """Part the ratings of one file into those of the crowd and those of the experts."""
    if "group" not in ratings.columns:
        raise InvalidArgument("cli.no-groups")
    groups = [name for name in ratings.values("group") if name is not None]
    experts = [name for name in groups if str(name) == group]
    others = [name for name in groups if str(name) != group]
    if not experts or not others:
        raise InvalidArgument("cli.unknown-group", value=group, allowed=groups)
    return ratings.select(group=others), ratings.select(group=experts)


def _part_of_experts(reading: RatingsInput, experts: Path | None, group: str | None) -> str | None:
    """Return the part that is not for recruited people, where a study has two."""
    if experts is not None or group is not None or not is_study(reading.file):
        return None
    study = reading.study
    recruited = study.recruiting.part if study.recruiting is not None else ""
    others = [part for part in study.parts if part != recruited]
    return others[0] if recruited and len(others) == 1 else None


def _split_by_part(reading: RatingsInput, part: str) -> tuple[Ratings, Ratings]:
    """Part what a study collected into the ratings of the crowd and those of the experts."""
    from covary.store.experiments import experiments_of

    if not is_study(reading.file):
        raise click.UsageError("--expert-part is about a study; say --experts or --expert-group")
    study = reading.study
    with reading.open_store() as store:
        ratings = experiments_of(study, store).ratings
    others = [name for name in ratings if name != part]
    if part not in ratings or len(others) != 1:
        raise InvalidArgument("cli.expert-part", value=part, allowed=tuple(ratings))
    return reading.select(ratings[others[0]]), reading.select(ratings[part])


def _usual(crowd: Ratings) -> Sequence[str]:
    """Banchs' methods need an order; names are combined by majority."""
    ordered = all(scale.level > Level.NOMINAL for scale in crowd.scales.values())
    return USUAL if ordered else WITHOUT_ORDER
