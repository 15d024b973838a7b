"""Judgements of the outputs of two systems, one by one: chosen between, or rated side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.paired_systems import BETWEEN, wins
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.records import dataclass
from covary.scales import Level

Ints = npt.NDArray[np.int64]

CLUSTERS = ("source", "cluster", "item")
"""What judgements may be nested in, the widest first."""


def stands_side_by_side(ratings: Ratings, criterion: Any) -> bool:
    """Say whether one judge rated the outputs of several systems for one source.

    Unknown judges are nobody's, unless what they say was read from one choice.
    """
    scale = ratings.scales[criterion]
    if not {"system", "source"} <= set(ratings.columns) or scale.level is Level.NOMINAL:
        return False
    if scale.side_by_side or ratings.slots:
        return scale.side_by_side
    return not any(BETWEEN in str(system) for system in ratings.values("system"))


@dataclass(frozen=True, kw_only=True)
class RatedOutputs:
    """The ratings of outputs, row by row; `cluster` is the source that they were made from."""

    rating: list[Any]
    system: list[str]
    judge: list[Any]
    cluster: list[Any]
    occasion: list[Any]


@dataclass(frozen=True, kw_only=True)
class Judgements:
    """The judgements one by one: 1 where the item's first text won, -1 the second, 0 neither.

    `ranked` is k where the ratings that they follow from are 1 to k, each once in each set.
    """

    outcome: Ints
    first: list[str]
    second: list[str]
    item: list[Any]
    judge: list[Any]
    cluster: list[Any]
    unit: str
    ranked: int = 0

    @classmethod
    def of(cls, ratings: Ratings, criterion: Any) -> Judgements:
        """Bring the choices between two texts on a criterion from the engine."""
        unit = next(name for name in CLUSTERS if name in ratings.columns)
        columns = _columns(ratings, criterion, ("item", "judge", "rating", "system", unit))
        scale = ratings.scales[criterion]
        sides = [str(system).split(BETWEEN) for system in columns["system"]]
        wrong = [BETWEEN.join(side) for side in sides if len(side) > 2]
        if wrong or not sides:
            raise InvalidArgument("preferences.not-two", argument="ratings", value=wrong[:1])
        return cls(
            outcome=np.array([wins(scale, rating) for rating in columns["rating"]]),
            first=[side[0] for side in sides],
            second=[side[-1] for side in sides],
            item=columns["item"],
            judge=columns["judge"],
            cluster=columns[unit],
            unit=unit,
        )

    @classmethod
    def told(cls, ratings: Ratings, criterion: Any) -> RatedOutputs:
        """Bring the ratings of single outputs on a criterion from the engine."""
        names = ["item", "judge", "rating", "system", "source"]
        names += ["occasion"] if "occasion" in ratings.columns else []
        columns = _columns(ratings, criterion, names)
        texts: dict[Any, Any] = {}
        for place, item in zip(
            zip(columns["source"], columns["system"], strict=True), columns["item"], strict=True
        ):
            if texts.setdefault(place, item) != item:
                facts = {"source": place[0], "system": place[1]}
                raise InvalidArgument("preferences.several-texts", argument="ratings", **facts)
        return RatedOutputs(
            rating=columns["rating"],
            system=[str(system) for system in columns["system"]],
            judge=columns["judge"],
            cluster=columns["source"],
            occasion=columns.get("occasion", [None] * len(columns["rating"])),
        )

    @classmethod
    def side_by_side(cls, ratings: Ratings, criterion: Any) -> Judgements:
        """Compare the ratings that one judge gave to the outputs of two systems for one source."""
        told, better = cls.told(ratings, criterion), ratings.scales[criterion].better
        sets: dict[Any, list[int]] = {}
        whose = zip(told.cluster, told.judge, told.occasion, strict=True)
        for row, key in enumerate(whose):
            sets.setdefault(key, []).append(row)
        pairs = [
            (one, other, won)
            for rows in sets.values()
            for one, other in combinations(rows, 2)
            if (won := better(told.rating[one], told.rating[other])) is not None
        ]
        if not pairs:
            raise InvalidArgument("preferences.nothing-beside", argument="ratings")
        return cls(
            outcome=np.array([won for _, _, won in pairs]),
            first=[told.system[one] for one, _, _ in pairs],
            second=[told.system[other] for _, other, _ in pairs],
            item=[told.cluster[one] for one, _, _ in pairs],
            judge=[told.judge[one] for one, _, _ in pairs],
            cluster=[told.cluster[one] for one, _, _ in pairs],
            unit="source",
            ranked=_ranked([[told.rating[row] for row in rows] for rows in sets.values()]),
        )


def _ranked(sets: Sequence[Sequence[Any]]) -> int:
    """Return k where each set of ratings has 1 to k once, three or more; else 0."""
    k = len(sets[0])
    alike = all(set(own) == set(range(1, k + 1)) and len(own) == k for own in sets)
    return k if k > 2 and alike else 0


def _columns(ratings: Ratings, criterion: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    """Bring columns of the ratings on a criterion, without missing ones, from the engine."""
    frame = ratings.frame.filter(~nw.col("rating").is_null(), ~nw.col("system").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    fetched = fetch(frame.select(list(dict.fromkeys(names))))
    return {name: values.tolist() for name, values in fetched.items()}
