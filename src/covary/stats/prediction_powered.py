"""A mean from a few people's ratings and many automatic ones: prediction-powered inference."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Result

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST = 10
"""Clusters with ratings by people from which a mean is given."""


@dataclass(frozen=True, kw_only=True)
class PoweredMean(Result):
    """A mean by people alone, by the automatic judge alone, and by both.

    `rated` counts the items that people rated, `further` those that only the automatic judge did;
    `weight` says how far it is relied on (0 not at all, 1 wholly). `gain` is how many times as many
    rated items would give people alone the same interval.
    """

    rated: int
    further: int
    people: float
    people_low: float
    people_high: float
    automatic: float
    weight: float
    mean: float
    low: float
    high: float
    gain: float


def powered_mean(
    people: Floats,
    automatic: Floats,
    further: Floats,
    *,
    clusters: tuple[Ints, Ints],
    confidence: float = 0.95,
) -> PoweredMean:
    """Estimate people's mean rating with the help of automatic ratings of further items.

    Parameters
    ----------
    people, automatic
        The mean of the people's ratings and the automatic rating of each item that both rated.
    further
        The automatic ratings of items that no person rated.
    clusters
        What the items of the one and of the other kind are nested in, by number.
    confidence
        Of the intervals.

    Notes
    -----
    λ mean(further) + mean(people - λ automatic), which is right on average however wrong the
    automatic judge is, if the items that people rated are a random part of all items. λ is the
    power-tuning weight of Angelopoulos, Duchi & Zrnic (2023), cut to lie between 0 and 1. Student's
    t with the clusters that people rated less 1; items of one cluster count together.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Prediction-powered inference, Science
    382, 669-674. Angelopoulos, Duchi & Zrnic (2023), PPI++: efficient prediction-powered inference,
    arXiv:2311.01453. Checked against ppi-python 0.2.3.
    """
    n, n_further = people.size, further.size
    everything = np.concatenate([automatic, further])
    variance = float(everything.var(ddof=1))
    together = float(np.mean((people - people.mean()) * (automatic - automatic.mean())))
    weight = together / ((1 + n / n_further) * variance) if variance > 0 else 0.0
    weight = min(max(weight, 0.0), 1.0)
    rest = people - weight * automatic
    mean = weight * float(further.mean()) + float(rest.mean())
    alone = _squared_error([(people - people.mean()) / n], [clusters[0]])
    deviations = [(rest - rest.mean()) / n, weight * (further - further.mean()) / n_further]
    error = _squared_error(deviations, list(clusters))
    t = t_quantile((1 + confidence) / 2, np.unique(clusters[0]).size - 1)
    reach, reach_alone = t * math.sqrt(error), t * math.sqrt(alone)
    centre = float(people.mean())
    return PoweredMean(
        rated=n,
        further=n_further,
        people=centre,
        people_low=centre - reach_alone,
        people_high=centre + reach_alone,
        automatic=float(everything.mean()),
        weight=weight,
        mean=mean,
        low=mean - reach,
        high=mean + reach,
        gain=alone / error if error > 0 else math.nan,
    )


def _squared_error(deviations: list[Floats], clusters: list[Ints]) -> float:
    """The variance of a sum of deviations; those of one cluster go together."""
    scaled = []
    for part, own in zip(deviations, clusters, strict=True):
        n = np.unique(own).size
        scaled.append(part * math.sqrt(n / (n - 1)) if n > 1 else part)
    places = np.unique(np.concatenate(clusters), return_inverse=True)[1]
    totals = np.bincount(places, np.concatenate(scaled))
    return float(totals @ totals)
