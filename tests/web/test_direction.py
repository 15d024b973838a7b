"""Whatever a researcher wrote is read in its own direction, whichever way the page runs."""

from dataclasses import replace
from html.parser import HTMLParser

from covary.scales import SeveralChoices, VerbalScale
from covary.study.model import Criterion, Item, Turn
from tests.web import studies

VOID = {"br", "hr", "img", "input", "link", "meta", "path", "circle"}


class Directions(HTMLParser):
    """Finds the texts on a page that stand in the direction of the page."""

    def __init__(self, page):
        super().__init__()
        self.open, self.exposed = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        own = tag == "bdi" or dict(attributes).get("dir") == "auto" or tag in ("title", "noscript")
        if tag not in VOID:
            self.open.append(own)

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        if data.isascii() and any(letter.isalpha() for letter in data) and not any(self.open):
            self.exposed.append(data.strip())


def test_english_words_of_a_researcher_stand_right_in_an_arabic_study(enter, tmp_path):
    several = Criterion("Errors", "Which?", SeveralChoices(["a (1)", "b (2)"]), definition="All!")
    ends = Criterion("Points", "How?", VerbalScale(range(1, 4), labels=("low!", "", "high!")))
    talk = Item("talk", ("Yes.",), context=(Turn("Ann?", "Well?"),), speaker="Bot!", input="In.")
    plan = studies.study(tmp_path, several, ends, *studies.EVERY)
    judge = enter(replace(plan, language="ar", items=(talk,)))
    pages = [judge.enter(), judge.send("consent", agreed="yes")]
    pages += [judge.send("background", answer_0="yes"), judge.go_on()]
    for page, words in zip(
        pages, ("You may stop", "What do you study?", "whole", "low!"), strict=True
    ):
        assert words in page.text
        assert Directions(page.text).exposed == []
