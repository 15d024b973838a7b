"""Everyone rates everything."""

from __future__ import annotations

from covary.design.grid import grid_of
from covary.design.share import Share, row_word
from covary.design.williams import rounds_of
from covary.errors import InvalidArgument
from covary.study.model import DesignWish, Study

__all__ = ["everyone_row", "everyone_shares"]


def everyone_row(index: int, wish: DesignWish) -> str:
    """Name the row of the judge at this index."""
    return f"{row_word(wish)} {index + 1}"


def everyone_shares(study: Study, wish: DesignWish, indices: range) -> list[Share]:
    """Return the share of each row: all items, in rounds of all systems if Williams is asked."""
    items = study.items_of("item")
    _check(len(items), wish)
    if wish.order != "williams":
        return [Share(everyone_row(index, wish), items) for index in indices]
    grid = grid_of(study, "everyone' with order = 'williams")
    number = len(grid.sources)
    return [
        Share(everyone_row(index, wish), items, rounds_of(grid.systems, number, index, wish.seed))
        for index in indices
    ]


def _check(items: int, wish: DesignWish) -> None:
    if wish.per_judge not in (None, items):
        raise InvalidArgument(
            f"per_judge = {wish.per_judge} contradicts kind = 'everyone', in which each judge "
            f"rates all {items} items; leave it out, or use kind = 'overlap'"
        )
    if wish.judges_per_item not in (None, wish.judges):
        raise InvalidArgument(
            f"judges_per_item = {wish.judges_per_item} contradicts kind = 'everyone', in which "
            f"each item is rated by all {wish.judges} judges; leave it out, or use kind = 'overlap'"
        )
