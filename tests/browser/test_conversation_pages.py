"""A conversation as judges see it: turns as they were said, the judged one marked."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from covary.scales import VerbalScale
from covary.study.model import Criterion, Item, Turn
from tests.browser.judging import SIZES, heading, opened, served
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
def links(tmp_path_factory):
    """A judge's link for each conversation, each in a study of its own."""
    started = []

    def link(name):
        study = studies.bare(tmp_path_factory.mktemp(name), BANCHS, items=(TALKS[name],))
        serving = served(study)
        started.append(serving)
        return serving.__enter__()[1][0]

    found = {name: link(name) for name in TALKS}
    yield found
    for serving in started:
        serving.__exit__(None, None, None)


LOOKS = [*((name, size, "light") for name in TALKS for size in SIZES), ("plain", "phone", "dark")]


@pytest.mark.parametrize(("name", "size", "scheme"), LOOKS)
def test_there_are_no_barriers_and_nothing_is_cut_off(browser, links, name, size, scheme):
    with opened(browser, links[name], size, color_scheme=scheme) as page:
        heading(page, "Item 1 of 1")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert page.troubles == []


@pytest.mark.parametrize("size", SIZES)
def test_turns_stand_in_their_order_and_the_judged_one_is_marked(browser, links, size):
    with opened(browser, links["plain"], size) as page:
        heading(page, "Item 1 of 1")
        turns = page.get_by_role("list", name="Conversation").get_by_role("listitem")
        said = [turn.text for turn in TALKS["plain"].context] + [TALKS["plain"].texts[0]]
        assert [text.splitlines()[-1] for text in turns.all_inner_texts()] == said
        marked = page.locator("[aria-current=true]")
        assert marked.count() == 1
        assert marked.inner_text().split("\n")[0].split() == ["Bot", "The", "turn", "to", "judge"]
        tops = [turn.bounding_box()["y"] for turn in turns.all()]
        assert tops == sorted(tops)


def test_the_other_speaker_stands_on_the_other_side(browser, links):
    with opened(browser, links["plain"]) as page:
        heading(page, "Item 1 of 1")
        lefts = [turn.bounding_box()["x"] for turn in page.locator(".turn").all()]
        bot, guest, again, judged = lefts
        assert bot == judged
        assert min(guest, again) > bot


def test_each_script_runs_in_its_own_direction(browser, links):
    with opened(browser, links["scripts"], "phone") as page:
        heading(page, "Item 1 of 1")
        ways = page.locator(".turn .said, .judged").evaluate_all(
            "all => all.map(each => getComputedStyle(each).direction)"
        )
        assert ways == ["rtl", "ltr", "ltr", "rtl"]


def test_markup_in_turns_and_names_is_shown_as_it_was_written(browser, links):
    with opened(browser, links["hostile"]) as page:
        heading(page, "Item 1 of 1")
        assert page.locator(".turn .said").first.inner_text() == HOSTILE
        assert page.locator(".judged").inner_text() == HOSTILE
        assert "<i>Guest</i>" in page.locator(".turn.now .speaker").inner_text()
        assert page.evaluate("window.broken") is None
