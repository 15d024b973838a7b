"""The climb to a top: where it ends, and what keeps a look ahead from losing height."""

import numpy as np
import pytest

from covary import Ratings
from covary.aggregate.em import JudgeModel, LatentTask, ModelOptions, climb, judge_weights
from covary.aggregate.votes import distinct_rows, votes_of
from covary.errors import ConvergenceError


def as_it_is(ahead, second):
    return ahead


def walk(step, start, *, repair=as_it_is, tolerance=1e-6, max_steps=1000, known=None):
    """Climb with one number; `step` gives the next number and the height of the given one."""

    def stepped(state):
        (following, height) = step(float(state[0][0]))
        return (np.array([following]),), height

    def top(number):
        return None if number is None else (np.array([number]),)

    options = {"tolerance": tolerance, "max_steps": max_steps, "known": top(known)}
    (found,), steps = climb(stepped, repair, top(start), **options)
    return float(found[0]), steps


def halved(number):
    """A step that goes half of the way to 0, whose height is 0."""
    return number / 2, -abs(number)


def two_hills(number):
    """A top at 10, of height 0, to which steps of about 1 lead, and one at 132, of height -9.5."""
    if number < 50:
        return min(10.0, number + 1 + 0.001 * number), -abs(number - 10)
    return 132 + (number - 132) / 2, -9.5 - abs(number - 132)


def test_a_look_ahead_that_loses_height_is_not_taken():
    """From 0 the next steps are 1 and 2.001, so 64 of them at once would land at 132.096.

    That is higher (-9.596) than 0 (-10) and lower than 1 (-9), where the climb already was.
    """
    seen = []

    def repair(ahead, second):
        seen.append(float(ahead[0][0]))
        return ahead

    assert walk(two_hills, 0.0, repair=repair)[0] == 10
    assert seen[0] == pytest.approx(2 * 64 + 64**2 * 0.001)


def test_a_look_ahead_that_loses_nothing_is_taken():
    """The steps of halving shrink evenly, so the look ahead is at 0 at once: 1 + 2 steps, and 1."""

    def on_level_ground(number):
        return number / 2, 0.0

    assert walk(on_level_ground, 1.0) == (0.0, 4)
    assert walk(halved, 1.0) == (0.0, 4)


def test_a_look_ahead_stays_within_what_is_possible():
    """Kept from passing 0.1, a climb by halving needs a further look ahead for each tenfold."""

    def repair(ahead, second):
        return (np.maximum(ahead[0], 0.1 * second[0]),)

    found, steps = walk(halved, 1.0, repair=repair, tolerance=1e-3)
    assert 0 < found < 1e-3
    assert steps > 4


@pytest.mark.parametrize(("start", "steps"), [(0.19, 1), (0.21, 4)])
def test_a_climb_that_comes_near_a_known_top_ends_there(start, steps):
    """A hundred tolerances are near: half of 0.19 is within 0.1 of the top, half of 0.21 is not."""
    assert walk(halved, start, tolerance=1e-3, known=-0.001)[0] in (0.0, -0.001)
    assert walk(halved, start, tolerance=1e-3, known=0.0)[1] == steps


def test_a_climb_without_end_is_told_with_its_last_state():
    def ever_on(number):
        return number + 1, number

    with pytest.raises(ConvergenceError, match="within 7 steps") as caught:
        walk(ever_on, 0.0, max_steps=7)
    assert caught.value.data["change"] == 1
    assert caught.value.state[0][0] > 2


@pytest.fixture
def task():
    """Two judges, two items (a a, a b); right or wrong with pseudo-votes 3 and 1 for each judge."""
    options = ModelOptions(
        "made up",
        criterion=None,
        ties="abstain",
        occasions="refuse",
        seed=0,
        prior="estimated",
        smoothing=4.0,
        starts=1,
        top="nearest",
        tolerance=1e-5,
        max_iterations=100,
    )
    same = np.eye(2)[None]

    def confusion(vectors):
        right, wrong = vectors[:, 0, None, None], vectors[:, 1, None, None]
        return right * same + wrong * (1 - same)

    def tally(_, expected):
        right = np.einsum("jkk->j", expected)
        return np.column_stack([right, expected.sum(axis=(1, 2)) - right])

    rows = distinct_rows(votes_of(Ratings.from_wide([["a", "a"], ["a", "b"]]), None, "refuse"))
    return LatentTask(rows, JudgeModel((2,), confusion, tally), options, np.array([[3.0, 1.0]]))


def test_a_step_says_how_high_it_began(task):
    """Item 1 (a a): .5·.8² + .5·.2² = .34; item 2 (a b): .8·.2 = .16; and both judges' priors."""
    state = (np.array([0.5, 0.5]), np.array([[0.8, 0.2], [0.8, 0.2]]))
    height = np.log(0.34) + np.log(0.16) + 2 * (3 * np.log(0.8) + np.log(0.2))
    assert task.step(state)[1] == pytest.approx(height)


def test_a_step_goes_to_what_fits_the_belief(task):
    """Item 1 is a with .64 / .68, so each judge is right so often on it, and half the time on 2."""
    state = (np.array([0.5, 0.5]), np.array([[0.8, 0.2], [0.8, 0.2]]))
    (prior, vectors), _ = task.step(state)
    first = 0.64 / 0.68
    assert prior == pytest.approx([(first + 0.5) / 2, 1 - (first + 0.5) / 2])
    assert vectors[0] == pytest.approx([(first + 0.5 + 3) / 6, 1 - (first + 0.5 + 3) / 6])


def test_a_look_ahead_is_brought_back_to_probabilities(task):
    """Below 0 counts as a tenth of the last step: (.9, .04) and (1.2, .02), each over its sum."""
    ahead = (np.array([0.9, -0.1]), np.array([[1.2, -0.2], [0.5, 0.5]]))
    second = (np.array([0.6, 0.4]), np.array([[0.8, 0.2], [0.5, 0.5]]))
    prior, vectors = task.repair(ahead, second)
    assert prior == pytest.approx([0.9 / 0.94, 0.04 / 0.94])
    assert vectors == pytest.approx(np.array([[1.2 / 1.22, 0.02 / 1.22], [0.5, 0.5]]))


def test_what_is_fitted_cannot_be_changed(task):
    for record, name in ((task, "rows"), (task.options, "starts"), (task.model, "sizes")):
        with pytest.raises(AttributeError):
            setattr(record, name, None)


MASK = 2**64 - 1


def split_mix(state):
    """SplitMix64 in whole numbers, as its authors write it (Steele, Lea & Flood 2014)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def test_the_mixer_is_the_published_one():
    """The first number of the reference implementation from the seed 0."""
    assert split_mix(0) == 0xE220A8397B1DCDAF


def test_further_starts_weigh_judges_by_what_they_did():
    """Ann voted a a b and twice with a sole majority (items 1 and 3); item 2 is a tie."""
    rows = [["a", "a", "b"], ["a", "b", None], ["b", "b", "b"]]
    votes = votes_of(Ratings.from_wide(rows, judges=["Ann", "Bo", "Cy"]), None, "refuse")
    first, second, third = judge_weights(votes, 3, 7)
    assert first.tolist() == [1, 1, 1]
    did = {0: (2, 1, 2), 1: (1, 2, 2), 2: (0, 2, 1)}
    for number, weights in ((1, second), (2, third)):
        for judge, counts in did.items():
            state = split_mix(7 ^ number)
            for count in counts:
                state = split_mix(state ^ count)
            expected = 0.01 + 0.99 * (state >> 11) / 2**53
            assert weights[judge] == pytest.approx(expected, rel=1e-12)
