"""Judges, researchers and their tokens."""

import base64

import pytest
from sqlalchemy import text

from covary.errors import InvalidArgument
from covary.store import Store, judges
from covary.store import sheets as sheets_of_the_store
from tests.store.made_up import sheets


def everything_stored(store) -> str:
    with store.database.reading() as connection:
        tables = ("settings", "researchers", "judges", "sheets", "issues", "answers", "notes")
        return "\n".join(
            str(row) for name in tables for row in connection.execute(text(f"SELECT * FROM {name}"))
        )


def test_a_token_lets_its_judge_in_and_nobody_else(empty):
    ann, ann_token = empty.judges.add("Ann", group="expert", attributes={"platform": "x1"})
    bo, bo_token = empty.judges.add("Bo")
    assert empty.judges.by_token(ann_token) == ann
    assert empty.judges.by_token(bo_token) == bo
    assert (ann.name, ann.group, ann.attributes) == ("Ann", "expert", {"platform": "x1"})
    for wrong in ("", "x", ann_token[:-1], ann_token + "A", "\ud800", "a\x00b"):
        assert empty.judges.by_token(wrong) is None


def test_a_token_has_192_random_bits_and_is_not_in_the_store(empty):
    tokens = [empty.judges.add()[1] for _ in range(5)]
    link = empty.researchers.new_link()
    tokens += [link, empty.researchers.claim(link)]
    assert len(set(tokens)) == 7
    stored = everything_stored(empty)
    for token in tokens:
        assert len(base64.urlsafe_b64decode(token)) == 24
        assert token not in stored


def test_judges_without_names_are_numbered(empty):
    empty.judges.add("J2")
    assert [empty.judges.add()[0].name for _ in range(2)] == ["J3", "J4"]


def test_two_judges_cannot_have_one_name(empty):
    empty.judges.add("Ann")
    with pytest.raises(InvalidArgument, match="another name"):
        empty.judges.add("Ann")
    assert len(empty.judges.all()) == 1


def test_a_revoked_judge_is_let_in_again_only_with_a_new_token(empty):
    judge, old = empty.judges.add("Ann")
    empty.judges.revoke(judge.id)
    assert empty.judges.by_token(old) is None
    assert empty.judges.all()[0].revoked
    new = empty.judges.new_token(judge.id)
    assert empty.judges.by_token(old) is None
    assert empty.judges.by_token(new).id == judge.id


@pytest.mark.parametrize(
    "act", [("judges", "revoke"), ("judges", "new_token"), ("sheets", "issue")]
)
def test_a_judge_who_does_not_exist_is_refused(empty, act):
    section, method = act
    with pytest.raises(InvalidArgument, match="no judge 99"):
        getattr(getattr(empty, section), method)(99)


def test_a_researcher_link_works_once(empty):
    link = empty.researchers.new_link()
    session = empty.researchers.claim(link)
    assert empty.researchers.admits(session)
    assert empty.researchers.claim(link) is None
    assert not empty.researchers.admits(link)
    assert not empty.researchers.admits("")


def test_after_a_researcher_came_there_are_no_more_links_unless_asked(empty):
    first, second = empty.researchers.new_link(), empty.researchers.new_link()
    session = empty.researchers.claim(second)
    assert empty.researchers.claim(first) is None
    assert empty.researchers.new_link() is None
    other = empty.researchers.claim(empty.researchers.new_link(again=True))
    assert empty.researchers.admits(session)
    assert empty.researchers.admits(other)


def test_the_secret_is_made_once_and_kept(empty, place):
    secret = empty.secret()
    assert len(secret) == 32
    with Store.open(place) as again:
        assert again.secret() == secret


def test_the_state_of_a_study(empty):
    assert empty.get_state() == "open"
    for state in ("paused", "closed", "open"):
        empty.set_state(state)
        assert empty.get_state() == state
    with pytest.raises(InvalidArgument, match="'open', 'paused', 'closed'"):
        empty.set_state("gone")


def test_notes_come_back_in_order_and_by_judge_and_kind(store):
    store.notes.add(1, "consent", {"yes": True})
    store.notes.add(2, "consent")
    store.notes.add(None, "state", {"to": "paused"})
    store.notes.add(1, "remarks", {"text": "fine \U0001f600"})
    assert [note.kind for note in store.notes.all()] == ["consent", "consent", "state", "remarks"]
    assert [note.data for note in store.notes.all(1)] == [
        {"yes": True},
        {"text": "fine \U0001f600"},
    ]
    assert [note.judge for note in store.notes.all(kind="consent")] == [1, 2]


def test_a_note_of_the_same_key_is_made_once(store):
    assert store.notes.add(1, "break", {"after": 10}, key="1-break-10")
    assert not store.notes.add(1, "break", {"after": 10}, key="1-break-10")
    assert len(store.notes.all()) == 1


def test_a_session_that_was_ended_lets_nobody_in(store):
    session = store.researchers.claim(store.researchers.new_link())
    other = store.researchers.claim(store.researchers.new_link(again=True))
    store.researchers.sign_out(session)
    assert not store.researchers.admits(session)
    assert store.researchers.admits(other)
    assert (
        store.researchers.new_link() is None
    )  # somebody has signed in, so none is offered unasked


def test_whom_tokens_let_in_with_sheet_and_state_at_one_moment(empty, monkeypatch):
    empty.sheets.put(sheets(2))
    made = [empty.judges.add(name) for name in ("Ann", "Bo", "Cy", "Dee")]
    (ann, bo, cy, dee), tokens = zip(*made, strict=True)
    for judge in (ann, bo):
        empty.sheets.issue(judge.id)
    empty.judges.revoke(dee.id)
    empty.set_state("paused")
    for at_once in (judges.AT_ONCE, 1):  # also with more judges than one question names
        monkeypatch.setattr(judges, "AT_ONCE", at_once)
        monkeypatch.setattr(sheets_of_the_store, "AT_ONCE", at_once)
        found = empty.standings([*tokens, "unknown"])
        assert [found[token].judge for token in tokens[:3]] == [ann, bo, cy]
        assert [found[token].sheet for token in tokens[:3]] == [*sheets(2), None]
        assert set(found) == set(tokens[:3])
        assert {each.state for each in found.values()} == {"paused"}
        pulse = empty.pulse([judge.id for judge in (ann, bo, cy)])
        assert pulse.state == "paused"
        assert pulse.marks == {each.judge.id: each.mark for each in found.values()}


def test_a_mark_changes_with_the_token_and_the_sheet(store):
    def mark():
        return store.pulse([1]).marks[1]

    marks = [mark()]
    assert mark() == marks[0]
    for change in (
        lambda: store.judges.new_token(1),
        lambda: store.sheets.reclaim(1),
        lambda: store.judges.revoke(1),
    ):
        change()
        assert mark() not in marks
        marks.append(mark())
    assert store.pulse([99]).marks == {}
