"""Ratings that are called ranks: 1 is the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covary.formats.cells import identifier
from covary.formats.column_roles import plain, without_hint
from covary.formats.ratings_file import RatingsFile
from covary.scales import Level, NumberScale, Scale, VerbalScale
from covary.scales.scale import MOST_ORDERED_CATEGORIES

RANKS = ("rank", "ranking")
"""What a column of ranks is called; rank 1 is the best."""


def take_ranks(file: RatingsFile, roles: Mapping[str, str]) -> None:
    """Take 1 for the best where the ratings are called ranks, unless a scale says what is."""
    column = roles.get("rating", "")
    if plain(without_hint(column)) not in RANKS:
        return
    scale, level = (file.keywords.get(key) for key in ("scale", "level"))
    if scale is not None or level is not None:
        own = scale.values() if isinstance(scale, Mapping) else [scale]
        if not all(isinstance(one, Scale) and one.best == "low" for one in own):
            file.note("formats.ranks-as-said", column=column)
        return
    rank = f"try_cast(trim(cast({identifier(column)} as varchar)) as double)"
    odd, low, high = file.table.aggregate(
        f"count_if({rank} < 1 or {rank} != floor({rank})), min({rank}), max({rank})"
    ).fetchone()
    if odd or low is None or not low < high:
        return
    ranks: Scale = NumberScale(1, high, best="low", level=Level.ORDINAL)
    if high <= MOST_ORDERED_CATEGORIES:
        ranks = VerbalScale(range(1, int(high) + 1), best="low")
    names: list[Any] = [None]
    if "criterion" in roles:
        found = file.table.project(f"{identifier(roles['criterion'])} as name").distinct()
        names = [name for (name,) in found.fetchall()]
    file.scales |= dict.fromkeys(names, ranks)
    file.note("formats.ranks", column=column, high=int(high))
