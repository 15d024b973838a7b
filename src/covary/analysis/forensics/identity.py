"""Is a column of ratings one person? Sorted columns, and numbers of assignments as judges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, Seriousness, counted, named
from covary.analysis.forensics.sheet import Sheet
from covary.stats.ordering import count_pairs

__all__ = ["slots_not_judges", "sorted_columns"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

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

LEAST_ITEMS = 10
"""With fewer items, who rated which may be filled from the left by accident."""

OF_SLOTS = "slot|vote|assignment|annotation|rating|response|answer|label|score|column|col|hit"
OF_PERSONS = "annotator|rater|judge|worker|coder|evaluator|assessor|expert|participant|user"
NUMBERED = re.compile(rf"(?:(?P<word>{OF_SLOTS}|{OF_PERSONS})s?[\s_.:#-]*)?(?P<number>\d+)", re.I)


def sorted_columns(sheet: Sheet) -> Iterator[Finding]:
    """Find columns that rise (or fall) within every item: order statistics and not judges."""
    order = None if sheet.pairs.limited else _chain(sheet.pairs.above)
    if order is None:
        return
    names = [sheet.judges[place] for place in order]
    moves = [int(sheet.pairs.above[a, b]) for a, b in pairwise(order)]
    links = [
        {"low": low, "high": high, "above": move, "below": 0}
        for (low, high), move in zip(pairwise(names), moves, strict=True)
    ]
    steps = "; ".join(
        f"{link['high']!r} is {link['above']:,} times above {link['low']!r} and never below"
        for link in links
    )
    title, advice, seriousness = _verdict(sheet, order)
    evidence = f"{steps} ({counted(sheet.n_units, 'item')})."
    yield Finding("sorted-columns", seriousness, title, evidence, advice,
                  data={"order": names, "links": links, "items": sheet.n_units})  # fmt: skip


def _verdict(sheet: Sheet, order: list[int]) -> tuple[str, str, Seriousness]:
    if sheet.slots:
        return (
            "In every item the ratings are sorted by column.",
            "The ratings are loaded as slots, as they should be: coefficients that follow a judge "
            "are shown over random orders of the ratings within each item.",
            "note",
        )
    if sheet.n_judges == 2 or _may_be_severity(sheet, order):
        return (
            "Judges never change their order from item to item: some are stricter, or the columns "
            "were sorted.",
            "Ask whoever made the file. If each column is one person, this is severity, and "
            "agreement should stand beside correlation; if not, load the ratings with "
            "judges='slots'.",
            "look",
        )
    return (
        "In every item the ratings are sorted by column, so the columns are no judges.",
        "Do not report coefficients that follow a judge from item to item (gamma, Cohen's kappa, "
        "W, ICC, severity): they describe the sorting. Find the original file, or load the "
        "ratings with judges='slots'; such coefficients are then shown over random orders within "
        "each item.",
        "serious",
    )


def _may_be_severity(sheet: Sheet, order: list[int]) -> bool:
    """Whether very consistent judges of different severity could look the same."""
    outer = _common(sheet, order[0], order[-1])
    low, high = (np.unique(each, return_inverse=True)[1] for each in outer)
    pairs = count_pairs(low, high)
    if float(pairs.discordant) <= DISCORDANT * float(pairs.discordant + pairs.concordant):
        return True
    links = [np.subtract(*_common(sheet, b, a)) for a, b in pairwise(order)]
    return all(float(link.std()) < EVEN * float(link.mean()) for link in links)


def _common(sheet: Sheet, a: int, b: int) -> tuple[Floats, Floats]:
    """Two judges' ratings of the items that both rated."""
    values = np.full((2, sheet.n_units), np.nan)
    for row, judge in enumerate((a, b)):
        own = sheet.judge == judge
        values[row, sheet.unit[own]] = sheet.rating[own]
    values = values[:, ~np.isnan(values).any(axis=0)]
    return values[0], values[1]


def _chain(above: Ints) -> list[int] | None:
    """The judges from the lowest to the highest, where no item ever reverses their order."""
    if len(above) < 2:
        return None
    order = np.argsort(above.sum(axis=0) - above.sum(axis=1), kind="stable")
    ordered = above[np.ix_(order, order)]
    links = np.diag(ordered, 1)
    if np.tril(ordered).any() or links.min() < LEAST_MOVES_OF_NEIGHBOURS:
        return None
    return [int(place) for place in order] if links.sum() >= LEAST_MOVES else None


def slots_not_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges whose names are numbers of assignments and who fill every item from the left."""
    places = _numbered(sheet.judges)
    if places is None or sheet.n_units < LEAST_ITEMS or not _from_the_left(sheet, places):
        return
    complete = bool((sheet.per_unit == sheet.n_judges).all())
    word = NUMBERED.fullmatch(str(sheet.judges[0]))
    of_slots = word is not None and re.fullmatch(OF_SLOTS, word["word"] or "", re.I) is not None
    counts = {int(n): int((sheet.per_unit == n).sum()) for n in np.unique(sheet.per_unit)}
    ratings = " or ".join(f"{n} ({items:,} items)" for n, items in counts.items())
    yield Finding(
        "slots-not-judges", "look" if of_slots or not complete else "note",
        "The judges are called by numbers, and may be assignments instead of persons.",
        f"The judges are {named(sheet.judges)}; each item has {ratings} ratings, always those of "
        "the first ones.",
        "If a number is not the same person on every item, load the ratings with judges='slots'; "
        "else give the judges their names.",
        data={"judges": list(sheet.judges), "items_by_number_of_ratings": counts},
    )  # fmt: skip


def _numbered(judges: tuple[Any, ...]) -> Ints | None:
    """The place of each judge where the names are one word with the numbers from 0 or 1 on."""
    found = [NUMBERED.fullmatch(str(name).strip()) for name in judges]
    matches = [match for match in found if match is not None]
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


def _from_the_left(sheet: Sheet, places: Ints) -> bool:
    """Whether an item with n ratings always has those of the first n judges."""
    return bool((places[sheet.judge] < sheet.per_unit[sheet.unit]).all())
