"""A round of training in a real browser: who takes part, and what a good page is."""

from contextlib import contextmanager, suppress

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error

from covary.study.manual import Edition, edition_of
from covary.study.model import TrainingSettings
from covary.training import (
    Agreed,
    Began,
    Change,
    Changed,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
)
from tests.browser.judging import heading, opened
from tests.web import in_training
from tests.web.in_training import RULE, VAGUE

WIDER = "document.documentElement.scrollWidth - innerWidth"
NAMES = ("J1", "J2", "J3")


def training_study(folder, *criteria, **changes):
    wish = TrainingSettings(editors=("J3",))
    return in_training.study(folder, *criteria, **({"training": wish} | changes))


@contextmanager
def researching(browser, links, store, size="desk", **more):
    address = links[0].partition("/j/")[0]
    link = f"{address}/r/{store.researchers.new_link(again=True)}"
    with opened(browser, link, size, **more) as page:
        page.goto(f"{address}/researcher/rounds")
        yield page


def barriers(page):
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["target"] for node in each["nodes"]]) for each in found]


def looks_right(page):
    """No barrier, nothing that scrolls sideways, nothing that went wrong."""
    assert barriers(page) == []
    assert page.evaluate(WIDER) <= 0
    assert page.troubles == []


def look(page):
    """Let a page ask for news now, as it does when it comes into sight."""
    with suppress(Error):  # it is just being renewed, because of news
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def press(page, name, then):
    """Press a button, and wait for the page that it leads to."""
    with page.expect_navigation():  # the page may have the heading of the one before
        page.get_by_role("button", name=name, exact=True).click()
    heading(page, then)


def happened(store, study, *more):
    """Let a round happen up to its end, without pages."""
    training = store.training
    first, second = (each.id for each in study.training_set(1))
    keys = [each.key for each in study.criteria]
    given = {"J1": (1, 2), "J2": (4, 2), "J3": (1, 2)}
    events = [Began(edition_of(study), NAMES), RoundOpened((first, second))]
    for name, (one, other) in given.items():
        events += [
            Rated(name, item, dict(zip(keys, (rank, 20 * rank), strict=False)))
            for item, rank in ((first, one), (second, other))
        ]
        events.append(Finished(name))
    events.append(MovedOn("socialisation"))
    events += [
        Said(name, first, key, "So it seemed to me.\n\nTwice.") for key in keys for name in NAMES
    ]
    for event in (*events, *more):
        training.apply(event)
    return training


def written(study):
    """Proposals, and a second edition that holds one of them."""
    first = study.training_set(1)[0].id
    cause = ((first, "relevance"),)
    edition = Edition(study.criteria, f"{VAGUE.replace('a rank', 'one rank')}\n{RULE}\n")
    rule = Change("rule", "what cannot be answered", RULE, (1,))
    return [
        MovedOn("externalisation"),
        Proposed("J2", RULE, cause),
        Proposed("J1", "A" * 400, cause),
        *(Agreed(name, 1, agrees=True) for name in ("J1", "J3")),
        Agreed("J2", 2, agrees=False, remark="Too long."),
        Agreed("J3", 2, agrees=True),
        MovedOn("combination"),
        Changed("J3", edition_of(study).version, edition, (rule,)),
    ]
