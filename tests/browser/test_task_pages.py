"""The task for other platforms in a browser: no barriers, and no answer that nobody gave."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from covary.web.judge.task_template import task_template
from tests.browser.judging import SIZES, opened
from tests.browser.test_conversation_pages import BANCHS, TALKS
from tests.web import studies


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The address of the task with each conversation in it."""
    folder = tmp_path_factory.mktemp("tasks")
    items = tuple(TALKS.values())
    made = task_template(studies.bare(folder, BANCHS, studies.VISUAL, items=items))
    for row, item in enumerate(items):
        (folder / f"{item.id}.html").write_text(made.filled(row), encoding="utf-8")
    return {item.id: (folder / f"{item.id}.html").as_uri() for item in items}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TALKS)
def test_there_are_no_barriers_and_nothing_is_cut_off(browser, pages, name, size):
    with opened(browser, pages[name], size) as page:
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert page.troubles == []
        assert page.requests == [pages[name]]
        assert page.evaluate("window.broken") is None


def test_turns_that_an_item_does_not_have_are_not_shown(browser, pages):
    with opened(browser, pages["hostile"]) as page:
        shown = [turn.is_visible() for turn in page.locator(".turn").all()]
        assert shown == [True, True, False, True]


def test_a_line_that_nobody_touched_is_not_sent(browser, pages):
    with opened(browser, pages["plain"]) as page:
        sent = "new URLSearchParams(new FormData(document.querySelector('form'))).toString()"
        page.get_by_label("Valid: it fits").check()
        assert page.evaluate(sent) == "Adequacy=valid"
        page.get_by_role("button", name="Submit").click()
        assert page.get_by_text("Please answer what is marked before you go on.").is_visible()
        page.get_by_role("slider").press("Space")
        assert page.evaluate(sent) == "Adequacy=valid&Clarity=50"
