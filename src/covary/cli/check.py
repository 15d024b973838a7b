"""`covary check`: what is wrong with the data, before any statistic."""

from __future__ import annotations

import json
from typing import Any

import click

from covary.analysis.forensics import Finding, Findings
from covary.analysis.forensics import check as look_for_faults
from covary.analysis.forensics.findings import HEADINGS
from covary.cli.progress import Bar
from covary.cli.reading import RatingsCommand, Reading, reads_ratings
from covary.cli.screen import debug_option, introduce, say
from covary.cli.wording import as_options
from covary.ratings import Ratings

__all__ = ["check", "show_findings", "summary"]

COLOURS = {"serious": "red", "look": "yellow", "note": "cyan"}

EPILOG = """\b
Examples:
  covary check ratings.csv --scale 1-5
  covary check batch.xlsx --wide 'J*' --scale 1-3 --best low
  covary check ratings.csv --scale fluency=1-5 --scale adequacy=0-100 --strict
  covary check ratings.csv --format json > findings.json

Columns are found by their names (annotator, worker_id, score, label, ...), and what was guessed
is said. --item, --judge, --rating and the other column options overrule it; an empty name says
that there is no such column."""


@click.command(
    cls=RatingsCommand, epilog=EPILOG, short_help="What is wrong with a file of ratings?"
)
@reads_ratings
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Form of what is printed.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="End with exit code 1 if anything is serious.")
@debug_option
def check(reading: Reading, form: str, strict: bool) -> int:
    """Say what is wrong with the ratings in FILE.

    Ratings off the scale and duplicates are set aside and reported with everything else: sorted
    columns, judges who copy or never vary, systems and judges that are confounded, ...
    """
    with Bar(f"reading {reading.file.name}") as bar:
        ratings = reading.ratings(faulty="set-aside").looked_at()
        bar("looking for faults")
        found = look_for_faults(ratings)
    if form == "json":
        click.echo(json.dumps(_as_json(reading, ratings, found), indent=2, ensure_ascii=False))
    else:
        introduce(reading.file.name, ratings)
        show_findings(found)
        say()
        say("Next, with the same options:")
        click.echo(f"  covary report {reading.spoken}")
    return int(strict and bool(found.serious))


def show_findings(found: Findings, *, brief: bool = False) -> None:
    """Print findings under headings, the most serious first; briefly, without the mere notes."""
    for degree, words in HEADINGS.items():
        group = [each for each in found if each.seriousness == degree]
        if brief and degree == "note":
            continue
        if group:
            say()
            say(words.capitalize(), bold=True, fg=COLOURS[degree])
        for each in group:
            say()
            _show(each)
    say()
    say(summary(found), bold=True)


def summary(found: Findings) -> str:
    """Count the findings in a sentence."""
    return str(found).split("\n", 1)[0]


def _show(found: Finding) -> None:
    about = "" if found.criterion is None else f" (on {found.criterion!r})"
    say(f"{found.title}{about}", indent=2, bold=True)
    say(as_options(found.evidence), indent=4)
    say(f"-> {as_options(found.advice)}", indent=4, hang=3)
    say(f"[{found.code}]", indent=4, dim=True)


def _as_json(reading: Reading, ratings: Ratings, found: Findings) -> dict[str, Any]:
    counts = {
        "ratings": ratings.n_ratings,
        "items": ratings.n_items,
        "judges": None if ratings.slots else ratings.n_judges,
    }
    about = {"file": str(reading.file), "counts": counts, "notes": list(ratings.notes)}
    return about | found.to_dict()
