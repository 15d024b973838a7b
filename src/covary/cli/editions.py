"""The manual of a guideline cycle on the screen: its editions, what changed, and what happened."""

from __future__ import annotations

from collections.abc import Sequence

import click

from covary.analysis.rounds import History
from covary.cli.screen import heading, say
from covary.errors import InvalidArgument
from covary.study.model import Criterion
from covary.study.versions import Edition, GuidelineChange, compare_manuals

__all__ = ["show_differences", "show_edition", "show_history"]

SHORTEST = 4
"""So many letters of a version name it."""

COLOURS = {"+": "green", "-": "red", " ": None}


def show_edition(editions: Sequence[Edition], wanted: str, store: str) -> None:
    """Print a whole edition: the criteria with their scales, then the guidelines."""
    edition = _found(editions, wanted, store)
    number = editions.index(edition) + 1
    say(f"Manual {edition.version}, edition {number} of {len(editions)}", bold=True)
    for each in edition.criteria:
        say()
        _show_criterion(each)
    say()
    click.echo(edition.guidelines.rstrip("\n"))


def show_differences(editions: Sequence[Edition], old: str, new: str, store: str) -> None:
    """Print what changed between two editions, a paragraph at a time."""
    first, second = (_found(editions, each, store) for each in (old, new))
    found = compare_manuals(first, second)
    say(f"From manual {found.old_version} to {found.new_version}", bold=True)
    if not found:
        say("Nothing changed.")
    for scheme in found.scheme:
        say()
        say(scheme.sentence)
    for paragraph in found.guidelines:
        say()
        _show_change(paragraph)


def show_history(history: History) -> None:
    """Print what each round took, how the manual grew, and how it ended."""
    heading("Rounds of training")
    for each in history.work:
        marked = "not compared yet" if each.marked is None else f"{each.marked} marked"
        say(
            f"round {each.round}, manual {each.version}: {each.items} items, {each.judges} judges, "
            f"{marked}, {each.said} said, {each.proposals} proposed, {each.accepted} accepted, "
            f"{each.changes} changed",
            hang=2,
        )
        if each.verdict:
            say(each.verdict, indent=2, dim=True)
    heading("Editions of the manual")
    for number, each_one in enumerate(history.editions, start=1):
        after = f" by {each_one.by} after round {each_one.round}" if each_one.round else ", first"
        say(f"{number}  {each_one.version}{after}", hang=3)
        for kind, summary, sentence in each_one.changes:
            said = f": {sentence}" if sentence else ""
            say(f"{kind}: {summary}{said}", indent=3, hang=2)
    say()
    say(history.outcome, bold=True)


def _found(editions: Sequence[Edition], wanted: str, store: str) -> Edition:
    if not editions:
        raise InvalidArgument(
            f"no guideline cycle has begun in {store}, so that there is one manual only: the "
            "study's own"
        )
    places = {"first": 1, "last": len(editions)}
    number = places.get(wanted) or (int(wanted) if wanted.isdecimal() and len(wanted) < 4 else 0)
    if 1 <= number <= len(editions):
        return editions[number - 1]
    fitting = [each for each in editions if len(wanted) >= SHORTEST and
               each.version.startswith(wanted)]  # fmt: skip
    if len({each.version for each in fitting}) == 1:
        return fitting[-1]
    have = ", ".join(f"{place} ({each.version})" for place, each in enumerate(editions, start=1))
    raise InvalidArgument(f"{wanted!r} is no edition of the manual; there are {have}")


def _show_criterion(each: Criterion) -> None:
    say(each.key, bold=True)
    say(each.question, indent=2)
    if each.definition:
        say(each.definition, indent=2)
    best = {"high": "; high is best", "low": "; low is best", None: ""}[each.scale.best]
    say(f"{each.scale.describe()}{best}", indent=2, dim=True)
    for category, label in _labels(each):
        say(f"{category}  {label}", indent=4, hang=3)


def _labels(each: Criterion) -> list[tuple[object, str]]:
    """What stands beside each rank, where it is more than the rank itself."""
    labels = getattr(each.scale, "labels", None) or ()
    pairs: list[tuple[object, str]] = [*zip(each.scale.categories or (), labels, strict=False)]
    return [] if all(str(category) == label for category, label in pairs) else pairs


def _show_change(change: GuidelineChange) -> None:
    """Print a paragraph with its sign; of a changed one, what it was and what it is."""
    lines = [("-", change.old), ("+", change.new)]
    for sign, text in lines:
        if text:
            say(f"{sign} {text}", hang=2, fg=COLOURS[sign])
