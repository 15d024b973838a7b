"""Which systems differ: all pairs compared, with an error rate for the whole set of them."""

from covary.stats.posthoc.comparisons import PROCEDURES, Comparisons, Pair, adjust_p_values
from covary.stats.posthoc.means import compare_means, games_howell
from covary.stats.posthoc.rank_tests import (
    Friedman,
    KruskalWallis,
    dunn,
    friedman,
    kruskal_wallis,
    nemenyi,
)

__all__ = [
    "PROCEDURES",
    "Comparisons",
    "Friedman",
    "KruskalWallis",
    "Pair",
    "adjust_p_values",
    "compare_means",
    "dunn",
    "friedman",
    "games_howell",
    "kruskal_wallis",
    "nemenyi",
]
