"""covary itself; `interval` is None, "auto" (the coefficient's default) or "bootstrap"."""

from functools import partial

from data import CATEGORIES

import covary


def prepare(x, wish):
    """Return a function that makes `Ratings` from the matrix, at a level."""
    return partial(_on_a_line if wish.continuous else _in_categories, x)


def alpha_nominal(rated, interval):
    return covary.krippendorff_alpha(rated("nominal"), interval=interval).value


def alpha_ordinal(rated, interval):
    return covary.krippendorff_alpha(rated("ordinal"), level="ordinal", interval=interval).value


def alpha_interval(rated, interval):
    return covary.krippendorff_alpha(rated("interval"), interval=interval).value


def fleiss_kappa(rated, interval):
    return covary.fleiss_kappa(rated("nominal"), interval=interval).value


def cohen_kappa(rated, interval):
    return covary.cohen_kappa(rated("nominal"), interval=interval).value


def weighted_kappa(rated, interval):
    return covary.cohen_kappa(rated("ordinal"), weights="quadratic", interval=interval).value


def conger_kappa(rated, interval):
    return covary.conger_kappa(rated("nominal"), interval=interval).value


def gwet_ac1(rated, interval):
    return covary.gwet_ac1(rated("nominal"), interval=interval).value


def gwet_ac2(rated, interval):
    return covary.gwet_ac2(rated("ordinal"), weights="quadratic", interval=interval).value


def icc(rated, interval):
    return covary.icc(rated("interval"), form="2,1", interval=interval).value


def cronbach_alpha(rated, interval):
    return covary.cronbach_alpha(rated("interval"), interval=interval).value


def kendall_w(rated, interval):
    return covary.kendall_w(rated("ordinal"), interval=interval).value


def gamma(rated, interval):
    return covary.goodman_kruskal_gamma(rated("ordinal"), interval=interval).value


def tau_b(rated, interval):
    return covary.kendall_tau_b(rated("ordinal"), interval=interval).value


def spearman(rated, interval):
    return covary.spearman(rated("ordinal"), interval=interval).value


def pearson(rated, interval):
    return covary.pearson(rated("interval"), interval=interval).value


def _in_categories(x, level):
    scale = covary.VerbalScale(range(1, CATEGORIES + 1), level=level)
    return covary.Ratings.from_wide(x, scale=scale)


def _on_a_line(x, level):  # noqa: ARG001 - a line is at least an interval scale
    return covary.Ratings.from_wide(x, level="interval")
