"""Scales say which ratings are possible, in which order, and which end is best."""

import math

import pytest

from covary import (
    GraphicScale,
    InvalidArgument,
    Level,
    Preference,
    Scale,
    VerbalScale,
    VisualScale,
    YesNo,
    as_scale,
)
from covary.scales import ObservedScale, as_level


def test_levels_are_in_order():
    assert Level.NOMINAL < Level.ORDINAL < Level.INTERVAL < Level.RATIO
    assert [str(level) for level in Level] == ["nominal", "ordinal", "interval", "ratio"]


@pytest.mark.parametrize("name", ["ordinal", "ORDINAL", Level.ORDINAL], ids=repr)
def test_a_level_is_read_from_its_name(name):
    assert as_level(name) is Level.ORDINAL


@pytest.mark.parametrize("name", ["metric", "", 1, None], ids=repr)
def test_what_is_no_level_is_refused(name):
    with pytest.raises(InvalidArgument, match=r"is not a level.*'nominal', 'ordinal'"):
        as_level(name)


def test_a_verbal_scale_knows_all_its_categories():
    scale = VerbalScale([1, 2, 3, 4], best="low")
    assert scale.categories == (1, 2, 3, 4)
    assert (scale.low, scale.high, scale.best) == (1, 4, "low")
    assert [scale.accepts(x) for x in (1, 4, 5, 0, 2.5, None, "1")] == [True, True, *[False] * 5]


@pytest.mark.parametrize("wrong", [5, 0, "1", None, float("nan"), True], ids=repr)
def test_a_rating_that_is_not_on_the_scale_is_refused(wrong):
    scale = VerbalScale([2, 3, 4])
    with pytest.raises(InvalidArgument, match="is not a rating on this scale"):
        scale.check(wrong)


def test_places_are_ranks_until_steps_are_equal():
    scale = VerbalScale([1, 2, 4, 8])
    assert scale.positions() == (1, 2, 3, 4)
    assert scale.positions(Level.INTERVAL) == (1, 2, 4, 8)
    assert VerbalScale([1, 2, 4, 8], level="interval").positions() == (1, 2, 4, 8)
    assert VerbalScale(["bad", "fair", "good"]).positions(Level.INTERVAL) == (1, 2, 3)


def test_words_have_no_ends_in_numbers():
    scale = VerbalScale(["bad", "good"])
    assert math.isnan(scale.low)
    assert math.isnan(scale.high)


def test_labels_go_with_categories():
    labels = ("Very Poor", "Poor", "Barely Acceptable", "Good", "Very Good")
    assert VerbalScale(range(1, 6), labels=labels).labels == labels
    with pytest.raises(InvalidArgument, match="3 categories and 2 labels"):
        VerbalScale([1, 2, 3], labels=("a", "b"))


def test_unordered_labels_have_no_best_end():
    assert VerbalScale(["yes", "no", "unclear"], level="nominal").best is None


@pytest.mark.parametrize(
    ("categories", "advice"),
    [
        ([1], "at least two categories"),
        ([], "at least two categories"),
        ([1, 2, 2], "not all different"),
        (range(12), "VisualScale"),
    ],
    ids=["one", "none", "twice", "twelve"],
)
def test_a_scale_that_cannot_be_is_refused(categories, advice):
    with pytest.raises(InvalidArgument, match=advice):
        VerbalScale(categories)


def test_there_may_be_many_unordered_labels():
    assert len(VerbalScale(range(40), level="nominal").categories) == 40


def test_two_to_eleven_categories_are_a_verbal_scale():
    for k in (2, 11):
        assert len(VerbalScale(range(k)).categories) == k


@pytest.mark.parametrize("best", ["top", 1, ""], ids=repr)
@pytest.mark.parametrize(
    "make", [lambda b: VerbalScale([1, 2], best=b), lambda b: VisualScale(best=b),
             lambda b: YesNo(best=b)], ids=["verbal", "visual", "yes-no"],
)  # fmt: skip
def test_an_end_that_is_none_is_refused(make, best):
    with pytest.raises(InvalidArgument, match="is not an end of the scale"):
        make(best)


def test_a_visual_scale_takes_any_number_between_its_ends():
    scale = VisualScale(labels=("extremely bad", "excellent"))
    assert [scale.accepts(x) for x in (0, 57.25, 100)] == [True] * 3
    outside = (-0.1, 100.1, math.nan, math.inf, None, "50", True)
    assert not any(scale.accepts(x) for x in outside)
    assert scale.categories is None
    assert scale.level is Level.INTERVAL
    with pytest.raises(InvalidArgument, match="no list of categories"):
        scale.positions()


def test_a_line_needs_length():
    with pytest.raises(InvalidArgument, match="no length"):
        VisualScale(5, 5)


def test_a_graphic_scale_is_a_line_with_words_along_it():
    scale = GraphicScale({100: "good", 0: "poor", 50: "fair"})
    assert scale.descriptors == ((0, "poor"), (50, "fair"), (100, "good"))
    assert scale.accepts(25)
    assert isinstance(scale, VisualScale)
    with pytest.raises(InvalidArgument, match="descriptors at 101 lie outside 0 to 100"):
        GraphicScale({101: "beyond"})


def test_yes_or_no_has_two_categories():
    assert YesNo().categories == (0, 1)
    assert YesNo("nein", "ja").categories == ("nein", "ja")
    with pytest.raises(InvalidArgument, match="not all different"):
        YesNo("ja", "ja")


def test_a_preference_may_have_a_tie_in_the_middle():
    assert Preference().categories == ("A", "tie", "B")
    assert Preference("old", "new", tie=None).categories == ("old", "new")
    assert Preference().best is None


@pytest.mark.parametrize(
    ("text", "categories", "level"),
    [
        ("1-5", (1, 2, 3, 4, 5), "ordinal"),
        ("0-1", (0, 1), "ordinal"),
        (" 1 – 4 ", (1, 2, 3, 4), "ordinal"),
        ("1..7", tuple(range(1, 8)), "ordinal"),
        ("1 to 3", (1, 2, 3), "ordinal"),
        ("-2-2", (-2, -1, 0, 1, 2), "ordinal"),
        ("0-10", tuple(range(11)), "ordinal"),
        ("0-100", None, "interval"),
        ("good,fair,bad", ("good", "fair", "bad"), "ordinal"),
        ("yes/no", ("yes", "no"), "ordinal"),
        ("1,2,4", (1, 2, 4), "ordinal"),
    ],
)
def test_the_short_form_is_read(text, categories, level):
    scale = as_scale(text)
    assert scale.categories == categories
    assert str(scale.level) == level
    assert scale.declared


@pytest.mark.parametrize("text", ["five", "", "5-1", "3-3", "1,", "a,,b", "1-"], ids=repr)
def test_a_short_form_that_is_not_understood_is_refused(text):
    with pytest.raises(InvalidArgument):
        as_scale(text)


def test_the_short_form_takes_a_level_and_an_end():
    scale = as_scale("1-4", best="low", level="interval")
    assert (scale.best, scale.level) == ("low", Level.INTERVAL)
    assert as_scale("0-100", level="ratio").level is Level.RATIO


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (VerbalScale([1, 2, 3]), "ordinal: 1, 2, 3"),
        (VisualScale(), "interval: any number from 0 to 100"),
        (VerbalScale(["a", "b"], level="nominal"), "nominal: 'a', 'b'"),
    ],
    ids=str,
)
def test_a_scale_describes_itself(scale, words):
    assert scale.describe() == words


@pytest.mark.parametrize(
    "make",
    [
        lambda: VerbalScale([1, 2, 3], labels=("a", "b", "c")),
        lambda: VisualScale(0, 10),
        lambda: GraphicScale({0: "a"}),
        YesNo,
        Preference,
    ],
    ids=["verbal", "visual", "graphic", "yes-no", "preference"],
)
def test_a_scale_is_a_value(make):
    scale = make()
    assert isinstance(scale, Scale)
    assert scale == make()
    assert hash(scale) == hash(make())
    with pytest.raises(AttributeError):
        scale.level = Level.RATIO


def test_scales_that_differ_in_their_words_are_different():
    assert VerbalScale([1, 2], labels=("a", "b")) != VerbalScale([1, 2], labels=("c", "d"))
    assert VisualScale(labels=("a", "b")) != VisualScale()


def test_an_observed_scale_is_not_declared():
    assert not ObservedScale(Level.ORDINAL, (1, 2), 1.0, 2.0).declared
