"""The largest set of sessions that the same judges rated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from covary.aggregate.votes import votes_of
from covary.analysis.crowd.matched import clusters_of
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.plain import plain
from covary.stats.question import check_ratings

__all__ = ["SharedSessions", "shared_sessions"]

MOST_SETS = 200_000
"""Sets of judges up to which all of them are tried."""


@dataclass(frozen=True)
class SharedSessions:
    """The judges who have most sessions in common, and these sessions.

    `exact` is False where there were too many sets of judges to try all of them: there may then be
    a larger one.
    """

    judges: tuple[Any, ...]
    sessions: tuple[Any, ...]
    n_items: int
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return dict(plain(self))


def shared_sessions(
    ratings: Ratings, *, judges: int | None = 2, criterion: Any = None
) -> SharedSessions:
    """Which sessions did the same judges rate, at the most?

    Parameters
    ----------
    ratings
        Ratings by named judges. The cluster of an item is its session; without clusters each item
        is one. A judge rated a session when every item of it that anyone rated has a rating by
        this judge.
    judges
        By how many judges the sessions are shared; None for the number that shares most ratings.
    criterion
        Which criterion, where there are several.

    Returns
    -------
    SharedSessions
        The set with most items; of equal ones the first in the order of names. All sets of judges
        are tried where there are at most two hundred thousand of them; else judges are added one
        by one, from each judge, and `exact` is False.

    Examples
    --------
    >>> rows = {
    ...     "item": [1, 2, 3, 1, 2, 3, 2, 3],
    ...     "judge": list("AAABBBCC"),
    ...     "rating": [1, 2, 1, 1, 2, 2, 1, 1],
    ...     "cluster": ["s", "t", "t", "s", "t", "t", "t", "t"],
    ... }
    >>> found = shared_sessions(Ratings(rows, scale="1-2"))
    >>> found.judges, found.sessions, found.n_items
    (('A', 'B'), ('s', 't'), 3)
    """
    check_ratings("shared_sessions", ratings)
    if ratings.slots:
        raise InvalidArgument(
            "shared_sessions follows judges from session to session, and these ratings come from "
            "slots, whose judges are not known"
        )
    names, sessions, sizes, sets = _rated(ratings, criterion)
    if judges is not None and not 1 <= judges <= len(names):
        raise InvalidArgument(
            f"judges={judges!r} must be a number of judges from 1 to {len(names)}"
        )
    wanted = range(1, len(names) + 1) if judges is None else range(judges, judges + 1)
    exact = sum(comb(len(names), number) for number in wanted) <= MOST_SETS
    tried = _all_sets(len(names), wanted) if exact else _grown(sets, sizes, wanted)
    best: tuple[int, ...] = ()
    together, most = 0, -1
    for chosen in tried:
        common = _common(sets, chosen)
        items = _items(common, sizes)
        worth = items * (len(chosen) if judges is None else 1)
        if worth > most:
            best, together, most = chosen, common, worth
    shown = tuple(name for number, name in enumerate(sessions) if together >> number & 1)
    return SharedSessions(
        tuple(names[number] for number in best), shown, _items(together, sizes), exact
    )


def _rated(
    ratings: Ratings, criterion: Any
) -> tuple[tuple[Any, ...], list[Any], list[int], list[int]]:
    """Each judge's complete sessions as the bits of a number, and how many items a session has."""
    votes = votes_of(ratings, criterion, "votes")
    nested = clusters_of(ratings, votes.items) or {item: item for item in votes.items}
    sessions = list(dict.fromkeys(nested[item] for item in votes.items))
    numbers = {name: number for number, name in enumerate(sessions)}
    session = np.array([numbers[nested[item]] for item in votes.items])
    sizes = np.bincount(session, minlength=len(sessions))
    seen = np.zeros((len(votes.judges), len(votes.items)), dtype=bool)
    seen[votes.judge, votes.item] = True
    sets = []
    for row in seen:
        complete = np.bincount(session[row], minlength=len(sessions)) == sizes
        sets.append(sum(1 << number for number in np.flatnonzero(complete).tolist()))
    return votes.judges, sessions, sizes.tolist(), sets


def _all_sets(n_judges: int, wanted: Iterable[int]) -> Iterable[tuple[int, ...]]:
    for number in wanted:
        yield from combinations(range(n_judges), number)


def _grown(sets: list[int], sizes: list[int], wanted: Iterable[int]) -> Iterable[tuple[int, ...]]:
    """From each judge on, add the one who leaves most in common."""
    numbers = set(wanted)
    for first in range(len(sets)):
        chosen = [first]
        while len(chosen) <= max(numbers):
            if len(chosen) in numbers:
                yield tuple(sorted(chosen))
            others = [each for each in range(len(sets)) if each not in chosen]
            common = _common(sets, chosen)
            if not others or not common:
                break
            chosen.append(max(others, key=lambda each: _items(common & sets[each], sizes)))


def _common(sets: list[int], chosen: Iterable[int]) -> int:
    each = iter(chosen)
    common = sets[next(each)]
    for judge in each:
        common &= sets[judge]
    return common


def _items(common: int, sizes: list[int]) -> int:
    if common == (1 << len(sizes)) - 1:
        return sum(sizes)
    return sum(size for number, size in enumerate(sizes) if common >> number & 1)
