"""`covary systems`: which system is better, from a file of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from covary.analysis.systems import ERRORS
from covary.cli.files import form_of, output_path, writes_report
from covary.cli.progress import Bar
from covary.cli.reading import RatingsCommand, Reading, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.report.systems import systems_report
from covary.stats.posthoc import PROCEDURES

__all__ = ["systems"]

STEPS = 4
"""What each criterion takes: means, pairs, ranks, tests by rank."""

EPILOG = """\b
Examples:
  covary systems ratings.csv --scale 1-5
  covary systems ratings.csv --scale 1-5 --human reference --error mixed
  covary systems ratings.csv --scale 1-4 --best low --procedure games-howell
  covary systems ratings.csv --only criterion=fluency --format json -o fluency.json

The ratings must say which system made each item: a column named system, or the one that --system
names. A column of sources lets the comparison take easy and hard sources into account, and a best
end (--best) says which way is up. The same file with the same seed gives the same report."""


@click.command(cls=RatingsCommand, epilog=EPILOG, short_help="Say which system is better.")
@reads_ratings
@writes_report(
    "beside FILE", confidence="Of the intervals; 1 less it is the error rate of the tests."
)
@click.option(
    "--procedure", type=click.Choice(list(PROCEDURES)), default="tukey", show_default=True,
    help="How all pairs of systems are compared.",
)  # fmt: skip
@click.option(
    "--error", type=click.Choice(list(ERRORS)), default="additive", show_default=True,
    help="What differences are compared with: all that is not due to the system (one-way); nor "
    "to judge and source (additive); judges and sources as drawn from many (mixed).",
)  # fmt: skip
@click.option(
    "--human", metavar="SYSTEM", multiple=True,
    help="A system whose texts people wrote; repeat for several.",
)  # fmt: skip
@click.option(
    "--resamples", type=click.IntRange(2), default=2000, show_default=True,
    help="Draws of judges and sources for the probability of each rank.",
)  # fmt: skip
@click.option("--set-aside", is_flag=True, help="Leave out duplicates and ratings off the scale.")
@debug_option
def systems(
    reading: Reading,
    output: Path | None,
    form: str | None,
    title: str | None,
    procedure: str,
    error: str,
    human: Sequence[str],
    confidence: float,
    resamples: int,
    seed: int,
    set_aside: bool,
) -> None:
    """Compare the systems in FILE, write the report and print its short form.

    Means with intervals, which systems differ and by how much, how probable each rank is, and
    whether the order depends on who happened to judge.
    """
    chosen = form_of(output, form)
    with Bar(f"reading {reading.file.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        path = _path(reading.file, output, chosen)
        bar.total = 1 + STEPS * len(ratings.criteria)
        made = systems_report(
            ratings,
            title=title or f"Systems in {reading.file.name}",
            procedure=procedure,
            error=error,
            human=human,
            confidence=confidence,
            resamples=resamples,
            rng=seed,
            progress=bar,
        )
        bar("writing")
        made.write(path, chosen)
    introduce(reading.file.name, ratings)
    say()
    click.echo(made.short())
    say()
    click.echo(f"Written: {path}")


def _path(source: Path, output: Path | None, form: str) -> Path:
    """Name the report after the systems, so that the reliability report keeps its place."""
    if output is not None and not output.is_dir():
        return output_path(source, output, form)
    beside = output_path(source, output, form)
    return output_path(source, beside.with_name(beside.name.replace("-report.", "-systems.")), form)
