"""`covary crowd template`: a task for a platform that shows pages of its own."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.collected import read_folder, study_argument
from covary.cli.screen import debug_option, say
from covary.errors import InvalidArgument

__all__ = ["template"]

EPILOG = """\b
Examples:
  covary crowd template STUDY
  covary crowd template STUDY -o tasks --marks braces

Writes task.html, the page of one item with instructions, earlier turns and every criterion, with
a mark such as ${text} wherever the platform puts a cell; task.csv, a row for each item, escaped
for a page; and preview.html, the page with the first item in it, to look at. The results come
back as a table with Input.… and Answer.… columns, which 'covary crowd import' reads. Systems stand
in none of these files: the item's name leads back to them."""


@click.command(epilog=EPILOG, short_help="Write the task as a page for another platform.")
@study_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="The folder to write to; STUDY/task by default.",
)  # fmt: skip
@click.option("--part", help="Which part of the study, where there are several.")
@click.option(
    "--marks", type=click.Choice(["dollar", "braces"]), default="dollar", show_default=True,
    help="How the platform marks the place of a cell: ${text} or {{text}}.",
)  # fmt: skip
@debug_option
def template(study: Path, output: Path | None, part: str | None, marks: str) -> None:
    """Write the task of STUDY, a study's folder, for a platform that shows pages of its own."""
    from covary.web.task_template import task_template

    described = read_folder(study)
    made = task_template(described, part=part, marks=marks)
    folder = output or described.folder / "task"
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"'{folder}' is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = {"task.html": made.html, "task.csv": made.csv(), "preview.html": made.filled()}
    say(f"{len(made.rows):,} items; marks: {', '.join(made.columns[1:])}.")
    if made.left_out:
        say(f"{made.left_out:,} items for practice or training are left out.")
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"Written: {folder / name}")
