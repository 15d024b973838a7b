"""Two or more scales beside each other: validity, reliability, stability, and more."""

from covary.analysis.scale_comparison.compare import PROCEDURES, compare_scales
from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison

__all__ = ["PROCEDURES", "CriterionScales", "ScaleComparison", "compare_scales"]
