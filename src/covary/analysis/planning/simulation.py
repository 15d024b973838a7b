"""Power by simulation: studies drawn from a fitted model, through the analysis that will be used.

A closed form is about means and normal errors. For ordered categories, studies are drawn from the
model that was fitted to the pilot, and each is analysed as `covary systems` would: the share that
finds a difference is the power, and the share that finds one where there is none stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import StudySize
from covary.analysis.planning.latent import LatentStudy
from covary.analysis.systems.compare import brief_systems
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.distributions import wilson
from covary.stats.estimate import Result

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator

RUNS = 200


@dataclass(frozen=True, kw_only=True)
class SimulatedPower(Result):
    """The share of simulated studies that find a difference, there being one and there being none.

    The intervals are Wilson's at 95 % and tell how exact the simulation is; `undefined` studies
    could not be analysed and count as having found nothing.
    """

    size: StudySize
    difference: float
    alpha: float
    runs: int
    power: float
    power_interval: tuple[float, float]
    type_one: float
    type_one_interval: tuple[float, float]
    undefined: int
    seed: int


def simulated_power(
    pilot: GStudy | LatentStudy,
    size: StudySize,
    difference: float,
    *,
    alpha: float = 0.05,
    runs: int = RUNS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> SimulatedPower:
    """How often would a study of this size find a difference, analysed as `covary systems` does?

    Parameters
    ----------
    pilot
        Components of the numbers themselves, or of ordered categories (`latent_components`).
    size
        The study; its systems are all alike but for the first two.
    difference
        Between the mean ratings of the first two systems, in points of the scale.
    alpha
        The error rate of the comparison of all systems.
    runs
        Studies with the difference, and as many without.
    """
    if size.systems < 2 or not difference > 0:
        raise InvalidArgument("planning.positive", argument="difference", value=difference)
    rng = np.random.default_rng(seed)
    shift = pilot.shift_of(difference) if isinstance(pilot, LatentStudy) else difference
    counts, undefined = {0.0: 0, shift: 0}, 0
    for run in range(runs):
        if progress is not None:
            progress(f"simulated study {run + 1} of {runs}")
        for own in counts:
            found = _finds(draw_study(pilot, size, own, rng), alpha)
            counts[own] += found is True
            undefined += found is None
    return SimulatedPower(
        size=size,
        difference=difference,
        alpha=alpha,
        runs=runs,
        power=counts[shift] / runs,
        power_interval=wilson(counts[shift] / runs, runs, 0.95),
        type_one=counts[0.0] / runs,
        type_one_interval=wilson(counts[0.0] / runs, runs, 0.95),
        undefined=undefined,
        seed=seed,
    )


def _finds(ratings: Ratings, alpha: float) -> bool | None:
    """Whether the comparison finds that the first two systems differ; None where there is none."""
    try:
        compared = brief_systems(ratings, confidence=1 - alpha).criteria[0].comparisons
    except InvalidArgument:
        return None
    if compared is None:
        return None
    return any(pair.significant for pair in compared.pairs if {pair.first, pair.second} == {0, 1})


def draw_study(
    pilot: GStudy | LatentStudy, size: StudySize, shift: float, rng: Generator
) -> Ratings:
    """Draw the ratings of a study whose first two systems lie so far apart, the others between."""
    latent = isinstance(pilot, LatentStudy)
    part = pilot.components if isinstance(pilot, LatentStudy) else pilot
    system, source, judge = _assignment(size, rng)
    text = system * size.items + source

    def effects(name: str, levels: int) -> Floats:
        return rng.normal(0, math.sqrt(part[name]), levels)

    places = np.zeros(size.systems)
    places[:2] = -shift / 2, shift / 2
    values = places[system] + effects("source", size.items)[source]
    values = values + effects("item", size.systems * size.items)[text]
    values = values + effects("judge", size.judges)[judge]
    values = (
        values + effects("judge system", size.judges * size.systems)[judge * size.systems + system]
    )
    values = values + effects("judge source", size.judges * size.items)[judge * size.items + source]
    columns: dict[str, Any] = {
        "item": [f"t{number}" for number in text],
        "judge": [f"j{number}" for number in judge],
        "system": [f"s{number:03}" for number in system],
        "source": [f"o{number}" for number in source],
    }
    if not latent:
        values = values + rng.normal(0, math.sqrt(part["residual"]), values.size)
        return Ratings(columns | {"rating": values.tolist()}, level="interval")
    assert isinstance(pilot, LatentStudy)
    noise = rng.logistic(0, 1, values.size)
    codes = np.searchsorted(np.array(pilot.thresholds), values + noise)
    numbers = [int(code) + 1 for code in codes]  # the order is all that counts
    return Ratings(columns | {"rating": numbers}, scale=f"1-{len(pilot.values)}")


def _assignment(size: StudySize, rng: Generator) -> tuple[npt.NDArray[np.intp], ...]:
    """Who rates what: each text by `votes` judges, who share the work alike.

    Judges rate a source whole, all its systems, as the comparison assumes.
    """
    system, source, judge = [], [], []
    turn = rng.permutation(size.judges)
    for number in range(size.items):
        for vote in range(size.votes):
            rater = turn[(number * size.votes + vote) % size.judges]
            for own in range(size.systems):
                system.append(own)
                source.append(number)
                judge.append(rater)
    return np.array(system), np.array(source), np.array(judge)
