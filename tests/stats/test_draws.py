"""Draws of items: kept for all coefficients of as many items, and no other than drawn anew."""

import numpy as np
import pytest
import scipy.stats

from covary.stats import draws
from covary.stats.patterns import Patterns
from covary.stats.statistic import Linear

RESAMPLES, SEED = 20_000, 4


def rows(counts, clusters=None):
    """Rows that count so often, and nothing else of interest."""
    found = Patterns(
        codes=np.zeros((len(counts), 1), np.int32),
        counts=np.array(counts),
        values=(1,),
        judges=("a",),
        scale=None,
        clusters=clusters,
    )
    return Linear(found, np.zeros((len(counts), 1)), lambda totals: totals[..., 0])


def drawn(counts, kept, monkeypatch):
    monkeypatch.setattr(draws, "MOST_KEPT", 10**9 if kept else 0)
    return np.concatenate(list(draws.draw_blocks(rows(counts), RESAMPLES, SEED)))


@pytest.mark.parametrize("kept", [True, False])
def test_items_are_drawn_as_a_multinomial_says(kept, monkeypatch):
    times = drawn([5, 1, 20, 14], kept, monkeypatch)
    assert (times.sum(axis=1) == 40).all()
    for row, count in enumerate([5, 1, 20, 14]):
        expected = scipy.stats.binom.pmf(np.arange(41), 40, count / 40)
        seen = np.bincount(times[:, row].astype(int), minlength=41) / RESAMPLES
        assert np.abs(seen - expected).max() < 5 * np.sqrt(0.25 / RESAMPLES)
    shares = np.array([5, 1, 20, 14]) / 40
    covariance = 40 * (np.diag(shares) - np.outer(shares, shares))
    assert np.cov(times.T) == pytest.approx(covariance, rel=0.05, abs=0.12)


def test_rows_that_are_merged_count_as_often_as_both(monkeypatch):
    apart, together = (drawn(counts, True, monkeypatch) for counts in ([3, 4, 2], [7, 2]))
    assert (apart[:, :2].sum(axis=1) == together[:, 0]).all()


def test_a_kept_draw_is_not_changed_by_whoever_uses_it(monkeypatch):
    first = drawn([3, 1], True, monkeypatch)
    first[:] = 0
    assert (drawn([3, 1], True, monkeypatch).sum(axis=1) == 4).all()
