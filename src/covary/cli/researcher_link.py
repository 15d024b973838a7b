"""`covary researcher-link`: a link that signs a researcher in, once."""

from __future__ import annotations

from pathlib import Path

import click

from covary.cli.collected import database_option, read_folder, study_argument
from covary.cli.screen import debug_option, say
from covary.errors import InvalidArgument

__all__ = ["researcher_link"]

EPILOG = """\b
Examples:
  covary researcher-link forecasts
  covary researcher-link forecasts --address https://study.example.org

The link works once and makes the browser that opens it a researcher's. When it is used, every
other link that nobody used ends."""


@click.command("researcher-link", epilog=EPILOG, short_help="Print a link for a researcher.")
@study_argument
@database_option
@click.option(
    "--address",
    metavar="URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="How the server is reached.",
)
@debug_option
def researcher_link(study: Path, database: str | None, address: str) -> None:
    """Print a link that signs a researcher of STUDY in, also while it is served."""
    from covary.store import Store

    if not address.startswith(("http://", "https://")):
        raise InvalidArgument(f"address={address!r} must begin with http:// or https://")
    folder = read_folder(study).folder
    with Store.open(database or folder / "study.db") as store:
        token = store.researcher_link(again=True)
    say("This link works once and makes the browser that opens it yours:")
    click.echo(f"{address.rstrip('/')}/r/{token}")
