from sklearn.metrics import cohen_kappa_score


def cohen_kappa(x):
    return cohen_kappa_score(x[:, 0], x[:, 1])


def weighted_kappa(x):
    return cohen_kappa_score(x[:, 0], x[:, 1], weights="quadratic")
