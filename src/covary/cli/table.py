"""`covary table`: chosen coefficients for every criterion, by groups or pairs of judges."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from covary.analysis.any_data import COEFFICIENTS
from covary.analysis.coefficient_tables import CoefficientRow, CoefficientTable, coefficient_table
from covary.analysis.reliability_result import Average
from covary.cli.command_group import Choice
from covary.cli.options import output_option, set_aside_option
from covary.cli.output import check_writable, refuse_input
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.formats.files import complete_file
from covary.stats.pairs import FEWEST_COMMON

EPILOG = """\b
Examples:
  covary table ratings.csv --scale 1-5
  covary table ratings.csv --scale 1-5 --coefficient fleiss_kappa --by group
  covary table batches.csv --wide 'J*' --scale 1-4 --by pair \\
      --coefficient conger_kappa --coefficient goodman_kruskal_gamma -o table7.csv

A row for each set of judges and coefficient, a column for each criterion, and the average over
criteria with its sign and without it, because values of different signs cancel out. Judges who
share no item are named below the table."""

WEAK = "*"
"""Marks a value of judges who share too few items for one of their own."""

USUAL = ("krippendorff_alpha", "goodman_kruskal_gamma")


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@click.option(
    "--coefficient",
    "coefficients",
    type=Choice(list(COEFFICIENTS)),
    multiple=True,
    help=f"Repeat for more; {' and '.join(USUAL)} by default.",
)
@click.option("--by", type=Choice(["group", "pair"]), help="Also each group or pair of judges.")
@output_option("A CSV file for the unrounded values.")
@set_aside_option
@debug_option
def table(
    reading: RatingsInput,
    coefficients: tuple[str, ...],
    by: Any,
    output: Path | None,
    set_aside: bool,
) -> None:
    """Print chosen coefficients for every criterion, as Amidei et al. (2019) did.

    For all judges, and with --by for each group or for each pair of judges, who may share a batch
    of the items only; with averages over criteria, and those of the values without their
    signs where some are negative.
    """
    if output is not None:
        refuse_input(output, reading.file)
        check_writable(output)
    ratings = reading.ratings(faulty="set-aside" if set_aside else "refuse")
    found = coefficient_table(ratings, coefficients or USUAL, by=by)
    introduce(reading.name, ratings)
    _print(found)
    if output is not None:
        _write(found, output)
        click.echo(f"Written: {output}")


def _write(found: CoefficientTable, output: Path) -> None:
    rows = found.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    with complete_file(output) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, names, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def _print(found: CoefficientTable) -> None:
    wide = max(len(row.judges) for row in found.table)
    names = [str(criterion) if criterion is not None else "value" for criterion in found.criteria]
    signed = any(row.average is not None and _has_signs(row.average) for row in found.table)
    averages = ["average", "unsigned"][: 1 + signed] if len(names) > 1 else []
    columns = [*names, *averages, "items"]
    width = max(9, *map(len, columns)) + 2
    for name in found.coefficients:
        say()
        say(name, bold=True)
        click.echo("  " + " " * wide + "".join(f"{column:>{width}}" for column in columns))
        for row in found.table:
            if row.coefficient == name:
                cells = "".join(f"{cell:>{width}}" for cell in _cells(found, row, len(averages)))
                click.echo(f"  {row.judges:{wide}}{cells}")
    for note in _notes(found, averages):
        say()
        say(note)
    say()


def _cells(found: CoefficientTable, row: CoefficientRow, averages: int) -> Iterator[str]:
    """The values of each criterion, marked where they rest on little; the averages; the items."""
    for criterion in found.criteria:
        estimate = row.estimates.get(criterion)
        mark = WEAK if found.rests_on_little(row, criterion) else ""
        yield _shown(math.nan if estimate is None else estimate.value) + mark
    mean = row.average
    means = (math.nan, math.nan) if mean is None else (mean.signed, mean.absolute)
    yield from map(_shown, means[:averages])
    yield f"{max(estimate.n_items for estimate in row.estimates.values()):,}"


def _notes(found: CoefficientTable, averages: Sequence[str]) -> Iterator[str]:
    """Why values are missing or marked, and who shares no item."""
    for name, reason in found.undefined().items():
        yield f"{name}: {reason}."
    if any(found.rests_on_little(row, name) for row in found.table for name in found.criteria):
        few = f"fewer than {FEWEST_COMMON} items (of fewer than 20: half of them)"
        yield f"{WEAK} on {few} a value says little."
    if "unsigned" in averages:
        yield "unsigned: the average of the values without their signs."
    if found.left_out:
        yield f"Judges who share no item: {'; '.join(found.left_out)}."


def _has_signs(mean: Average) -> bool:
    """Whether values of both signs, or negative ones, are averaged."""
    return mean.absolute == mean.absolute and not math.isclose(mean.signed, mean.absolute)


def _shown(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"
