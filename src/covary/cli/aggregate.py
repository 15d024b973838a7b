"""`covary aggregate`: one rating per item, from the votes in a file."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import narwhals as nw
import numpy as np

from covary.aggregate import METHODS, RULES, Aggregated, combine, options_of
from covary.cli.progress import Bar
from covary.cli.reading import RatingsCommand, Reading, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.cli.wording import as_options
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import as_frame

__all__ = ["aggregate"]

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")

PHRASES = (
    (r"\boccasions='votes'", "--every-occasion"),
    (r"ratings\.select\((\w+)=(\S+?)\)", r"--only \1=\2"),
    (r"\b(ties|top|rule|prior)='(\w+)'", r"--\1 \2"),
    (r"\b(smoothing)=", r"--\1"),
)
"""What the library calls an option, and what this command calls it."""

EPILOG = """\b
Examples:
  covary aggregate votes.csv --method banchs-b --scale 1-3
  covary aggregate votes.csv --method majority --ties lower --scale 1-5 -o labels.csv
  covary aggregate votes.csv --method dawid-skene -o labels.parquet
  covary aggregate votes.csv --method median --scale 1-5 --slots

\b
Methods, by what they use:
  majority            the votes; ties by the rule of --ties
  median, mean        their order (banchs-b, banchs-a: the same by the rules of Banchs 2016)
  dawid-skene, one-coin, mace, glad
                      who gave which vote: judges must be known by name

What a tied item gets: nothing (abstain), the lower, the upper or the middle category, or one at
random, which depends on the item's name and the seed and never on the order of rows. The file has
a row for each item: item, rating, certainty, votes, tie, the share of votes of each category, and
where there is a model the probability of each category."""


@click.command(
    cls=RatingsCommand, epilog=EPILOG, short_help="Combine many ratings of an item into one."
)
@reads_ratings
@click.option(
    "--method", type=click.Choice(list(METHODS)), required=True, help="How votes are combined.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help=f"The file, whose ending says the format ({', '.join(ENDINGS)}); beside FILE by default.",
)  # fmt: skip
@click.option(
    "--ties", type=click.Choice(list(RULES)),
    help="What a tied item gets; by default nothing (abstain), or the middle category where the "
    "method uses the order of the scale.",
)  # fmt: skip
@click.option(
    "--rule", type=click.Choice(["mean", "extremes"]),
    help="banchs-a: the rounded mean (default), or the middle where both ends have votes.",
)  # fmt: skip
@click.option("--smoothing", type=click.FloatRange(0), help="Models: pseudo-votes for each judge.")
@click.option("--starts", type=click.IntRange(1), help="Models: from how many places to climb.")
@click.option(
    "--top", type=click.Choice(["nearest", "highest"]),
    help="Models: the top nearest to the votes (default), or the highest that a start reaches.",
)  # fmt: skip
@click.option(
    "--prior", type=click.Choice(["uniform", "estimated"]),
    help="one-coin, mace, glad: categories as frequent as each other (default), or estimated.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="Of random ties and further starts.")
@click.option(
    "--every-occasion", is_flag=True, help="Count each occasion and round of a judge as a vote.",
)  # fmt: skip
@click.option("--set-aside", is_flag=True, help="Leave out duplicates and ratings off the scale.")
@debug_option
def aggregate(
    reading: Reading,
    method: str,
    output: Path | None,
    every_occasion: bool,
    set_aside: bool,
    **said: Any,
) -> None:
    """Combine the votes on each item of FILE into one rating.

    Prints how many items, votes and ties there are and how a model came out; writes one row per
    item.
    """
    options = _options(method, said, every_occasion)
    path = _path(reading.file, output)
    with Bar(f"reading {reading.file.name}") as bar:
        ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
        bar.total = 2 + len(ratings.criteria)
        made = list(_combined(ratings, method, options, bar))
        bar("writing")
        _write(made, path)
    introduce(reading.file.name, ratings)
    for each in made:
        say()
        _describe(each)
    say()
    click.echo(f"Written: {path}")


def _options(method: str, said: dict[str, Any], every_occasion: bool) -> dict[str, Any]:
    """Keep what was said, and refuse what the method does not know."""
    given = {name: value for name, value in said.items() if value is not None}
    foreign = [f"--{name}" for name in given if name not in options_of(method)]
    if foreign:
        raise click.UsageError(f"{', '.join(foreign)} means nothing to --method {method}")
    return given | ({"occasions": "votes"} if every_occasion else {})


def _combined(
    ratings: Ratings, method: str, options: dict[str, Any], bar: Bar
) -> Iterator[Aggregated]:
    for criterion in ratings.criteria:
        bar(f"combining {criterion or 'votes'}")
        try:
            yield combine(ratings, method, criterion=criterion, **options)
        except InvalidArgument as error:
            raise InvalidArgument(_worded(str(error))) from error


def _describe(made: Aggregated) -> None:
    """Print the counts, the ties and their rule, and how a model came out."""
    about = "" if made.criterion is None else f" on {made.criterion}"
    say(
        f"{made.title}{about}: {made.n_items:,} items, {int(made.n_votes.sum()):,} votes", bold=True
    )
    tied = int(made.tied.sum())
    if made.categories:
        rule = made.settings["ties"]
        meaning = f": {RULES[rule]}" if tied else ""
        say(f"ties: {tied:,} (rule: {rule}{meaning})", indent=2, hang=2)
        say(f"items without rating: {made.n_abstained:,}", indent=2)
        counts = "  ".join(f"{c}: {made.ratings.count(c):,}" for c in made.categories)
        say(f"ratings given: {counts}", indent=2, hang=2)
    found = made.convergence
    if found is not None:
        say(
            f"converged: log-likelihood {found.log_likelihood:.4f} after {found.iterations} steps; "
            f"{found.agreed} of {found.starts} starts agree",
            indent=2, hang=2,
        )  # fmt: skip
        say(f"expected share of wrong ratings: {made.expected_errors:.1%}", indent=2)
        say(f"judges trusted least: {_least_trusted(made)}", indent=2, hang=2)
    for note in made.notes:
        say(f"note: {_worded(note)}", indent=2, hang=2)
    say(made.signature, indent=2, hang=2, dim=True)


def _least_trusted(made: Aggregated) -> str:
    judged = sorted((fit for fit in made.judges if fit.n_votes), key=lambda fit: fit.accuracy)
    return ", ".join(
        f"{fit.judge} (accuracy {fit.accuracy:.2f}, {fit.n_votes:,} votes)" for fit in judged[:3]
    )


def _worded(message: str) -> str:
    for pattern, words in PHRASES:
        message = re.sub(pattern, words, message)
    return as_options(message)


def _path(source: Path, output: Path | None) -> Path:
    """Return where the ratings go, refusing before any work what could only fail after it."""
    name = f"{Path(source.name.removesuffix('.gz')).stem or source.name}-combined.csv"
    path = source.with_name(name) if output is None else output
    if output is not None and output.is_dir():
        path = output / name
    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"-o '{path}' must end in one of {', '.join(ENDINGS)}")
    if path.exists() and source.exists() and path.samefile(source):
        raise click.UsageError(f"-o '{path}' is the input itself; name another file")
    if not path.parent.is_dir():
        raise InvalidArgument(f"the folder '{path.parent}' does not exist; make it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InvalidArgument(f"the folder '{path.parent}' cannot be written to; use -o elsewhere")
    return path


def _write(made: Sequence[Aggregated], path: Path) -> None:
    """Write a row per item, and replace an existing file once the new one is complete."""
    columns = _table(made)
    floats = [name for name, column in columns.items() if column.dtype.kind == "f"]
    frame = as_frame(columns).with_columns(*(nw.col(name).fill_nan(None) for name in floats))
    if columns["rating"].dtype.kind == "f" and all(_whole(each) for each in made):
        frame = frame.with_columns(nw.col("rating").cast(nw.Int64))
    relation = frame.to_native()
    ending = path.suffix.lower()
    draft = path.with_name(f".{path.stem}-{secrets.token_hex(4)}{ending}")
    try:
        if ending == ".parquet":
            relation.write_parquet(str(draft))
        elif ending == ".jsonl":
            where = str(draft).replace("'", "''")
            relation.query("combined", f"copy combined to '{where}' (format json)")
        else:
            relation.write_csv(str(draft), sep="\t" if ending == ".tsv" else ",", header=True)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _whole(made: Aggregated) -> bool:
    return bool(made.categories) and all(isinstance(each, int) for each in made.categories)


def _table(made: Sequence[Aggregated]) -> dict[str, Any]:
    """Put the tables of all criteria under each other."""
    tables = [each.to_columns() for each in made]
    columns: dict[str, list[Any]] = {
        name: [
            table.get(name, [None] * each.n_items) for each, table in zip(made, tables, strict=True)
        ]
        for name in dict.fromkeys(name for table in tables for name in table)
    }
    if any(each.criterion is not None for each in made):
        columns = {"criterion": [[each.criterion] * each.n_items for each in made]} | columns
    return {name: _column(parts) for name, parts in columns.items()}


def _column(parts: Sequence[Any]) -> Any:
    """Join the parts of a column; numbers with gaps become numbers with NaN, all else text."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    values = [
        value for part in parts for value in (part if isinstance(part, list) else part.tolist())
    ]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return np.array(values)
    if all(value is None or isinstance(value, int | float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = [None if value is None else str(value) for value in values]
    return column
