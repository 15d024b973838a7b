"""`covary aggregate`: one rating per item, from the votes in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from covary.aggregate import (
    METHODS,
    RULES,
    Aggregated,
    CombinedError,
    combine,
    combined_error,
    options_of,
)
from covary.aggregate.large import LargeAggregated, large_table, named_items
from covary.aggregate.result import combined_table
from covary.cli.command_group import Choice
from covary.cli.options import file_option, output_option, set_aside_option
from covary.cli.output import check_writable, refuse_input, stem
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, debug_option, introduce, say
from covary.errors import RatingsError
from covary.formats.files import complete_file
from covary.formats.long import write_rows
from covary.formats.measures import read_answers
from covary.ratings import Ratings
from covary.ratings.engine_tables import as_relation
from covary.words import TERMINAL, reword

Combined = Aggregated | LargeAggregated

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")

EPILOG = """\b
Examples:
  covary aggregate votes.csv --method banchs-b --scale 1-3
  covary aggregate votes.csv --method majority --ties lower --scale 1-5 -o labels.csv
  covary aggregate votes.csv --method dawid-skene -o labels.parquet
  covary aggregate votes.csv --method median --scale 1-5 --slots
  covary aggregate votes.csv --method one-coin --scale 1-3 --gold answers.csv

\b
Methods, by what they use:
  majority            the votes; ties by the rule of --ties
  median, mean        their order (banchs-b, banchs-a: the same by the rules of Banchs 2016)
  dawid-skene, one-coin, mace, glad
                      who gave which vote: judges must be known by name

What a tied item gets: nothing (abstain), the lower, the upper or the middle category, or one at
random, which depends on the item's name and the seed and never on the order of rows. The file has
a row for each item: item, rating, certainty, votes, tie, the share of votes of each category, and
where there is a model the probability of each category.

The share of wrong ratings is counted on the items of --gold. Without it, the share is estimated
only where the votes show that judges err independently of each other."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@click.option(
    "--method",
    type=Choice(list(METHODS)),
    required=True,
    help="How votes are combined.",
)
@output_option(
    f"The file; its ending sets the format ({', '.join(ENDINGS)}). Beside FILE by default."
)
@click.option(
    "--ties",
    type=Choice(list(RULES)),
    help="What a tied item gets; by default nothing (abstain), or the middle category where the "
    "method uses the order of the scale.",
)
@click.option(
    "--rule",
    type=Choice(["mean", "extremes"]),
    help="banchs-a: the rounded mean (default), or the middle where both ends have votes.",
)
@click.option("--smoothing", type=click.FloatRange(0), help="Models: pseudo-votes for each judge.")
@click.option("--starts", type=click.IntRange(1), help="Models: how many random starts to try.")
@click.option(
    "--top",
    type=Choice(["nearest", "highest"]),
    help="Models: keep the solution nearest to the votes (default), or the likeliest one.",
)
@click.option(
    "--prior",
    type=Choice(["uniform", "estimated"]),
    help="one-coin, mace, glad: categories as frequent as each other (default), or estimated.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of random ties and further starts.")
@click.option(
    "--every-occasion",
    is_flag=True,
    help="Count each occasion and round of a judge as a vote.",
)
@file_option("--gold", "Known answers: a table with the columns item and answer.")
@set_aside_option
@debug_option
def aggregate(
    reading: RatingsInput,
    method: str,
    output: Path | None,
    every_occasion: bool,
    gold: Path | None,
    set_aside: bool,
    **said: Any,
) -> None:
    """Combine the votes on each item of FILE into one rating.

    Prints how many items, votes and ties there are and how a model came out; writes one row per
    item.
    """
    options = _options(method, said, every_occasion)
    path = _path(reading.file, output)
    with ProgressBar(f"reading {reading.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        bar.total = 2 + 2 * len(ratings.criteria)
        made = list(_combined(ratings, method, options, bar))
        errors = [_error(ratings, result, gold, bar) for result in made]
        bar("writing")
        with complete_file(path) as draft:
            write_rows(_table(made), draft)
    introduce(reading.name, ratings)
    for result, error in zip(made, errors, strict=True):
        say()
        _describe(result, error)
    say()
    click.echo(f"Written: {path}")


def _table(made: Sequence[Combined]) -> Any:
    """The combined ratings of all criteria, as they can be written."""
    large = [result for result in made if isinstance(result, LargeAggregated)]
    if large:
        return as_relation(large_table(large))
    return combined_table([one for one in made if isinstance(one, Aggregated)]).to_native()


def _options(method: str, options: dict[str, Any], every_occasion: bool) -> dict[str, Any]:
    """Keep what was said, and refuse what the method does not know."""
    given = {name: value for name, value in options.items() if value is not None}
    foreign = [f"--{name}" for name in given if name not in options_of(method)]
    if foreign:
        raise click.UsageError(f"{', '.join(foreign)} means nothing to --method {method}")
    return given | ({"occasions": "votes"} if every_occasion else {})


def _combined(
    ratings: Ratings, method: str, options: dict[str, Any], bar: ProgressBar
) -> Iterator[Combined]:
    for criterion in ratings.criteria:
        bar(f"combining {criterion or 'votes'}")
        yield combine(ratings, method, criterion=criterion, **options)


def _error(ratings: Ratings, made: Combined, gold: Path | None, bar: ProgressBar) -> CombinedError:
    """Say how many ratings are wrong, by the known answers where there are any."""
    bar(f"checking {made.criterion or 'ratings'}")
    known = {} if gold is None else _known_answers(made, gold, ratings)
    return combined_error(ratings, made, gold=known)


def _known_answers(made: Combined, file: Path, ratings: Ratings) -> dict[Any, Any]:
    answers, known = read_answers(file), {}
    items = made.items if isinstance(made, Aggregated) else named_items(ratings, answers)
    for item in items:
        if str(item) in answers:
            line, text = answers[str(item)]
            known[item] = made.scale.read(text)
            if known[item] is None:
                scale = made.scale.describe()
                raise RatingsError(
                    "formats.answer-off-scale", file=file.name, line=line, value=text, scale=scale
                )
    if not known:
        raise RatingsError("aggregate.gold-elsewhere", value=len(answers))
    return known


def _describe(made: Combined, error: CombinedError) -> None:
    """Print the counts, the ties and their rule, and how a model came out."""
    about = "" if made.criterion is None else f" on {made.criterion}"
    say(f"{made.title}{about}: {made.n_items:,} items, {made.all_votes:,} votes", bold=True)
    tied = made.n_ties
    if made.categories:
        rule = made.settings["ties"]
        meaning = f": {RULES[rule]}" if tied else ""
        say(f"ties: {tied:,} (rule: {rule}{meaning})", indent=2, hang=2)
        say(f"items without rating: {made.n_abstained:,}", indent=2)
        counts = "  ".join(f"{category}: {n:,}" for category, n in made.given.items())
        say(f"ratings given: {counts}", indent=2, hang=2)
    end = made.convergence
    if end is not None:
        say(
            f"converged: log-likelihood {end.log_likelihood:.4f} after {end.iterations} steps; "
            f"{end.agreed} of {end.starts} starts agree",
            indent=2,
            hang=2,
        )
        say(f"judges trusted least: {_least_trusted(made)}", indent=2, hang=2)
    if error.basis != "none":
        interval = f"{error.low:.1%} to {error.high:.1%}"
        say(f"wrong ratings: {error.share:.1%} (95% interval {interval})", indent=2)
    for note in (*made.notes, *error.notes):
        say(f"note: {reword(note, TERMINAL)}", indent=2, hang=2)
    say(made.signature, indent=2, hang=2, dim=True)


def _least_trusted(made: Combined) -> str:
    judged = sorted((fit for fit in made.judges if fit.n_votes), key=lambda fit: fit.accuracy)
    return ", ".join(
        f"{fit.judge} (accuracy {fit.accuracy:.2f}, {fit.n_votes:,} votes)" for fit in judged[:3]
    )


def _path(source: Path, output: Path | None) -> Path:
    """Return where the ratings go, refusing before any work what could only fail after it."""
    name = f"{stem(source)}-combined.csv"
    path = source.with_name(name) if output is None else output
    path = path / name if output is not None and output.is_dir() else path
    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"-o '{path}' must end in one of {', '.join(ENDINGS)}")
    refuse_input(path, source)
    check_writable(path)
    return path
