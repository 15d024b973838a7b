"""A whole dialogue on one page: the same items, saved by the judge's own path, turn by turn."""

from dataclasses import replace

import pytest

from covary.scales import VerbalScale
from covary.study.dialogue_pages import transcript
from covary.study.dialogues import DialogueTurn, dialogue_items
from covary.study.model import Criterion, DesignSettings, Item, PartDesign, Session, Turn
from covary.web.judge_flow import FlowProgress, JudgeFlow
from tests.web import studies
from tests.web.client import hidden
from tests.web.test_judge_flow import NOON, left

VALIDITY = Criterion(
    "validity", "How good is this turn?", VerbalScale(["invalid", "acceptable", "valid"])
)
TURNS = [
    DialogueTurn(name, number, ("bot", "guest")[number % 2], f"{name} says {number}")
    for name in ("one", "two")
    for number in range(9)
]
ITEMS = dialogue_items(TURNS, context=None, speakers=["bot"]).items


def dialogues(folder, *criteria, **session):
    design = DesignSettings(order="as-listed", page="dialogue")
    more = {"design": design, "session": Session(**session), "items": ITEMS}
    return studies.bare(folder, *(criteria or (VALIDITY,)), **more)


def walk(study, *notes):
    return JudgeFlow(study, studies.sheet(study), tuple(notes), NOON)


def filled(page, *ratings):
    """The form of a page with a rating for each scale."""
    return hidden(page.text) | {f"rating-{n}": rating for n, rating in enumerate(ratings)}


@pytest.fixture
def judge(enter, tmp_path):
    one = enter(dialogues(tmp_path))
    one.enter()
    return one


def test_a_dialogue_is_put_together_with_its_end_and_its_judged_turns():
    places = transcript(ITEMS[:3])
    assert [each.turn.text for each in places] == [f"one says {number}" for number in range(9)]
    judged = [n for n, each in enumerate(places) if each.item is not None]
    assert judged == [2, 4, 6]
    assert not any(each.gap for each in places)


def test_turns_that_no_context_joins_stand_apart():
    one = Item("a", ("A.",), speaker="bot", context=(Turn("guest", "x"),))
    other = Item("b", ("B.",), speaker="bot", context=(Turn("guest", "y"),))
    assert [(each.turn.text, each.gap) for each in transcript([one, other])] == [
        ("x", False), ("A.", False), ("y", True), ("B.", False)
    ]  # fmt: skip


def test_the_turns_of_a_dialogue_are_one_page(tmp_path):
    flow = walk(dialogues(tmp_path))
    first = flow.step().task
    assert [task.position for task in flow.on_page(first)] == [1, 2, 3]
    assert flow.dialogue_progress(first) == FlowProgress(1, 0, 2)
    assert flow.dialogue_progress(flow.task(5)) == FlowProgress(2, 1, 2)
    assert flow.may_see(3) is not None
    assert flow.may_see(4) is None


def test_items_of_no_dialogue_have_a_page_each(tmp_path):
    alone = tuple(Item(name, (f"{name} alone.",)) for name in ("a", "b"))
    flow = walk(replace(dialogues(tmp_path), items=(*alone, *ITEMS)))
    assert [len(flow.on_page(flow.task(place))) for place in (1, 2, 3)] == [1, 1, 3]


def test_dialogues_that_are_practised_are_counted_apart(tmp_path):
    practice = tuple(
        replace(item, id=f"p-{item.id}", kind="practice") for item in ITEMS if "one" in item.id
    )
    flow = walk(replace(dialogues(tmp_path), items=(*practice, *ITEMS)))
    assert flow.dialogue_progress(flow.task(1)) == FlowProgress(1, 0, 1, practice=True)
    assert [task.position for task in flow.on_page(flow.task(1))] == [1, 2, 3]
    assert flow.dialogue_progress(flow.task(4)) == FlowProgress(1, 0, 2)


def test_a_page_that_was_left_in_part_is_shown_as_a_whole(tmp_path):
    flow = walk(dialogues(tmp_path, break_every=1), *left(1))
    assert flow.step().name == "item"
    assert [task.position for task in flow.on_page(flow.step().task)] == [1, 2, 3]


def test_a_break_comes_after_the_dialogue_in_which_it_falls_due(tmp_path):
    study = dialogues(tmp_path, break_every=2)
    assert walk(study, *left(1, 2, 3)).step().name == "break"
    assert walk(dialogues(tmp_path, break_every=4), *left(1, 2, 3)).step().name == "item"


def test_only_the_part_that_asks_for_it_shows_dialogues(tmp_path):
    crowd, experts = (replace(VALIDITY, part=part) for part in ("crowd", "experts"))
    study = dialogues(tmp_path, crowd, experts)
    own = {"experts": PartDesign(page="dialogue")}
    study = replace(study, design=DesignSettings(order="as-listed", part=own))
    flow = walk(study)
    assert len(flow.on_page(flow.task(1))) == 1
    assert len(flow.on_page(flow.task(7))) == 3


def test_places_are_read_from_left_to_right_also_on_a_page_that_is_not(enter, tmp_path):
    """Where a page runs from right to left, a plain "1 / 2" is drawn as "2 / 1"."""
    judge = enter(replace(dialogues(tmp_path), language="he"))
    page = judge.enter().text
    assert '<html lang="he" dir="rtl">' in page
    assert '<bdi dir="ltr">1 / 2</bdi></h1>' in page
    assert [f'<bdi dir="ltr">{n} / 3</bdi></span>' in page for n in (1, 2, 3)] == [True] * 3


def test_every_turn_is_saved_under_its_own_item(judge, store):
    page = judge.page()
    assert page.text.count("<fieldset") == 3
    assert "one says 8" in page.text  # the farewell, which is not judged
    answer = judge.post("/judge/dialogue", data=filled(page, "valid", "invalid", "acceptable"))
    assert answer.status_code == 303
    saved = {found.item: found.rating for _, _, found in store.answers.log()}
    assert saved == {"one-2": "valid", "one-4": "invalid", "one-6": "acceptable"}
    assert "two says 8" in judge.page().text


def test_a_dialogue_of_which_one_turn_is_judged_is_answered_like_any_other(enter, store, tmp_path):
    judge = enter(replace(dialogues(tmp_path), items=ITEMS[:1]))
    answer = judge.post("/judge/dialogue", data=filled(judge.enter(), "valid"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/judge")
    assert [found.rating for _, _, found in store.answers.log()] == ["valid"]


def test_an_answer_on_the_way_is_saved_by_the_path_of_every_page(judge, store):
    fields = hidden(judge.page().text)
    judge.save("valid", criterion="validity", page=fields["page.1"], position=2, sequence=1)
    assert [found.item for _, _, found in store.answers.log()] == ["one-4"]
    again = judge.page().text
    assert again.count("checked") == 1
    form = filled(judge.page(), "valid", "valid", "valid") | {"sequence.1": "2"}
    assert judge.post("/judge/dialogue", data=form).status_code == 303
    assert store.answers.current(1)[2, "validity"].rating == "valid"


def test_what_is_missing_is_marked_at_its_turn_and_nothing_is_left(judge, store):
    form = filled(judge.page(), "valid", "valid")
    answer = judge.post("/judge/dialogue", data=form)
    assert answer.status_code == 422
    assert answer.text.count("lacking") == 1
    assert len(list(store.answers.log())) == 2
    assert "one says 8" in judge.page().text


@pytest.mark.parametrize(
    "wrong",
    [
        {"turns": "2"},
        {"turns": "0"},
        {"turns": "x"},
        {"position.1": "1"},
        {"page.1": "forged"},
        {"rating-1": "excellent"},
    ],
)
def test_a_page_that_is_not_this_dialogue_is_refused(judge, store, wrong):
    form = filled(judge.page(), "valid", "valid", "valid") | wrong
    assert judge.post("/judge/dialogue", data=form).status_code == 422
    assert all(found.item != "one-4" for _, _, found in store.answers.log())


def test_one_may_go_back_to_the_dialogue_before(judge):
    judge.post("/judge/dialogue", data=filled(judge.page(), "valid", "valid", "valid"))
    assert 'href="/judge/item/1"' in judge.page().text
    back = judge.page("/judge/item/2")
    assert back.text.count("checked") == 3
    answer = judge.post("/judge/dialogue", data=filled(back, "valid", "invalid", "valid"))
    assert answer.headers["location"] == "/judge"


def test_of_a_page_sent_again_only_what_was_changed_is_an_answer(judge, store):
    judge.post("/judge/dialogue", data=filled(judge.page(), "valid", "valid", "valid"))
    for middle, answers in (("valid", 3), ("invalid", 4)):
        back = judge.page("/judge/item/1")
        judge.post("/judge/dialogue", data=filled(back, "valid", middle, "valid"))
        current = [store.answers.current(1)[n, "validity"].rating for n in (1, 2, 3)]
        assert current == ["valid", middle, "valid"]
        assert len(list(store.answers.log())) == answers
