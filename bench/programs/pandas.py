"""The mean over pairs of judges, each on the items that both rated."""

import numpy as np
from pandas import DataFrame


def spearman(x):
    return _mean(x, "spearman")


def pearson(x):
    return _mean(x, "pearson")


def tau_b(x):
    return _mean(x, "kendall")


def _mean(x, method):
    table = DataFrame(x).corr(method=method).to_numpy()
    return table[np.triu_indices(len(table), 1)].mean()
