"""p-values of many tests, made larger so that few of them are small by chance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed

__all__ = ["ADJUSTMENTS", "adjusted"]

Floats = npt.NDArray[np.float64]

ADJUSTMENTS = ("none", "bonferroni", "holm", "bh")


def adjusted(p: npt.ArrayLike, adjust: str = "holm") -> Floats:
    """Adjust p-values for the number of tests; NaN stays NaN and counts as no test.

    Parameters
    ----------
    p
        The p-values of single tests.
    adjust
        "bonferroni" and "holm" bound the chance of any false finding, "bh" (Benjamini & Hochberg
        1995) the expected share of false ones among the findings, "none" neither.

    Examples
    --------
    >>> adjusted([0.01, 0.02, 0.03], "holm").round(3).tolist()  # 3, 2 and 1 times, never falling
    [0.03, 0.04, 0.04]
    """
    if adjust not in ADJUSTMENTS:
        raise InvalidArgument(f"adjust={adjust!r} is not one of {listed(ADJUSTMENTS)}")
    raw = np.asarray(p, dtype=float)
    found = raw.copy()
    known = ~np.isnan(raw)
    found[known] = _RULES[adjust](raw[known])
    return found


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * p.size, 1.0)


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    grown = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _back(np.minimum(grown, 1.0), order)


def _bh(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")[::-1]
    grown = np.minimum.accumulate(p[order] * p.size / np.arange(p.size, 0, -1))
    return _back(np.minimum(grown, 1.0), order)


def _back(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    placed = np.empty_like(values)
    placed[order] = values
    return placed


_RULES = {"none": lambda p: p, "bonferroni": _bonferroni, "holm": _holm, "bh": _bh}
