"""Simulated studies of two or more scales, in which the truth is known.

Judges rate the outputs of some systems for some sources in repeated Latin squares, as Belz & Kow
(2011) had their forecasts rated: each judge sees each source once and each system equally often.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.formats import write
from covary.ratings import Ratings
from covary.scales import Level, Scale, as_scale

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Generator = np.random.Generator

SEVERITY, SOURCE, TASTE, FIT = 0.4, 0.3, 0.25, 0.25
"""Standard deviations, where systems have 1: of judges, of sources, and of both by system."""


@dataclass(frozen=True)
class Instrument:
    """A scale as a measuring instrument: how noisily it is used, and what it measures.

    `noise` is the standard deviation of a single rating around what the judge means, where the
    systems' qualities have 1. `truth` is the correlation of what the scale measures with the
    systems' qualities: 1 measures them, 0 something else.
    """

    scale: Scale
    noise: float = 0.9
    truth: float = 1.0


@dataclass(frozen=True)
class SimulatedStudy:
    """The ratings of each scale, a task measure per system, whom judges prefer, and the truth."""

    ratings: Mapping[str, Ratings]
    accuracy: Mapping[str, float]
    preference: Mapping[str, str]
    quality: Mapping[str, Mapping[str, float]]

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write a file per scale, accuracy.csv and preference.csv."""
        place = Path(folder)
        files = [write(own, place / f"{name}.csv") for name, own in self.ratings.items()]
        tables = {"accuracy": ("system", self.accuracy), "preference": ("judge", self.preference)}
        for name, (key, table) in tables.items():
            files.append(_write_table(place / f"{name}.csv", (key, name), table))
        return tuple(files)


def simulate_scales(
    scales: Mapping[str, str | Scale | Instrument] | None = None,
    *,
    criteria: Sequence[str] = ("clarity", "readability"),
    systems: int = 11,
    sources: int = 22,
    judges: int = 22,
    occasions: int = 2,
    same_judges: bool = False,
    seed: int = 0,
) -> SimulatedStudy:
    """Simulate a comparison of scales whose truth is known.

    Parameters
    ----------
    scales
        Each scale by its name: its short form (`"1-7"`), a `Scale`, or an `Instrument`; a verbal
        scale from 1 to 7 and a visual one from 0 to 100 by default.
    criteria
        The criteria; each has systems of its own qualities, which go together to .8.
    systems, sources, judges
        How many there are. The sources must be a multiple of the systems.
    occasions
        How often each judge rates the same items.
    same_judges
        Whether the same judges use all scales; other judges by default.
    seed
        Of the draws.

    Returns
    -------
    SimulatedStudy
        `ratings` by name of scale, `accuracy` per system, `preference` per judge, and the true
        `quality` of each system on each criterion.

    Examples
    --------
    >>> study = simulate_scales(systems=4, sources=8, judges=4)
    >>> study.ratings["VDS"]
    Ratings(128 ratings of 32 items by 4 judges on 'clarity', 'readability')
    """
    rng = np.random.default_rng(seed)
    _check(systems, sources, judges, occasions)
    used = {name: _instrument(scale) for name, scale in (scales or DEFAULT).items()}
    names = [f"S{number + 1:02d}" for number in range(systems)]
    qualities = _qualities(rng, systems, len(criteria))
    shown = _squares(rng, judges, sources, systems)
    texts = rng.normal(0, SOURCE, (len(criteria), sources, 1))
    texts = texts + rng.normal(0, FIT, (len(criteria), sources, systems))
    ratings, people = {}, _Persons(rng, judges, systems, len(criteria))
    for name, instrument in used.items():
        if not same_judges:
            people = _Persons(rng, judges, systems, len(criteria), prefix=f"{name}-")
        measured = [_correlated(rng, instrument.truth, quality) for quality in qualities]
        rows = _Rows(systems=names, criteria=tuple(criteria), shown=shown, occasions=occasions)
        latent = [people.severity[:, None] + people.taste[c] + m for c, m in enumerate(measured)]
        ratings[name] = rows.ratings(rng, instrument, latent, texts=texts, judges=people.names)
    by_criterion = zip(criteria, qualities, strict=True)
    return SimulatedStudy(
        ratings=ratings,
        accuracy=_accuracy(rng, names, qualities[0]),
        preference=_preferences(rng, ratings),
        quality={c: dict(zip(names, map(float, q), strict=True)) for c, q in by_criterion},
    )


DEFAULT: Mapping[str, str] = {"VDS": "1-7", "VAS": "0-100"}


class _Persons:
    """Judges: their names, how mild they are, and their tastes for systems."""

    def __init__(
        self, rng: Generator, judges: int, systems: int, criteria: int, *, prefix: str = ""
    ) -> None:
        self.names = [f"{prefix}J{number + 1:02d}" for number in range(judges)]
        self.severity = rng.normal(0, SEVERITY, judges)
        self.taste = rng.normal(0, TASTE, (criteria, judges, systems))


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """Who sees what: `shown` holds the system that each judge sees for each source."""

    systems: Sequence[str]
    criteria: Sequence[str]
    shown: Ints
    occasions: int

    def ratings(
        self,
        rng: Generator,
        instrument: Instrument,
        latent: Sequence[Floats],
        *,
        texts: Floats,
        judges: Sequence[str],
    ) -> Ratings:
        columns: dict[str, list[Any]] = {
            name: []
            for name in ("item", "judge", "rating", "criterion", "system", "source", "occasion")
        }
        n_judges, n_sources = self.shown.shape
        judge, source = np.divmod(np.arange(n_judges * n_sources), n_sources)
        system = self.shown[judge, source]
        for occasion in range(1, self.occasions + 1):
            for place, criterion in enumerate(self.criteria):
                felt = latent[place][judge, system] + texts[place][source, system]
                felt = felt + rng.normal(0, instrument.noise, felt.size)
                columns["rating"] += _answers(instrument.scale, felt)
                columns["judge"] += [judges[j] for j in judge]
                columns["system"] += [self.systems[s] for s in system]
                columns["source"] += [f"source {i + 1:02d}" for i in source]
                columns["item"] += [
                    f"{i + 1:02d}-{self.systems[s]}" for i, s in zip(source, system, strict=True)
                ]
                columns["criterion"] += [criterion] * felt.size
                columns["occasion"] += [occasion] * felt.size
        if self.occasions == 1:
            del columns["occasion"]
        return Ratings(columns, scale=instrument.scale)


def _answers(scale: Scale, felt: Floats) -> list[Any]:
    """Put what judges mean on the scale, whose middle half takes most of it."""
    way = -1.0 if scale.best == "low" else 1.0
    if scale.categories is not None:
        last = len(scale.categories) - 1
        places = np.clip(np.round(last / 2 + way * felt * last / 6), 0, last).astype(int)
        return [scale.categories[place] for place in places]
    width = scale.high - scale.low
    middle = (scale.low + scale.high) / 2
    places = np.clip(np.round(middle + way * felt * width / 6, 1), scale.low, scale.high)
    return [float(place) for place in places]


def _squares(rng: Generator, judges: int, sources: int, systems: int) -> Ints:
    """Repeated Latin squares: a fresh one for each block of judges and of sources."""
    shown = np.empty((judges, sources), dtype=np.int64)
    for first in range(0, judges, systems):
        rows = min(systems, judges - first)
        for start in range(0, sources, systems):
            square = np.add.outer(rng.permutation(systems), rng.permutation(systems)) % systems
            shown[first : first + rows, start : start + systems] = square[:rows]
    return rng.permutation(systems)[shown]


def _qualities(rng: Generator, systems: int, criteria: int) -> list[Floats]:
    """Each criterion's qualities, which have mean 0 and standard deviation 1."""
    first = _standardised(np.linspace(-1.5, 1.5, systems))[rng.permutation(systems)]
    return [first, *(_correlated(rng, 0.8, first) for _ in range(criteria - 1))]


def _correlated(rng: Generator, truth: float, quality: Floats) -> Floats:
    """Values that correlate with qualities exactly as wanted."""
    if truth == 1:
        return quality
    other = rng.normal(size=quality.size)
    other -= other.mean()
    other -= quality * (other @ quality) / (quality @ quality)
    return np.asarray(truth * quality + np.sqrt(1 - truth**2) * _standardised(other))


def _standardised(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def _accuracy(rng: Generator, names: Sequence[str], quality: Floats) -> dict[str, float]:
    """The share of readers who understood a system's outputs: a measure from another task."""
    shares = 1 / (1 + np.exp(-(1.2 + 0.8 * quality + rng.normal(0, 0.25, quality.size))))
    return {name: round(float(share), 3) for name, share in zip(names, shares, strict=True)}


def _preferences(rng: Generator, ratings: Mapping[str, Ratings]) -> dict[str, str]:
    """Which scale each judge likes better; three of four choose the last one."""
    names = list(ratings)
    chances = [0.25 / max(len(names) - 1, 1)] * (len(names) - 1)
    judges = sorted({judge for own in ratings.values() for judge in own.judges})
    drawn = rng.choice(names, len(judges), p=[*chances, 1 - sum(chances)])
    return {judge: str(name) for judge, name in zip(judges, drawn, strict=True)}


def _instrument(given: str | Scale | Instrument) -> Instrument:
    if isinstance(given, Instrument):
        return given
    scale = as_scale(given) if isinstance(given, str) else given
    if scale.level is Level.NOMINAL:
        raise InvalidArgument("datasets.nominal-scale")
    return Instrument(scale)


def _check(systems: int, sources: int, judges: int, occasions: int) -> None:
    if systems < 2 or judges < 2 or occasions < 1:
        raise InvalidArgument(
            "datasets.too-few", systems=systems, judges=judges, occasions=occasions
        )
    if sources < systems or sources % systems:
        raise InvalidArgument("datasets.squares", sources=sources, systems=systems)


def _write_table(path: Path, head: tuple[str, str], table: Mapping[str, Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *table.items()])
    return path
