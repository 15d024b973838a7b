"""Hostile texts in a real browser: nothing runs, nothing is loaded, nothing is complained about."""

import re

import pytest

from covary.study.model import Item, Session
from tests.browser.judging import opened, served
from tests.web import studies
from tests.web.payloads import PAYLOADS


@pytest.mark.parametrize("markup", [False, True])
def test_payloads_are_text_to_a_browser(browser, tmp_path, markup):
    texts = tuple(text.replace("\x00", "") for text in PAYLOADS)
    study = studies.bare(
        tmp_path, items=(Item("i", texts),), consent="\n\n".join(texts), title=PAYLOADS[0],
        session=Session(markup=markup),
    )  # fmt: skip
    with served(study) as (_, (link,)), opened(browser) as page:
        dialogs = []
        page.on("dialog", lambda shown: dialogs.append(shown.message) or shown.dismiss())
        page.goto(link)
        page.get_by_text("I agree, and begin").click()
        page.get_by_role("heading", name="Item 1 of 1").wait_for()
        page.wait_for_load_state("networkidle")
        assert page.locator(".text").count() == len(texts)
        assert page.locator("script").count() == 1
        assert page.locator("main :is(img, iframe, svg, object, embed, style, link)").count() == 0
        assert dialogs == []
        assert page.troubles == []
        origin = re.match(r"http://[^/]+/", link)[0]
        assert all(asked.startswith(origin) for asked in page.requests)
        page.get_by_label("4 somewhat readable", exact=True).check()
        page.get_by_text("Saved", exact=True).wait_for()
