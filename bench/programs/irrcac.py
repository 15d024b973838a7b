"""irrCAC always computes an interval; more digits than its 5, to compare values."""

from data import CATEGORIES
from irrCAC.raw import CAC
from pandas import DataFrame


def alpha_nominal(x):
    return _value(_agreement(x).krippendorff())


def alpha_interval(x):
    return _value(_agreement(x, "quadratic").krippendorff())


def fleiss_kappa(x):
    return _value(_agreement(x).fleiss())


def conger_kappa(x):
    return _value(_agreement(x).conger())


def weighted_kappa(x):
    return _value(_agreement(x, "quadratic").conger())


def gwet_ac1(x):
    return _value(_agreement(x).gwet())


def gwet_ac2(x):
    return _value(_agreement(x, "quadratic").gwet())


def _agreement(x, weights="identity"):
    categories = list(range(1, CATEGORIES + 1))
    return CAC(DataFrame(x), weights=weights, categories=categories, digits=12)


def _value(found):
    return found["est"]["coefficient_value"]
