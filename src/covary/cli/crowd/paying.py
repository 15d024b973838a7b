"""`covary crowd approve` and `bonus`: paying people through Prolific."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import click

from covary.cli.collected import read_folder
from covary.cli.crowd.desk import (
    MONEY_EPILOG,
    due_on_prolific,
    moves_money,
    on_prolific,
    sure,
    tell_each,
)
from covary.cli.screen import debug_option, say
from covary.crowd.cost import PAID
from covary.crowd.payments import Payment, bonuses_due
from covary.crowd.prolific import MOST_BONUSES, Prolific
from covary.crowd.recruiting import recruiting_of
from covary.crowd.submissions import money
from covary.errors import InvalidArgument

__all__ = ["approve", "bonus"]


@click.command(epilog=MONEY_EPILOG, short_help="Approve, and so pay, who finished.")
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
    ready = [each for each in due if each.to_do == "approve"]
    left = [each for each in due if each.to_do and each.to_do != "approve"]
    if left:
        say(f"{len(left):,} others wait for you, and are not approved:")
        tell_each(left)
    if not ready:
        say("Nobody who finished waits for approval.")
        return
    total = sum((each.pay for each in ready), Decimal(0))
    unit = recruiting_of(read_folder(study)).currency
    words = f"approve {_counted(len(ready))}, which pays {total:.2f} {unit}".rstrip()
    if sure(f"{words} and cannot be undone", now, yes):
        for each in ready:
            prolific.approve(each.submission.id)
            say(f"approved {each.submission.id}", indent=2)
        say(f"Approved: {len(ready):,}.")


@click.command(epilog=MONEY_EPILOG, short_help="Pay bonuses that reach the minimum wage.")
@on_prolific
@click.option(
    "--amounts", type=click.Path(path_type=Path), metavar="FILE",
    help="Other bonuses: a CSV file with the columns submission and amount.",
)  # fmt: skip
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
    if not sure(f"set up bonuses of {total:.2f} for {_counted(len(lifts))}", now, yes):
        return
    pairs = list(lifts.items())
    for begin in range(0, len(pairs), MOST_BONUSES):
        some = dict(pairs[begin : begin + MOST_BONUSES])
        made = prolific.set_up_bonuses(name, some)
        if sure(f"pay {made.total:.2f}, fees included, for {_counted(len(some))}", True, yes):
            prolific.pay_bonuses(made)
            say(f"Paid: {made.total:.2f}.")


def _amounts(file: Path, due: Sequence[Payment]) -> Mapping[str, Decimal]:
    """Read bonuses by submission; each must be one that was approved."""
    approved = {each.submission.id for each in due if each.submission.status in PAID}
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if not rows or not {"submission", "amount"} <= rows[0].keys():
        raise InvalidArgument(f"{file.name} needs the columns submission and amount")
    found: dict[str, Decimal] = {}
    for row in rows:
        name = (row["submission"] or "").strip()
        if name not in approved or name in found:
            raise InvalidArgument(
                f"{file.name}: {name!r} is no approved submission, or stands there twice"
            )
        found[name] = money((row["amount"] or "").strip())
    return found


def _counted(number: int) -> str:
    return "1 submission" if number == 1 else f"{number:,} submissions"
