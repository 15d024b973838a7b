"""`covary crowd draft`, `publish`, `submissions`, `approve` and `bonus`: Prolific, over its API."""

from __future__ import annotations

import csv
import dataclasses
import functools
import math
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from covary.analysis.planning.cost import money
from covary.cli.crowd.people import tell_payments
from covary.cli.options import file_option, output_option
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import (
    database_option,
    existing_store,
    read_study_folder,
    study_argument,
)
from covary.crowd.cost import PAID
from covary.crowd.lint import lint as findings_of
from covary.crowd.payments import Payment, bonuses_due, payments, write_payments
from covary.crowd.platforms import (
    codes_of,
    minutes_of,
    people_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.crowd.prolific import ADDRESS, MOST_BONUSES, Draft, Prolific
from covary.crowd.submissions import Submission, read_submissions
from covary.crowd.visits import ends_by_participant
from covary.errors import InvalidArgument
from covary.study.model import Study
from covary.words import counted, quoted_list

if TYPE_CHECKING:
    from covary.store.visits import VisitorRecord


TOKEN = "PROLIFIC_TOKEN"

ABOUT_TOKEN = f"""\
The token of your Prolific account is taken from the environment variable {TOKEN}, or asked for
without being shown; it never stands on the command line and covary does not keep it."""

MONEY_EPILOG = f"""Without --now nothing happens: the command only says what it would do and what it
would cost. {ABOUT_TOKEN}"""

Command = Callable[..., Any]


def on_prolific(command: Command) -> Command:
    """Let a command speak to Prolific about one study; it gets `prolific` and `platform_study`."""

    @functools.wraps(command)
    def wrapped(server: str, study_id: str | None, **options: Any) -> Any:
        asked = options.get("downloaded") is None
        prolific = Prolific(_token(), address=server) if asked else None
        return command(prolific=prolific, platform_study=study_id, **options)

    for option in (
        click.option("--server", default=ADDRESS, metavar="URL", help="Where Prolific's API is."),
        click.option(
            "--study-id",
            metavar="ID",
            help="The study on Prolific; by default the one that people came from.",
        ),
        database_option,
        study_argument,
    ):
        wrapped = option(wrapped)
    return wrapped


def moves_money(command: Command) -> Command:
    """Let a command only say what it would do, unless it is told to do it now."""
    for option in (
        click.option("--yes", is_flag=True, help="With --now: do not ask."),
        click.option("--now", is_flag=True, help="Do it, after asking."),
    ):
        command = option(command)
    return command


def _token() -> str:
    token = os.environ.get(TOKEN, "")
    if token.strip():
        return token.strip()
    if not sys.stdin.isatty():
        raise InvalidArgument("cli.no-token", name=TOKEN)
    return str(click.prompt("Prolific token", hide_input=True)).strip()


def confirm(words: str, now: bool, yes: bool) -> bool:
    """Say what would be done, and ask before it is done."""
    if not now:
        say(f"This would {words}. Nothing was done; --now does it, after asking.")
        return False
    return yes or click.confirm(f"{words[0].upper()}{words[1:]}?", default=False)


def visitors_of(study: Path, database: str | None) -> Sequence[VisitorRecord]:
    """Return everybody who came; nobody where the study was never served."""
    with existing_store(study, database) as store:
        return [] if store is None else store.visits.all()


def platform_study_of(said: str | None, came: Sequence[VisitorRecord]) -> str:
    """Return the platform's id of the study: what was said, or where everybody came from."""
    studies = sorted({visit.study for visit in came if visit.study})
    if said is not None:
        return said
    if len(studies) == 1:
        return studies[0]
    why = f"people came from {quoted_list(studies)}" if studies else "nobody has come yet"
    raise click.UsageError(f"say --study-id, the study's id on Prolific: {why}")


def due_on_prolific(
    study: Path, database: str | None, prolific: Prolific, said: str | None
) -> tuple[str, Sequence[Payment]]:
    """Return the study's id there, and what each submission is due by the study's own records."""
    came = visitors_of(study, database)
    name = platform_study_of(said, came)
    return name, _due(study, prolific.submissions(name), came)


def _due(
    study: Path, submitted: Iterable[Submission], came: Sequence[VisitorRecord]
) -> Sequence[Payment]:
    recruiting = recruiting_of(read_study_folder(study))
    known = ends_by_participant(came)
    return payments(submitted, prices_of(recruiting), codes_of(recruiting), known)


def _tell_missing(due: Sequence[Payment], came: Sequence[VisitorRecord], file: Path) -> None:
    """Say who finished here and is not in the file, and what the file does not know."""
    listed = {payment.submission.participant for payment in due}
    lost = [each.participant for each in came if each.outcome == "done"]
    lost = [name for name in lost if name not in listed]
    if lost:
        who = counted(len(lost), "person finished", "people finished")
        say(f"{who} here and {'is' if len(lost) == 1 else 'are'} not in {file.name}:")
        say(", ".join(lost), indent=2, hang=2)
    if any(payment.top_up for payment in due):
        say(f"{file.name} does not say which bonuses were paid already.")


def tell_each(due: Sequence[Payment]) -> None:
    """Say how each submission stands and what is left to do about it."""
    for payment in due:
        visit = payment.submission
        minutes = "" if visit.seconds is None else f", {visit.minutes:.1f} min"
        words = f"{visit.id}: {visit.status}, {payment.ended}{minutes}"
        say(f"{words}; {payment.to_do}" if payment.to_do else words, indent=2, hang=2)


DRAFT_EPILOG = f"""\b
Examples:
  covary crowd draft STUDY --address https://study.example.org

{ABOUT_TOKEN} A draft costs nothing and nobody sees it yet: look at it on Prolific, choose who may
take part, and publish it there or with 'covary crowd publish'."""

SUBMISSIONS_EPILOG = f"""\b
Examples:
  covary crowd submissions STUDY
  covary crowd submissions STUDY -o payments.csv
  covary crowd submissions STUDY --downloaded prolific_export.csv -o payments.csv

{ABOUT_TOKEN} With --downloaded nothing is asked of Prolific, and no token is needed.

Prolific's submissions stand beside what the study knows of each person: a completion code that
somebody typed does not count unless the person finished here."""


@click.command(epilog=DRAFT_EPILOG)
@on_prolific
@click.option("--address", metavar="URL", required=True, help="How people reach the server.")
@click.option("--description", help="What people read before they take part.")
@debug_option
def draft(
    study: Path,
    database: str | None,
    prolific: Prolific,
    platform_study: str | None,
    address: str,
    description: str | None,
) -> None:
    """Make a draft of STUDY on Prolific: name, description, link, codes, reward, time, places."""
    from covary.store import Store

    if platform_study is not None:
        raise click.UsageError("--study-id is the id of a study that is there; a draft is new")
    described = read_study_folder(study)
    made = _draft(described, address, description)
    made.content()
    with Store.open(database or described.folder / "study.db") as store:
        secret = store.visits.join_secret() or store.visits.new_join_secret()
    name = prolific.create_study(_at(made, address, secret))
    say(f"A draft was made on Prolific: {name}", bold=True)
    say(f"{made.places:,} places, {made.reward} for {made.minutes} minutes. Nobody sees it yet.")
    say("Look at it there, choose who may take part, then:")
    click.echo(f"  covary crowd publish {shlex.quote(str(study))} --study-id {name}")


def _draft(study: Study, address: str, description: str | None) -> Draft:
    recruiting = recruiting_of(study)
    if recruiting.platform != "prolific":
        raise InvalidArgument("cli.other-platform", platform=recruiting.platform)
    minutes = minutes_of(study)
    if minutes is None:
        raise InvalidArgument("cli.no-minutes")
    return Draft(
        name=study.title,
        description=description or study.consent or study.title,
        address=address,
        codes=codes_of(recruiting),
        reward=prices_of(recruiting).pay,
        minutes=math.ceil(minutes),
        places=people_of(study),
        signed=bool(recruiting.keys),
    )


def _at(made: Draft, address: str, secret: str) -> Draft:
    if not address.startswith("https://"):
        raise InvalidArgument("cli.https-address", value=address)
    return dataclasses.replace(made, address=f"{address.rstrip('/')}/join/{secret}")


@click.command(epilog=MONEY_EPILOG)
@on_prolific
@moves_money
@debug_option
def publish(
    study: Path,
    database: str | None,
    prolific: Prolific,
    platform_study: str | None,
    now: bool,
    yes: bool,
) -> None:
    """Open the draft of STUDY on Prolific to people; from then on it costs money."""
    described = read_study_folder(study)
    name = platform_study_of(platform_study, visitors_of(study, database))
    cost = study_cost(described)
    unit = recruiting_of(described).currency
    for finding in findings_of(described):
        if finding.weight == "must":
            say(str(finding), fg="red", hang=2)
    words = f"publish {name} to {people_of(described):,} people, which will cost {cost.total:.2f}"
    if confirm(f"{words} {unit}".rstrip(), now, yes):
        prolific.publish(name)
        say("Published. Keep the study open: covary serve … --proxy")


@click.command(epilog=SUBMISSIONS_EPILOG)
@on_prolific
@file_option("--downloaded", "The CSV that Prolific's page of submissions downloads.")
@output_option("Write them as CSV: payments.csv")
@debug_option
def submissions(
    study: Path,
    database: str | None,
    prolific: Prolific | None,
    platform_study: str | None,
    downloaded: Path | None,
    output: Path | None,
) -> None:
    """List Prolific's submissions for STUDY, what each is due and what is left to do."""
    came = visitors_of(study, database)
    if downloaded is not None:
        submitted = read_submissions(downloaded)
    else:
        asked = cast("Prolific", prolific)
        submitted = tuple(asked.submissions(platform_study_of(platform_study, came)))
    due = _due(study, submitted, came)
    written = None if output is None else write_payments(due, output)
    tell_payments(due, recruiting_of(read_study_folder(study)).currency)
    tell_each(due)
    if downloaded is not None:
        _tell_missing(due, came, downloaded)
    if written is not None:
        click.echo(f"Written: {written}")


@click.command(epilog=MONEY_EPILOG)
@on_prolific
@moves_money
@debug_option
def approve(
    study: Path,
    database: str | None,
    prolific: Prolific,
    platform_study: str | None,
    now: bool,
    yes: bool,
) -> None:
    """Approve the submissions of everybody who finished STUDY here; that pays them for good."""
    _, due = due_on_prolific(study, database, prolific, platform_study)
    ready = [payment for payment in due if payment.decision == "approve"]
    left = [payment for payment in due if payment.decision not in ("", "approve")]
    if left:
        say(f"{len(left):,} others wait for you, and are not approved:")
        tell_each(left)
    if not ready:
        say("Nobody who finished waits for approval.")
        return
    total = sum((payment.pay for payment in ready), Decimal(0))
    unit = recruiting_of(read_study_folder(study)).currency
    words = f"approve {counted(len(ready), 'submission')}, which pays {total:.2f} {unit}".rstrip()
    if confirm(f"{words} and cannot be undone", now, yes):
        for payment in ready:
            prolific.approve(payment.submission.id)
            say(f"approved {payment.submission.id}", indent=2)
        say(f"Approved: {len(ready):,}.")


@click.command(epilog=MONEY_EPILOG)
@on_prolific
@file_option("--amounts", "Other bonuses: a CSV file with the columns submission and amount.")
@moves_money
@debug_option
def bonus(
    study: Path,
    database: str | None,
    prolific: Prolific,
    platform_study: str | None,
    amounts: Path | None,
    now: bool,
    yes: bool,
) -> None:
    """Pay bonuses for STUDY: what lifts each approved submission to the minimum wage.

    Bonuses that were paid before are read back from Prolific and not paid again.
    """
    name, due = due_on_prolific(study, database, prolific, platform_study)
    lifts = bonuses_due(due) if amounts is None else _amounts(amounts, due)
    if not lifts:
        say("Nobody is due a bonus.")
        return
    for submission, much in lifts.items():
        say(f"{submission}: {much:.2f}", indent=2)
    total = sum(lifts.values(), Decimal(0))
    if not confirm(
        f"set up bonuses of {total:.2f} for {counted(len(lifts), 'submission')}", now, yes
    ):
        return
    pairs = list(lifts.items())
    for begin in range(0, len(pairs), MOST_BONUSES):
        some = dict(pairs[begin : begin + MOST_BONUSES])
        made = prolific.set_up_bonuses(name, some)
        if confirm(
            f"pay {made.total:.2f}, fees included, for {counted(len(some), 'submission')}",
            True,
            yes,
        ):
            prolific.pay_bonuses(made)
            say(f"Paid: {made.total:.2f}.")


def _amounts(file: Path, due: Sequence[Payment]) -> Mapping[str, Decimal]:
    """Read bonuses by submission; each must be one that was approved."""
    approved = {payment.submission.id for payment in due if payment.submission.status in PAID}
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if not rows or not {"submission", "amount"} <= rows[0].keys():
        raise InvalidArgument("cli.bonus-columns", file=file.name)
    amounts: dict[str, Decimal] = {}
    for row in rows:
        name = (row["submission"] or "").strip()
        if name not in approved or name in amounts:
            raise InvalidArgument("cli.bonus-submission", file=file.name, name=name)
        amounts[name] = money((row["amount"] or "").strip())
    return amounts
