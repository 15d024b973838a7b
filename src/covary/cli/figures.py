"""`covary figures`: the pictures of a report as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from covary.analysis.reliability import MOST_PAIRS
from covary.cli.command_group import Choice
from covary.cli.options import set_aside_option
from covary.cli.output import make_folder, stem
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce
from covary.reports.blocks import FIGURE_ENDINGS, Figure
from covary.reports.reliability.document import report as make_report

KINDS = [ending.lstrip(".") for ending in FIGURE_ENDINGS]

EPILOG = """\b
Examples:
  covary figures ratings.csv --scale 1-5
  covary figures ratings.csv --scale 1-5 -o paper/figures --format pdf
  covary figures forecasts --format svg --format json

json is the Vega-Lite specification, for Altair and others to restyle."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the figures; beside FILE by default.",
)
@click.option(
    "--format",
    "kinds",
    type=Choice(KINDS),
    multiple=True,
    help="pdf (default), svg, png or json; repeat for several.",
)
@click.option("--no-intervals", is_flag=True, help="Quick: estimates without intervals.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random draws."
)
@set_aside_option
@debug_option
def figures(
    reading: RatingsInput,
    output: Path | None,
    kinds: tuple[str, ...],
    no_intervals: bool,
    seed: int,
    set_aside: bool,
) -> None:
    """Write every picture of the reliability report of FILE as files of its own.

    They are the pictures of `covary report`, in light colours, ready for a paper.
    """
    with ProgressBar(f"reading {reading.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        folder = output or reading.file.with_name(f"{stem(reading.file)}-figures")
        bar.expect(ratings, MOST_PAIRS)
        made = make_report(ratings, intervals=not no_intervals, rng=seed, progress=bar)
        bar("drawing")
        files = write_figures(made.figures.values(), folder, kinds or ("pdf",))
    introduce(reading.name, ratings)
    for file in files:
        click.echo(f"Written: {file}")


def write_figures(several: Iterable[Figure], folder: Path, kinds: Iterable[str]) -> list[Path]:
    """Save each figure in each form, under its own name."""
    make_folder(folder)
    return [figure.save(folder / f"{figure.key}.{kind}") for figure in several for kind in kinds]
