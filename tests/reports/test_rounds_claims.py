"""What a report on rounds claims of constant ratings, equal means and small changes."""

import pytest

from covary import Ratings, VerbalScale
from covary.analysis.rounds import History, rounds
from covary.reports.rounds import rounds_report

FAITHFUL = {
    1: [(1, 4, 4), (5, 2, 5), (3, 3, 1), (2, 5, 2), (4, 4, 4), (2, 2, 2)],
    2: [(1, 1, 1), (5, 5, 5), (3, 3, 4), (2, 2, 2), (4, 4, 4), (3, 3, 3)],
    "evaluation": [(1, 1, 2), (5, 5, 5), (4, 4, 4), (2, 2, 2), (3, 3, 3), (5, 4, 5)],
}
"""Four of six items are more than one rank apart at first, and none later."""


def rated(label, *, nominal=False):
    """Six items by two systems: Coverage is 3 throughout, Faithfulness as above."""
    rows = [
        (f"{label}-{item}", judge, name, rating, "ab"[item % 2])
        for item, ranks in enumerate(FAITHFUL[label])
        for judge, rank in zip("ABC", ranks, strict=True)
        for name, rating in (("Coverage", 3), ("Faithfulness", rank))
    ]
    names = ("item", "judge", "criterion", "rating", "system")
    level = "nominal" if nominal else "ordinal"
    scales = {
        "Coverage": VerbalScale(range(1, 6), level=level),
        "Faithfulness": VerbalScale(range(1, 6)),
    }
    return Ratings(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), scale=scales)


def report(labels=(1, 2, "evaluation"), kinds=None, **options):
    history = History(kinds=kinds or {1: {"administrative": 1}})
    by_label = {label: rated(label, **options) for label in labels}
    return rounds_report(rounds(by_label, history=history, rng=1, resamples=50))


@pytest.fixture(scope="module")
def made():
    return report()


def evidence(made, criterion):
    causes = made.rounds[criterion].diagnosis.causes
    return " ".join(each.sentence for cause in causes for each in cause.evidence)


def test_an_undefined_alpha_is_not_said_to_come_from_a_single_round(made):
    said = evidence(made, "Coverage")
    assert "only one round" not in said
    assert "It cannot be said whether alpha changed" in said
    assert "only one round" in evidence(report(labels=(1,)), "Coverage")


@pytest.mark.parametrize(
    ("kinds", "end"),
    [
        ({1: {"administrative": 1}}, "; the guidelines changed, but no concept and no rule in"),
        ({1: {"rule": 1}}, " as the guidelines changed."),
        ({1: {}}, "; no changes of the guidelines are recorded."),
    ],
    ids=["administrative", "rule", "none"],
)
def test_a_change_of_the_guidelines_is_never_denied(kinds, end):
    said = evidence(report(kinds=kinds), "Faithfulness")
    assert f"fell from 4 of 6 items to 0 of 6{end}" in said


def test_systems_with_equal_means_have_no_order(made):
    orders = made.rounds["Coverage"].systems
    assert orders.sentence == "The means of the systems were and are equal (a, b)."
    assert orders.places == ({"a": 1, "b": 1}, {"a": 1, "b": 1})
    assert not orders.changed


def test_the_evaluation_is_no_round_of_rating(made):
    text = made.markdown()
    assert "2 rounds of rating and the evaluation were compared." in text
    assert "3 rounds" not in text


def test_the_level_of_alpha_is_that_of_every_criterion(made):
    assert "Krippendorff's alpha (ordinal; " in made.markdown()
    mixed = report(nominal=True).markdown()
    assert "Krippendorff's alpha (nominal on Coverage, ordinal on Faithfulness; " in mixed


def test_a_rise_that_is_not_shown_is_not_denied(made):
    (picture,) = (
        block
        for section in made.contents.sections
        for block in section.blocks
        if getattr(block, "key", "") == "alpha-picture"
    )
    assert picture.title.startswith("Alpha is shown to have risen on ")
    assert picture.title.endswith("of 2 criteria")
