"""Do intervals for other judges hold the truth? Judges are drawn anew for every study.

Judges see each item's quality with noise, shifted by their severity and stretched by how they use
the scale, and answer on two or five points. The truth is the mean of the coefficient over panels of
as many judges and infinitely many items: tables of every two judges are integrated over quality.
`COVARY_STUDIES` says how many studies a cell has; with 60 judges it has half of them.
"""

from __future__ import annotations

import itertools
import os
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr

import covary
from covary import Ratings, VerbalScale

STUDIES = int(os.environ.get("COVARY_STUDIES", "200"))
RESAMPLES = 200
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
QUALITY = WEIGHTS / WEIGHTS.sum()

CUTS = {
    ("two points", "balanced"): [0.0],
    ("two points", "skewed"): [-1.28],
    ("five points", "balanced"): [-1.2, -0.4, 0.4, 1.2],
    ("five points", "skewed"): [-2.0, -1.6, -1.2, -0.7],
}
NOISE = {"high": 0.3, "low": 1.0}

COEFFICIENTS = {
    "two points": ("krippendorff_alpha", "percent_agreement", "gwet_ac1", "light_kappa"),
    "five points": ("krippendorff_alpha", "gwet_ac2", "goodman_kruskal_gamma", "spearman"),
}


@dataclass(frozen=True)
class Population:
    """How judges differ: standard deviations of severity, log stretch and log noise."""

    name: str
    severity: float
    stretch: float
    noise: float

    def draw(self, size, noise, rng):
        """Draw judges: their severities, stretches and noises."""
        spread = (self.severity, self.stretch, self.noise)
        severity, stretch, louder = (rng.normal(0, sd, size) for sd in spread)
        return severity, np.exp(stretch), noise * np.exp(louder)


POPULATIONS = (
    Population("severity", 0.5, 0.0, 0.0),
    Population("severity, scale use and noise", 0.3, 0.2, 0.4),
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One setting."""

    population: Population
    points: str
    shape: str
    agreement: str
    judges: int
    items: int

    def __str__(self) -> str:
        who = f"{self.items} items, {self.judges} judges of other {self.population.name}"
        return f"{self.points}, {self.shape}, {self.agreement} agreement, {who}"

    @property
    def studies(self):
        return STUDIES if self.judges < 60 else STUDIES // 2

    @property
    def cuts(self):
        return np.array(CUTS[self.points, self.shape]) * np.hypot(1, NOISE[self.agreement])

    @property
    def scale(self):
        size = len(self.cuts) + 1
        return VerbalScale(range(1, size + 1), level="nominal" if size == 2 else "ordinal")

    def panel(self, rng):
        return self.population.draw(self.judges, NOISE[self.agreement], rng)

    def study(self, rng):
        severity, stretch, noise = self.panel(rng)
        shape = (self.items, self.judges)
        seen = (
            stretch * rng.normal(size=(self.items, 1)) - severity + noise * rng.normal(size=shape)
        )
        return Ratings.from_wide(1 + (seen[:, :, None] > self.cuts).sum(axis=2), scale=self.scale)

    def tables(self, rng):
        """The shares of every two judges' ratings, for infinitely many items."""
        severity, stretch, noise = (part[None, :, None] for part in self.panel(rng))
        below = ndtr((self.cuts + severity - stretch * NODES[:, None, None]) / noise)
        ends = np.zeros((*below.shape[:2], 1))
        chances = np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1)
        every = np.einsum("q,qja,qkb->jkab", QUALITY, chances, chances)
        return every[np.triu_indices(self.judges, 1)], QUALITY @ chances.mean(axis=1)


def agreement_of(name, tables, used):
    """A coefficient of agreement from the pairs' tables and the shares of all ratings."""
    places = np.arange(used.size)
    if name == "krippendorff_alpha":
        ranks = np.cumsum(used) - used / 2
        apart = (ranks[:, None] - ranks) ** 2 if used.size > 2 else places[:, None] != places
        return 1 - np.mean(np.sum(tables * apart, axis=(1, 2))) / (used @ apart @ used)
    weights = np.eye(used.size)
    if name == "gwet_ac2":
        weights = 1 - ((places[:, None] - places) / (used.size - 1)) ** 2
    same = np.mean(np.sum(tables * weights, axis=(1, 2)))
    if name == "percent_agreement":
        return same
    chance = weights.sum() / (used.size * (used.size - 1)) * np.sum(used * (1 - used))
    return (same - chance) / (1 - chance)


def mean_over_pairs(name, tables):
    """A mean over pairs of judges, each from their table."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    if name == "light_kappa":
        same, chance = np.trace(tables, axis1=1, axis2=2), np.sum(rows * columns, axis=1)
        return np.mean((same - chance) / (1 - chance))
    if name == "spearman":
        x, y = (np.cumsum(margin, axis=1) - margin / 2 - 0.5 for margin in (rows, columns))
        spread = np.sum(rows * x**2, axis=1) * np.sum(columns * y**2, axis=1)
        return np.mean(np.einsum("pab,pa,pb->p", tables, x, y) / np.sqrt(spread))
    up, down = np.zeros(len(tables)), np.zeros(len(tables))
    for a, b in np.ndindex(tables.shape[1:]):
        up += tables[:, a, b] * tables[:, a + 1 :, b + 1 :].sum(axis=(1, 2))
        down += tables[:, a, b] * tables[:, a + 1 :, :b].sum(axis=(1, 2))
    return np.mean((up - down) / (up + down))


def truths(cell, seed=5):
    """Each coefficient's mean over panels of judges."""
    rng, values = np.random.default_rng(seed), {name: [] for name in COEFFICIENTS[cell.points]}
    for _ in range(max(300, 12_000 // cell.judges)):
        tables, used = cell.tables(rng)
        for name, known in values.items():
            pairs = name in ("light_kappa", "spearman", "goodman_kruskal_gamma")
            known.append(
                mean_over_pairs(name, tables) if pairs else agreement_of(name, tables, used)
            )
    return {name: np.mean(known) for name, known in values.items()}


def coverage(cell, seed=1):
    """Each coefficient's truth; whether studies with enough items hold it, and which decide."""
    rng, known = np.random.default_rng([seed, cell.judges, cell.items]), truths(cell)
    found = {name: [] for name in known}
    with warnings.catch_warnings(action="ignore"):
        for _ in range(cell.studies):
            ratings = cell.study(rng)
            for name, truth in known.items():
                function = getattr(covary, name)
                one = function(ratings, interval="two-way", resamples=RESAMPLES, rng=1)
                if one.defined and not any("too few items" in note for note in one.notes):
                    ends = one.interval
                    found[name].append((ends.low <= truth <= ends.high, ends.decisive))
    return {name: (known[name], np.array(found[name], dtype=bool).reshape(-1, 2)) for name in known}


CELLS = [
    Cell(
        population=population,
        points=points,
        shape=shape,
        agreement=agreement,
        judges=judges,
        items=items,
    )
    for population, judges, items, points, shape, agreement in itertools.product(
        POPULATIONS,
        (3, 4, 5, 8, 15, 30, 60),
        (20, 50, 200),
        COEFFICIENTS,
        ("balanced", "skewed"),
        NOISE,
    )
]

LEAST = 0.88
"""The goal is .93; the rest is for chance, nearly three standard errors of 200 studies."""


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_intervals_for_other_judges_hold_the_truth(cell):
    for name, (truth, studies) in coverage(cell).items():
        held, decisive = studies.T
        print(f"{cell}: {name} {truth:.3f}, {held.size} studies, held by {held.sum()}", end=", ")
        print(f"{decisive.sum()} decisive, held by {np.sum(held & decisive)}", flush=True)
        assert held.size < cell.studies / 2 or held.mean() >= LEAST, name


def test_the_truth_by_integration_is_the_mean_of_very_many_items():
    for points in COEFFICIENTS:
        cell = Cell(
            population=POPULATIONS[1],
            points=points,
            shape="skewed",
            agreement="high",
            judges=3,
            items=4000,
        )
        rng, known = np.random.default_rng(3), truths(cell)
        with warnings.catch_warnings(action="ignore"):
            for name, truth in known.items():
                studies = (cell.study(rng) for _ in range(150))
                found = [getattr(covary, name)(study, interval=None).value for study in studies]
                error = np.std(found) / np.sqrt(len(found))
                assert abs(np.mean(found) - truth) < 4 * error, name
