"""Complete studies of equal systems by their mean squares alone: the default comparison by hand.

With all judges rating all systems on all sources, REML gives the mean squares of an analysis of
variance, pooled where a variance would be negative. So the default comparison follows from four
independent draws (Searle, Casella & McCulloch 1992, chapter 4), and 20,000 studies take a second.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from covary.stats.distributions import range_quantiles

FREEDOM = np.concatenate([np.arange(1, 20), np.geomspace(20, 5000, 20)])


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How many systems, judges and sources a study has, and its degrees of freedom."""

    systems: int = 4
    judges: int = 4
    sources: int = 15

    @property
    def opinions(self):
        return (self.systems - 1) * (self.judges - 1)

    @property
    def texts(self):
        return (self.systems - 1) * (self.sources - 1)

    @property
    def rest(self):
        ratings = self.systems * self.judges * self.sources
        main = self.systems + self.judges + self.sources - 2
        return ratings - main - self.opinions - self.texts


def draw_studies(rng, shape, *, text=0.0, opinion=0.0, apart=0.0, studies=20_000):
    """Means of systems by their rating's standard error, and mean squares: opinions, texts, rest.

    All in units of the residual's standard deviation; the first two systems lie `apart`.
    """
    of_opinions = 1 + shape.sources * opinion**2
    of_texts = 1 + shape.judges * text**2
    squares = (
        of_opinions * rng.chisquare(shape.opinions, studies) / shape.opinions,
        of_texts * rng.chisquare(shape.texts, studies) / shape.texts,
        rng.chisquare(shape.rest, studies) / shape.rest,
    )
    means = rng.normal(0, 1, (studies, shape.systems)) * np.sqrt(of_opinions + of_texts - 1)
    means[:, :2] += np.array([-0.5, 0.5]) * apart * np.sqrt(shape.sources * shape.judges)
    return means, squares


def study_squares(values, shape):
    """The same of one study, systems × sources × judges."""
    system, source, judge = values.mean((1, 2)), values.mean((0, 2)), values.mean((0, 1))
    grand = values.mean()
    opinion = values.mean(1) - system[:, None] - judge + grand
    text = values.mean(2) - system[:, None] - source + grand
    opinions, texts = shape.sources * (opinion**2).sum(), shape.judges * (text**2).sum()
    fitted = system[:, None, None] + source[:, None] + judge - 2 * grand
    rest = ((values - fitted) ** 2).sum() - opinions - texts
    squares = opinions / shape.opinions, texts / shape.texts, rest / shape.rest
    means = system[None] * np.sqrt(shape.sources * shape.judges)
    return means, tuple(np.array([square]) for square in squares)


def fit(squares, shape, *, opinions, texts):
    """The error's mean square, its degrees of freedom, log-likelihood, which terms are above 0."""
    of_opinions, of_texts, of_rest = squares
    keep = [np.full(of_rest.shape, wanted) for wanted in (opinions, texts)]
    terms = ((of_opinions, shape.opinions), (of_texts, shape.texts))
    for _ in range(3):
        total, df = of_rest * shape.rest, np.full(of_rest.shape, float(shape.rest))
        for (square, own), kept in zip(terms, keep, strict=True):
            total, df = total + np.where(kept, 0, square * own), df + np.where(kept, 0, own)
        pooled = total / df
        keep = [kept & (square > pooled) for (square, _), kept in zip(terms, keep, strict=True)]
    error, spread, likelihood = pooled.copy(), 0.0, -df * np.log(pooled) / 2
    for (square, own), kept in zip(terms, keep, strict=True):
        error = error + np.where(kept, square - pooled, 0)
        spread = spread + np.where(kept, square**2 / own, 0)
        likelihood = likelihood - np.where(kept, own * np.log(square) / 2, 0)
    both, none = keep[0] & keep[1], ~keep[0] & ~keep[1]
    spread = spread + np.where(both | none, pooled**2 / df, 0)
    return error, error**2 / spread, likelihood, keep


def most_p(shape):
    """The p at which opinions stay, as the documentation has it."""
    if shape.judges == 2 or shape.opinions < 4:
        return 0.5
    return 0.4 if shape.opinions < 9 else 0.3


def found(means, squares, shape):
    """Which studies find some pair different (Tukey, 5 %)."""
    return np.ptp(means, axis=1) > least_difference(squares, shape)


def least_difference(squares, shape):
    """From which difference on each study finds one, terms dropped as the default drops them."""
    models = {
        (opinions, texts): fit(squares, shape, opinions=opinions, texts=texts)
        for opinions in (True, False)
        for texts in (True, False)
    }

    whole, fewer = models[True, True], models[False, True]
    gain = np.maximum(2 * (whole[2] - fewer[2]), 0)
    no_opinions = ~whole[3][0] | (_half_tail(gain) > most_p(shape))
    with_texts = [np.where(no_opinions, a, b) for a, b in _both(models, True)]
    without = [np.where(no_opinions, a, b) for a, b in _both(models, False)]
    kept = np.where(no_opinions, models[False, True][3][1], models[True, True][3][1])
    gain = np.maximum(2 * (with_texts[2] - without[2]), 0)
    no_texts = ~kept | (_half_tail(gain) > 0.05)
    error = np.where(no_texts, without[0], with_texts[0])
    df = np.where(no_texts, without[1], with_texts[1])
    critical = np.interp(1 / df, 1 / FREEDOM[::-1], _critical(shape.systems)[::-1])
    return critical * np.sqrt(error)


@cache
def _critical(systems):
    return range_quantiles(0.95, systems, FREEDOM)


def _both(models, texts):
    return list(zip(models[False, texts][:3], models[True, texts][:3], strict=True))


def _half_tail(gain):
    """Half the tail of chi-square with 1 degree of freedom."""
    return 0.5 * special.erfc(np.sqrt(gain / 2))
