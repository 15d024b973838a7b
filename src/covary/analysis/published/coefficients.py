"""Which coefficient did they really use?

Where the ratings behind printed coefficients are known, every coefficient of covary is computed
from them, with each metric and weighting, and compared with what is printed, rounded and cut off.
One cell fits many coefficients by chance; a table fits few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from covary.analysis.published.candidates import CANDIDATES, Candidate
from covary.analysis.published.digits import Printed, written
from covary.analysis.published.entry import ONE_OR_TABLE, Cell, Entry, Kind
from covary.analysis.published.fields import Field, choice, flag, numbers, words
from covary.analysis.published.numbers import CheckedNumber, Part, Verdict
from covary.analysis.published.ratings_behind import BEHIND, ratings_behind
from covary.ratings import Ratings

__all__ = ["COEFFICIENTS"]

WAYS = ("rounded", "cut off")
"""What may have been done to the digits that are not printed, the usual first."""

SHOWN = 3
"""How many other coefficients are named."""


@dataclass(frozen=True)
class Match:
    """A candidate in one way of shortening: its value for each cell, and which cells it fits."""

    candidate: Candidate
    way: str
    values: tuple[float, ...]
    fits: tuple[bool, ...]

    @property
    def count(self) -> int:
        """How many cells fit."""
        return sum(self.fits)

    @property
    def title(self) -> str:
        """The coefficient and what was done to its digits."""
        way = "" if self.way == "rounded" else f" ({self.way})"
        return f"{self.candidate.title}{way}"


def _coefficients(entry: Entry) -> tuple[Part, ...]:
    cells = entry.cells
    claimed = entry.get("claimed", "")
    matches = _matches(cells, ratings_behind(entry), claimed)
    chosen = _chosen(matches, claimed)
    found = [_judged(entry, cells, place, chosen, matches) for place in range(len(cells))]
    if "average" in entry.values:
        found += _averages(entry, chosen)
    return (entry.part(_conclusion(matches, chosen, claimed), found),)


def _matches(cells: Sequence[Cell], behind: Sequence[Ratings], claimed: str) -> list[Match]:
    gaps = any(ratings.n_ratings < ratings.n_items * ratings.n_judges for ratings in behind)
    found = []
    for candidate in CANDIDATES:
        if gaps and candidate.slow_with_gaps and candidate.name != claimed:
            continue
        values = tuple(candidate.value(ratings) for ratings in behind)
        for way in WAYS:
            fits = tuple(
                _fits(cell.printed, value, way) for cell, value in zip(cells, values, strict=True)
            )
            found.append(Match(candidate, way, values, fits))
    return found


def _fits(printed: Printed, value: float, way: str) -> bool:
    if value != value:
        return False
    value = 100 * value if printed.percent else value
    return printed.rounded_from(value) if way == "rounded" else printed.cut_off_from(value)


def _chosen(matches: Sequence[Match], claimed: str) -> Match:
    """Return the match that fits most cells; the claimed coefficient where none fits more."""
    return max(matches, key=lambda match: (match.count, match.candidate.name == claimed))


def _judged(
    entry: Entry, cells: Sequence[Cell], place: int, chosen: Match, matches: Sequence[Match]
) -> CheckedNumber:
    cell, value = cells[place], chosen.values[place]
    printed = cell.printed
    shown = _shown(value, printed)
    line = f"{chosen.candidate.title}: {shown}"
    data = {"value": value, "coefficient": chosen.candidate.name, "way": chosen.way}
    ways = [m.way for m in matches if m.candidate is chosen.candidate and m.fits[place]]
    if ways:
        verdict, condition = _accepted(chosen, entry.get("claimed", ""), ways)
        return entry.number(cell, shown, verdict, line, condition=condition, data=data)
    others = [match for match in matches if match.fits[place]]
    if others:
        line += f"; alone this cell would also fit {_named(others)}"
    return entry.number(cell, shown, "does not fit", line, data=data)


def _accepted(chosen: Match, claimed: str, ways: Sequence[str]) -> tuple[Verdict, str]:
    """Say whether a fitting cell fits as claimed, or only as something that is not said."""
    unsaid = []
    other = claimed and chosen.candidate.name != claimed
    variant = claimed and _variants(claimed) > 1 and chosen.candidate.keywords
    if other or variant:
        unsaid.append(f"it is {chosen.candidate.title}")
    if "rounded" not in ways:
        unsaid.append("digits were cut off, not rounded")
    return ("fits only if", " and ".join(unsaid)) if unsaid else ("fits", "")


def _variants(name: str) -> int:
    return sum(candidate.name == name for candidate in CANDIDATES)


def _averages(entry: Entry, chosen: Match) -> Iterator[CheckedNumber]:
    """Judge printed averages against the averages of what the ratings give."""
    entry.check_width("the average", entry["average"], "average")
    cells, size = entry.cells, abs if entry.get("absolute") else Fraction
    cut = chosen.way == "cut off"
    for column, printed in zip(entry.columns, entry["average"], strict=True):
        each = [
            size(cell.printed.shortened(value, cut_off=cut))
            for cell, value in zip(cells, chosen.values, strict=True)
            if cell.column == column and value == value
        ]
        if not each:
            continue
        mean = sum(each, Fraction(0)) / len(each)
        text = " + ".join(printed.like(value) for value in each).replace("+ -", "- ")
        line = f"({text}) / {len(each)} = {printed.shown(mean)}, from the ratings"
        cell = Cell("average", column, printed)
        expected = printed.like(printed.shortened(mean, cut_off=cut))
        fits = {"rounded": printed.rounded_from(mean), "cut off": printed.cut_off_from(mean)}
        data = {"value": mean}
        if fits[chosen.way]:
            yield entry.number(cell, expected, "fits", line, data=data)
        elif any(fits.values()):
            way = next(way for way in WAYS if fits[way])
            why = f"it was {way}, unlike the cells"
            yield entry.number(cell, expected, "fits only if", line, condition=why, data=data)
        else:
            yield entry.number(cell, expected, "does not fit", line, data=data)


def _conclusion(matches: Sequence[Match], chosen: Match, claimed: str) -> str:
    n = len(chosen.fits)
    if not chosen.count:
        return f"None of {len(CANDIDATES)} coefficients gives any of these {n} numbers."
    best = [match for match in matches if match.count == chosen.count]
    said = [
        f"{_named(best, 6)} {'fit' if len(best) > 1 else 'fits'} {chosen.count} of {n}",
        *_on_the_claim(matches, chosen, claimed),
    ]
    accepted = {match.candidate for match in best}
    others = [m for m in matches if m.candidate not in accepted and m.candidate.name != claimed]
    if others and n > 1:
        second = max(others, key=lambda match: match.count)
        said.append(f"the next best is {second.title} with {second.count}")
    if n < 3:
        said.append("so few numbers cannot tell coefficients apart")
    return "; ".join(said) + "."


def _on_the_claim(matches: Sequence[Match], chosen: Match, claimed: str) -> Iterator[str]:
    """What is to say about the coefficient that is claimed, beside the one that fits best."""
    n = len(chosen.fits)
    named = [match for match in matches if match.candidate.name == claimed]
    if named and max(match.count for match in named) < chosen.count:
        counts = ", ".join(f"{match.count} of {n} {match.way}" for match in named[:2])
        yield f"{named[0].candidate.title}, which is claimed, fits {counts}"
    elif n > 1 and len(named) > len(WAYS):
        yield f"other variants of what is claimed: {_variant_counts(named, chosen)}"


def _variant_counts(named: Sequence[Match], chosen: Match) -> str:
    """Say how many cells the other variants of a coefficient fit, each in its better way."""
    best: dict[str, int] = {}
    for match in named:
        if match.candidate is not chosen.candidate:
            best[match.candidate.title] = max(match.count, best.get(match.candidate.title, 0))
    return ", ".join(f"{title} {count}" for title, count in best.items())


def _named(matches: Sequence[Match], limit: int = SHOWN) -> str:
    titles = list(dict.fromkeys(match.title for match in matches))
    shown, rest = titles[:limit], len(titles) - limit
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _shown(value: float, printed: Printed) -> str:
    if value != value:
        return "undefined"
    return written(100 * value if printed.percent else value, max(printed.places + 2, 4))


def _known(value: Any) -> str:
    return choice(*dict.fromkeys(candidate.name for candidate in CANDIDATES))(value)


COEFFICIENTS = Kind(
    "which coefficient, metric and rounding gives printed coefficients whose ratings are known",
    {
        **ONE_OR_TABLE,
        **BEHIND,
        "claimed": Field(_known),
        "average": Field(numbers),
        "absolute": Field(flag),
        "criterion": Field(words),
    },
    _coefficients,
)
