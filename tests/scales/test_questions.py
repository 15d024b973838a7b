"""Questions beyond one scale: what they take, how they are drawn, simulated and written."""

import pytest

from covary.errors import InvalidArgument
from covary.formats.toml_tables import Faults, KeyLines, TomlTable
from covary.scales import (
    KINDS,
    BestWorstChoice,
    Drawing,
    FreeText,
    NumberScale,
    SeveralChoices,
    VerbalScale,
    scale_from_table,
)


def table(content, faults=None):
    return TomlTable(content, "study.toml", faults or Faults("a study"), KeyLines({}))


def scale_faults(content):
    faults = Faults("a study")
    assert scale_from_table(table(content, faults)) is None
    return [str(fault) for fault in faults.found]


def test_points_have_words_at_their_ends_only_and_stand_in_a_row():
    scale = VerbalScale(range(1, 6), labels=("bad", "", "", "", "good"))
    drawn = scale.control()
    assert drawn.look == "points"
    assert [(choice.number, choice.words) for choice in drawn.worded] == [
        ("1", "bad"),
        ("5", "good"),
    ]
    assert scale.answer_words() == {1: "bad", 5: "good"}
    assert not scale.lacks_words


def test_bare_numbers_are_points_too_and_lack_words():
    assert VerbalScale(range(1, 6)).control().look == "points"
    assert VerbalScale(range(1, 6)).lacks_words
    assert VerbalScale(range(1, 6)).control(Drawing(vertical=True)).look == "list"
    assert VerbalScale(["x", "y"]).control().look == "list"
    assert not VerbalScale(["x", "y"]).lacks_words


@pytest.mark.parametrize("best", ["high", "low"])
def test_a_list_is_drawn_in_the_order_in_which_it_was_written(best):
    scale = VerbalScale([1, 2, 3], labels=("a", "b", "c"), best=best)
    assert [choice.rating for choice in scale.control().choices] == [1, 2, 3]


def test_a_number_is_read_with_a_comma_or_a_point_and_within_its_bounds():
    whole, part = NumberScale(0, 10).control(), NumberScale(0, 1, whole=False).control()
    assert (whole.rating("7"), whole.rating(" 07 "), part.rating("0,25")) == (7, 7, 0.25)
    for sent in ("11", "-1", "2.5", "", "seven", "nan", True, None):
        with pytest.raises(InvalidArgument):
            whole.rating(sent)
    assert whole.bounds == ("0", "10")
    assert NumberScale(0, 10).nearest(0.26) == 3  # by hand: 2.6


def test_several_choices_are_kept_in_the_order_of_the_question():
    control = SeveralChoices(["a", "b", "c"]).control()
    assert control.rating([2, 0]) == "a | c"
    assert control.sent("a | c") == [0, 2]
    assert control.from_form({"rating-4-1": "1", "rating-3-0": "1"}, "rating-4") == [1]
    assert control.from_form({}, "rating-4") is None
    for sent in ([], [3], "a", None, [-1]):
        with pytest.raises(InvalidArgument):
            control.rating(sent)


def test_no_answer_may_hold_the_mark_that_stands_between_answers():
    with pytest.raises(InvalidArgument, match="separates the answers"):
        SeveralChoices(["a | b", "c"])


def test_a_text_is_kept_with_plain_line_ends_and_is_not_endless():
    control = FreeText().control()
    assert control.rating("one\r\ntwo ") == "one\ntwo"
    for sent in ("", "  ", "x" * 2001, None, 7, "nul \0"):
        with pytest.raises(InvalidArgument):
            control.rating(sent)


@pytest.mark.parametrize(
    "scale",
    [
        NumberScale(0, 9),
        SeveralChoices(["a", "b", "c"]),
        FreeText(),
        BestWorstChoice(),
        VerbalScale(range(3), labels=("", "so", "")),
    ],
)
def test_a_question_is_written_as_a_table_and_read_back_and_simulates_what_it_accepts(scale):
    assert scale_from_table(table(scale.to_table())) == scale
    for quality in (-0.5, 0.0, 0.4, 1.0, 1.5):
        assert scale.accepts(scale.simulate([quality, 0.6]))


# The page shows the item's third text first, then its first, its second and its fourth.
DEALT = Drawing(order=(2, 0, 1, 3))


def test_the_best_and_the_worst_are_kept_by_their_places_in_the_item():
    control = BestWorstChoice().control(DEALT)
    assert list(control.marks) == [1, 2, 3, 4]
    assert control.rating({"best": 1, "worst": "2"}) == "3 > 1"
    assert control.sent("3 > 1") == {"best": 1, "worst": 2}
    assert control.words("3 > 1") == "1 > 2"
    assert control.sent("5 > 1") is None  # the page has no fifth text
    assert control.words("5 > 1") == "5 > 1"


@pytest.mark.parametrize(
    "sent",
    [
        *({"best": 2, "worst": 2}, {"best": 1}, {"best": 1, "worst": 5}, {"best": 0, "worst": 1}),
        *({"best": True, "worst": 2}, {"best": [1], "worst": 2}, {}, [1, 2], "3 > 1", None),
    ],
)
def test_anything_but_two_different_texts_of_the_page_is_refused(sent):
    with pytest.raises(InvalidArgument):
        BestWorstChoice().control(DEALT).rating(sent)


def test_a_form_sends_the_best_and_the_worst_or_nothing():
    control = BestWorstChoice().control(DEALT)
    form = {"rating-3-best": "1", "rating-3-worst": "4", "rating-4-best": "2"}
    assert control.from_form(form, "rating-3") == {"best": "1", "worst": "4"}
    assert control.from_form(form, "rating-4") is None
    assert control.from_form(form, "rating-5") is None


def test_what_is_known_of_each_text_follows_from_the_best_and_the_worst():
    choice = BestWorstChoice()
    assert choice.ratings_of_texts("3 > 1", 4) == ("worst", "neither", "best", "neither")
    assert choice.ratings_of_texts("2 > 1", 2) == ("worst", "best")
    assert choice.ratings_of_texts(None, 3) == (None, None, None)
    assert all(choice.rated.accepts(word) for word in choice.ratings_of_texts("3 > 1", 4))


def test_a_simulated_judge_chooses_two_texts_even_where_all_seem_alike():
    assert BestWorstChoice().simulate([0.4, 0.1, 0.9]) == "3 > 2"
    assert BestWorstChoice().simulate([0.5, 0.5, 0.5]) == "1 > 3"


def test_a_choice_is_read_with_or_without_spaces_and_names_texts_of_a_page():
    choice = BestWorstChoice()
    assert (choice.read("2>4"), choice.read("6 > 1")) == ("2 > 4", "6 > 1")
    assert [choice.read(cell) for cell in ("7 > 1", "2 > 2", "0 > 1", "2", "²>1")] == [None] * 5
    assert (choice.accepts("2 > 4"), choice.accepts("2>4"), choice.accepts(2)) == (
        *(True, False, False),
    )


def test_only_what_is_no_rating_is_not_analysed():
    assert {kind for kind, scale in KINDS.items() if not scale.analysed} == {"several", "text"}


def test_ends_and_some_labels_are_read_from_a_table():
    ends = {"kind": "verbal", "categories": "1-7", "ends": ["none", "all"]}
    assert scale_from_table(table(ends)).labels == ("none", "", "", "", "", "", "all")
    some = {"kind": "verbal", "categories": "1-3", "labels": {"2": "middle"}}
    assert scale_from_table(table(some)).labels == ("", "middle", "")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({"kind": "verbal", "categories": "1-5", "ends": ["one"]}, "two"),
        ({"kind": "verbal", "categories": "1-5", "labels": {"9": "nine"}}, "no point '9'"),
        ({"kind": "several", "answers": ["only"]}, "two or more"),
        ({"kind": "number", "low": 3, "high": 3}, ""),
    ],
)
def test_a_faulty_question_says_what_is_wrong(content, fault):
    faults = scale_faults(content)
    assert len(faults) == 1
    assert fault in faults[0]
