"""Every coefficient on whatever holds ratings: a frame, a path, an array, two lists; and tables."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from covary.errors import InvalidArgument
from covary.formats import read
from covary.ratings import Ratings
from covary.ratings.frames import make_frame, rows_of
from covary.stats.coefficients.correlation import pearson, spearman
from covary.stats.coefficients.cronbach import cronbach_alpha
from covary.stats.coefficients.fleiss import fleiss_kappa, scott_pi
from covary.stats.coefficients.gamma import (
    exchangeable_gamma,
    goodman_kruskal_gamma,
    kendall_tau_b,
    kendall_tau_c,
)
from covary.stats.coefficients.gwet import brennan_prediger, gwet_ac1, gwet_ac2
from covary.stats.coefficients.icc import fisher_icc, icc
from covary.stats.coefficients.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.coefficients.kendall_w import kendall_w
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.coefficients.percent import percent_agreement
from covary.stats.estimate import Estimate, Result


class DataFrame(Protocol):
    """A data frame: of pandas, Polars, PyArrow or DuckDB."""

    @property
    def columns(self) -> object:
        """The names of its columns, or the columns themselves."""


Column = Sequence[int] | Sequence[float] | Sequence[str] | np.ndarray[Any, Any]
"""The ratings of one judge, item by item."""

Source = str | os.PathLike[str] | DataFrame | Sequence[str | os.PathLike[str]]
"""What ratings are read from."""

Matrix = np.ndarray[Any, Any] | Sequence[Sequence[int | float | str | None]]
"""A row for each item, a column for each judge."""

Data = Ratings | Source | Matrix | Column | Mapping[str, Sequence[int | float | str | None]]
"""Whatever holds ratings."""

TABLE_COLUMNS = ("value", "low", "high", "n_items", "n_judges", "n_ratings")


def as_ratings(data: Any, **keywords: Any) -> Ratings:
    """Take ratings as they are; read a path or a frame; take an array with a column per judge.

    Examples
    --------
    >>> as_ratings([[1, 2], [3, 3]], level="ordinal")
    Ratings(4 ratings of 2 items by 2 judges)
    """
    if isinstance(data, Ratings):
        return data
    if isinstance(data, str | os.PathLike):
        return read(data, **keywords)
    if isinstance(data, Mapping):
        return Ratings(data, **keywords)
    if isinstance(data, np.ndarray) or _is_list_of(data, Sequence | np.ndarray):
        return Ratings.from_wide(data, **keywords)
    return read(data, **keywords)


def takes_any_data(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of ratings take whatever holds them; two lists are two judges.

    Only the first argument holds ratings, or components that were made of some. Keywords that the
    function does not know are those of `read`: the scale, the columns.
    """
    own = inspect.signature(function).parameters
    first = next(iter(own))

    @functools.wraps(function)
    def wrapped(*given: Any, **keywords: Any) -> Any:
        data = (keywords.pop(first), *given) if not given and first in keywords else given
        if not data or isinstance(data[0], Ratings | Result):
            return function(*data, **keywords)
        reading = {key: value for key, value in keywords.items() if key not in own}
        asked = {key: value for key, value in keywords.items() if key in own}
        if len(data) == 2 and all(map(_is_column, data)):
            return function(_two_judges(*data, **reading), **asked)
        return function(as_ratings(data[0], **reading), *data[1:], **asked)

    return wrapped


def table(
    ratings: Any,
    coefficients: Sequence[str],
    *,
    by: str | None = None,
    engine: str | None = None,
    **keywords: Any,
) -> Any:
    """Compute several coefficients for every criterion, and for every group, as a data frame.

    Parameters
    ----------
    ratings
        Ratings, or whatever holds them: a path, a frame, an array.
    coefficients
        Their names, such as `["krippendorff_alpha", "cohen_kappa"]`. For more than two judges
        Cohen's kappa is its mean over pairs, and is called by its name, `light_kappa`.
    by
        A column whose values are looked at one by one, such as `"group"` or `"system"`.
    engine
        `"pandas"`, `"polars"` or `"pyarrow"`; the first of them that is installed by default.
    keywords
        Those of `read`, where the ratings are read, and of the coefficients (`confidence`, `rng`).

    Examples
    --------
    >>> frame = table([[1, 2], [3, 3], [2, 2]], ["percent_agreement"], level="nominal")
    >>> list(frame["value"])
    [0.6666666666666666]
    """
    known = ("confidence", "interval", "resamples", "rng")
    asked = {key: keywords.pop(key) for key in known if key in keywords}
    whole = as_ratings(ratings, **keywords)
    rows = []
    for wanted in coefficients:
        _coefficient(wanted)
        for group, part in _parts(whole, by):
            for criterion in part.criteria:
                about = {"criterion": criterion} if criterion is not None else {}
                about |= {} if by is None else {by: group}
                name = for_judges(wanted, part)
                estimate = _coefficient(name)(part, criterion=criterion, **asked)
                rows.append(about | {"coefficient": name} | _row(estimate))
    return make_frame(rows, engine)


def for_judges(name: str, ratings: Ratings) -> str:
    """Name the coefficient of several judges for one that is made for two."""
    return "light_kappa" if name == "cohen_kappa" and len(ratings.judges) > 2 else name


def to_frame(result: Any, engine: str | None = None) -> Any:
    """Return the rows of a result, or of several, as a data frame.

    Examples
    --------
    >>> ratings = Ratings.from_wide([[1, 2], [3, 3]], level="ordinal")
    >>> to_frame(ratings, "polars").columns
    ['item', 'judge', 'rating']
    """
    return make_frame(rows_of(result), engine)


def _parts(ratings: Ratings, by: str | None) -> list[tuple[Any, Ratings]]:
    if by is None:
        return [(None, ratings)]
    return [(value, ratings.select(**{by: value})) for value in ratings.values(by)]


COEFFICIENTS: Mapping[str, Callable[..., Estimate]] = {
    function.__name__: function
    for function in (
        brennan_prediger,
        cohen_kappa,
        conger_kappa,
        cronbach_alpha,
        exchangeable_gamma,
        fisher_icc,
        fleiss_kappa,
        goodman_kruskal_gamma,
        gwet_ac1,
        gwet_ac2,
        icc,
        kendall_tau_b,
        kendall_tau_c,
        kendall_w,
        krippendorff_alpha,
        light_kappa,
        pearson,
        percent_agreement,
        scott_pi,
        spearman,
    )
}
"""What a table may hold, by name."""


def _coefficient(name: str) -> Callable[..., Estimate]:
    if name not in COEFFICIENTS:
        raise InvalidArgument(
            "stats.unknown", argument="coefficients", value=name, allowed=tuple(COEFFICIENTS)
        )
    return COEFFICIENTS[name]


def _row(estimate: Any) -> dict[str, Any]:
    if not isinstance(estimate, Estimate):
        return {"value": float(estimate)}
    interval = estimate.interval
    ends = (interval.low, interval.high) if interval is not None else (None, None)
    counts = (estimate.n_items, estimate.n_judges, estimate.n_ratings)
    return dict(zip(TABLE_COLUMNS, (estimate.value, *ends, *counts), strict=True))


def _two_judges(first: Any, second: Any, **keywords: Any) -> Ratings:
    names = [
        str(getattr(column, "name", None) or number)
        for number, column in enumerate((first, second), 1)
    ]
    pair = [_as_list(first), _as_list(second)]
    if len(pair[0]) != len(pair[1]):
        raise InvalidArgument(
            "ratings.column-lengths", lengths=dict(zip(names, map(len, pair), strict=True))
        )
    judges = names if len(set(names)) == 2 else ["1", "2"]
    return Ratings.from_wide(list(zip(*pair, strict=True)), judges=judges, **keywords)


def _is_column(data: Any) -> bool:
    if isinstance(data, str | os.PathLike | Mapping | Ratings):
        return False
    if getattr(data, "ndim", None) == 1:
        return True
    if hasattr(data, "to_list") and not hasattr(data, "columns"):
        return True
    return isinstance(data, list | tuple) and not _is_list_of(data, Sequence | np.ndarray)


def _is_list_of(data: Any, kind: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and bool(data)
        and all(isinstance(row, kind) and not isinstance(row, str) for row in data)
    )


def _as_list(column: Any) -> list[Any]:
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [None if value is None or value != value else value for value in values]
