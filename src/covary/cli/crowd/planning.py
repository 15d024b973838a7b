"""`covary crowd cost`, `lint` and `link`: before anybody comes."""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

from covary.cli.collected import database_option, read_folder, study_argument
from covary.cli.crowd.visited import as_done, outcomes, store_of
from covary.cli.screen import debug_option, say
from covary.crowd.cost import ActualCost, ExpectedCost, actual_cost
from covary.crowd.lint import Rejecting
from covary.crowd.lint import lint as findings_of
from covary.crowd.recruiting import (
    minutes_of,
    new_table,
    people_of,
    platform_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.errors import InvalidArgument
from covary.study.model import Recruiting, Study

__all__ = [
    "cost",
    "link",
    "lint",
    "listed_counts",
    "offer_recruiting",
    "platform_link",
    "tell_account",
]

COST_EPILOG = """\b
Examples:
  covary crowd cost STUDY
  covary crowd cost STUDY --pay 2.50 --people 60
  covary crowd cost STUDY --pay 2.00 --fee-share 0.33 --wage 12 --minutes 10

What study.toml says under [recruiting] counts where nothing else is said. A person is paid for a
sheet. Once people have come, what they earned stands beside the estimate."""

LINT_EPILOG = """\b
Examples:
  covary crowd lint STUDY
  covary crowd lint STUDY --message "You failed both checks: item 4 asked ..."

'must' breaks a rule of Prolific, 'should' is worth a look. Exit code 1 where a rule is broken."""

LINK_EPILOG = """\b
Examples:
  covary crowd link STUDY --address https://study.example.org
  covary crowd link STUDY --address https://study.example.org --new

The link is open: whoever the platform sends by it becomes a judge, the same one each time. It is a
secret between you and the platform; --new makes another and ends this one, --revoke ends it."""

WIDE = 14

Command = TypeVar("Command", bound=Callable[..., Any])


def _amount(name: str, words: str) -> Callable[[Command], Command]:
    return click.option(name, type=click.FloatRange(0), help=words)


@click.command(epilog=COST_EPILOG, short_help="What the study will cost, and has cost so far.")
@study_argument
@database_option
@_amount("--pay", "What one person is paid.")
@_amount("--fee", "What the platform takes for one person.")
@_amount("--fee-share", "What the platform takes, as a share of the pay.")
@_amount("--wage", "The least that an hour should pay.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="How long it takes.")
@click.option("--people", type=click.IntRange(1), help="How many people are wanted.")
@debug_option
def cost(study: Path, database: str | None, **said: Any) -> None:
    """Say what STUDY will cost, how long it takes and what an hour of it pays.

    Afterwards: what people earned, what is still owed and what an hour really paid.
    """
    described = _with(read_folder(study), said)
    recruiting = recruiting_of(described)
    expected = study_cost(described)
    say(described.title, bold=True)
    _tell_estimate(described, expected, recruiting.currency)
    with store_of(study, database) as store:
        came = [] if store is None else store.visitors()
    if came:
        say()
        tell_account(actual_cost(as_done(came), prices_of(recruiting)), recruiting.currency)
        say(f"People so far: {listed_counts(outcomes(came))}.")


def _with(study: Study, said: dict[str, Any]) -> Study:
    """Put what was said in the place of what the study says."""
    names = {"wage": "minimum_wage", "people": "places"}
    given: dict[str, Any] = {
        names.get(name, name): value if name in ("minutes", "people") else Decimal(str(value))
        for name, value in said.items()
        if value is not None
    }
    if not given:
        return study
    recruiting = study.recruiting or Recruiting(platform="link")
    return dataclasses.replace(study, recruiting=dataclasses.replace(recruiting, **given))


def _tell_estimate(study: Study, expected: ExpectedCost, currency: str) -> None:
    people, minutes = people_of(study), minutes_of(study)
    unit = f" {currency}" if currency else ""
    pay = expected.paid / people
    rows = {
        "people": f"{people:,}",
        "pay": f"{people:,} × {pay:.2f} = {expected.paid:.2f}{unit}",
        "fees": f"{expected.fees:.2f}{unit}",
        "in all": f"{expected.total:.2f}{unit}, {expected.per_item:.2f} for each item",
        "time": "not known" if minutes is None else
                f"{minutes:g} minutes each, {expected.hours:.1f} hours in all",
        "an hour pays": "not known" if math.isnan(expected.hourly) else
                        f"{expected.hourly:.2f}{unit}",
    }  # fmt: skip
    for name, words in rows.items():
        say(f"{name:{WIDE}}{words}", indent=2, hang=WIDE)
    for warning in expected.warnings:
        say(warning, fg="yellow")


def tell_account(account: ActualCost, currency: str) -> None:
    """Say what people have earned so far."""
    unit = f" {currency}" if currency else ""
    done = "1 person is" if account.approved == 1 else f"{account.approved:,} people are"
    say(f"So far {done} done: {account.paid:.2f}{unit} in pay, {account.fees:.2f} in fees.")
    if not math.isnan(account.hourly):
        say(
            f"An hour paid {account.hourly:.2f}{unit}, the median of people "
            f"{account.hourly_median:.2f}."
        )
    for warning in account.warnings:
        say(warning, fg="yellow")


def listed_counts(counts: dict[str, int]) -> str:
    """Write counts in a line."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


@click.command(epilog=LINT_EPILOG, short_help="Does the study keep Prolific's rules?")
@study_argument
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="How long it takes.")
@click.option("--message", help="What you mean to write to people whom you reject.")
@debug_option
def lint(study: Path, minutes: float | None, message: str | None) -> int:
    """Check STUDY against Prolific's rules, before people are paid or turned away."""
    described = read_folder(study)
    rejecting = None
    if message is not None:
        allowed = described.recruiting.failed_checks_allowed if described.recruiting else None
        rejecting = Rejecting(failed_checks=2 if allowed is None else allowed + 1, message=message)
    found = findings_of(described, minutes=minutes, rejecting=rejecting)
    for each in found:
        say(str(each), hang=2, fg="red" if each.weight == "must" else None)
    broken = sum(each.weight == "must" for each in found)
    say(
        f"{broken} to change, {len(found) - broken} worth a look."
        if found else "Nothing was found. Whether a check is clear, a person must judge."
    )  # fmt: skip
    return 1 if broken else 0


@click.command(epilog=LINK_EPILOG, short_help="The recruiting link and the codes.")
@study_argument
@database_option
@click.option(
    "--address", metavar="URL", required=True, help="How people reach the server: https://…"
)
@click.option("--new", is_flag=True, help="Make another link; the one before ends.")
@click.option("--revoke", is_flag=True, help="End the link; those who came by it go on.")
@debug_option
def link(study: Path, database: str | None, address: str, new: bool, revoke: bool) -> None:
    """Print the link of STUDY to give to the platform, and the codes to enter there."""
    from covary.store import Store

    described = read_folder(study)
    if described.recruiting is None:
        offer_recruiting()
    recruiting = recruiting_of(described)
    if new and revoke:
        raise click.UsageError("--new makes a link and --revoke ends it; say one of them")
    with Store.open(database or described.folder / "study.db") as store:
        if revoke:
            store.revoke_join_secret()
            say("The link has ended: nobody new comes in by it.")
            return
        secret = (None if new else store.join_secret()) or store.new_join_secret()
    click.echo(platform_link(recruiting, address, secret))
    say()
    for sentence in _ways_back(recruiting):
        say(sentence)
    say()
    say("Before you publish:")
    click.echo(f"  covary crowd lint {shlex.quote(str(study))}")


def platform_link(recruiting: Recruiting, address: str, secret: str) -> str:
    """Return the address to give to the platform, with the platform's parameters."""
    platform = platform_of(recruiting)
    plain = f"{address.rstrip('/')}/join/{secret}"
    if not address.startswith("https://") and platform is not None:
        raise InvalidArgument(
            f"--address {address} must begin with https://, because people come from elsewhere"
        )
    return plain if platform is None else platform.link(plain)


def offer_recruiting() -> None:
    """Show what to write where a study does not say how it recruits."""
    say("The study does not say how it recruits. Write this into study.toml, with your own words:")
    say()
    click.echo(new_table())


def _ways_back(recruiting: Recruiting) -> list[str]:
    means = {
        "done": "finished: approve",
        "screened_out": "did not qualify in the practice",
        "failed": "failed too many attention checks",
        "returned": "did not agree, stopped, or found the study full",
    }
    found = []
    for name, words in means.items():
        code, address = getattr(recruiting, name), recruiting.addresses.get(name)
        if code or address:
            found.append(f"{name.replace('_', ' ')}: {code or address} ({words})")
    return found
