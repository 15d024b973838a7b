"""Simulated crowds whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covary import Ratings, VerbalScale
from covary.aggregate import Aggregated


@dataclass(frozen=True)
class Crowd:
    """Votes, what is true of each item, and each judge's confusion matrix."""

    ratings: Ratings
    truth: np.ndarray
    confusion: np.ndarray
    spammers: np.ndarray

    def correct(self, made: Aggregated) -> float:
        """The share of items that got their true category; no rating counts as wrong."""
        return float(np.mean([r == t for r, t in zip(made.ratings, self.truth, strict=True)]))


def coins(accuracy: np.ndarray, categories: int) -> np.ndarray:
    """Confusion matrices of judges who are right with these probabilities."""
    same = np.eye(categories)
    wrong = (1 - accuracy)[:, None, None] / (categories - 1)
    return accuracy[:, None, None] * same + wrong * (1 - same)


def with_spammers(confusion: np.ndarray, share: float, rng: np.random.Generator):
    """Let a share of the judges vote without looking, each with a habit of their own."""
    judges, categories = len(confusion), confusion.shape[1]
    spammers = np.arange(judges) < round(share * judges)
    habit = rng.dirichlet(np.full(categories, 0.3), judges)
    lazy = np.repeat(habit[:, None, :], categories, axis=1)
    return np.where(spammers[:, None, None], lazy, confusion), spammers


def crowd(
    confusion: np.ndarray,
    rng: np.random.Generator,
    *,
    items: int,
    votes: int,
    prior: np.ndarray | None = None,
    spammers: np.ndarray | None = None,
) -> Crowd:
    """Let each item be rated by a few judges, drawn at random."""
    judges, categories = len(confusion), confusion.shape[1]
    truth = rng.choice(categories, items, p=prior)
    item = np.repeat(np.arange(items), votes)
    judge = rng.permuted(np.tile(np.arange(judges), (items, 1)), axis=1)[:, :votes].ravel()
    heap = confusion[judge, truth[item]].cumsum(axis=1)
    vote = np.minimum((rng.random(item.size)[:, None] > heap).sum(axis=1), categories - 1)
    scale = VerbalScale(range(categories), level="nominal")
    ratings = Ratings({"item": item, "judge": judge, "rating": vote}, scale=scale)
    nobody = np.zeros(judges, dtype=bool)
    return Crowd(ratings, truth, confusion, nobody if spammers is None else spammers)


def misled(
    rng: np.random.Generator, *, items: int, votes: int, categories: int, share: float = 0.3
) -> Crowd:
    """A crowd of 20 good judges who mostly follow one and the same lure on a share of the items."""
    accuracy = rng.uniform(0.75, 0.97, 20)
    truth = rng.choice(categories, items)
    lure = (truth + rng.integers(1, categories, items)) % categories
    misleading = rng.random(items) < share
    item = np.repeat(np.arange(items), votes)
    judge = rng.permuted(np.tile(np.arange(20), (items, 1)), axis=1)[:, :votes].ravel()
    chance = np.where(misleading[item], 0.45, accuracy[judge])
    slip = (truth[item] + rng.integers(1, categories, item.size)) % categories
    wrong = np.where(misleading[item], lure[item], slip)
    vote = np.where(rng.random(item.size) < chance, truth[item], wrong)
    scale = VerbalScale(range(categories), level="nominal")
    ratings = Ratings({"item": item, "judge": judge, "rating": vote}, scale=scale)
    return Crowd(ratings, truth, coins(accuracy, categories), np.zeros(20, dtype=bool))
