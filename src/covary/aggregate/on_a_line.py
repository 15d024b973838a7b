"""The answer of a method that gives numbers on a line and not categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.votes import Floats, Votes
from covary.version import __version__

__all__ = ["written_on_a_line"]

NO_SHARES = (
    "on a line there are no categories to have shares of the votes, so certainty is not defined"
)


def written_on_a_line(
    method: str,
    title: str,
    votes: Votes,
    numbers: Floats,
    *,
    notes: tuple[str, ...],
    settings: Mapping[str, Any],
    details: Mapping[str, Any] | None = None,
) -> Aggregated:
    """Write numbers down; nothing ties and nothing is rounded."""
    n = len(votes.items)
    return Aggregated(method, title, votes.criterion, votes.scale, (), votes.items,
                      tuple(numbers.tolist()), votes.shares, np.full(n, np.nan), votes.n_votes,
                      np.zeros((n, 0), dtype=bool), {**settings, "version": __version__},
                      (*notes, NO_SHARES), details=details or {})  # fmt: skip
