"""A crowd for a study's real pages: a platform that hands out ids, and people of every kind."""

import re
import threading
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qs, urlsplit

from covary.crowd.submissions import Submission
from covary.web.serving.simulation import PageVisitor, VisitedPage

ITEMS, VOTES, EACH = 36, 3, 3
PLACES = ITEMS * VOTES // EACH

TOML = f"""\
title = "Judging answers"
consent = "You may stop at any time."

[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = "1-7"

[design]
kind = "overlap"
judges = {PLACES}
per_judge = {EACH}
judges_per_item = {VOTES}

[recruiting]
platform = "prolific"
done = "DONE1"
screened_out = "OUT1"
failed = "FAIL1"
returned = "BACK1"
currency = "GBP"
pay = "1.50"
minimum_wage = 9
qualify = 1
"""

CSV = "\n".join(
    [
        "item,kind,text,expected_Fluency",
        "practice,practice,Please choose 5 here to practise.,5",
        *(f"check{n},check,Please choose {n} here.,{n}" for n in (2, 6)),
        *(f"item{n},item,The answer number {n}.," for n in range(1, ITEMS + 1)),
    ]
)

MOVED_ON = 409
COMPLETED = "https://app.prolific.com/submissions/complete"


@dataclass
class Platform:
    """A Prolific on this machine: it sends people by the link, and takes them back by a code."""

    link: str
    codes: dict = field(default_factory=dict)
    sent: list = field(default_factory=list)
    alone: threading.Lock = field(default_factory=threading.Lock)

    def address_for(self, person, submission):
        """Fill in the platform's marks, as it does when somebody clicks on the study."""
        marks = {"PROLIFIC_PID": person, "STUDY_ID": "study1", "SESSION_ID": submission}
        address = self.link
        for name, value in marks.items():
            address = address.replace(f"{{{{%{name}%}}}}", value)
        with self.alone:
            self.sent.append((person, submission))
        parts = urlsplit(address)
        return f"{parts.path}?{parts.query}"

    def take_back(self, submission, address):
        """Somebody returns: the first code of a submission is what counts."""
        assert address.startswith(f"{COMPLETED}?")
        (code,) = parse_qs(urlsplit(address).query)["cc"]
        with self.alone:
            self.codes.setdefault(submission, code)

    def submissions(self, seconds=600):
        """What the platform lists when the researcher asks."""
        return [
            Submission(
                submission,
                person,
                "AWAITING REVIEW" if submission in self.codes else "TIMED-OUT",
                self.codes.get(submission, ""),
                seconds,
            )
            for person, submission in dict.fromkeys(self.sent)
        ]


@dataclass
class Person:
    """Somebody with a browser.

    `practises` and `attends` say whether they do as practice and checks ask; `leaves_at` is the
    item of the sheet at which they go away, and `stops_at` that at which they say that they stop.
    """

    name: str
    platform: Platform
    server: tuple[str, int]
    practises: bool = True
    attends: bool = True
    leaves_at: int | None = None
    stops_at: int | None = None
    tabs: int = 1
    at_consent: threading.Barrier | None = None
    page: VisitedPage | None = None

    def come(self):
        """Click on the study and work until it ends or they have enough; returns the last page."""
        submission = f"{self.name}-1"  # the platform's own, however often they come
        browser = PageVisitor(*self.server)
        try:
            address = self.platform.address_for(self.name, submission)
            for _ in range(self.tabs):
                self.page = browser.get(address)
            self._work(browser)
        finally:
            browser.close()
        if self.goes_to:
            self.platform.take_back(submission, self.goes_to)
        return self

    def _work(self, browser):
        while forms := self.page.forms:
            assert self.page.status == 200, self.page.text
            form = next(iter(forms.values()))
            if form.action == "/judge/next" and self._leaves(browser, int(form.value("position"))):
                return
            if form.action == "/judge/consent":
                if self.at_consent is not None:
                    self.at_consent.wait(120)
                self.page = browser.send(form, agreed="yes")
            elif form.action == "/judge/next":
                values = {"rating-0": str(self._rating()), "sequence": "1", "seconds": "4"}
                self.page = browser.send(form, **values)
                if self.page.status == MOVED_ON:  # another tab has left this item already
                    self.page = browser.get("/judge")
            else:
                self.page = browser.send(form)

    def _leaves(self, browser, position):
        if position == self.stops_at:
            form = browser.get("/judge/stop").forms["/judge/stop"]
            self.page = browser.send(form)
        return position in (self.leaves_at, self.stops_at)

    def _rating(self):
        asked = re.search(r"Please choose (\d) here( to practise)?", self.page.text)
        if asked is None:
            return 4
        follows = self.practises if asked[2] else self.attends
        return asked[1] if follows else 1

    @property
    def heading(self):
        return unescape(re.search(r"<h1>(.*?)</h1>", self.page.text, re.DOTALL)[1])

    @property
    def code(self):
        """The code on the last page."""
        found = re.search(r'<p class="code">(.*?)</p>', self.page.text)
        return found and found[1]

    @property
    def goes_to(self):
        """Where the last page leads at once, or by its button."""
        at_once = re.search(r'http-equiv="refresh" content="0; url=(.*?)"', self.page.text)
        button = re.search(r'<a class="button" href="(https:.*?)"', self.page.text)
        found = at_once or button
        return found and unescape(found[1])
