"""Many ratings of an item into one; one method per file, all with the same call and answer."""

from covary.aggregate.aggregated import Aggregated, Convergence, JudgeFit, Tie
from covary.aggregate.banchs_a import banchs_a
from covary.aggregate.banchs_b import banchs_b
from covary.aggregate.combine import METHODS, combine, options_of
from covary.aggregate.dawid_skene import dawid_skene
from covary.aggregate.glad import glad
from covary.aggregate.mace import mace
from covary.aggregate.majority import majority
from covary.aggregate.mean import mean
from covary.aggregate.median import median
from covary.aggregate.one_coin import one_coin
from covary.aggregate.ties import RULES

__all__ = [
    "METHODS",
    "RULES",
    "Aggregated",
    "Convergence",
    "JudgeFit",
    "Tie",
    "banchs_a",
    "banchs_b",
    "combine",
    "dawid_skene",
    "glad",
    "mace",
    "majority",
    "mean",
    "median",
    "one_coin",
    "options_of",
]
