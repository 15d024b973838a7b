"""`covary crowd` as a group of commands; the folder of a study alone asks how things stand."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.collected import is_study
from covary.cli.crowd.batch import import_batch
from covary.cli.crowd.paying import approve, bonus
from covary.cli.crowd.people import pay, people, status
from covary.cli.crowd.planning import cost, link, lint
from covary.cli.crowd.prolific import draft, publish, submissions
from covary.cli.crowd.report import report
from covary.cli.crowd.template import template
from covary.cli.screen import debug_option
from covary.cli.sections import Sections

__all__ = ["SECTIONS", "crowd"]

SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Before": (cost, lint, link, template),
    "While people come": (status, people, pay),
    "On Prolific": (draft, publish, submissions, approve, bonus),
    "Afterwards": (import_batch, report),
}

EPILOG = """\b
Examples:
  covary crowd STUDY                                how recruiting stands, and what to do next
  covary crowd cost STUDY                           pay, fees, time, what an hour pays
  covary crowd link STUDY --address https://…       the link to give to the platform
  covary crowd report votes.csv --experts experts.csv --scale 1-3

How people are recruited stands in study.toml under [recruiting]."""


class StudyFirst(Sections):
    """Commands under headings; a study's folder alone stands for its status."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take the folder of a study for the question how it stands."""
        if args[0] not in self.commands and is_study(Path(args[0])):
            return super().resolve_command(ctx, ["status", *args])
        if args[0] not in self.commands and Path(args[0]).is_dir():
            ctx.fail(f"'{args[0]}' is not the folder of a study: it has no study.toml")
        return super().resolve_command(ctx, args)


@click.group(
    cls=StudyFirst,
    sections=SECTIONS,
    epilog=EPILOG,
    short_help="Recruit a crowd, pay it, and compare it with experts.",
)
@debug_option
def crowd() -> None:
    """Recruit a crowd, know what it costs, pay it, and compare it with experts."""
