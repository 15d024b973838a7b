"""Training items must be new: no item, text, input, image or source that judges meet elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from covary.study.model import Item

__all__ = ["Shared", "shared_traits"]


@dataclass(frozen=True)
class Shared:
    """An item that is not new: what it has of which other item."""

    item: str
    what: str
    other: str

    def __str__(self) -> str:
        return f"{self.item} (the {self.what} of {self.other})"


def shared_traits(items: Iterable[Item], others: Iterable[Item]) -> tuple[Shared, ...]:
    """Find items that are among others too: the same name, text, input, image or source.

    Texts are compared without regard to capitals and white space. Of several things that an item
    shares, the plainest is named.

    Examples
    --------
    >>> shared_traits([Item("t1", ("Who  lit it?",))], [Item("e1", ("Who lit it?",))])
    (Shared(item='t1', what='text', other='e1'),)
    """
    kept: dict[tuple[str, str], str] = {}
    for each in others:
        for trait in _traits(each):
            kept.setdefault(trait, each.id)
    found: dict[str, Shared] = {}
    for each in items:
        for trait in _traits(each):
            if trait in kept:
                found[each.id] = Shared(each.id, trait[0], kept[trait])
    return tuple(found.values())


def _traits(item: Item) -> list[tuple[str, str]]:
    """What must not be shared, the plainest last so that it is named."""
    found = [("source", item.source or ""), ("image", item.image or "")]
    found += [(what, " ".join(text.split()).casefold()) for what, text in _texts(item)]
    return [*((what, value) for what, value in found if value), ("item", item.id)]


def _texts(item: Item) -> list[tuple[str, str]]:
    return [("input", item.input or ""), *(("text", text) for text in item.texts)]
