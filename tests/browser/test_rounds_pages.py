"""The pages of a round, one by one: without barriers, on a phone, without a script, with drafts."""

from covary.study.manual import edition_of
from covary.training import Began, MovedOn, RoundOpened
from tests.browser.judging import heading, looks_right_everywhere, opened, served
from tests.browser.training import (
    NAMES,
    happened,
    looks_right,
    press,
    researching,
    training_study,
    written,
)
from tests.web.in_training import RELEVANCE, RULE
from tests.web.studies import VISUAL

PAGES = (
    "differences",
    "mark/1/1",
    "talk/1/1",
    "proposals",
    "manual",
    "compare?old=1&new=2",
    "edit",
)


def test_the_diff_tells_removed_from_added_without_colour(browser, tmp_path):
    study = training_study(tmp_path)
    with served(study, judges=3) as (store, links):
        happened(store, study, *written(study))
        with opened(browser, links[0]) as page:
            page.goto(f"{page.url}/compare?old=1&new=2")
            heading(page, "From version 1 to version 2")
            shown = page.locator(".compared")
            assert shown.locator("del").text_content() == "removed: a"
            assert shown.locator("ins").first.text_content() == "added: one"
            style = "e => (s => [s.textDecorationLine, s.borderBottomStyle])(getComputedStyle(e))"
            assert shown.locator("del").evaluate(style)[0] == "line-through"
            assert shown.locator("ins").first.evaluate(style)[1] == "solid"
            assert " ".join(shown.locator("p.changed").text_content().split()) == (
                "Each question gets removed: a added: one rank."
            )
            page.get_by_role("link", name="proposal 1").click()
            heading(page, "Proposals of round 1")


def test_every_page_is_without_barriers_and_fits(browser, tmp_path):
    study = training_study(tmp_path, RELEVANCE, VISUAL)
    with served(study, judges=3) as (store, links):
        happened(store, study, *written(study))
        with (
            researching(browser, links, store) as researcher,
            opened(browser, links[2]) as judge,
        ):
            looks_right_everywhere(researcher)
            for page in (researcher, judge):
                home = page.url.partition("?")[0]
                for path in PAGES:
                    page.goto(f"{home}/{path}")
                    page.locator("details").evaluate_all("all => all.map(e => { e.open = true; })")
                    looks_right_everywhere(page)
                assert page.troubles == []


def test_without_a_script_everything_can_still_be_done(browser, tmp_path):
    study = training_study(tmp_path)
    with served(study, judges=3) as (store, links):
        training = happened(store, study)
        with opened(browser, links[0], java_script_enabled=False) as page:
            heading(page, "Where you differ")
            page.click("text=Item 1: relevance")
            heading(page, "Item 1: relevance")
            page.fill("#text", "Without a script.")
            press(page, "Send", "Item 1: relevance")
            training.apply(MovedOn("externalisation"))
            page.goto(links[0])
            heading(page, "What would have helped?")
            page.fill("#text", RULE)
            page.get_by_label("Item 1: relevance").check()
            press(page, "Propose", "What would have helped?")
            cycle = training.cycle()
        assert cycle.round.said[-1].text == "Without a script."
        assert [each.text for each in cycle.proposals] == [RULE]


def test_a_line_is_rated_by_touching_it_and_not_otherwise(browser, tmp_path):
    study = training_study(tmp_path, VISUAL)
    with served(study, judges=3) as (store, links):
        training = store.training
        training.apply(Began(edition_of(study), NAMES))
        training.apply(RoundOpened(tuple(each.id for each in study.training_set(1))))
        with opened(browser, links[0], "phone") as page:
            press(page, "I have read them", "Item 1 of 2")
            page.get_by_role("button", name="Next").click()
            page.get_by_text("Please answer what is marked before you go on.").wait_for()
            assert training.cycle().round.ratings == {}
            line = page.locator("input[type=range]")
            line.focus()
            page.keyboard.press("Space")  # the middle is a rating once it is meant
            page.get_by_text("Saved", exact=True).wait_for()
            page.get_by_role("button", name="Next").click()
            heading(page, "Item 2 of 2")
            (given,) = training.cycle().round.ratings.values()
            assert given == {"Clarity": 50.0}
            assert sum(training.cycle().round.seconds.values()) > 0
            looks_right(page)


def test_a_draft_is_here_again_after_a_reload_and_gone_once_it_was_sent(browser, tmp_path):
    study = training_study(tmp_path)
    with served(study, judges=3) as (store, links):
        happened(store, study)
        with opened(browser, links[0]) as page:
            page.goto(f"{page.url}/mark/1/1")
            page.fill("#text", "Half a sent")
            page.reload()
            page.get_by_text("What you had written before is here again.").wait_for()
            assert page.input_value("#text") == "Half a sent"
            page.context.set_offline(True)
            page.get_by_role("button", name="Send").click()
            page.wait_for_url("chrome-error://**")
            page.context.set_offline(False)
            page.goto(links[0].partition("/j/")[0] + "/judge/round/mark/1/1")
            assert page.input_value("#text") == "Half a sent"
            page.fill("#text", "A whole sentence.")
            press(page, "Send", "Item 1: relevance")
            page.locator(".own", has_text="A whole sentence.").wait_for()
            page.reload()
            assert page.input_value("#text") == ""
