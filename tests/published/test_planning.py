"""Generalizability theory: every published component and coefficient."""

import pytest

from covary.analysis.planning import StudySize, components, forecast
from tests.published.reading import CASES, cases_of

CASE_LIST = cases_of(CASES / "planning" / "generalizability.toml")
COMPONENTS = {"person": "item", "item": "judge", "residual": "residual"}
"""Brennan's persons are what covary calls items; his items are what judges are."""


@pytest.mark.parametrize("case", CASE_LIST, ids=lambda case: case.name)
def test_a_published_value_is_found(case):
    found = components(case.ratings)
    if case.coefficient == "variance_components":
        value = found[COMPONENTS[case.read.partition(".")[2]]]
    else:
        n_judges = case.options.get("n_items", 12)
        reached = forecast(found, StudySize(items=10, judges=n_judges, votes=n_judges))
        relative = case.coefficient == "g_coefficient"
        value = reached.generalisability if relative else reached.dependability
    assert value == pytest.approx(case.expected, abs=case.tolerance)
