"""The same matrices as long tables, one row per rating, and covary's alpha from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from data import Wish

import covary


@dataclass(frozen=True)
class Held:
    """A table as an engine holds it, and how its ratings are to be read."""

    frame: Any
    reading: dict[str, str]


def columns(x: np.ndarray) -> dict[str, np.ndarray]:
    item, place = np.nonzero(~np.isnan(x))
    judges = np.array([f"judge {number + 1}" for number in range(x.shape[1])], dtype=object)
    ratings = x[item, place]
    whole = (ratings % 1 == 0).all()
    return {
        "item": item,
        "judge": judges[place],
        "rating": ratings.astype(np.int64) if whole else ratings,
    }


def reading(wish: Wish) -> dict[str, str]:
    return {"level": "interval"} if wish.continuous else {"scale": "1-5"}


def alpha(held: Held, interval: str | None) -> float:
    return covary.krippendorff_alpha(
        covary.Ratings(held.frame, **held.reading), interval=interval
    ).value
