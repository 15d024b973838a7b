"""A plan in every form: what it says of systems, of items, of what cannot be planned."""

import csv
import io
import json

import pytest

from covary import Ratings, datasets, plan_report
from covary.analysis.planning import Goal, Price, known_components
from covary.analysis.planning.allocation import Allocation
from covary.reports.planning.progress import is_worth_it

PUBLISHED = known_components(item=0.591, judge=0.196, residual=0.727)


@pytest.fixture(scope="module")
def systems_plan():
    # Two of the five criteria: each takes a simulation of its own.
    ratings = datasets.load("qgstec-original").select(criterion=["relevance", "variety"])
    return plan_report(ratings, goal=Goal(difference=0.3), price=Price(rating=0.05))


def test_every_criterion_has_a_row_and_a_section(systems_plan):
    names = [criterion.criterion for criterion in systems_plan.plan.criteria]
    assert sorted(names) == ["relevance", "variety"]
    short = systems_plan.short()
    assert all(name in short for name in names)
    keys = [section.key for section in systems_plan.contents.sections]
    assert keys[0] == "needed"
    assert keys[-1] == "registration"


def test_the_csv_has_every_size_with_its_cost(systems_plan):
    rows = list(csv.DictReader(io.StringIO(systems_plan.csv())))
    assert {row["criterion"] for row in rows} == {
        criterion.criterion for criterion in systems_plan.plan.criteria
    }
    for row in rows:
        ratings = int(row["systems"]) * int(row["items"]) * int(row["votes"])
        assert int(row["ratings"]) == ratings
        assert float(row["cost"]) == pytest.approx(0.05 * ratings)


def test_the_forms_are_written(systems_plan, tmp_path):
    for ending in ("html", "md", "tex", "json", "csv"):
        path = tmp_path / f"plan.{ending}"
        systems_plan.write(path)
        assert path.stat().st_size > 500
    content = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    assert content["plan"]["goal"]["target"] == 0.8


def test_judges_with_tastes_are_named_as_the_limit(systems_plan):
    variety = next(one for one in systems_plan.plan.criteria if one.criterion == "variety")
    assert variety.items_for_difference is None
    assert "more judges are needed" in systems_plan.short()


def test_items_are_planned_by_their_ratings():
    made = plan_report(PUBLISHED, planned={"items": 50, "judges": 5, "votes": 3})
    (criterion,) = made.plan.criteria
    assert criterion.object == "items"
    assert criterion.votes == 5  # .803 at five ratings, by Spearman-Brown
    assert criterion.power is None


def test_ratings_that_tell_nothing_are_planned_with_the_reason():
    made = plan_report(Ratings.from_wide([[3, 3], [3, 3]], level="interval"))
    assert made.plan.criteria[0].components.reason in made.short()
    assert made.plan.rows() == []


@pytest.mark.parametrize(("error", "offered"), [(0.0905, False), (0.080, True)])
def test_adaptive_ratings_are_offered_only_where_they_gain_something(error, offered):
    """Half a percent of a standard error does not pay for the balance that is lost."""
    found = Allocation(
        ratings=240, shares={"a": 120, "b": 120}, error=error, balanced_error=0.091, efficiency=0.99
    )
    assert is_worth_it(found) is offered
