"""Did the order of the systems change from the first round to the last?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Level, Scale
from covary.stats.plain import plain

__all__ = ["SystemOrders", "system_orders"]


@dataclass(frozen=True)
class SystemOrders:
    """The systems' means before and after, each from the best to the worst."""

    before: tuple[tuple[Any, float], ...]
    after: tuple[tuple[Any, float], ...]

    @property
    def changed(self) -> bool:
        """Whether the systems that both have stand in another order."""
        first, second = ([name for name, _ in side] for side in (self.before, self.after))
        return [n for n in first if n in second] != [n for n in second if n in first]

    @property
    def sentence(self) -> str:
        """The two orders in a sentence."""
        first, second = (
            ", ".join(str(name) for name, _ in side) for side in (self.before, self.after)
        )
        if not self.changed:
            return f"The order of the systems by their means did not change: {second}."
        return f"The order of the systems by their means changed from {first} to {second}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "before": [{"system": name, "mean": plain(mean)} for name, mean in self.before],
            "after": [{"system": name, "mean": plain(mean)} for name, mean in self.after],
            "changed": self.changed,
        }


def system_orders(before: Ratings, after: Ratings, criterion: Any) -> SystemOrders | None:
    """Order the systems by their means; None where they are not known or not ordered."""
    sides = (before, after)
    if any("system" not in each.columns for each in sides):
        return None
    if any(each.scales[criterion].level is Level.NOMINAL for each in sides):
        return None
    made = SystemOrders(_order(before, criterion), _order(after, criterion))
    return made if len(made.before) > 1 and len(made.after) > 1 else None


def _order(ratings: Ratings, criterion: Any) -> tuple[tuple[Any, float], ...]:
    scale = ratings.scales[criterion]
    totals: dict[Any, float] = {}
    numbers: dict[Any, int] = {}
    for system, rating, n in _counted(ratings, criterion):
        place = rating if scale.categories is None else _place(scale, rating)
        totals[system] = totals.get(system, 0.0) + n * float(place)
        numbers[system] = numbers.get(system, 0) + n
    means = {system: totals[system] / numbers[system] for system in sorted(totals, key=str)}
    high_first = scale.best != "low"
    return tuple(sorted(means.items(), key=lambda each: -each[1] if high_first else each[1]))


def _counted(ratings: Ratings, criterion: Any) -> list[tuple[Any, Any, int]]:
    """How often each system received each rating, counted where the data live."""
    frame = ratings.frame.filter(~nw.col("rating").is_null(), ~nw.col("system").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    found = fetch(frame.group_by("system", "rating").agg(nw.len().alias("n")))
    return list(zip(*(found[name].tolist() for name in ("system", "rating", "n")), strict=True))


def _place(scale: Scale, rating: Any) -> float:
    assert scale.categories is not None
    return scale.positions(Level.INTERVAL)[scale.categories.index(rating)]
