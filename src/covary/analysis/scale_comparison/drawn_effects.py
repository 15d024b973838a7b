"""F ratios and significant differences when judges are drawn anew, all draws at once.

Each judge contributes sums to the normal equations, so a draw is a weighted sum of them. A judge's
own effect is taken out of his or her sums beforehand; copies of a judge then count as judges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.fits import Fitted
from covary.stats.distributions import f_quantile, t_quantile
from covary.stats.mean_squares import ROUNDING
from covary.stats.studentised_range import range_quantile

__all__ = ["MOST_EFFECTS", "Drawn", "additive_drawn", "critical_t", "one_way_drawn"]

Floats = npt.NDArray[np.float64]

MOST_EFFECTS = 200
"""Systems and sources together up to which draws are affordable."""

SINGULAR = 1e10
"""A matrix whose largest entry times that of its inverse exceeds this has no inverse."""

BLOCK = 64
"""Draws that are solved at once."""


@dataclass(frozen=True)
class Drawn:
    """The system F and the number of significant pairs in each draw."""

    f: Floats
    counts: Floats


def critical_t(procedure: str, k: int, df: float, alpha: float) -> float:
    """How many standard errors apart two of k means must be; NaN for procedures in steps."""
    if not df > 0:
        return math.nan
    if procedure == "tukey":
        return range_quantile(1 - alpha, k, df) / math.sqrt(2)
    if procedure == "scheffe":
        return math.sqrt((k - 1) * f_quantile(1 - alpha, k - 1, df))
    tests = {"lsd": 1, "bonferroni": k * (k - 1) // 2}.get(procedure)
    return math.nan if tests is None else t_quantile(1 - alpha / (2 * tests), df)


def one_way_drawn(fit: Fitted, weights: Floats, critical: float) -> Drawn:
    """Systems alone, as published."""
    system, judge, values = _coded(fit)
    k, m = fit.means.size, weights.shape[1]
    counts = _crossed(judge, system, np.ones_like(values), (m, k))
    sums = _crossed(judge, system, values, (m, k))
    n, s = weights @ counts, weights @ sums
    squares = weights @ np.bincount(judge, values**2, minlength=m)
    total, between = n.sum(axis=1), _safe(s**2, n).sum(axis=1)
    grand = s.sum(axis=1) ** 2 / total
    mse = _safe(squares - between, total - k)
    f = _safe((between - grand) / (k - 1), mse)
    means, errors = _safe(s, n), _safe(np.ones_like(n), n)
    variance = errors[:, :, None] + errors[:, None, :]
    return Drawn(f, _significant(means, variance, mse, critical))


def additive_drawn(fit: Fitted, weights: Floats, critical: float) -> Drawn | None:
    """Systems beside judges and sources, as designed; None where there are too many effects."""
    system, judge, values = _coded(fit)
    k, m = fit.means.size, weights.shape[1]
    sources = fit.part.layout.factors.get("source")
    size = k + (0 if sources is None else len(fit.part.layout.names["source"]))
    if size > MOST_EFFECTS:
        return None
    columns = [system] if sources is None else [system, k + sources]
    normal, right, square = _within_judges(judge, columns, values, m, size)
    kept = np.array([place for place in range(size) if place not in (0, k)], dtype=np.intp)
    f, found = np.empty(len(weights)), np.empty(len(weights))
    load = np.bincount(judge, minlength=m)
    for start in range(0, len(weights), BLOCK):
        rows = slice(start, start + BLOCK)
        w = weights[rows]
        a = np.tensordot(w, normal, 1)[:, kept][:, :, kept]
        c, y = (w @ right)[:, kept], w @ square
        df = w @ load - (size - len(columns)) - w.sum(axis=1)
        f[rows], found[rows] = _solved(a, c, y, df, k, critical)
    return Drawn(f, found)


def _solved(
    a: Floats, c: Floats, y: Floats, df: Floats, k: int, critical: float
) -> tuple[Floats, Floats]:
    inverse = _inverted(a)
    effects = np.einsum("bij,bj->bi", inverse, c)
    rest = y - np.einsum("bi,bi->b", effects, c)
    without = y
    if a.shape[1] > k - 1:
        own, b = a[:, k - 1 :, k - 1 :], c[:, k - 1 :]
        without = y - np.einsum("bi,bij,bj->b", b, _inverted(own), b)
    mse = _safe(np.where(rest > ROUNDING * y, rest, 0), df)
    f = _safe((without - rest) / (k - 1), mse)
    means = np.pad(effects[:, : k - 1], ((0, 0), (1, 0)))
    spread = np.pad(inverse[:, : k - 1, : k - 1], ((0, 0), (1, 0), (1, 0)))
    own = np.einsum("bii->bi", spread)
    variance = own[:, :, None] + own[:, None, :] - 2 * spread
    return f, _significant(means, variance, mse, critical)


def _inverted(matrices: Floats) -> Floats:
    """Invert; where judges drawn leave something out, by the generalised inverse."""
    try:
        found = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(matrices, hermitian=True))
    size = np.abs(found).max(axis=(1, 2)) * np.abs(matrices).max(axis=(1, 2))
    if (size > SINGULAR).any():
        return np.asarray(np.linalg.pinv(matrices, hermitian=True))
    return np.asarray(found, dtype=float)


def _within_judges(
    judge: npt.NDArray[np.intp],
    columns: list[npt.NDArray[np.intp]],
    values: Floats,
    m: int,
    size: int,
) -> tuple[Floats, Floats, Floats]:
    """Each judge's part of the normal equations, after the judge's own mean is taken away."""
    normal, right, met = np.zeros((m, size, size)), np.zeros((m, size)), np.zeros((m, size))
    for one in columns:
        np.add.at(right, (judge, one), values)
        np.add.at(met, (judge, one), 1)
        for other in columns:
            np.add.at(normal, (judge, one, other), 1)
    n, s = np.bincount(judge, minlength=m), np.bincount(judge, values, minlength=m)
    square = np.bincount(judge, values**2, minlength=m) - s**2 / n
    normal -= met[:, :, None] * met[:, None, :] / n[:, None, None]
    return normal, right - met * (s / n)[:, None], square


def _significant(means: Floats, variance: Floats, mse: Floats, critical: float) -> Floats:
    if math.isnan(critical):
        return np.full(len(means), np.nan)
    first, second = np.triu_indices(means.shape[1], 1)
    apart = np.abs(means[:, first] - means[:, second])
    known = np.where(mse > 0, mse, np.nan)
    errors = np.sqrt(np.maximum(variance[:, first, second], 0) * known[:, None])
    found = (apart > critical * errors).sum(axis=1)
    return np.asarray(np.where(np.isnan(known), np.nan, found), dtype=float)


def _coded(fit: Fitted) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
    laid = fit.part.layout
    return laid.factors["system"], laid.factors["judge"], laid.values


def _crossed(
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    values: Floats,
    shape: tuple[int, int],
) -> Floats:
    flat = np.bincount(rows * shape[1] + columns, values, minlength=shape[0] * shape[1])
    return np.asarray(flat.reshape(shape), dtype=float)


def _safe(top: Floats, bottom: Floats) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    known = bottom > 0
    return np.asarray(np.where(known, top / np.where(known, bottom, 1), np.nan))
