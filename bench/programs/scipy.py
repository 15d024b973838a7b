from scipy import stats


def spearman(x):
    return stats.spearmanr(x[:, 0], x[:, 1]).statistic


def pearson(x):
    return stats.pearsonr(x[:, 0], x[:, 1]).statistic


def pearson_interval(x):
    found = stats.pearsonr(x[:, 0], x[:, 1])
    found.confidence_interval()
    return found.statistic


def tau_b(x):
    return stats.kendalltau(x[:, 0], x[:, 1]).statistic
