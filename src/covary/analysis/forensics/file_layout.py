"""What a file says of its columns and cells: sorted columns, slots, names, dates, averages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from covary.analysis.forensics.findings import Finding
from covary.analysis.forensics.sheet import Floats, Ints, Sheet, distinct, median
from covary.ratings import Ratings
from covary.scales import is_number
from covary.stats.ordering import count_pairs

LEAST_MOVES = 20
"""If disagreements may go either way, this many all go one way with probability 2^-20."""

LEAST_MOVES_OF_NEIGHBOURS = 5
"""Two columns that hardly differ say nothing about order; five moves one way: 2^-5 for a link."""

DISCORDANT, EVEN = 0.005, 0.5
"""Judges who differ in severity alone rank items alike, or lie an even distance apart.

Sorted columns of Flickr-8k leave 0.013 of the ordered pairs of items in opposite order in the outer
columns, and neighbours of sorted normal ratings have distances whose standard deviation is 0.75 of
their mean or more. Sorted ratings of judges who hardly differ cannot be told from severity.
"""

MOSTLY, LEAST_ITEMS, MOST_COLUMNS = 0.75, 30, 12
"""From so large a share of so many items on, columns may have been sorted but for some rows."""

SURPLUS, BEYOND_CHANCE, SURELY_BEYOND = 0.13, 3.3, 6.0
"""How many more items must be in order than severity explains: as a share, and in standard errors
to be looked at or to be called serious."""

SIMULATIONS, LEVELS = 20, 6
"""Studies of judges with the same severities and noise, by which sorted rows are judged, and how
many levels of items keep their own severities and noise (near the ends of a scale both shrink)."""

LEAST_FOR_SLOTS = 10
"""With fewer items, who rated which may be filled from the left by accident."""

OF_SLOTS = "slot|vote|assignment|annotation|rating|response|answer|label|score|column|col|hit"
OF_PERSONS = "annotator|rater|judge|worker|coder|evaluator|assessor|expert|participant|user"
NUMBERED = re.compile(rf"(?:(?P<word>{OF_SLOTS}|{OF_PERSONS})s?[\s_.:#-]*)?(?P<number>\d+)", re.I)

MONTH = "jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez"
DATE = (
    rf"(?i)\d{{1,2}}[-/. ]{{1,2}}(?:{MONTH})[a-z]*\.?(?:[-/. ]\d{{2,4}})?|"
    rf"(?:{MONTH})[a-z]*\.?[-/. ]\d{{1,4}}|"
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
)
"""How a spreadsheet writes 3-2 or 1/5 once it has taken it for a day."""

SERIALS, HIGHEST_OF_RATINGS = (36_526, 54_788), 1000
"""The numbers of the days from 2000 to 2049, on scales that end far below."""

AVERAGE = re.compile(
    r"(?:grand |overall )?(?:averages?|avg|means?|totals?|sum|median|std(?:ev|\. ?dev)?|sd|"
    r"mittelwert|durchschnitt|summe|moyenne|media|promedio)\.?"
    r"(?: (?:all|overall|ratings?|scores?))?:?",
    re.IGNORECASE,
)
"""How the last rows of a spreadsheet are called that hold no item."""

LEAST_ABOVE, NEAR = 10, 0.006
"""A row may be an average of ten or more others, and is given to two decimals."""

MOST_MISSING = 0.05
"""If more items lack a criterion, this was planned."""

EXAMPLES = 6
"""So many cases are named where there are more."""


def sorted_columns(sheet: Sheet) -> Iterator[Finding]:
    """Find columns that rise (or fall) within every item: order statistics and not judges."""
    order = None if sheet.pairs.limited else _order_of_columns(sheet.pairs.above)
    if order is None:
        yield from _mostly_sorted(sheet)
        return
    names = [sheet.judges[place] for place in order]
    moves = [int(sheet.pairs.above[a, b]) for a, b in pairwise(order)]
    links = [
        {"low": low, "high": high, "above": move, "below": 0}
        for (low, high), move in zip(pairwise(names), moves, strict=True)
    ]
    data = {"order": names, "links": links, "items": sheet.n_units}
    if sheet.slots:
        yield Finding("sorted-columns", "note", variant="slots", data=data)
    elif sheet.n_judges == 2 or _may_be_severity(sheet, order):
        yield Finding("sorted-columns", "look", variant="severity", data=data)
    else:
        yield Finding("sorted-columns", "serious", data=data)


def _may_be_severity(sheet: Sheet, order: list[int]) -> bool:
    """Whether very consistent judges of different severity could look the same."""
    outer = _common_ratings(sheet, order[0], order[-1])
    low, high = (np.unique(ratings, return_inverse=True)[1] for ratings in outer)
    pairs = count_pairs(low, high)
    if float(pairs.discordant) <= DISCORDANT * float(pairs.discordant + pairs.concordant):
        return True
    links = [np.subtract(*_common_ratings(sheet, b, a)) for a, b in pairwise(order)]
    return all(float(link.std()) < EVEN * float(link.mean()) for link in links)


def _common_ratings(sheet: Sheet, a: int, b: int) -> tuple[Floats, Floats]:
    """Two judges' ratings of the items that both rated."""
    values = np.full((2, sheet.n_units), np.nan)
    for row, judge in enumerate((a, b)):
        own = sheet.judge == judge
        values[row, sheet.unit[own]] = sheet.rating[own]
    values = values[:, ~np.isnan(values).any(axis=0)]
    return values[0], values[1]


def _order_of_columns(above: Ints) -> list[int] | None:
    """The judges from the lowest to the highest, where no item ever reverses their order."""
    if len(above) < 2:
        return None
    order = np.argsort(above.sum(axis=0) - above.sum(axis=1), kind="stable")
    ordered = above[np.ix_(order, order)]
    links = np.diag(ordered, 1)
    if np.tril(ordered).any() or links.min() < LEAST_MOVES_OF_NEIGHBOURS:
        return None
    return [int(place) for place in order] if links.sum() >= LEAST_MOVES else None


def _mostly_sorted(sheet: Sheet) -> Iterator[Finding]:
    """Find columns that rise within far more items than judges of these severities would give."""
    complete = sheet.per_unit == sheet.n_judges
    possible = not sheet.slots and 3 <= sheet.n_judges <= MOST_COLUMNS
    if not possible or int(complete.sum()) < LEAST_ITEMS:
        return
    table = np.full((sheet.n_units, sheet.n_judges), np.nan)
    table[sheet.unit, sheet.judge] = sheet.rating
    table = table[complete]
    order = np.argsort(table.mean(axis=0), kind="stable")
    table = table[:, order]
    n, rising = _rising_rows(table)
    if n < LEAST_ITEMS or rising < MOSTLY * n:
        return
    expected = _expected_share(table, None if sheet.continuous else int(sheet.value.max()))
    error = np.sqrt(max(expected * (1 - expected), 1 / n) / n)
    surplus = rising / n - expected
    if surplus < SURPLUS or surplus < BEYOND_CHANCE * error:
        return
    names = [sheet.judges[place] for place in order]
    yield Finding(
        "sorted-columns",
        "serious" if surplus >= SURELY_BEYOND * error else "look",
        variant="mostly",
        data={"order": names, "rising": rising, "items": n, "expected": expected},
    )


def _rising_rows(table: Floats) -> tuple[int, int]:
    """How many rows hold different ratings, and in how many of them none falls."""
    differ = np.ptp(table, axis=1) > 0
    return int(differ.sum()), int((np.diff(table[differ], axis=1) >= 0).all(axis=1).sum())


def _expected_share(table: Floats, highest: int | None) -> float:
    """The share of rising rows among judges as strict as these whose noise is their own.

    Among items of one level, the noise of each column is dealt out anew; a row's mean takes its
    share of it, so it is stretched by √(k / (k - 1)).
    """
    rng, k = np.random.default_rng(0), table.shape[1]
    drawn = []
    for part in np.array_split(table[np.argsort(table.mean(axis=1), kind="stable")], LEVELS):
        usual = part.mean(axis=1, keepdims=True) + (part.mean(axis=0) - part.mean())
        noise = (part - usual) * np.sqrt(k / (k - 1))
        drawn += [usual + rng.permuted(noise, axis=0) for _ in range(SIMULATIONS)]
    simulated = np.concatenate(drawn)
    if highest is not None:
        simulated = np.clip(np.round(simulated), 0, highest)
    n, rising = _rising_rows(simulated)
    return rising / max(n, 1)


def slots_not_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges whose names are numbers of assignments and who fill every item from the left."""
    places = None if sheet.respondents else _slot_numbers(sheet.judges)
    if places is None or sheet.n_units < LEAST_FOR_SLOTS or not _filled_from_left(sheet, places):
        return
    complete = bool((sheet.per_unit == sheet.n_judges).all())
    word = NUMBERED.fullmatch(str(sheet.judges[0]))
    of_slots = word is not None and re.fullmatch(OF_SLOTS, word["word"] or "", re.I) is not None
    counts = {int(n): int((sheet.per_unit == n).sum()) for n in distinct(sheet.per_unit)}
    yield Finding(
        "slots-not-judges",
        "look" if of_slots or not complete else "note",
        data={"judges": list(sheet.judges), "items_by_number_of_ratings": counts},
    )


def _slot_numbers(judges: tuple[Any, ...]) -> Ints | None:
    """The place of each judge where the names are one word with the numbers from 0 or 1 on."""
    names = [NUMBERED.fullmatch(str(name).strip()) for name in judges]
    matches = [match for match in names if match is not None]
    if (
        len(matches) < max(2, len(judges))
        or len({m["word"] and m["word"].lower() for m in matches}) > 1
    ):
        return None
    numbers = np.array([int(match["number"]) for match in matches if len(match["number"]) < 10])
    if numbers.size < len(judges) or numbers.min() > 1:
        return None
    places = numbers - numbers.min()
    return places if np.array_equal(np.sort(places), np.arange(places.size)) else None


def _filled_from_left(sheet: Sheet, places: Ints) -> bool:
    """Whether an item with n ratings always has those of the first n judges."""
    return bool((places[sheet.judge] < sheet.per_unit[sheet.unit]).all())


def near_equal_names(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Find names that differ in spaces, case or the form of an accent alone."""
    for kind, names in _names(sheets).items():
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(_spelled(name, fold=kind != "items"), []).append(name)
        alike = [tuple(group) for group in groups.values() if len(group) > 1]
        if alike:
            invisible = any(len({_spelled(name, fold=False) for name in g}) == 1 for g in alike)
            yield Finding(
                "near-equal-names",
                "serious" if invisible else "look",
                about={"kind": kind, "names": tuple(alike[:EXAMPLES])},
                data={"kind": kind, "names": [list(group) for group in alike]},
            )


def _names(sheets: Sequence[Sheet]) -> dict[str, list[str]]:
    """Every name that is text, by what it names, in the order of the file."""
    named: dict[str, Iterable[Any]] = {"criteria": [sheet.criterion for sheet in sheets]}
    for sheet in sheets:
        columns = {"judges": sheet.judges, "items": sheet.items}
        columns |= {f"{column}s": sheet.others[column].names for column in sheet.others}
        for kind, names in columns.items():
            named[kind] = [*named.get(kind, ()), *names]
    return {
        kind: [name for name in dict.fromkeys(names) if isinstance(name, str)]
        for kind, names in named.items()
    }


def _spelled(name: str, *, fold: bool) -> str:
    """A name with one form of accents, single spaces and, unless it is an item's, one case."""
    plain = re.sub(r"[\s\u200b\ufeff]+", " ", unicodedata.normalize("NFC", name)).strip()
    return plain.replace("_", " ").casefold() if fold else plain


def dates_for_ratings(ratings: Ratings, sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Find ratings that a spreadsheet has turned into dates."""
    for sheet in sheets:
        own = [fault for fault in ratings.faults if fault.criterion == sheet.criterion]
        outside = [row.get("rating") for fault in own for row in fault.examples]
        values = [*outside, *(sheet.scale.categories or ())]
        usual = median(sheet.rating) if sheet.rating.size else 0.0
        dates = list(dict.fromkeys(value for value in values if _is_date(value, usual)))
        if dates:
            yield Finding(
                "dates-for-ratings",
                "serious",
                criterion=sheet.criterion,
                about={"dates": tuple(map(str, dates[:EXAMPLES]))},
                data={"dates": [str(date) for date in dates]},
            )


def _is_date(value: Any, usual: float) -> bool:
    if is_number(value):
        low, high = SERIALS
        return usual < HIGHEST_OF_RATINGS and low <= value <= high and float(value).is_integer()
    return isinstance(value, str) and re.fullmatch(DATE, value.strip()) is not None


def averages_for_items(sheet: Sheet) -> Iterator[Finding]:
    """Find rows at the bottom of a file that hold averages or totals instead of an item."""
    named = [i for i in sheet.items if isinstance(i, str) and AVERAGE.fullmatch(i.strip())]
    rated = distinct(sheet.item)
    last = rated[-1] if rated.size > LEAST_ABOVE else None
    computed = last is not None and sheet.items[last] not in named and _is_average(sheet, int(last))
    items = [*named, *([sheet.items[last]] if computed and last is not None else [])]
    if items:
        yield Finding(
            "averages-for-items",
            "serious",
            variant="computed" if computed else "",
            about={"items": tuple(items[:EXAMPLES])},
            data={"items": items},
            detail={"above": rated.size - 1},
        )


def _is_average(sheet: Sheet, item: int) -> bool:
    """Whether every judge's rating of an item is the mean of the judge's others, and is broken.

    The mean of ratings that are all alike is one more of them, which tells nothing.
    """
    rows = np.flatnonzero(sheet.item == item)
    if rows.size < 2 or not sheet.continuous:
        return False
    told = False
    for row in rows.tolist():
        own = sheet.rows_of(int(sheet.judge[row]))
        rest = sheet.rating[own[sheet.item[own] != item]]
        if rest.size < LEAST_ABOVE or abs(rest.mean() - sheet.rating[row]) > NEAR:
            return False
        told = told or bool(np.ptp(rest) > NEAR)
    return told and bool((sheet.rating[rows] % 1 != 0).any())


def items_without_criterion(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Find a few items that were rated on every criterion but one."""
    if len(sheets) < 2:
        return
    size = max(len(sheet.items) for sheet in sheets)
    rated = np.stack([np.bincount(sheet.item, minlength=size) > 0 for sheet in sheets])
    everywhere = rated.sum(axis=0) == len(sheets) - 1
    for sheet, present in zip(sheets, rated, strict=True):
        missing = np.flatnonzero(everywhere & ~present)
        if not 0 < missing.size <= max(1, MOST_MISSING * size) or not present.any():
            continue
        last = bool(missing[0] > np.flatnonzero(present)[-1])
        names = [sheet.items[item] for item in missing]
        yield Finding(
            "items-without-criterion",
            "look",
            variant="end" if last else "",
            criterion=sheet.criterion,
            about={"on": sheet.criterion},
            data={"missing": names, "items": int(rated.any(axis=0).sum()), "at_the_end": last},
            detail={"criteria": len(sheets)},
        )
