"""A preview shows what a judge would see, and keeps nothing of it."""

import re
from dataclasses import replace
from html import unescape

import pytest

from covary.study.model import Item, Session
from covary.web.researcher.preview import PreviewSessions
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Judge, heading
from tests.web.researching import Researcher

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


def long_study(folder):
    """Every page that there is: parts, breaks, two occasions, preference and remarks."""
    made = studies.study(folder, replace(studies.VERBAL, part="words"),
                         replace(studies.VISUAL, part="line"))  # fmt: skip
    session = Session(break_every=2, ask_preference=True, remarks=True, occasion_gap_hours=24,
                      redirect="https://platform.example/done", code="C-1")  # fmt: skip
    return replace(made, session=session)


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


def everything(store):
    return (
        store.judges.all(),
        store.notes.all(),
        store.sheets.holders(),
        store.answers.counts(),
        list(store.answers.log()),
    )


def test_every_page_of_the_way_is_shown_and_nothing_is_kept(researcher, store, tmp_path):
    study = long_study(tmp_path)
    store.sheets.put([studies.sheet(study, occasions=2)])
    who, before = researcher(study), everything(store)
    places = re.findall(r'href="(/researcher/preview/way/1/\d+)"', who.page("/preview").text)
    pages = [who.page(place.removeprefix("/researcher")) for place in places]
    assert {page.status_code for page in pages} == {200}
    shown = [heading(page) for page in pages]
    assert shown[:6] == ["Before you begin", "About you", "Guidelines", "Practice 1 of 1",
                         "That was the practice", "Item 1 of 6"]  # fmt: skip
    assert shown[-3:] == ["Is there anything you want to tell us?", "Thank you, you are done",
                          "Thank you for considering it"]  # fmt: skip
    for name in ("Time for a break", "Part 2 of 2", "Thank you, until next time", "Welcome back",
                 "Which way of answering did you prefer?"):  # fmt: skip
        assert name in shown
    assert shown.count("Item 6 of 6") == 2  # of each occasion
    for page in pages:
        assert "Nothing is saved." in page.text
        assert "<title>Preview: " in page.text
        assert '"/judge' not in page.text
        assert 'method="post"' not in page.text
        assert "http-equiv" not in page.text
        assert "connect-src 'none'" in page.headers["content-security-policy"]
    assert everything(store) == before


def test_a_preview_is_the_page_that_a_judge_gets(researcher, store, tmp_path):
    study = studies.bare(tmp_path, *studies.EVERY)
    store.sheets.put([studies.sheet(study)])
    seen = researcher(study).page("/preview/way/1/0").text
    judge = Judge(create_app(study, store), store.judges.add()[1])
    page = judge.enter().text
    judge.close()
    section = re.compile(r"<section.*</section>", re.DOTALL)
    assert section.search(seen)[0] == section.search(page)[0]
    scales = re.compile(r"<fieldset.*</fieldset>", re.DOTALL)
    assert scales.search(seen)[0] == scales.search(page)[0]


def test_any_item_can_be_seen_in_any_part_with_its_picture(researcher, store, tmp_path):
    study = long_study(tmp_path)
    (tmp_path / "cat.svg").write_bytes(PICTURE)
    picture = Item("cat", ("A cat.",), image="cat.svg", image_text="A cat sits.")
    study = replace(study, items=(*study.items, picture))
    who, before = researcher(study), everything(store)
    page = who.page("/preview/item/4/1")
    assert "A cat." in unescape(page.text)
    assert 'type="range"' in page.text
    assert "item cat" in page.text
    source = re.search(r'src="(/researcher/preview/image/[^"]*)"', page.text)[1]
    assert who.get(source).content == PICTURE
    assert "How to judge" in who.page("/preview/item/4/1?guidelines=1").text
    for wrong in ("/preview/item/99/0", "/preview/item/0/9", "/preview/way/1/999",
                  "/preview/way/77/0", "/preview?sheet=77", "/preview/image/none"):  # fmt: skip
        assert who.page(wrong).status_code == 404, wrong
    assert everything(store) == before


def test_a_study_without_sheets_is_previewed_by_its_plan(researcher, store, tmp_path):
    study = studies.study(tmp_path)
    assert "Practice 1 of 1" in researcher(study).page("/preview").text
    assert store.sheets.all() == []


def test_a_previewed_form_is_worth_nothing_on_a_judges_page(researcher, store, tmp_path):
    study = studies.bare(tmp_path)
    store.sheets.put([studies.sheet(study)])
    page = researcher(study).page("/preview/way/1/0").text
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    judge = Judge(create_app(study, store), store.judges.add()[1])
    judge.enter()
    body = {"position": 1, "criterion": "Fluency", "rating": 4, "touched": True,
            "page": fields["page"], "sequence": 1, "key": "k"}  # fmt: skip
    sent = judge.post("/judge/answer", json=body, headers={"X-Covary-Token": fields["token"]})
    judge.close()
    assert sent.status_code == 403
    assert store.answers.counts().answers == 0


def test_a_long_way_is_walked_once(tmp_path):
    study = studies.bare(tmp_path)
    ways, sheet = PreviewSessions(study, None), studies.sheet(study)
    assert ways.of(sheet) is ways.of(sheet)
    assert [stop.name for stop in ways.of(sheet)] == ["item"] * 3 + ["done"]
