"""What Banchs' two methods ask of a scale: declared, ordered categories."""

from __future__ import annotations

from typing import Any

from covary.aggregate.asking import ask_ordered
from covary.aggregate.votes import Occasions, Votes
from covary.errors import InvalidArgument
from covary.ratings import Ratings

__all__ = ["ask_banchs"]


def ask_banchs(
    name: str, ratings: Ratings, criterion: Any, occasions: Occasions, ties: str
) -> tuple[Votes, tuple[str, ...]]:
    """Ask on behalf of one of the methods."""
    votes, notes = ask_ordered(name, ratings, criterion, occasions, ties)
    if votes.continuous:
        raise InvalidArgument(
            f"{name} chooses among categories, and the scale is {votes.scale.describe()}; use "
            "median or mean"
        )
    return votes, notes
