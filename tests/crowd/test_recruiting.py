"""What a study says about recruiting: prices, codes, rules, and what people did here."""

from dataclasses import replace
from decimal import Decimal

import pytest

from covary.crowd import Codes, Prices, Submission, lint, payments, study_cost
from covary.crowd.platforms import codes_of, name_of, new_table, platform_of, prices_of
from covary.errors import InvalidArgument
from covary.study import read_study
from covary.study.model import Recruiting
from tests.study.folders import TOML, write_study

ASKED = Recruiting(
    done="DONE1",
    pay=Decimal("2.00"),
    fee_share=Decimal("0.25"),
    minimum_wage=Decimal(12),
    minutes=10,
    places=30,
)
CODES = Codes("DONE1", "OUT1", "FAIL1", "BACK1")


@pytest.fixture
def study(tmp_path):
    """A study of two items for thirty people."""
    return replace(read_study(write_study(tmp_path / "s")), recruiting=ASKED)


def changed(study, **change):
    return replace(study, recruiting=replace(ASKED, **change))


def messages(study, **more):
    return {f"{each.weight}: {each.message}" for each in lint(study, **more)}


def test_checks_are_no_items_when_the_cost_of_an_item_is_told(study):
    """75.00 for two items are 37.50 for each, whatever else stands on the sheets."""
    check = replace(study.items[0], id="check", kind="check")
    found = study_cost(replace(study, items=(*study.items, check)))
    assert found.per_item == Decimal("37.5")


def test_people_are_paid_for_a_sheet(study):
    """30 × 2.00 and a quarter of it; 10 minutes are a sixth of an hour."""
    found = study_cost(study)
    assert (found.assignments, found.paid, found.fees) == (30, Decimal("60.00"), Decimal("15"))
    assert found.per_item == Decimal("37.5")
    assert found.hourly == pytest.approx(12.0)
    assert found.hours == pytest.approx(5.0)
    assert found.warnings == ()


def test_without_places_there_is_one_person_on_each_sheet(study):
    assert study_cost(changed(study, places=None)).assignments == study.design.judges


def test_a_study_that_does_not_recruit_or_pay_says_what_to_write(study):
    with pytest.raises(InvalidArgument, match=r"\[recruiting\]"):
        study_cost(replace(study, recruiting=None))
    with pytest.raises(InvalidArgument, match="pay = "):
        prices_of(replace(ASKED, pay=None))


def test_codes_and_platforms_are_those_of_the_study():
    assert codes_of(ASKED) == Codes("DONE1")
    assert name_of(ASKED) == "Prolific"
    assert platform_of(replace(ASKED, platform="link")) is None
    assert codes_of(replace(ASKED, done="", platform="sona")).done


def test_the_table_to_begin_from_can_be_read_and_has_codes_of_its_own(tmp_path):
    folder = write_study(tmp_path / "s", TOML + new_table())
    recruiting = read_study(folder).recruiting
    assert recruiting.done != recruiting.returned
    assert len(recruiting.done) == 10
    assert new_table() != new_table()


def test_what_prolific_does_not_allow_is_found(study):
    assert messages(study) == {"should: there is no attention check"}
    assert "must: people are sent back for one failed check" in messages(
        changed(study, failed="F", failed_checks_allowed=0)
    )
    assert "must: practice may be tried 1 times" in messages(
        changed(study, qualify=0.8, screened_out="S", attempts=1)
    )
    assert "should: An hour's work pays 6.00, less than the minimum wage of 12.00" in messages(
        changed(study, minutes=20)
    )
    assert "should: no minimum wage is set" in messages(changed(study, minimum_wage=None))
    assert "should: the study does not say what people are paid" in messages(
        changed(study, pay=None)
    )


def test_in_a_short_study_one_failed_check_may_end_it(study):
    short = changed(study, failed="F", failed_checks_allowed=0, minutes=4)
    assert not any(each.startswith("must") for each in messages(short))


def visit(name, status="AWAITING REVIEW", code="DONE1", seconds=None):
    return Submission(f"s-{name}", name, status, code, seconds)


def due(known, *visits):
    return payments(visits, Prices("2.00", wage=12), CODES, known)


@pytest.mark.parametrize(
    ("ended", "code", "pay", "to_do"),
    [
        ("done", "DONE1", "2.00", "approve"),
        ("done", "NONE", "2.00", "approve"),
        ("done", "", "2.00", "approve"),
        ("at work", "DONE1", "0", "look: came with the code"),
        ("returned", "DONE1", "0", "look: came with the code"),
        ("failed checks", "FAIL1", "0", "look at the failed checks"),
        ("returned", "BACK1", "0", "ask to return"),
        ("at work", "", "0", "look: has not finished here"),
    ],
)
def test_what_people_did_here_counts_more_than_a_code_that_they_typed(ended, code, pay, to_do):
    (found,) = due({"p": ended}, visit("p", code=code))
    assert found.pay == Decimal(pay)
    assert found.to_do.startswith(to_do)


def test_somebody_who_never_came_is_looked_at_and_not_paid():
    (found,) = due({}, visit("x"))
    assert (found.ended, found.pay) == ("not here", 0)
    assert found.to_do.startswith("look: came with the code")


def test_who_is_done_and_waits_sees_the_bonus_that_the_wage_asks_for():
    """900 s at 12.00 an hour are 3.00."""
    done, failed = due(
        {"p": "done", "q": "failed checks"},
        visit("p", seconds=900),
        visit("q", "AWAITING REVIEW", "FAIL1", 900),
    )
    assert (done.top_up, failed.top_up) == (Decimal("1.00"), 0)


def test_prolific_s_own_fee_is_named_where_the_study_names_none(study):
    """Thirty people at 2.00 are 60.00; 33.3 % more is 79.98, and 42.8 % more 85.68."""
    free = changed(study, fee=Decimal(0), fee_share=Decimal(0), platform="prolific")
    (note,) = [note for note in study_cost(free).warnings if note.code == "crowd.prolific-fee"]
    assert (note.data["academic_total"], note.data["corporate_total"]) == (
        Decimal("79.98"),
        Decimal("85.68"),
    )
    assert "33.3% of the pay" in note
    assert "20 September 2026" in note
    other = changed(study, fee=Decimal(0), fee_share=Decimal(0), platform="link")
    for known in (study, other):
        assert "crowd.prolific-fee" not in [note.code for note in study_cost(known).warnings]
