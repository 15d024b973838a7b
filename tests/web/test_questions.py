"""Questions beyond one scale, as pages send them: what is kept, asked for and refused."""

import csv
import re
from dataclasses import replace

import pytest

from covary.scales import (
    CannotJudge,
    FreeText,
    NumberScale,
    Passage,
    SeveralChoices,
    VerbalScale,
    VisualScale,
)
from covary.store.export import ratings_of, write_everything
from covary.study.model import Background, Condition, Criterion, Item, Session
from tests.web import studies
from tests.web.client import heading, hidden

FLUENCY = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)), cannot_judge=True)
COUNT = Criterion("Count", "How many?", NumberScale(0, 50), optional=True)
ERRORS = Criterion(
    "Errors",
    "Which?",
    SeveralChoices(["grammar", "spelling", "order"]),
    when=Condition("Fluency", (1, 2)),
)
REMARK = Criterion("Remark", "What struck you?", FreeText(), optional=True)


@pytest.fixture
def study(tmp_path):
    return replace(studies.bare(tmp_path, FLUENCY, COUNT), questions=(ERRORS, REMARK))


@pytest.fixture
def judge(enter, study):
    judge = enter(study)
    judge.enter()
    return judge


def go_on(judge, **fields):
    """Send the form of the page with these fields."""
    form = hidden(judge.page().text) | fields
    return judge.post("/judge/next", data=form)


def kept(store):
    return {row.answer.criterion: row.answer.rating for row in store.answers.counted()}


def test_each_kind_is_saved_as_its_script_sends_it(judge, store):
    assert judge.save("2", criterion="Fluency").status_code == 200
    assert judge.save([2, 0], criterion="Errors", sequence=2).status_code == 200
    assert judge.save("12", criterion="Count", sequence=3).status_code == 200
    assert judge.save("So so.", criterion="Remark", sequence=4).status_code == 200
    assert kept(store) == {
        "Fluency": 2,
        "Errors": "grammar | order",
        "Count": 12,
        "Remark": "So so.",
    }


@pytest.mark.parametrize(
    ("criterion", "sent"),
    [("Errors", [3]), ("Errors", []), ("Errors", "grammar"), ("Count", "51"), ("Remark", "")],
)
def test_what_a_question_does_not_take_is_refused(judge, store, criterion, sent):
    assert judge.save(sent, criterion=criterion).status_code == 422
    assert kept(store) == {}


def test_who_cannot_judge_is_kept_with_the_reason_and_is_no_rating(judge, study, store, tmp_path):
    answer = judge.save(None, criterion="Fluency", cannot_judge=True, reason="It is in French.")
    assert answer.status_code == 200
    assert kept(store) == {"Fluency": CannotJudge("It is in French.")}
    judge.save("3", criterion="Count", sequence=2)
    judge.save("Hm.", criterion="Remark", sequence=3)
    ratings = ratings_of(study, store, criteria=["Fluency"])
    assert ratings.n_ratings == 0
    assert any("could not judge" in note and "Fluency" in note for note in ratings.notes)
    files = {file.name: file for file in write_everything(study, store, tmp_path)}
    with files["questions.csv"].open(encoding="utf-8") as file:
        rows = {row["question"]: row for row in csv.DictReader(file)}
    assert (rows["Fluency"]["cannot_judge"], rows["Fluency"]["reason"]) == (
        "yes",
        "It is in French.",
    )
    assert (rows["Remark"]["answer"], rows["Remark"]["cannot_judge"]) == ("Hm.", "no")


def test_only_where_it_is_offered_can_somebody_say_so(judge, store):
    assert judge.save(None, criterion="Count", cannot_judge=True).status_code == 422
    assert kept(store) == {}


def test_a_follow_up_must_be_answered_only_where_it_is_asked(judge, store):
    assert go_on(judge, **{"rating-0": "5"}).status_code == 303
    assert go_on(judge, **{"rating-0": "1"}).status_code == 422
    assert go_on(judge, **{"rating-0": "1", "rating-2-1": "1"}).status_code == 303
    assert {row.answer.rating for row in store.answers.counted()} == {5, 1, "spelling"}


def test_a_form_without_script_says_that_somebody_cannot_judge(judge, store):
    assert go_on(judge, **{"cannot-0": "1", "reason-0": "Too short."}).status_code == 303
    assert kept(store) == {"Fluency": CannotJudge("Too short.")}


def rows_of(files, name):
    (file,) = (each for each in files if each.name == name)
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


REASONS = replace(FLUENCY, passages=True)
TALK = Item("talk", ("A 🙂 good\r\nend.", "Bad."), ("a", "b"), input="Sing")


@pytest.fixture
def marking(enter, tmp_path):
    study = studies.bare(tmp_path, REASONS, items=(TALK,))
    judge = enter(study, order=(1, 0))
    judge.enter()
    return study, judge


def test_a_passage_is_kept_in_the_items_own_order_shown_again_and_exported(
    marking, store, tmp_path
):
    study, judge = marking
    # on the page text 2 stands first; letters are counted as people count them
    marks = [["text 2", 2, 8, "🙂 good"], ["input", 0, 4, "Sing"]]
    assert judge.save("4", passages=marks).status_code == 200
    (row,) = store.answers.counted()
    assert row.answer.passages == (
        Passage("text 1", 2, 8, "🙂 good"),
        Passage("input", 0, 4, "Sing"),
    )
    assert "text 2" in hidden(judge.page().text)["passages-0"]
    assert go_on(judge, **{"rating-0": "4"}).status_code == 303
    (row,) = store.answers.counted()
    assert len(row.answer.passages) == 2  # Next sends them once more
    rows = rows_of(write_everything(study, store, tmp_path), "passages.csv")
    assert [(row["where"], row["start"], row["end"], row["quote"]) for row in rows] == [
        ("text 1", "2", "8", "🙂 good"),
        ("input", "0", "4", "Sing"),
    ]


@pytest.mark.parametrize(
    "mark",
    [
        ["text 2", 2, 8, "other words"],
        ["text 3", 0, 1, "A"],
        ["text 2", 8, 2, ""],
        ["text 2", -3, 2, "e"],
        ["text 2", True, 2, " "],
        ["text 2", 0, 99, "A 🙂 good\nend."],
        "text 2",
    ],
)
def test_a_passage_that_is_not_in_the_text_is_refused(marking, store, mark):
    _, judge = marking
    assert judge.save("4", passages=[mark]).status_code == 422
    assert kept(store) == {}


def test_passages_are_refused_where_they_are_not_asked_for(judge, store):
    mark = ["text 1", 0, 1, studies.TEXTS[0][0]]
    assert judge.save("4", criterion="Fluency", passages=[mark]).status_code == 422


def test_gold_with_feedback_tells_the_known_answer_once(enter, store, tmp_path):
    gold = Item(
        "g", ("Gold.",), kind="gold", expected={"Fluency": 5}, explanation="It is <b>plain</b>."
    )
    line = Criterion("Style", "How?", VisualScale(), cannot_judge=True)
    known = replace(gold, expected={"Fluency": 5, "Style": 50.0})
    plain = studies.bare(tmp_path, FLUENCY, line).items[0]
    study = studies.bare(
        tmp_path, FLUENCY, line, items=(known, plain), session=Session(feedback=("gold",))
    )
    judge = enter(study)
    judge.enter()
    told = judge.send("next", rating_0="4", cannot_1="1")
    assert heading(told) == "The expected answer"
    assert "Your answer differs from the expected one." in told.text
    facts = re.findall(r"<dd><bdi[^>]*>(.*?)</bdi></dd>", told.text)
    assert facts == ["4", "5", "–", "50"]  # who could not judge the style gave no answer
    assert "It is &lt;b&gt;plain&lt;/b&gt;." in told.text
    assert heading(judge.page("/judge/item/1")) == "The expected answer"
    item = judge.go_on()
    assert heading(item) == "Item 2 of 2"
    assert 'href="/judge/item/1"' not in item.text  # nobody mends an answer that was told
    assert "Feedback" not in judge.send("next", rating_0="4", cannot_1="1").text


def test_known_answers_are_told_in_the_words_of_the_page(enter, tmp_path):
    gold = Item("g", ("Regen.",), kind="gold", expected={"True": 1})
    study = studies.bare(
        tmp_path, studies.YES, items=(gold,), session=Session(feedback=("gold",)), language="de"
    )
    judge = enter(study)
    judge.enter()
    told = judge.send("next", rating_0="0")
    facts = re.findall(r"<dd><bdi[^>]*>(.*?)</bdi></dd>", told.text)
    assert facts == ["Nein", "Ja"]


@pytest.mark.parametrize(("asked", "beside"), [(studies.BETTER, True), (studies.VERBAL, False)])
def test_only_two_texts_that_are_compared_stand_side_by_side(enter, tmp_path, asked, beside):
    pair = Item("pair", ("Rain.", "Sun."), ("a", "b"))
    page = enter(studies.bare(tmp_path, asked, items=(pair,))).enter().text
    assert ('<div class="texts beside">' in page, '<div class="texts">' in page) == (
        beside,
        not beside,
    )


def test_questions_between_and_after_items_are_asked_kept_and_exported(enter, store, tmp_path):
    study = studies.bare(
        tmp_path,
        FLUENCY,
        session=Session(break_every=2, remarks=True),
        background=(
            Background("tired", "How tired are you?", ("not", "very"), ask="between"),
            Background("hard", "What was hard?", required=False, ask="after"),
        ),
    )
    judge = enter(study)
    assert heading(judge.enter()) == "Item 1 of 3"
    judge.send("next", rating_0="4")
    assert heading(judge.send("next", rating_0="4")) == "A few questions"
    assert judge.send("background").status_code == 422
    assert heading(judge.send("background", answer_0="very")) == "Time for a break"
    assert heading(judge.go_on()) == "Item 3 of 3"
    assert heading(judge.send("next", rating_0="4")) == "A few questions"
    assert heading(judge.send("background", answer_0="Nothing.")).startswith("Is there anything")
    files = write_everything(study, store, tmp_path)
    (tired,) = [row for row in rows_of(files, "questions.csv") if row["question"] == "tired"]
    assert (tired["answer"], tired["kind"]) == ("very", "between items")
    (row,) = rows_of(files, "judges.csv")
    assert row["hard"] == "Nothing."
    assert "tired" not in row


def test_a_recording_is_played_in_parts_and_only_to_judges(enter, tmp_path):
    (tmp_path / "sys-alpha.mp3").write_bytes(bytes(range(100)))
    item = Item("a", (), ("sys-alpha",), audio="sys-alpha.mp3")
    judge = enter(studies.bare(tmp_path, FLUENCY, items=(item,)))
    assert judge.get("/judge/image/nothing").status_code == 403
    page = judge.enter().text
    assert "sys-alpha" not in page
    (source,) = re.findall(r'<audio src="([^"]+)"', page)
    whole = judge.get(source)
    assert (whole.headers["content-type"], len(whole.content)) == ("audio/mpeg", 100)
    part = judge.get(source, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    assert "media-src 'self'" in judge.page().headers["content-security-policy"]
