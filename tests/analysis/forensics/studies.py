"""Simulated studies for the tests of forensics: clean ones, to which a test adds one defect."""

from typing import Any

import numpy as np
import numpy.typing as npt

from covary import Ratings
from covary.analysis.forensics import Finding, check

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")

Values = npt.NDArray[Any]


def judged(
    items: int = 120, judges: int = 4, *, points: int = 5, noise: float = 0.7,
    severity: float = 0.0, seed: int = 1,
) -> Values:  # fmt: skip
    """Items × judges: one quality for each item, a severity and noise for each judge."""
    draw = np.random.default_rng(seed)
    quality = draw.normal(size=(items, 1))
    seen = quality + severity * draw.normal(size=judges) + noise * draw.normal(size=(items, judges))
    if not points:
        return np.clip(np.round(50 + 18 * seen, 1), 0, 100)
    return np.clip(np.round((points + 1) / 2 + seen * points / 5), 1, points)


def study(
    values: Values, *, scale: Any = "1-5", names: Any = NAMES, **columns: Any,
) -> Ratings:  # fmt: skip
    """Ratings from items × judges (NaN for none); a column has a value per item or per rating."""
    item, judge = np.nonzero(~np.isnan(values))
    long: dict[str, Any] = {"item": item, "judge": np.array(names, dtype=object)[judge]}
    long["rating"] = values[item, judge]
    for name, given in columns.items():
        each = np.asarray(given, dtype=object if isinstance(given[0], str) else None)
        long[name] = each[item] if each.ndim == 1 else each[item, judge]
    return Ratings(long, scale=scale)


def systems(items: int, names: str = "abcd") -> list[str]:
    """One system for each item, in turn."""
    return [names[item % len(names)] for item in range(items)]


def codes(ratings: Ratings) -> list[str]:
    """The codes of everything that is found."""
    return [found.code for found in check(ratings)]


def the(code: str, ratings: Ratings) -> Finding:
    """The one finding with a code."""
    (found,) = (found for found in check(ratings) if found.code == code)
    return found
