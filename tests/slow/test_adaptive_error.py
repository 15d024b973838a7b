"""How often equal systems are called different after an adaptive step, beside equal shares.

Three equal systems and one that is far worse, 12 sources, first by 3 judges of 6 an item. Once the
confidence sequence has decided on the worst system and the others are open, the next ratings go by
`next_allocation` and `adaptive_sheets`; then the whole study is compared as `covary systems` does.
The same studies go on with equal shares of as many ratings.
"""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.planning import Goal, next_allocation, progress
from covary.analysis.systems import brief_systems
from covary.design import adaptive_sheets, make_plan
from covary.errors import InvalidArgument
from tests.design.studies import grid

SOURCES, JUDGES, MORE = 12, 6, 3
STUDY = grid(SOURCES, 4, kind="overlap", judges=JUDGES, judges_per_item=3, seed=1)
PLAN = make_plan(STUDY)
EQUAL = ("system 0", "system 1", "system 2")
WORSE = 2.5


class People:
    """Judges with severities and opinions, and texts that differ, drawn once for a study."""

    def __init__(self, rng):
        self.rng = rng
        self.sources = rng.normal(0, 0.4, SOURCES)
        self.texts = rng.normal(0, 0.5, (SOURCES, 4))
        self.severities = rng.normal(0, 0.4, JUDGES + MORE)
        self.opinions = rng.normal(0, 0.2, (JUDGES + MORE, 4))

    def rate(self, sheets):
        rows = []
        for sheet in sheets:
            for task in sheet.tasks:
                source, system = (int(number) for number in task.item[1:].split("s"))
                judge = sheet.number - 1
                rating = self.sources[source] + self.texts[source, system] - WORSE * (system == 3)
                rating += self.severities[judge] + self.opinions[judge, system]
                rating += self.rng.normal(0, 0.7)
                rows.append((task.item, judge, f"system {system}", source, rating))
        return rows


def as_ratings(rows):
    names = ("item", "judge", "system", "source", "rating")
    return Ratings(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), level="interval"
    )


def finds_a_difference(rows):
    """Whether some of the equal systems are called different."""
    (one,) = brief_systems(as_ratings(rows)).criteria
    return any(
        pair.significant and {str(pair.first), str(pair.second)} < set(EQUAL) for pair in one.pairs
    )


def one_study(rng):
    """Whether there was a step, and whether equal systems differ after it and with equal shares."""
    people = People(rng)
    rows = people.rate(PLAN.sheets)
    ratings = MORE * 2 * SOURCES
    try:
        offered = next_allocation(progress(as_ratings(rows), goal=Goal(difference=0.7)), ratings)
    except InvalidArgument:
        return False, False, False
    shares = {str(name): number for name, number in offered.shares.items()}
    adaptive = rows + people.rate(adaptive_sheets(STUDY, PLAN, shares, MORE))
    fair = dict.fromkeys((*EQUAL, "system 3"), ratings // 4)
    equal = rows + people.rate(adaptive_sheets(STUDY, PLAN, fair, MORE))
    return True, finds_a_difference(adaptive), finds_a_difference(equal)


def errors(studies, seed=1):
    """How many studies had a step, and in how many equal systems differ after either."""
    rng = np.random.default_rng(seed)
    return np.array([one_study(rng) for _ in range(studies)]).sum(axis=0)


def test_equal_systems_are_rarely_called_different_after_an_adaptive_step():
    stepped, adaptive, equal = errors(400)
    print(f"\nof {stepped} studies with a step: {adaptive} after it, {equal} with equal shares")
    assert stepped > 200
    assert adaptive / stepped <= 0.07
    assert adaptive / stepped == pytest.approx(equal / stepped, abs=0.03)
