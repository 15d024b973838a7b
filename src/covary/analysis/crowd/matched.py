"""The items that a crowd and experts both rated, matched by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Votes, votes_of
from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Scale

__all__ = ["Matched", "clusters_of", "matched"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Matched:
    """What was said of each item by the crowd and by each expert.

    `counts` holds the crowd's votes (items × categories), `given` the number of each expert's
    category (items × experts, -1 where there is none), `cluster` what each item is nested in, and
    `place` where it stands among all items of the crowd. `only_crowd` and `only_experts` count
    items that have no partner.
    """

    criterion: Any
    scale: Scale
    experts: tuple[Any, ...]
    items: tuple[Any, ...]
    place: Ints
    counts: Ints
    given: Ints
    cluster: Ints
    clusters: tuple[Any, ...]
    only_crowd: int
    only_experts: int

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


def matched(crowd: Ratings, experts: Ratings, criterion: Any = None) -> Matched:
    """Match the items of a crowd and of experts by name."""
    _check(crowd, experts)
    votes = votes_of(crowd, criterion, "refuse")
    theirs = votes_of(experts, criterion, "refuse")
    _check_scales(votes, theirs)
    places = {name: number for number, name in enumerate(votes.items)}
    found = {name: places[name] for name in theirs.items if name in places}
    if not found:
        raise RatingsError(
            f"no item of the experts ({listed(theirs.items, 3)}) is an item of the crowd "
            f"({listed(votes.items, 3)}); items are matched by name, so give both the same names"
        )
    kept = np.array([name in found for name in theirs.items])
    place = np.array(list(found.values()), dtype=np.int64)
    names = clusters_of(crowd, tuple(found)) or clusters_of(experts, tuple(found))
    cluster = [names[name] for name in found] if names else []
    clusters = tuple(dict.fromkeys(cluster))
    numbers = {name: number for number, name in enumerate(clusters)}
    return Matched(
        votes.criterion, votes.scale, theirs.judges, tuple(found), place, votes.counts[place],
        _given(theirs)[kept], np.array([numbers[name] for name in cluster], dtype=np.int64),
        clusters, len(votes.items) - len(found), int((~kept).sum()),
    )  # fmt: skip


def clusters_of(ratings: Ratings, items: tuple[Any, ...]) -> dict[Any, Any]:
    """Return what each item is nested in; nothing where that is not known for all of them."""
    if ratings.matrix is not None or "cluster" not in ratings.columns:
        return {}
    rows = fetch(ratings.frame.select("item", "cluster").unique())
    pairs = list(zip(rows["item"].tolist(), rows["cluster"].tolist(), strict=True))
    found = dict(pairs)
    twice = [item for item, cluster in pairs if found[item] != cluster]
    if twice:
        raise RatingsError(
            f"items {listed(sorted(twice, key=str), 5)} stand in two clusters; an item belongs to "
            "one session or document"
        )
    known = [found.get(item) for item in items]
    return {} if any(each is None for each in known) else found


def _given(votes: Votes) -> Ints:
    codes = np.full((len(votes.items), len(votes.judges)), -1, dtype=np.int64)
    codes[votes.item, votes.judge] = votes.code
    return codes


def _check(crowd: object, experts: object) -> None:
    for name, given in (("crowd", crowd), ("experts", experts)):
        if not isinstance(given, Ratings):
            raise InvalidArgument(
                f"{name} must be Ratings, got a {type(given).__name__}; make them with "
                "covary.Ratings, covary.Ratings.from_wide or covary.read"
            )
    assert isinstance(experts, Ratings)
    if experts.slots:
        raise InvalidArgument(
            "experts must be named judges, and these ratings come from slots: the n-th vote on an "
            "item and the n-th vote on another may be different people's, so there is no agreement "
            "between such columns. Give them as crowd; their agreement with a named judge is then "
            "shown over random arrangements of the votes"
        )


def _check_scales(crowd: Votes, experts: Votes) -> None:
    for who, votes in (("crowd", crowd), ("experts", experts)):
        if votes.continuous:
            raise InvalidArgument(
                f"the ratings of the {who} lie on a line ({votes.scale.describe()}); votes are "
                "compared on a scale with categories"
            )
    if crowd.scale.categories != experts.scale.categories:
        raise InvalidArgument(
            f"the crowd's scale ({crowd.scale.describe()}) is not the experts' "
            f"({experts.scale.describe()}); declare the same scale for both"
        )
