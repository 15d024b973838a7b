"""Dawid and Skene's own data, converged; the numbers come from outside."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from covary import Ratings, VerbalScale
from covary.aggregate import dawid_skene
from covary.errors import ConvergenceError

PATH = Path(__file__).parents[1] / "published" / "cases" / "aggregate" / "dawid_skene.toml"
CONTENT = tomllib.loads(PATH.read_text(encoding="utf-8"))
ROWS = [
    [int(cell) for cell in line.split()]
    for line in CONTENT["data"]["anaesthetists"]["table"].splitlines()
    if line.strip()
]

READINGS = {
    "prior": lambda made: list(made.prior.values()),
    "log_likelihood": lambda made: made.convergence.log_likelihood,
    "ratings": lambda made: list(made.ratings),
    "confusion of judge 1, a row for each true category": lambda made: made.judges[0].confusion,
}


@pytest.fixture(scope="module")
def anaesthetists():
    item, judge, rating = (list(column) for column in zip(*ROWS, strict=True))
    scale = VerbalScale([1, 2, 3, 4], level="nominal")
    table = {"item": item, "judge": judge, "rating": rating}
    return Ratings(table, scale=scale, repeats="occasions")


@pytest.fixture(scope="module")
def fitted(anaesthetists):
    return dawid_skene(anaesthetists, smoothing=0, occasions="votes", tolerance=1e-8)


@pytest.mark.parametrize("case", CONTENT["case"], ids=lambda case: case["name"])
def test_the_published_data_give_the_known_values(case, fitted):
    found = np.asarray(READINGS[case["read"]](fitted), dtype=float)
    assert np.abs(found - np.asarray(case["expected"], dtype=float)).max() <= case["tolerance"]


def likelihood(made):
    """The log-likelihood written out, with no code of covary's."""
    total = 0.0
    for item in sorted({row[0] for row in ROWS}):
        mine = [row for row in ROWS if row[0] == item]
        total += np.log(
            sum(
                prior * np.prod([made.judges[j - 1].confusion[k, v - 1] for _, j, v in mine])
                for k, prior in enumerate(made.prior.values())
            )
        )
    return total


def test_the_likelihood_is_that_of_the_parameters(fitted):
    assert fitted.convergence.log_likelihood == pytest.approx(likelihood(fitted), abs=1e-8)


def test_the_paper_s_top_is_not_the_highest(anaesthetists, fitted):
    """Other starts reach a higher likelihood, which one start would never have shown."""
    highest = dawid_skene(
        anaesthetists, smoothing=0, occasions="votes", top="highest", starts=8, tolerance=1e-8
    )
    assert likelihood(highest) > likelihood(fitted) + 1
    assert highest.ratings != fitted.ratings
    assert any("starts ended elsewhere" in note for note in highest.notes)


def test_smoothing_brings_the_starts_together(anaesthetists):
    made = dawid_skene(anaesthetists, occasions="votes", starts=8)
    assert made.convergence.agreed == 8


def test_plain_em_ends_where_the_look_ahead_does(fitted):
    """Two hundred plain steps from the vote shares, written out with loops over arrays."""
    item, judge, vote = (np.array(column) - 1 for column in zip(*ROWS, strict=True))
    belief = np.zeros((45, 4))
    np.add.at(belief, (item, vote), 1)
    belief /= belief.sum(axis=1, keepdims=True)
    for _ in range(200):
        prior, confusion = belief.mean(axis=0), np.zeros((5, 4, 4))
        for i, j, v in zip(item, judge, vote, strict=True):
            confusion[j, :, v] += belief[i]
        confusion /= confusion.sum(axis=2, keepdims=True)
        belief = np.tile(prior, (45, 1))
        for i, j, v in zip(item, judge, vote, strict=True):
            belief[i] *= confusion[j, :, v]
        belief /= belief.sum(axis=1, keepdims=True)
    assert fitted.probabilities == pytest.approx(belief, abs=1e-6)


def test_too_few_steps_are_an_error_with_the_last_state(anaesthetists):
    with pytest.raises(ConvergenceError, match="allow more with max_iterations=") as caught:
        dawid_skene(anaesthetists, smoothing=0, occasions="votes", max_iterations=2)
    prior, vectors = caught.value.state
    assert prior.sum() == pytest.approx(1)
    assert vectors.shape == (5, 16)
