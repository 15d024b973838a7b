"""Coefficients of two judges from their cross table, for many tables at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed
from covary.scales import Level, Scale
from covary.stats.ordering import count_table
from covary.stats.statistic import ratio

__all__ = ["COEFFICIENTS", "Coefficient", "as_coefficient"]

Floats = npt.NDArray[np.float64]
Formula = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of two judges.

    `formula` takes cross tables (… × categories × categories, rows the first judge) and where the
    categories stand, and returns one value for each table, NaN where it is undefined.
    """

    name: str
    title: str
    formula: Formula
    ordered: bool = False

    def of(self, tables: Floats, scale: Scale) -> Floats:
        """Return the value of each table."""
        found = np.asarray(self.formula(tables, np.array(scale.positions())), dtype=float)
        if found.shape != tables.shape[:-2]:
            raise InvalidArgument(
                f"{self.name} returned an array of shape {found.shape} for tables of shape "
                f"{tables.shape}; a coefficient returns one value for each table "
                f"(shape {tables.shape[:-2]}), so it sums over the last two axes only"
            )
        return found


def _cohen_kappa(tables: Floats, _: Floats) -> Floats:
    return _corrected(tables, np.eye(tables.shape[-1]))


def _weighted_kappa(tables: Floats, positions: Floats) -> Floats:
    return _corrected(tables, _nearness(positions))


def _corrected(tables: Floats, weights: Floats) -> Floats:
    """Agreement beyond what the two judges' own margins give by chance."""
    shares = _shares(tables)
    observed = np.sum(weights * shares, axis=(-2, -1))
    chance = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    expected = np.sum(weights * chance, axis=(-2, -1))
    return ratio(observed - expected, 1 - expected)


def _scott_pi(tables: Floats, _: Floats) -> Floats:
    shares = _shares(tables)
    observed = np.trace(shares, axis1=-2, axis2=-1)
    expected = np.sum(((shares.sum(axis=-1) + shares.sum(axis=-2)) / 2) ** 2, axis=-1)
    return ratio(observed - expected, 1 - expected)


def _percent_agreement(tables: Floats, _: Floats) -> Floats:
    return np.asarray(np.trace(_shares(tables), axis1=-2, axis2=-1))


def _fisher_icc(tables: Floats, positions: Floats) -> Floats:
    """Covariance of the pairs around the mean of all 2N ratings, by their common variance."""
    first, second, products = _moments(tables, positions)
    squares = _squares(tables, positions)
    mean = (first + second) / 2
    common = sum(squares) / 2 - mean**2
    return ratio(products - mean * (first + second) + mean**2, common)


def _pearson(tables: Floats, positions: Floats) -> Floats:
    first, second, products = _moments(tables, positions)
    one, two = _squares(tables, positions)
    spread = np.sqrt(np.maximum(one - first**2, 0) * np.maximum(two - second**2, 0))
    return ratio(products - first * second, spread)


def _gamma(tables: Floats, _: Floats) -> Floats:
    found = count_table(tables)
    return ratio(found.concordant - found.discordant, found.concordant + found.discordant)


def _shares(tables: Floats) -> Floats:
    total = tables.sum(axis=(-2, -1), keepdims=True)
    return np.asarray(tables / np.where(total > 0, total, np.nan))


def _moments(tables: Floats, positions: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both judges' means and the mean product of their ratings."""
    shares = _shares(tables)
    first, second = shares.sum(axis=-1) @ positions, shares.sum(axis=-2) @ positions
    return first, second, np.asarray((shares @ positions) @ positions)


def _squares(tables: Floats, positions: Floats) -> tuple[Floats, Floats]:
    shares = _shares(tables)
    return shares.sum(axis=-1) @ positions**2, shares.sum(axis=-2) @ positions**2


def _nearness(positions: Floats) -> Floats:
    """Quadratic weights: 1 for the same category, 0 for the two ends."""
    apart = (positions[:, None] - positions[None, :]) ** 2
    return np.asarray(1 - apart / max(float(apart.max()), np.finfo(float).tiny))


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {
        each.name: each
        for each in (
            Coefficient("cohen_kappa", "Cohen's kappa", _cohen_kappa),
            Coefficient("fisher_icc", "Fisher's ICC", _fisher_icc, ordered=True),
            Coefficient("percent_agreement", "Percent agreement", _percent_agreement),
            Coefficient("scott_pi", "Scott's pi", _scott_pi),
            Coefficient("weighted_kappa", "Quadratically weighted kappa", _weighted_kappa, True),
            Coefficient("pearson", "Pearson's r", _pearson, ordered=True),
            Coefficient("goodman_kruskal_gamma", "Goodman & Kruskal's gamma", _gamma, True),
        )
    }
)
"""The coefficients that are known by name."""


def as_coefficient(given: Any, scale: Scale) -> Coefficient:
    """Return a coefficient by its name, or make one of a function of cross tables."""
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return Coefficient(name, name, lambda tables, _: given(tables))
    if given not in COEFFICIENTS:
        raise InvalidArgument(
            f"coefficient={given!r} is not known; choose one of {listed(COEFFICIENTS)}, or give a "
            "function of cross tables (… × categories × categories, rows the expert)"
        )
    found = COEFFICIENTS[given]
    if found.ordered and scale.level is Level.NOMINAL and len(scale.categories or ()) > 2:
        raise InvalidArgument(
            f"{given} needs ordered ratings, and these are names ({scale.describe()}); "
            "cohen_kappa, scott_pi and percent_agreement do not"
        )
    return found
