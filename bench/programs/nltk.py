import numpy as np
from nltk.metrics.agreement import AnnotationTask


def alpha_nominal(x):
    return AnnotationTask(_triples(x)).alpha()


def fleiss_kappa(x):
    return AnnotationTask(_triples(x)).pi()


def conger_kappa(x):
    return AnnotationTask(_triples(x)).multi_kappa()


def cohen_kappa(x):
    return AnnotationTask(_triples(x)).kappa()


def _triples(x):
    item, judge = np.nonzero(~np.isnan(x))
    ratings = x[item, judge].astype(int)
    return list(zip(judge.tolist(), item.tolist(), ratings.tolist(), strict=True))
