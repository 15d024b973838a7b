"""`covary crowd status`, `people` and `pay`: who came, how it ended, and what they are due."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.cli.crowd.planning import listed_counts, offer_recruiting, tell_account
from covary.cli.options import output_option
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import (
    database_option,
    existing_store,
    open_store,
    read_study_folder,
    study_argument,
)
from covary.crowd.cost import actual_cost, whole_cost
from covary.crowd.lint import lint as findings_of
from covary.crowd.payments import Payment, payments, write_payments
from covary.crowd.platforms import (
    codes_of,
    name_of,
    people_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.crowd.visits import (
    as_approved,
    count_outcomes,
    ends_by_participant,
    minutes_taken,
    payment_totals,
    submissions_of,
    workload,
)
from covary.errors import InvalidArgument
from covary.study.model import Recruiting, Study

if TYPE_CHECKING:
    from covary.store import Store
    from covary.store.records import CountedAnswer
    from covary.store.visits import VisitorRecord


WIDE = 34

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


@click.command(epilog=STATUS_EPILOG)
@study_argument
@database_option
@debug_option
def status(study: Path, database: str | None) -> None:
    """Say how the recruiting of STUDY stands, what it costs so far, and what to do next."""
    described = read_study_folder(study)
    say(described.title, bold=True)
    if described.recruiting is None:
        offer_recruiting()
        return
    recruiting, wanted = described.recruiting, people_of(described)
    with existing_store(study, database) as store:
        came = [] if store is None else store.visits.all()
        linked = store is not None and store.visits.join_secret() is not None
        state = "not served yet" if store is None else store.get_state()
    done = sum(visit.outcome == "done" for visit in came)
    say(
        f"{wanted:,} people are wanted from {name_of(recruiting)}. The study is {state}; "
        f"{len(came):,} came and {done:,} of them are done."
    )
    if came:
        say(f"How they stand: {listed_counts(count_outcomes(came))}.")
    if recruiting.pay is not None:
        _tell_cost(described, recruiting, came)
    say()
    say("Next:")
    for command in _next(described, linked, came, done >= wanted):
        click.echo(f"  {command}")


def _tell_cost(study: Study, recruiting: Recruiting, came: Sequence[VisitorRecord]) -> None:
    """Say what the whole will cost, and what of it people have earned so far."""
    expected, prices = study_cost(study), prices_of(recruiting)
    unit = f" {recruiting.currency}" if recruiting.currency else ""
    if not came:
        say(f"The whole will cost {expected.total:.2f}{unit}.")
        for warning in expected.warnings:
            say(warning, fg="yellow")
        return
    account = actual_cost(as_approved(came), prices)
    out = account.screened_out
    known = f", with {out:,} screened out so far" if out else ""
    say(f"The whole will cost {whole_cost(account, people_of(study), prices):.2f}{unit}{known}.")
    tell_account(account, recruiting.currency)


def _next(
    study: Study, linked: bool, came: Sequence[VisitorRecord], complete: bool
) -> Iterator[str]:
    """Name the commands that bring the study on."""
    folder = shlex.quote(str(study.folder))
    if not came:
        broken = any(finding.weight == "must" for finding in findings_of(study))
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


@click.command(epilog=PEOPLE_EPILOG)
@study_argument
@database_option
@debug_option
def people(study: Path, database: str | None) -> None:
    """Describe the people of STUDY: how visits ended, assignments of a person, times.

    Where nobody came by the recruiting link, those who came by personal links are described.
    """
    described = read_study_folder(study)
    with open_store(study, database) as store:
        came = store.visits.all()
        judged, span = _judged(described, store, came)
    if not came and not judged:
        raise InvalidArgument("cli.nobody-yet")
    many = f"{len(came):,} people came" if came else f"{len(judged):,} by personal links"
    say(f"{described.title}: {many}", bold=True)
    rows = {name: f"{number:,}" for name, number in count_outcomes(came).items()}
    if came:
        rows["came more than once"] = f"{sum(visit.visits > 1 for visit in came):,}"
    rows |= _describe_workload(judged) | _describe_minutes(came) | _describe_turnaround(span)
    for name, words in rows.items():
        say(f"{name:{WIDE}}{words:>10}", indent=2)


def _visited(study: Path, database: str | None) -> Store:
    """Open the store, to which somebody must have come."""
    from covary.store import Store

    place = database or read_study_folder(study).folder / "study.db"
    store = Store.open(place, create=False)
    if not store.visits.all():
        store.close()
        raise InvalidArgument("cli.nobody-by-link")
    return store


def _judged(
    study: Study, store: Store, came: Sequence[VisitorRecord]
) -> tuple[list[int], timedelta]:
    """How many items each person judged on the sheet that counts, and from when to when.

    Only who judged any counts, and of a study with a part for recruited people, who judged it.
    """
    judged: dict[str, set[tuple[int, str]]] = {}
    times: list[datetime] = []
    for row in _counted(study, store, came):
        answer = row.answer
        judged.setdefault(row.judge, set()).add((answer.position, answer.item))
        times += [time for time in (answer.shown_at, answer.answered_at) if time is not None]
    span = max(times) - min(times) if times else timedelta()
    return [len(items) for items in judged.values()], span


def _counted(study: Study, store: Store, came: Sequence[VisitorRecord]) -> Iterator[CountedAnswer]:
    """Go through the answers of the crowd that count; practice is left out."""
    recruited = {visit.name for visit in came} or {judge.name for judge in store.judges.all()}
    part = study.recruiting.part if study.recruiting is not None else ""
    others = {item.id for item in study.items if item.kind == "practice"}
    elsewhere = {each.key for each in study.criteria if part and each.part != part}
    for row in store.answers.counted():
        is_own = row.judge in recruited and row.answer.criterion not in elsewhere
        if is_own and not row.abandoned and row.answer.item not in others:
            yield row


def _describe_turnaround(span: timedelta) -> dict[str, str]:
    """How long it took from the first page to the last answer, however many worked at once."""
    if not span:
        return {}
    hours = span / timedelta(hours=1)
    words = f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.1f} min"
    return {"from first page to last answer": words}


def _describe_workload(judged: Sequence[int]) -> dict[str, str]:
    load = workload(judged)
    if load is None:
        return {}
    return {
        "assignments": f"{load.total:,}",
        "of a person, fewest": f"{load.fewest:,}",
        "of a person, most": f"{load.most:,}",
        "of a person, mean": f"{load.mean:.2f}",
        "Gini": f"{load.gini:.2f}",
        "share of the busiest": f"{load.busiest_share:.1%}",
    }


def _describe_minutes(came: Sequence[VisitorRecord]) -> dict[str, str]:
    minutes = minutes_taken(came)
    if minutes is None:
        return {}
    return {
        "minutes of who is done, median": f"{minutes.median:.1f}",
        "minutes, shortest and longest": f"{minutes.shortest:.1f} to {minutes.longest:.1f}",
    }


@click.command(epilog=PAY_EPILOG)
@study_argument
@database_option
@output_option("The CSV file; payments.csv in STUDY by default.")
@debug_option
def pay(study: Path, database: str | None, output: Path | None) -> None:
    """Write who is due what for STUDY, by its own records."""
    described = read_study_folder(study)
    recruiting = recruiting_of(described)
    with _visited(study, database) as store:
        came = store.visits.all()
    due = payments(
        submissions_of(came), prices_of(recruiting), codes_of(recruiting), ends_by_participant(came)
    )
    tell_payments(due, recruiting.currency)
    click.echo(f"Written: {write_payments(due, output or described.folder / 'payments.csv')}")


def tell_payments(due: Sequence[Payment], currency: str) -> None:
    """Say what is due in all, and what is left to do."""
    unit = f" {currency}" if currency else ""
    totals = payment_totals(due)
    say(f"{totals.visits:,} visits, {totals.paid:,} of them due {totals.pay:.2f}{unit}.")
    if totals.lifted:
        say(
            f"{totals.lifted:,} of them need a bonus, {totals.top_up:.2f}{unit} in all, to reach "
            "the minimum wage."
        )
    for words, number in totals.to_do.items():
        say(f"{number:,}: {words}", indent=2, hang=2)
