"""Tables of how often levels meet, and positive definite equations, whatever their size.

Small ones are NumPy's arrays. Large ones, which are nearly empty, are SciPy's sparse tables, and
large equations are solved by LAPACK through SciPy. The two are used alike, and give the same
numbers; SciPy is loaded only where something is large.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

MOST_CELLS = 50_000
"""A table of more cells is kept as a sparse one."""

FILLED = 0.1
"""A table of which more than this share is filled is kept as an array."""

MOST_EQUATIONS = 128
"""So many equations NumPy solves as quickly."""

STRIP = 64
"""So many columns of a large table are turned at a time."""


def _sparse() -> Any:
    return import_module("scipy.sparse")


def _lapack() -> Any:
    return import_module("scipy.linalg.lapack")


def meeting_table(rows: Codes, columns: Codes, shape: tuple[int, int]) -> Any:
    """How often each row meets each column."""
    if shape[0] * shape[1] <= MOST_CELLS:
        flat = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(float)
    sparse = _sparse()
    return sparse.coo_array((np.ones(rows.size), (rows, columns)), shape=shape).tocsr()


def table_of(rows: Codes, columns: Codes, values: Floats, shape: tuple[int, int]) -> Any:
    """A table with a number in some cells, at most one in each, and 0 in all others."""
    cells = shape[0] * shape[1]
    if cells <= MOST_CELLS or rows.size > cells * FILLED:
        table = np.zeros(shape)
        table[rows, columns] = values
        return table
    return _sparse().csr_array((values, (rows, columns)), shape=shape)


def summed_table(rows: Codes, columns: Codes, values: Floats, shape: tuple[int, int]) -> Any:
    """The same where several numbers may belong to a cell, which holds their sum."""
    cells = shape[0] * shape[1]
    if cells <= MOST_CELLS or rows.size > cells * FILLED:
        flat = np.bincount(rows * shape[1] + columns, values, minlength=cells)
        return flat.astype(float).reshape(shape)
    return _sparse().coo_array((values, (rows, columns)), shape=shape).tocsr()


def filled(table: Any) -> int:
    """How many cells are not 0."""
    return int(np.count_nonzero(table) if isinstance(table, np.ndarray) else table.nnz)


def filled_by_column(table: Any) -> npt.NDArray[np.int64]:
    """How many cells of each column are not 0."""
    if isinstance(table, np.ndarray):
        return np.asarray(np.count_nonzero(table, axis=0))
    return np.asarray(table.astype(bool).sum(axis=0))


def dense(table: Any) -> Floats:
    """A table as an array."""
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray(), dtype=float)


def turned(table: Any) -> Any:
    """A table with its rows as columns."""
    return table.T if isinstance(table, np.ndarray) else table.T.tocsr()


def beside(tables: Iterable[Any], rows: int) -> Any:
    """Tables of the same rows beside each other; none make a table without columns."""
    parts = [np.zeros((rows, 0)), *tables]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.hstack(parts)
    sparse = _sparse()
    return sparse.hstack([sparse.csr_array(part) for part in parts]).tocsr()


def weighted_rows(weights: Floats, table: Any) -> Any:
    """Each row of a table by its weight."""
    if isinstance(table, np.ndarray):
        return weights[:, None] * table
    return _sparse().diags_array(weights) @ table


def weighted_columns(table: Any, weights: Floats) -> Any:
    """Each column of a table by its weight."""
    return (
        table * weights if isinstance(table, np.ndarray) else table @ _sparse().diags_array(weights)
    )


def column_squares(weights: Floats, table: Any) -> Floats:
    """The weighted sum of squares of each column of a table."""
    if isinstance(table, np.ndarray):
        return np.asarray(weights @ table**2)
    return np.asarray(table.multiply(table).T @ weights)


def residual_norm(factors: Iterable[Codes], values: Floats) -> float:
    """The length of what the sum of many wide factors leaves of the values, step by step."""
    sparse, ones = _sparse(), np.ones(values.size)
    columns = [sparse.csr_array((ones, (np.arange(values.size), codes))) for codes in factors]
    linalg = import_module("scipy.sparse.linalg")
    found = linalg.lsqr(sparse.hstack(columns).tocsr(), values, atol=1e-7, btol=1e-7)
    return float(found[3])


def as_sparse(table: Floats) -> Any:
    """A table that is nearly empty, to be multiplied in no time."""
    return _sparse().csr_array(table)


def cholesky(table: Floats) -> Floats | None:
    """The lower root of a positive definite table, or None where it is not."""
    if len(table) > MOST_EQUATIONS:
        root, failed = _lapack().dpotrf(table.T, lower=1)  # symmetric, and in LAPACK's order
        return None if failed else np.asarray(root)
    try:
        return np.asarray(np.linalg.cholesky(table), dtype=float)
    except np.linalg.LinAlgError:
        return None


def solve_by_root(root: Floats, right: Floats) -> Floats:
    """Solve equations whose Cholesky root is known."""
    if len(root) > MOST_EQUATIONS:
        return np.asarray(_lapack().dpotrs(root, right, lower=1)[0])
    return np.asarray(np.linalg.solve(root.T, np.linalg.solve(root, right)))


def inverse_by_root(root: Floats) -> Floats:
    """The inverse of a table whose Cholesky root is known."""
    if len(root) > MOST_EQUATIONS:
        return _mirrored(np.asarray(_lapack().dpotri(root, lower=1)[0]))
    own = np.linalg.inv(root)
    return np.asarray(own.T @ own)


def _mirrored(lower: Floats) -> Floats:
    """Write what is below the diagonal above it too, a strip at a time, which fits the cache."""
    for start in range(0, len(lower), STRIP):
        stop = start + STRIP
        lower[start:stop, stop:] = lower[stop:, start:stop].T
        corner = lower[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T
    return lower
