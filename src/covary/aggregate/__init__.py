"""Many ratings of an item into one; all methods have the same call and answer."""

from covary.aggregate.accuracy import CombinedError, combined_error
from covary.aggregate.banchs import banchs_a, banchs_b
from covary.aggregate.combine import METHODS, combine, options_of
from covary.aggregate.counting import majority, mean, median
from covary.aggregate.glad import glad
from covary.aggregate.large import LargeAggregated
from covary.aggregate.method import RULES
from covary.aggregate.models import dawid_skene, mace, one_coin
from covary.aggregate.result import Aggregated, Convergence, JudgeFit, Tie

__all__ = [
    "METHODS",
    "RULES",
    "Aggregated",
    "CombinedError",
    "Convergence",
    "JudgeFit",
    "LargeAggregated",
    "Tie",
    "banchs_a",
    "banchs_b",
    "combine",
    "combined_error",
    "dawid_skene",
    "glad",
    "mace",
    "majority",
    "mean",
    "median",
    "one_coin",
    "options_of",
]
