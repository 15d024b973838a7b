"""`covary compare`: two or more scales on validity, reliability, stability and more."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from covary.analysis.scale_comparison import PROCEDURES
from covary.cli.completion import files as complete_files
from covary.cli.files import ENDINGS, form_of, output_path, writes_report
from covary.cli.progress import Bar
from covary.cli.reading import NAMES, OPTIONS, Command, RatingsCommand, Reading, reading_of
from covary.cli.screen import debug_option, introduce, say
from covary.errors import CovaryError
from covary.formats.measures import read_measures, read_preferences
from covary.ratings import Ratings
from covary.report.scale_comparison import scale_report

__all__ = ["Experiment", "compare", "named_file", "options_of"]

EPILOG = """\b
Examples:
  covary compare vds.csv vas.csv --scale vds=1-7 --scale vas=0-100
  covary compare vds.csv vas.csv --validity accuracy.csv --preference preference.csv
  covary compare VDS=first.csv VDS=again.csv VAS=vas.csv -o scales.html
  covary compare vds.csv vas.csv --margin 0.3 --procedure holm --format json

Each FILE is one experiment, named by its file unless NAME=FILE names it; files of one NAME are its
occasions, test and retest, and so are the values of a column 'occasion'. Every file needs a column
'system'. --scale, --best and --level may say NAME=… to mean one experiment."""

BY_NAME = ("scale", "best", "level")
"""The options that may be about one experiment."""

USUAL_NAME = "scale-comparison"


@dataclass(frozen=True)
class Experiment:
    """A file and the experiment that it belongs to."""

    name: str
    reading: Reading

    def ratings(self) -> Ratings:
        """Read the file; what is wrong with it is said with the experiment's name."""
        try:
            return self.reading.ratings()
        except CovaryError as error:
            raise type(error)(f"{self.name}: {error}") from error


def reads_experiments(command: Command) -> Command:
    """Give a command the argument FILES and all options of reading; it gets `experiments`."""

    @functools.wraps(command)
    def wrapped(files: Sequence[str], **options: Any) -> Any:
        own = {name: options.pop(name) for name in list(options) if name not in NAMES}
        return command(experiments=tuple(_experiments(files, options)), **own)

    for option in reversed(OPTIONS[1:]):  # the first is the one file of other commands
        wrapped = option(wrapped)
    return click.argument(
        "files", nargs=-1, metavar="[NAME=]FILE...", required=True, shell_complete=complete_files
    )(wrapped)


@click.command(
    cls=RatingsCommand, epilog=EPILOG, short_help="Compare two or more scales on the same systems."
)
@reads_experiments
@click.option(
    "--validity", type=click.Path(path_type=Path), metavar="FILE",
    help="A task measure per system: a column 'system', and one for each measure.",
)  # fmt: skip
@click.option(
    "--preference", type=click.Path(path_type=Path), metavar="FILE",
    help="Which scale judges prefer: columns 'judge' and 'preference'.",
)  # fmt: skip
@click.option(
    "--margin", type=click.FloatRange(0, 2, min_open=True, max_open=True), default=0.5,
    show_default=True, help="Smallest difference that matters, in sd of the systems.",
)  # fmt: skip
@click.option(
    "--procedure", type=click.Choice(PROCEDURES), default="tukey", show_default=True,
    help="How pairs of systems are compared.",
)  # fmt: skip
@click.option(
    "--alpha", type=click.FloatRange(0, 0.5, min_open=True, max_open=True), default=0.05,
    show_default=True, help="Level of the tests.",
)  # fmt: skip
@writes_report("beside the first FILE")
@click.option("--no-intervals", is_flag=True, help="Quick: no intervals of what is drawn.")
@debug_option
def compare(
    experiments: tuple[Experiment, ...],
    validity: Path | None,
    preference: Path | None,
    margin: float,
    procedure: str,
    alpha: float,
    output: Path | None,
    form: str | None,
    title: str | None,
    confidence: float,
    seed: int,
    no_intervals: bool,
) -> None:
    """Compare the scales of two or more experiments on the same systems.

    Do they go with a task measure (validity)? Do judges share an order of the systems
    (reliability)? Do the same judges say the same again (stability)? Can one scale stand for the
    other (interchangeability)? How many systems do they tell apart (sensitivity)?
    """
    chosen = form_of(output, form)
    path = _path(experiments, output, chosen)
    with Bar("reading") as bar:
        ratings = [each.ratings() for each in experiments]
        made = scale_report(
            _by_name(experiments, ratings),
            title=title,
            validity=None if validity is None else read_measures(validity),
            preference=None if preference is None else read_preferences(preference),
            margin=margin,
            procedure=procedure,
            alpha=alpha,
            confidence=confidence,
            intervals=not no_intervals,
            rng=seed,
            progress=bar,
        )
        bar("writing")
        made.write(path, chosen)
    for each, own in zip(experiments, ratings, strict=True):
        introduce(f"{each.name} ({each.reading.file.name})", own)
    for note in made.comparison.notes:
        say(note, indent=2)
    for first, second, same in made.comparison.same_judges:
        say(f"Same judges in {first} and {second}: {same}.")
    say()
    click.echo(made.short())
    say()
    click.echo(f"Written: {path}")


def _experiments(files: Sequence[str], options: dict[str, Any]) -> Iterator[Experiment]:
    named = [named_file(text) for text in files]
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
    for name, file in named:
        yield Experiment(name, reading_of(options_of(options, name, names) | {"file": file}))


def named_file(text: str) -> tuple[str, Path]:
    """Take NAME=FILE apart, unless a file is really called so."""
    name, equals, file = text.partition("=")
    if equals and name and file and not Path(text).exists():
        return name, Path(file)
    path = Path(text)
    return path.name.removesuffix(".gz").removesuffix(path.suffix) or str(path), path


def options_of(options: dict[str, Any], name: str, names: Sequence[str]) -> dict[str, Any]:
    """Keep what is about this experiment or about none by name."""
    own = dict(options)
    for option in BY_NAME:
        kept = []
        for text in options[option]:
            about, equals, value = text.partition("=")
            if not equals or about not in names:
                kept.append(text)
            elif about == name:
                kept.append(value)
        own[option] = tuple(kept)
    return own


def _by_name(
    experiments: Sequence[Experiment], ratings: Sequence[Ratings]
) -> dict[str, Ratings | list[Ratings]]:
    found: dict[str, list[Ratings]] = {}
    for each, own in zip(experiments, ratings, strict=True):
        found.setdefault(each.name, []).append(own)
    return {name: own[0] if len(own) == 1 else own for name, own in found.items()}


def _path(experiments: Sequence[Experiment], output: Path | None, form: str) -> Path:
    usual = f"{USUAL_NAME}{ENDINGS[form]}"
    where = experiments[0].reading.file.with_name(usual) if output is None else output
    where = where / usual if where.is_dir() else where
    for each in experiments:
        output_path(each.reading.file, where, form)
    return where
