"""`covary automatic`: may a language model or a metric stand in for judges?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from covary.cli.options import default_option, file_option, set_aside_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce
from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats import read
from covary.ratings import Ratings
from covary.reports.automatic import automatic_report

EPILOG = """\b
Examples:
  covary automatic ratings.csv --scale 1-5 --automatic gpt
  covary automatic ratings.csv --scale 1-5 --scores scores.csv
  covary automatic forecasts --scores scores.csv --margin 0.1

FILE holds people's ratings; --automatic names judges in it who are language models. --scores names
a file by automatic judges only: a column for the item (and the system, if FILE has one) and one for
each judge or metric, or the columns item, judge and rating. Its further items, which nobody rated,
make people's means more precise."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@click.option(
    "--automatic",
    "automatic_judges",
    metavar="NAME",
    multiple=True,
    help="A judge of FILE, or a group of judges, that is automatic; repeat for several.",
)
@file_option("--scores", "Ratings by automatic judges only, in a file of their own.")
@default_option(
    "--margin",
    click.FloatRange(0, 1, max_open=True),
    0.2,
    "How much more often a person may be closer to the others and still be replaced: .2 beside "
    "experts, .15 beside trained people, .1 beside a crowd.",
)
@writes_report("beside FILE")
@set_aside_option
@debug_option
def automatic(
    reading: RatingsInput,
    automatic_judges: tuple[str, ...],
    scores: Path | None,
    margin: float,
    target: ReportTarget,
    confidence: float,
    seed: int,
    set_aside: bool,
) -> None:
    """Say whether language models or metrics may stand in for people.

    Each automatic judge is put in each person's place: is it as close to the other people? Beside
    that stand agreement, order and severity, the systems that it favours, and how far its ratings
    sharpen people's means.
    """
    with ProgressBar(f"reading {reading.name}"):
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        path = target.beside(reading.file, "automatic")
        made = automatic_report(
            ratings,
            scores=None if scores is None else read_scores(scores, reading.keywords),
            judges=_judges(ratings, automatic_judges),
            margin=margin,
            confidence=confidence,
            rng=seed,
            title=target.title,
        )
        made.write(path, target.form)
    introduce(reading.name, ratings)
    show_report(made, path)


def _judges(ratings: Ratings, named: tuple[str, ...]) -> list[Any]:
    """The judges of these names, or of the groups of these names."""
    groups = ratings.values("group") if "group" in ratings.columns else ()
    found = []
    for name in named:
        if name in groups:
            found += list(ratings.select(group=name).judges)
        else:
            found += [judge for judge in ratings.judges if str(judge) == name] or [name]
    return found


def read_scores(path: Path, said: Mapping[str, Any]) -> Ratings:
    """Read a file of automatic judges: a column for each, or a column that names the judge.

    What was `said` of answers and repeats holds for it, too.
    """
    keywords = {name: said[name] for name in ("answers", "repeats") if said.get(name)}
    try:
        scores = read(path, **keywords)
    except CovaryError:
        return _columns_as_judges(path, keywords)
    named = scores.account is not None and "judge" in scores.account.columns.values()
    return scores if named else _columns_as_judges(path, keywords)


def _columns_as_judges(path: Path, keywords: Mapping[str, Any]) -> Ratings:
    """Read each column with numbers as a judge, also where words stand among them."""
    try:
        scores = read(path, wide=True, **keywords)
    except InvalidArgument as error:
        raise RatingsError("automatic.no-scores", file=path.name) from error
    left = scores.account.left_out if scores.account else ()
    others = (name for name in left if name not in scores.judges)
    worded = [name for name in others if _has_numbers(read(path, wide=[name], **keywords))]
    columns = [*scores.judges, *worded]
    return read(path, wide=columns, **keywords) if worded else scores


def _has_numbers(scores: Ratings) -> bool:
    """Whether a column holds numbers, perhaps beside words such as '4 (good)'."""
    return any(_is_number(str(value)) for value in scores.values("rating"))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
