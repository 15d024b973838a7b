"""All pairs of means, with one estimate of error for all of them or one for each system."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats import special
from covary.stats.distributions import range_quantiles, range_tail, two_sided
from covary.stats.posthoc.comparisons import (
    PROCEDURES,
    Comparisons,
    Tests,
    adjust_p_values,
    check_alpha,
    check_procedure,
    compare_all,
    distances,
)
from covary.words import Note

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

    >>> pairs = compare_means([5.032, 4.661, 5.526], 10, 0.3885959, 27)
    >>> [round(pair.p_adjusted, 4) for pair in pairs.pairs]
    [0.3909, 0.198, 0.012]
    >>> pairs.letters
    ('ab', 'b', 'a')
    """
    check_procedure(procedure, tuple(_RULES))
    check_alpha(alpha)
    places, errors = _standard_errors(means, n, mse, covariance)
    dfs = _degrees(df, places.size)
    usable = (errors > 0) & (dfs > 0)
    notes = _notes(errors, dfs)
    errors, dfs = np.where(usable, errors, np.nan), np.where(usable, dfs, np.nan)
    t = distances(places) / errors
    tests = _RULES[procedure](_Differences(t=t, df=dfs, k=places.size, alpha=alpha))
    if tests.reach is not None:
        tests = replace(tests, reach=tests.reach * errors)
    return compare_all(
        places,
        tests,
        alpha=alpha,
        procedure=_describe_procedure(procedure, errors),
        error=_describe_error(error, mse, dfs),
        notes=notes,
    )


@dataclass(frozen=True, kw_only=True)
class _Differences:
    """The t of each pair and its degrees of freedom, among k systems."""

    t: Floats
    df: Floats
    k: int
    alpha: float

    @cached_property
    def p(self) -> Floats:
        """The p of each pair by itself."""
        return two_sided(self.t, self.df)


def _standard_errors(
    means: npt.ArrayLike, n: npt.ArrayLike, mse: float, covariance: npt.ArrayLike | None
) -> tuple[Floats, Floats]:
    """The means, and the standard error of each pair's difference."""
    places = np.asarray(means, dtype=float)
    if places.ndim != 1 or not places.size:
        raise InvalidArgument("stats.means")
    first, second = np.triu_indices(places.size, 1)
    if covariance is None:
        counts = np.broadcast_to(np.asarray(n, dtype=float), places.shape)
        if not (counts > 0).all():
            raise InvalidArgument("stats.n")
        return places, np.sqrt(mse * (1 / counts[first] + 1 / counts[second]))
    known = np.asarray(covariance, dtype=float)
    _check_square("covariance", known, places.size)
    own = np.diag(known)
    squared = own[first] + own[second] - 2 * known[first, second]
    return places, np.sqrt(np.maximum(squared, 0.0))


def _degrees(df: npt.ArrayLike, k: int) -> Floats:
    table = np.asarray(df, dtype=float)
    if table.ndim:
        _check_square("df", table, k)
        return np.asarray(table[np.triu_indices(k, 1)])
    return np.full(k * (k - 1) // 2, float(table))


def _check_square(name: str, table: Floats, k: int) -> None:
    if table.shape != (k, k):
        raise InvalidArgument("stats.not-square", argument=name, shape=table.shape, k=k)


# The rules give the reach of their intervals in standard errors.


def _tukey(pairs: _Differences) -> Tests:
    q, critical = pairs.t * math.sqrt(2), range_quantiles(1 - pairs.alpha, pairs.k, pairs.df)
    p, reach = range_tail(q, pairs.k, pairs.df), critical / math.sqrt(2)
    return Tests(p=pairs.p, p_adjusted=p, statistic=q, critical=critical, reach=reach)


def _scheffe(pairs: _Differences) -> Tests:
    f, df1 = pairs.t**2 / max(pairs.k - 1, 1), pairs.k - 1
    known = np.isinf(pairs.df)
    limit = special.chdtri(df1, pairs.alpha) / max(df1, 1)
    critical = np.where(known, limit, special.fdtri(df1, pairs.df, 1 - pairs.alpha))
    p = np.where(known, special.chdtrc(df1, f * df1), special.fdtrc(df1, pairs.df, f))
    reach = np.sqrt(df1 * critical)
    return Tests(p=pairs.p, p_adjusted=p, statistic=f, critical=critical, reach=reach)


def _lsd(pairs: _Differences) -> Tests:
    critical = _t_critical(pairs.alpha, pairs.df)
    return Tests(p=pairs.p, p_adjusted=pairs.p, statistic=pairs.t, critical=critical)


def _bonferroni(pairs: _Differences) -> Tests:
    n_tests = max(1, int(np.sum(~np.isnan(pairs.t))))
    critical = _t_critical(pairs.alpha / n_tests, pairs.df)
    return replace(_stepwise("bonferroni")(pairs), critical=critical, reach=critical)


def _stepwise(adjust: str) -> Callable[[_Differences], Tests]:
    def rule(pairs: _Differences) -> Tests:
        p = adjust_p_values(pairs.p, adjust)
        return Tests(p=pairs.p, p_adjusted=p, statistic=pairs.t)

    return rule


def _t_critical(alpha: float, df: Floats) -> Floats:
    place = 1 - alpha / 2
    return np.asarray(np.where(np.isinf(df), special.ndtri(place), special.stdtrit(df, place)))


_RULES: Mapping[str, Callable[[_Differences], Tests]] = MappingProxyType(
    {
        "tukey": _tukey,
        "scheffe": _scheffe,
        "lsd": _lsd,
        "bonferroni": _bonferroni,
        "holm": _stepwise("holm"),
        "bh": _stepwise("bh"),
    }
)


def _describe_procedure(procedure: str, errors: Floats) -> str:
    known = errors[~np.isnan(errors)]
    uneven = known.size and np.ptp(known) > 1e-9 * known.max()
    if procedure == "tukey" and uneven:
        return f"{PROCEDURES[procedure]} (Tukey & Kramer, unequal standard errors)"
    return PROCEDURES[procedure]


def _describe_error(error: str, mse: float, dfs: Floats) -> str:
    known = dfs[~np.isnan(dfs)]
    if not known.size:
        return error
    span = f"{known.min():.4g}"
    same = math.isclose(known.min(), known.max(), rel_tol=1e-6)
    span += "" if same else f" to {known.max():.4g}"
    span = span.replace("inf", "infinitely many")
    square = "" if math.isnan(mse) else f"mean square {mse:.4g} with "
    term = f"{square}{span} degrees of freedom"
    return f"{error}: {term}" if error else term


def _notes(errors: Floats, dfs: Floats) -> tuple[str, ...]:
    if errors.size and not (dfs > 0).any():
        return (Note("stats.no-error-df"),)
    if (errors == 0).any():
        return (Note("stats.error-zero"),)
    unlinked = int(np.isnan(errors).sum())
    return (Note("stats.pairs-unlinked", unlinked=unlinked, pairs=errors.size),) if unlinked else ()


def games_howell(groups: Sequence[npt.ArrayLike], *, alpha: float = 0.05) -> Comparisons:
    """Which systems differ in their means, when each has its own variance?

    Parameters
    ----------
    groups
        The ratings of each system, at least two of each.
    alpha
        The error rate of the whole set of pairs.

    Returns
    -------
    Comparisons
        Each pair with its own standard error and Welch's degrees of freedom. A pair whose ratings
        do not vary at all has no test.

    Notes
    -----
    As in one-way analysis of variance, everything but the system counts as error. Checked against
    pingouin 0.6.1 (pairwise_gameshowell).

    References
    ----------
    Games & Howell (1976), Journal of Educational Statistics 1: 113-125.
    """
    check_alpha(alpha)
    arrays = [np.asarray(group, dtype=float) for group in groups]
    if not arrays or any(a.ndim != 1 or a.size < 2 or np.isnan(a).any() for a in arrays):
        raise InvalidArgument("stats.games-howell")
    places = np.array([a.mean() for a in arrays])
    shares = np.array([_variance(a) / a.size for a in arrays])
    freedoms = np.array([a.size - 1.0 for a in arrays])
    first, second = np.triu_indices(places.size, 1)
    squared = shares[first] + shares[second]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = shares**2 / freedoms
        df = squared**2 / (spread[first] + spread[second])
    errors = np.where(squared > 0, np.sqrt(squared), np.nan)
    t, k = distances(places) / errors, places.size
    q = t * math.sqrt(2)
    tests = Tests(
        p=two_sided(t, df),
        p_adjusted=range_tail(q, k, df),
        statistic=q,
        reach=range_quantiles(1 - alpha, k, df) / math.sqrt(2) * errors,
    )
    constant = int(np.sum(squared == 0))
    return compare_all(
        places,
        tests,
        alpha=alpha,
        procedure=PROCEDURES["games-howell"],
        error="each system's own variance, Welch's degrees of freedom",
        notes=(Note("stats.constant-pairs", n=constant),) if constant else (),
    )


def _variance(values: Floats) -> float:
    """The variance, exactly 0 where all values are equal."""
    return float(values.var(ddof=1)) if np.ptp(values) else 0.0
