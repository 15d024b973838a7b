"""Least squares for a sum of factors, from tables of how often their levels meet.

No design matrix is formed. The factor with the most levels is eliminated by hand, because its own
part of the normal equations is diagonal, and the rest is as large as the other factors have levels:
a million ratings of 1,000 systems by 20 judges on 50 sources need a system of 70 equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.models.tables import (
    beside,
    dense,
    filled,
    meeting_table,
    residual_norm,
    turned,
    weighted_rows,
)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

SINGULAR = 1e-11
"""An eigenvalue below this share of the largest is 0 but for rounding."""

MOST_SOLVED = 600
"""With more levels beside the widest factor's, what a model leaves is found step by step."""

SAME = 1e-7
"""Two entries of a null vector of unit length that differ by less are equal."""


@dataclass(frozen=True)
class LeastSquaresFit:
    """The effects of each factor's levels, what they leave, and how many of them are free.

    The effects are one solution of the normal equations; `free` says for each factor whether its
    differences are the same in all of them.
    """

    effects: Mapping[str, Floats]
    residuals: Floats
    rank: int
    free: Mapping[str, bool]


class Design:
    """Factors as codes, and how often their levels meet."""

    def __init__(self, factors: Mapping[str, Codes]) -> None:
        self.factors = dict(factors)
        self.counts = {name: np.bincount(codes).astype(float) for name, codes in factors.items()}
        self.n = next(iter(factors.values())).size
        self._tables: dict[tuple[str, str], Any] = {}

    def without(self, name: str) -> Design:
        """The design without a factor, with the tables of the others."""
        others = {other: codes for other, codes in self.factors.items() if other != name}
        design = Design(others)
        design._tables = {pair: table for pair, table in self._tables.items() if name not in pair}
        return design

    def levels(self, name: str) -> int:
        """How many levels a factor has."""
        return int(self.counts[name].size)

    def table(self, rows: str, columns: str) -> Any:
        """How often each level of one factor meets each level of another."""
        if (rows, columns) not in self._tables:
            shape = self.levels(rows), self.levels(columns)
            table = meeting_table(self.factors[rows], self.factors[columns], shape)
            self._tables[rows, columns] = table
            self._tables[columns, rows] = turned(table)
        return self._tables[rows, columns]

    def met(self, rows: str, columns: str) -> int:
        """How many levels of one factor meet levels of another, counted by pairs."""
        return filled(self.table(rows, columns))

    @property
    def orthogonal(self) -> bool:
        """Whether every two factors meet in proportion, so that their sums of squares add up."""
        names = list(self.factors)
        return all(self._proportional(a, b) for i, a in enumerate(names) for b in names[i + 1 :])

    def _proportional(self, a: str, b: str) -> bool:
        if self.met(a, b) < self.levels(a) * self.levels(b):
            return False
        table = dense(self.table(a, b))
        return bool(np.all(table * self.n == np.outer(self.counts[a], self.counts[b])))

    def meetings(self, names: list[str]) -> Floats:
        """How often the levels of some factors meet, all in one table."""
        if not names:
            return np.zeros((0, 0))
        own = {name: np.diag(self.counts[name]) for name in names}
        return np.block(
            [[own[a] if a == b else dense(self.table(a, b)) for b in names] for a in names]
        )

    def within(self, name: str, other: str) -> bool:
        """Whether each level of a factor belongs to one level of another that has fewer."""
        levels = self.levels(name)
        return self.levels(other) < levels and self.met(name, other) == levels

    def spanning(self) -> list[str]:
        """The factors that say all the others say: without those that others lie within."""
        names = list(self.factors)
        return [name for name in names if not any(self.within(other, name) for other in names)]

    def sums(self, name: str, values: Floats) -> Floats:
        """Add up the values of each level."""
        return np.bincount(self.factors[name], values, minlength=self.levels(name)).astype(float)

    def means(self, name: str, values: Floats) -> Floats:
        """The mean of the values of each level."""
        return np.asarray(self.sums(name, values) / self.counts[name])

    def fit(self, values: Floats, names: Iterable[str]) -> LeastSquaresFit:
        """Fit the sum of some factors; of none, the mean."""
        chosen = list(names)
        if not chosen:
            return LeastSquaresFit({}, values - values.mean(), 1, {})
        widest = max(chosen, key=self.levels)
        small = _Reduced(self, widest, [name for name in chosen if name != widest])
        effects = {name: np.zeros(self.levels(name)) for name in chosen}
        left = values
        for _ in range(2):  # the second time removes what rounding left
            for name, step in small.solve(left).items():
                effects[name] = effects[name] + step
                left = left - step[self.factors[name]]
        return LeastSquaresFit(effects, left, self.levels(widest) + small.rank, small.free())

    def leave(self, values: Floats) -> tuple[int, float]:
        """How many degrees of freedom all factors leave, or fewer, and which sum of squares.

        Where factors have many levels the sum is found step by step.
        """
        names = self.spanning()
        sizes = sorted(self.levels(name) for name in names)
        if sum(sizes[:-1]) <= MOST_SOLVED or self.n <= sum(sizes):
            fit = self.fit(values, names)
            return values.size - fit.rank, float(fit.residuals @ fit.residuals)
        norm = residual_norm([self.factors[name] for name in names], values)
        return self.n - sum(sizes), norm**2

    def contrasts(self, name: str) -> Floats:
        """Covariances of a factor's effects beside all the others, for an error variance of 1.

        Only differences have a meaning; the covariance of two levels whose difference cannot be
        estimated is NaN.
        """
        widest = max(self.factors, key=self.levels)
        small = _Reduced(self, widest, [factor for factor in self.factors if factor != widest])
        null = small.nulls()[name]
        apart = np.abs(null[:, None, :] - null[None, :, :]).max(axis=2, initial=0.0)
        return np.where(apart > SAME, np.nan, small.covariance(name))


class _Reduced:
    """The normal equations after the widest factor is eliminated."""

    def __init__(self, design: Design, widest: str, rest: list[str]) -> None:
        self.design, self.widest, self.rest = design, widest, rest
        self.null = np.zeros((0, 0))
        self.inverse = np.zeros((0, 0))
        self.rank = 0
        if rest:
            self._reduce()

    def _reduce(self) -> None:
        design = self.design
        counts = design.counts[self.widest]
        self.meets = beside((design.table(self.widest, name) for name in self.rest), counts.size)
        whole = design.meetings(self.rest)
        small = whole - dense(self.meets.T @ weighted_rows(1 / counts, self.meets))
        values, vectors = np.linalg.eigh((small + small.T) / 2)
        real = values > SINGULAR * max(float(whole.diagonal().max()), 1.0)
        kept = vectors[:, real]
        self.inverse = (kept / values[real]) @ kept.T
        self.null = vectors[:, ~real]
        self.rank = int(real.sum())

    def solve(self, values: Floats) -> dict[str, Floats]:
        design, counts = self.design, self.design.counts[self.widest]
        wide = design.sums(self.widest, values)
        if not self.rest:
            return {self.widest: wide / counts}
        totals = np.concatenate([design.sums(name, values) for name in self.rest])
        small = self.inverse @ (totals - self.meets.T @ (wide / counts))
        return {**self._split(small), self.widest: (wide - self.meets @ small) / counts}

    def _split(self, stacked: Floats) -> dict[str, Floats]:
        ends = np.cumsum([self.design.levels(name) for name in self.rest])
        return dict(zip(self.rest, np.split(stacked, ends[:-1]), strict=True))

    def nulls(self) -> dict[str, Floats]:
        """Each factor's part of the directions in which the solution may move freely."""
        if not self.rest:
            return {self.widest: np.zeros((self.design.levels(self.widest), 0))}
        counts = self.design.counts[self.widest][:, None]
        return {**self._split(self.null), self.widest: -(self.meets @ self.null) / counts}

    def free(self) -> dict[str, bool]:
        """Whether each factor's differences are the same in every solution."""
        return {
            name: bool(np.all(np.ptp(rows, axis=0) <= SAME)) for name, rows in self.nulls().items()
        }

    def covariance(self, name: str) -> Floats:
        """One factor's part of an inverse of all equations."""
        if name in self.rest:
            place = self.rest.index(name)
            start = sum(self.design.levels(other) for other in self.rest[:place])
            part = slice(start, start + self.design.levels(name))
            return np.asarray(self.inverse[part, part])
        counts = self.design.counts[name]
        own = np.diag(1 / counts)
        if not self.rest:
            return own
        across = dense(self.meets) / counts[:, None]
        return np.asarray(own + across @ self.inverse @ across.T)
