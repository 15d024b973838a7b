"""Pairs in falling order, counted in passes, are those that comparing all pairs finds."""

import numpy as np
import pytest

from covary.stats.inversions import larger_before, line_order, stable_order
from covary.stats.ordering import count_items, count_pairs


@pytest.mark.parametrize("size", [0, 1, 2, 63, 64, 65, 1000, 4096, 4097, 4200])
def test_every_falling_pair_is_counted_once(size):
    numbers = np.random.default_rng(size).permutation(size)
    falling = np.triu(numbers[:, None] > numbers, 1)
    assert larger_before(numbers).tolist() == falling.sum(axis=0)[np.argsort(numbers)].tolist()


def test_falling_numbers_of_two_levels_are_all_pairs():
    size = 70_000
    assert larger_before(np.arange(size)[::-1]).tolist() == list(range(size))[::-1]


@pytest.mark.parametrize("highest", [5, 300, 70_000, 2**40])
def test_equal_numbers_stay_in_their_order(highest):
    codes = np.random.default_rng(1).integers(highest, size=3000)
    assert stable_order(codes).tolist() == np.argsort(codes, kind="stable").tolist()


@pytest.mark.parametrize(
    "numbers",
    [
        np.random.default_rng(2).normal(size=5000),
        np.random.default_rng(3).standard_cauchy(size=5000),  # nearly all of them close together
        np.random.default_rng(4).integers(3, size=500).astype(float),
        np.array([1e308, -1e308, 0.0, 5e307]),
        np.array([5e-324, 0.0, 1e-323, 0.0]),
        np.array([0.3, 0.3]),
        np.zeros(0),
    ],
)
def test_numbers_on_a_line_are_put_in_rising_order(numbers):
    order = line_order(numbers)
    assert numbers[order].tolist() == sorted(numbers.tolist())
    assert sorted(order.tolist()) == list(range(numbers.size))


@pytest.mark.parametrize("kinds", [3, 40, 100_000])
def test_pairs_of_items_are_those_of_comparing_all(kinds):
    rng = np.random.default_rng(kinds)
    first, second = rng.integers(kinds, size=(2, 300))
    x, y = (np.sign(codes[:, None] - codes) for codes in (first, second))
    counts, items = count_pairs(first, second), count_items(first, second)
    for name, expected in {
        "concordant": x * y > 0,
        "discordant": x * y < 0,
        "tied_first": (x == 0) & ~np.eye(300, dtype=bool),
        "tied_second": (y == 0) & ~np.eye(300, dtype=bool),
    }.items():
        assert getattr(items, name).tolist() == expected.sum(axis=1).tolist()
        assert float(getattr(counts, name)) == expected.sum() / 2
