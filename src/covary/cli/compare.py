"""`covary compare`: two or more scales on validity, reliability, stability and more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from covary.analysis.scale_comparison import PROCEDURES
from covary.cli.command_group import Choice
from covary.cli.options import default_option, file_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import (
    NamedInput,
    RatingsCommand,
    named_file,
    named_inputs,
    ratings_input,
    reads_several,
)
from covary.cli.screen import ProgressBar, debug_option, introduce, say
from covary.cli.study_folder import is_study
from covary.formats.measures import read_measures, read_preferences
from covary.ratings import Ratings
from covary.reports.scale_comparison import scale_report
from covary.words import TERMINAL, reword

EPILOG = """\b
Examples:
  covary compare forecasts
  covary compare vds.csv vas.csv --scale vds=1-7 --scale vas=0-100
  covary compare vds.csv vas.csv --validity accuracy.csv --preference preference.csv
  covary compare VDS=first.csv VDS=again.csv VAS=vas.csv -o scales.html
  covary compare vds.csv vas.csv --margin 0.3 --procedure holm --format json

Each FILE is one experiment, named by its file unless NAME=FILE names it; files of one NAME are its
occasions, test and retest, and so are the values of a column 'occasion'. Every file needs a column
'system'. --scale, --best and --level may say NAME=… to mean one experiment."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_several("[NAME=]FILE...")
@file_option(
    "--validity", "A task measure per system: a column 'system', and one for each measure."
)
@file_option("--preference", "Which scale judges prefer: columns 'judge' and 'preference'.")
@default_option(
    "--margin",
    click.FloatRange(0, 2, min_open=True, max_open=True),
    0.5,
    "Smallest difference that matters, in standard deviations of the systems.",
)
@default_option("--procedure", Choice(PROCEDURES), "tukey", "How pairs of systems are compared.")
@default_option(
    "--alpha", click.FloatRange(0, 0.5, min_open=True, max_open=True), 0.05, "Level of the tests."
)
@writes_report("beside the first FILE")
@click.option(
    "--no-intervals", is_flag=True, help="Quick: leave out intervals that need resampling."
)
@debug_option
def compare(
    paths: tuple[str, ...],
    options: dict[str, Any],
    validity: Path | None,
    preference: Path | None,
    margin: float,
    procedure: str,
    alpha: float,
    target: ReportTarget,
    confidence: float,
    seed: int,
    no_intervals: bool,
) -> None:
    """Compare the scales of two or more experiments on the same systems.

    A study's folder alone is compared by its parts, with the measures in its file of items, the
    accuracy and time of its tasks, and the scale that its judges preferred.

    Do they correlate with a task measure (validity)? Do judges rank the systems alike
    (reliability)? Do the same judges say the same again (stability)? Can one scale replace the
    other (interchangeability)? How many systems do they tell apart (sensitivity)?
    """
    experiments = [] if _is_one_study(paths) else _experiments(paths, options)
    files = [experiment.reading.file for experiment in experiments] or [Path(paths[0])]
    path = target.path(files[0].with_name("scale-comparison"), *files)
    with ProgressBar("reading") as bar:
        compared = _collected(paths[0], options) if not experiments else _read(experiments)
        measures = compared.measures if validity is None else read_measures(validity)
        preferences = compared.preferences if preference is None else read_preferences(preference)
        made = scale_report(
            compared.ratings,
            title=target.title,
            validity=measures or None,
            preference=preferences or None,
            margin=margin,
            procedure=procedure,
            alpha=alpha,
            confidence=confidence,
            intervals=not no_intervals,
            rng=seed,
            progress=bar,
        )
        bar("writing")
        made.write(path, target.form)
    for name, own in compared.introductions:
        introduce(name, own)
    for note in made.comparison.notes:
        say(reword(note, TERMINAL), indent=2)
    for first, second, same in made.comparison.same_judges:
        say(f"Same judges in {first} and {second}: {same}.")
    show_report(made, path)


def _experiments(paths: Sequence[str], options: dict[str, Any]) -> list[NamedInput]:
    named = [named_file(text) for text in paths]
    names = tuple(dict.fromkeys(name for name, _ in named))
    if len(names) < 2:
        raise click.UsageError(
            f"two or more experiments are compared, and there is only {names[0]}; name another "
            "FILE (files of one NAME are occasions of one experiment)"
        )
    stems = [name for name, file in named if name == file.stem]
    twice = {name for name in stems if stems.count(name) > 1}
    if twice:
        raise click.UsageError(
            f"two files are called {sorted(twice)[0]!r}; tell them apart with NAME=FILE, or name "
            "both alike with NAME=FILE where they are test and retest"
        )
    return named_inputs(named, options)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What is compared: ratings by experiment, and what is known beside them."""

    ratings: Mapping[str, Ratings | list[Ratings]]
    introductions: Sequence[tuple[str, Ratings]]
    measures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    preferences: Mapping[str, str] = field(default_factory=dict)


def _is_one_study(paths: Sequence[str]) -> bool:
    return len(paths) == 1 and is_study(Path(paths[0]))


def _collected(place: str, options: dict[str, Any]) -> Compared:
    """Read the parts of a study, the measures and the preferences that it knows."""
    from covary.store.experiments import experiments_of

    reading = ratings_input(options | {"file": Path(place)})
    with reading.open_store() as store:
        found = experiments_of(reading.study, store, parts=reading.only.get("part"))
    ratings = {name: reading.select(own) for name, own in found.ratings.items()}
    names = {name: f"{reading.name}, {name}" for name in ratings}
    return Compared(
        ratings=ratings,
        introductions=[(names[name], own) for name, own in ratings.items()],
        measures=found.measures,
        preferences=found.preferences,
    )


def _read(experiments: Sequence[NamedInput]) -> Compared:
    by_name: dict[str, list[Ratings]] = {}
    introductions = []
    for experiment in experiments:
        own = experiment.ratings()
        by_name.setdefault(experiment.name, []).append(own)
        introductions.append((f"{experiment.name} ({experiment.reading.name})", own))
    ratings = {name: own[0] if len(own) == 1 else own for name, own in by_name.items()}
    return Compared(ratings=ratings, introductions=introductions)
