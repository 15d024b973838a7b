"""The judge's desk: its languages, every kind of question, a long text, and answers on the way."""

import wave
from contextlib import suppress
from dataclasses import replace

import pytest
from playwright.sync_api import Error

from covary.scales import (
    FreeText,
    NumberScale,
    Passage,
    SeveralChoices,
    VerbalScale,
    VisualScale,
    YesNo,
)
from covary.store.records import CannotJudge
from covary.study.model import Condition, Criterion, Item, Session, Turn
from tests.browser.judging import (
    LOOKS,
    PATIENCE,
    barriers,
    eventually,
    heading,
    looks_right_everywhere,
    opened,
    served,
)
from tests.browser.test_judge_way import Hand
from tests.web.studies import bare
from tests.web.studies import study as whole

POINTS = VerbalScale(range(1, 8), labels=("not at all", "", "", "", "", "", "completely"))
FLUENCY = Criterion("Fluency", "How fluent is it?", POINTS, cannot_judge=True)
AGREES = Criterion("Facts", "Do the facts agree?", YesNo())
LINE = Criterion("Style", "How good is the style?", VisualScale(labels=("bad", "good")))
ERRORS = Criterion(
    "Errors",
    "Which errors do you see?",
    SeveralChoices(["grammar", "spelling", "order"]),
    when=Condition("Fluency", (1, 2)),
)
COUNT = Criterion("Count", "How many errors?", NumberScale(0, 50, best="low"), optional=True)
REMARK = Criterion("Remark", "What struck you?", FreeText(), optional=True)


@pytest.fixture
def study(tmp_path):
    return replace(
        bare(tmp_path, FLUENCY, COUNT, session=Session(go_back=True)), questions=(ERRORS, REMARK)
    )


def current(store):
    """Every answer that counts, by position and criterion."""
    return {
        (row.answer.position, row.answer.criterion): row.answer.rating
        for row in store.answers.counted()
    }


def go_on(page, looks):
    """Check the page that is in sight, leave it by its first button, and wait for the next."""
    looks_right_everywhere(page, looks)
    before = page.locator("h1").inner_text()
    page.locator("form button[type=submit]").first.click()
    page.wait_for_function(
        "old => document.querySelector('h1') && document.querySelector('h1').innerText !== old",
        arg=before,
    )


@pytest.mark.parametrize(
    ("language", "onward", "thanks"),
    [
        ("en", "Next", "Thank you"),
        ("ar", "التالي", "شكرًا"),
        ("ja", "次へ", "ありがとう"),
        ("de", "Weiter", "Vielen Dank"),
    ],
)
def test_a_whole_way_in_the_language_of_the_study(browser, tmp_path, language, onward, thanks):
    made = whole(tmp_path, AGREES, LINE, FLUENCY, session=Session(break_every=1, remarks=True))
    plan = replace(made, language=language, items=made.items[:3])
    with served(plan) as (store, (link,)), opened(browser, link) as page:
        direction = "rtl" if language == "ar" else "ltr"
        looks = LOOKS if direction == "rtl" else {"phone": "light"}  # English: see test_judge_way
        assert page.locator("html").get_attribute("dir") == direction
        go_on(page, looks)  # consent
        page.get_by_role("radio").first.check()
        go_on(page, looks)  # about the judge
        go_on(page, looks)  # guidelines
        for position in (1, 2, 3):  # practice and two items, each with a page after it
            assert onward in page.locator("#item button[type=submit]").inner_text()
            page.locator("[data-criterion=Facts] .choice").first.click()
            page.locator("[data-criterion=Style] input[type=range]").focus()
            page.keyboard.press("ArrowLeft")
            page.locator("[data-criterion=Fluency] .choice").nth(5).click()
            go_on(page, looks if position == 1 else {})
            answers = current(store)
            assert answers[position, "Facts"] == 1
            assert answers[position, "Fluency"] == 6
            # to the left lies the high end where one reads from right to left
            assert (answers[position, "Style"] > 50) == (direction == "rtl")
            go_on(page, looks)  # practice is over, a break, remarks
        assert thanks in page.locator("h1").inner_text()
        looks_right_everywhere(page, looks)
        assert page.troubles == []


@pytest.mark.parametrize("way", ["mouse", "keyboard", "touch", "without script"])
def test_every_kind_of_question_in_every_way(browser, study, way):
    size = "phone" if way == "touch" else "desk"
    scripts = way != "without script"
    with (
        served(study) as (store, (link,)),
        opened(browser, link, size, java_script_enabled=scripts) as page,
    ):
        hand = Hand(page, way)

        def within(name, role):
            return page.locator(f"[data-criterion={name}]").get_by_role(role)

        assert page.locator("[data-criterion=Errors]").is_visible() != scripts
        if way == "keyboard":
            hand.tab_to(within("Fluency", "radio"))
            page.keyboard.press("2")
            hand.tab_to(within("Errors", "checkbox").first)
            page.keyboard.press("Space")
            hand.tab_to(within("Errors", "checkbox").nth(2))
            page.keyboard.press("Space")
            hand.tab_to(within("Count", "textbox"))
            page.keyboard.type("12")
            hand.tab_to(within("Remark", "textbox"))
            page.keyboard.type("Two.")
        else:
            press = {"touch": "tap", "mouse": "click"}.get(way, "check")
            getattr(within("Fluency", "radio").nth(1), press)()
            for place in (0, 2):
                getattr(within("Errors", "checkbox").nth(place), press)()
            within("Count", "textbox").fill("12")
            within("Remark", "textbox").fill("Two.")
        if way == "mouse":
            looks_right_everywhere(page)
        hand.press("Next")
        heading(page, "Item 2 of 3")
        assert current(store) == {
            (1, "Fluency"): 2,
            (1, "Errors"): "grammar | order",
            (1, "Count"): 12,
            (1, "Remark"): "Two.",
        }
        assert page.troubles == []


def test_a_passage_is_marked_as_the_reason_shown_again_and_taken_back(browser, tmp_path):
    plan = bare(tmp_path, replace(FLUENCY, passages=True), session=Session(go_back=True))
    plan = replace(
        plan, items=(replace(plan.items[0], texts=("Good 🙂 words here.",)), *plan.items[1:])
    )
    with served(plan) as (store, (link,)), opened(browser, link) as page:
        page.locator("[data-criterion=Fluency] .choice").nth(3).click()
        page.locator(".judged").evaluate(
            """text => getSelection().setBaseAndExtent(text.firstChild, 14, text.firstChild, 4)"""
        )
        button = page.get_by_role("button", name="Mark the selected words as the reason")
        eventually(lambda: button.click() or page.locator(".passages li").count() == 1)
        assert barriers(page) == []

        def reasons():
            return [row.answer.passages for row in store.answers.counted()]

        # letters are counted as people count them: the face is one
        eventually(lambda: reasons() == [(Passage("text 1", 5, 12, "🙂 words"),)])
        page.get_by_role("button", name="Next").click()
        heading(page, "Item 2 of 3")
        page.get_by_role("link", name="Back").click()
        assert page.locator(".passages q").inner_text() == "🙂 words"
        page.get_by_role("button", name="Remove").click()
        eventually(lambda: reasons() == [()])
        assert page.troubles == []


IN_SIGHT = """sought => {
    const box = document.querySelector(sought).getBoundingClientRect();
    return scrollY > 0 && box.top >= 0 && box.top < innerHeight
        && (sought !== ".turn.now" || box.bottom <= innerHeight);
}"""


def test_gold_is_told_a_recording_plays_and_a_long_conversation_opens_at_its_turn(
    browser, tmp_path
):
    with wave.open(str(tmp_path / "talk.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes([128]) * 8000)
    turns = tuple(Turn(f"S{n % 2}", "On and on it goes. " * 12) for n in range(20))
    items = (
        Item("gold", ("Gold.",), kind="gold", expected={"Fluency": 6}, explanation="Six, because."),
        Item("sound", (), audio="talk.wav"),
        Item("talk", ("It rains.",), context=turns),
    )
    plan = bare(tmp_path, FLUENCY, items=items, session=Session(feedback=("gold",), markup=True))
    with served(plan) as (_, (link,)), opened(browser, link) as page:
        page.wait_for_load_state("load")  # keys are heard by the page's script
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        heading(page, "The expected answer")
        assert page.get_by_text("Six, because.").is_visible()
        assert barriers(page) == []
        page.get_by_role("button", name="Continue").click()
        heading(page, "Item 2 of 3")
        eventually(lambda: page.evaluate("document.querySelector('audio').duration") == 1)
        assert barriers(page) == []
        page.wait_for_load_state("load")  # keys are heard by the page's script
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        heading(page, "Item 3 of 3")
        for sought in (".turn.now", "[data-criterion=Fluency] .question"):
            eventually(lambda sought=sought: page.evaluate(IN_SIGHT, sought))
        assert barriers(page) == []
        assert page.troubles == []


def test_who_cannot_judge_says_so_with_a_reason_and_may_think_again(browser, study):
    with served(study) as (store, (link,)), opened(browser, link) as page:
        page.get_by_label("I cannot judge this").check()
        page.get_by_label("Why can you not judge it?").fill("in a language I do not read")
        page.get_by_role("button", name="Next").click()
        reason = CannotJudge("in a language I do not read")
        eventually(lambda: current(store).get((1, "Fluency")) == reason)
        page.wait_for_url("**/judge")
        page.get_by_role("link", name="Back").click()
        assert page.get_by_label("I cannot judge this").is_checked()
        page.locator("[data-criterion=Fluency] .choice").nth(3).click()
        assert not page.get_by_label("I cannot judge this").is_checked()
        eventually(lambda: current(store)[1, "Fluency"] == 4)


def test_digits_answer_from_the_first_key_press_and_enter_goes_on(browser, tmp_path):
    other = replace(FLUENCY, name="Adequacy", question="How much is there?", cannot_judge=False)
    with served(bare(tmp_path, FLUENCY, other)) as (store, (link,)), opened(browser, link) as page:
        page.keyboard.press("3")
        page.keyboard.press("7")
        eventually(lambda: current(store) == {(1, "Fluency"): 3, (1, "Adequacy"): 7})
        page.keyboard.press("?")
        assert page.get_by_text("Digits answer the question that is marked").is_visible()
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Item 2 of").wait_for()


WITHIN = """() => {
    const box = document.querySelector(".going").getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight + 1;
}"""
COVERED = """() => {
    const bar = document.querySelector(".going").getBoundingClientRect();
    return [...document.querySelectorAll(".item, fieldset")].filter((part) => !part.hidden)
        .filter((part) => part.getBoundingClientRect().bottom > bar.top + 1)
        .map((part) => part.className);
}"""


def test_a_long_text_and_its_questions_are_in_sight_together(browser, study):
    long = replace(study.items[0], input="word " * 2000)
    plan = replace(study, items=(long, *study.items[1:]))
    with served(plan, judges=2) as (_, (link, other)):
        with opened(browser, link) as page:
            page.set_viewport_size({"width": 1280, "height": 800})
            assert page.evaluate(WITHIN)
            page.evaluate("window.scrollTo(0, 2500)")
            question = page.locator("[data-criterion=Fluency] .question").bounding_box()
            text = page.locator(".input").bounding_box()
            assert page.evaluate(WITHIN)
            assert 0 <= question["y"] < 800
            assert text["y"] < 0 < text["y"] + text["height"] - 800
            assert text["x"] + text["width"] <= question["x"]
        with opened(browser, other, size="phone") as page:
            for place in (0, 1500):
                page.evaluate("place => window.scrollTo(0, place)", place)
                assert page.evaluate(WITHIN)
            page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
            assert page.evaluate(COVERED) == []  # whatever is above the bar can be read


def test_seven_points_stand_in_one_row_on_a_telephone_and_next_is_in_sight(browser, study):
    with served(study) as (_, (link,)), opened(browser, link, size="phone") as page:
        boxes = [box.bounding_box() for box in page.locator(".points .choice").all()]
        assert len(boxes) == 7
        assert len({round(box["y"]) for box in boxes}) == 1
        assert min(box["height"] for box in boxes) >= 44
        assert min(box["width"] for box in boxes) >= 24
        assert page.evaluate(WITHIN)


def test_an_answer_that_was_given_offline_arrives_once(browser, study):
    with served(study, judges=3) as (store, links):
        for judge, (link, afterwards) in enumerate(zip(links, AFTERWARDS, strict=True), 1):
            with opened(browser, link) as page:
                offline_after_next(page, link, afterwards)
                answers = store.answers.current(judge)
                assert {key: answer.rating for key, answer in answers.items()} == {
                    (1, "Fluency"): 5
                }


AFTERWARDS = ("wait", "reload", "killed")


def offline_after_next(page, link, afterwards):
    """Answer and go on without a network; then wait, reload or lose the tab, and be back."""
    context = page.context
    context.set_offline(True)
    page.locator("[data-criterion=Fluency] .choice").nth(4).click()
    page.get_by_role("button", name="Next").click()
    page.locator("#state.trouble").wait_for()
    if afterwards == "killed":
        page.close()
    elif afterwards == "reload":
        with suppress(Error):  # there is nothing to load it from
            page.reload()
    context.set_offline(False)
    if afterwards != "wait":
        page = context.new_page() if afterwards == "killed" else page
        page.goto(link)
    page.get_by_role("heading", name="Item 2 of").wait_for()
    eventually(lambda: page.evaluate("localStorage.length") == 0)  # acknowledged, and forgotten


def test_an_answer_arrives_however_long_the_page_was_offline(browser, study):
    """Eleven hours by the page's clock, and no word from the browser that the network is back."""
    with served(study) as (store, (link,)), opened(browser) as page:
        page.clock.install()
        page.goto(link)
        page.context.set_offline(True)
        page.locator("[data-criterion=Fluency] .choice").nth(4).click()
        page.get_by_role("button", name="Next").click()
        page.locator("#state.trouble").wait_for()
        page.evaluate("addEventListener('online', (e) => e.stopImmediatePropagation(), true)")
        for minutes in (1, 2, 60, 600):
            with page.expect_event("requestfailed", timeout=PATIENCE):
                page.clock.fast_forward(minutes * 60_000)
        assert current(store) == {}
        page.context.set_offline(False)
        page.clock.fast_forward(10_000)
        page.get_by_role("heading", name="Item 2 of").wait_for()
        assert current(store) == {(1, "Fluency"): 5}
        assert len(list(store.answers.log())) == 1
        eventually(lambda: page.evaluate("localStorage.length") == 0)


def test_two_links_in_one_browser_do_not_change_hands(browser, study):
    with served(study, judges=2) as (store, links), opened(browser, links[0]) as first:
        second = first.context.new_page()
        second.goto(links[1])
        first.locator("[data-criterion=Fluency] .choice").nth(0).click()
        first.locator("#state.trouble").wait_for()
        assert "open your link again" in first.locator("#state").inner_text()
        assert current(store) == {}
        first.goto(links[0])
        eventually(lambda: current(store) == {(1, "Fluency"): 1})
        names = {row.judge for row in store.answers.counted()}
        assert names == {store.judges.all()[0].name}


def test_a_pause_says_so_kindly_and_keeps_the_answer(browser, study):
    with served(study) as (store, (link,)), opened(browser, link) as page:
        store.set_state("paused")
        home = f"{link.partition('/j/')[0]}/judge"  # what is known of a judge is kept for a moment
        eventually(lambda: "is paused" in page.context.request.get(home).text())
        page.locator("[data-criterion=Fluency] .choice").nth(2).click()
        page.locator("#state.trouble").wait_for()
        assert "The study is paused" in page.locator("#state").inner_text()
        store.set_state("open")
        eventually(lambda: current(store) == {(1, "Fluency"): 3})
