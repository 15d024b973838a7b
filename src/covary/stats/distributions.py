"""The few probability functions that intervals need.

`scipy.special` is imported where it is used: it takes longer to load than all the rest.
"""

from __future__ import annotations

__all__ = ["chi2_tail", "f_quantile", "f_tail", "normal_cdf", "normal_quantile", "t_quantile"]


def normal_quantile(p: float) -> float:
    """The number below which a standard normal lies with probability p."""
    from scipy import special

    return float(special.ndtri(p))


def normal_cdf(z: float) -> float:
    """The probability that a standard normal lies below z."""
    from scipy import special

    return float(special.ndtr(z))


def t_quantile(p: float, df: float) -> float:
    """The number below which Student's t lies with probability p."""
    from scipy import special

    return float(special.stdtrit(df, p))


def f_quantile(p: float, df1: float, df2: float) -> float:
    """The number below which F lies with probability p."""
    from scipy import special

    return float(special.fdtri(df1, df2, p))


def f_tail(f: float, df1: float, df2: float) -> float:
    """The probability that F exceeds f."""
    from scipy import special

    return float(special.fdtrc(df1, df2, f))


def chi2_tail(x: float, df: float) -> float:
    """The probability that chi-square exceeds x."""
    from scipy import special

    return float(special.chdtrc(df, x))
