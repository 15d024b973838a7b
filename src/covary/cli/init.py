"""`covary init`: a new study folder, ready to edit."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from covary.cli.command_group import Choice
from covary.cli.screen import debug_option, say
from covary.study import TEMPLATES, read_study, write_template

EPILOG = "\n".join(
    [
        "\b",
        "Templates:",
        *(f"  {template.name:18} {template.about}" for template in TEMPLATES.values()),
        "",
        "\b",
        "Examples:",
        "  covary init forecasts",
        "  covary init questions --template qg-stec",
    ]
)


@click.command(epilog=EPILOG)
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--template",
    type=Choice(list(TEMPLATES)),
    default="verbal-and-visual",
    show_default=True,
    metavar="TEMPLATE",
    help="The study to begin from.",
)
@debug_option
def init(name: Path, template: str) -> None:
    """Write a new study into the folder NAME.

    It is a whole study that works as it stands: study.toml with the criteria, scales and design,
    the items, and the guidelines. Every setting is explained beside it. Nothing is overwritten.
    """
    written = write_template(name, template)
    say(f"A study from the template {template}: {TEMPLATES[template].about}.")
    say()
    for path in written:
        click.echo(f"  {path}")
    say()
    first, *rest = read_study(name).describe()
    say(" ".join([first, *rest[:1]]))
    say()
    say("Put your own items and wording into these files. Then see who will rate what:")
    click.echo(f"  covary design {shlex.quote(str(name))}")
