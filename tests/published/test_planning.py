"""Generalizability theory: every published component and coefficient."""

import tomllib

import pytest

from covary import Ratings
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


FACETS = tomllib.loads((CASES / "planning" / "two_facets.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("study", FACETS["study"], ids=lambda study: study["name"])
def test_brennans_two_facets_are_systems_sources_and_judges(study):
    table = [line.split() for line in study["table"].strip().splitlines()]
    facets = list(zip(study["occasions"], study["raters"], strict=True))
    rows = [
        (f"{person}-{occasion}", rater, person, occasion, float(score))
        for person, scores in enumerate(table)
        for (occasion, rater), score in zip(facets, scores, strict=True)
    ]
    names = ("item", "judge", "system", "source", "rating")
    columns = {name: list(own) for name, own in zip(names, zip(*rows, strict=True), strict=True)}
    found = components(Ratings(columns, level="interval"))
    assert dict(found.variances) == pytest.approx(study["variances"], abs=5e-5)
    reached = forecast(found, StudySize(**study["planned"]), object="systems")
    assert reached.generalisability == pytest.approx(study["generalisability"], abs=0.005)
    assert reached.dependability == pytest.approx(study["dependability"], abs=0.005)


@pytest.mark.parametrize("judges", ["named", "slots"])
@pytest.mark.parametrize("study", FACETS["nested"], ids=lambda study: study["name"])
def test_brennans_nested_items_are_judges_who_rate_once(study, judges):
    rows = [
        (person, f"{person}-{place}" if judges == "named" else place, float(score))
        for person, line in enumerate(study["table"].strip().splitlines())
        for place, score in enumerate(line.split())
    ]
    columns = dict(
        zip(("item", "judge", "rating"), map(list, zip(*rows, strict=True)), strict=True)
    )
    found = components(Ratings(columns, level="interval", judges=judges))
    assert dict(found.variances) == pytest.approx(study["variances"], abs=5e-5)
    size = StudySize(items=10, judges=80, votes=study["votes"])
    reached = forecast(found, size)
    assert reached.generalisability == pytest.approx(study["generalisability"], abs=0.005)
    assert reached.dependability == pytest.approx(study["dependability"], abs=0.005)
