"""Judged questions in XML."""

import pytest

from covary.errors import RatingsError
from covary.formats import read
from tests.formats.tables import rows

XML = """<?xml version="1.0" encoding="UTF-8"?>
<questions>
  <question id="17" system="A" source="wiki-3">
    <text>Who &amp; what?</text>
    <rating judge="CP" criterion="Relevance">1</rating>
    <rating rater="KD" criterion="Relevance" value="2"/>
    <ratings annotator="KG" Relevance="1" Ambiguity="3"/>
  </question>
  <Instance ID="18">
    <System>B</System>
    <source>wiki-4</source>
    <rating judge="CP" criterion="Relevance"> 4 </rating>
    <rating judge="KD" criterion="Relevance"/>
  </Instance>
</questions>
"""


def test_attributes_and_children_are_read_with_gaps(file):
    ratings = read(file(XML, "q.xml"), scale="1-4")
    assert rows(ratings, "item", "judge", "criterion", "rating", "system", "source") == [
        ("17", "CP", "Relevance", 1, "A", "wiki-3"),
        ("17", "KD", "Relevance", 2, "A", "wiki-3"),
        ("17", "KG", "Ambiguity", 3, "A", "wiki-3"),
        ("17", "KG", "Relevance", 1, "A", "wiki-3"),
        ("18", "CP", "Relevance", 4, "B", "wiki-4"),
        ("18", "KD", "Relevance", None, "B", "wiki-4"),
    ]
    assert ratings.judges == ("CP", "KD", "KG")
    assert ratings.n_ratings == 5
    assert ratings.notes == ("q.xml was read as judged questions in XML.",)


def test_a_namespace_does_not_matter(file):
    path = file(XML.replace("<questions>", '<questions xmlns="urn:x">'), "q.xml")
    assert read(path).n_ratings == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "DOCTYPE or an ENTITY"),
        ('<!doctype a SYSTEM "x"><a/>', "DOCTYPE or an ENTITY"),
        ("<a><b></a>", "broken XML: mismatched tag: line 1"),
        ("<a><b/></a>", "holds no ratings in the shape that covary reads"),
        ("<a><question><rating judge='J'>1</rating></question></a>", "<question> has no id"),
        ("<a><question id='1'><rating>1</rating></question></a>", "does not say which judge"),
    ],
)
def test_what_is_wrong_is_said(file, content, said):
    with pytest.raises(RatingsError, match=said):
        read(file(content, "q.xml"))


def test_a_doctype_does_not_hide_in_another_encoding(file):
    with pytest.raises(RatingsError, match="DOCTYPE"):
        read(file('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "q.xml", encoding="utf-16"))


def test_a_word_among_numbers_is_read_as_another_kind_or_refused(file):
    path = file(XML.replace(">1<", ">bad<"), "q.xml")
    with pytest.raises(RatingsError, match="words among the numbers"):
        read(path, rating="Relevance")


def test_a_criterion_may_be_left_out(file):
    xml = "<a><question id='1'><rating judge='J'>1</rating></question></a>"
    assert rows(read(file(xml, "q.xml"))) == [("1", "J", 1)]


PUBLISHED = """<?xml version="1.0" encoding="utf-8"?>
<dataset>
  <instance id="1">
    <id>OpenLearn</id>
    <text>There should be a memorial.</text>
    <submission id="a">
      <question type="how many">How many? <rating ambiguity="2" rater="CP" relevance="1"/><rating
        ambiguity="1" rater="KD" relevance="4"/></question>
      <question type="how many">Who? <rating ambiguity="3" rater="CP" relevance="2"/></question>
    </submission>
  </instance>
</dataset>
"""


def test_questions_without_an_id_are_named_by_what_is_around_them(file):
    ratings = read(file(PUBLISHED, "q.xml"))
    assert rows(ratings, "item", "judge", "criterion", "rating", "system", "source") == [
        ("1/a/1", "CP", "ambiguity", 2, "a", "1"),
        ("1/a/1", "CP", "relevance", 1, "a", "1"),
        ("1/a/1", "KD", "ambiguity", 1, "a", "1"),
        ("1/a/1", "KD", "relevance", 4, "a", "1"),
        ("1/a/2", "CP", "ambiguity", 3, "a", "1"),
        ("1/a/2", "CP", "relevance", 2, "a", "1"),
    ]
