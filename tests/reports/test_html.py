"""The page: well formed, self-contained, escaped, small."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from covary import Ratings, report
from covary.reports.blocks import Contents, Figure, Paragraph, Section
from covary.reports.drawings import VARIABLES, intervals
from covary.reports.html import MOST_OPEN, page
from covary.reports.plots import PALETTE
from tests.reports import studies
from tests.reports.conftest import HOSTILE
from tests.reports.made_up import DOT, TABLE

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Tags(HTMLParser):
    """Follow the tags of a page and note what is not closed, twice there, or loaded."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids, self.seen, self.references = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.references += [v for n, v in attrs if n in ("src", "href", "xlink:href", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def tags(text):
    parser = Tags()
    parser.feed(text)
    parser.close()
    return parser


@pytest.fixture(scope="module")
def hostile_page(hostile_report):
    return hostile_report.html()


@pytest.fixture(scope="module")
def full_page(continuous_report):
    return continuous_report.html()


@pytest.mark.parametrize("which", ["hostile_page", "full_page"])
def test_every_tag_is_closed_and_every_id_is_unique(which, request):
    found = tags(request.getfixturevalue(which))
    assert found.faults == []
    assert found.open == []
    assert len(set(found.ids)) == len(found.ids)


@pytest.mark.parametrize("which", ["hostile_page", "full_page"])
def test_nothing_is_loaded_from_anywhere(which, request):
    text = request.getfixturevalue(which)
    assert re.findall(r"https?://|//[a-z]+\.|@import|url\(", text) == []
    assert all(reference.startswith("#") for reference in tags(text).references)
    assert not {"script", "link", "img", "iframe"} & set(tags(text).seen)


def test_every_link_leads_somewhere(full_page):
    found = tags(full_page)
    assert {reference[1:] for reference in found.references} <= set(found.ids)


def test_names_that_are_markup_are_shown_as_text(hostile_page):
    assert "<script" not in hostile_page
    assert hostile_page.count("&lt;script&gt;") > 20
    assert "&lt;script&gt;alert(" in hostile_page.split("<svg", 1)[1].split("</svg>", 1)[0]


def test_names_from_right_to_left_do_not_move_the_numbers_beside_them():
    """Without isolation a browser shows "49 on A, 13 on B" with 13 beside the wrong name."""
    first, second = "\u0627\u0644\u0633\u0644\u0627\u0633\u0629", "\u0627\u0644\u0635\u062d\u0629"
    text = f"About 49 on {first}, 13 on {second} {first}."
    blocks = (Paragraph(text), Paragraph(f"{first}."))
    shown = page(Contents("t", "s", (Section("a", "A", blocks),)))
    assert f"49 on <bdi>{first}</bdi>, 13 on <bdi>{second} {first}</bdi>." in shown
    assert f"<bdi>{first}.</bdi>" in shown


def test_a_title_and_a_subtitle_are_escaped():
    text = page(Contents(HOSTILE, HOSTILE, (Section("a", HOSTILE, (Paragraph(HOSTILE),)),)))
    assert "<script" not in text
    assert tags(text).faults == []


def test_the_page_says_its_language_its_title_and_its_sections(full_page):
    assert full_page.startswith('<!doctype html>\n<html lang="en">')
    assert "<title>How reliable are these ratings?</title>" in full_page
    assert full_page.count("<h1>") == 1
    assert full_page.count("<h2>") == full_page.count("<section ")
    assert 'class="skip"' in full_page


def test_tables_have_captions_and_headings_with_scope(full_page):
    assert full_page.count("<table") == full_page.count("<caption>")
    assert full_page.count("<th") - full_page.count("<thead") == full_page.count("<th scope=")


def test_a_typical_page_is_well_under_a_megabyte(full_page, hostile_page):
    assert len(full_page.encode()) < 300_000
    assert len(hostile_page.encode()) < 300_000


def test_pictures_take_their_colours_from_the_page(full_page):
    pictures = re.findall(r'<svg role="img".*?</svg></div>', full_page, re.DOTALL)
    assert pictures
    for picture in pictures:
        assert "var(--" in picture
        assert not any(f'"{colour}"' in picture.lower() for colour in VARIABLES)
        assert 'fill="white"' not in picture
        assert picture.startswith('<svg role="img" aria-label="')
        assert "<title>" in picture  # what a pointer shows


def test_every_colour_of_the_palette_is_in_the_stylesheet(full_page):
    assert set(PALETTE) <= set(VARIABLES)
    for variable in VARIABLES.values():
        assert f"--{variable}:" in full_page


def test_a_negative_number_has_a_real_minus_sign():
    rows = [{"name": "a", "measure": "agreement", "value": -0.2, "low": -0.5, "high": 0.1}]
    assert "−.25" in intervals([row | {"text": ""} for row in rows], ["a"], (0.667, 0.5)).shapes


def test_verdicts_are_marked_by_more_than_colour(severe_report):
    text = severe_report.html()
    marked = re.search(r'<p class="verdict (\w+)"><strong>(.*?)</strong>', text)
    assert marked is not None
    assert marked.groups() == ("none", "Cannot tell yet.")  # no failure, and no colour of one


@pytest.mark.parametrize("criterion", ["fluency", "Gram. quality", "Is it true? yes."])
def test_a_verdict_keeps_its_colour_whatever_its_criterion_is_called(criterion):
    ratings = [*studies.MILD * 10, *studies.STRICT * 10]
    judges = ["mild"] * 100 + ["strict"] * 100
    items = [*range(100), *range(100)]
    columns = {"item": items, "judge": judges, "rating": ratings}
    named = Ratings(columns | {"criterion": [criterion] * len(items)}, scale="1-3")
    text = report(named, rng=1).html()
    marked = re.search(r'<p class="verdict (\w+)"><strong>(.*?)</strong>', text)
    assert marked is not None
    assert marked.groups() == ("fair", f"{criterion} – consistent, different severity.")


@pytest.mark.parametrize("strange", ["\x07", "\x1b", "\ufffe", "\u2028", "\x85"])
def test_a_name_with_characters_that_cannot_be_drawn_takes_nothing_down(strange, tmp_path):
    items = [item for item in range(12) for _ in range(3)]
    judges = [f"{judge}{strange}" for _ in range(12) for judge in "abc"]
    given = [1 + (item * 7 + place) % 5 for place, item in enumerate(items)]
    ratings = Ratings({"item": items, "judge": judges, "rating": given}, scale="1-5")
    report(ratings, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(("rows", "folded"), [(MOST_OPEN, 0), (MOST_OPEN + 1, 1)])
def test_the_numbers_of_a_picture_are_folded_where_they_are_many(rows, folded):
    numbers = replace(TABLE, rows=tuple((f"pair {n}", ".53") for n in range(rows)))
    picture = Figure(
        key="dots", title="Dots", description="A dot.", spec={}, panels=(DOT,), table=numbers
    )
    shown = page(Contents("Title", "", (Section("part", "A part", (picture,)),)))
    assert shown.count("<summary>The numbers as a table</summary>") == folded
    assert f"pair {rows - 1}" in shown


def test_only_a_page_of_several_sections_lists_them():
    sections = [Section(key, key.title(), (Paragraph("Words."),)) for key in ("one", "two")]
    pages = [page(Contents("Title", "", tuple(sections[:number]))) for number in (1, 2)]
    assert ["<nav" in each for each in pages] == [False, True]
