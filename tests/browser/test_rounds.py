"""Guidelines are mended in a real browser: three judges, a researcher, two rounds, two editors."""

from tests.browser.judging import heading, opened, served
from tests.browser.training import (
    barriers,
    happened,
    look,
    looks_right,
    press,
    researching,
    training_study,
    written,
)
from tests.web.in_training import RULE, VAGUE


def rate(page, ranks):
    """Rate the two items of a round by their texts, change nothing, and finish."""
    for place in (1, 2):
        heading(page, f"Item {place} of 2")
        rank = ranks[page.inner_text(".judged")]
        wanted = page.locator(f"[type=radio][value='{rank}']")
        if not wanted.is_checked():
            wanted.check()
            page.get_by_text("Saved", exact=True).wait_for()
        page.get_by_role("button", name="Next").click()
    heading(page, "You have rated every item")
    page.get_by_role("button", name="Finish the round").click()


def ranks(number, first, second):
    return {f"Question {number}.1?": first, f"Question {number}.2?": second}


def test_two_whole_rounds(browser, tmp_path):
    study = training_study(tmp_path)
    with (
        served(study, judges=3) as (store, links),
        researching(browser, links, store) as researcher,
        opened(browser, links[0]) as one,
        opened(browser, links[1], "phone") as two,
    ):
        press(researcher, "Begin the training", "Ready for the first round")
        press(researcher, "Open round 1", "Round 1: rate alone")

        one.reload()
        press(one, "I have read them", "Item 1 of 2")
        rate(one, ranks(1, 1, 2))
        heading(one, "You have finished this round")
        two.reload()
        press(two, "I have read them", "Item 1 of 2")
        looks_right(two)
        rate(two, ranks(1, 4, 2))
        heading(two, "You have finished this round")
        look(researcher)
        researcher.get_by_text("Waiting for J3 (Judge C) to finish.").wait_for()  # told by itself
        with opened(browser, links[2]) as three:  # comes later, and comes back
            press(three, "I have read them", "Item 1 of 2")
            three.locator("[type=radio][value='1']").check()
            three.get_by_text("Saved", exact=True).wait_for()
        with opened(browser, links[2]) as three:
            heading(three, "Item 2 of 2")
            three.goto(three.url.replace("/round", "/round/item/1"))
            rate(three, ranks(1, 1, 2))
            heading(three, "Everybody has finished")
        look(researcher)
        researcher.get_by_text("Every judge has finished.").wait_for()
        press(researcher, "Compare the ratings", "Round 1: discuss")

        for page in (one, two):
            look(page)
            heading(page, "Where you differ")  # the page that waited went on
        looks_right(one)
        one.get_by_role("link", name="Begin").click()
        heading(one, "Item 1: relevance")
        assert one.locator("dl.spread").inner_text().split("\n") == [
            "1 exactly", "You and Judge C", "4 not at all", "Judge B",
        ]  # fmt: skip
        one.fill("#text", "It is about the sentence.")
        two.goto(f"{two.url}/mark/1/1")
        heading(two, "Item 1: relevance")
        two.fill("#text", "I am still writ")
        press(one, "Send", "Item 1: relevance")
        one.get_by_text("It is about the sentence.").wait_for()
        look(two)
        two.get_by_text("1 new entry.").wait_for()
        assert two.input_value("#text") == "I am still writ"
        two.get_by_role("link", name="Show them").click()
        two.get_by_text("It is about the sentence.").wait_for()
        assert two.input_value("#text") == "I am still writ"  # it survives being shown them
        two.fill("#text", "I took 4 for the best rank.")
        press(two, "Send", "Item 1: relevance")
        two.locator(".own").wait_for()
        assert two.input_value("#text") == ""
        looks_right(two)

        researcher.reload()
        press(researcher, "Go on to “Propose”", "Round 1: propose")
        two.goto(links[1])
        heading(two, "What would have helped?")
        two.fill("#text", RULE)
        two.get_by_label("Item 1: relevance").check()
        press(two, "Propose", "What would have helped?")
        two.get_by_text("not decided yet").wait_for()
        looks_right(two)
        with opened(browser, links[2]) as three:
            for page in (one, three):
                page.goto(links[0] if page is one else links[2])
                heading(page, "What would have helped?")
                page.get_by_label("I agree").check()
                press(page, "Send", "What would have helped?")
                page.locator(".votes", has_text="you").wait_for()
        one.reload()
        one.locator("#proposal-1 .standing", has_text="consensus").wait_for()
        researcher.reload()
        press(researcher, "Go on to “Write down”", "Round 1: write down")

        researcher.get_by_role("link", name="Edit the guidelines").click()
        heading(researcher, "Write it down")
        press(researcher, "Put this sentence at the end of the guidelines", "Write it down")
        assert researcher.input_value("#guidelines") == f"{VAGUE}\n{RULE}\n"
        researcher.select_option("#kind-0", "rule")
        researcher.fill("#summary-0", "what cannot be answered")
        press(researcher, "Preview", "Write it down")
        researcher.locator("section ins", has_text=RULE).wait_for()
        looks_right(researcher)
        press(researcher, "Save as a new version", "The guidelines, version 2")
        researcher.goto(researcher.url.replace("/manual", ""))
        heading(researcher, "Round 1: write down")
        press(researcher, "Open round 2", "Round 2: rate alone")

        for number, link in enumerate(links):
            with opened(browser, link, "phone" if number else "desk") as judge:
                heading(judge, "Guidelines")
                judge.get_by_text("They have changed since you last read them.").wait_for()
                judge.get_by_role("link", name="What changed").click()
                heading(judge, "From version 1 to version 2")
                assert judge.locator("ins").last.inner_text().endswith(RULE)
                if number == 1:
                    looks_right(judge)
                judge.goto(link)
                press(judge, "I have read them", "Item 1 of 2")
                rate(judge, ranks(2, 3, 2))
                judge.locator("h1", has_text="finished").wait_for()
        look(researcher)
        researcher.get_by_text("Every judge has finished.").wait_for()
        press(researcher, "Compare the ratings", "Round 2: discuss")
        assert "nothing to discuss" in researcher.inner_text("main")
        assert "1 of 2" in researcher.inner_text("tbody tr:has-text('1 of 2')")
        looks_right(researcher)
        researcher.get_by_text("End it yourself").click()
        researcher.fill("#reason", "Nobody differs any more.")
        press(researcher, "End the training", "The training has ended")
        one.goto(links[0])
        heading(one, "Item 1 of 3")
        assert one.troubles == two.troubles == researcher.troubles == []


def test_two_people_edit_at_once_and_nobody_loses_a_word(browser, tmp_path):
    study = training_study(tmp_path)
    with served(study, judges=3) as (store, links):
        happened(store, study, *written(study))
        with (
            researching(browser, links, store) as researcher,
            opened(browser, links[2], "phone") as editor,
        ):
            for page in (researcher, editor):
                page.goto(f"{page.url.partition('?')[0]}/edit")
                heading(page, "Write it down")
                page.select_option("#kind-0", "wording")
            own = f"{researcher.input_value('#guidelines')}\nDo not guess.\n"
            researcher.fill("#guidelines", own)
            researcher.fill("#summary-0", "no guesses")
            editor.fill("#guidelines", editor.input_value("#guidelines").replace("time", "ease"))
            editor.fill("#summary-0", "ease")
            press(editor, "Save as a new version", "The guidelines, version 3")
            looks_right(editor)
            look(researcher)
            researcher.get_by_text("1 new version of the guidelines.").wait_for()
            assert researcher.input_value("#guidelines") == own
            press(researcher, "Save as a new version", "Write it down")
            researcher.get_by_text("Somebody else has changed the guidelines").wait_for()
            assert researcher.input_value("#guidelines") == own
            assert researcher.input_value("#summary-0") == "no guesses"
            assert researcher.locator(".compared del").inner_text().endswith("time.")
            assert researcher.locator(".compared ins").inner_text().endswith("ease.")
            assert [each for each in researcher.troubles if "409" not in each] == []
            assert barriers(researcher) == []
            researcher.fill("#guidelines", own.replace("time", "ease"))
            press(researcher, "Save as a new version", "The guidelines, version 4")
        text = store.training.cycle().edition.guidelines
        assert "ease" in text
        assert "Do not guess." in text
