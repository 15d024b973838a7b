"""`covary crowd status`, `people` and `pay`: who came, how it ended, and what they are due."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

import click
import numpy as np

from covary.analysis.crowd.judging import gini
from covary.cli.collected import database_option, opened_store, read_folder, study_argument
from covary.cli.crowd.planning import listed_counts, offer_recruiting, tell_account
from covary.cli.crowd.visited import as_done, known, outcomes, store_of, submissions_of
from covary.cli.screen import debug_option, say
from covary.crowd.cost import actual_cost
from covary.crowd.lint import lint as findings_of
from covary.crowd.payments import Payment, payments, write_payments
from covary.crowd.recruiting import (
    codes_of,
    name_of,
    people_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.errors import InvalidArgument
from covary.study.model import Study

if TYPE_CHECKING:
    from covary.store import Store
    from covary.store.visitors import VisitorRecord

__all__ = ["pay", "people", "status", "tell_payments"]

WIDE = 34
MINUTE = 60

STATUS_EPILOG = """\b
Examples:
  covary crowd status STUDY
  covary crowd STUDY                the same"""

PEOPLE_EPILOG = """\b
Examples:
  covary crowd people STUDY

An assignment is an item that a person judged. Gini is 0 when all judged equally many and near 1
when one person judged nearly all."""

PAY_EPILOG = """\b
Examples:
  covary crowd pay STUDY -o payments.csv

A row for each visit: participant and submission on the platform, status, code, how it ended here,
minutes, pay, bonus, the top-up that lifts the pay of an hour to the minimum wage, and what is left
to do. On Prolific, 'covary crowd submissions' compares with what Prolific says."""


@click.command(epilog=STATUS_EPILOG, short_help="How recruiting stands, and what to do next.")
@study_argument
@database_option
@debug_option
def status(study: Path, database: str | None) -> None:
    """Say how the recruiting of STUDY stands, what it costs so far, and what to do next."""
    described = read_folder(study)
    say(described.title, bold=True)
    if described.recruiting is None:
        offer_recruiting()
        return
    recruiting, wanted = described.recruiting, people_of(described)
    with store_of(study, database) as store:
        came = [] if store is None else store.visitors()
        linked = store is not None and store.join_secret() is not None
        state = "not served yet" if store is None else store.get_state()
    done = sum(each.outcome == "done" for each in came)
    say(
        f"{wanted:,} people are wanted from {name_of(recruiting)}. The study is {state}; "
        f"{len(came):,} came and {done:,} of them are done."
    )
    if came:
        say(f"How they stand: {listed_counts(outcomes(came))}.")
    if recruiting.pay is not None:
        expected = study_cost(described)
        unit = f" {recruiting.currency}" if recruiting.currency else ""
        say(f"The whole will cost {expected.total:.2f}{unit}.")
        if came:
            account = actual_cost(as_done(came), prices_of(recruiting))
            tell_account(account, recruiting.currency)
        else:
            for warning in expected.warnings:
                say(warning, fg="yellow")
    say()
    say("Next:")
    for command in _next(described, linked, came, done >= wanted):
        click.echo(f"  {command}")


def _next(
    study: Study, linked: bool, came: Sequence[VisitorRecord], complete: bool
) -> Iterator[str]:
    """Name the commands that bring the study on."""
    folder = shlex.quote(str(study.folder))
    if not came:
        broken = any(each.weight == "must" for each in findings_of(study))
        if broken and recruiting_of(study).platform == "prolific":
            yield f"covary crowd lint {folder}"
        yield f"covary simulate {folder}"
        if not linked:
            yield f"covary crowd link {folder} --address https://…"
        yield f"covary serve {folder} --proxy --address https://…"
    elif not complete and not linked:
        yield f"covary crowd link {folder} --address https://…    (nobody new can come in)"
    if came:
        yield f"covary crowd people {folder}"
        yield f"covary crowd pay {folder} -o payments.csv"
    if complete:
        yield f"covary report {folder}"


@click.command(epilog=PEOPLE_EPILOG, short_help="Who came: how much they judged, how long it took.")
@study_argument
@database_option
@debug_option
def people(study: Path, database: str | None) -> None:
    """Describe the people of STUDY: how visits ended, assignments of a person, times.

    Where nobody came by the recruiting link, those who came by personal links are described.
    """
    described = read_folder(study)
    with opened_store(study, database) as store:
        came = store.visitors()
        judged = _judged(described, store, came)
    if not came and not judged:
        raise InvalidArgument("nobody has come or judged anything yet")
    many = f"{len(came):,} people came" if came else f"{len(judged):,} by personal links"
    say(f"{described.title}: {many}", bold=True)
    rows = {name: f"{number:,}" for name, number in outcomes(came).items()}
    if came:
        rows["came more than once"] = f"{sum(each.visits > 1 for each in came):,}"
    rows |= _spread(judged) | _times(came)
    for name, words in rows.items():
        say(f"{name:{WIDE}}{words:>10}", indent=2)


def _visited(study: Path, database: str | None) -> Store:
    """Open the store, to which somebody must have come."""
    from covary.store import Store

    place = database or read_folder(study).folder / "study.db"
    store = Store.open(place, create=False)
    if not store.visitors():
        store.close()
        raise InvalidArgument(
            "nobody has come by the recruiting link yet; 'covary crowd link' prints it"
        )
    return store


def _judged(study: Study, store: Store, came: Sequence[VisitorRecord]) -> list[int]:
    """How many items each person judged on the sheet that counts; only who judged any."""
    recruited = {each.name for each in came} or {each.name for each in store.judges()}
    found: dict[str, set[tuple[int, str]]] = {}
    practice = {each.id for each in study.items if each.kind == "practice"}
    for row in store.rows():
        if row.judge in recruited and not row.abandoned and row.answer.item not in practice:
            found.setdefault(row.judge, set()).add((row.answer.position, row.answer.item))
    return [len(each) for each in found.values()]


def _spread(judged: Sequence[int]) -> dict[str, str]:
    if not judged:
        return {}
    return {
        "assignments": f"{sum(judged):,}",
        "of a person, fewest": f"{min(judged):,}",
        "of a person, most": f"{max(judged):,}",
        "of a person, mean": f"{fmean(judged):.2f}",
        "Gini": f"{gini(np.array(judged, dtype=float)):.2f}",
        "share of the busiest": f"{max(judged) / sum(judged):.1%}",
    }


def _times(came: Sequence[VisitorRecord]) -> dict[str, str]:
    taken = [each.seconds / MINUTE for each in came if each.outcome == "done" and each.seconds]
    if not taken:
        return {}
    return {
        "minutes of who is done, median": f"{median(taken):.1f}",
        "minutes, shortest and longest": f"{min(taken):.1f} to {max(taken):.1f}",
    }


@click.command(epilog=PAY_EPILOG, short_help="Export everything that is needed to pay people.")
@study_argument
@database_option
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="The CSV file; payments.csv in STUDY by default.",
)  # fmt: skip
@debug_option
def pay(study: Path, database: str | None, output: Path | None) -> None:
    """Write who is due what for STUDY, by its own records."""
    described = read_folder(study)
    recruiting = recruiting_of(described)
    with _visited(study, database) as store:
        came = store.visitors()
    due = payments(submissions_of(came), prices_of(recruiting), codes_of(recruiting), known(came))
    tell_payments(due, recruiting.currency)
    click.echo(f"Written: {write_payments(due, output or described.folder / 'payments.csv')}")


def tell_payments(due: Sequence[Payment], currency: str) -> None:
    """Say what is due in all, and what is left to do."""
    unit = f" {currency}" if currency else ""
    paid = [each for each in due if each.pay]
    lifts = [each.top_up for each in due if each.top_up]
    total = sum(each.pay for each in paid)
    say(f"{len(due):,} visits, {len(paid):,} of them due {total:.2f}{unit}.")
    if lifts:
        say(f"{len(lifts):,} of them need a bonus, {sum(lifts):.2f}{unit} in all, to reach the "
            "minimum wage.")  # fmt: skip
    left: dict[str, int] = {}
    for each in due:
        if each.to_do:
            left[each.to_do] = left.get(each.to_do, 0) + 1
    for words, number in left.items():
        say(f"{number:,}: {words}", indent=2, hang=2)
