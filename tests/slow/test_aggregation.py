"""How often do combined ratings hit the truth? Simulated crowds, beside counting votes.

Three kinds of crowd, each what one of the models assumes, with and without spammers; rates are
means over runs and are printed. Maximum likelihood is Dawid and Skene without smoothing.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from covary import Ratings, VerbalScale
from covary.aggregate import combine, combined_error, dawid_skene, glad
from tests.aggregate.crowds import coins, crowd, with_spammers
from tests.aggregate.test_accuracy import (
    coin_crowd,
    neighbours_crowd,
    real_share,
    spammed_crowd,
)

RUNS = 20

METHODS = {
    "majority": ("majority", {"ties": "random"}),
    "maximum likelihood": ("dawid-skene", {"smoothing": 0}),
    "Dawid & Skene": ("dawid-skene", {}),
    "one coin": ("one-coin", {}),
    "MACE": ("mace", {}),
    "GLAD": ("glad", {}),
}


def one_coin_judges(rng, judges, categories):
    return coins(rng.uniform(0.55, 0.95, judges), categories)


def confused_judges(rng, judges, categories):
    rows = 0.7 + 6 * np.eye(categories)
    return np.stack([[rng.dirichlet(row) for row in rows] for _ in range(judges)])


# name: judges, categories, votes per item, share of spammers, kind, prior
SETTINGS = {
    "many votes per judge": (40, 3, 5, 0.3, one_coin_judges, None),
    "few votes per judge": (100, 3, 3, 0.3, one_coin_judges, None),
    "own confusions": (40, 3, 5, 0.3, confused_judges, None),
    "own confusions, one category common": (40, 3, 5, 0.3, confused_judges, (0.7, 0.2, 0.1)),
    "five categories": (40, 5, 5, 0.3, one_coin_judges, None),
    "two categories, few votes": (200, 2, 3, 0.3, one_coin_judges, None),
}


def rates(setting):
    judges, categories, votes, share, kind, prior = SETTINGS[setting]
    found = {name: [] for name in METHODS}
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        confusion, spammers = with_spammers(kind(rng, judges, categories), share, rng)
        made = crowd(confusion, rng, items=400, votes=votes, prior=prior, spammers=spammers)
        for name, (method, options) in METHODS.items():
            found[name].append(made.correct(combine(made.ratings, method, **options)))
    return {name: float(np.mean(each)) for name, each in found.items()}


@pytest.mark.parametrize("setting", SETTINGS)
def test_models_beat_majority_where_there_are_spammers(setting):
    found = rates(setting)
    print(f"\n{setting}: " + ", ".join(f"{name} {rate:.3f}" for name, rate in found.items()))
    assert found["Dawid & Skene"] > found["maximum likelihood"] - 0.005
    if setting == "two categories, few votes":  # one-sided and wrong look alike there
        assert min(found["Dawid & Skene"], found["MACE"]) > found["majority"]
        return
    for name in ("Dawid & Skene", "one coin", "MACE", "GLAD"):
        assert found[name] > found["majority"] + 0.02


def test_own_confusions_are_what_dawid_and_skene_is_for():
    found = rates("own confusions, one category common")
    assert found["Dawid & Skene"] > max(found["one coin"], found["MACE"]) + 0.005


def test_confusion_matrices_are_recovered_as_votes_grow():
    errors = []
    for items in (100, 1000, 10_000):
        rng = np.random.default_rng(1)
        made = crowd(confused_judges(rng, 6, 3), rng, items=items, votes=5)
        fits = dawid_skene(made.ratings).judges
        found = np.stack([fit.confusion for fit in fits])
        errors.append(float(np.sqrt(np.mean((found - made.confusion) ** 2))))
    print(f"\nroot mean square error of confusions: {[round(error, 4) for error in errors]}")
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.015


def test_certainty_means_what_it_says_where_judges_have_many_votes():
    """Among items that a model calls 90 % certain, nine in ten are right."""
    sure, right = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        made = crowd(one_coin_judges(rng, 8, 3), rng, items=400, votes=5)
        combined = combine(made.ratings, "one-coin")
        sure.append(combined.certainty)
        right.append(np.array(combined.ratings) == made.truth)
    sure, right = np.concatenate(sure), np.concatenate(right)
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        inside = (sure >= low) & (sure < high)
        print(f"\ncertainty {low}-{high}: mean {sure[inside].mean():.3f}, "
              f"right {right[inside].mean():.3f} of {inside.sum()}")  # fmt: skip
        assert right[inside].mean() == pytest.approx(sure[inside].mean(), abs=0.05)


def test_glad_recovers_ability_and_ease():
    rng = np.random.default_rng(6)
    ability, ease = rng.normal(1, 1, 60), rng.normal(1, 1, 2000)
    truth = rng.integers(0, 3, 2000)
    right = rng.random((2000, 60)) < 1 / (1 + np.exp(-np.exp(ease)[:, None] * ability))
    wrong = (truth[:, None] + rng.integers(1, 3, (2000, 60))) % 3
    votes = np.where(right, truth[:, None], wrong).astype(float)
    votes[rng.random(votes.shape) > 0.3] = np.nan
    made = glad(Ratings.from_wide(votes, scale=VerbalScale(range(3), level="nominal")))
    found = np.array([fit.parameters["ability"] for fit in made.judges])
    log_ease = np.log(made.details["easiness"])
    by_ability, by_ease = np.corrcoef(found, ability)[0, 1], np.corrcoef(log_ease, ease)[0, 1]
    print(f"\ncorrelation of abilities {by_ability:.3f}, of log easiness {by_ease:.3f}")
    assert by_ability > 0.97
    assert by_ease > 0.7


@pytest.mark.parametrize(("judges", "votes"), [(5, 5), (2000, 3)], ids=["few", "many"])
def test_a_million_votes(judges, votes):
    rng = np.random.default_rng(0)
    items = 1_000_000 // votes
    confusion, _ = with_spammers(one_coin_judges(rng, judges, 5), 0.2, rng)
    truth = rng.integers(0, 5, items)
    item = np.repeat(np.arange(items), votes)
    spread = np.arange(votes) * (judges // votes)
    judge = ((rng.integers(0, judges, items)[:, None] + spread) % judges).ravel()
    heap = confusion[judge, truth[item]].cumsum(axis=1)
    vote = np.minimum((rng.random(item.size)[:, None] > heap).sum(axis=1), 4)
    table = {"item": item, "judge": judge, "rating": vote}
    ratings = Ratings(table, scale=VerbalScale(range(5), level="nominal"))
    right = {}
    for name, (method, options) in METHODS.items():
        if name != "maximum likelihood":
            start = time.process_time()
            made = combine(ratings, method, **options)
            right[name] = float(np.mean(np.array(made.ratings) == truth))
            print(f"\n{item.size:,} votes, {judges} judges, {name}: right {right[name]:.3f}, "
                  f"{time.process_time() - start:.1f} s of processor time")  # fmt: skip
    assert min(right.values()) == right["majority"]


STATED = ("majority", "one-coin", "dawid-skene", "mace")
SEEDS = range(20)


@pytest.mark.parametrize("simulated", [coin_crowd, spammed_crowd, neighbours_crowd])
def test_the_stated_error_is_within_a_factor_of_one_and_a_half_or_there_is_none(simulated):
    """Of 80 crowds and methods, how far the stated share lies from the real one."""
    ratios = []
    for seed in SEEDS:
        people = simulated(np.random.default_rng(seed))
        for method in STATED:
            made = combine(people.ratings, method)
            error = combined_error(people.ratings, made)
            if error.basis == "model":
                ratios.append(error.share / real_share(made, people.truth))
    within = np.mean([1 / 1.5 < ratio < 1.5 for ratio in ratios])
    print(f"\n{simulated.__name__}: {len(ratios)} numbers, {min(ratios):.2f} to {max(ratios):.2f} "
          f"of the real share, {within:.0%} within 1.5")  # fmt: skip
    assert within >= 0.95
