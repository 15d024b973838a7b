"""How often the check cries wolf on clean studies, and how often it sees a defect."""

from collections import Counter

import numpy as np
import pytest

from covary.analysis.forensics import check
from tests.analysis.forensics.designs import DESIGNS
from tests.slow.defects import CURVES, power, read
from tests.slow.fresh_designs import FRESH

STUDIES = 100
"""Of each of the ten designs."""


@pytest.mark.parametrize("designs", [DESIGNS, FRESH], ids=["the thresholds'", "fresh"])
def test_fewer_than_two_percent_of_1000_clean_studies_have_a_serious_finding(designs):
    alarms, reasons = Counter(), Counter()
    for design in designs:
        for seed in range(STUDIES):
            serious = check(design(np.random.default_rng(seed))).serious
            alarms[design.__name__] += bool(serious)
            reasons.update(finding.code for finding in serious)
    print(f"\nserious findings in clean studies: {dict(alarms)}; {dict(reasons)}")
    assert sum(alarms.values()) < 0.02 * STUDIES * len(designs), reasons


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: f"{curve.finding}, {curve.case}")
def test_the_power_of_each_finding_is_as_the_documentation_draws_it(curve):
    """Twenty new studies a point may stray from the drawn share by 3.5 standard errors of both."""
    rows = [row for row in read() if (row["finding"], row["case"]) == (curve.finding, curve.case)]
    drawn = {float(row["strength"]): float(row["found"]) for row in rows}
    studies = int(rows[0]["studies"])
    assert set(drawn) == set(curve.strengths)
    for point in power(curve, 20, seed=1):
        share = drawn[point["strength"]]
        error = np.sqrt(max(share * (1 - share), 0.05) * (1 / 20 + 1 / studies))
        print(curve.finding, curve.case, point["strength"], share, point["found"])
        assert abs(point["found"] - share) <= 3.5 * error
