"""`covary crowd report`: a crowd beside experts, from their ratings to an answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from covary.aggregate import METHODS
from covary.analysis.crowd.tables import COEFFICIENTS
from covary.cli.collected import is_study
from covary.cli.files import form_of, output_path, writes_report
from covary.cli.progress import Bar
from covary.cli.reading import Reading, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.errors import CovaryError, InvalidArgument, listed
from covary.ratings import COLUMNS, Ratings
from covary.report.crowd import crowd_report
from covary.scales import Level

__all__ = ["report"]

STEPS = 5
AMOUNT = click.FloatRange(0)
USUAL = ("banchs-a", "banchs-b")
WITHOUT_ORDER = ("majority",)

EPILOG = """\b
Examples:
  covary crowd report votes.csv --experts experts.csv --scale 1-3
  covary crowd report votes.csv --experts experts.csv --scale invalid,acceptable,valid \\
      --pay 0.05 --fee 0.01 --wage 7.25 -o crowd.html
  covary crowd report ratings.csv --expert-group expert --scale 1-5 --method majority
  covary crowd report STUDY --experts experts.csv

Items of both files are matched by name. Options about columns are about FILE; those of the
experts' file are found by their names, or said by --experts-column and --experts-wide. Columns
vote_1, vote_2, ... are no persons: nothing is computed between them, and random arrangements of an
item's votes take their place."""


@click.command(epilog=EPILOG, short_help="Compare a crowd's votes with experts.")
@reads_ratings
@click.option(
    "--experts", type=click.Path(path_type=Path), metavar="FILE",
    help="The experts' ratings of the same items.",
)  # fmt: skip
@click.option(
    "--expert-group", metavar="GROUP",
    help="Instead of a file: judges of this group are the experts, all others the crowd.",
)  # fmt: skip
@click.option(
    "--experts-column", "columns", metavar="ROLE=COLUMN", multiple=True,
    help="A column of the experts' file, such as item=qid; repeat for more.",
)  # fmt: skip
@click.option(
    "--experts-wide", metavar="COLUMNS",
    help="Columns of the experts' file that hold one expert each: Ada,Ben or a pattern.",
)  # fmt: skip
@click.option(
    "--method", "methods", type=click.Choice(list(METHODS)), multiple=True,
    help="How votes are combined; repeat for more. Banchs' methods A and B by default.",
)  # fmt: skip
@click.option(
    "--coefficient", "coefficients", type=click.Choice(list(COEFFICIENTS)), multiple=True,
    help="What is compared; repeat for more. Cohen's kappa and Fisher's ICC by default.",
)  # fmt: skip
@click.option(
    "--arrangements", "--permutations", type=click.IntRange(2), default=30_000, show_default=True,
    help="How many random arrangements of the votes are drawn.",
)  # fmt: skip
@click.option("--pay", type=AMOUNT, help="What one vote pays.")
@click.option("--fee", type=AMOUNT, help="What the platform takes for one vote.")
@click.option("--wage", type=AMOUNT, help="The least that an hour should pay.")
@click.option("--expert-pay", type=AMOUNT, help="What one rating of an expert costs.")
@writes_report("beside FILE")
@debug_option
def report(
    reading: Reading,
    experts: Path | None,
    expert_group: str | None,
    columns: Sequence[str],
    experts_wide: str | None,
    methods: Sequence[str],
    coefficients: Sequence[str],
    output: Path | None,
    form: str | None,
    seed: int,
    **said: Any,
) -> None:
    """Say how well the crowd's votes in FILE agree with experts, and at what cost.

    One vote, over random arrangements; combined votes, with intervals over sessions; how many
    votes equal one expert; who voted, how long it took and what it paid.
    """
    if (experts is None) == (expert_group is None):
        raise click.UsageError("say who the experts are: --experts FILE or --expert-group GROUP")
    chosen = form_of(output, form)
    path = output_path(reading.file, output, chosen)
    with Bar(f"reading {reading.file.name}") as bar:
        bar.total = STEPS
        if experts is not None:
            crowd = reading.ratings()
            judges = _experts(experts, _said(columns, experts_wide), reading, crowd)
        else:
            crowd, judges = _parted(reading.ratings(), str(expert_group))
        made = crowd_report(
            crowd,
            judges,
            methods=methods or _usual(crowd),
            coefficients=coefficients or None,
            rng=seed,
            progress=bar,
            **said,
        )
        bar("writing")
        made.write(path, chosen)
    introduce(reading.file.name, crowd)
    introduce(experts.name if experts else f"experts ({expert_group})", judges)
    say()
    click.echo(made.short())
    say()
    click.echo(f"Written: {path}")


def _said(columns: Sequence[str], wide: str | None) -> dict[str, Any]:
    """Put together what was said about the experts' file."""
    found: dict[str, Any] = {}
    for text in columns:
        role, equals, column = text.partition("=")
        if role not in COLUMNS or not equals:
            raise click.UsageError(
                f"--experts-column {text!r} must say ROLE=COLUMN, with one of {', '.join(COLUMNS)}"
            )
        found[role] = column or None
    if wide is not None:
        names = [name.strip() for name in wide.split(",")]
        found["wide"] = names[0] if len(names) == 1 else names
    return found


def _experts(file: Path, said: dict[str, Any], reading: Reading, crowd: Ratings) -> Ratings:
    """Read the experts' ratings on the crowd's scale and criterion."""
    criteria = [each for each in crowd.criteria if each is not None]
    keywords = dict(said)
    if not is_study(file):
        keywords |= {key: reading.keywords[key] for key in ("scale", "level")
                     if key in reading.keywords}  # fmt: skip
        if is_study(reading.file) and len(criteria) == 1:
            keywords["scale"] = crowd.scale(criteria[0])
    try:
        ratings = Reading(file, keywords, {}).ratings()
    except CovaryError as error:
        raise type(error)(f"the experts: {error}") from error
    shared = [each for each in ratings.criteria if each in criteria]
    return ratings.select(criterion=shared) if shared and len(ratings.criteria) > 1 else ratings


def _parted(ratings: Ratings, group: str) -> tuple[Ratings, Ratings]:
    """Part the ratings of one file into those of the crowd and those of the experts."""
    if "group" not in ratings.columns:
        raise InvalidArgument(
            "--expert-group: the ratings name no groups of judges; say --group COLUMN, or give the "
            "experts in a file of their own"
        )
    groups = [each for each in ratings.values("group") if each is not None]
    experts = [each for each in groups if str(each) == group]
    others = [each for each in groups if str(each) != group]
    if not experts or not others:
        raise InvalidArgument(f"--expert-group {group}: the groups of judges are {listed(groups)}")
    return ratings.select(group=others), ratings.select(group=experts)


def _usual(crowd: Ratings) -> Sequence[str]:
    """Banchs' methods need an order; names are combined by majority."""
    ordered = all(scale.level > Level.NOMINAL for scale in crowd.scales.values())
    return USUAL if ordered else WITHOUT_ORDER
