"""The task for other platforms in a browser: no barriers, and no answer that nobody gave."""

import pytest

from covary.web.judge.task_template import task_template
from tests.browser.judging import looks_right_everywhere, opened
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


def test_there_are_no_barriers_and_nothing_is_cut_off_or_shown_that_is_not_there(browser, pages):
    with opened(browser) as page:
        for name in TALKS:
            page.goto(pages[name])
            looks_right_everywhere(page)
            assert page.evaluate("window.broken") is None
            if name == "hostile":  # it has fewer turns than others
                shown = [turn.is_visible() for turn in page.locator(".turn").all()]
                assert shown == [True, True, False, True]
        assert page.troubles == []
        assert page.requests == list(pages.values())


def test_a_line_that_nobody_touched_is_not_sent(browser, pages):
    with opened(browser, pages["plain"]) as page:
        sent = "new URLSearchParams(new FormData(document.querySelector('form'))).toString()"
        page.get_by_label("Valid: it fits").check()
        assert page.evaluate(sent) == "Adequacy=valid"
        page.get_by_role("button", name="Submit").click()
        assert page.get_by_text("Please answer what is marked before you go on.").is_visible()
        page.get_by_role("slider").press("Space")
        assert page.evaluate(sent) == "Adequacy=valid&Clarity=50"
