"""The next ratings where they help most: shares of systems, thin items, and what is refused."""

import pytest

from covary.analysis.planning import PairStanding, StudySize, known_components
from covary.analysis.planning.allocation import CriterionStanding, allocate


def pair(first, second, state):
    return PairStanding(
        first=first, second=second, difference=1.0, standard_error=0.1, df=20.0,
        low=0.5, high=1.5, state=state,
    )  # fmt: skip


def standing(*states):
    names = [("a", "b"), ("a", "c"), ("b", "c")]
    return CriterionStanding(
        components=known_components(item=0.4, judge_system=0.1, residual=0.8),
        size=StudySize(systems=3, items=10, judges=5, votes=4),
        pairs=tuple(pair(*two, state) for two, state in zip(names, states, strict=True)),
    )


def test_a_fifth_is_spread_and_the_rest_goes_to_open_pairs():
    found = allocate([standing("open", "different", "different")], "abc", 60)
    assert found.shares == {"a": 28, "b": 28, "c": 4}  # 60 × (.2 / 3 + .8 / 2) and 60 × .2 / 3
    # Variances .04 + .02 + .8 / (40 + ratings): 20 each, or 28, 28 and 4.
    fair, more, less = (0.06 + 0.8 / (40 + added) for added in (20, 28, 4))
    assert found.error == pytest.approx((2 * more) ** 0.5)
    assert found.balanced_error == pytest.approx((2 * fair) ** 0.5)
    assert found.efficiency == pytest.approx(3 * fair / (2 * more + less))


@pytest.mark.parametrize("state", ["open", "different"])
def test_equal_shares_are_best_where_all_or_nothing_is_decided(state):
    assert allocate([standing(state, state, state)], "abc", 60) is None
