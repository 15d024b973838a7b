"""The matrices that every program gets: items × judges, the same numbers for the same wish."""

from dataclasses import dataclass

import numpy as np

CATEGORIES = 5
SEED = 20190407


@dataclass(frozen=True)
class Wish:
    """What a matrix should be like: `continuous` numbers or whole numbers from 1 to 5."""

    items: int
    judges: int
    continuous: bool = False
    missing: float = 0.0


def matrix(wish: Wish) -> np.ndarray:
    """Make judges who see the same quality, each with a severity and errors of their own.

    Whole numbers where nothing is missing, otherwise floats with NaN in a random tenth.
    """
    rng = np.random.default_rng(SEED)
    quality = rng.normal(size=(wish.items, 1))
    severity = np.linspace(-0.3, 0.3, wish.judges)
    seen = quality + severity + rng.normal(scale=0.8, size=(wish.items, wish.judges))
    ratings = 50 + 15 * seen if wish.continuous else _cut(seen)
    if wish.missing:
        ratings = ratings.astype(float)
        ratings[rng.random(ratings.shape) < wish.missing] = np.nan
    return ratings


def _cut(seen: np.ndarray) -> np.ndarray:
    return np.digitize(seen, np.linspace(-1.5, 1.5, CATEGORIES - 1)) + 1
