"""What one judge is to rate, before it is put in order."""

from __future__ import annotations

from dataclasses import dataclass

from covary.study.model import DesignWish, Item

__all__ = ["Share", "row_word", "system_of"]


@dataclass(frozen=True)
class Share:
    """The items of one row of a design.

    `row` names the row. `rounds` holds the systems in the order in which the judge must meet them,
    round by round, where the design says so; it is empty where the order is free.
    """

    row: str
    items: tuple[Item, ...]
    rounds: tuple[tuple[str, ...], ...] = ()


def row_word(wish: DesignWish) -> str:
    """Say whether a row leaves the order free, or is a sequence or a list that must be kept."""
    if wish.order == "as-listed":
        return "list"
    return "sequence" if "williams" in (wish.kind, wish.order) else "row"


def system_of(item: Item) -> str | None:
    """Return the system of an item; the systems of a set in one order, whichever comes first.

    Examples
    --------
    >>> system_of(Item("q1", ("Yes.", "No."), ("b", "a")))
    'a / b'
    """
    return " / ".join(sorted(set(item.systems))) or None
