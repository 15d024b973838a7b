"""A whole dialogue on one page: which items can stand there, and how it is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from covary.formats.toml_tables import FileFaults, TomlTable
from covary.study.model import Item, Study, Turn


@dataclass(frozen=True)
class DialoguePlace:
    """One turn of a dialogue; `item` where it is judged, `gap` where turns are missing before."""

    turn: Turn
    item: Item | None = None
    gap: bool = False


def transcript(items: Sequence[Item]) -> tuple[DialoguePlace, ...]:
    """Put a dialogue together of its judged turns, each with what was said before it.

    Parameters
    ----------
    items
        The judged turns of one dialogue in their order.

    Examples
    --------
    >>> first = Item("s-2", ("At noon.",), speaker="bot", context=(Turn("guest", "When?"),))
    >>> said = (Turn("guest", "When?"), Turn("bot", "At noon."), Turn("guest", "Thanks."))
    >>> last = Item("s-4", ("You're welcome.",), speaker="bot", context=said)
    >>> [(each.turn.text, each.item is not None) for each in transcript([first, last])]
    [('When?', False), ('At noon.', True), ('Thanks.', False), ("You're welcome.", True)]
    """
    places: list[DialoguePlace] = []
    for item in items:
        known = _overlap([place.turn for place in places], item.context)
        gap = bool(places) and known == 0
        for turn in item.context[known:]:
            places.append(DialoguePlace(turn, gap=gap))
            gap = False
        own = Turn(item.speaker, item.texts[0] if item.texts else "")
        places.append(DialoguePlace(own, item, gap=gap))
    following = items[-1].following if items else ()
    return (*places, *map(DialoguePlace, following))


def _overlap(said: Sequence[Turn], context: Sequence[Turn]) -> int:
    """Say how many turns at the end of what was said begin the context of the next turn."""
    longest = min(len(said), len(context))
    lengths = range(longest, 0, -1)
    return next((n for n in lengths if list(said[-n:]) == list(context[:n])), 0)


def check_dialogue_pages(
    top: TomlTable,
    study: Study,
    items: Sequence[Item],
    *,
    lines: Mapping[str, int],
    own: FileFaults,
) -> None:
    """Report whatever keeps a part that asks for it from showing a dialogue on one page."""
    for part in study.parts:
        if study.design.page_of(part) == "dialogue":
            _check_design(top, study, part)
            _check_items([item for item in items if item.belongs_to(part)], lines, own)


def _check_design(top: TomlTable, study: Study, part: str) -> None:
    design = top.table("design")
    own = design.table("part").table(part) if part in study.design.part else design
    table = own if own.has("page") else design
    if study.design.of_part(part).order != "as-listed":
        table.fault("page", "study.dialogue-order")
    if study.design.repeats:
        design.fault("repeats", "study.dialogue-repeats")
    marking = [each.key for each in study.criteria_of(part) if each.passages]
    if marking:
        table.fault("page", "study.dialogue-passages", criterion=marking[0])


def _check_items(items: Sequence[Item], lines: Mapping[str, int], faults: FileFaults) -> None:
    """Report items that are no turn of a dialogue, and dialogues that others interrupt."""
    over: set[str] = set()
    before: str | None = None
    for item in items:
        if item.kind == "training" or (item.kind == "practice" and item.cluster is None):
            continue
        line = lines.get(item.id)
        if item.cluster is None:
            faults.add(line, "cluster", "study.dialogue-unnamed", item=item.id)
        elif item.cluster != before and item.cluster in over:
            facts = {"item": item.id, "cluster": item.cluster}
            faults.add(line, "cluster", "study.dialogue-apart", **facts)
        if len(item.texts) != 1 or item.input or item.image or item.audio or item.video:
            faults.add(line, "text", "study.dialogue-not-a-turn", item=item.id)
        before = item.cluster
        over |= {before} if before else set()
