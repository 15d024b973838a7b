"""`covary rounds`: did the guidelines become better, in a study's cycle or from file to file?"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covary.analysis.rounds import History, Rounds
from covary.analysis.rounds import rounds as compare_rounds
from covary.cli.options import default_option, file_option
from covary.cli.output import ReportTarget, show_report, writes_report
from covary.cli.reading import (
    NamedInput,
    RatingsCommand,
    RatingsInput,
    named_file,
    named_inputs,
    ratings_input,
    reads_several,
)
from covary.cli.screen import ProgressBar, debug_option, heading, introduce, say
from covary.cli.study_folder import SIMULATED, is_study, open_store, read_study_folder
from covary.errors import InvalidArgument
from covary.formats import read
from covary.ratings import Ratings
from covary.reports.rounds import rounds_report
from covary.study.manual import Edition, GuidelineChange, compare_manuals
from covary.study.model import Criterion
from covary.training import Refused
from covary.words import TERMINAL, reword

if TYPE_CHECKING:
    from covary.store import Store


SHORTEST = 4
"""So many letters of a version name it."""

COLOURS = {"+": "green", "-": "red", " ": None}


def show_edition(editions: Sequence[Edition], wanted: str, store: str) -> None:
    """Print a whole edition: the criteria with their scales, then the guidelines."""
    edition = _find_edition(editions, wanted, store)
    number = editions.index(edition) + 1
    say(f"Manual {edition.version}, edition {number} of {len(editions)}", bold=True)
    for criterion in edition.criteria:
        say()
        _show_criterion(criterion)
    say()
    click.echo(edition.guidelines.rstrip("\n"))


def show_differences(editions: Sequence[Edition], old: str, new: str, store: str) -> None:
    """Print what changed between two editions, a paragraph at a time."""
    first, second = (_find_edition(editions, name, store) for name in (old, new))
    changes = compare_manuals(first, second)
    say(f"From manual {changes.old_version} to {changes.new_version}", bold=True)
    if not changes:
        say("Nothing changed.")
    for scheme in changes.scheme:
        say()
        say(scheme.sentence)
    for paragraph in changes.guidelines:
        say()
        _show_change(paragraph)


def show_history(history: History) -> None:
    """Print what each round took, how the manual grew, and how it ended."""
    heading("Rounds of training")
    for work in history.work:
        marked = "not compared yet" if work.marked is None else f"{work.marked} marked"
        say(
            f"round {work.name}, manual {work.version}: {work.items} items, {work.judges} judges, "
            f"{marked}, {work.said} said, {work.proposals} proposed, {work.accepted} accepted, "
            f"{work.changes} changed",
            hang=2,
        )
        if work.verdict:
            say(work.verdict, indent=2, dim=True)
    heading("Editions of the manual")
    for number, edition in enumerate(history.editions, start=1):
        after = f" by {edition.by} after round {edition.round}" if edition.round else ", first"
        say(f"{number}  {edition.version}{after}", hang=3)
        for kind, summary, sentence in edition.changes:
            reason = f": {sentence}" if sentence else ""
            say(f"{kind}: {summary}{reason}", indent=3, hang=2)
    say()
    say(history.outcome, bold=True)


def _find_edition(editions: Sequence[Edition], wanted: str, store: str) -> Edition:
    if not editions:
        raise InvalidArgument("cli.one-manual", store=store)
    places = {"first": 1, "last": len(editions)}
    number = places.get(wanted) or (int(wanted) if wanted.isdecimal() and len(wanted) < 4 else 0)
    if 1 <= number <= len(editions):
        return editions[number - 1]
    fitting = [
        edition
        for edition in editions
        if len(wanted) >= SHORTEST and edition.version.startswith(wanted)
    ]
    if len({edition.version for edition in fitting}) == 1:
        return fitting[-1]
    have = ", ".join(
        f"{place} ({edition.version})" for place, edition in enumerate(editions, start=1)
    )
    raise InvalidArgument("cli.unknown-edition", value=wanted, editions=have)


def _show_criterion(criterion: Criterion) -> None:
    say(criterion.key, bold=True)
    say(criterion.question, indent=2)
    if criterion.definition:
        say(criterion.definition, indent=2)
    best = {"high": "; high is best", "low": "; low is best", None: ""}[criterion.scale.best]
    say(f"{criterion.scale.describe()}{best}", indent=2, dim=True)
    for category, label in _labels(criterion):
        say(f"{category}  {label}", indent=4, hang=3)


def _labels(criterion: Criterion) -> list[tuple[object, str]]:
    """What stands beside each rank, where it is more than the rank itself."""
    labels = getattr(criterion.scale, "labels", None) or ()
    pairs: list[tuple[object, str]] = [*zip(criterion.scale.categories or (), labels, strict=False)]
    return [] if all(str(category) == label for category, label in pairs) else pairs


def _show_change(change: GuidelineChange) -> None:
    """Print a paragraph with its sign; of a changed one, what it was and what it is."""
    lines = [("-", change.old), ("+", change.new)]
    for sign, text in lines:
        if text:
            say(f"{sign} {text}", hang=2, fg=COLOURS[sign])


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


@dataclass(frozen=True, kw_only=True)
class RoundsOptions:
    """What the comparison is asked for, beside its ratings."""

    fresh: Path | None
    threshold: float | Mapping[str, float] | None
    same_items: bool
    confidence: float
    resamples: int
    seed: int

    def compare(
        self,
        turns: Ratings | Mapping[Any, Ratings],
        fresh: Ratings | None,
        *,
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


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_several("STUDY|[NAME=]FILE...")
@file_option(
    "--fresh",
    "Ratings by a new group that had only the written manual: a file, or a study's folder.",
)
@click.option(
    "--threshold",
    "thresholds",
    metavar="NUMBER",
    multiple=True,
    help="How far apart ratings may be: ranks, or points on a line; or CRITERION=NUMBER, repeat "
    "for several. By default one rank, a fifth of a line, no difference between yes and no.",
)
@click.option("--same-items", is_flag=True, help="The first and the last round rated the same.")
@click.option(
    "--guidelines",
    metavar="EDITION",
    help="Print the manual of a study's cycle: first, last, its number or its version.",
)
@click.option(
    "--diff",
    nargs=2,
    metavar="OLD NEW",
    help="Print what changed between two editions.",
)
@writes_report("in STUDY or beside the first FILE")
@default_option("--resamples", click.IntRange(2), 1000, "Draws of items for what has no formula.")
@debug_option
def rounds(
    paths: tuple[str, ...],
    options: dict[str, Any],
    fresh: Path | None,
    thresholds: Sequence[str],
    same_items: bool,
    guidelines: str | None,
    diff: tuple[str, str] | None,
    target: ReportTarget,
    confidence: float,
    resamples: int,
    seed: int,
) -> None:
    """Compare rounds of rating: where judges differ, alpha with intervals, and what changed it.

    Of a study's guideline cycle also each sentence of the manual with the disagreement that led to
    it, what the training took, and what a new group of judges says.
    """
    study = Path(paths[0])
    asked = RoundsOptions(
        fresh=fresh,
        threshold=_thresholds(thresholds),
        same_items=same_items,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    if not is_study(study) or len(paths) > 1:
        if guidelines or diff:
            raise click.UsageError("--guidelines and --diff are about the cycle of one study")
        _of_files(paths, options, asked, target)
    elif guidelines or diff:
        _manual(study, options["database"], guidelines, diff)
    else:
        _of_study(study, options, asked, target)


def _of_study(
    path: Path, options: dict[str, Any], asked: RoundsOptions, target: ReportTarget
) -> None:
    from covary.store.rounds import training_ratings

    study = read_study_folder(path)
    where = target.path(study.folder / "rounds", study.folder / "study.toml")
    reading = _only_criteria(path, options, asked.fresh)
    with _open_cycle_store(path, options["database"]) as store, ProgressBar("reading") as bar:
        try:
            trained = training_ratings(study, store, criteria=reading.only.get("criterion"))
        except Refused:  # nothing to compare yet; where it stands can be said
            show_history(store.training.cycle().history())
            raise
        bar("comparing")
        last = list(trained.rounds.values())[-1]
        group = trained.fresh if asked.fresh is None else _fresh(asked.fresh, reading, last)
        compared = asked.compare(
            trained.rounds, group, history=trained.history, usual=trained.cycle.thresholds
        )
        title = target.title or f"{study.title}: rounds of training"
        made = rounds_report(compared, title=title, seals=[store.head()])
        bar("writing")
        made.write(where, target.form)
    show_history(trained.history)
    for note in trained.notes:
        say(reword(note, TERMINAL), indent=2)
    show_report(made, where)


def _of_files(
    paths: Sequence[str], options: dict[str, Any], asked: RoundsOptions, target: ReportTarget
) -> None:
    turns = _turns(paths, options)
    files = [turn.reading.file for turn in turns]
    where = target.path(files[0].with_name("rounds"), *files)
    with ProgressBar("reading") as bar:
        ratings = {turn.name: turn.ratings() for turn in turns}
        group = None
        if asked.fresh is not None:
            group = _fresh(asked.fresh, turns[-1].reading, ratings[turns[-1].name])
        bar("comparing")
        rated = ratings if len(turns) > 1 else ratings[turns[0].name]
        made = rounds_report(asked.compare(rated, group), title=target.title)
        made = made.sealed(*ratings.values())
        bar("writing")
        made.write(where, target.form)
    for turn in turns:
        turn.introduce(ratings[turn.name])
    if group is not None and asked.fresh is not None:
        introduce(f"new group ({asked.fresh.name})", group)
    show_report(made, where)


def _manual(
    path: Path, database: str | None, edition: str | None, diff: tuple[str, str] | None
) -> None:

    with _open_cycle_store(path, database) as store:
        editions = store.training.cycle().editions
        name = store.name
    if edition is not None:
        show_edition(editions, edition, name)
    if diff is not None:
        show_differences(editions, *diff, name)


def _open_cycle_store(path: Path, database: str | None) -> Store:
    """Open the store of a study, which need not be there before the first judge comes."""
    folder = path.parent if path.suffix == ".db" else path
    if database is None and not any((folder / name).exists() for name in ("study.db", SIMULATED)):
        raise InvalidArgument("cli.no-cycle", path=path, quoted=shlex.quote(str(path)))
    return open_store(path, database)


def _turns(paths: Sequence[str], options: dict[str, Any]) -> list[NamedInput]:
    named = [named_file(text) for text in paths]
    names = [name for name, _ in named]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise click.UsageError(
            f"two rounds are called {twice[0]!r}; tell them apart with NAME=FILE"
        )
    return named_inputs(named, options)


def _only_criteria(path: Path, options: dict[str, Any], fresh: Path | None) -> RatingsInput:
    """Return what was said of reading; of a study only its criteria can be chosen."""
    reading = ratings_input(options | {"file": path})
    foreign = [name for name in reading.only if name != "criterion"]
    if foreign:
        raise click.UsageError("of a study's cycle only --only criterion=… can be chosen")
    if reading.keywords and fresh is None:
        raise click.UsageError(
            f"'{path}' is a study, which knows its own columns and scales; leave out everything "
            f"but --only and --database (got {', '.join(reading.keywords)})"
        )
    return reading


def _fresh(file: Path, like: RatingsInput, authors: Ratings) -> Ratings:
    """Read a new group's ratings, on the scales of the authors where none are given."""
    if is_study(file):
        return RatingsInput(file, {}, like.only).ratings()
    keywords = dict(like.keywords)
    if "scale" not in keywords and "level" not in keywords:
        keywords["scale"] = dict(authors.scales)
    ratings = read(file, **keywords)
    kept = {name: values for name, values in like.only.items() if name == "criterion"}
    return ratings.select(**kept) if kept else ratings


def _thresholds(texts: Sequence[str]) -> float | Mapping[str, float] | None:
    """Take 'CRITERION=NUMBER' apart; a number alone is for all criteria."""
    numbers: dict[str | None, float] = {}
    for text in texts:
        criterion, _, number = text.rpartition("=")
        try:
            numbers[criterion or None] = float(number)
        except ValueError:
            raise click.UsageError(f"--threshold {text!r} must end in a number") from None
    if None not in numbers:
        return {str(name): value for name, value in numbers.items()} or None
    if len(numbers) > 1:
        raise click.UsageError("--threshold: give one number for all, or one for each criterion")
    return numbers[None]
