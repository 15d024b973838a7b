"""`covary crowd cost`, `lint`, `link` and `template`: before anybody comes."""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from covary.analysis.planning.cost import ExpectedCost, Prices, estimate, expected_cost
from covary.cli.command_group import Choice
from covary.cli.options import default_option, output_option
from covary.cli.output import make_folder
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import (
    database_option,
    existing_store,
    read_study_folder,
    study_argument,
)
from covary.crowd.api import HOME
from covary.crowd.cost import ActualCost, actual_cost
from covary.crowd.lint import Rejecting
from covary.crowd.lint import lint as findings_of
from covary.crowd.platforms import (
    minutes_of,
    new_table,
    people_of,
    platform_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.crowd.visits import as_approved, count_outcomes
from covary.design import make_plan
from covary.errors import InvalidArgument
from covary.study.model import Recruiting, Study

COST_EPILOG = """\b
Examples:
  covary crowd cost STUDY
  covary crowd cost STUDY --pay 2.50 --people 60
  covary crowd cost STUDY --pay 2.00 --fee-share 0.33 --wage 12 --minutes 10
  covary crowd cost STUDY --per-vote --pay 0.05 --fee 0.01
  covary crowd cost --items 405 --votes 3 --pay 0.05 --fee 0.01

Without a study, --pay and --fee are for one assignment, which has one item or as many as --per
says. The settings under [recruiting] in study.toml are the defaults. A person is paid for a
sheet; with --per-vote, --pay and --fee are for each item that somebody judges. Once people have
come, what they earned is shown beside the estimate."""

LINT_EPILOG = """\b
Examples:
  covary crowd lint STUDY
  covary crowd lint STUDY --message "You failed both checks: item 4 asked ..."

'must' breaks a rule of Prolific, 'should' is worth a look. Exit code 1 where a rule is broken."""

LINK_EPILOG = """\b
Examples:
  covary crowd link STUDY --address https://study.example.org
  covary crowd link STUDY --address https://study.example.org --new

Everybody whom the platform sends by this link becomes a judge, the same one each time. Keep it
between you and the platform; --new replaces it, --revoke ends it."""

WIDE = 14

Command = TypeVar("Command", bound=Callable[..., Any])


def _amount(name: str, words: str) -> Callable[[Command], Command]:
    return click.option(name, type=click.FloatRange(0), help=words)


@click.command(epilog=COST_EPILOG)
@click.argument("study", type=click.Path(path_type=Path), required=False)
@database_option
@click.option("--items", type=click.IntRange(1), help="Without STUDY: how many items.")
@click.option("--votes", type=click.IntRange(1), help="Without STUDY: how many judge each.")
@click.option("--per", type=click.IntRange(1), help="Without STUDY: items of an assignment.")
@click.option("--per-vote", is_flag=True, help="--pay and --fee are for one item of one person.")
@_amount("--pay", "What one person is paid.")
@_amount("--fee", "What the platform takes for one person.")
@_amount("--fee-share", "What the platform takes, as a share of the pay.")
@_amount("--wage", "The least that an hour should pay.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="How long it takes.")
@click.option("--people", type=click.IntRange(1), help="How many people are wanted.")
@debug_option
def cost(
    study: Path | None,
    database: str | None,
    items: int | None,
    votes: int | None,
    per: int | None,
    per_vote: bool,
    **said: Any,
) -> None:
    """Say what STUDY will cost, how long it takes and what an hour of it pays.

    Afterwards: what people earned, what is still owed and what an hour really paid. Without STUDY,
    the cost of so many votes on so many items.
    """
    if study is None:
        _tell_plan(items, votes, per or 1, said)
        return
    if items or votes or per:
        raise InvalidArgument("crowd.items-or-study")
    if per_vote:
        _tell_votes(read_study_folder(study), said)
        return
    described = _with(read_study_folder(study), said)
    recruiting = recruiting_of(described)
    expected = study_cost(described)
    say(described.title, bold=True)
    _tell_estimate(described, expected, recruiting.currency)
    with existing_store(study, database) as store:
        came = [] if store is None else store.visits.all()
    if came:
        say()
        tell_account(actual_cost(as_approved(came), prices_of(recruiting)), recruiting.currency)
        say(f"People so far: {listed_counts(count_outcomes(came))}.")


def _tell_plan(items: int | None, votes: int | None, per: int, said: dict[str, Any]) -> None:
    """Say what votes on items cost, before there is a study."""
    if items is None or votes is None:
        raise InvalidArgument("crowd.items-and-votes")
    prices, seconds = _prices_of_vote(said)
    plan = expected_cost(items, votes, prices, items_per_assignment=per, seconds=seconds)
    _tell_expected(plan, f"{plan.assignments:,} ({items:,} items × {votes} votes)", seconds)


def _tell_votes(study: Study, said: dict[str, Any]) -> None:
    """Say what a study costs whose people are paid for each item, by its design."""
    say(study.title, bold=True)
    part = study.recruiting.part if study.recruiting is not None else ""
    tasks = [
        task
        for sheet in make_plan(study).sheets
        for task in sheet.tasks
        if (not part or task.part == part) and task.kind != "practice"
    ]
    items = len({task.item for task in tasks})
    prices, seconds = _prices_of_vote(said)
    plan = estimate(len(tasks), items, prices, seconds)
    _tell_expected(plan, f"{len(tasks):,} on {items:,} items, by the design", seconds)


def _prices_of_vote(said: dict[str, Any]) -> tuple[Prices, float | None]:
    if said["pay"] is None:
        raise InvalidArgument("crowd.pay-of-assignment")
    prices = Prices(
        pay=said["pay"], fee=said["fee"] or 0, fee_share=said["fee_share"] or 0, wage=said["wage"]
    )
    return prices, said["minutes"] and 60 * said["minutes"]


def _tell_expected(plan: ExpectedCost, assignments: str, seconds: float | None) -> None:
    rows = {
        "assignments": assignments,
        "pay": f"{plan.paid:.2f}",
        "fees": f"{plan.fees:.2f}",
        "in all": f"{plan.total:.2f}, {plan.per_item:.2f} for each item",
    }
    if seconds:
        rows["time"] = f"{plan.hours:.1f} hours in all, an hour pays {plan.hourly:.2f}"
    for name, words in rows.items():
        say(f"{name:{WIDE}}{words}", indent=2, hang=WIDE)
    for warning in plan.warnings:
        say(warning, fg="yellow")


def _with(study: Study, said: dict[str, Any]) -> Study:
    """Put what was said in the place of what the study says."""
    names = {"wage": "minimum_wage", "people": "places"}
    settings: dict[str, Any] = {
        names.get(name, name): value if name in ("minutes", "people") else Decimal(str(value))
        for name, value in said.items()
        if value is not None
    }
    if not settings:
        return study
    recruiting = study.recruiting or Recruiting(platform="link")
    return dataclasses.replace(study, recruiting=dataclasses.replace(recruiting, **settings))


def _tell_estimate(study: Study, expected: ExpectedCost, currency: str) -> None:
    people, minutes = people_of(study), minutes_of(study)
    unit = f" {currency}" if currency else ""
    pay = expected.paid / people
    rows = {
        "people": f"{people:,}",
        "pay": f"{people:,} × {pay:.2f} = {expected.paid:.2f}{unit}",
        "fees": f"{expected.fees:.2f}{unit}",
        "in all": f"{expected.total:.2f}{unit}, {expected.per_item:.2f} for each item",
        "time": "not known"
        if minutes is None
        else f"{minutes:g} minutes each, {expected.hours:.1f} hours in all",
        "an hour pays": "not known"
        if math.isnan(expected.hourly)
        else f"{expected.hourly:.2f}{unit}",
    }
    for name, words in rows.items():
        say(f"{name:{WIDE}}{words}", indent=2, hang=WIDE)
    for warning in expected.warnings:
        say(warning, fg="yellow")


def tell_account(account: ActualCost, currency: str) -> None:
    """Say what people have earned so far."""
    unit = f" {currency}" if currency else ""
    done = "1 person is" if account.approved == 1 else f"{account.approved:,} people are"
    out = account.screened_out
    also = f" and {out:,} {'was' if out == 1 else 'were'} screened out" if out else ""
    say(f"So far {done} done{also}: {account.paid:.2f}{unit} in pay, {account.fees:.2f} in fees.")
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


@click.command(epilog=LINT_EPILOG)
@study_argument
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="How long it takes.")
@click.option("--message", help="What you mean to write to people whom you reject.")
@debug_option
def lint(study: Path, minutes: float | None, message: str | None) -> int:
    """Check STUDY against Prolific's rules, before people are paid or turned away."""
    described = read_study_folder(study)
    rejecting = None
    if message is not None:
        allowed = described.recruiting.failed_checks_allowed if described.recruiting else None
        rejecting = Rejecting(failed_checks=2 if allowed is None else allowed + 1, message=message)
    findings = findings_of(described, minutes=minutes, rejecting=rejecting)
    for finding in findings:
        say(str(finding), hang=2, fg="red" if finding.weight == "must" else None)
    broken = sum(finding.weight == "must" for finding in findings)
    say(
        f"{broken} to change, {len(findings) - broken} worth a look."
        if findings
        else "No broken rules found. Only a person can judge whether a check is clear."
    )
    return 1 if broken else 0


@click.command(epilog=LINK_EPILOG)
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

    described = read_study_folder(study)
    if described.recruiting is None:
        offer_recruiting()
    recruiting = recruiting_of(described)
    if new and revoke:
        raise click.UsageError("--new makes a link and --revoke ends it; say one of them")
    with Store.open(database or described.folder / "study.db") as store:
        if revoke:
            store.visits.revoke_join_secret()
            say("The link has ended: nobody new comes in by it.")
            return
        secret = (None if new else store.visits.join_secret()) or store.visits.new_join_secret()
    click.echo(platform_link(recruiting, address, secret))
    say()
    for sentence in _ways_back(recruiting):
        say(sentence)
    say()
    if is_at_home(address):
        say("This link works on this machine only. To try it, put a name for each {{%…%}}.")
        say()
    say("Before you publish:")
    click.echo(f"  covary crowd lint {shlex.quote(str(study))}")


def platform_link(recruiting: Recruiting, address: str, secret: str) -> str:
    """Return the address to give to the platform, with the platform's parameters."""
    platform = platform_of(recruiting)
    plain = f"{address.rstrip('/')}/join/{secret}"
    if platform is not None and not (address.startswith("https://") or is_at_home(address)):
        raise InvalidArgument("cli.https-address", value=address)
    return plain if platform is None else platform.link(plain)


def is_at_home(address: str) -> bool:
    """Whether an address is one of this machine, where a link can be tried and nobody recruited."""
    return urlsplit(address).hostname in HOME


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
    ways = []
    for name, words in means.items():
        code, address = getattr(recruiting, name), recruiting.addresses.get(name)
        if code or address:
            ways.append(f"{name.replace('_', ' ')}: {code or address} ({words})")
    return ways


TEMPLATE_EPILOG = """\b
Examples:
  covary crowd template STUDY
  covary crowd template STUDY -o tasks --marks braces

Writes task.html, the page of one item with instructions, earlier turns and every criterion, with
a mark such as ${text} wherever the platform puts a cell; task.csv, a row for each item, escaped
for a page; and preview.html, the page with the first item in it, to look at. The results come
back as a table with Input.… and Answer.… columns, which 'covary crowd import' reads. Systems stand
in none of these files: the item's name leads back to them."""


@click.command(epilog=TEMPLATE_EPILOG)
@study_argument
@output_option("The folder to write to; STUDY/task by default.")
@click.option("--part", help="Which part of the study, where there are several.")
@default_option(
    "--marks",
    Choice(["dollar", "braces"]),
    "dollar",
    "How the platform marks the place of a cell: ${text} or {{text}}.",
)
@debug_option
def template(study: Path, output: Path | None, part: str | None, marks: str) -> None:
    """Write the task of STUDY, a study's folder, for a platform that shows pages of its own."""
    from covary.web.judge.task_template import task_template

    described = read_study_folder(study)
    made = task_template(described, part=part, marks=marks)
    folder = output or described.folder / "task"
    make_folder(folder)
    written = {"task.html": made.html, "task.csv": made.csv(), "preview.html": made.filled()}
    say(f"{len(made.rows):,} items; marks: {', '.join(made.columns[1:])}.")
    if made.left_out:
        say(f"{made.left_out:,} items for practice or training are left out.")
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"Written: {folder / name}")
