"""Takes the pictures of a round anew: `python -m tests.docs.round_pictures`."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from covary.store import Store
from covary.study import read_study, write_template
from covary.study.manual import Edition
from covary.training import (
    Agreed,
    Change,
    Changed,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    Said,
    begin,
    open_set,
)
from covary.web.serving.simulation import background_server
from tests.browser.conftest import FLAGS, browser_path
from tests.docs.pictures import IMAGES

NAMES = ("Ann", "Bo", "Cy")
WINDOW = {"width": 960, "height": 720}
RULE = "Rank 1 is the best of every criterion."
ANSWERED = "A question that the sentence cannot answer gets rank 3 or 4 for relevance."
ENTRIES = {
    "Bo": "I took the last rank for the best, as with stars.",
    "Cy": "The sentence answers it, so I gave the first rank.",
    "Ann": "So did I. Nothing in the guidelines says which end is best.",
}


def round_of(training, study, number, turned):
    """Open a round, and let everybody rate it; Bo turns some ranks around."""
    training.apply(open_set(study, number))
    for name in NAMES:
        for place, item in enumerate(study.training_set(number)):
            ranks = {each.key: 1 for each in study.criteria}
            if name == "Bo" and place in turned:
                ranks["Relevance"] = 4
            training.apply(Rated(name, item.id, ranks, seconds=20))
        training.apply(Finished(name))
    return training.apply(MovedOn("socialisation"))


def talk(training):
    """Let the judges explain each difference, agree on two proposals and write them down."""
    cycle = training.cycle()
    for mark in cycle.round.marks:
        for name, text in ENTRIES.items():
            training.apply(Said(name, mark.item, mark.criterion, text))
    training.apply(MovedOn("externalisation"))
    causes = tuple(mark.key for mark in cycle.round.marks[:2])
    for number, text in enumerate((RULE, ANSWERED), 1):
        training.apply(Proposed("Ann", text, causes))
        for name in ("Bo", "Cy"):
            training.apply(Agreed(name, number, agrees=True))
    training.apply(MovedOn("combination"))
    edition = cycle.edition
    text = edition.guidelines.replace(
        "Give each question a rank on each criterion. Use your own judgement.",
        f"Give each question a rank on each criterion. {RULE}\n\n{ANSWERED}",
    )
    changes = (
        Change("administrative", "which end is best", RULE, (1,)),
        Change("rule", "questions that cannot be answered", ANSWERED, (2,)),
    )
    training.apply(Changed("Cy", edition.version, Edition(edition.criteria, text), changes))


def take(folder: Path) -> None:
    """Let two rounds happen, and look at a difference, at what changed, and at the desk."""
    write_template(folder, "guidelines")
    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        tokens = [store.judges.add(name)[1] for name in NAMES]
        training = store.training
        training.apply(begin(study, NAMES))
        round_of(training, study, 1, turned=range(6))
        talk(training)
        round_of(training, study, 2, turned=[3])
        with (
            background_server(study, store) as (host, port),
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
            page = browser.new_page(viewport=WINDOW)
            page.goto(f"http://{host}:{port}/j/{tokens[0]}")
            if page.locator("button[value=yes]").count():
                page.click("button[value=yes]")
                page.wait_for_load_state()
            for name, path in (("mark", "mark/1/1"), ("compare", "compare?old=1&new=2")):
                page.goto(f"http://{host}:{port}/judge/round/{path}")
                page.screenshot(path=IMAGES / f"round-{name}.png", full_page=True)
            page.goto(f"http://{host}:{port}/r/{store.researchers.new_link()}")
            page.goto(f"http://{host}:{port}/researcher/rounds")
            page.screenshot(path=IMAGES / "round-desk.png", full_page=True)
            browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        take(Path(folder) / "study")
