"""Votes as a sparse matrix with one row per distinct item: what every model computes with.

Items with the same votes by the same judges are one row with a weight. Where few judges rate many
items there are few such rows, and a model costs what they cost; where many judges rate a few items
each, every item is a row and the cost is that of its votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from covary.aggregate.votes import Floats, Ints, Votes

__all__ = ["Rows", "believed_of", "rows_of"]

EXACT = 2**53
"""Whole numbers up to here are exact as floating-point numbers."""


@dataclass(frozen=True)
class Rows:
    """Distinct items, their votes (entries), and which row each item is.

    `entry_row`, `entry_judge` and `entry_code` list the votes of the rows; `weights` says how many
    items show each row.
    """

    entry_row: Ints
    entry_judge: Ints
    entry_code: Ints
    weights: Floats
    row_of_item: Ints
    n_judges: int
    n_categories: int

    @cached_property
    def matrix(self) -> Any:
        """How often each row holds each vote of each judge: rows × (judge, category), sparse."""
        from scipy.sparse import csr_array

        places = self.entry_judge * self.n_categories + self.entry_code
        shape = (self.weights.size, self.n_judges * self.n_categories)
        ones = np.ones(places.size)
        return csr_array((ones, (self.entry_row, places)), shape=shape)

    @cached_property
    def turned(self) -> Any:
        """The matrix turned, with each row counted as often as it occurs."""
        from scipy.sparse import csr_array

        return csr_array((self.matrix * self.weights[:, None]).T)

    def expected(self, belief: Floats) -> Floats:
        """Expected votes by judge, true category and vote, given what each row is believed to be.

        `belief` holds a probability for each row and category.
        """
        shape = (self.n_judges, self.n_categories, self.n_categories)
        return np.asarray(self.turned @ belief).reshape(shape).transpose(0, 2, 1)

    def believed(self, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
        """What each row is, given the judges' confusion matrices; and the log-likelihood."""
        tiny = np.finfo(float).tiny
        by_vote = np.log(np.maximum(confusion, tiny)).transpose(0, 2, 1)
        logs = self.matrix @ by_vote.reshape(-1, self.n_categories)
        logs += np.log(np.maximum(prior, tiny))
        belief, each = believed_of(logs)
        return belief, float((self.weights * each).sum())

    def mean_belief(self, belief: Floats) -> Floats:
        """The share of items that are believed to be of each category."""
        shares = [float((self.weights * column).sum()) for column in belief.T]
        return np.array(shares) / float(self.weights.sum())

    def weighed(self, judge_weights: Floats) -> Floats:
        """Vote shares of the rows in which judges have different weights."""
        flat = np.repeat(judge_weights, self.n_categories)[:, None]
        categories = np.tile(np.eye(self.n_categories), (self.n_judges, 1))
        shares = np.asarray(self.matrix @ (flat * categories))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def believed_of(logs: Floats) -> tuple[Floats, Floats]:
    """Turn log probabilities of each row's categories into a belief; and the log of their sum.

    Column by column, because there are few columns and many rows.
    """
    top = reduce(np.maximum, logs.T)
    belief = np.exp(logs - top[:, None])
    total = reduce(np.add, belief.T)
    belief /= total[:, None]
    return belief, top + np.log(total)


def rows_of(votes: Votes) -> Rows:
    """Collapse items to distinct rows where that pays."""
    judges, categories, n = len(votes.judges), len(votes.values), len(votes.items)
    base = categories + 1
    repeated = votes.item.size > 1 and bool(
        ((np.diff(votes.item) == 0) & (np.diff(votes.judge) == 0)).any()
    )
    if repeated or judges > 64 or base**judges >= EXACT:
        return Rows(votes.item, votes.judge, votes.code, np.ones(n), np.arange(n), judges,
                    categories)  # fmt: skip
    digits = (votes.code + 1).astype(float) * float(base) ** votes.judge
    keys = np.bincount(votes.item, digits, minlength=n).astype(np.int64)
    _, first, row_of_item, times = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    entries = np.isin(votes.item, first)
    place = np.full(n, -1)
    place[first] = np.arange(first.size)
    return Rows(place[votes.item[entries]], votes.judge[entries], votes.code[entries],
                times.astype(float), row_of_item.ravel(), judges, categories)  # fmt: skip
