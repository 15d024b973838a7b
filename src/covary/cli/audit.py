"""`covary audit`: do the numbers that a paper prints fit each other?"""

from __future__ import annotations

from pathlib import Path

import click

from covary.analysis.published import audit as audit_file
from covary.analysis.published import audit_papers
from covary.analysis.published.audit import NumbersError
from covary.cli.command_group import Choice
from covary.cli.options import output_option
from covary.cli.output import ENDINGS, report_form
from covary.cli.screen import debug_option, say
from covary.datasets.shipped import template
from covary.reports.audit import AuditReport, audit_report
from covary.reports.document import FORMATS

EPILOG = """\b
Examples:
  covary audit                             four papers whose numbers ship
  covary audit --template > numbers.toml   a file to start from, with every kind of check
  covary audit numbers.toml --all
  covary audit numbers.toml -o audit.html
  covary audit numbers.toml --format csv > audit.csv

Nothing but printed numbers is needed. Where the ratings behind coefficients are named too, every
coefficient is computed from them to find which one is printed."""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--papers", is_flag=True, help="The papers whose numbers ship (as without FILE).")
@click.option("--template", "wants_template", is_flag=True, help="Print a file to start from.")
@click.option("--all", "everything", is_flag=True, help="Show the numbers that fit, too.")
@output_option("Write the audit to this file as well.")
@click.option(
    "--format",
    "form",
    type=Choice(list(ENDINGS)),
    help="Format of the output; by its ending if left out. Without -o it is printed.",
)
@click.option("--strict", is_flag=True, help="Exit with code 1 if a number does not fit.")
@debug_option
def audit(
    files: tuple[Path, ...],
    papers: bool,
    wants_template: bool,
    everything: bool,
    output: Path | None,
    form: str | None,
    strict: bool,
) -> int:
    """Check the printed numbers in each FILE: stars, averages, percentages, sums, pay, ...

    Stars against degrees of freedom, averages against their cells, percentages against counts,
    means against whole numbers, cost and hourly pay, and coefficients against the ratings behind
    them. Without FILE, four papers are checked whose numbers ship with covary.
    """
    if wants_template:
        click.echo(template(), nl=False)
        return 0
    if output is not None:
        _check_output(files, output, form)
    try:
        made = _made(files, papers)
    except NumbersError as error:
        click.echo(f"covary: {error}", err=True)
        return 1
    if output is None and form is not None:
        click.echo(FORMATS[ENDINGS[form].lstrip(".")](made), nl=False)
    else:
        click.echo(made.short(everything=everything))
    if output is not None:
        say()
        click.echo(f"Written: {made.write(output, report_form(output, form))}")
    return int(strict and any(audited.misfits for audited in made.audits))


def _made(files: tuple[Path, ...], papers: bool) -> AuditReport:
    audits = [audit_file(file) for file in files]
    if papers or not files:
        audits += audit_papers()
    return audit_report(audits)


def _check_output(files: tuple[Path, ...], output: Path, form: str | None) -> None:
    """Refuse what cannot be written before anything is computed."""
    report_form(output, form)
    if output.is_dir():
        raise click.UsageError(f"-o '{output}' is a folder; name a file")
    if any(file.exists() and output.exists() and output.samefile(file) for file in files):
        raise click.UsageError(f"-o '{output}' is the input itself; name another file")
    if not output.parent.is_dir():
        raise click.UsageError(
            f"-o '{output}': the folder '{output.parent}' does not exist; make it first"
        )
