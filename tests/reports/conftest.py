"""Studies to report on, small enough to be quick."""

import numpy as np
import pytest

from covary import Ratings, report
from covary.scales import Level
from covary.stats.estimate import Estimate, Interval

HOSTILE = '<script>alert("x")</script> & \\ $ | _'


@pytest.fixture
def made_estimate():
    def make(value, low=None, high=None):
        interval = None if low is None else Interval(low, high, 0.95, "jackknife")
        return Estimate("alpha", value, interval, 10, 2, 20, 0, Level.ORDINAL, ("a reason",))

    return make


@pytest.fixture(scope="session")
def severe():
    """Two judges of whom one is stricter: they disagree and covary perfectly."""
    mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    return Ratings.from_wide(list(zip(mild, strict, strict=True)), scale="1-3")


@pytest.fixture(scope="session")
def hostile():
    """A study whose every name is a piece of markup."""
    rng = np.random.default_rng(5)
    rows = {name: [] for name in ("item", "judge", "rating", "criterion", "group")}
    for item in range(12):
        truth = rng.integers(1, 5)
        for place in range(3):
            rows["item"].append(f"{HOSTILE} {item}")
            rows["judge"].append(f"{HOSTILE} judge {place}")
            rows["rating"].append(int(np.clip(truth + rng.integers(-1, 2), 1, 5)))
            rows["criterion"].append(f"{HOSTILE} criterion")
            rows["group"].append(f"{HOSTILE} group {place // 2}")
    return Ratings(rows, scale="1-5")


@pytest.fixture(scope="session")
def continuous():
    """A simulated study with everything: groups, order, seconds, five judges, a line to 100."""
    rng = np.random.default_rng(7)
    names = ("item", "judge", "rating", "criterion", "group", "order", "seconds")
    rows = {name: [] for name in names}
    truth = rng.normal(55, 18, 20)
    for criterion, noise in (("fluency", 5), ("adequacy", 25)):
        for place, judge in enumerate(("Ann", "Bo", "Cy", "Dee")):
            for order, item in enumerate(rng.permutation(20)):
                rating = truth[item] + 6 * place + rng.normal(0, noise)
                row = (f"q{item}", judge, float(np.clip(rating, 0, 100)), criterion,
                       "crowd" if place > 1 else "expert", order + 1,
                       float(rng.lognormal(2, 0.4)))  # fmt: skip
                for name, value in zip(names, row, strict=True):
                    rows[name].append(value)
    return Ratings(rows, scale="0-100")


@pytest.fixture(scope="session")
def severe_report(severe):
    return report(severe, rng=1)


@pytest.fixture(scope="session")
def hostile_report(hostile):
    return report(hostile, rng=1, title=f"{HOSTILE} title")


@pytest.fixture(scope="session")
def continuous_report(continuous):
    return report(continuous, rng=1)
