"""`covary crowd`: recruit a crowd, know what it costs, pay it, and compare it with experts."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.command_group import CommandGroup, parse_sections
from covary.cli.screen import debug_option
from covary.cli.study_folder import is_study, private_files

SECTIONS = parse_sections(
    "covary.cli.crowd",
    """
Before
    cost         planning            What the study will cost, and has cost so far.
    lint         planning            Does the study keep Prolific's rules?
    link         planning            The recruiting link and the codes.
    template     planning            Write the task as a page for another platform.
While people come
    status       people              How recruiting stands, and what to do next.
    people       people              Who came: how much they judged, how long it took.
    pay          people              Export everything that is needed to pay people.
On Prolific
    draft        prolific            Make a draft of the study on Prolific.
    publish      prolific            Open a draft on Prolific to people.
    submissions  prolific            Prolific's submissions beside the study's.
    approve      prolific            Approve, and so pay, who finished.
    bonus        prolific            Pay bonuses that reach the minimum wage.
Afterwards
    import       votes:import_batch  Take votes, rewards and times from an MTurk batch.
    report       votes               Compare a crowd's votes with experts.
""",
)

EPILOG = """\b
Examples:
  covary crowd STUDY                                how recruiting stands, and what to do next
  covary crowd cost STUDY                           pay, fees, time, what an hour pays
  covary crowd link STUDY --address https://…       the link to give to the platform
  covary crowd report votes.csv --experts experts.csv --scale 1-3

How people are recruited is set in study.toml under [recruiting]."""


class StudyFirst(CommandGroup):
    """Commands under headings; a study's folder alone stands for its status."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take the folder of a study for the question how it stands."""
        if args[0] not in self.verbs and is_study(Path(args[0])):
            return super().resolve_command(ctx, ["status", *args])
        if args[0] not in self.verbs and Path(args[0]).is_dir():
            ctx.fail(f"'{args[0]}' is not the folder of a study: it has no study.toml")
        return super().resolve_command(ctx, args)


@click.group(cls=StudyFirst, sections=SECTIONS, epilog=EPILOG)
@debug_option
@click.pass_context
def crowd(context: click.Context) -> None:
    """Recruit a crowd, know what it costs, pay it, and compare it with experts."""
    context.with_resource(private_files())  # most of what is written names people or money
