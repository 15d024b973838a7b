"""The marks of significance that Belz & Kow (2011) print beside their numbers."""

from __future__ import annotations

__all__ = ["LEVELS", "stars"]

LEVELS = ((0.01, "**"), (0.05, "*"))
"""The largest p of each mark, the smallest first."""


def stars(p: float) -> str:
    """Mark a p-value: ** up to .01, * up to .05, nothing above or where p is undefined.

    Examples
    --------
    >>> stars(0.003), stars(0.03), stars(0.2), stars(float("nan"))
    ('**', '*', '', '')
    """
    return next((mark for level, mark in LEVELS if p <= level), "")
