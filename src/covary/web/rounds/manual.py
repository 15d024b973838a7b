"""The versions of the manual: each as judges read it, and any two compared word by word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from starlette.responses import Response

from covary.study.versions import (
    Edition,
    GuidelineChange,
    ManualDifferences,
    compare_manuals,
    paragraphs,
)
from covary.training import Change
from covary.web.markup import from_researcher
from covary.web.refusals import Refusal
from covary.web.rounds.talk import unwritten
from covary.web.rounds.view import View

__all__ = ["Compared", "compared", "show_compared", "show_manual", "versions"]

AROUND = 1
"""So many paragraphs that stayed are shown before and after one that changed."""


@dataclass(frozen=True)
class Version:
    """One edition of the manual: its number, in which round it was written, by whom and why."""

    number: int
    edition: Edition
    round: int
    by: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Piece:
    """A paragraph of a comparison, or several that stayed and are folded away.

    `words` are the words that were kept (" "), removed ("-") and added ("+"), run by run.
    """

    kind: str
    words: tuple[tuple[str, str], ...] = ()
    folded: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reworded:
    """Something of a criterion that changed, word by word."""

    criterion: str
    what: str
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Compared:
    """Two editions compared: what of the criteria changed, and the whole of the guidelines."""

    scheme: tuple[Reworded, ...]
    pieces: tuple[Piece, ...]
    differences: ManualDifferences

    @property
    def counted(self) -> str:
        """How much changed, in a sentence."""
        kinds = [each.kind for each in self.differences.guidelines]
        found = [f"{kinds.count(kind)} {kind}" for kind in ("changed", "added", "removed")
                 if kind in kinds]  # fmt: skip
        guidelines = f"paragraphs of the guidelines: {', '.join(found)}" if found else ""
        scheme = f"of the criteria: {len(self.scheme)} changed" if self.scheme else ""
        told = "; ".join(filter(None, [guidelines, scheme]))
        return f"{told[:1].upper()}{told[1:]}." if told else "Nothing changed."


def versions(view: View) -> list[Version]:
    """Return all editions of the manual in their order, the one that it began with first."""
    cycle = view.cycle
    found = [Version(1, cycle.editions[0], 0, "", ())]
    for each in cycle.rounds:
        for edit in each.edits:
            who = view.naming.judge(edit.by)
            number = len(found) + 1
            found.append(Version(number, edit.edition, each.number, who, edit.changes))
    return found


def show_manual(view: View) -> Response:
    """Show a version of the manual, the newest by default, and the list of all."""
    every = versions(view)
    wanted = view.asked("version", len(every))
    chosen = _chosen(every, wanted)
    return view.page(
        "manual",
        versions=every,
        chosen=chosen,
        text=from_researcher(chosen.edition.guidelines),
        editing=view.may_edit and view.cycle.phase == "combination",
        to_write=unwritten(view.cycle) if view.cycle.phase == "combination" else [],
    )


def show_compared(view: View) -> Response:
    """Show what changed from one version to another."""
    every = versions(view)
    newest = len(every)
    new = _chosen(every, view.asked("new", newest))
    old = _chosen(every, view.asked("old", max(1, new.number - 1)))
    between = [each for each in every if old.number < each.number <= new.number]
    return view.page(
        "compare",
        versions=every,
        old=old,
        new=new,
        between=between,
        compared=compared(old.edition, new.edition),
    )


def _chosen(every: list[Version], number: int) -> Version:
    if not 1 <= number <= len(every):
        raise Refusal(404)
    return every[number - 1]


def compared(old: Edition, new: Edition) -> Compared:
    """Compare two editions."""
    differences = compare_manuals(old, new)
    scheme = tuple(
        Reworded(each.criterion, each.what, _reworded(each.old, each.new))
        for each in differences.scheme
    )
    return Compared(scheme, tuple(_folded(_pieces(old, new, differences))), differences)


def _reworded(old: object, new: object) -> tuple[tuple[str, str], ...]:
    return _runs(GuidelineChange("changed", _written(old), _written(new)))


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _pieces(old: Edition, new: Edition, differences: ManualDifferences) -> Iterator[Piece]:
    """Go through both texts, and take what changed, block by block, from the differences."""
    before, after = paragraphs(old.guidelines), paragraphs(new.guidelines)
    changes = iter(differences.guidelines)
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Piece("same", ((" ", text),)) for text in before[i:j])
            continue
        here = [next(changes) for _ in range(k, m)]
        kept = sum(each.kind == "changed" for each in here)
        here += [next(changes) for _ in range(j - i - kept)]
        yield from (Piece(each.kind, _runs(each)) for each in here)


def _runs(change: GuidelineChange) -> tuple[tuple[str, str], ...]:
    """The words of a change, those of one kind in a row taken together."""
    found: list[tuple[str, str]] = []
    for kind, word in change.words():
        if found and found[-1][0] == kind:
            found[-1] = (kind, f"{found[-1][1]} {word}")
        else:
            found.append((kind, word))
    return tuple(found)


def _folded(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Fold away what stayed, except for a paragraph on either side of what did not."""
    every = list(pieces)
    changed = [place for place, each in enumerate(every) if each.kind != "same"]
    near = {place + step for place in changed for step in range(-AROUND, AROUND + 1)}
    hidden: list[str] = []
    for place, each in enumerate(every):
        if each.kind == "same" and place not in near:
            hidden.append(each.words[0][1])
            continue
        if hidden:
            yield Piece("folded", folded=tuple(hidden))
            hidden = []
        yield each
    if hidden:
        yield Piece("folded", folded=tuple(hidden))
