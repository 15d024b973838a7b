"""Whether answers choose between the texts of two systems, or rate one."""

from __future__ import annotations

from typing import Any

from covary.ratings import Ratings

BETWEEN = " / "
"""What stands between the systems of an item's first and second text."""


def is_preference(ratings: Ratings, criterion: Any) -> bool:
    """Say whether answers choose between two texts instead of rating one.

    The scale says so; or it has two or three answers, and every system is a pair: `bart / t5`.
    """
    scale = ratings.scales[criterion]
    if scale.compares or "system" not in ratings.columns:
        return scale.compares
    few = len(scale.categories or ()) in (2, 3)
    return few and all(BETWEEN in str(system) for system in ratings.values("system"))
