"""The editor of the manual: what it takes, what comes back, and that nobody loses a word."""

from html import unescape

import pytest

from tests.web import in_training
from tests.web.client import heading, hidden
from tests.web.in_training import RULE, VAGUE, Room, Trainee, edit

JSON = {"Accept": "application/json"}


@pytest.fixture
def room(store, tmp_path):
    opened = Room(store, in_training.study(tmp_path))
    yield opened
    opened.close()


def test_a_second_edit_from_the_same_version_shows_both_texts_and_keeps_the_authors(room):
    room.agreed()
    one = edit(room.researcher.rounds("/edit"))
    other = edit(
        room.judges["Cy"].page("/judge/round/edit"), f"{VAGUE}\nDo not <guess>.\n",
        **{"kind-0": "wording", "summary-0": "no guesses", "sentence-0": ""},
    )  # fmt: skip
    room.researcher.post("/researcher/rounds/edit", data=one)
    stale = room.judges["Cy"].post("/judge/round/edit", data=other)
    assert stale.status_code == 409
    assert "Somebody else has changed the guidelines" in stale.text
    assert f'<ins><span class="unseen">added: </span>{RULE}</ins>' in stale.text
    assert "Do not &lt;guess&gt;.\n</textarea>" in stale.text
    assert 'value="no guesses"' in stale.text
    assert hidden(stale.text)["based_on"] == room.cycle.edition.version
    told = room.judges["Cy"].post("/judge/round/edit", data=other, headers=JSON)
    assert told.status_code == 409
    assert RULE in told.json()["current"]
    both = edit(stale, f"{VAGUE}\n{RULE}\n\nDo not guess.\n",
                **{"kind-0": "wording", "summary-0": "no guesses", "sentence-0": ""})  # fmt: skip
    saved = room.judges["Cy"].post("/judge/round/edit", data=both, follow_redirects=True)
    assert heading(saved) == "The guidelines, version 3"
    assert [each.by for each in room.cycle.round.edits] == ["the researcher", "Cy"]


def test_a_criterion_with_ratings_cannot_be_deleted(room):
    room.agreed()
    page = room.researcher.rounds("/edit")
    question = {"question-0": in_training.RELEVANCE.question, "definition-0": "", "delete-0": "1"}
    refused = room.researcher.post("/researcher/rounds/edit", data=edit(page, **question))
    assert refused.status_code == 422
    assert "relevance has ratings and cannot be deleted" in refused.text.lower()
    assert f"{RULE}\n</textarea>" in refused.text
    assert len(room.cycle.editions) == 1


def test_the_words_of_a_criterion_can_be_edited(room, store):
    room.agreed()
    page = room.researcher.rounds("/edit")
    words = {f"label-0-{place}": word for place, word in enumerate(("best", "good", "poor", "bad"))}
    given = {"question-0": "How relevant?", "definition-0": "Is it about the sentence?"} | words
    half = room.researcher.post(
        "/researcher/rounds/edit", data=edit(page, **(given | {"label-0-1": " "}))
    )
    assert half.status_code == 422
    assert "some have none" in half.text
    none = room.researcher.post(
        "/researcher/rounds/edit", data=edit(page, **(given | {"question-0": " "}))
    )
    assert none.status_code == 422
    saved = room.researcher.post("/researcher/rounds/edit", data=edit(page, **given))
    assert saved.status_code == 303
    criterion = room.cycle.edition.criterion("relevance")
    assert criterion.scale.labels == ("best", "good", "poor", "bad")
    shown = room.researcher.rounds("/compare?old=1&new=2").text
    assert '<del><span class="unseen">removed: </span>exactly,' in shown
    _, token = store.judges.add("Dee")
    outsider = Trainee(room.app, "Dee", token)
    item = outsider.arrive()
    assert "How relevant?" in item.text
    assert "Is it about the sentence?" in item.text
    assert "poor" in item.text
    outsider.close()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind-0": "", "summary-0": ""}, "say of what kind the changes are"),
        ({"kind-0": "law"}, "is not a kind of change"),
        ({"summary-0": " "}, "say in a few words"),
        ({"sentence-0": "Something else."}, "do not hold the sentence"),
        ({"guidelines": VAGUE}, "changes nothing"),
        ({"proposal-0-1": None}, "names no proposal"),
    ],
)
def test_a_change_that_does_not_explain_itself_comes_back_with_the_reason(room, fields, reason):
    room.agreed()
    sent = edit(room.researcher.rounds("/edit")) | fields
    sent = {name: value for name, value in sent.items() if value is not None}
    refused = room.researcher.post("/researcher/rounds/edit", data=sent)
    assert refused.status_code == 422
    assert reason in unescape(refused.text).lower()
    assert len(room.cycle.editions) == 1


def test_the_editor_previews_takes_sentences_over_and_makes_room(room):
    room.agreed()
    sent = edit(room.researcher.rounds("/edit"), VAGUE)
    added = room.researcher.post("/researcher/rounds/edit", data=sent | {"do": "add-0"})
    assert f"Take your time.\n\n{RULE}\n</textarea>" in added.text
    assert hidden(added.text)["rows"] == "1"
    more = room.researcher.post("/researcher/rounds/edit", data=sent | {"do": "more"})
    assert hidden(more.text)["rows"] == "2"
    new = sent | {"do": "preview", "guidelines": f"{VAGUE}\n**Never** <script>guess</script>.\n"}
    shown = room.researcher.post("/researcher/rounds/edit", data=new)
    assert shown.status_code == 200
    assert "<strong>Never</strong> &lt;script&gt;guess" in shown.text
    assert len(room.cycle.editions) == 1


def test_only_editors_edit_and_only_when_it_is_time(room):
    room.discussed()
    early = room.researcher.rounds("/edit")
    assert early.status_code == 409
    assert "after the judges have discussed" in early.text
    ann = room.judges["Ann"]
    for response in (ann.page("/judge/round/edit"), ann.form("/edit", "/proposals")):
        assert response.status_code == 403
        assert heading(response) == "The guidelines are written by others"
