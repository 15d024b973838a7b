"""Notes: in their order, and what they say of each judge."""

from tests.store.made_up import study


def test_notes_after_one_are_those_that_came_later(store):
    for number in range(3):
        store.notes.add(1, "break", {"number": number})
    first, *later = store.notes.all()
    assert store.notes.all(after=first.id) == later
    assert store.notes.all(after=store.notes.last_number()) == []
    assert store.notes.last_number() == later[-1].id


def test_there_is_no_last_note_before_there_is_any(empty):
    assert empty.notes.last_number() == 0


def test_the_last_note_of_each_judge_counts_and_nobody_is_no_judge(store):
    store.notes.add(1, "remarks", {"text": "first"})
    store.notes.add(1, "remarks", {"text": "last"})
    store.notes.add(None, "remarks", {"text": "of nobody"})
    assert store.notes.last_of_each("remarks") == {1: {"text": "last"}}


def test_what_is_asked_between_the_items_is_no_background(store):
    store.notes.add(1, "background", {"answers": {"native": "yes"}})
    store.notes.add(1, "questions", {"position": 0, "answers": {"age": "40"}})
    store.notes.add(1, "questions", {"position": 3, "answers": {"tired": "a little"}})
    store.notes.add(None, "background", {"answers": {"native": "no"}})
    assert store.notes.backgrounds() == {1: {"native": "yes", "age": "40"}}


def test_a_group_is_of_who_answered_all_that_makes_it(store):
    store.notes.add(1, "background", {"answers": {"native": "yes"}})
    store.notes.add(2, "background", {"answers": {"native": ""}})
    assert store.notes.groups(study()) == {1: "yes"}
    assert store.notes.groups(study(background=())) == {}
