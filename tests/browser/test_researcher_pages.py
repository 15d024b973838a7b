"""A researcher's whole way in a real browser, and every page without barriers."""

import re
from contextlib import contextmanager

from tests.browser.judging import (
    PATIENCE,
    barriers,
    heading,
    looks_right_everywhere,
    opened,
    served,
)
from tests.web import studies
from tests.web.researching import HOSTILE, answer

PAPER = "getComputedStyle(document.documentElement).backgroundColor"
PAGES = ("", "/judges", "/judges/1", "/judges/1/page", "/items", "/answers", "/study",
         "/preview", "/export", "/preview/way/1/0", "/preview/item/1/0")  # fmt: skip


@contextmanager
def researching(browser, link, store, size="desk", **more):
    """Sign a researcher in at the server that a judge's link leads to."""
    address = link.partition("/j/")[0]
    with opened(
        browser, f"{address}/r/{store.researchers.new_link(again=True)}", size, **more
    ) as page:
        page.address = address
        yield page


def test_a_researchers_whole_way(browser, tmp_path):
    study = studies.study(tmp_path, studies.VERBAL)
    with (
        served(study, judges=2) as (store, links),
        researching(browser, links[0], store) as page,
    ):
        assert page.url == f"{page.address}/researcher"
        page.click("text=Judges")
        page.fill("#names", f"Ann\n{HOSTILE}")
        page.fill("#group", "students")
        page.click("text=Make links")
        page.wait_for_selector("text=2 links, shown this once")
        assert barriers(page) == []
        given = page.locator("tbody code").all_text_contents()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("tbody [data-copy]").first.click()
        page.wait_for_selector("text=Copied.")
        assert page.evaluate("navigator.clipboard.readText()") == given[0]
        with page.expect_download() as saved:
            page.click("text=Save as CSV")
        assert given[1] in saved.value.path().read_text()

        answer_all(browser, given[0])
        page.click("text=Progress")
        row = page.locator("tbody tr", has=page.get_by_role("link", name="Ann", exact=True))
        assert "4 / 4" in row.inner_text()
        assert "done" in row.inner_text()
        assert barriers(page) == []

        page.get_by_role("link", name="Ann", exact=True).first.click()
        page.click("text=Revoke the link")
        page.wait_for_selector("text=link revoked")
        with opened(browser, given[0]) as judge:
            assert "This link is not valid" in judge.inner_text("h1")

        page.click("text=Progress")
        page.click("button:text('Pause')")
        page.wait_for_selector("text=The study is paused")
        with opened(browser, given[1]) as judge:
            assert judge.inner_text("h1") == "The study is paused"
        page.click("text=Open again")
        page.wait_for_selector("text=The study is open")

        page.click("text=Export")
        page.select_option("#format", "tsv")
        with page.expect_download() as saved:
            page.click("text=Download the ratings")
        assert saved.value.suggested_filename == "ratings.tsv"
        lines = saved.value.path().read_text().splitlines()
        assert len(lines) == 4  # a head, and three items
        with page.expect_download() as saved:
            page.click("text=Download everything")
        assert saved.value.suggested_filename == "everything.zip"
        page.click("text=Open the report")
        page.wait_for_selector("main#report", timeout=PATIENCE)
        assert page.evaluate(PAPER) == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).maxWidth") != "none"  # it has style
        assert page.troubles == []


def answer_all(browser, link):
    """Go a judge's way from the link to the end."""
    with opened(browser, link) as judge:
        judge.click("text=I agree, and begin")
        judge.click("text=yes")
        judge.click("button:text('Continue')")
        judge.click("button:text('I have read them')")
        places = {"Practice 1 of 1": 4, "Item 1 of 3": 5, "Item 2 of 3": 6, "Item 3 of 3": 7}
        for place, rating in places.items():
            if place == "Item 1 of 3":
                judge.click("button:text('Begin')")
            heading(judge, place)  # a page that is still being left would take the click as well
            judge.click(f"input[value='{rating}']")
            judge.wait_for_selector("text=Saved")
            judge.click("button:text('Next')")
        heading(judge, "Thank you, you are done")


def test_a_preview_is_walked_through_and_nothing_is_sent(browser, tmp_path):
    study = studies.study(tmp_path, studies.VERBAL, studies.GRAPHIC)
    with (
        served(study) as (store, links),
        researching(browser, links[0], store) as page,
    ):
        page.goto(links[0])  # the researcher tries a judge's link in the same browser
        page.goto(f"{page.address}/researcher/preview")
        before = store.notes.all(), store.answers.counts()
        page.click("text=Consent")
        page.click("text=I agree, and begin")
        page.wait_for_selector("text=About you")
        page.click("text=yes")
        page.click("button:text('Continue')")
        page.click("button:text('I have read them')")
        page.requests.clear()
        page.click("button:text('Next')")
        page.wait_for_selector("text=Please answer what is marked")  # as for a judge
        page.click("input[value='4']")
        page.locator("input[type=range]").press("ArrowRight")
        page.wait_for_selector("text=Preview: not saved")
        page.click("button:text('Next')")
        page.wait_for_selector("text=That was the practice")
        assert not any("/judge/" in asked for asked in page.requests)
        assert any("/researcher/preview/way/" in asked for asked in page.requests)
        assert page.locator("aside.preview").inner_text().startswith("Preview as a judge sees it")
        assert (store.notes.all(), store.answers.counts()) == before
        assert page.troubles == []


def test_no_page_has_a_barrier_or_is_wider_than_the_screen(browser, tmp_path):
    study = studies.study(tmp_path, *studies.EVERY)
    with (
        served(study) as (store, links),
        researching(browser, links[0], store) as page,
    ):
        store.judges.add("Eve", group="students of a very long-winded and never-ending subject")
        answer(store, 1, store.sheets.issue(1), [1, 2, 3])
        for path in PAGES:
            page.goto(f"{page.address}/researcher{path}")
            looks_right_everywhere(page)
        for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 28)")):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(PAPER) == paper
        assert page.troubles == []


def test_numbers_are_renewed_while_nobody_is_busy_in_them(browser, tmp_path):
    study = studies.bare(tmp_path)
    with (
        served(study) as (store, links),
        researching(browser, links[0], store) as page,
    ):
        page.clock.install()
        page.reload()
        assert "0 of 3 answers" in page.locator(".numbers").inner_text().replace("\n", " ")
        answer(store, 1, store.sheets.issue(1), [5])
        page.focus("#live a")
        page.clock.run_for(11_000)
        assert "0 of 3 answers" in page.locator(".numbers").inner_text().replace("\n", " ")
        page.evaluate("document.activeElement.blur()")
        with page.expect_response("**/researcher/live"):
            page.clock.run_for(11_000)
        page.wait_for_selector("text=The last answer came")
        assert re.search(r"1\s+of 3 answers", page.locator(".numbers").inner_text())
        assert page.locator("#news").inner_text() == "0 of 1 places are done."


def test_without_script_all_of_it_works(browser, tmp_path):
    study = studies.bare(tmp_path)
    with (
        served(study) as (store, links),
        researching(browser, links[0], store, java_script_enabled=False) as page,
    ):
        answer(store, 1, store.sheets.issue(1), [5])
        page.click("text=Refresh now")
        page.wait_for_selector("text=The last answer came")
        page.goto(f"{page.address}/researcher/judges")
        page.click("text=Make links")
        with page.expect_download() as saved:
            page.click("text=Save as CSV")
        assert "/j/" in saved.value.path().read_text()
        page.goto(f"{page.address}/researcher/preview/way/1/0")
        page.click("button:text('Next')")
        page.wait_for_selector("text=Item 2 of 3")


def test_a_stranger_is_told_how_to_get_in(browser, tmp_path):
    study = studies.bare(tmp_path)
    with (
        served(study) as (_, links),
        opened(browser, links[0].partition("/j/")[0] + "/researcher") as page,
    ):
        assert "covary researcher-link" in page.inner_text("main")
        assert barriers(page) == []
