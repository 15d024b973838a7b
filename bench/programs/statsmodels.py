from statsmodels.stats import inter_rater


def fleiss_kappa(x):
    table, _ = inter_rater.aggregate_raters(x)
    return inter_rater.fleiss_kappa(table)


def cohen_kappa(x):
    return inter_rater.cohens_kappa(_table(x), return_results=False)


def cohen_kappa_interval(x):
    return inter_rater.cohens_kappa(_table(x)).kappa


def weighted_kappa(x):
    return inter_rater.cohens_kappa(_table(x), wt="fc", return_results=False)


def weighted_kappa_interval(x):
    return inter_rater.cohens_kappa(_table(x), wt="fc").kappa


def _table(x):
    return inter_rater.to_table(x)[0]
