"""The scale of a criterion: from its table in study.toml, and back into one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from covary.errors import InvalidArgument
from covary.scales import (
    GraphicScale,
    Preference,
    Scale,
    VerbalScale,
    VisualScale,
    YesNo,
    as_scale,
)
from covary.study.faults import near, shown
from covary.study.tables import Table

__all__ = ["KINDS", "as_rating", "as_table", "read_scale"]

MOST = 11
"""So many ordered categories judges can tell apart (Svensson 2000 speaks of 2 to 11)."""

ENDS = ("high", "low")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def read_scale(table: Table) -> Scale | None:
    """Read the key `scale` of a criterion's table; None where it has a fault.

    It is a short text as on the command line (`scale = "1-5"`), or a table with a `kind`.
    """
    if not table.has("scale"):
        table.fault("scale", 'is missing; say scale = "1-5" or scale = { kind = "verbal", … }')
        return None
    if isinstance(table.content["scale"], str):
        return _short(table)
    below = table.table("scale")
    if below.content is not table.content["scale"]:  # no table, which has been said
        return None
    if not below.has("kind"):
        below.fault("kind", f"is missing; {near('', KINDS)}")
        return None
    kind = below.content["kind"]
    if kind not in KINDS:
        below.fault("kind", f"{shown(kind)} is no kind of scale; {near(kind, KINDS)}")
        return None
    return _built(below, KINDS[kind])


def _short(table: Table) -> Scale | None:
    try:
        return as_scale(table.content["scale"])
    except InvalidArgument as error:
        table.fault("scale", str(error).removeprefix("scale="))
        return None


def _built(table: Table, build: Callable[[Table], Scale | None]) -> Scale | None:
    """Build a scale, and say None where any of its keys had a fault."""
    before = table.right
    try:
        scale = build(table)
    except InvalidArgument as error:
        table.fault("", str(error))
        return None
    for key in ("faces", "vertical"):  # which the criterion asks for
        table.has(key)
    table.done()
    return scale if table.right == before else None


def _verbal(table: Table) -> Scale | None:
    labels = table.texts("labels")
    categories = _categories(table, len(labels or ()))
    level = table.choice("level", LEVELS, "ordinal")
    best = table.choice("best", ENDS, "high")
    polarity = table.choice("polarity", ("unipolar", "bipolar"), "unipolar")
    if categories is None or labels is None:
        return None
    if level != "nominal" and len(categories) > MOST:
        table.fault(
            "categories" if table.has("categories") else "labels",
            f"{len(categories)} ordered categories are more than the {MOST} that judges can tell "
            'apart; use kind = "visual", or level = "nominal" for labels without order',
        )
    elif labels and len(labels) != len(categories):
        table.fault(
            "labels",
            f"{len(labels)} labels for {len(categories)} categories; write one for each, or none",
        )
    else:
        return VerbalScale(categories, labels=labels, best=best, level=level, polarity=polarity)
    return None


def _categories(table: Table, labels: int) -> list[Any] | None:
    """Return the categories, numbered from 1 where only labels are given."""
    if not table.has("categories"):
        if labels < 2:
            table.fault("categories", 'is missing; say categories = "1-5", or give labels')
            return None
        return list(range(1, labels + 1))
    found = table.content["categories"]
    if isinstance(found, str):
        return _range(table, found)
    if not isinstance(found, list) or not all(type(each) in (int, float, str) for each in found):
        table.fault("categories", f'{shown(found)} must be a list, or a range such as "1-7"')
    elif len(found) < 2 or len(set(found)) < len(found):
        table.fault("categories", f"{shown(found)} must be at least two, and all different")
    elif any(isinstance(each, str) and not each.strip() for each in found):
        table.fault("categories", "holds an empty text")
    else:
        return found
    return None


def _range(table: Table, text: str) -> list[Any] | None:
    try:
        scale = as_scale(text)
    except InvalidArgument:
        table.fault("categories", f'{shown(text)} is not understood; write it like "1-7"')
        return None
    if scale.categories is None:
        return list(range(int(scale.low), int(scale.high) + 1))
    return list(scale.categories)


def _visual(table: Table) -> Scale | None:
    low, high = _ends(table)
    labels = table.texts("labels")
    if labels is not None and len(labels) not in (0, 2):
        table.fault("labels", f"{len(labels)} labels; a line has two ends, so write two or none")
        labels = None
    best, level = _best_and_level(table)
    if labels is None or not low < high:
        return None
    first, last = labels or ("", "")
    return VisualScale(low, high, labels=(first, last), best=best, level=level)


def _graphic(table: Table) -> Scale | None:
    low, high = _ends(table)
    best, level = _best_and_level(table)
    below = table.table("descriptors")
    descriptors: dict[float, str] = {}
    for key in below.content:
        words = below.text(key, required=True)
        place = _as_number(key)
        if place is None or not low <= place <= high:
            below.fault(key, f"{key!r} is no place on the line from {low:g} to {high:g}")
        elif place in descriptors:
            below.fault(key, f"a second descriptor at {place:g}")
        else:
            descriptors[place] = words
    if len(below.content) < 2:
        table.fault("descriptors", 'needs at least two places: { "0" = "…", "100" = "…" }')
    if len(descriptors) < 2 or not low < high:
        return None
    return GraphicScale(descriptors, low=low, high=high, best=best, level=level)


def _yes_no(table: Table) -> Scale | None:
    labels = table.texts("labels")
    best = table.choice("best", ENDS, "high")
    if labels is None:
        return None
    if len(labels) not in (0, 2):
        table.fault("labels", f"{len(labels)} labels; write the words for no and for yes")
        return None
    return YesNo(*labels, best=best) if labels else YesNo(best=best)


def _preference(table: Table) -> Scale | None:
    tie = table.content["tie"] if table.has("tie") else True
    if isinstance(tie, bool):
        return Preference() if tie else Preference(tie=None)
    if not isinstance(tie, str) or not tie.strip() or tie in ("A", "B"):
        table.fault("tie", f'{shown(tie)} must be false, true or words such as "same"')
        return None
    return Preference(tie=tie)


KINDS: dict[str, Callable[[Table], Scale | None]] = {
    "verbal": _verbal,
    "visual": _visual,
    "graphic": _graphic,
    "yes-no": _yes_no,
    "preference": _preference,
}


def _ends(table: Table) -> tuple[float, float]:
    low, high = table.number("low", 0), table.number("high", 100)
    if not low < high:
        table.fault("high", f"a line from {low:g} to {high:g} has no length; low is below high")
    return low, high


def _best_and_level(table: Table) -> tuple[Any, str]:
    return table.choice("best", ENDS, "high"), table.choice("level", LEVELS[1:], "interval")


def as_table(scale: Scale) -> dict[str, Any]:
    """Write a scale as the table that `read_scale` reads.

    Examples
    --------
    >>> as_table(Preference(tie="same"))
    {'kind': 'preference', 'tie': 'same'}
    """
    if isinstance(scale, Preference):
        assert scale.categories is not None
        tie = scale.categories[1] if len(scale.categories) == 3 else False
        return {"kind": "preference", "tie": tie}
    ends: dict[str, Any] = {"best": scale.best or "high"}
    if isinstance(scale, YesNo):
        words = [] if scale.categories == (0, 1) else list(scale.categories or ())
        return {"kind": "yes-no", "labels": words, **ends}
    ends["level"] = str(scale.level)
    if isinstance(scale, VerbalScale):
        written = {"categories": list(scale.categories or ()), "labels": list(scale.labels)}
        return {"kind": "verbal", **written, **ends, "polarity": scale.polarity}
    line = {"low": scale.low, "high": scale.high, **ends}
    if isinstance(scale, GraphicScale):
        return {"kind": "graphic", "descriptors": {str(k): v for k, v in scale.descriptors}, **line}
    assert isinstance(scale, VisualScale)
    return {"kind": "visual", "labels": [each for each in scale.labels if each], **line}


def as_rating(scale: Scale, value: object) -> Any:
    """Return the rating that a value stands for on a scale, or None where it stands for none.

    A cell of a spreadsheet is text, so `"4"` stands for the category 4.

    Examples
    --------
    >>> as_rating(VerbalScale([1, 2, 3]), " 2 ")
    2
    >>> as_rating(VerbalScale([1, 2, 3]), "4") is None
    True
    """
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    number = _as_number(text)
    if scale.categories is None:
        return number if number is not None and scale.accepts(number) else None
    for category in scale.categories:
        if text == str(category).strip() or (number is not None and number == category):
            return category
    return None


def _as_number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None
