"""Combine votes with covary and with crowd-kit, on crowds whose truth is known.

Run it in the environment of `make bench`: python aggregation.py [votes]. Both get the same long
table in one process and one thread; times are processor time. crowd-kit's models stop after 100
steps or earlier; covary's climb to convergence from several starts, which is part of their time.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import sys
import time
import warnings
from collections.abc import Callable
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
MOST_FOR_SLOW = 100_000  # votes; crowd-kit needs minutes for more

PEERS: dict[str, Callable[[], Any]] = {
    "majority": MajorityVote,
    "dawid-skene": lambda: DawidSkene(n_iter=STEPS),
    "one-coin": lambda: OneCoinDawidSkene(n_iter=STEPS),
    "mace": lambda: MACE(random_state=0),
    "glad": lambda: GLAD(n_iter=STEPS, silent=True),
}


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


def main() -> int:
    wanted = int(float(sys.argv[1])) if len(sys.argv) > 1 else 50_000
    warnings.simplefilter("ignore")
    print(described())
    for judges, votes in ((5, 5), (max(wanted // 500, 10), 3)):
        table, truth = crowd(wanted // votes, judges, votes)
        frame = pd.DataFrame(table).set_axis(["task", "worker", "label"], axis=1)
        print(f"\n{len(frame):,} votes by {judges:,} judges")
        print(f"{'method':14}{'covary s':>10}{'crowd-kit s':>13}{'ratio':>8}"
              f"{'right':>9}{'right':>9}{'same':>8}")  # fmt: skip
        for method in PEERS:
            mine, own = timed(lambda m=method, t=table: ours(t, m))
            if method in SLOW and wanted > MOST_FOR_SLOW:
                print(f"{method:14}{own:>10.2f}{'not tried':>13}")
                continue
            other, peer = timed(lambda m=method, f=frame: theirs(f, m))
            right = [np.mean([made[i] == t for i, t in truth.items()]) for made in (mine, other)]
            same = np.mean([mine[i] == other[i] for i in truth])
            print(f"{method:14}{own:>10.2f}{peer:>13.2f}{peer / own:>8.1f}"
                  f"{right[0]:>9.3f}{right[1]:>9.3f}{same:>8.3f}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
