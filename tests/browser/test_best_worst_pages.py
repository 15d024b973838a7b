"""The best and the worst of several texts in a real browser."""

import pytest

from covary.scales import BestWorstChoice
from covary.study.model import Criterion, Item
from tests.browser.judging import eventually, heading, looks_right_everywhere, opened, served
from tests.browser.test_judge_way import WAYS, Hand, small_targets, without_barriers
from tests.web import studies

BETTER = Criterion("Better", "Which is the best, and which the worst?", BestWorstChoice())
DEALT = (2, 0, 1, 5, 4, 3)
"""The page shows the item's third text first."""


@pytest.fixture
def study(tmp_path):
    texts = (*studies.TEXTS, "Calm at first.", "Rain, then sun.", "A gale by night.")
    items = (Item("set1", texts, tuple("abcdef")), Item("set2", texts, tuple("abcdef")))
    return studies.bare(tmp_path, BETTER, items=items)


def group(page, name):
    return page.get_by_role("group", name=name, exact=True)


def ratings(store):
    return [answer.rating for answer in store.answers.current(1).values()]


@pytest.mark.parametrize("way", WAYS)
def test_the_best_and_the_worst_are_chosen_by_every_device(browser, study, way):
    with served(study, order=DEALT) as (store, (link,)), opened(browser, link, WAYS[way]) as page:
        hand = Hand(page, way)
        without_barriers(page)
        assert small_targets(page) == []
        hand.choose("1", group(page, "Best"))
        hand.choose("6", group(page, "Worst"))
        page.get_by_text("Saved", exact=True).wait_for()
        assert ratings(store) == ["3 > 4"]
        looks_right_everywhere(page)
        hand.press("Next")
        heading(page, "Item 2 of 2")
        assert page.troubles == []


def test_one_text_is_not_both_and_one_choice_is_not_enough(browser, study):
    with served(study, order=DEALT) as (store, (link,)), opened(browser, link) as page:
        needed = page.get_by_text("Please answer this question.")
        group(page, "Best").get_by_label("2", exact=True).check()
        page.get_by_role("button", name="Next").click()
        needed.wait_for()
        group(page, "Worst").get_by_label("2", exact=True).check()
        page.get_by_role("button", name="Next").click()
        assert needed.is_visible()
        assert ratings(store) == []
        group(page, "Worst").get_by_label("3", exact=True).check()
        page.get_by_text("Saved", exact=True).wait_for()
        assert ratings(store) == ["1 > 2"]
        assert needed.is_hidden()


def test_two_digits_choose_the_best_and_then_the_worst(browser, study):
    with served(study, order=DEALT) as (store, (link,)), opened(browser, link) as page:
        heading(page, "Item 1 of 2")
        page.keyboard.press("4")
        assert group(page, "Best").get_by_label("4", exact=True).is_checked()
        page.keyboard.press("1")
        eventually(lambda: ratings(store) == ["6 > 3"])
        group(page, "Worst").get_by_label("1", exact=True).focus()
        page.keyboard.press("2")  # within a row, a digit chooses from it
        eventually(lambda: ratings(store) == ["6 > 1"])
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Enter")
        heading(page, "Item 2 of 2")


def test_without_a_script_next_saves_both(browser, study):
    with (
        served(study, order=DEALT) as (store, (link,)),
        opened(browser, link, java_script_enabled=False) as page,
    ):
        page.get_by_text("Next", exact=True).click()
        page.get_by_text("Please answer what is marked").wait_for()
        group(page, "Best").get_by_label("2", exact=True).check()
        group(page, "Worst").get_by_label("5", exact=True).check()
        page.get_by_text("Next", exact=True).click()
        heading(page, "Item 2 of 2")
        assert ratings(store) == ["1 > 5"]
