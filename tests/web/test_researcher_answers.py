"""The researcher sees every answer and each judge's page, and can replace a judge."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from covary.scales import CannotJudge, Passage, VerbalScale
from covary.store import Answer
from covary.store.records import Judge as JudgeRecord
from covary.study.model import Criterion, Recruiting
from covary.web.researcher import progress
from covary.web.researcher.progress import JudgeRow
from covary.web.serving.app import create_app
from tests.web.client import Judge, heading
from tests.web.researching import HOSTILE, Researcher, everything, many_items, rated

FIVE = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)), cannot_judge=True)


@pytest.fixture
def researcher(store):
    made = []

    def of(study):
        made.append(Researcher(create_app(study, store), store))
        made[-1].enter()
        return made[-1]

    yield of
    for each in made:
        each.close()


def rows_of(page):
    """The cells of each answer on the page."""
    rows = re.findall(r"<tr>(<td.*?)</tr>", page.text, re.DOTALL)
    return [
        [" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
         for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in rows
    ]  # fmt: skip


def say(store, judge, rating, sequence, item="i1", position=1, passages=()):
    store.answers.save(
        [Answer(judge=judge, sheet=1, position=position, item=item, criterion="Fluency",
                rating=rating, key=f"k{sequence}", page="p", sequence=sequence, seconds=8.24,
                manual="m1", passages=passages)]
    )  # fmt: skip


def test_every_answer_is_shown_with_what_it_says_and_whether_it_counts(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    judges = rated(study, store, {"Ann": [1, 2], "Bob": [5]})
    say(store, judges["Ann"].id, 4, 9)
    say(store, judges["Ann"].id, CannotJudge(HOSTILE), 11, item="i3", position=3)
    desk = researcher(study)
    rows = rows_of(desk.page("/answers"))
    assert [row[:4] for row in rows] == [
        ["5", "Ann", "i3", "Fluency"],
        ["4", "Ann", "i1", "Fluency"],
        ["3", "Bob", "i1", "Fluency"],
        ["2", "Ann", "i2", "Fluency"],
        ["1", "Ann", "i1", "Fluency"],
    ]
    assert [row[4] for row in rows] == [f"cannot judge: {HOSTILE}", "4", "5", "2", "1"]
    assert [row[6] for row in rows] == ["8.2 s", "8.2 s", "8.0 s", "8.0 s", "8.0 s"]
    assert [row[9] for row in rows] == ["yes", "yes", "yes", "yes", "does not count"]
    assert "<img src=x" not in desk.page("/answers").text


def test_the_words_that_are_the_reason_stand_beside_the_answer(researcher, store, tmp_path):
    study = many_items(tmp_path, 1, FIVE)
    judges = rated(study, store, {"Ann": [1]})
    marks = (Passage("text 1", 5, 9, "rain"), Passage("input", 0, len(HOSTILE), HOSTILE))
    say(store, judges["Ann"].id, 4, 9, passages=marks)
    page = researcher(study).page("/answers")
    reasons = f"4 rain text 1, 5–9 {HOSTILE} input, 0–{len(HOSTILE)}"
    assert [row[4] for row in rows_of(page)] == [reasons, "1"]
    assert "<img src=x" not in page.text


def test_answers_are_found_by_judge_by_item_and_by_criterion(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    rated(study, store, {"Ann": [1, 2, 3], "Bob & Co": [5, 4, 3]})
    desk = researcher(study)

    def found(address):
        return [(row[1], row[2]) for row in rows_of(desk.page(address))]

    assert found("/answers?judge=Bob+%26+Co") == [("Bob & Co", f"i{n}") for n in (3, 2, 1)]
    assert found("/answers?item=i2") == [("Bob & Co", "i2"), ("Ann", "i2")]
    assert found("/answers?judge=Ann&item=i2&criterion=Fluency") == [("Ann", "i2")]
    assert found("/answers?judge=nobody") == []
    assert found("/answers?criterion=Clarity") == []
    assert "/researcher/answers?judge=Bob%20%26%20Co" in desk.page("/judges/2").text


def test_many_answers_have_pages_that_keep_what_was_asked_for(researcher, store, tmp_path):
    study = many_items(tmp_path, 60, FIVE)
    rated(study, store, {"Ann": [3] * 60})
    desk = researcher(study)
    first = desk.page("/answers?judge=Ann")
    assert len(rows_of(first)) == 50
    onward = unescape(re.search(r'href="/researcher(/answers[^"]*)">Older', first.text)[1])
    assert len(rows_of(desk.page(onward))) == 10


def test_a_judges_page_is_seen_as_it_is_and_nothing_can_be_answered(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    store.sheets.put([everything(study, 1)])
    ann, token = store.judges.add("Ann")
    app = create_app(study, store)
    desk, judge = researcher(study), Judge(app, token)
    assert "has no sheet" in desk.page(f"/judges/{ann.id}/page").text
    judge.enter()
    judge.send("next", rating_0="4")
    judge.save("2")
    before = (store.notes.all(), store.answers.counts(), store.sheets.holders())
    page = desk.page(f"/judges/{ann.id}/page")
    assert heading(page) == "Item 2 of 3"
    assert re.search(r'value="2" checked', page.text)
    assert "Only a view</strong> of what <bdi>Ann</bdi> sees now" in page.text
    controls = re.findall(r"<(?:fieldset|button|textarea)[^>]*>", page.text)
    assert all(" disabled" in tag for tag in controls)
    assert 'action="/judge' not in page.text
    assert "connect-src 'none'" in page.headers["content-security-policy"]
    token_on_page = re.search(r'name="token" value="([^"]*)"', page.text)[1]
    assert token_on_page not in judge.page().text
    assert (store.notes.all(), store.answers.counts(), store.sheets.holders()) == before
    store.set_state("paused")
    assert heading(desk.page(f"/judges/{ann.id}/page")) == "The study is paused"
    judge.close()


def test_a_judge_is_replaced_by_one_who_gets_the_same_sheet(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    judges = rated(study, store, {"Ann": [1], "Bob": [5]})
    store.sheets.put([everything(study, 3)])
    desk = researcher(study)
    made = desk.send("/judges/1/replace", "/judges/1")
    (link,) = re.findall(r"<code>[^<]*(/j/[^<]*)</code>", made.text)
    instead = store.judges.all()[-1]
    assert store.sheets.of(judges["Ann"].id) is None
    assert store.judges.by_id(judges["Ann"].id).revoked
    assert store.sheets.of(instead.id).number == 4  # not 3, which is free as well
    assert sorted(task.item for task in store.sheets.of(instead.id).tasks) == ["i1", "i2", "i3"]
    assert {row.judge: row.abandoned for row in store.answers.counted()} == {
        "Ann": True,
        "Bob": False,
    }
    judge = Judge(create_app(study, store), link.removeprefix("/j/"))
    assert heading(judge.enter()) == "Item 1 of 3"
    judge.close()
    assert desk.send("/judges/1/replace", "/judges/1").status_code == 409


def test_places_are_added_and_what_is_wanted_is_counted_by_places(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    rated(study, store, {"Ann": [1, 2, 3]})
    store.notes.add(1, "finished", {"sheet": 1})
    gone, _ = store.judges.add("Gone", attributes={"recruited": True})
    store.notes.add(gone.id, "recruited", {"outcome": "abandoned"})
    desk = researcher(study)
    assert "<strong>1</strong> of 1 place is done" in desk.page().text
    added = desk.send("/places", "/judges", places="2")
    assert heading(added) == "Judges"
    assert "<strong>1</strong> of 3 places are done" in desk.page().text
    assert "2 judges for 3 places" in desk.page("/judges").text
    few = replace(study, recruiting=Recruiting(places=1))
    assert "<strong>1</strong> of 2 places are done" in researcher(few).page().text


def test_somebody_was_heard_of_when_they_last_answered_or_else_when_they_began():
    now = datetime.now(UTC)
    began = JudgeRow(
        judge=JudgeRecord(
            id=1, name="Ann", group=None, attributes={}, revoked=False, created_at=now
        ),
        standing="at work", sheet=1, answered=0, asked=3, changed=0, last_at=None,
        began_at=now - timedelta(hours=5), pace=None, flags=(), known={},
    )  # fmt: skip
    answered = replace(began, answered=1, last_at=now - timedelta(minutes=30))
    assert (began.quiet, began.stuck) == ("5 h ago", True)
    assert (answered.quiet, answered.stuck) == ("30 min ago", False)


def test_who_has_begun_and_sends_nothing_is_named(researcher, store, tmp_path, monkeypatch):
    study = many_items(tmp_path, 3, FIVE)
    rated(study, store, {"Ann": [1], "Bob": [1, 2, 3]})
    store.notes.add(2, "finished", {"sheet": 2})
    desk = researcher(study)
    assert "Who is stuck" not in desk.page().text
    monkeypatch.setattr(progress, "STUCK_AFTER", timedelta(0))
    page = desk.page().text
    stuck = page[page.index("Who is stuck") : page.index('aria-labelledby="judges"')]
    assert "Ann" in stuck
    assert "1 of 3 answers" in stuck
    assert "Bob" not in stuck
