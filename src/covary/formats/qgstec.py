"""XML of judged questions, as the question-generation challenge QG-STEC used it.

This shape is read, whatever the names of the elements around it:

    <questions>
      <question id="17" system="A" source="wiki-3">
        <text>Who wrote it?</text>
        <rating judge="CP" criterion="Relevance">1</rating>
        <rating judge="KD" criterion="Relevance" value="2"/>
        <ratings judge="KG" Relevance="1" Ambiguity="3"/>
      </question>
    </questions>

An item is any `question` or `instance` with an `id`. Its `system` and `source` are attributes or
child elements. Its ratings are `rating` children (the value as text or as `value`) or `ratings`
children (one attribute per criterion); the judge is called `judge`, `rater` or `annotator`.
Elements and attributes may be written large or small. An empty rating is missing. An element
whose `id` is missing inherits none: it is refused. Files with a DOCTYPE or entities are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from covary.errors import RatingsError
from covary.formats.cells import Relation
from covary.formats.kinds import records_of_one_kind
from covary.formats.opened import Opened

__all__ = ["read", "recognises"]

ITEMS = ("question", "instance")
JUDGES = ("judge", "rater", "annotator")
FURTHER = ("system", "source")


def recognises(file: Opened) -> bool:
    """A file that ends in .xml."""
    return file.path.is_file() and file.path.suffix.lower() == ".xml"


def read(file: Opened) -> Relation:
    """Read the ratings of every question."""
    file.takes_only("rating")
    root = _root(file)
    file.notes.append(f"{file.path.name} was read as judged questions in XML.")
    records = [
        record
        for element in root.iter()
        if _name(element.tag) in ITEMS
        for record in _of_item(element, file.path.name)
    ]
    if not records:
        raise RatingsError(
            f"{file.path.name} holds no ratings in the shape that covary reads: <question id='…'>"
            "<rating judge='…' criterion='…'>3</rating></question>"
        )
    records = records_of_one_kind(records, file.keywords.get("rating"), file.notes)
    relation = file.records(records)
    return file.rows(relation, {each: each for each in relation.columns}, ("item", "judge"))


def _root(file: Opened) -> ElementTree.Element:
    content = file.path.read_bytes()
    # Entities can make a small file fill the memory or read other files.
    plain = content.replace(b"\0", b"").upper()
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise RatingsError(
            f"{file.path.name} has a DOCTYPE or an ENTITY, which covary does not read; remove it"
        )
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise RatingsError(f"{file.path.name} is broken XML: {error}") from error


def _of_item(element: ElementTree.Element, file: str) -> Iterator[dict[str, Any]]:
    attributes = _attributes(element)
    children = {_name(child.tag): (child.text or "").strip() for child in element}
    if not attributes.get("id"):
        raise RatingsError(f"{file}: a <{_name(element.tag)}> has no id")
    known = {role: attributes.get(role) or children.get(role) for role in FURTHER}
    item = {"item": attributes["id"]} | {role: value for role, value in known.items() if value}
    for child in element:
        if _name(child.tag) in ("rating", "ratings"):
            for criterion, judge, rating in _of_child(child, f"{file}, item {attributes['id']!r}"):
                yield item | {"judge": judge, "rating": rating, "criterion": criterion}


def _of_child(
    child: ElementTree.Element, where: str
) -> Iterator[tuple[str | None, str, str | None]]:
    given = _attributes(child)
    judge = next((given[each] for each in JUDGES if given.get(each)), None)
    if judge is None:
        raise RatingsError(f"{where}: a <{_name(child.tag)}> does not say which judge")
    if _name(child.tag) == "rating":
        value = given.get("value") or (child.text or "")
        yield given.get("criterion"), judge, value.strip() or None
        return
    for criterion, value in child.attrib.items():
        if _name(criterion) not in JUDGES:
            yield criterion, judge, value.strip() or None


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    return {_name(key): value.strip() for key, value in element.attrib.items()}


def _name(tag: object) -> str:
    """Return a name in small letters, without its namespace."""
    return str(tag).rpartition("}")[2].lower()
