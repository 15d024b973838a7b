"""What judges have in common: items that a crowd and experts rated, sessions that the same
judges rated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import comb
from operator import and_
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Votes, votes_of
from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Scale
from covary.stats.coefficient import check_ratings
from covary.stats.estimate import Result

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_SETS = 200_000
"""Sets of judges up to which all of them are tried."""


@dataclass(frozen=True, kw_only=True)
class MatchedItems:
    """What was said of each item by the crowd and by each expert.

    `counts` holds the crowd's votes (items × categories), `expert_codes` the number of each
    expert's category (items × experts, -1 where there is none), `cluster` what each item is nested
    in (`nested_in`: a session, or a source that items share), and `place` where it stands among all
    items of the crowd. `only_crowd` and `only_experts` count items that have no partner.
    """

    criterion: Any
    scale: Scale
    experts: tuple[Any, ...]
    items: tuple[Any, ...]
    place: Ints
    counts: Ints
    expert_codes: Ints
    cluster: Ints
    clusters: tuple[Any, ...]
    nested_in: str
    only_crowd: int
    only_experts: int

    @property
    def units(self) -> str:
        """What is drawn for an interval: items, or what they are nested in."""
        return f"{self.nested_in}s" if self.clusters else "items"

    @property
    def categories(self) -> tuple[Any, ...]:
        """The ratings that are possible."""
        return self.scale.categories or ()

    @cached_property
    def shares(self) -> Floats:
        """How each item's votes divide between the categories."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @cached_property
    def n_votes(self) -> Ints:
        """How many votes each item has."""
        return np.asarray(self.counts.sum(axis=1))


def match_items(crowd: Ratings, experts: Ratings, criterion: Any = None) -> MatchedItems:
    """Match the items of a crowd and of experts by name."""
    _check_kinds(crowd, experts)
    votes = votes_of(crowd, criterion, "refuse")
    theirs = votes_of(experts, criterion, "refuse")
    _check_scales(votes, theirs)
    places = {name: number for number, name in enumerate(votes.items)}
    items = tuple(name for name in theirs.items if name in places)
    if not items:
        raise RatingsError("crowd.no-common-items", theirs=theirs.items, crowd=votes.items)
    kept = np.array([name in places for name in theirs.items])
    place = np.array([places[name] for name in items], dtype=np.int64)
    nested, nested_in = _nesting(crowd, experts, items)
    clusters = tuple(dict.fromkeys(nested[name] for name in items)) if nested else ()
    numbers = {name: number for number, name in enumerate(clusters)}
    cluster = [numbers[nested[name]] for name in items] if nested else []
    return MatchedItems(
        criterion=votes.criterion,
        scale=votes.scale,
        experts=theirs.judges,
        items=items,
        place=place,
        counts=votes.counts[place],
        expert_codes=_expert_codes(theirs)[kept],
        cluster=np.array(cluster, dtype=np.int64),
        clusters=clusters,
        nested_in=nested_in,
        only_crowd=len(votes.items) - len(items),
        only_experts=int((~kept).sum()),
    )


def _nesting(
    crowd: Ratings, experts: Ratings, items: tuple[Any, ...]
) -> tuple[dict[Any, Any], str]:
    """What items are nested in: sessions where these are named, else sources that they share."""
    for column, unit in (("cluster", "session"), ("source", "source")):
        nested = clusters_of(crowd, items, column) or clusters_of(experts, items, column)
        if nested and (unit == "session" or len({nested[name] for name in items}) < len(items)):
            return nested, unit
    return {}, "session"


def clusters_of(
    ratings: Ratings, items: tuple[Any, ...], column: str = "cluster"
) -> dict[Any, Any]:
    """Return what each item is nested in; nothing where that is not known for all of them."""
    if ratings.matrix is not None or column not in ratings.columns:
        return {}
    rows = fetch(ratings.frame.select("item", column).unique())
    pairs = list(zip(rows["item"].tolist(), rows[column].tolist(), strict=True))
    nested = dict(pairs)
    twice = sorted((item for item, cluster in pairs if nested[item] != cluster), key=str)
    if twice:
        raise RatingsError("crowd.two-clusters", rows=twice)
    return {} if any(nested.get(item) is None for item in items) else nested


def _expert_codes(votes: Votes) -> Ints:
    codes = np.full((len(votes.items), len(votes.judges)), -1, dtype=np.int64)
    codes[votes.item, votes.judge] = votes.code
    return codes


def _check_kinds(crowd: object, experts: object) -> None:
    for name, ratings in (("crowd", crowd), ("experts", experts)):
        if not isinstance(ratings, Ratings):
            kind = type(ratings).__name__
            raise InvalidArgument("crowd.not-ratings", argument=name, kind=kind)
    if isinstance(experts, Ratings) and experts.slots:
        raise InvalidArgument("crowd.expert-slots", argument="experts")


def _check_scales(crowd: Votes, experts: Votes) -> None:
    for who, votes in (("crowd", crowd), ("experts", experts)):
        if votes.continuous:
            raise InvalidArgument("crowd.line", who=who, scale=votes.scale.describe())
    if crowd.scale.categories != experts.scale.categories:
        scales = {"crowd": crowd.scale.describe(), "experts": experts.scale.describe()}
        raise InvalidArgument("crowd.other-scale", **scales)


@dataclass(frozen=True, kw_only=True)
class SharedSessions(Result):
    """The judges who have most sessions in common, and these sessions.

    `exact` is False where there were too many sets of judges to try all of them: there may then be
    a larger one.
    """

    judges: tuple[Any, ...]
    sessions: tuple[Any, ...]
    n_items: int
    exact: bool


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
    >>> shared = shared_sessions(Ratings(rows, scale="1-2"))
    >>> shared.judges, shared.sessions, shared.n_items
    (('A', 'B'), ('s', 't'), 3)
    """
    check_ratings("shared_sessions", ratings)
    if ratings.slots:
        raise InvalidArgument("crowd.session-slots", argument="ratings")
    names, sessions, sizes, sets = _complete_sessions(ratings, criterion)
    if judges is not None and not 1 <= judges <= len(names):
        most = len(names)
        raise InvalidArgument("crowd.session-judges", argument="judges", value=judges, most=most)
    numbers = range(1, len(names) + 1) if judges is None else range(judges, judges + 1)
    exact = sum(comb(len(names), number) for number in numbers) <= MOST_SETS
    tried = _all_sets(len(names), numbers) if exact else _grow_sets(sets, sizes, numbers)
    best: tuple[int, ...] = ()
    together, most = 0, -1
    for chosen in tried:
        common = _common(sets, chosen)
        worth = _items(common, sizes) * (len(chosen) if judges is None else 1)
        if worth > most:
            best, together, most = chosen, common, worth
    return SharedSessions(
        judges=tuple(names[number] for number in best),
        sessions=tuple(name for number, name in enumerate(sessions) if together >> number & 1),
        n_items=_items(together, sizes),
        exact=exact,
    )


def _complete_sessions(
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


def _all_sets(n_judges: int, numbers: Iterable[int]) -> Iterable[tuple[int, ...]]:
    for number in numbers:
        yield from combinations(range(n_judges), number)


def _grow_sets(sets: list[int], sizes: list[int], numbers: range) -> Iterable[tuple[int, ...]]:
    """From each judge on, add the one who leaves most in common."""
    for first in range(len(sets)):
        chosen = [first]
        while len(chosen) <= max(numbers):
            if len(chosen) in numbers:
                yield tuple(sorted(chosen))
            others = [judge for judge in range(len(sets)) if judge not in chosen]
            common = _common(sets, chosen)
            if not others or not common:
                break
            chosen.append(max(others, key=lambda judge: _items(common & sets[judge], sizes)))


def _common(sets: list[int], chosen: Iterable[int]) -> int:
    return reduce(and_, (sets[judge] for judge in chosen))


def _items(common: int, sizes: list[int]) -> int:
    if common == (1 << len(sizes)) - 1:
        return sum(sizes)
    return sum(size for number, size in enumerate(sizes) if common >> number & 1)
