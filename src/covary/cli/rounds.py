"""`covary rounds`: did the guidelines become better, in a study's cycle or from file to file?"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covary.analysis.rounds import Rounds
from covary.analysis.rounds import rounds as compare_rounds
from covary.cli.collected import SIMULATED, is_study, opened_store, read_folder
from covary.cli.compare import Experiment, named_file, options_of
from covary.cli.completion import files as complete_files
from covary.cli.editions import show_differences, show_edition, show_history
from covary.cli.files import ENDINGS, form_of, output_path, writes_report
from covary.cli.progress import Bar
from covary.cli.reading import NAMES, OPTIONS, Command, RatingsCommand, Reading, reading_of
from covary.cli.screen import debug_option, introduce, say
from covary.errors import InvalidArgument
from covary.formats import read
from covary.ratings import Ratings
from covary.report.rounds import RoundsReport, rounds_report
from covary.training import Refused

if TYPE_CHECKING:
    from covary.store import Store

__all__ = ["rounds"]

EPILOG = """\b
Examples:
  covary rounds questions                               a study's guideline cycle so far
  covary rounds questions --diff 1 2                    what changed in its manual
  covary rounds questions --guidelines last             the manual as it is now
  covary rounds before.csv after.csv --scale 1-4 --best low
  covary rounds first=a.csv second=b.csv third=c.csv --threshold fluency=10
  covary rounds before.csv after.csv --fresh newcomers.csv -o rounds.html

A study's folder tells the rounds of its training, the evaluation by the same judges, and a new
group where others rated it too. Otherwise each FILE is one round, in this order, named by its file
unless NAME=FILE names it; a single FILE needs a column 'round'. --scale, --best and --level may say
NAME=… to mean one round."""

USUAL_NAME = "rounds"


@dataclass(frozen=True)
class Wanted:
    """What the comparison is asked for, beside its ratings."""

    threshold: float | Mapping[str, float] | None
    same_items: bool
    confidence: float
    resamples: int
    seed: int

    def found(
        self,
        turns: Ratings | Mapping[Any, Ratings],
        fresh: Ratings | None,
        history: Any = None,
        usual: Mapping[str, float] | None = None,
    ) -> Rounds:
        """Compare the rounds; `usual` are thresholds that count where none was given."""
        threshold = self.threshold
        if usual and not isinstance(threshold, float):
            threshold = {**usual, **(threshold or {})}
        return compare_rounds(
            turns,
            threshold=threshold,
            same_items=self.same_items,
            history=history,
            fresh=fresh,
            confidence=self.confidence,
            resamples=self.resamples,
            rng=self.seed,
        )


def reads_rounds(command: Command) -> Command:
    """Give a command the rounds and all options of reading; it gets `paths` and `options`."""

    @functools.wraps(command)
    def wrapped(paths: Sequence[str], **given: Any) -> Any:
        own = {name: given.pop(name) for name in list(given) if name not in NAMES}
        return command(paths=tuple(paths), options=given, **own)

    for option in reversed(OPTIONS[1:]):  # the first is the one file of other commands
        wrapped = option(wrapped)
    return click.argument(
        "paths", nargs=-1, metavar="STUDY|[NAME=]FILE...", required=True,
        shell_complete=complete_files,
    )(wrapped)  # fmt: skip


@click.command(
    cls=RatingsCommand, epilog=EPILOG, short_help="Say whether guidelines make judges agree."
)
@reads_rounds
@click.option(
    "--fresh", type=click.Path(path_type=Path), metavar="FILE",
    help="Ratings by a new group that had only the written manual: a file, or a study's folder.",
)  # fmt: skip
@click.option(
    "--threshold", "thresholds", metavar="NUMBER", multiple=True,
    help="How far apart ratings may be: ranks, or points on a line; or CRITERION=NUMBER, repeat "
    "for several. By default one rank, a fifth of a line, no difference between yes and no.",
)  # fmt: skip
@click.option("--same-items", is_flag=True, help="The first and the last round rated the same.")
@click.option(
    "--guidelines", metavar="EDITION",
    help="Print the manual of a study's cycle: first, last, its number or its version.",
)  # fmt: skip
@click.option(
    "--diff", nargs=2, metavar="OLD NEW", help="Print what changed between two editions.",
)  # fmt: skip
@writes_report("in STUDY or beside the first FILE")
@click.option(
    "--resamples", type=click.IntRange(2), default=1000, show_default=True,
    help="Draws of items for what has no formula.",
)  # fmt: skip
@debug_option
def rounds(
    paths: tuple[str, ...],
    options: dict[str, Any],
    fresh: Path | None,
    thresholds: Sequence[str],
    same_items: bool,
    guidelines: str | None,
    diff: tuple[str, str] | None,
    output: Path | None,
    form: str | None,
    title: str | None,
    confidence: float,
    resamples: int,
    seed: int,
) -> None:
    """Compare rounds of rating: where judges differ, alpha with intervals, and what changed it.

    Of a study's guideline cycle also each sentence of the manual with the disagreement that led to
    it, what the training took, and what a new group of judges says.
    """
    study = Path(paths[0])
    wanted = Wanted(_thresholds(thresholds), same_items, confidence, resamples, seed)
    if not is_study(study) or len(paths) > 1:
        if guidelines or diff:
            raise click.UsageError("--guidelines and --diff are about the cycle of one study")
        _of_files(paths, options, fresh, wanted, _Target(output, form, title))
    elif guidelines or diff:
        _manual(study, options["database"], guidelines, diff)
    else:
        _of_study(study, options, fresh, wanted, _Target(output, form, title))


@dataclass(frozen=True)
class _Target:
    """Where the report goes and how."""

    output: Path | None
    form: str | None
    title: str | None

    @property
    def chosen(self) -> str:
        return form_of(self.output, self.form)

    def path(self, folder: Path, sources: Sequence[Path]) -> Path:
        usual = f"{USUAL_NAME}{ENDINGS[self.chosen]}"
        where = folder / usual if self.output is None else self.output
        where = where / usual if where.is_dir() else where
        for each in sources:
            output_path(each, where, self.chosen)
        return where


def _of_study(
    path: Path, options: dict[str, Any], fresh: Path | None, wanted: Wanted, target: _Target
) -> None:
    from covary.store.rounds import trained
    from covary.store.training import Training

    study = read_folder(path)
    where = target.path(study.folder, [study.folder / "study.toml"])
    reading = _only_criteria(path, options, fresh)
    with _opened(path, options["database"]) as store, Bar("reading") as bar:
        try:
            found = trained(study, store, criteria=reading.only.get("criterion"))
        except Refused:  # nothing to compare yet; where it stands can be said
            show_history(Training(store).cycle().history())
            raise
        bar("comparing")
        last = list(found.rounds.values())[-1]
        group = found.fresh if fresh is None else _fresh(fresh, reading, last)
        made = rounds_report(
            wanted.found(found.rounds, group, found.history, found.cycle.thresholds),
            title=target.title or f"{study.title}: rounds of training",
        )
        bar("writing")
        made.write(where, target.chosen)
    show_history(found.history)
    for note in found.notes:
        say(note, indent=2)
    _tell(made, where)


def _of_files(
    paths: Sequence[str],
    options: dict[str, Any],
    fresh: Path | None,
    wanted: Wanted,
    target: _Target,
) -> None:
    turns = _turns(paths, options)
    files = [each.reading.file for each in turns]
    where = target.path(files[0].parent, files)
    with Bar("reading") as bar:
        read_in = [each.ratings() for each in turns]
        group = None if fresh is None else _fresh(fresh, turns[-1].reading, read_in[-1])
        bar("comparing")
        rated: Ratings | dict[str, Ratings] = (
            read_in[0]
            if len(turns) == 1
            else {each.name: own for each, own in zip(turns, read_in, strict=True)}
        )
        made = rounds_report(wanted.found(rated, group), title=target.title)
        bar("writing")
        made.write(where, target.chosen)
    for each, own in zip(turns, read_in, strict=True):
        introduce(f"{each.name} ({each.reading.file.name})", own)
    if group is not None and fresh is not None:
        introduce(f"new group ({fresh.name})", group)
    _tell(made, where)


def _tell(made: RoundsReport, where: Path) -> None:
    say()
    click.echo(made.short())
    say()
    click.echo(f"Written: {where}")


def _manual(
    path: Path, database: str | None, edition: str | None, diff: tuple[str, str] | None
) -> None:
    from covary.store.training import Training

    with _opened(path, database) as store:
        editions = Training(store).cycle().editions
        name = store.name
    if edition is not None:
        show_edition(editions, edition, name)
    if diff is not None:
        show_differences(editions, *diff, name)


def _opened(path: Path, database: str | None) -> Store:
    """Open the store of a study, which need not be there before the first judge comes."""
    folder = path.parent if path.suffix == ".db" else path
    if database is None and not any((folder / name).exists() for name in ("study.db", SIMULATED)):
        raise InvalidArgument(
            f"no guideline cycle has begun in '{path}': serve the study (covary serve "
            f"{shlex.quote(str(path))}) and begin one on the researcher's page, or compare files: "
            "covary rounds before.csv after.csv"
        )
    return opened_store(path, database)


def _turns(paths: Sequence[str], options: dict[str, Any]) -> list[Experiment]:
    named = [named_file(text) for text in paths]
    names = [name for name, _ in named]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise click.UsageError(
            f"two rounds are called {twice[0]!r}; tell them apart with NAME=FILE"
        )
    return [
        Experiment(name, reading_of(options_of(options, name, names) | {"file": file}))
        for name, file in named
    ]


def _only_criteria(path: Path, options: dict[str, Any], fresh: Path | None) -> Reading:
    """Return what was said of reading; of a study only its criteria can be chosen."""
    reading = reading_of(options | {"file": path})
    foreign = [name for name in reading.only if name != "criterion"]
    if foreign:
        raise click.UsageError("of a study's cycle only --only criterion=… can be chosen")
    if reading.keywords and fresh is None:
        raise click.UsageError(
            f"'{path}' is a study, which knows its own columns and scales; leave out everything "
            f"but --only and --database (got {', '.join(reading.keywords)})"
        )
    return reading


def _fresh(file: Path, like: Reading, authors: Ratings) -> Ratings:
    """Read a new group's ratings, on the scales of the authors where none are given."""
    if is_study(file):
        return Reading(file, {}, like.only).ratings()
    keywords = dict(like.keywords)
    if "scale" not in keywords and "level" not in keywords:
        keywords["scale"] = dict(authors.scales)
    found = read(file, **keywords)
    kept = {name: values for name, values in like.only.items() if name == "criterion"}
    return found.select(**kept) if kept else found


def _thresholds(texts: Sequence[str]) -> float | Mapping[str, float] | None:
    """Take 'CRITERION=NUMBER' apart; a number alone is for all criteria."""
    found: dict[str | None, float] = {}
    for text in texts:
        criterion, _, number = text.rpartition("=")
        try:
            found[criterion or None] = float(number)
        except ValueError:
            raise click.UsageError(f"--threshold {text!r} must end in a number") from None
    if None not in found:
        return {str(name): value for name, value in found.items()} or None
    if len(found) > 1:
        raise click.UsageError("--threshold: give one number for all, or one for each criterion")
    return found[None]
