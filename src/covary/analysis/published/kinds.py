"""The kinds of check, in the order in which the documentation explains them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from covary.analysis.published.arithmetic import ARITHMETIC
from covary.analysis.published.averages import AVERAGES, TOTALS
from covary.analysis.published.bands import INTERPRETATION
from covary.analysis.published.coefficients import COEFFICIENTS
from covary.analysis.published.counting import MEANS, PERCENTAGES
from covary.analysis.published.entry import Kind
from covary.analysis.published.f_ratios import F_RATIOS
from covary.analysis.published.pay import COST, PAY
from covary.analysis.published.ranges import RANGES
from covary.analysis.published.ratings_behind import BATCHES
from covary.analysis.published.stars import CHI_SQUARES, CONCORDANCE, CORRELATIONS, T_TESTS

__all__ = ["KINDS"]

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "f-ratios": F_RATIOS,
        "correlations": CORRELATIONS,
        "concordance": CONCORDANCE,
        "t-tests": T_TESTS,
        "chi-squares": CHI_SQUARES,
        "averages": AVERAGES,
        "totals": TOTALS,
        "means": MEANS,
        "percentages": PERCENTAGES,
        "arithmetic": ARITHMETIC,
        "ranges": RANGES,
        "cost": COST,
        "pay": PAY,
        "interpretation": INTERPRETATION,
        "coefficients": COEFFICIENTS,
        "batches": BATCHES,
    }
)
"""Each kind by the name that a file of numbers calls it."""
