"""`covary crowd draft`, `publish` and `submissions`: a study on Prolific, over its API."""

from __future__ import annotations

import math
import shlex
from pathlib import Path

import click

from covary.cli.collected import read_folder
from covary.cli.crowd.desk import (
    ABOUT_TOKEN,
    MONEY_EPILOG,
    due_on_prolific,
    moves_money,
    on_prolific,
    platform_study_of,
    sure,
    tell_each,
    visitors_of,
)
from covary.cli.crowd.people import tell_payments
from covary.cli.screen import debug_option, say
from covary.crowd.lint import lint as findings_of
from covary.crowd.payments import write_payments
from covary.crowd.prolific import Draft, Prolific
from covary.crowd.recruiting import (
    codes_of,
    minutes_of,
    people_of,
    prices_of,
    recruiting_of,
    study_cost,
)
from covary.errors import InvalidArgument
from covary.study.model import Study

__all__ = ["draft", "publish", "submissions"]

DRAFT_EPILOG = f"""\b
Examples:
  covary crowd draft STUDY --address https://study.example.org

{ABOUT_TOKEN} A draft costs nothing and nobody sees it yet: look at it on Prolific, choose who may
take part, and publish it there or with 'covary crowd publish'."""

SUBMISSIONS_EPILOG = f"""\b
Examples:
  covary crowd submissions STUDY
  covary crowd submissions STUDY -o payments.csv

{ABOUT_TOKEN} Prolific's submissions stand beside what the study knows of each person: a completion
code that somebody typed does not count unless the person finished here."""


@click.command(epilog=DRAFT_EPILOG, short_help="Make a draft of the study on Prolific.")
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
    described = read_folder(study)
    made = _draft(described, address, description)
    made.content()
    with Store.open(database or described.folder / "study.db") as store:
        secret = store.join_secret() or store.new_join_secret()
    name = prolific.create_study(_at(made, address, secret))
    say(f"A draft was made on Prolific: {name}", bold=True)
    say(f"{made.places:,} places, {made.reward} for {made.minutes} minutes. Nobody sees it yet.")
    say("Look at it there, choose who may take part, then:")
    click.echo(f"  covary crowd publish {shlex.quote(str(study))} --study-id {name}")


def _draft(study: Study, address: str, description: str | None) -> Draft:
    recruiting = recruiting_of(study)
    if recruiting.platform != "prolific":
        raise InvalidArgument(
            f'the study recruits through {recruiting.platform}; say platform = "prolific" under '
            "[recruiting]"
        )
    minutes = minutes_of(study)
    if minutes is None:
        raise InvalidArgument("say minutes under [recruiting]: Prolific asks how long it takes")
    return Draft(
        name=study.title,
        description=description or study.consent or study.title,
        address=address,
        codes=codes_of(recruiting),
        reward=prices_of(recruiting).pay,
        minutes=math.ceil(minutes),
        places=people_of(study),
    )


def _at(made: Draft, address: str, secret: str) -> Draft:
    if not address.startswith("https://"):
        raise InvalidArgument(f"--address {address} must begin with https://")
    whole = {name: getattr(made, name) for name in made.__dataclass_fields__}
    return Draft(**whole | {"address": f"{address.rstrip('/')}/join/{secret}"})


@click.command(epilog=MONEY_EPILOG, short_help="Open a draft on Prolific to people.")
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
    described = read_folder(study)
    name = platform_study_of(platform_study, visitors_of(study, database))
    cost = study_cost(described)
    unit = recruiting_of(described).currency
    for each in findings_of(described):
        if each.weight == "must":
            say(str(each), fg="red", hang=2)
    words = f"publish {name} to {people_of(described):,} people, which will cost {cost.total:.2f}"
    if sure(f"{words} {unit}".rstrip(), now, yes):
        prolific.publish(name)
        say("Published. Keep the study open: covary serve … --proxy")


@click.command(epilog=SUBMISSIONS_EPILOG, short_help="Prolific's submissions beside the study's.")
@on_prolific
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write them as CSV: payments.csv"
)
@debug_option
def submissions(
    study: Path,
    database: str | None,
    prolific: Prolific,
    platform_study: str | None,
    output: Path | None,
) -> None:
    """List Prolific's submissions for STUDY, what each is due and what is left to do."""
    _, due = due_on_prolific(study, database, prolific, platform_study)
    tell_payments(due, recruiting_of(read_folder(study)).currency)
    tell_each(due)
    if output is not None:
        click.echo(f"Written: {write_payments(due, output)}")
