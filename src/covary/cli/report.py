"""`covary report`: the reliability report of a file of ratings."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.files import form_of, output_path, writes_report
from covary.cli.progress import Bar
from covary.cli.reading import RatingsCommand, Reading, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.report.report import report as make_report

__all__ = ["report"]

EPILOG = """\b
Examples:
  covary report ratings.csv --scale 1-5
  covary report ratings.csv --scale 1-5 --only criterion=fluency --only group=expert
  covary report scores.xlsx --wide 'J*' --scale 1-4 --best low -o paper/reliability.tex
  covary report ratings.csv --format json --no-intervals

Columns are found by their names, and what was guessed is said; --item, --judge, --rating,
--criterion and the other column options overrule it. --only keeps a part of the ratings. The
same file with the same seed gives the same report."""


@click.command(
    cls=RatingsCommand,
    epilog=EPILOG,
    short_help="Write the reliability report of a file of ratings.",
)
@reads_ratings
@writes_report("beside FILE")
@click.option("--no-intervals", is_flag=True, help="Quick: points only, and verdicts from them.")
@click.option("--set-aside", is_flag=True, help="Leave out duplicates and ratings off the scale.")
@debug_option
def report(
    reading: Reading,
    output: Path | None,
    form: str | None,
    title: str | None,
    confidence: float,
    seed: int,
    no_intervals: bool,
    set_aside: bool,
) -> None:
    """Write the reliability report of the ratings in FILE and print its short form.

    Agreement beside correlation for every criterion, with intervals and a verdict; what is wrong
    with the data; each pair of judges; each judge; and the paragraph for the paper.
    """
    chosen = form_of(output, form)
    with Bar(f"reading {reading.file.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        path = output_path(reading.file, output, chosen)
        bar.expect(ratings)
        made = make_report(
            ratings,
            title=title or f"Reliability of {reading.file.name}",
            confidence=confidence,
            intervals=not no_intervals,
            rng=seed,
            progress=bar,
        )
        bar("writing")
        made.write(path, chosen)
    introduce(reading.file.name, made.ratings if ratings.large else ratings)
    say()
    click.echo(made.short())
    say()
    click.echo(f"Written: {path}")
