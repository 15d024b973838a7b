"""`covary words`: what the judges' pages of a study say, in its language and in its own words."""

from __future__ import annotations

import json
from pathlib import Path

import click

from covary.cli.options import printed_form_option
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import read_study_folder, study_argument
from covary.words.page_words import languages, page_words

EPILOG = """\b
Examples:
  covary words forecasts                   every text of the judges' pages, as judges read it
  covary words forecasts --format json

The language stands in study.toml (language = "de"). Any text can be renamed there; the key is the
English one:

\b
  [words]
  "Input" = "Source article"
  "Item %(place)s of %(total)s" = "Summary %(place)s of %(total)s"

A key that no page uses is an error in study.toml, and so is a placeholder that the text lacks."""


@click.command(epilog=EPILOG)
@study_argument
@printed_form_option
@debug_option
def words(study: Path, form: str) -> None:
    """List and check the words on the judges' pages of STUDY, a study's folder."""
    read = read_study_folder(study)
    spoken = page_words(read.language, read.words)
    rows = [
        {"english": english, "words": text, "renamed": english in read.words}
        for english, text in spoken.listing()
    ]
    if form == "json":
        facts = {"language": spoken.language, "reviewed": spoken.reviewed, "words": rows}
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    _say_language(read.language, spoken.language, reviewed=spoken.reviewed)
    say(f"{len(rows)} texts, {len(read.words)} renamed by the study (marked *).")
    for english, text in spoken.listing():
        say(f"{'*' if english in read.words else '-'} {english}", hang=2)
        if text != english:
            say(text, indent=4)


def _say_language(wanted: str, spoken: str, *, reviewed: bool) -> None:
    if wanted.partition("-")[0].lower() != spoken:
        say(f"There are no words in '{wanted}' yet: the pages speak English around the texts.")
        say(f"The pages speak {', '.join(languages())}.")
    elif not reviewed:
        say(
            f"The words in '{spoken}' have not been read by a native speaker yet: please read them."
        )
