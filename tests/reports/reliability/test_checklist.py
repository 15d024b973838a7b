"""Each point is passed, failed or unknown for a reason, and taking a fact away flips it."""

from dataclasses import replace

import pytest

import covary
from covary.analysis.forensics import Finding, Findings
from covary.errors import InvalidArgument
from covary.reports.blocks import Paragraph, Table
from covary.reports.reliability.checklist import ANSWERS, checklist, grras, shortcomings
from tests.reports import studies

NOTHING = Findings(())
SAID = {name: f"about {name}" for name in ANSWERS} | {
    "independent": True,
    "title": "On the reliability of judges",
}


def states(checks):
    return {check.key: check.state for check in checks}


def six(ratings, answers=None, findings=NOTHING, **keywords):
    return states(shortcomings(studies.measured(ratings, **keywords), ratings, findings, answers))


def fifteen(ratings, answers=None, findings=NOTHING, **keywords):
    return states(grras(studies.measured(ratings, **keywords), ratings, findings, answers))


def test_the_six_shortcomings_without_any_answer():
    assert six(studies.severity()) == {
        "coefficient": "pass",
        "collection": "unknown",
        "level": "pass",
        "items": "pass",
        "independence": "unknown",
        "interpretation": "unknown",
    }


def test_grras_without_any_answer():
    assert fifteen(studies.severity()) == {
        "1 title": "unknown",
        "2 device": "pass",
        "3 items": "unknown",
        "4 judges": "unknown",
        "5 background": "unknown",
        "6 size": "unknown",
        "7 sampling": "unknown",
        "8 process": "unknown",
        "9 independence": "unknown",
        "10 analysis": "pass",
        "11 numbers": "pass",
        "12 characteristics": "unknown",
        "13 uncertainty": "pass",
        "14 relevance": "unknown",
        "15 details": "unknown",
    }


def test_every_point_passes_when_everything_is_said():
    assert set(six(studies.severity(), SAID).values()) == {"pass"}
    assert set(fifteen(studies.severity(), SAID).values()) == {"pass"}


@pytest.mark.parametrize("name", ANSWERS)
def test_taking_an_answer_away_makes_something_unknown(name):
    fewer = {key: said for key, said in SAID.items() if key != name}
    found = six(studies.severity(), fewer), fifteen(studies.severity(), fewer)
    assert "unknown" in {state for each in found for state in each.values()}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_empty_answer_makes_something_fail(name):
    empty = SAID | {name: ""}
    found = six(studies.severity(), empty), fifteen(studies.severity(), empty)
    assert "fail" in {state for each in found for state in each.values()}


def test_a_value_without_its_coefficient_fails():
    ratings = studies.severity()
    found = studies.measured(ratings)
    only = found.criteria[0]
    nameless = replace(only.overall, agreement=replace(only.overall.agreement, name="", title=""))
    found = replace(found, criteria=(replace(only, overall=nameless),))
    assert states(shortcomings(found, ratings, None))["coefficient"] == "fail"


def test_no_items_fail():
    ratings = studies.severity()
    found = studies.measured(ratings)
    empty = replace(found, criteria=(replace(found.criteria[0], n_items=0),))
    assert states(shortcomings(empty, ratings, None))["items"] == "fail"
    assert states(grras(empty, ratings, None))["11 numbers"] == "fail"


def test_a_coefficient_of_another_level_fails_with_the_way_out():
    ratings = studies.severity()
    found = studies.measured(ratings)
    alpha = covary.krippendorff_alpha(ratings, interval=None)
    nominal = replace(alpha, settings={**alpha.settings, "distance": "nominal"})
    only = found.criteria[0]
    found = replace(
        found, criteria=(replace(only, overall=replace(only.overall, agreement=nominal)),)
    )
    check = next(c for c in shortcomings(found, ratings, None) if c.key == "level")
    assert check.state == "fail"
    assert "krippendorff_alpha(level='ordinal')" in check.why


def test_a_guessed_level_is_unknown_and_an_undeclared_scale_fails():
    rows = list(zip(studies.MILD, studies.STRICT, strict=True))
    guessed = covary.Ratings.from_wide(rows)
    found = six(guessed)
    assert (found["level"], found["collection"]) == ("unknown", "fail")
    assert fifteen(guessed)["2 device"] == "fail"


def test_two_categories_suit_every_level():
    assert six(studies.two_criteria().select(criterion="topic"))["level"] == "pass"


def test_slots_fail_the_collection():
    assert six(studies.shipped("flickr8k-experts"))["collection"] == "fail"


def test_without_intervals_the_uncertainty_is_missing():
    assert fifteen(studies.severity(), intervals=False)["13 uncertainty"] == "fail"


def test_a_constant_study_has_nothing_to_interpret():
    assert six(studies.constant())["interpretation"] == "fail"
    assert fifteen(studies.constant())["13 uncertainty"] == "fail"


def test_judges_who_worked_together_are_stated_as_such():
    assert six(studies.severity(), {"independent": False})["independence"] == "pass"


def test_judges_who_copy_contradict_their_independence():
    copied = Findings((Finding("copying-judge", "serious", about={"judges": ("Ann", "Bo")}),))
    found = six(studies.severity(), {"independent": True}, copied)
    assert found["independence"] == "fail"


def test_a_title_must_speak_of_reliability():
    assert fifteen(studies.severity(), {"title": "Better stories"})["1 title"] == "fail"
    assert fifteen(studies.severity(), {"title": "Agreement of judges"})["1 title"] == "pass"


def test_an_answer_that_nobody_asked_for_is_refused():
    with pytest.raises(InvalidArgument, match=r"recruitmnt.*is not asked for"):
        six(studies.severity(), {"recruitmnt": "by mail"})


def test_the_numbers_are_in_the_reasons():
    ratings = studies.shipped("qgstec-reevaluated")
    check = next(c for c in shortcomings(studies.measured(ratings), ratings, None)
                 if c.key == "items")  # fmt: skip
    assert check.why == "896 items, 3 judges, 2,688 ratings on each criterion."


def test_the_blocks_are_a_summary_and_two_tables():
    ratings = studies.severity()
    summary, first, second = checklist(studies.measured(ratings), ratings, NOTHING)
    assert isinstance(summary, Paragraph)
    assert summary.text.startswith(
        "7 of 21 points are answered, 0 fail and 14 cannot be answered from the ratings."
    )
    assert isinstance(first, Table)
    assert isinstance(second, Table)
    assert (len(first.rows), len(second.rows)) == (6, 15)
    assert "Amidei et al. 2019" in first.caption
    assert "Kottner et al. 2011" in second.caption
