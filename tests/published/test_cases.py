"""Every number that a paper or another program gives, against covary's."""

import math
import tomllib
from collections import Counter
from contextlib import nullcontext

import pytest

import covary
from covary.stats.suitability import FAMILIES
from tests.published.reading import CASES, FORMATS, KINDS, Case, all_cases, cases_of

ALL = all_cases()
NUMBERS = [case for case in ALL if case.kind != "policy"]
UNDEFINED = [case for case in ALL if case.kind == "policy"]
LATER = sorted((CASES / "later").glob("*.toml"))

VARIANTS = [name for names in FAMILIES.values() for name in names]
COEFFICIENTS = sorted({name.partition(" (")[0] for name in VARIANTS})

ERRORS = ("standard_error", "standard_error_over_n")

EXACT = 1e-9
EXACT_ERROR = 1e-8  # standard errors come from numerical derivatives


def estimate(case: Case) -> covary.Estimate:
    method = "analytic" if case.read in ("interval", *ERRORS) else None
    coefficient = getattr(covary, case.coefficient)
    expected_warning = pytest.warns(covary.SuitabilityWarning) if case.warns else nullcontext()
    with expected_warning:
        found = coefficient(case.ratings, interval=method, **case.options)
    return found if case.category is None else found[case.category]


def read(case: Case, found: covary.Estimate):
    if case.read.startswith("details."):
        return found.details[case.read.removeprefix("details.")]
    return READINGS[case.read](found)


def over_n(found: covary.Estimate) -> float:
    """The standard error of a program that divides by n where covary divides by n - 1."""
    return found.interval.standard_error * math.sqrt((found.n_items - 1) / found.n_items)


READINGS = {
    "value": lambda found: found.value,
    "standard_error": lambda found: found.interval.standard_error,
    "standard_error_over_n": over_n,
    "interval": lambda found: (found.interval.low, found.interval.high),
    "sorted rank_sums": lambda found: sorted(found.details["rank_sums"]),
}


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: case.name)
def test_covary_gives_the_number_of(case):
    found = read(case, estimate(case))
    assert found == pytest.approx(case.expected, abs=case.tolerance, rel=0)
    if case.exact is not None:
        digits = EXACT_ERROR if case.read in ("interval", *ERRORS) else EXACT
        assert found == pytest.approx(case.exact, abs=digits, rel=0)


@pytest.mark.parametrize("case", UNDEFINED, ids=lambda case: case.name)
def test_covary_says_that_there_is_no_number_for(case):
    with pytest.warns(covary.UndefinedWarning) as caught:
        found = estimate(case)
    assert math.isnan(found.value)
    assert found.interval is None
    reason = found.notes[-1]
    assert len(reason.split()) > 2
    assert reason in str(caught[-1].message)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_two_numbers_from_outside_stand_behind(coefficient):
    assert sum(case.coefficient == coefficient for case in NUMBERS) >= 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_number_from_outside_stands_behind(variant):
    assert variant in {case.variant for case in NUMBERS}


def test_every_case_is_named_once_and_says_where_it_comes_from():
    every = ALL + [case for path in LATER for case in cases_of(path)]
    assert [name for name, times in Counter(case.name for case in every).items() if times > 1] == []
    assert [case.name for case in every if not case.source or case.kind not in KINDS] == []
    assert [case.name for case in every if (case.exact is None) == bool(case.exact_source)] == []


def test_every_table_says_what_it_is_and_is_used():
    for path in sorted(CASES.rglob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        tables, cases = content.get("data", {}), content.get("case", [])
        assert set(tables) == {case["data"] for case in cases}, path.name
        assert all(table["about"] for table in tables.values()), path.name
        assert cases or all(study["source"] for study in content["study"]), path.name


def test_every_format_of_data_is_in_use():
    assert set(FORMATS) == {case.data["format"] for case in ALL}


@pytest.mark.parametrize("path", LATER, ids=lambda path: path.stem)
def test_cases_for_later_say_which_capability_they_wait_for(path):
    assert tomllib.loads(path.read_text(encoding="utf-8"))["waits_for"]
