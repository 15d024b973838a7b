"""A judge's whole way in a real browser: by mouse, by keyboard alone, by touch on a phone."""

import re
from dataclasses import replace

import pytest

from covary.study.model import Session
from tests.browser.judging import WIDER, barriers, heading, looks_right_everywhere, opened, served
from tests.web import studies

MOST_BYTES = 100_000
WAYS = {"mouse": "desk", "keyboard": "desk", "touch": "phone"}


class Hand:
    """Does what a judge does on a page, with one device only."""

    def __init__(self, page, way):
        self.page, self.way = page, way

    def press(self, name):
        """Press the button or link of this name."""
        target = self.page.get_by_role("button", name=name)
        if self.way == "keyboard":
            self.tab_to(target)
            self.page.keyboard.press("Enter")
        else:
            self._touch(target)

    def choose(self, name, fieldset=None):
        """Choose what a label says; by keyboard with the arrow keys."""
        within = self.page if fieldset is None else fieldset
        target = within.get_by_label(name, exact=True)
        if self.way != "keyboard":
            self._touch(target)
            return
        group = within.get_by_role("radio")
        self.tab_to(group)
        for _ in range(group.count() + 1):
            if target.is_checked():
                return
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Space")
        assert target.is_checked()

    def place(self, line, share):
        """Place the pointer at a share of a line (of its length between the ends)."""
        if self.way == "keyboard":
            self.tab_to(line)
            self.page.keyboard.press("Home")
            for _ in range(round(share * 10)):
                self.page.keyboard.press("PageUp")
            return
        line.scroll_into_view_if_needed()
        box = line.bounding_box()
        thumb = line.evaluate(
            "e => 1.75 * parseFloat(getComputedStyle(document.documentElement).fontSize)"
        )
        upright = box["height"] > box["width"]
        length = (box["height"] if upright else box["width"]) - thumb
        along = thumb / 2 + length * (1 - share if upright else share)
        x, y = (box["width"] / 2, along) if upright else (along, box["height"] / 2)
        if self.way == "touch":
            self.page.touchscreen.tap(box["x"] + x, box["y"] + y)
        else:
            self.page.mouse.click(box["x"] + x, box["y"] + y)

    def tab_to(self, target):
        """Press Tab until one of these has the focus."""
        for _ in range(80):
            if target.evaluate_all("all => all.includes(document.activeElement)"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("the keyboard does not reach it")

    def _touch(self, target):
        if self.way == "touch":
            target.tap()
        else:
            target.click()


def without_barriers(page):
    """Look for barriers, for words that are cut off, and for whatever the page complains about."""
    assert barriers(page) == []
    assert page.evaluate(WIDER) <= 0
    assert page.troubles == []


def small_targets(page):
    """Things to press that are smaller than a thumb needs (44 pixels, as WCAG 2.5.5 says)."""
    return page.evaluate(
        """[...document.querySelectorAll("button, .button, .choice, [type=range], [type=text]")]
        .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
        .filter(([, box]) => box.height < 44 || box.width < 44).map(([name]) => name)"""
    )


@pytest.mark.parametrize(
    ("way", "scheme"), [("mouse", "light"), ("keyboard", "dark"), ("touch", "light")]
)
def test_the_whole_way(browser, tmp_path, way, scheme):
    parts = (replace(studies.VERBAL, part="words"), replace(studies.VISUAL, part="line"))
    session = Session(break_every=2, ask_preference=True, remarks=True, code="COVARY-42")
    study = studies.study(tmp_path, *parts, session=session)
    with (
        served(study) as (store, (link,)),
        opened(browser, link, WAYS[way], color_scheme=scheme) as page,
    ):
        hand = Hand(page, way)

        def at(words):
            heading(page, words)
            if way != "mouse":  # the same pages as by keyboard
                without_barriers(page)
            assert small_targets(page) == []

        at("Before you begin")
        hand.press("I agree, and begin")
        at("About you")
        hand.choose("no")
        hand.press("Continue")
        at("Guidelines")
        hand.press("I have read them")
        at("Practice 1 of 1")
        hand.choose("4 somewhat readable")
        hand.press("Next")
        at("That was the practice")
        hand.press("Begin")
        for place, words in enumerate(("1 completely unreadable", "5 fairly easy to read"), 1):
            at(f"Item {place} of 6")
            hand.choose(words)
            page.get_by_text("Saved", exact=True).wait_for()
            hand.press("Next")
        at("Time for a break")
        hand.press("Continue")
        at("Item 3 of 6")
        hand.choose("7 reads perfectly")
        hand.press("Next")
        at("Part 2 of 2")
        hand.press("Begin this part")
        at("Item 4 of 6")
        hand.place(page.get_by_role("slider"), 0.2)
        hand.press("Next")
        at("Time for a break")
        hand.press("Continue")
        at("Item 5 of 6")
        hand.place(page.get_by_role("slider"), 0.5)
        hand.press("Next")
        at("Item 6 of 6")
        hand.place(page.get_by_role("slider"), 1)
        hand.press("Next")
        at("Which way of answering did you prefer?")
        hand.choose("No preference")
        hand.press("Continue")
        at("Is there anything you want to tell us?")
        hand.press("Finish")
        at("Thank you, you are done")
        assert page.locator(".code").inner_text() == "COVARY-42"
        current = store.answers.current(1)
        words = [current[place, "Fluency (words)"].rating for place in (1, 2, 3, 4)]
        line = [current[place, "Clarity (line)"].rating for place in (5, 6, 7)]
        assert words == [4, 1, 5, 7]
        assert line == pytest.approx([20, 50, 100], abs=0 if way == "keyboard" else 1)
        assert store.notes.all(1, "preferred")[0].data["part"] is None
        origin = re.match(r"http://[^/]+", link)[0]
        assert all(asked.startswith(origin + "/") for asked in page.requests)


EXPECTED = {
    "Fluency": 6, "Grammaticality": 4, "Clarity": 30, "Liking": 70, "Warmth": 80, "Ease": 50,
    "True": 1, "Row": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("way", "scheme"), [("mouse", "dark"), ("keyboard", "light"), ("touch", "dark")]
)
def test_every_scale(browser, tmp_path, way, scheme):
    study = studies.bare(tmp_path, *studies.EVERY)
    with (
        served(study) as (store, (link,)),
        opened(browser, link, WAYS[way], color_scheme=scheme) as page,
    ):
        hand = Hand(page, way)
        without_barriers(page)
        assert small_targets(page) == []

        def scale(name):
            return page.locator(f'fieldset[data-criterion="{name}"]')

        hand.choose("6 easy to read", scale("Fluency"))
        hand.choose("4 Good", scale("Grammaticality"))
        for name in ("Clarity", "Liking", "Warmth", "Ease"):
            hand.place(scale(name).get_by_role("slider"), EXPECTED[name] / 100)
        hand.choose("Yes", scale("True"))
        hand.choose("2 Poor", scale("Row"))
        page.get_by_text("Saved", exact=True).wait_for()
        saved = {key: answer.rating for (_, key), answer in store.answers.current(1).items()}
        hand.press("Next")
        heading(page, "Item 2 of 3")
        again = {key: answer.rating for (_, key), answer in store.answers.current(1).items()}
        assert saved == again == pytest.approx(EXPECTED, abs=0 if way == "keyboard" else 1)


@pytest.mark.parametrize("way", WAYS)
def test_two_texts_side_by_side_or_one_above_the_other(browser, tmp_path, way):
    study = studies.bare(tmp_path, studies.BETTER)
    with served(study, order=(1, 0)) as (store, (link,)), opened(browser, link, WAYS[way]) as page:
        hand = Hand(page, way)
        without_barriers(page)
        left, right = (each.bounding_box() for each in page.locator(".text").all())
        if way == "touch":
            assert left["x"] == right["x"]
            assert right["y"] > left["y"]
        else:
            assert left["y"] == right["y"]
            assert right["x"] > left["x"]
        for words, place in (("A", 2), ("same", 3), ("B", None)):
            hand.choose(words)
            hand.press("Next")
            heading(page, f"Item {place} of 3" if place else "Thank you, you are done")
        ratings = [store.answers.current(1)[place, "Better"].rating for place in (1, 2, 3)]
        assert ratings == ["B", "same", "A"]


def test_a_conversation_a_picture_and_a_set_of_outputs_have_no_barriers(browser, tmp_path):
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40"/></svg>'
    )
    (tmp_path / "plot.svg").write_text(drawing)
    talk = replace(studies.conversation(), image="plot.svg", image_text="a plot of the wind")
    several = replace(talk, id="set", texts=("One.", "Two.", "Three."), context=(), image=None)
    study = studies.bare(tmp_path, items=(talk, several))
    with served(study) as (_, (link,)), opened(browser, link, "phone") as page:
        without_barriers(page)
        picture = page.get_by_role("img", name="a plot of the wind")
        assert picture.evaluate("e => e.complete && e.naturalWidth > 0")
        assert page.locator('[aria-current="true"]').inner_text().endswith("stays dry all day.")
        Hand(page, "touch").choose("3 hard to read")
        Hand(page, "touch").press("Next")
        heading(page, "Item 2 of 2")
        without_barriers(page)


def test_pages_of_refusals_have_no_barriers(browser, tmp_path):
    with served(studies.bare(tmp_path)) as (store, (link,)), opened(browser) as page:
        origin = link.partition("/j/")[0]
        for path in ("/judge", "/nothing", "/j/unknown"):
            page.goto(origin + path)
            looks_right_everywhere(page)
        store.set_state("paused")
        page.goto(link)
        heading(page, "The study is paused")
        looks_right_everywhere(page)


def test_a_page_is_light_and_asks_nobody_else(browser, tmp_path):
    study = studies.bare(tmp_path, *studies.EVERY)
    with served(study) as (_, (link,)), opened(browser) as page:
        bodies = []
        page.on("response", lambda answer: bodies.append(answer))
        page.goto(link)
        page.wait_for_load_state("networkidle")
        weight = sum(len(each.body()) for each in bodies if each.status == 200)
        assert 5_000 < weight < MOST_BYTES
        assert {each.url.split("/")[2] for each in bodies} == {link.split("/")[2]}


def test_what_lacks_an_answer_is_marked_and_gets_the_focus(browser, tmp_path):
    study = studies.bare(tmp_path, studies.VERBAL, studies.VISUAL)
    with served(study) as (_, (link,)), opened(browser, link) as page:
        hand = Hand(page, "mouse")
        hand.choose("3 hard to read")
        hand.press("Next")
        page.get_by_text("Please answer what is marked").wait_for()
        assert page.evaluate("document.activeElement.type") == "range"
        assert page.get_by_text("Please answer this question.").locator("visible=true").count() == 1
        without_barriers(page)
        hand.place(page.get_by_role("slider"), 0.4)
        assert page.get_by_text("Please answer this question.").locator("visible=true").count() == 0
        hand.press("Next")
        heading(page, "Item 2 of 3")


def test_paper_is_light_and_has_no_buttons(browser, tmp_path):
    study = studies.bare(tmp_path)
    with served(study) as (_, (link,)), opened(browser, link, color_scheme="dark") as page:
        paper = "getComputedStyle(document.documentElement).backgroundColor"
        assert page.evaluate(paper) == "rgb(21, 24, 28)"
        page.emulate_media(media="print")
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        assert not page.get_by_role("button", name="Next").is_visible()
