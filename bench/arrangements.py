"""Time random arrangements of a crowd's votes beside the obvious loop with scikit-learn.

405 items × 3 votes, two experts, Cohen's kappa and Fisher's ICC over 30,000 arrangements, as in
Banchs (2016). The loop arranges, and asks scikit-learn for kappa and NumPy for the ICC; it runs a
few hundred times and is scaled up, because all of it takes minutes. It ends with an error when the
two ways have different means; nothing depends on how long anything took.

    python arrangements.py
"""

import sys
import time
from dataclasses import dataclass

import numpy as np
from machine import described
from sklearn.metrics import cohen_kappa_score

from covary import Ratings
from covary.analysis.crowd.arrangements import COEFFICIENTS, arrange
from covary.analysis.crowd.overlap import match_items

ITEMS, VOTES, TIMES, LOOPS, TURNS = 405, 3, 30_000, 400, 3
NAMES = ("cohen_kappa", "fisher_icc")


@dataclass(frozen=True)
class Arranged:
    """Processor time of both ways, of which the loop's is scaled up, and whether they agree."""

    ours: float
    theirs: float
    agree: bool

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def codes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(1, 4, ITEMS)

    def said(right: float) -> np.ndarray:
        return np.where(rng.random(ITEMS) < right, truth, rng.integers(1, 4, ITEMS))

    votes = np.column_stack([said(0.45) for _ in range(VOTES)])
    return votes, np.column_stack([said(0.75) for _ in range(2)])


def quick(votes: np.ndarray, experts: np.ndarray) -> np.ndarray:
    """Both coefficients with both experts, by covary: experts × coefficients."""
    crowd = Ratings.from_wide(votes, scale="1-3", judges="slots")
    judges = Ratings.from_wide(experts, scale="1-3", judges=["one", "two"])
    both = match_items(crowd, judges)
    chosen = tuple(COEFFICIENTS[name] for name in NAMES)
    return np.array([[each.mean for each in arrange(both, expert, chosen, number=TIMES, seed=1)]
                     for expert in range(2)])  # fmt: skip


def slow(votes: np.ndarray, experts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same, arrangement by arrangement."""
    found = np.zeros((LOOPS, 2, 2))
    for number in range(LOOPS):
        picked = rng.permuted(votes, axis=1)[:, 0]
        for expert in range(2):
            given = experts[:, expert]
            found[number, expert] = cohen_kappa_score(given, picked), icc(given, picked)
    return found.mean(axis=0)


def icc(first: np.ndarray, second: np.ndarray) -> float:
    both = np.concatenate([first, second])
    mean = both.mean()
    return float(((first - mean) * (second - mean)).mean() / ((both - mean) ** 2).mean())


def measured() -> Arranged:
    """The best of a few turns of covary, and one turn of the loop."""
    rng = np.random.default_rng(1)
    votes, experts = codes(rng)
    quick(votes[:20], experts[:20])
    seconds = []
    for _ in range(TURNS):
        start = time.process_time()
        ours = quick(votes, experts)
        seconds.append(time.process_time() - start)
    start = time.process_time()
    theirs = slow(votes, experts, rng)
    scaled = (time.process_time() - start) * TIMES / LOOPS
    close = np.abs(ours - theirs).max() < 5 * 0.04 / np.sqrt(LOOPS)
    return Arranged(min(seconds), scaled, bool(close))


def main() -> int:
    found = measured()
    print(f"covary: {found.ours:.2f} s for {TIMES:,} arrangements, 2 experts, 2 coefficients")
    print(f"a loop with scikit-learn: {found.theirs:.0f} s (from {LOOPS} arrangements)")
    print(f"ratio: {found.ratio:.0f}")
    print(described())
    print("the means agree" if found.agree else "DIFFERENT MEANS")
    return 0 if found.agree else 1


if __name__ == "__main__":
    sys.exit(main())
