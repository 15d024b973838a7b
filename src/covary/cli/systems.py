"""`covary systems`: which system is better, from a file of ratings."""

from __future__ import annotations

from collections.abc import Sequence

import click

from covary.analysis.systems import CHOICES, MEANS
from covary.cli.command_group import Choice
from covary.cli.options import default_option, set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce
from covary.cli.study_folder import is_study
from covary.ratings import Ratings
from covary.reports.systems import systems_report
from covary.stats.posthoc import PROCEDURES

STEPS = 4
"""What each criterion takes: means, pairs, ranks, tests by rank."""

EPILOG = """\b
Examples:
  covary systems ratings.csv --scale 1-5
  covary systems ratings.csv --scale 1-5 --human reference --error additive
  covary systems ratings.csv --scale 1-5 --means items
  covary systems ratings.csv --scale 1-4 --best low --procedure games-howell
  covary systems ratings.csv --only criterion=fluency --format json -o fluency.json

The ratings must say which system made each item: a column named system, or the one that --system
names. A column of sources lets the comparison take easy and hard sources into account, and a best
end (--best) says which way is up. The same file with the same seed gives the same report."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@writes_report(
    "beside FILE", confidence="Confidence level; 1 minus it is the error rate of the tests."
)
@default_option(
    "--procedure", Choice(list(PROCEDURES)), "tukey", "How all pairs of systems are compared."
)
@default_option(
    "--error",
    Choice(list(CHOICES)),
    "design",
    "Error term of the comparisons. What the design asks for (design): a mixed model with texts, "
    "sources and judges' opinions as random effects (mixed), or the ordinal model where it "
    "decides otherwise (ordinal). As papers have it: all that is not due to system, judge and "
    "source (additive), or to the system (one-way).",
)
@default_option(
    "--means",
    Choice(list(MEANS)),
    "ratings",
    "What a system's mean averages: all its ratings, or the means of its items, as many papers do.",
)
@click.option(
    "--human",
    metavar="SYSTEM",
    multiple=True,
    help="A system whose texts people wrote; repeat for several.",
)
@default_option(
    "--resamples",
    click.IntRange(2),
    2000,
    "Draws of judges and sources for the probability of each rank.",
)
@set_aside_option
@debug_option
def systems(
    reading: RatingsInput,
    target: ReportTarget,
    procedure: str,
    error: str,
    means: str,
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
    with ProgressBar(f"reading {reading.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        ratings = ratings.first_occasion()
        path = target.beside(reading.file, "systems")
        bar.total = 1 + STEPS * len(ratings.criteria)
        made = systems_report(
            ratings,
            title=target.title or f"Systems in {reading.name}",
            procedure=procedure,
            error=error,
            means=means,
            human=human or known_human_systems(reading, ratings),
            confidence=confidence,
            resamples=resamples,
            rng=seed,
            progress=bar,
        )
        bar("writing")
        made.write(path, target.form)
    introduce(reading.name, ratings)
    show_report(made, path)


def known_human_systems(reading: RatingsInput, ratings: Ratings) -> tuple[str, ...]:
    """Return the systems that are people, where a study says so and they were judged."""
    if not is_study(reading.file) or "system" not in ratings.columns:
        return ()
    judged = ratings.values("system")
    return tuple(system for system in reading.study.human_systems if system in judged)
