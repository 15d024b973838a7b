"""How often do tests find a difference between systems where there is none? It should be 5 %.

Systems are alike; judges and sources differ. The rates are printed beside the nominal one, and must
lie within what that many runs can tell.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from covary.stats.models.anova import additive_model, one_way
from covary.stats.models.mixed import mixed_model
from covary.stats.posthoc import (
    compare_means,
    dunn,
    friedman,
    games_howell,
    kruskal_wallis,
    nemenyi,
)

RUNS = 2000
ALPHA = 0.05
SLACK = 3.5 * math.sqrt(ALPHA * (1 - ALPHA) / RUNS)
"""How far the rate of so many runs may stray from the true one by chance."""

SYSTEMS, JUDGES, SOURCES = 5, 5, 10
FAMILY = ("tukey", "scheffe", "bonferroni", "holm", "bh")


def latin_square(kept: float = 1.0, rng: np.random.Generator | None = None):
    """Each judge rates each source once, and every system equally often."""
    judge, source = (axis.ravel() for axis in np.indices((JUDGES, SOURCES)))
    factors = {"system": (judge + source) % SYSTEMS, "judge": judge, "source": source}
    if rng is None:
        return factors
    mask = rng.random(judge.size) < kept
    return {name: np.unique(codes[mask], return_inverse=True)[1] for name, codes in factors.items()}


def ratings(rng: np.random.Generator, factors) -> np.ndarray:
    severity, ease = rng.normal(0, 1, JUDGES), rng.normal(0, 0.7, SOURCES)
    noise = rng.normal(size=factors["judge"].size)
    return severity[factors["judge"]] + ease[factors["source"]] + noise


def any_significant(found) -> bool:
    return found.n_significant > 0


def pairs_of(model, procedure):
    return compare_means(
        model.means["system"], model.counts("system"), model.mse, model.residual_df,
        procedure=procedure, covariance=model.covariance("system"),
    )  # fmt: skip


def shown(title: str, rates: dict[str, float]) -> None:
    print(f"\n{title} ({RUNS} runs, nominal {ALPHA:.3f} ± {SLACK:.3f})")
    for name, rate in rates.items():
        print(f"  {name:28} {rate:.4f}")


@pytest.mark.parametrize("kept", [1.0, 0.75], ids=["balanced", "a quarter missing"])
def test_models_that_know_the_design(kept):
    rng = np.random.default_rng(20)
    hits: dict[str, int] = dict.fromkeys(["F, additive", "F, mixed", *FAMILY, "tukey, mixed"], 0)
    for _ in range(RUNS):
        factors = latin_square() if kept == 1 else latin_square(kept, rng)
        values = ratings(rng, factors)
        model = additive_model(values, factors)
        hits["F, additive"] += model.effect("system").p <= ALPHA
        for procedure in FAMILY:
            hits[procedure] += any_significant(pairs_of(model, procedure))
        random = {name: factors[name] for name in ("judge", "source")}
        beside = mixed_model(values, factors["system"], random=random)
        hits["F, mixed"] += beside.p <= ALPHA
        hits["tukey, mixed"] += any_significant(
            compare_means(beside.means, beside.counts, beside.mse, beside.df,
                          covariance=beside.covariance)
        )  # fmt: skip
    rates = {name: count / RUNS for name, count in hits.items()}
    shown(f"Latin square of {SYSTEMS} systems, {kept:.0%} of the ratings", rates)
    for name in ("F, additive", "F, mixed", "tukey, mixed"):
        assert abs(rates[name] - ALPHA) < SLACK, name
    assert abs(rates["tukey"] - ALPHA) < SLACK
    assert all(rates[name] < ALPHA + SLACK for name in FAMILY)
    assert rates["scheffe"] < rates["tukey"]


def test_independent_groups():
    rng = np.random.default_rng(21)
    names = ["F, one-way", "Kruskal & Wallis", "tukey", "dunn (holm)", "lsd, any pair", "lsd, each"]
    hits: dict[str, float] = dict.fromkeys(names, 0)
    codes = np.repeat(np.arange(4), 15)
    for _ in range(RUNS):
        values = rng.normal(size=60)
        groups = np.split(values, 4)
        error = one_way(values, codes)
        means = [group.mean() for group in groups]
        shared = (means, 15, error.error_mean_square, error.error_df)
        lsd = compare_means(*shared, procedure="lsd")
        hits["F, one-way"] += error.p <= ALPHA
        hits["Kruskal & Wallis"] += kruskal_wallis(groups).p <= ALPHA
        hits["tukey"] += any_significant(compare_means(*shared))
        hits["dunn (holm)"] += any_significant(dunn(groups))
        hits["lsd, any pair"] += any_significant(lsd)
        hits["lsd, each"] += lsd.n_significant / lsd.n_pairs
    rates = {name: count / RUNS for name, count in hits.items()}
    shown("Four groups of 15 independent ratings", rates)
    for name in ("F, one-way", "Kruskal & Wallis", "tukey", "lsd, each"):
        assert abs(rates[name] - ALPHA) < SLACK, name
    assert rates["dunn (holm)"] < ALPHA + SLACK
    assert rates["lsd, any pair"] > 3 * ALPHA  # why the other procedures exist


def test_unequal_variances():
    rng = np.random.default_rng(22)
    sizes, spreads = (8, 12, 30), (4.0, 2.0, 1.0)
    hits = {"games & howell": 0, "tukey (equal variances)": 0}
    codes = np.repeat(np.arange(3), sizes)
    for _ in range(RUNS):
        groups = [rng.normal(0, sd, n) for n, sd in zip(sizes, spreads, strict=True)]
        error = one_way(np.concatenate(groups), codes)
        hits["games & howell"] += any_significant(games_howell(groups))
        hits["tukey (equal variances)"] += any_significant(
            compare_means([g.mean() for g in groups], sizes, error.error_mean_square, 47)
        )
    rates = {name: count / RUNS for name, count in hits.items()}
    shown("Small groups vary most", rates)
    assert abs(rates["games & howell"] - ALPHA) < SLACK + 0.01  # known to be a little liberal
    assert rates["tukey (equal variances)"] > 2 * ALPHA


def test_ranks_within_blocks():
    rng = np.random.default_rng(23)
    hits = {"Friedman's chi-square": 0, "Iman & Davenport's F": 0, "nemenyi": 0}
    for _ in range(RUNS):
        blocks = rng.normal(size=(20, 5)) + rng.normal(0, 3, (20, 1))
        found = friedman(blocks)
        hits["Friedman's chi-square"] += found.p <= ALPHA
        hits["Iman & Davenport's F"] += found.f_p <= ALPHA
        hits["nemenyi"] += any_significant(nemenyi(blocks))
    rates = {name: count / RUNS for name, count in hits.items()}
    shown("Five systems in 20 blocks, by ranks", rates)
    assert abs(rates["Iman & Davenport's F"] - ALPHA) < SLACK
    assert rates["Friedman's chi-square"] < ALPHA + SLACK
    assert abs(rates["nemenyi"] - ALPHA) < SLACK + 0.01
