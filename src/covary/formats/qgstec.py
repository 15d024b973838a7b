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

An item is any `question` or `instance` with ratings. Its name is its `id`; a question without one
is named by the ids around it and its place, as in the published QG-STEC files
(`instance/submission/question`), where the submission is the system and the instance the source.
Its `system` and `source` are attributes or child elements, its text is a child `text` or stands in
the element itself. Its ratings are `rating` children (the
value as text or as `value`) or `ratings` children (one attribute per criterion, also on a
`rating`); the judge is called `judge`, `rater` or `annotator`. Elements and attributes may be
written large or small. An empty rating is missing. Files with a DOCTYPE or entities are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from covary.errors import RatingsError
from covary.formats.cells import Relation
from covary.formats.column_roles import records_of_one_kind
from covary.formats.ratings_file import RatingsFile

ITEMS = ("question", "instance")
JUDGES = ("judge", "rater", "annotator")
FURTHER = ("system", "source")


def recognises(file: RatingsFile) -> bool:
    """A file that ends in .xml."""
    return file.path.is_file() and file.path.suffix.lower() == ".xml"


def read(file: RatingsFile) -> Relation:
    """Read the ratings of every question."""
    file.takes_only("rating")
    root = _root(file)
    file.note("formats.read-as-qg-stec", file=file.path.name)
    records = list(_records(root, file.path.name, ()))
    if not records:
        raise RatingsError("formats.not-qg-stec", file=file.path.name)
    return file.records(records_of_one_kind(records, file.keywords.get("rating"), file.notes))


def _root(file: RatingsFile) -> ElementTree.Element:
    content = file.path.read_bytes()
    # Entities can make a small file fill the memory or read other files.
    plain = content.replace(b"\0", b"").upper()
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise RatingsError("formats.xml-entities", file=file.path.name)
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise RatingsError("formats.bad-xml", file=file.path.name, reason=error) from error


Around = tuple[tuple[str, str], ...]
"""The elements with an id that an element stands in, from the outside: their names and ids."""


def _records(
    element: ElementTree.Element, file: str, around: Around, place: int = 0
) -> Iterator[dict[str, Any]]:
    """Give the ratings of an element and of all inside it."""
    name, own = _name(element.tag), _attributes(element).get("id")
    rated = [child for child in element if _name(child.tag) in ("rating", "ratings")]
    if name in ITEMS and rated:
        yield from _of_item(element, file, around, place)
    inside = (*around, (name, own)) if own else around
    places: Counter[str] = Counter()
    for child in element:
        places[_name(child.tag)] += 1
        yield from _records(child, file, inside, places[_name(child.tag)])


def _of_item(
    element: ElementTree.Element, file: str, around: Around, place: int
) -> Iterator[dict[str, Any]]:
    attributes = _attributes(element)
    children = {_name(child.tag): (child.text or "").strip() for child in element}
    name = attributes.get("id") or "/".join([*(own for _, own in around), str(place)])
    if not attributes.get("id") and not around:
        raise RatingsError("formats.xml-no-id", file=file, element=_name(element.tag))
    outer = dict(around)
    usual = {"system": outer.get("submission"), "source": outer.get("instance")}
    known: dict[str, str | None] = {
        r: attributes.get(r) or children.get(r) or usual[r] for r in FURTHER
    }
    known["text"] = children.get("text") or (element.text or "").strip()
    item = {"item": name} | {role: value for role, value in known.items() if value}
    for child in element:
        if _name(child.tag) in ("rating", "ratings"):
            for criterion, judge, rating in _of_child(child, file, name):
                yield item | {"judge": judge, "rating": rating, "criterion": criterion}


def _of_child(
    child: ElementTree.Element, file: str, item: str
) -> Iterator[tuple[str | None, str, str | None]]:
    given = _attributes(child)
    judge = next((given[name] for name in JUDGES if given.get(name)), None)
    if judge is None:
        element = _name(child.tag)
        raise RatingsError("formats.xml-no-judge", file=file, item=item, element=element)
    single = "value" in given or "criterion" in given or (child.text or "").strip()
    if _name(child.tag) == "rating" and (single or len(given) == 1):
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
