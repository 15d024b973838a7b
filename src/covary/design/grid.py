"""The outputs of a study as a grid: one item for each source and system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from covary.design.share import system_of
from covary.errors import InvalidArgument, listed
from covary.study.model import Item, Study

__all__ = ["Grid", "grid_of"]

WAY_OUT = "or use kind = 'overlap' or 'everyone', which need no grid"


@dataclass(frozen=True)
class Grid:
    """The items by source and system; `sources` and `systems` in the order of the study."""

    sources: tuple[str, ...]
    systems: tuple[str, ...]
    cells: dict[tuple[str, str], Item]

    def item(self, source: str, system: str) -> Item:
        """Return what this system made of this source."""
        return self.cells[source, system]


def grid_of(study: Study, kind: str) -> Grid:
    """Lay the items out as a grid, or say at once everything that is in the way.

    Items without any source are taken as outputs for one and the same source, if each system has
    one only.
    """
    items = study.items_of("item")
    faults = list(_unnamed(items)) or list(_uneven(items))
    if faults:
        raise InvalidArgument(f"kind = '{kind}' is not possible: {'; '.join(faults)}; {WAY_OUT}")
    cells = {_cell(each): each for each in items}
    return Grid(
        tuple(dict.fromkeys(source for source, _ in cells)),
        tuple(dict.fromkeys(system for _, system in cells)),
        cells,
    )


def _cell(item: Item) -> tuple[str, str]:
    return item.source or "", system_of(item) or ""


def _unnamed(items: Sequence[Item]) -> Iterator[str]:
    if not items:
        yield "the study has no items of the kind 'item'"
    without = [each.id for each in items if not each.systems]
    if without:
        yield f"these items name no system: {listed(without)}"
    bare = [each.id for each in items if each.source is None]
    if 0 < len(bare) < len(items):
        yield f"these items name no source: {listed(bare)}"


def _uneven(items: Sequence[Item]) -> Iterator[str]:
    """Find cells of the grid that hold two items or none."""
    cells: dict[tuple[str, str], list[str]] = {}
    for each in items:
        cells.setdefault(_cell(each), []).append(each.id)
    for (source, system), ids in cells.items():
        if len(ids) > 1:
            yield f"system '{system}' has {len(ids)} items for source '{source}': {listed(ids)}"
    sources = dict.fromkeys(source for source, _ in cells)
    systems = dict.fromkeys(system for _, system in cells)
    missing = [
        f"'{system}' for '{source}'"
        for source in sources
        for system in systems
        if (source, system) not in cells
    ]
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        yield f"there is no output of {', '.join(missing[:10])}{more}"
