"""People from a platform in a real browser: in by the link, back by the code, no barriers."""

from contextlib import contextmanager

import pytest

from tests.browser.judging import SIZES, heading, looks_right_everywhere, opened, served
from tests.web import recruiting
from tests.web.recruiting import BACK, query


@contextmanager
def recruited(study, places=1):
    """Serve a study; yields its store, and what returns somebody's link from the platform."""
    with served(study, judges=places) as (store, links):
        address = f"{links[0].partition('/j/')[0]}/join/{store.visits.new_join_secret()}"
        yield store, lambda person: f"{address}?{query(person)}"


def stands_for_prolific(page):
    """Answer in place of Prolific, which no test reaches."""
    page.route(
        "https://app.prolific.com/**",
        lambda route: route.fulfill(body="<h1>Prolific</h1>", content_type="text/html"),
    )


@pytest.mark.parametrize("size", SIZES)
def test_from_the_platform_and_back_to_it(browser, tmp_path, size):
    study = recruiting.study(tmp_path)
    with recruited(study) as (store, link), opened(browser, size=size) as page:
        stands_for_prolific(page)
        page.goto(link("p1"))
        heading(page, "Before you begin")
        assert page.url.endswith("/judge")  # neither the secret nor the name stays in sight
        page.get_by_role("button", name="I agree, and begin").click()
        heading(page, "Guidelines")
        page.get_by_role("button", name="I have read them").click()
        for place, rating in enumerate(recruiting.right(study)):
            words = "Practice 1 of 1" if place == 0 else f"Item {place} of 5"
            page.get_by_text(words, exact=True).wait_for()
            page.locator(f"input[type=radio][value='{rating}']").check()
            page.get_by_role("button", name="Next").click()
            if place == 0:
                heading(page, "That was the practice")
                page.get_by_role("button", name="Begin").click()
        heading(page, "Prolific")
        assert page.url == f"{BACK}DONE1"
        assert [(each.outcome, each.code) for each in store.visits.all()] == [("done", "DONE1")]
        page.goto(link("p1"))
        heading(page, "Thank you, you are done")
        assert page.locator(".code").inner_text() == "DONE1"
        page.get_by_role("link", name="Return to Prolific").click()
        heading(page, "Prolific")
        assert page.troubles == []


def test_stopping_is_asked_about_and_then_done(browser, tmp_path):
    with (
        recruited(recruiting.study(tmp_path)) as (store, link),
        opened(browser, link("p1")) as page,
    ):
        heading(page, "Before you begin")
        page.get_by_role("button", name="I agree, and begin").click()
        heading(page, "Guidelines")
        page.get_by_role("link", name="I want to stop").click()
        heading(page, "Do you want to stop?")
        page.get_by_role("link", name="Go on with the study").click()
        heading(page, "Guidelines")
        page.get_by_role("link", name="I want to stop").click()
        heading(page, "Do you want to stop?")
        page.get_by_role("button", name="Stop for good").click()
        heading(page, "You have stopped")
        assert store.sheets.of(2) is None
        assert page.troubles == []


def prepared(store, study):
    """Bring people to every page that only recruited people see; returns who sees which."""
    ended = {
        "screened out": "Thank you for trying",
        "failed checks": "The study ends here",
        "withdrew": "You have stopped",
    }
    seen = {}
    for number, (ending, title) in enumerate(ended.items()):
        judge = store.visits.arrive("Prolific", f"e{number}", f"s-e{number}", "t1").judge.id
        store.visits.end(judge, ending)
        seen[f"e{number}"] = title
    practising = store.visits.arrive("Prolific", "practising", "s-practising", "t1").judge.id
    store.notes.add(practising, "consent", {"agreed": True})
    store.notes.add(practising, "guidelines", {"version": study.manual.version})
    sheet = store.visits.take_place(practising)
    store.notes.add(practising, "left", {"sheet": sheet, "position": 1})
    declined = store.visits.arrive("Prolific", "declined", "s-declined", "t1").judge.id
    store.notes.add(declined, "consent", {"agreed": False})
    away = store.visits.arrive("Prolific", "away", "s-away", "t1").judge.id
    store.notes.add(away, "began", {"sheet": 1})
    return seen | {
        "practising": "Please practise once more",
        "declined": "Thank you for considering it",
        "away": "Your place was given to somebody else",
        "late": "The study is full",
        "%3Cb%3E": "This link is not complete",
    }


def test_every_page_is_without_barriers_and_nothing_is_cut_off(browser, tmp_path):
    choosy = recruiting.replace(recruiting.RECRUITING, qualify=1.0)
    study = recruiting.study(tmp_path, choosy)
    with recruited(study) as (store, link), opened(browser) as page:
        for person, title in prepared(store, study).items():
            page.goto(link(person))
            heading(page, title)
            looks_right_everywhere(page)
        page.goto(link("practising"))
        heading(page, "Please practise once more")
        page.goto(link("practising").partition("/join/")[0] + "/judge/stop")
        heading(page, "Do you want to stop?")
        looks_right_everywhere(page)


def test_the_researchers_page_is_without_barriers(browser, tmp_path):
    study = recruiting.study(tmp_path)
    with recruited(study, places=3) as (store, link):
        prepared(store, study)
        address = link("x").partition("/join/")[0]
        with opened(browser, f"{address}/r/{store.researchers.new_link(again=True)}") as page:
            page.get_by_role("link", name="Recruiting", exact=True).click()
            heading(page, "Recruiting")
            looks_right_everywhere(page)
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            page.locator(".join [data-copy]").click()
            page.wait_for_selector("text=Copied.")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.endswith("&SESSION_ID={{%SESSION_ID%}}")
            with page.expect_download() as saved:
                page.get_by_role("link", name="Save as CSV, to pay them").click()
            assert "practising" in saved.value.path().read_text()
            page.get_by_role("button", name="Revoke the link").click()
            page.get_by_role("button", name="Make the link", exact=True).wait_for()
            assert store.visits.join_secret() is None
            assert page.troubles == []
