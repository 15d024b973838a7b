"""Whether ratings rank systems reliably: the systems' means against the items they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.systems.models import FEW_JUDGES
from covary.analysis.systems.ranks import connected
from covary.analysis.verdict import RatingUse, state_of
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.scales import Level
from covary.stats.distributions import f_quantile
from covary.stats.patterns import scale_numbers

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def system_means(
    ratings: Ratings,
    criterion: Any,
    *,
    severity: Mapping[Any, float],
    confidence: float,
    threshold: float,
) -> RatingUse | None:
    """How reliable the systems' means are, over other items; None where there is nothing to rank.

    `severity` says how far each judge rates above the others, which is taken out first, because
    the judges of one system may be stricter than those of another.

    With mean squares S between systems and E between the items of a system (or, where every source
    was given to every system, of the interaction of source and system), the reliability is
    (S - E) / S. It speaks of these judges; `covary.systems` tells the systems apart.
    """
    if ratings.large:
        return None
    scale = ratings.scales[criterion]
    if scale.level is Level.NOMINAL and (scale.categories is None or len(scale.categories) > 2):
        return None
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    more = ["source"] if "source" in ratings.columns else []
    names = ["item", "judge", "system", "rating", *more]
    columns = fetch(frame.select(names))
    if not columns["item"].size or not _comparable(columns["system"], columns["judge"]):
        return None
    items, first = _numbers(columns["item"], columns["system"])
    values = scale_numbers(columns["rating"], scale)
    severities = np.array([severity.get(judge, 0.0) for judge in columns["judge"].tolist()])
    values = values - severities
    means = np.bincount(items, values) / np.bincount(items)
    system = np.unique(columns["system"][first].astype(str), return_inverse=True)[1]
    source = columns["source"][first].astype(str) if "source" in columns else None
    squares = _crossed(means, system, source) or _nested(means, system)
    if squares is None:
        return None
    return _use(*squares, confidence=confidence, threshold=threshold)


def _comparable(systems: npt.NDArray[Any], judges: npt.NDArray[Any]) -> bool:
    """Whether every rating names a system, and judges connect the systems.

    Where few judges rated one part of the systems and others the rest, a mild judge cannot be told
    from a good system; `covary.systems` does not compare them either.
    """
    if any(system is None or system != system for system in systems.tolist()):
        return False
    system, judge = (
        np.unique(codes.astype(str), return_inverse=True)[1] for codes in (systems, judges)
    )
    n_judges = int(judge.max()) + 1
    if not 1 < n_judges <= FEW_JUDGES:
        return True
    met = np.zeros((int(system.max()) + 1, n_judges))
    met[system, judge] = 1
    return connected(met)


def _numbers(items: npt.NDArray[Any], systems: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Number what was rated: an item, or a system's output for it."""
    keys = np.array([f"{item}\0{system}" for item, system in zip(items, systems, strict=True)])
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers, first


def _nested(means: Floats, system: Ints) -> tuple[float, int, int] | None:
    """F and its degrees of freedom, with items within systems."""
    n = np.bincount(system)
    df1, df2 = n.size - 1, means.size - n.size
    if df1 < 1 or df2 < 1:
        return None
    by_system = np.bincount(system, means) / n
    between = float(n @ (by_system - means.mean()) ** 2) / df1
    within = float(np.sum((means - by_system[system]) ** 2)) / df2
    return (between / within, df1, df2) if within > 0 else None


def _crossed(
    means: Floats, system: Ints, source: npt.NDArray[Any] | None
) -> tuple[float, int, int] | None:
    """The same where each source was given to each system just once."""
    if source is None:
        return None
    place = np.unique(source, return_inverse=True)[1]
    n_systems, n_sources = int(system.max()) + 1, int(place.max()) + 1
    cells = np.bincount(system * n_sources + place, minlength=n_systems * n_sources)
    if (cells != 1).any() or n_systems < 2 or n_sources < 2:
        return None
    table = np.empty((n_systems, n_sources))
    table[system, place] = means
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    df1, df2 = n_systems - 1, (n_systems - 1) * (n_sources - 1)
    between = n_sources * float(np.sum((rows - table.mean()) ** 2)) / df1
    rest = float(np.sum((table - rows - columns + table.mean()) ** 2)) / df2
    return (between / rest, df1, df2) if rest > 0 else None


def _use(f: float, df1: int, df2: int, *, confidence: float, threshold: float) -> RatingUse:
    p = (1 + confidence) / 2
    low, high = 1 - f_quantile(p, df1, df2) / f if f > 0 else -math.inf, 1.0
    if f > 0:
        high = 1 - 1 / (f * f_quantile(p, df2, df1))
    value = 1 - 1 / f if f > 0 else -math.inf
    low, value, high = (max(end, 0.0) for end in (low, value, high))
    return RatingUse(
        purpose="system means",
        state=state_of(low, high, threshold),
        threshold=threshold,
        value=value,
        low=low,
        high=high,
    )
