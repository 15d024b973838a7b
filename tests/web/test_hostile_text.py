"""Whatever a text contains is shown as text: it adds no tag and no attribute to a page."""

from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from covary.scales import GraphicScale, VerbalScale, VisualScale
from covary.store import Store
from covary.study.model import Background, Criterion, Item, Manual, Session, Turn
from covary.web.pages import IN_GUIDELINES, IN_ITEMS, from_item, from_researcher
from covary.web.serving.app import create_app
from tests.web import studies
from tests.web.client import Judge
from tests.web.payloads import PAYLOADS

MANY = 25
"""So many payloads share one page, or the suite would take minutes."""

GROUPS = [PAYLOADS[start : start + MANY] for start in range(0, len(PAYLOADS), MANY)]


class Structure(HTMLParser):
    """The tags of a page with the names of their attributes, and everything that is text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.values = Counter(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags[(tag, *sorted(name for name, _ in attributes))] += 1
        self.values += [value for _, value in attributes if value]

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.tags["comment"] += 1

    def handle_decl(self, decl):
        self.tags[decl] += 1

    unknown_decl = handle_pi = handle_comment


def structure(page: str) -> Structure:
    found = Structure()
    found.feed(page)
    found.close()
    return found


def shown(text: str) -> str:
    """A text as a page carries it: NUL cannot stand in a page, and newlines are one character."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def hostile(folder, texts, **session):
    """A study whose every word is a payload, on one page with every scale."""
    words = dict(enumerate(texts))

    def word(number):
        return words[number % len(words)]

    distinct = list(dict.fromkeys(texts))
    criteria = (
        Criterion("c0", word(0), VerbalScale(range(1, 3), labels=(word(1), word(2) + " ")),
                  definition=word(3)),
        Criterion("c1", word(4), VerbalScale(distinct[:11], level="nominal")),
        Criterion("c2", word(5), VisualScale(labels=(word(6), word(7)))),
        Criterion("c3", word(8), GraphicScale({0: word(9), 50: word(10), 100: word(11)})),
        Criterion(word(12) + "name", "?", VisualScale(), faces=True),
    )  # fmt: skip
    item = Item("id", tuple(texts), input=word(13), image="a.png", image_text=word(14),
                context=tuple(Turn(text, text) for text in texts))  # fmt: skip
    return studies.bare(
        folder, *criteria, items=(item,), title=word(15), contact=word(16),
        session=Session(code=word(17), **session),
    )  # fmt: skip


def test_the_corpus_is_large_and_without_repetitions():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 200


@pytest.mark.parametrize("texts", GROUPS, ids=range(len(GROUPS)))
def test_a_payload_in_an_item_a_label_or_a_name_adds_nothing_to_a_page(enter, tmp_path, texts):
    page = enter(hostile(tmp_path, texts)).enter().text
    harmless = [f"harmless {number}" for number in range(len(texts))]
    (tmp_path / "other").mkdir()
    expected = structure(drawn(hostile(tmp_path / "other", harmless)))
    found = structure(page)
    assert found.tags == expected.tags
    everything = "".join(found.texts)
    for text in texts:
        assert shown(text) in everything


def drawn(study) -> str:
    """The page of the first item, without a store's help."""
    with Store.open(study.folder / "study.db") as store:
        store.sheets.put([studies.sheet(study)])
        judge = Judge(create_app(study, store), store.judges.add()[1])
        page = judge.enter().text
        judge.close()
    return page


@pytest.mark.parametrize("text", PAYLOADS, ids=range(len(PAYLOADS)))
def test_markup_that_a_study_opts_into_has_few_tags_and_no_attributes(text):
    found = structure(str(from_item(text)))
    assert {tag[0] for tag in found.tags} <= IN_ITEMS
    assert all(len(tag) == 1 for tag in found.tags)


@pytest.mark.parametrize("text", PAYLOADS, ids=range(len(PAYLOADS)))
def test_guidelines_run_nothing_and_load_nothing(text):
    found = structure(str(from_researcher(text)))
    assert {tag[0] for tag in found.tags} <= IN_GUIDELINES | {"div"}
    names = {name for tag in found.tags for name in tag[1:]}
    assert names <= {"href", "rel", "title"}
    assert not any("javascript:" in value.lower() for value in found.values)
    assert all(value.startswith(("http://", "https://", "mailto:", "noopener")) or "/" not in value
               for value in found.values)  # fmt: skip


def test_markup_is_drawn_where_the_study_opts_in(enter, tmp_path):
    item = Item("i", ("**bold** <b>raw</b> [x](https://evil.test)",))
    study = studies.bare(tmp_path, studies.VERBAL, items=(item,), session=Session(markup=True))
    page = enter(study).enter().text
    assert "<strong>bold</strong>" in page
    assert "&lt;b&gt;raw&lt;/b&gt;" in page
    assert "evil.test)" in page
    assert 'href="https://evil.test' not in page


@pytest.mark.parametrize("texts", GROUPS, ids=range(len(GROUPS)))
def test_a_payload_in_a_form_comes_back_as_text_and_is_kept_as_it_was(
    enter, tmp_path, store, texts
):
    asked = tuple(
        [Background("must", "Must be answered", ("yes",))]
        + [Background(f"q{n}", text, required=False) for n, text in enumerate(texts)]
    )
    study = studies.bare(tmp_path, background=asked)
    judge = enter(study)
    judge.enter()
    answers = {f"answer_{number}": text for number, text in enumerate(texts, 1)}
    refused = judge.send("background", **answers)
    assert refused.status_code == 422
    found = structure(refused.text)
    assert sum(tag[0] == "script" for tag in found.tags) == 1
    assert not [name for tag in found.tags for name in tag[1:] if name.startswith("on")]
    for text in texts:
        assert shown(text).strip() in found.values or not text.strip()
    assert judge.send("background", answer_0="yes", **answers).status_code == 200
    (note,) = store.notes.all(1, "background")
    assert [note.data["answers"][f"q{n}"] for n in range(len(texts))] == [t.strip() for t in texts]


def test_a_payload_in_a_remark_is_kept_as_it_was(enter, tmp_path, store):
    study = studies.bare(tmp_path, items=(), session=Session(remarks=True))
    judge = enter(study)
    judge.enter()
    text = "".join(PAYLOADS[:100]).replace("\x00", "")
    assert judge.send("remarks", remarks=text).status_code == 200
    assert store.notes.all(1, "remarks")[0].data["text"] == text.strip()


def test_consent_and_guidelines_are_markdown_without_html(enter, tmp_path):
    study = studies.study(tmp_path, consent="# Hello\n\n<b>raw</b> *you*")
    study = replace(study, manual=Manual("### Deep\n\n##### Deeper\n\n<i>x</i>", "m1"))
    judge = enter(study)
    page = judge.enter().text
    assert "<h2>Hello</h2>" in page
    assert "&lt;b&gt;raw&lt;/b&gt; <em>you</em>" in page
    judge.send("consent", agreed="yes")
    page = judge.send("background", answer_0="no").text
    assert "<h2>Deep</h2>" in page
    assert "<h3>Deeper</h3>" in page
    assert "<i>x" not in page
