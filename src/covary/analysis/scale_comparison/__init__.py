"""Two or more scales beside each other: validity, reliability, stability, and more."""

from covary.analysis.scale_comparison.compare import compare_scales
from covary.analysis.scale_comparison.options import PROCEDURES
from covary.analysis.scale_comparison.result import CriterionScales, ScaleComparison

__all__ = ["PROCEDURES", "CriterionScales", "ScaleComparison", "compare_scales"]
