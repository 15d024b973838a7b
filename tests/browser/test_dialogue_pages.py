"""A whole dialogue on one page, as an expert sees it and rates its turns."""

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.judging import SIZES, heading, opened, served
from tests.web.test_dialogue_page import VALIDITY, dialogues

LOOKS = [*product(SIZES, ("light",)), ("phone", "dark")]


@pytest.fixture(scope="module")
def served_dialogues(tmp_path_factory):
    study = dialogues(tmp_path_factory.mktemp("dialogues"))
    with served(study, judges=len(LOOKS) + 2) as (store, links):
        yield store, links


def choose(page, turn, words):
    page.locator(f"[data-turn='{turn}']").get_by_text(words, exact=True).click()


@pytest.mark.parametrize("look", range(len(LOOKS)))
def test_there_are_no_barriers_and_nothing_is_cut_off(browser, served_dialogues, look):
    size, scheme = LOOKS[look]
    with opened(browser, served_dialogues[1][look], size, color_scheme=scheme) as page:
        heading(page, "Conversation 1 / 2")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        turns = page.get_by_role("list", name="Conversation").locator("> li .said")
        assert turns.all_inner_texts() == [f"one says {number}" for number in range(9)]
        assert page.troubles == []


def test_each_turn_is_saved_at_once_and_kept_under_its_own_item(browser, served_dialogues):
    store, links = served_dialogues
    with opened(browser, links[-1]) as page:
        heading(page, "Conversation 1 / 2")
        choose(page, 1, "invalid")
        page.get_by_text("Saved", exact=True).wait_for()
        page.reload()
        assert page.locator("[data-turn='1'] input:checked").get_attribute("value") == "invalid"
        choose(page, 0, "valid")
        page.get_by_role("button", name="Next").click()
        page.locator("[data-turn='2'] .lacking").wait_for()
        choose(page, 2, "acceptable")
        page.get_by_role("button", name="Next").click()
        heading(page, "Conversation 2 / 2")
        assert page.troubles == []
    given = [answer for _, _, answer in store.answers.log()]
    assert {answer.item: answer.rating for answer in given} == {
        "one-2": "valid",
        "one-4": "invalid",
        "one-6": "acceptable",
    }
    assert len(given) == 3  # Next sends nothing again that was saved
    assert {answer.criterion for answer in given} == {VALIDITY.key}


def test_the_keyboard_alone_is_enough(browser, served_dialogues):
    with opened(browser, served_dialogues[1][-2]) as page:
        heading(page, "Conversation 1 / 2")
        for digit in "123":
            page.keyboard.press(digit)
        page.get_by_text("Saved", exact=True).wait_for()
        chosen = page.locator("input:checked").evaluate_all("all => all.map(each => each.value)")
        assert chosen == ["invalid", "acceptable", "valid"]
        page.keyboard.press("Enter")
        heading(page, "Conversation 2 / 2")
