"""JSON that is not a plain list of records: objects, lists within records, a stated path.

A path such as `items.ratings` names the list that holds one record per rating. Lists are gone
through by themselves; `*` goes through the entries of an object, whose keys become the column
`key`. What stands around a record is known to it: its plain values become columns too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.grid import JOINT

DEEPEST = 4
"""So many levels are looked through for lists of records."""

Record = dict[str, Any]


def is_nested(document: Any) -> bool:
    """Say whether a document is more than a list of flat records."""
    if not isinstance(document, list):
        return True
    return any(
        isinstance(v, dict | list) for r in document if isinstance(r, dict) for v in r.values()
    )


def nested_records(document: Any, path: str | None, file: str) -> tuple[list[Record], str]:
    """Return flat records and the path to them; refuse where several lists could be meant.

    Examples
    --------
    >>> study = {"items": [{"id": "q1", "ratings": [{"who": "Ann", "score": 4}]}]}
    >>> nested_records(study, None, "a.json")
    ([{'id': 'q1', 'who': 'Ann', 'score': 4}], 'items.ratings')
    """
    paths = list(dict.fromkeys(_paths(document, (), 0)))
    chosen = path
    if chosen is None:
        deepest = [p for p in paths if not any(q != p and q[: len(p)] == p for q in paths)]
        if not deepest and _is_keyed(document):
            deepest = [("*",)]
        if len(deepest) != 1:
            shown = [".".join(p) for p in deepest]
            if not shown:
                raise RatingsError("formats.no-lists", file=file)
            readings = [{"records": own} for own in shown]
            kinds = ["records"] * len(shown)
            raise RatingsError("formats.two-readings", file=file, readings=readings, kinds=kinds)
        chosen = ".".join(deepest[0])
    steps = [step for step in chosen.split(".") if step]
    records = [_flat(record) for record in _walk(document, steps, {})]
    if not records:
        shown = [".".join(p) for p in paths]
        raise InvalidArgument(
            "formats.no-records", argument="records", value=chosen, allowed=shown, file=file
        )
    return records, chosen


def _paths(value: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, ...]]:
    """Find the lists of records in a document, and in the records themselves."""
    if isinstance(value, list):
        records = [entry for entry in value if isinstance(entry, dict)]
        if records or (path and len(value) > 1 and all(map(_is_number, value))):
            yield path
        for record in records[:50]:
            yield from _paths_within(record, path, depth)
    elif isinstance(value, dict):
        yield from _paths_within(value, path, depth)


def _is_keyed(document: Any) -> bool:
    """Whether an object holds objects under keys of their own: an entry for each item or judge."""
    return (
        isinstance(document, dict)
        and len(document) > 1
        and all(isinstance(entry, dict) and entry for entry in document.values())
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _paths_within(record: Mapping[str, Any], path: tuple[str, ...], depth: int) -> Iterator[Any]:
    if depth < DEEPEST:
        for key, value in record.items():
            if "." not in key:
                yield from _paths(value, (*path, key), depth + 1)


def _walk(value: Any, steps: Sequence[str], around: Record) -> Iterator[Record]:
    """Go down the path, and give each record with what stands around it."""
    if isinstance(value, list):
        for entry in value:
            yield from _walk(entry, steps, around)
    elif not steps:
        yield around | (value if isinstance(value, dict) else {"value": value})
    elif isinstance(value, dict) and steps[0] == "*":
        name = (
            "key" if "key" not in around else f"key {sum(k.startswith('key') for k in around) + 1}"
        )
        for key, entry in value.items():
            yield from _walk(entry, steps[1:], around | {name: key})
    elif isinstance(value, dict) and steps[0] in value:
        plain = {k: v for k, v in value.items() if k != steps[0] and not isinstance(v, list)}
        yield from _walk(value[steps[0]], steps[1:], around | plain)


def _flat(record: Mapping[str, Any], before: str = "") -> Record:
    """Name nested values by their path: scores.fluency; of lists only those of words stay."""
    flat: Record = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{key}.")
        elif isinstance(value, list) and value and all(isinstance(own, str) for own in value):
            flat[f"{before}{key}"] = JOINT.join(value)
        elif not isinstance(value, list):
            flat[f"{before}{key}"] = value
    return flat
