"""What is notable about a judge while a study runs: the limits of each remark, by small numbers."""

import math

import pytest

from covary.ratings import Ratings
from covary.scales import VerbalScale
from covary.store.export import Collection
from covary.study.model import Criterion
from covary.web.researcher import measures
from covary.web.researcher.live import split_by_criterion
from covary.web.researcher.measures import (
    KnownAnswers,
    flags_of,
    measure_criterion,
    seconds_per_item,
)
from tests.web.studies import VISUAL

FIVE = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)))


def collected(*answers, criterion=FIVE):
    """What was collected: of each answer the judge, the place and the seconds, and what differs."""
    made = Collection([criterion])
    for judge, place, seconds, *more in answers:
        given = {"judge": judge, "order": place, "seconds": seconds, "occasion": 1, "rating": 3}
        given |= {"criterion": criterion.key} | dict(*more)
        for name, column in made.columns.items():
            column.append(given.get(name))
    return made


def table(**judges):
    """Ratings on one criterion, a row for each judge."""
    rows = [
        (judge, item, rating)
        for judge, ratings in judges.items()
        for item, rating in enumerate(ratings)
    ]
    columns = dict(zip(("judge", "item", "rating"), zip(*rows, strict=True), strict=True))
    columns["criterion"] = ("Fluency",) * len(rows)
    return {"Fluency": Ratings(columns, scale={"Fluency": FIVE.scale})}


def flagged(collection=None, parts=None, pace=None, known=None):
    """The remarks on each judge, as a kind and words."""
    found = flags_of(collection or collected(), parts or {}, pace=pace or {}, known=known or {})
    return {judge: [(flag.kind, flag.words) for flag in flags] for judge, flags in found.items()}


def test_the_time_on_an_item_is_that_of_its_last_answer_and_a_judges_is_the_median():
    """By hand: 9, 5 and 30 seconds; what was not timed does not count."""
    spent = seconds_per_item(
        collected(
            ("Ann", 1, 9.0), ("Ann", 1, 4.0), ("Ann", 2, 5.0), ("Ann", 3, None),
            ("Ann", 1, 30.0, {"occasion": 2}), ("Bob", 1, 2.0), ("Cid", 1, None),
        )
    )  # fmt: skip
    assert spent == {"Ann": 9.0, "Bob": 2.0}


def answered(*judges, items=10):
    return collected(*((judge, place, 9.0) for judge in judges for place in range(items)))


def test_hasty_is_who_takes_less_than_a_third_of_the_usual_time():
    judges = answered("Ann", "Bob", "Cid")
    assert flagged(judges, pace={"Ann": 9.0, "Bob": 9.0, "Cid": 3.0}) == {}
    words = "2.9 s per item, where half of the judges take 9.0 s or more"
    assert flagged(judges, pace={"Ann": 9.0, "Bob": 9.0, "Cid": 2.9}) == {
        "Cid": [("too fast", words)]
    }


def test_judges_who_are_all_too_fast_are_marked_because_covary_measured_their_seconds():
    judges = collected(
        *(
            (judge, place, 0.45, {"item": place, "rating": 1 + (place * step) % 5})
            for step, judge in enumerate(("Ann", "Bob", "Cid"), 1)
            for place in range(54)
        )
    )
    found = flagged(judges, parts=dict(split_by_criterion(judges)))
    for judge in ("Ann", "Bob", "Cid"):
        assert ("too fast", "Fluency: 54 of 54 answers within a second") in found[judge]


def test_nobody_is_hasty_on_few_items_or_among_few_judges():
    pace = {"Ann": 9.0, "Bob": 9.0, "Cid": 1.0}
    assert flagged(answered(*pace, items=9), pace=pace) == {}
    two = {"Ann": 9.0, "Cid": 1.0}
    assert flagged(answered(*two), pace=two) == {}


def test_one_failed_check_is_a_remark_and_of_known_answers_more_than_half():
    half, more = KnownAnswers(1, 2), KnownAnswers(1, 3)
    assert flagged(known={"Ann": {"check": half}, "Bob": {"gold": half}}) == {
        "Ann": [("failed checks", "1 of 2 failed")]
    }
    assert flagged(known={"Ann": {"check": KnownAnswers(2, 2)}, "Bob": {"gold": more}}) == {
        "Bob": [("known answers missed", "2 of 3 differ from the known answer")]
    }


def test_lines_that_were_left_untouched_are_counted_among_those_that_were_shown():
    shown = collected(
        ("Ann", 1, 9.0, {"rating": None}), ("Ann", 2, 9.0, {"rating": 0.0}),
        ("Bob", 1, 9.0, {"rating": 50.0}), criterion=VISUAL,
    )  # fmt: skip
    assert flagged(shown) == {"Ann": [("untouched scales", "1 of 2 left untouched")]}
    assert flagged(collected(("Ann", 1, 9.0, {"rating": None}))) == {}  # which is no line


ANN = [1, 5, 2, 4, 3, 1, 5, 3, 2, 4] * 3
BOB = [2, 5, 2, 4, 4, 1, 5, 3, 1, 4] * 3
CID = [4, 1, 3, 3, 5, 2, 2, 5, 1, 3, 4, 2, 1, 5, 3] * 2


def test_who_rates_like_another_is_named_with_the_other():
    kinds = flagged(parts=table(Ann=ANN, Bob=BOB, Cid=CID, Dan=CID))
    (cid,) = (words for kind, words in kinds["Cid"] if kind == "like another judge")
    (dan,) = (words for kind, words in kinds["Dan"] if kind == "like another judge")
    assert cid.startswith("Fluency: Dan: 30 of 30 common items have equal ratings")
    assert dan.startswith("Fluency: Cid: 30 of 30 common items have equal ratings")
    assert all(
        kind != "like another judge" for judge in ("Ann", "Bob") for kind, _ in kinds.get(judge, ())
    )


def apart(**judges):
    return {judge for judge, flags in flagged(parts=table(**judges)).items()
            if any(kind == "low agreement" for kind, _ in flags)}  # fmt: skip


def agreeing(items=30):
    """Three judges who order the items alike, and Cid, who turns the scale round."""
    alike = {name: row[:items] for name, row in (("Ann", ANN), ("Bob", BOB), ("Eve", ANN))}
    return alike | {"Cid": [6 - rating for rating in ANN[:items]]}


def test_who_orders_the_items_otherwise_is_named_where_there_are_others_to_compare_with():
    assert apart(**agreeing()) == {"Cid"}
    assert apart(**agreeing(10)) == {"Cid"}
    assert apart(**agreeing(9)) == set()
    of_two = {name: ratings for name, ratings in agreeing().items() if name in ("Ann", "Cid")}
    assert apart(**of_two) == set()  # which of the two would it be?


def test_judges_are_not_compared_with_all_others_where_that_takes_long(monkeypatch):
    monkeypatch.setattr(measures, "MOST_WORK", 4 * 4 * 30)
    assert apart(**agreeing()) == {"Cid"}
    monkeypatch.setattr(measures, "MOST_WORK", 4 * 4 * 30 - 1)
    assert apart(**agreeing()) == set()


def test_how_long_a_look_takes_is_limited_by_the_number_of_judges(monkeypatch):
    (ratings,) = table(Ann=ANN, Bob=BOB, Cid=CID).values()
    monkeypatch.setattr(measures, "FEW_JUDGES", 3)
    assert measure_criterion(FIVE, ratings).correlation.interval.method == "tilted score"
    monkeypatch.setattr(measures, "FEW_JUDGES", 2)
    monkeypatch.setattr(measures, "MANY_JUDGES", 3)
    assert measure_criterion(FIVE, ratings).correlation.interval.method == "jackknife"
    monkeypatch.setattr(measures, "MANY_JUDGES", 2)
    line = measure_criterion(FIVE, ratings)
    assert (line.correlation, line.verdict, line.verdict_words) == (None, None, "")
    assert line.explanation == ()
    assert math.isfinite(line.agreement.value)


def test_a_criterion_without_ratings_has_none_of_anything():
    line = measure_criterion(FIVE, None)
    assert (line.items, line.judges, line.ratings) == (0, 0, 0)
    assert (line.agreement_words, line.correlation_words) == ("–", "–")
    assert (line.verdict_words, line.explanation) == ("", ())


def test_a_verdict_is_explained_with_what_the_ratings_can_be_used_for():
    (ratings,) = table(Ann=ANN, Bob=BOB, Cid=CID).values()
    line = measure_criterion(FIVE, ratings)
    assert line.verdict_words == "not reliable"
    assert any("not reliable enough" in sentence for sentence in line.explanation[1:])
    assert "of the disagreement is severity" in line.explanation[-1]


@pytest.mark.parametrize(("value", "written"), [("-.12 [-.5, .3]", "−.12 [−.5, .3]"), ("–", "–")])
def test_numbers_below_zero_have_a_minus_and_not_a_hyphen(value, written):
    assert measures.with_minus_sign(value) == written


def test_of_a_criterion_that_nobody_rated_nothing_is_known_but_why():
    line = measure_criterion(FIVE, None)
    assert (line.items, line.judges, line.ratings) == (0, 0, 0)
    assert (line.agreement_words, line.correlation_words) == ("–", "–")
    assert (line.verdict_words, line.explanation) == ("", ())
    assert len(line.reasons) == 1
