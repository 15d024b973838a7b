"""Combine votes with covary and with crowd-kit, on crowds whose truth is known.

Run it in the environment of `make bench`: python aggregation.py [votes]. Both get the same long
table in one process and one thread, after a call on a few items; times are processor time.
crowd-kit's models stop after 100 steps or earlier; covary's climb to convergence from several
starts, which is part of their time.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote, OneCoinDawidSkene
from machine import described

from covary import Ratings, VerbalScale
from covary.aggregate import combine

CATEGORIES = 5
SPAMMERS = 0.2
STEPS = 100
SLOW = ("mace", "glad")
WARM_UP_ITEMS = 40
MOST_FOR_SLOW = 100_000  # votes; crowd-kit needs minutes for more

PEERS: dict[str, Callable[[], Any]] = {
    "majority": MajorityVote,
    "dawid-skene": lambda: DawidSkene(n_iter=STEPS),
    "one-coin": lambda: OneCoinDawidSkene(n_iter=STEPS),
    "mace": lambda: MACE(random_state=0),
    "glad": lambda: GLAD(n_iter=STEPS, silent=True),
}


@dataclass(frozen=True)
class Combined:
    """One method on one crowd: seconds, and shares of items that are right; NaN: not tried."""

    method: str
    votes: int
    ours: float
    right: float
    theirs: float = math.nan
    their_right: float = math.nan
    same: float = math.nan

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def crowd(items: int, judges: int, votes: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Votes by judges with different accuracies, and what is true of each item."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, CATEGORIES, items)
    accuracy = rng.uniform(0.5, 0.95, judges)
    accuracy[rng.random(judges) < SPAMMERS] = 1 / CATEGORIES
    item = np.repeat(np.arange(items), votes)
    spread = np.arange(votes) * (judges // votes)
    judge = ((rng.integers(0, judges, items)[:, None] + spread) % judges).ravel()
    right = rng.random(item.size) < accuracy[judge]
    wrong = (truth[item] + rng.integers(1, CATEGORIES, item.size)) % CATEGORIES
    items_named = np.array([f"item {number}" for number in range(items)], dtype=object)
    judges_named = np.array([f"judge {number}" for number in range(judges)], dtype=object)
    table = {
        "item": items_named[item],
        "judge": judges_named[judge],
        "rating": np.where(right, truth[item], wrong),
    }
    return table, dict(zip(items_named.tolist(), truth.tolist(), strict=True))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return call(), time.process_time() - start


def ours(table: dict[str, Any], method: str) -> dict[str, Any]:
    scale = VerbalScale(range(CATEGORIES), level="nominal")
    made = combine(Ratings(table, scale=scale), method)
    return dict(zip(made.items, made.ratings, strict=True))


def theirs(frame: pd.DataFrame, method: str) -> dict[str, Any]:
    found: dict[str, Any] = PEERS[method]().fit_predict(frame).to_dict()
    return found


def measured(wanted: int, judges: int, votes: int) -> list[Combined]:
    """Combine one crowd's votes by every method, with both programs."""
    few, known = crowd(WARM_UP_ITEMS, judges, votes)
    for method in PEERS:  # what is loaded with the first call counts for neither program
        combined(method, few, framed(few), known)
    table, truth = crowd(wanted // votes, judges, votes)
    frame = framed(table)
    return [combined(method, table, frame, truth) for method in PEERS]


def framed(table: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(table).set_axis(["task", "worker", "label"], axis=1)


def combined(
    method: str, table: dict[str, Any], frame: pd.DataFrame, truth: dict[str, int]
) -> Combined:
    mine, own = timed(lambda: ours(table, method))
    right = share(mine, truth)
    if method in SLOW and len(frame) > MOST_FOR_SLOW:
        return Combined(method, len(frame), own, right)
    other, peer = timed(lambda: theirs(frame, method))
    same = share(mine, other)
    return Combined(method, len(frame), own, right, peer, share(other, truth), same)


def share(made: dict[str, Any], wanted: dict[str, Any]) -> float:
    return float(np.mean([made[item] == true for item, true in wanted.items()]))


def crowds(votes: int) -> tuple[tuple[int, int], ...]:
    """The numbers of judges and of votes on an item: few judges who all vote, and many."""
    return (5, 5), (max(votes // 500, 10), 3)


def main() -> int:
    wanted = int(float(sys.argv[1])) if len(sys.argv) > 1 else 50_000
    warnings.simplefilter("ignore")
    print(described())
    for judges, votes in crowds(wanted):
        print(f"\n{wanted // votes * votes:,} votes by {judges:,} judges")
        print(f"{'method':14}{'covary s':>10}{'crowd-kit s':>13}{'ratio':>8}"
              f"{'right':>9}{'right':>9}{'same':>8}")  # fmt: skip
        for each in measured(wanted, judges, votes):
            print(f"{each.method:14}{each.ours:>10.2f}{each.theirs:>13.2f}{each.ratio:>8.1f}"
                  f"{each.right:>9.3f}{each.their_right:>9.3f}{each.same:>8.3f}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
