"""`covary check`: what is wrong with the data, before any statistic."""

from __future__ import annotations

from typing import Any

import click

from covary.analysis.forensics import Finding, Findings
from covary.analysis.forensics import check as look_for_faults
from covary.analysis.forensics.findings import HEADINGS
from covary.analysis.paired_systems import is_preference
from covary.cli.options import printed_form_option
from covary.cli.reading import RatingsCommand, RatingsInput, reads_ratings
from covary.cli.screen import ProgressBar, command_line, debug_option, introduce, say
from covary.ratings import Ratings
from covary.words import TERMINAL

COLOURS = {"serious": "red", "look": "yellow", "note": "cyan"}

EPILOG = """\b
Examples:
  covary check ratings.csv --scale 1-5
  covary check batch.xlsx --wide 'J*' --scale 1-3 --best low
  covary check ratings.csv --scale fluency=1-5 --scale adequacy=0-100 --strict
  covary check ratings.csv --format json > findings.json

Columns are found by their names (annotator, worker_id, score, label, ...), and what they were taken
for is printed. --item, --judge, --rating and the other column options override that; an empty name
means that there is no such column."""


@click.command(cls=RatingsCommand, epilog=EPILOG)
@reads_ratings
@printed_form_option
@click.option("--strict", is_flag=True, help="Exit with code 1 if anything is serious.")
@debug_option
def check(reading: RatingsInput, form: str, strict: bool) -> int:
    """Say what is wrong with the ratings in FILE.

    Ratings off the scale and duplicates are set aside and reported with everything else: sorted
    columns, judges who copy or never vary, systems and judges that are confounded, ...
    """
    with ProgressBar(f"reading {reading.name}") as bar:
        ratings = reading.ratings(faulty="set-aside").looked_at()
        bar("looking for faults")
        findings = look_for_faults(ratings)
    if form == "json":
        import json  # which takes a moment

        click.echo(json.dumps(_as_json(reading, ratings, findings), indent=2, ensure_ascii=False))
    else:
        introduce(reading.name, ratings)
        show_findings(findings)
        say()
        say("Next:")
        added = {} if ratings.account is None else dict(ratings.account.added)
        if ratings.faults:  # which the check set aside, and a report refuses
            added |= {"faulty": "set-aside"}
        verb = "preferences" if _compares_systems(ratings) else "report"
        click.echo(f"  {command_line(added, verb=verb, without=('--strict', '--format'))}")
    return int(strict and bool(findings.serious))


def _compares_systems(ratings: Ratings) -> bool:
    """Whether all ratings choose between the outputs of two systems."""
    named = "system" in ratings.columns
    return named and all(is_preference(ratings, name) for name in ratings.criteria)


def show_findings(findings: Findings, *, brief: bool = False) -> None:
    """Print findings under headings, the most serious first; briefly, without the mere notes."""
    for degree, words in HEADINGS.items():
        group = [finding for finding in findings if finding.seriousness == degree]
        if brief and degree == "note":
            continue
        if group:
            say()
            say(words.capitalize(), bold=True, fg=COLOURS[degree])
        for finding in group:
            say()
            _show(finding)
    say()
    say(findings.summary, bold=True)


def _show(finding: Finding) -> None:
    about = "" if finding.criterion is None else f" (on {finding.criterion!r})"
    say(f"{finding.title}{about}", indent=2, bold=True)
    say(finding.say("evidence", TERMINAL), indent=4)
    say(f"-> {finding.say('advice', TERMINAL)}", indent=4, hang=3)
    say(f"[{finding.code}]", indent=4, dim=True)


def _as_json(reading: RatingsInput, ratings: Ratings, findings: Findings) -> dict[str, Any]:
    counts = {
        "ratings": ratings.n_ratings,
        "items": ratings.n_items,
        "judges": None if ratings.slots else ratings.n_judges,
    }
    about = {"file": str(reading.file), "counts": counts, "notes": list(ratings.notes)}
    return about | findings.to_dict()
