"""Words and numbers that several parts of a report on a crowd share."""

from __future__ import annotations

import math

from covary.analysis.crowd import VotesPerExpert
from covary.report.rounding import DASH, amount, coefficient, decimals, interval
from covary.stats.estimate import Interval

__all__ = ["METHOD_NAMES", "ends_of", "limited", "method_name", "money", "rate_words", "time_words"]

METHOD_NAMES = {
    "banchs-a": "method A",
    "banchs-b": "method B",
    "majority": "majority",
    "median": "median",
    "mean": "rounded mean",
    "dawid-skene": "Dawid–Skene",
    "one-coin": "one-coin",
    "mace": "MACE",
    "glad": "GLAD",
}
"""How a way of combining votes reads in a sentence."""


def method_name(method: str) -> str:
    """Name a way of combining votes as a sentence does."""
    return METHOD_NAMES.get(method, method)


def limited(value: float, limits: Interval, *, signed: bool = False) -> str:
    """Write a coefficient or a difference with its interval: `.43 [.31, .55]`."""
    if not math.isfinite(value):
        return DASH
    places = decimals(limits.low, limits.high)
    plus = "+" if signed and value > 0 else ""
    ends = interval(limits, places)
    head = f"{plus}{coefficient(value, places)}"
    return head if ends == DASH else f"{head} {ends}"


def money(value: float) -> str:
    """Write an amount of money; the currency is the study's own."""
    return f"{value:,.2f}" if math.isfinite(value) else DASH


def time_words(seconds: float) -> str:
    """Write a time of work: `28 s`, `4.1 min`, `10.3 h`."""
    if not math.isfinite(seconds):
        return DASH
    if seconds < 100:
        return f"{amount(seconds, 0)} s"
    return f"{amount(seconds / 60, 1)} min" if seconds < 5400 else f"{amount(seconds / 3600, 1)} h"


def rate_words(found: VotesPerExpert) -> str:
    """Write how many votes equal an expert: `3.4 [2.1, more than 5]`."""
    if math.isnan(found.votes):
        return DASH
    return f"{_votes(found.votes, found)} {ends_of(found)}"


def ends_of(found: VotesPerExpert) -> str:
    """Write the interval of a number of votes."""
    return f"[{_votes(found.low, found)}, {_votes(found.high, found)}]"


def _votes(value: float, found: VotesPerExpert) -> str:
    if math.isnan(value):
        return DASH
    return f"more than {found.most}" if math.isinf(value) else amount(value, 1)
