"""Where the links of a previewed page lead: on, back, to the guidelines, out, and never further."""

import re
from dataclasses import replace

import pytest

from covary.study.model import Background, Session
from covary.web.researcher.preview import PreviewSessions
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.researching import Researcher

WAY = "/researcher/preview/way/1"


@pytest.fixture
def who(store, tmp_path):
    study = studies.study(tmp_path)
    store.sheets.put([studies.sheet(study)])
    one = Researcher(create_app(study, store), store)
    one.enter()
    yield one
    one.close()


def banner(page):
    """What the banner says, and where its links lead."""
    text = re.search(r'<aside class="preview".*?</aside>', page.text, re.DOTALL)[0]
    links = {words: to for to, words in re.findall(r'<a href="([^"]*)">(.*?)</a>', text)}
    return re.sub(r"<[^>]*>", "", text), links, re.search(r'data-onward="([^"]*)"', text)[1]


@pytest.mark.parametrize(("place", "back", "onward"), [(0, 0, 1), (1, 0, 2), (8, 7, 9), (9, 8, 9)])
def test_a_page_of_the_way_leads_to_those_beside_it_and_never_beyond(who, place, back, onward):
    """By hand: consent, background, guidelines, practice, its end, 3 items, the end, declined."""
    words, links, next_page = banner(who.page(f"/preview/way/1/{place}"))
    assert f"page {place + 1} of 10, sheet 1" in words
    assert links == {
        "Back": f"{WAY}/{back}",
        "Next page": f"{WAY}/{onward}",
        "Leave the preview": "/researcher/preview?sheet=1",
    }
    assert next_page == f"{WAY}/{onward}"


def test_the_links_of_the_page_itself_stay_in_the_preview(who):
    text = who.page("/preview/way/1/6").text  # the second item
    assert f'method="get" action="{WAY}/7"' in text
    assert f'href="{WAY}/2"' in text  # the guidelines
    assert f'href="{WAY}/5"' in text  # back to the first item
    assert text.count("<title>Preview: ") == text.count('<aside class="preview"') == 1
    assert text.index("researcher.js") < text.rindex("<script ")


@pytest.mark.parametrize(("item", "back", "onward"), [(0, 0, 1), (1, 0, 2), (3, 2, 3)])
def test_an_item_leads_to_those_beside_it_and_never_beyond(who, item, back, onward):
    _, links, _ = banner(who.page(f"/preview/item/{item}/0"))
    assert links == {
        "Back": f"/researcher/preview/item/{back}/0",
        "Next page": f"/researcher/preview/item/{onward}/0",
        "Leave the preview": "/researcher/items",
    }


@pytest.mark.parametrize("path", ["item/4/0", "item/0/1", "way/1/10", "way/2/0"])
def test_the_first_place_that_is_not_there_is_no_page(who, path):
    assert who.page(f"/preview/{path}").status_code == 404


@pytest.mark.parametrize(
    ("hours", "names"), [(24, ["item", "wait", "occasion", "item", "done"]),
                         (0, ["item", "occasion", "item", "done"])],
)  # fmt: skip
def test_a_wait_is_a_page_only_where_there_is_one(tmp_path, hours, names):
    study = studies.bare(tmp_path, session=Session(occasion_gap_hours=hours))
    study = replace(study, items=study.items[:1])
    way = PreviewSessions(study, None).of(studies.sheet(study, occasions=2))
    assert [stop.name for stop in way] == names


def test_questions_of_every_moment_are_pages_of_the_way(tmp_path):
    asked = tuple(
        Background(ask, "How tired are you?", ("not", "very"), ask=ask)
        for ask in ("before", "between", "after")
    )
    study = studies.bare(tmp_path, background=asked, session=Session(break_every=2))
    way = PreviewSessions(study, None).of(studies.sheet(study))
    assert [stop.name for stop in way] == [
        "background", "item", "item", "questions", "break", "item", "questions", "done",
    ]  # fmt: skip
