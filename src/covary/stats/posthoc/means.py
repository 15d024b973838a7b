"""All pairs of means that share one estimate of error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.posthoc.adjust import adjusted
from covary.stats.posthoc.comparisons import (
    PROCEDURES,
    Comparisons,
    check_alpha,
    check_procedure,
    paired,
)
from covary.stats.studentised_range import range_quantiles, range_tail

__all__ = ["compare_means"]

Floats = npt.NDArray[np.float64]


def compare_means(
    means: npt.ArrayLike,
    n: npt.ArrayLike,
    mse: float,
    df: npt.ArrayLike,
    *,
    procedure: str = "tukey",
    alpha: float = 0.05,
    covariance: npt.ArrayLike | None = None,
    error: str = "",
) -> Comparisons:
    """Which systems differ in their means?

    Parameters
    ----------
    means
        The mean of each system, plain or adjusted.
    n
        How many ratings each mean has: one number, or one for each.
    mse, df
        The mean square of the error and its degrees of freedom. Where these differ from pair to
        pair (a mixed model), `df` is a systems × systems table.
    procedure
        "tukey" (Tukey & Kramer where `n` differ), "scheffe", "lsd", "bonferroni", "holm" or "bh".
    alpha
        The error rate: of the whole set of pairs, of each pair for "lsd", of the findings for
        "bh".
    covariance
        The covariances of adjusted means; then `n` is not used, and `mse` only describes. NaN marks
        pairs that cannot be compared.
    error
        What the error term is, in words, such as "additive model".

    Returns
    -------
    Comparisons
        Intervals are simultaneous; "lsd", "holm" and "bh" have none.

    Notes
    -----
    The count of significant pairs depends on the procedure and on the error term, so both are
    named in the result. Tukey & Kramer's test divides the squared standard error of a difference
    by 2 for the studentised range, which is exact for equal `n` and conservative otherwise.
    Checked against R 4.2.2 (TukeyHSD), scipy 1.17 and statsmodels 0.15.0.

    References
    ----------
    Hochberg & Tamhane (1987), Multiple Comparison Procedures; Holm (1979); Benjamini & Hochberg
    (1995).

    Examples
    --------
    Three groups of ten plants (R's PlantGrowth); TukeyHSD in R prints p .3909, .1980 and .0120:

    >>> found = compare_means([5.032, 4.661, 5.526], 10, 0.3885959, 27)
    >>> [round(pair.p_adjusted, 4) for pair in found.pairs]
    [0.3909, 0.198, 0.012]
    >>> found.letters
    ('ab', 'b', 'a')
    """
    check_procedure(procedure, tuple(_RULES))
    check_alpha(alpha)
    places, errors = _standard_errors(means, n, mse, covariance)
    dfs = _degrees(df, places.size)
    usable = (errors > 0) & (dfs > 0)
    notes = _notes(errors, dfs)
    errors, dfs = np.where(usable, errors, np.nan), np.where(usable, dfs, np.nan)
    first, second = np.triu_indices(places.size, 1)
    t = np.abs(places[first] - places[second]) / errors
    rule = _RULES[procedure](_Tests(t, dfs, places.size, alpha))
    return Comparisons(
        _words(procedure, errors),
        _error(error, mse, dfs),
        paired(
            places, p=_two_sided(t, dfs), p_adjusted=rule.p, statistic=rule.statistic,
            alpha=alpha, half_width=None if rule.reach is None else rule.reach * errors,
        ),
        alpha, tuple(places.tolist()), _single(rule.critical), notes,
    )  # fmt: skip


@dataclass(frozen=True)
class _Tests:
    """The t of each pair and its degrees of freedom, among k systems."""

    t: Floats
    df: Floats
    k: int
    alpha: float


@dataclass(frozen=True)
class _Found:
    """A procedure's p-values, statistics and critical values.

    `reach` is half of its interval in standard errors, None where it has no simultaneous one.
    """

    p: Floats
    statistic: Floats
    critical: Floats
    reach: Floats | None = None


def _standard_errors(
    means: npt.ArrayLike, n: npt.ArrayLike, mse: float, covariance: npt.ArrayLike | None
) -> tuple[Floats, Floats]:
    """The means, and the standard error of each pair's difference."""
    places = np.asarray(means, dtype=float)
    if places.ndim != 1 or not places.size:
        raise InvalidArgument("means must be a list of one mean per system")
    first, second = np.triu_indices(places.size, 1)
    if covariance is None:
        counts = np.broadcast_to(np.asarray(n, dtype=float), places.shape)
        if not (counts > 0).all():
            raise InvalidArgument("n must be the number of ratings of each mean, at least 1")
        return places, np.sqrt(mse * (1 / counts[first] + 1 / counts[second]))
    known = np.asarray(covariance, dtype=float)
    _check_square("covariance", known, places.size)
    own = np.diag(known)
    squared = own[first] + own[second] - 2 * known[first, second]
    return places, np.sqrt(np.maximum(squared, 0.0))


def _degrees(df: npt.ArrayLike, k: int) -> Floats:
    given = np.asarray(df, dtype=float)
    if given.ndim:
        _check_square("df", given, k)
        return np.asarray(given[np.triu_indices(k, 1)])
    return np.full(k * (k - 1) // 2, float(given))


def _check_square(name: str, table: Floats, k: int) -> None:
    if table.shape != (k, k):
        raise InvalidArgument(
            f"{name} has shape {table.shape}; {k} means need one row and one column each"
        )


def _two_sided(t: Floats, df: Floats) -> Floats:
    from scipy import special

    tail = np.where(np.isinf(df), special.ndtr(-t), special.stdtr(df, -t))
    return np.asarray(2 * tail)


def _tukey(tests: _Tests) -> _Found:
    q = tests.t * math.sqrt(2)
    critical = range_quantiles(1 - tests.alpha, tests.k, tests.df)
    return _Found(range_tail(q, tests.k, tests.df), q, critical, critical / math.sqrt(2))


def _scheffe(tests: _Tests) -> _Found:
    from scipy import special

    f, df1 = tests.t**2 / max(tests.k - 1, 1), tests.k - 1
    known = np.isinf(tests.df)
    limit = special.chdtri(df1, tests.alpha) / max(df1, 1)
    critical = np.where(known, limit, special.fdtri(df1, tests.df, 1 - tests.alpha))
    p = np.where(known, special.chdtrc(df1, f * df1), special.fdtrc(df1, tests.df, f))
    return _Found(p, f, critical, np.sqrt(df1 * critical))


def _lsd(tests: _Tests) -> _Found:
    return _Found(_two_sided(tests.t, tests.df), tests.t, _t_critical(tests.alpha, tests.df))


def _bonferroni(tests: _Tests) -> _Found:
    n_tests = max(1, int(np.sum(~np.isnan(tests.t))))
    critical = _t_critical(tests.alpha / n_tests, tests.df)
    return _Found(
        adjusted(_two_sided(tests.t, tests.df), "bonferroni"), tests.t, critical, critical
    )


def _stepwise(adjust: str) -> Callable[[_Tests], _Found]:
    def rule(tests: _Tests) -> _Found:
        p = adjusted(_two_sided(tests.t, tests.df), adjust)
        return _Found(p, tests.t, np.full(tests.t.size, np.nan))

    return rule


def _t_critical(alpha: float, df: Floats) -> Floats:
    from scipy import special

    place = 1 - alpha / 2
    return np.asarray(np.where(np.isinf(df), special.ndtri(place), special.stdtrit(df, place)))


_RULES: Mapping[str, Callable[[_Tests], _Found]] = MappingProxyType(
    {
        "tukey": _tukey,
        "scheffe": _scheffe,
        "lsd": _lsd,
        "bonferroni": _bonferroni,
        "holm": _stepwise("holm"),
        "bh": _stepwise("bh"),
    }
)


def _single(critical: Floats) -> float:
    """The critical value, where all pairs have the same one."""
    known = critical[~np.isnan(critical)]
    return float(known[0]) if known.size and np.ptp(known) <= 1e-9 * known[0] else math.nan


def _words(procedure: str, errors: Floats) -> str:
    known = errors[~np.isnan(errors)]
    uneven = known.size and np.ptp(known) > 1e-9 * known.max()
    if procedure == "tukey" and uneven:
        return f"{PROCEDURES[procedure]} (Tukey & Kramer, unequal standard errors)"
    return PROCEDURES[procedure]


def _error(error: str, mse: float, dfs: Floats) -> str:
    known = dfs[~np.isnan(dfs)]
    if not known.size:
        return error
    span = f"{known.min():.4g}"
    span += f" to {known.max():.4g}" if np.ptp(known) > 1e-6 * known.max() else ""
    term = f"mean square {mse:.4g} with {span} degrees of freedom"
    return f"{error}: {term}" if error else term


def _notes(errors: Floats, dfs: Floats) -> tuple[str, ...]:
    notes = []
    if errors.size and not (dfs > 0).any():
        notes.append("no degrees of freedom are left for the error, so no pair can be tested")
    elif (errors == 0).any():
        notes.append("the error is 0, so differences cannot be compared with it")
    elif np.isnan(errors).any():
        notes.append(
            f"{int(np.isnan(errors).sum())} of {errors.size} pairs cannot be compared, because "
            "nothing that both were rated by or on links them; they count as not significant"
        )
    return tuple(notes)
