"""A conversation as judges see it: turns as they were said, the judged one marked."""

import pytest

from covary.scales import VerbalScale
from covary.study.model import Criterion, Item, Turn
from tests.browser.judging import SIZES, looks_right_everywhere, opened, resize, served
from tests.web import studies

BANCHS = Criterion(
    "Adequacy",
    "Is the marked turn adequate, given what was said before it?",
    VerbalScale(
        ["invalid", "acceptable", "valid"],
        labels=(
            "Invalid: it does not fit at all",
            "Acceptable: it fits somewhat",
            "Valid: it fits",
        ),
    ),
)
LONG = "I took the train to the mountains, then along the coast, and at last back home. " * 9
WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" * 3
HOSTILE = "<script>window.broken = 1</script><img src=x onerror='window.broken = 2'> & so on"

TALKS = {
    "plain": Item(
        "plain",
        ("I like coffee with milk.",),
        context=(
            Turn("Bot", "Where did the train take you?"),
            Turn("Guest", "To the mountains, and then along the coast. ☕️🏔️"),
            Turn("Guest", "And you?"),
        ),
        speaker="Bot",
    ),
    "long": Item(
        "long",
        (LONG + WORD,),
        context=(
            Turn("A guest with a very long name that goes on and on and on for a while", LONG),
            Turn("Bot", f"See {WORD}"),
            Turn("Guest", f"One line.\n\nAnother line.\n  {LONG}"),
        ),
        speaker="Bot",
    ),
    "scripts": Item(
        "scripts",
        ("نعم، القطار التالي في الساعة 14:30 من الرصيف رقم 2.",),
        context=(
            Turn("ضيف", "هل يوجد قطار إلى القاهرة اليوم؟"),
            Turn("机器人", "您想去北京还是上海？请告诉我您的目的地和出发时间。"),
            Turn("👩🏽‍🚀", "👍🏿👨‍👩‍👧‍👦 … 한국어도 됩니다"),
        ),
        speaker="机器人",
    ),
    "hostile": Item(
        "hostile",
        (HOSTILE,),
        context=(Turn("<b>Bot</b>", HOSTILE), Turn("", "Nobody says who said this.")),
        speaker="<i>Guest</i>",
    ),
}


@pytest.fixture(scope="module")
def talks(browser, tmp_path_factory):
    """A judge's page of each conversation, all items of one study, as far as one has come."""
    study = studies.bare(tmp_path_factory.mktemp("talks"), BANCHS, items=tuple(TALKS.values()))
    with served(study) as (_, (link,)), opened(browser, link) as page:

        def shown(name):
            place = list(TALKS).index(name) + 1
            while not page.get_by_role("heading", level=1, name=f"Item {place} of 4").is_visible():
                page.keyboard.press("1")
                before = page.locator("h1").inner_text()
                page.get_by_role("button", name="Next").click()
                page.wait_for_function(
                    "old => document.querySelector('h1')?.innerText !== old", arg=before
                )
                page.wait_for_load_state("load")
            return page

        yield shown


def test_turns_stand_in_their_order_and_the_judged_one_is_marked(talks):
    page = talks("plain")
    for size in SIZES:
        resize(page, size)
        turns = page.get_by_role("list", name="Conversation").get_by_role("listitem")
        said = [turn.text for turn in TALKS["plain"].context] + [TALKS["plain"].texts[0]]
        assert [text.splitlines()[-1] for text in turns.all_inner_texts()] == said
        marked = page.locator("[aria-current=true]")
        assert marked.count() == 1
        assert marked.inner_text().split("\n")[0].split() == ["Bot", "The", "turn", "to", "judge"]
        tops = [turn.bounding_box()["y"] for turn in turns.all()]
        assert tops == sorted(tops)
    resize(page, "desk")
    bot, guest, again, judged = (turn.bounding_box()["x"] for turn in page.locator(".turn").all())
    assert bot == judged
    assert min(guest, again) > bot  # the other speaker stands on the other side
    looks_right_everywhere(page)


def test_long_turns_and_words_without_end_are_not_cut_off(talks):
    looks_right_everywhere(talks("long"))


def test_each_script_runs_in_its_own_direction(talks):
    page = talks("scripts")
    ways = page.locator(".turn .said, .judged").evaluate_all(
        "all => all.map(each => getComputedStyle(each).direction)"
    )
    assert ways == ["rtl", "ltr", "ltr", "rtl"]
    looks_right_everywhere(page)


def test_markup_in_turns_and_names_is_shown_as_it_was_written(talks):
    page = talks("hostile")
    assert page.locator(".turn .said").first.inner_text() == HOSTILE
    assert page.locator(".judged").inner_text() == HOSTILE
    assert "<i>Guest</i>" in page.locator(".turn.now .speaker").inner_text()
    assert page.evaluate("window.broken") is None
    looks_right_everywhere(page)
    assert page.troubles == []
