"""No answer is lost: quick hands, two tabs, another device, no network, a server that is killed."""

import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from covary.store import Store
from covary.study import read_study, write_template
from covary.study.model import Item, Session
from covary.web.judge.sheets import prepare_sheets
from tests.browser.judging import PATIENCE, heading, opened, served, watched
from tests.browser.test_judge_way import Hand
from tests.web import studies
from tests.web.ports import free_port, started


def saved(page):
    page.get_by_text("Saved", exact=True).wait_for()


def ratings(store, criterion="Fluency"):
    return {
        place: each.rating
        for (place, key), each in store.answers.current(1).items()
        if key == criterion
    }


def touched(page):
    return page.locator('input[name="touched-0"]').input_value() == "1"


def test_a_quick_last_keystroke_is_never_lost(browser, tmp_path):
    study = studies.bare(tmp_path, studies.VISUAL, items=some_items(10))
    with served(study) as (store, (link,)), opened(browser, link) as page:
        for place in range(1, 11):
            heading(page, f"Item {place} of 10")
            page.get_by_role("slider").focus()
            for _ in range(place):
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        heading(page, "Thank you, you are done")
        assert ratings(store, "Clarity") == {place: 50 + place for place in range(1, 11)}


def test_looking_at_a_line_is_no_answer(browser, tmp_path):
    study = studies.bare(tmp_path, studies.VISUAL)
    with served(study) as (store, (link,)), opened(browser, link) as page:
        line = page.get_by_role(
            "slider", name="How clear is this text? from extremely bad to excellent"
        )
        line.focus()
        page.keyboard.press("Tab")
        line.hover()
        page.get_by_role("button", name="Next").click()
        page.get_by_text("Please answer what is marked").wait_for()
        assert not touched(page)
        assert line.get_attribute("aria-valuetext") == "not answered yet"
        assert list(store.answers.log()) == []


MIDDLES = {"Space": ("Space",), "Enter": ("Enter",), "there and back": ("ArrowRight", "ArrowLeft")}


def some_items(number):
    return tuple(Item(f"i{n}", (f"Text {n}.",)) for n in range(number))


def test_the_exact_middle_can_be_the_answer(browser, tmp_path):
    study = studies.bare(tmp_path, studies.VISUAL, items=some_items(5))
    with served(study) as (store, (link,)):
        with opened(browser, link) as page:
            for place, keys in enumerate((*MIDDLES.values(), None), 1):
                heading(page, f"Item {place} of 5")
                line = page.get_by_role("slider")
                if keys is None:
                    line.click()
                else:
                    line.focus()
                    for key in keys:
                        page.keyboard.press(key)
                saved(page)
                assert line.get_attribute("aria-valuetext") is None
                page.get_by_role("button", name="Next").click()
            heading(page, "Item 5 of 5")
        with opened(browser, link, "phone") as page:
            page.get_by_role("slider").tap()
            saved(page)
        assert ratings(store, "Clarity") == dict.fromkeys(range(1, 6), 50)


MOVES = {
    ("ArrowUp",): 51, ("ArrowDown",): 49, ("PageUp",): 60, ("Home",): 0, ("End",): 100,
    ("End", "ArrowRight"): 100, ("Home", "PageDown"): 0,
}  # fmt: skip


def test_arrow_keys_move_the_pointer(browser, tmp_path):
    study = studies.bare(tmp_path, studies.UPRIGHT, items=some_items(len(MOVES)))
    with served(study) as (store, (link,)), opened(browser, link) as page:
        for place, keys in enumerate(MOVES, 1):
            heading(page, f"Item {place} of {len(MOVES)}")
            page.get_by_role("slider").focus()
            for key in keys:
                page.keyboard.press(key)
            saved(page)
            page.get_by_role("button", name="Next").click()
        heading(page, "Thank you, you are done")
        assert ratings(store, "Warmth") == dict(enumerate(MOVES.values(), 1))


def test_a_digit_chooses_the_category_of_that_number(browser, tmp_path):
    with served(studies.bare(tmp_path)) as (store, (link,)), opened(browser, link) as page:
        page.keyboard.press("Tab")
        Hand(page, "keyboard").tab_to(page.get_by_role("radio"))
        page.keyboard.press("6")
        saved(page)
        page.keyboard.press("Enter")
        heading(page, "Item 2 of 3")
        assert ratings(store) == {1: 6}


def test_a_changed_mind_is_saved_and_both_are_kept(browser, tmp_path):
    with served(studies.bare(tmp_path)) as (store, (link,)), opened(browser, link) as page:
        for words in ("2 very hard to read", "5 fairly easy to read"):
            page.get_by_label(words, exact=True).check()
            saved(page)
        assert ratings(store) == {1: 5}
        assert [answer.rating for _, _, answer in store.answers.log()] == [2, 5]


def test_a_second_browser_goes_on_where_the_first_one_was(browser, tmp_path):
    with served(studies.bare(tmp_path)) as (store, (link,)), opened(browser, link) as page:
        page.get_by_label("2 very hard to read", exact=True).check()
        page.get_by_role("button", name="Next").click()
        heading(page, "Item 2 of 3")
        page.get_by_label("5 fairly easy to read", exact=True).check()
        saved(page)
        with opened(browser, link, "phone") as phone:
            heading(phone, "Item 2 of 3")
            assert phone.get_by_label("5 fairly easy to read", exact=True).is_checked()
            phone.get_by_role("button", name="Next").tap()
            heading(phone, "Item 3 of 3")
        page.reload()
        heading(page, "Item 3 of 3")
        assert ratings(store) == {1: 2, 2: 5}


@pytest.mark.parametrize("go_back", [True, False])
def test_two_tabs_do_no_harm(browser, tmp_path, go_back):
    study = studies.bare(tmp_path, session=Session(go_back=go_back))
    with served(study) as (store, (link,)), opened(browser, link) as page:
        other = watched(page.context.new_page())
        other.goto(link)
        page.get_by_label("2 very hard to read", exact=True).check()
        saved(page)
        other.get_by_label("5 fairly easy to read", exact=True).check()
        saved(other)
        page.get_by_role("button", name="Next").click()
        heading(page, "Item 2 of 3")
        other.get_by_label("7 reads perfectly", exact=True).check()
        if go_back:
            saved(other)
        else:
            other.get_by_text("This can no longer be changed.").wait_for()
        other.get_by_role("button", name="Next").click()
        heading(other, "Item 2 of 3")
        assert ratings(store) == {1: 7 if go_back else 2}
        assert [note.data["position"] for note in store.notes.all(1, "left")] == [1]


def test_without_a_network_answers_and_next_wait_and_arrive(browser, tmp_path):
    with served(studies.bare(tmp_path)) as (store, (link,)), opened(browser, link) as page:
        page.context.set_offline(True)
        page.get_by_label("2 very hard to read", exact=True).check()
        page.get_by_text("cannot be saved at the moment").wait_for()
        page.get_by_label("6 easy to read", exact=True).check()
        assert list(store.answers.log()) == []
        page.context.set_offline(False)
        saved(page)
        assert ratings(store) == {1: 6}
        page.context.set_offline(True)
        page.get_by_label("3 hard to read", exact=True).check()
        page.get_by_role("button", name="Next").click()
        page.get_by_text("cannot be saved at the moment").wait_for()
        page.context.set_offline(False)
        heading(page, "Item 2 of 3")
        assert ratings(store) == {1: 3}


def test_without_a_script_lists_are_answered_and_saved_by_next(browser, tmp_path):
    study = studies.study(tmp_path, studies.VERBAL)
    with (
        served(study) as (store, (link,)),
        opened(browser, link, java_script_enabled=False) as page,
    ):
        page.get_by_text("I agree, and begin").click()
        page.get_by_label("yes", exact=True).check()
        page.get_by_text("Continue").click()
        page.get_by_text("I have read them").click()
        page.locator("noscript .alert").wait_for()
        page.get_by_text("Next", exact=True).click()
        page.get_by_text("Please answer what is marked").wait_for()
        page.get_by_label("4 somewhat readable", exact=True).check()
        page.get_by_text("Next", exact=True).click()
        heading(page, "That was the practice")
        assert ratings(store) == {1: 4}


@contextmanager
def process(folder, port):
    """`covary serve` in a process of its own."""
    command = [sys.executable, "-m", "covary", "serve", str(folder), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        started(port, server)
        yield server
    finally:
        server.kill()
        server.wait()


def test_a_server_that_is_killed_loses_nothing_that_was_saved_and_the_page_goes_on(
    browser, tmp_path
):
    folder, port = tmp_path / "forecasts", free_port()
    write_template(folder, "duc-5")
    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        prepare_sheets(study, store)
        link = f"http://127.0.0.1:{port}/j/{store.judges.add()[1]}"
    with opened(browser) as page:
        with process(folder, port) as server:
            page.goto(link)
            to_the_first_item(page)
            choices = page.locator("fieldset").first.get_by_role("radio")
            choices.nth(1).check()
            saved(page)
            server.kill()
            server.wait()
            choices.nth(3).check()
            page.get_by_text("cannot be saved at the moment").wait_for()
        with process(folder, port):
            # The page tries again after up to ten seconds, the longer the server was away.
            page.get_by_text("Saved", exact=True).wait_for(timeout=PATIENCE)
            for fieldset in page.locator("fieldset").all()[1:]:
                fieldset.get_by_role("radio").first.check()
            before = page.locator("h1").inner_text()
            page.get_by_role("button", name="Next").click()
            page.wait_for_function(
                "old => document.querySelector('h1').innerText !== old", arg=before
            )
    with Store.open(folder / "study.db") as store:
        log = [answer.rating for _, late, answer in store.answers.log()]
        first = study.criteria[0]
        expected = [study.criteria[0].scale.categories[place] for place in (1, 3)]
        assert log[:2] == expected
        assert store.answers.current(1)[1, first.key].rating == expected[1]


def to_the_first_item(page):
    """Go through whatever stands before the first item."""
    for _ in range(8):
        if re.match(r"(Practice|Item) 1", page.locator("h1").inner_text()):
            return
        for group in page.locator("fieldset").all():
            group.get_by_role("radio").first.check()
        for field in page.locator("input[type=text]").all():
            field.fill("7")
        with page.expect_navigation():  # or the old page would be looked at again, and left twice
            page.get_by_role("button").first.click()
    raise AssertionError("there is no first item")
