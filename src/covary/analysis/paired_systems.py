"""Whether answers choose between the texts of two systems, or rate one."""

from __future__ import annotations

from typing import Any

from covary.formats.preference_answers import read_preference
from covary.ratings import Ratings
from covary.scales import Level, Scale, is_number

BETWEEN = " / "
"""What stands between the systems of an item's first and second text."""

GRADES = range(-3, 4)
"""How much better the second text is than the first, in comparison categories (ITU-T P.800)."""


def is_preference(ratings: Ratings, criterion: Any) -> bool:
    """Say whether answers choose between two texts instead of rating one.

    The scale says so; or every system is a pair (`bart / t5`), and there are two or three answers
    in an order, A and B, or whole numbers on both sides of 0.
    """
    scale = ratings.scales[criterion]
    if scale.compares or "system" not in ratings.columns:
        return scale.compares
    return (_has_sides(scale) or has_graded_sides(scale)) and all(
        BETWEEN in str(system) for system in ratings.values("system")
    )


def _has_sides(scale: Scale) -> bool:
    """Whether the first answer is for the first text and the last for the second.

    Names without an order stand in that of the alphabet, which says so only of A and B.
    """
    options = scale.categories or ()
    if scale.level is Level.NOMINAL:
        read = read_preference([str(option) for option in options], "winner")
        return len(options) == 2 and read is not None and read.first == str(options[0])
    return len(options) in (2, 3)


def has_graded_sides(scale: Scale) -> bool:
    """Say whether answers are -3 to 3 or fewer: negative ones for the first text, the more so."""
    options = scale.categories or ()
    if len(options) < 3 or not all(is_number(option) and option in GRADES for option in options):
        return False
    numbers = [float(option) for option in options]
    return min(numbers) < 0 < max(numbers)


def wins(scale: Scale, answer: Any) -> int:
    """Return 1 where an answer is for an item's first text, -1 for its second, 0 for neither."""
    if has_graded_sides(scale):
        return int(answer < 0) - int(answer > 0)
    options = scale.categories or ()
    return {options[0]: 1, options[-1]: -1}.get(answer, 0)
