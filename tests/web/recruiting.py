"""A study that recruits, and people whom a platform sends to it."""

import re
from dataclasses import replace
from html import unescape

from covary.study.model import Item, Recruiting
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Judge, hidden

RECRUITING = Recruiting(
    done="DONE1", screened_out="OUT1", failed="FAIL1", returned="BACK1", failed_checks_allowed=1
)
BACK = "https://app.prolific.com/submissions/complete?cc="


def study(folder, recruiting=RECRUITING, **changes):
    """A study with one practice item, three items and two attention checks, for Prolific."""
    made = studies.study(folder)
    practice = replace(made.items[0], expected={"Fluency": 6})
    checks = [
        Item(f"check-{n}", (f"Please choose {n} here.",), kind="check", expected={"Fluency": n})
        for n in (1, 2)
    ]
    items = (practice, *made.items[1:], *checks)
    return replace(made, **{"items": items, "recruiting": recruiting, "background": ()} | changes)


def query(person, **changes):
    given = {"PROLIFIC_PID": person, "STUDY_ID": "t1", "SESSION_ID": f"s-{person}"} | changes
    return "&".join(f"{name}={value}" for name, value in given.items())


class Person(Judge):
    """Somebody whom Prolific sends."""

    def __init__(self, app, person, secret):
        super().__init__(app, "")
        self.person, self.secret = person, secret

    def come(self, **changes):
        """Open the study from the platform, and follow to the first page."""
        path = f"/join/{self.secret}?{query(self.person, **changes)}"
        return self.ask("GET", path, follow_redirects=True)

    def agree(self):
        """Come, agree and read the guidelines."""
        self.come()
        self.send("consent", agreed="yes")
        return self.go_on()

    def rate(self, rating=4):
        """Answer the item that is shown and go on; pages between items are passed."""
        page = self.send("next", rating_0=str(rating), sequence="1")
        while 'action="/judge/continue"' in page.text:
            page = self.go_on()
        return page

    def work(self, *ratings):
        """Come and answer one item after another."""
        page = self.agree()
        for rating in ratings:
            page = self.rate(rating)
        return page


def right(study):
    """The ratings that qualify and pass every check, for all items as they are listed."""
    return [each.expected.get("Fluency", 4) for each in study.items]


def hidden_fields(page):
    return hidden(page.text)


def code(page):
    """The code that a page shows; None where it shows none."""
    found = re.search(r'<p class="code">(.*?)</p>', page.text)
    return None if found is None else unescape(found[1])


def goes_to(page):
    """Where a page leads at once; None where it waits."""
    found = re.search(r'<meta http-equiv="refresh" content="0; url=(.*?)">', page.text)
    return None if found is None else unescape(found[1])


def led_to(page):
    """The address behind the button of a page."""
    found = re.search(r'<a class="button" href="(.*?)"', page.text)
    return None if found is None else unescape(found[1])


def people(store, made, number=1, places=None):
    """Serve a study with so many sheets, and return as many people (and one more) to come."""
    store.sheets.put([studies.sheet(made, n + 1) for n in range(places or number)])
    secret = store.visits.join_secret() or store.visits.new_join_secret()
    app = create_app(made, store)
    return [Person(app, f"p{n + 1}", secret) for n in range(number)]
