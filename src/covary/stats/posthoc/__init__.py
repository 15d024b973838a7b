"""Which systems differ: all pairs compared, with an error rate for the whole set of them."""

from covary.stats.posthoc.adjust import adjusted
from covary.stats.posthoc.comparisons import PROCEDURES, Comparisons, Pair
from covary.stats.posthoc.means import compare_means
from covary.stats.posthoc.ranks import dunn, nemenyi
from covary.stats.posthoc.unequal import games_howell
from covary.stats.rank_tests import Friedman, KruskalWallis, friedman, kruskal_wallis

__all__ = [
    "PROCEDURES",
    "Comparisons",
    "Friedman",
    "KruskalWallis",
    "Pair",
    "adjusted",
    "compare_means",
    "dunn",
    "friedman",
    "games_howell",
    "kruskal_wallis",
    "nemenyi",
]
