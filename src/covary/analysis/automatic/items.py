"""People's ratings and one automatic judge's, item by item."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.records import dataclass
from covary.scales import Level, Scale

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLUSTERS = ("source", "cluster")
"""What items may share; those that do are not independent."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """Items as rows: people's ratings, the automatic judge's, the systems and the clusters."""

    people: Floats
    automatic: Floats
    names: tuple[str, ...]
    systems: tuple[Any, ...]
    system: Ints
    clusters: Ints
    unit: str
    scale: Scale
    judges: tuple[Any, ...]

    @property
    def shared(self) -> npt.NDArray[np.bool_]:
        """The items that the automatic judge and somebody rated."""
        return ~np.isnan(self.automatic) & (~np.isnan(self.people)).any(axis=1)

    @property
    def missed(self) -> npt.NDArray[np.bool_]:
        """The items that people rated and the automatic judge did not."""
        return np.isnan(self.automatic) & (~np.isnan(self.people)).any(axis=1)

    @property
    def further(self) -> npt.NDArray[np.bool_]:
        """The items that only the automatic judge rated."""
        return ~np.isnan(self.automatic) & np.isnan(self.people).all(axis=1)

    def means(self) -> Floats:
        """People's mean rating of each item."""
        counts = (~np.isnan(self.people)).sum(axis=1)
        return np.where(counts > 0, np.nansum(self.people, axis=1) / np.maximum(counts, 1), np.nan)


@dataclass(frozen=True, kw_only=True)
class LongRatings:
    """Ratings one by one, and what is known of each item."""

    rows: list[tuple[str, Any, Any]]
    items: dict[str, tuple[Any, Any]]
    unit: str


def long_ratings(ratings: Ratings, criterion: Any) -> LongRatings:
    """Bring ratings on a criterion from the engine; of several occasions the first counts."""
    refuse_many(ratings, "automatic")
    ratings = ratings.first_occasion()
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    cluster = next((name for name in CLUSTERS if name in ratings.columns), "item")
    known = ["item", "judge", "rating", cluster]
    known += ["system"] if "system" in ratings.columns else []
    arrays = fetch(frame.select(*dict.fromkeys(known)))
    columns = {name: part.tolist() for name, part in arrays.items()}
    items = [str(item) for item in columns["item"]]
    systems = columns.get("system", [None] * len(items))
    about = dict(zip(items, zip(systems, columns[cluster], strict=True), strict=True))
    rows = list(zip(items, columns["judge"], columns["rating"], strict=True))
    return LongRatings(rows=rows, items=about, unit=cluster)


def align(people: LongRatings, automatic: LongRatings, judge: Any, scale: Scale) -> Items | None:
    """Bring people's ratings and one automatic judge's to one row per item."""
    given = {item: rating for item, who, rating in automatic.rows if who == judge}
    if not given:
        return None
    known = automatic.items | people.items
    names = sorted(people.items.keys() | given.keys())
    place = {name: row for row, name in enumerate(names)}
    judges = tuple(sorted({who for _, who, _ in people.rows}, key=str))
    column = {who: number for number, who in enumerate(judges)}
    table = np.full((len(names), len(judges)), np.nan)
    numbers = _numbers([rating for *_, rating in people.rows], scale)
    for (item, who, _), number in zip(people.rows, numbers, strict=True):
        table[place[item], column[who]] = number
    scores = np.full(len(names), np.nan)
    scores[[place[item] for item in given]] = _numbers(list(given.values()), scale)
    systems = tuple(sorted({known[name][0] for name in names} - {None}, key=str))
    system_of = {name: number for number, name in enumerate(systems)}
    return Items(
        people=table,
        automatic=scores,
        names=tuple(names),
        systems=systems,
        system=np.array([system_of.get(known[name][0], -1) for name in names]),
        clusters=np.unique([str(known[name][1]) for name in names], return_inverse=True)[1],
        unit=people.unit,
        scale=scale,
        judges=judges,
    )


def _numbers(ratings: list[Any], scale: Scale) -> Floats:
    """Ratings as numbers: their place on the scale, or the numbers that a metric gives."""
    if scale.categories is None:
        return np.array(ratings, dtype=float)
    level = Level.INTERVAL if scale.level is not Level.NOMINAL else Level.NOMINAL
    positions = range(len(scale.categories)) if level is Level.NOMINAL else scale.positions(level)
    places: dict[Any, Any] = dict(zip(scale.categories, positions, strict=True))
    if all(rating in places for rating in ratings):
        return np.array([places[rating] for rating in ratings], dtype=float)
    try:
        return np.array(ratings, dtype=float)
    except ValueError:
        strange = [rating for rating in ratings if rating not in places][:3]
        raise InvalidArgument(
            "automatic.no-number", value=strange, scale=scale.describe()
        ) from None
