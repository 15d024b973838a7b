"""A study with training sets, and judges and a researcher who go through rounds of it."""

import re
from dataclasses import replace
from html import unescape

from covary.scales import VerbalScale
from covary.study.manual import edition_of, make_manual
from covary.study.model import Criterion, Item, TrainingSettings
from covary.training import (
    Agreed,
    Began,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
    StopRule,
)
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Judge, hidden
from tests.web.researching import Researcher

RELEVANCE = Criterion(
    "relevance",
    "How relevant is the question to the sentence?",
    VerbalScale([1, 2, 3, 4], labels=("exactly", "mostly", "a little", "not at all"), best="low"),
)
VAGUE = "# How to rate\n\nEach question gets a rank.\n\nTake your time.\n"
RULE = "A question that the sentence cannot answer gets 3 or worse."
NAMES = ("Ann", "Bo", "Cy")


def training_items(number, items=2):
    return tuple(
        Item(
            f"sys-{'ab'[place % 2]}-set{number}-{place}", (f"Question {number}.{place}?",),
            (f"sys-{'ab'[place % 2]}",), source=f"t{number}.{place}", kind="training", set=number,
            input=f"Sentence {number}.{place}.",
        )
        for place in range(1, items + 1)
    )  # fmt: skip


def study(folder, *criteria, sets=3, items=2, guidelines=VAGUE, **changes):
    """A study that goes straight to its items, and has training sets."""
    asked = criteria or (RELEVANCE,)
    plain = studies.bare(folder, *asked)
    trained = tuple(each for number in range(1, sets + 1) for each in training_items(number, items))
    wish = TrainingSettings(editors=("Cy",))
    own = {"items": (*plain.items, *trained), "manual": make_manual(asked, guidelines),
           "training": wish}  # fmt: skip
    return replace(plain, **(own | changes))


class Trainee(Judge):
    """A judge who trains."""

    def __init__(self, app, name, token):
        super().__init__(app, token)
        self.name = name

    def arrive(self):
        """Enter, and read the guidelines where they are new."""
        page = self.enter()
        return self.go_on() if "I have read them" in page.text else page

    def rate(self, ranks, criterion="relevance"):
        """Rate every item by its text, through the form, as without a script; no more."""
        for _ in ranks:
            page = self.page("/judge/round")
            text = re.search(r'<div class="judged[^"]*" dir="auto"[^>]*>(.*?)</div>', page.text)[1]
            rank = ranks[unescape(text)]
            form = hidden(page.text) | {"rating-0": str(rank)}
            self.post("/judge/round/next", data=form)
        return self.page("/judge/round")

    def form(self, path, on="", **fields):
        """Send a form of a round's page, with what is hidden in it."""
        found = hidden(self.page(f"/judge/round{on}").text) | fields
        return self.post(f"/judge/round{path}", data=found, follow_redirects=True)

    def finish(self):
        return self.form("/finish")


class Trainer(Researcher):
    """A researcher who runs the rounds."""

    def rounds(self, path=""):
        return self.page(f"/rounds{path}")

    def do(self, path, on="", **fields):
        """Send a form of the rounds, with a token and a name of its own for what is done."""
        found = hidden(self.rounds(on).text)
        form = {"token": found["token"], "once": found["once"]} | fields
        return self.post(f"/researcher/rounds{path}", data=form, follow_redirects=True)

    def begin(self, *ids):
        chosen = {f"judge-{number}": "1" for number in ids}
        return self.do("/begin", **chosen)


class Room:
    """Everybody, at one server."""

    def __init__(self, store, made, names=NAMES):
        self.store, self.study = store, made
        self.app = create_app(made, store)
        tokens = {name: store.judges.add(name)[1] for name in names}
        self.judges = {name: Trainee(self.app, name, token) for name, token in tokens.items()}
        self.researcher = Trainer(self.app, store)
        self.researcher.enter()

    @property
    def cycle(self):
        return self.app.state.site.training.cycle()

    def close(self):
        for client in (self.researcher, *self.judges.values()):
            client.close()

    def apply(self, *happened):
        """Let things happen without a page, where a test is about what comes after."""
        for event in happened:
            self.app.state.site.training.apply(event)
        return self

    def enter(self):
        """Let every judge in, with the guidelines read."""
        version = self.app.state.site.manual.now().manual.version
        for number, judge in enumerate(self.judges.values(), 1):
            self.store.notes.add(number, "guidelines", {"version": version})
            judge.get(f"/j/{judge.token}")
        return self

    def begun(self):
        wish = self.study.training
        rule = StopRule(wish.share, wish.at_least, wish.confidence)
        items = tuple(each.id for each in self.study.items if each.kind == "item")
        self.apply(
            Began(edition_of(self.study), tuple(self.judges), items, rule=rule),
            RoundOpened(tuple(each.id for each in self.study.training_set(1))),
        )
        return self.enter()

    def rated(self, **ranks):
        """Let all judges rate and finish: by default they differ on the first item only."""
        given = {"Ann": (1, 2), "Bo": (4, 2), "Cy": (1, 3)} | ranks
        for name in self.judges:
            for item, rank in zip(self.cycle.round.items, given[name], strict=True):
                self.apply(Rated(name, item, {"relevance": rank}))
            self.apply(Finished(name))
        return self

    def rated_by_form(self, **ranks):
        """As `rated`, but through the pages."""
        number = self.cycle.round.number
        given = {"Ann": (1, 2), "Bo": (4, 2), "Cy": (1, 3)} | ranks
        for name, judge in self.judges.items():
            judge.arrive()
            judge.rate({f"Question {number}.{place}?": given[name][place - 1] for place in (1, 2)})
            judge.finish()
        return self

    def compared(self, **ranks):
        return self.begun().rated(**ranks).apply(MovedOn("socialisation"))

    def discussed(self):
        self.compared()
        item = self.cycle.round.items[0]
        said = [Said(name, item, "relevance", f"{name} looked at it.") for name in self.judges]
        return self.apply(*said, MovedOn("externalisation"))

    def agreed(self):
        self.discussed()
        cause = (self.cycle.round.items[0], "relevance")
        words = [Agreed(name, 1, agrees=True) for name in self.judges if name != "Bo"]
        return self.apply(Proposed("Bo", RULE, (cause,)), *words, MovedOn("combination"))


def edit(page, guidelines=f"{VAGUE}\n{RULE}\n", **fields):
    """What the editor's form holds with one change in it, which is a rule."""
    found = hidden(page.text)
    kept = {name: found[name] for name in ("token", "once", "based_on", "rows")}
    change = {"kind-0": "rule", "summary-0": "what cannot be answered", "sentence-0": RULE,
              "proposal-0-1": "1"}  # fmt: skip
    return kept | {"guidelines": guidelines, "do": "save"} | change | fields
