"""Each kind of scale says everything of itself; nothing else asks which kind it is."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

import covary
from covary.errors import InvalidArgument
from covary.scales import (
    KINDS,
    BestWorstChoice,
    ChoiceControl,
    Drawing,
    FreeText,
    GraphicScale,
    Level,
    LineControl,
    NumberScale,
    ObservedScale,
    Preference,
    Scale,
    SeveralChoices,
    VerbalScale,
    VisualScale,
    YesNo,
)

EVERY_KIND = {
    "verbal": VerbalScale([1, 2, 3], labels=["poor", "fair", "good"]),
    "visual": VisualScale(labels=("bad", "good")),
    "graphic": GraphicScale({0: "poor", 100: "good"}),
    "yes-no": YesNo(),
    "preference": Preference(),
    "best-worst": BestWorstChoice(),
    "number": NumberScale(0, 25, whole=False),
    "several": SeveralChoices(["grammar", "spelling", "order"]),
    "text": FreeText(),
}


@pytest.fixture(params=KINDS)
def scale(request):
    return EVERY_KIND[request.param]


def test_every_kind_of_the_list_is_tried_here():
    assert EVERY_KIND.keys() == KINDS.keys()
    assert all(type(scale) is KINDS[kind] for kind, scale in EVERY_KIND.items())


def test_what_a_page_sends_is_the_rating_that_it_shows_again(scale):
    control = scale.control(Drawing(order=(1, 0)))
    ratings = scale.categories or (scale.low, 12.5, scale.high)
    if not scale.analysed or scale.rated != scale:
        ratings = (scale.simulate([0.2, 0.3]), scale.simulate([0.9, 0.3]))
    for rating in ratings:
        assert control.rating(control.sent(rating)) == rating


def test_a_simulated_judge_gives_a_possible_rating(scale):
    for quality in (-1.0, 0.0, 0.3, 1.0, 2.0):
        assert scale.accepts(scale.simulate([quality, 0.5], 0.1))


def test_a_severe_judge_sees_less_except_in_a_comparison(scale):
    mild, severe = scale.simulate([0.9, 0.2]), scale.simulate([0.9, 0.2], 0.6)
    assert (mild == severe) == scale.compares


def test_a_cell_of_a_spreadsheet_is_read_as_a_rating(scale):
    rating = scale.simulate([1.0, 0.0])
    assert scale.read(f" {rating} ") == rating
    assert (scale.read("what else") is None) == (scale.kind != "text")


@pytest.mark.parametrize(
    ("scale", "threshold"),
    [
        (VerbalScale([1, 2, 3, 4]), 1),
        (VerbalScale(["a", "b", "c"], level="nominal"), 0),
        (VisualScale(0, 10), 2),
        (YesNo(), 0),
        (Preference(), 1),
        (Preference(tie=None), 0),
    ],
)
def test_ratings_further_apart_than_this_are_worth_a_discussion(scale, threshold):
    assert scale.threshold() == threshold


def test_only_a_line_has_to_be_touched(scale):
    control = scale.control()
    assert control.needs_touch == isinstance(control, LineControl)
    assert isinstance(control, ChoiceControl) == (scale.categories is not None)


def test_words_stand_beside_the_answers():
    assert EVERY_KIND["verbal"].answer_words() == {1: "poor", 2: "fair", 3: "good"}
    assert EVERY_KIND["visual"].answer_words() == {0: "bad", 100: "good"}
    assert EVERY_KIND["graphic"].answer_words() == {0: "poor", 100: "good"}
    assert EVERY_KIND["yes-no"].answer_words() == {0: "no", 1: "yes"}
    assert EVERY_KIND["preference"].answer_words() == {}


def test_words_of_a_verbal_scale_can_be_changed_and_the_rest_stays():
    scale = VerbalScale([1, 2], best="low", level="interval", polarity="bipolar")
    changed = scale.with_labels(["good", "bad"])
    assert changed == VerbalScale(
        [1, 2], labels=["good", "bad"], best="low", level="interval", polarity="bipolar"
    )
    assert changed.with_labels(["good", "bad"]) is changed
    assert scale.labelled == (1, 2)
    with pytest.raises(InvalidArgument, match="no labels to change"):
        YesNo().with_labels(["no", "yes"])


def test_what_was_only_observed_can_be_listed_and_not_written_down():
    seen = ObservedScale(Level.ORDINAL, (1, 2), 1, 2)
    assert [choice.rating for choice in seen.control().choices] == [1, 2]
    assert (seen.declared, seen.level_guessed) == (False, True)
    with pytest.raises(InvalidArgument, match="ObservedScale cannot be written in"):
        seen.to_table()
    with pytest.raises(InvalidArgument, match="cannot be drawn"):
        ObservedScale(Level.INTERVAL, None, 0, 1).control()


def test_a_further_kind_of_question_is_one_class():
    @dataclass(frozen=True)
    class Stars(Scale):
        kind: ClassVar[str] = "stars"
        appearance: ClassVar[str] = "stars to give"
        level: Level = Level.ORDINAL
        categories: Any = (1, 2, 3, 4, 5)
        low: float = 1
        high: float = 5
        words: dict[int, str] = field(default_factory=lambda: {5: "perfect"})

        def answer_words(self):
            return self.words

        def to_table(self):
            return {"kind": self.kind}

    stars = Stars()
    assert stars.describe() == "ordinal: 1, 2, 3, 4, 5"
    assert stars.control().words(5) == "5 perfect"
    assert (stars.simulate([0.8]), stars.read("4"), stars.threshold()) == (4, 4, 1)


def test_nothing_else_asks_which_kind_a_scale_is():
    source = Path(covary.__file__).parent
    kinds = "|".join(("ObservedScale", *(kind.__name__ for kind in KINDS.values())))
    asking = re.compile(rf"isinstance\([^)]*\b({kinds})\b")
    assert [str(file) for file in source.rglob("*.py") if asking.search(file.read_text())] == []
