"""Which coefficient did they really use?

Where the ratings behind printed coefficients are known, every coefficient of covary is computed
from them, with each metric and weighting, and compared with what is printed, rounded and cut off.
One cell fits many coefficients by chance; a table fits few.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from covary.analysis.published.arithmetic import mean_of, sum_line
from covary.analysis.published.check import (
    ONE_OR_TABLE,
    CheckedNumber,
    CheckEntry,
    CheckKind,
    CheckResult,
    PrintedCell,
    Reader,
    by_name,
    choice,
    flag,
    numbers,
    one_or_several,
    words,
)
from covary.analysis.published.digits import Printed, write_number
from covary.datasets import load
from covary.datasets import names as tables
from covary.errors import CovaryError, InvalidArgument, quiet
from covary.formats import read
from covary.ratings import Ratings
from covary.stats.coefficients.correlation import pearson, spearman
from covary.stats.coefficients.cronbach import cronbach_alpha
from covary.stats.coefficients.fleiss import fleiss_kappa, scott_pi
from covary.stats.coefficients.gamma import goodman_kruskal_gamma, kendall_tau_b
from covary.stats.coefficients.gwet import brennan_prediger, gwet_ac1, gwet_ac2
from covary.stats.coefficients.icc import fisher_icc, icc
from covary.stats.coefficients.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.coefficients.kendall_w import kendall_w
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.coefficients.percent import percent_agreement
from covary.stats.estimate import Estimate
from covary.stats.patterns import collapse
from covary.words import Note, plain_list


@dataclass(frozen=True)
class Candidate:
    """A coefficient in one variant: its name, in words, and how it is computed."""

    title: str
    coefficient: Callable[..., Estimate]
    keywords: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """The coefficient's name in Python."""
        return str(self.coefficient.__name__)

    @property
    def slow_with_gaps(self) -> bool:
        """Whether ratings with gaps need a fit by iteration."""
        return str(self.keywords.get("form", "1"))[0] != "1"

    def value(self, ratings: Ratings) -> float:
        """Compute the coefficient; NaN where these ratings have none."""
        with quiet():
            try:
                return self.coefficient(ratings, interval=None, **self.keywords).value
            except CovaryError:
                return math.nan


def _variants(
    coefficient: Callable[..., Estimate], titles: Mapping[str, str], keyword: str
) -> list[Candidate]:
    """A coefficient once for each value of a keyword; '' leaves it at its default."""
    return [
        Candidate(title, coefficient, {keyword: value} if value else {})
        for value, title in titles.items()
    ]


def _weighted(coefficient: Callable[..., Estimate], title: str) -> list[Candidate]:
    ways = {kind: f"{title} with {kind} weights" for kind in ("linear", "quadratic")}
    return _variants(coefficient, {"": title} | ways, "weights")


LEVELS = ("nominal", "ordinal", "interval", "ratio")
FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
METRICS = {level: f"Krippendorff's alpha with the {level} metric" for level in LEVELS}

CANDIDATES: tuple[Candidate, ...] = (
    Candidate("percent agreement", percent_agreement),
    Candidate("agreement within one step", percent_agreement, {"tolerance": 1}),
    *_weighted(cohen_kappa, "Cohen's kappa"),
    *_weighted(light_kappa, "Light's kappa"),
    *_weighted(conger_kappa, "Conger's kappa"),
    *_weighted(fleiss_kappa, "Fleiss' kappa"),
    *_weighted(scott_pi, "Scott's pi"),
    Candidate("Brennan-Prediger's coefficient", brennan_prediger),
    Candidate("Gwet's AC1", gwet_ac1),
    *_weighted(gwet_ac2, "Gwet's AC2")[1:],
    *_variants(krippendorff_alpha, METRICS, "level"),
    Candidate("Goodman & Kruskal's gamma", goodman_kruskal_gamma),
    Candidate("Kendall's tau-b", kendall_tau_b),
    Candidate("Spearman's rho", spearman),
    Candidate("Pearson's r", pearson),
    Candidate("Kendall's W", kendall_w),
    *_variants(icc, {form: f"ICC({form})" for form in FORMS}, "form"),
    Candidate("Fisher's intraclass correlation", fisher_icc),
    Candidate("Cronbach's alpha", cronbach_alpha),
)
"""Every coefficient that is tried, the plainest variant of each first."""


def shared_items(ratings: Ratings, criterion: Any, judges: tuple[Any, ...]) -> Ratings:
    """Return the items that at least two of the judges rated, as a matrix of their own.

    A paper computes the coefficient of two judges from the items that both rated; no judges stand
    for all of them.
    """
    patterns = collapse(ratings, criterion)
    if judges:
        patterns = patterns.only(judges)
    patterns = patterns.keep(patterns.sizes > 1)
    if patterns.continuous:
        cells: Any = patterns.numbers()
    else:
        categories = np.array([*patterns.values, None], dtype=object)
        cells = categories[patterns.codes]
    matrix = np.repeat(cells, patterns.counts, axis=0)
    return Ratings.from_wide(matrix.tolist(), scale=patterns.scale, judges=list(patterns.judges))


EVERYONE = ("", "all", "all judges")
"""What a column is called that is about all judges."""


def ratings_behind(entry: CheckEntry) -> list[Ratings]:
    """Return the ratings behind each cell: its row is a criterion, its column the judges.

    Where `data` names a table for each column, the columns are about all judges.
    """
    data: dict[str, tuple[str, ...]] = entry["data"]
    sources = {name: _load(entry, source) for name, source in data.items()}
    behind = []
    for cell in entry.cells:
        ratings = sources.get(cell.column, sources.get(""))
        if ratings is None:
            raise InvalidArgument("published.no-ratings", argument="data", column=cell.column)
        judges = () if cell.column in data else _judges(cell.column, ratings)
        criterion = _criterion(entry, entry.get("criterion", cell.row), ratings)
        behind.append(shared_items(ratings, criterion, judges))
    return behind


def _load(entry: CheckEntry, sources: tuple[str, ...]) -> Ratings:
    if sources[0] in tables():
        return load(sources[0], judges="named")  # as papers read it
    paths = [path for source in sources for path in _paths(entry, source)]
    try:
        return read(
            paths[0] if len(paths) == 1 else paths,
            **{key: entry[key] for key in ("scale",) if key in entry.values},
        )
    except CovaryError as fault:
        raise InvalidArgument("published.unreadable", argument="data", fault=fault) from None


def _paths(entry: CheckEntry, source: str) -> list[Path]:
    """The file of a name, or the files of a pattern such as `source_*.csv`."""
    path = Path(entry.folder, source).expanduser()
    found = [path] if path.exists() else sorted(path.parent.glob(path.name))
    if not found:
        raise InvalidArgument("published.no-data", argument="data", value=source, allowed=tables())
    return found


def _criterion(entry: CheckEntry, name: str, ratings: Ratings) -> Any:
    criteria = [criterion for criterion in ratings.criteria if criterion is not None]
    known = {str(criterion).lower(): criterion for criterion in criteria}
    if not known or name.lower() in known:
        return known.get(name.lower())
    if len(known) == 1:
        return next(iter(known.values()))
    key = "criterion" if "criterion" in entry.values or not name else "rows"
    raise InvalidArgument("published.no-criterion", argument=key, value=name, allowed=known)


def _judges(column: str, ratings: Ratings) -> tuple[Any, ...]:
    if column.lower() in EVERYONE:
        return ()
    known = {str(name): name for name in ratings.judges}
    named = [part.strip() for part in re.split(r"\s+and\s+|,|&|-", column)]
    for name in named:
        if name not in known:
            raise InvalidArgument(
                "published.no-judges", argument="columns", value=name, column=column, allowed=known
            )
    return tuple(known[name] for name in named)


DATA: Mapping[str, Reader] = {"data": by_name(one_or_several)}
BEHIND: Mapping[str, Reader] = {**ONE_OR_TABLE, "scale": words, "criterion": words}
"""The keys that name the ratings."""


def _check_batches(entry: CheckEntry) -> list[CheckResult]:
    ratings = _load(entry, next(iter(entry["data"].values())))
    criterion = _criterion(entry, entry.get("criterion", ""), ratings)
    checked = []
    for cell in entry.cells:
        n = shared_items(ratings, criterion, _judges(cell.row, ratings)).n_items
        checked.append(
            entry.judge(
                cell,
                fits=cell.printed.value == n,
                expected=f"{n}",
                arithmetic=f"{cell.row} rated {n} items together",
                data={"items": n},
            )
        )
    right = sum(number.verdict == "fits" for number in checked)
    total = sum(number.data["items"] for number in checked)
    conclusion = Note("published.batches", right=right, n=len(checked), items=total)
    return [entry.result(conclusion, checked)]


BATCHES = CheckKind(
    "how many items judges rated together, against the ratings",
    _check_batches,
    needed=DATA,
    optional=BEHIND,
)


WAYS = ("rounded", "cut off")
"""What may have been done to the digits that are not printed, the usual first."""

SHOWN = 3
"""How many other coefficients are named."""


@dataclass(frozen=True, kw_only=True)
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


def _check_coefficients(entry: CheckEntry) -> list[CheckResult]:
    claimed = entry.get("claimed", "")
    matches = _matches(entry.cells, ratings_behind(entry), claimed)
    best = max(matches, key=lambda match: (match.count, match.candidate.name == claimed))
    checked = [_judge_cell(entry, place, best, matches) for place in range(len(entry.cells))]
    if "average" in entry.values:
        checked += _judge_averages(entry, best)
    return [entry.result(_conclusion(matches, best, claimed), checked)]


def _matches(cells: Sequence[PrintedCell], behind: Sequence[Ratings], claimed: str) -> list[Match]:
    gaps = any(ratings.n_ratings < ratings.n_items * ratings.n_judges for ratings in behind)
    matches = []
    for candidate in CANDIDATES:
        if gaps and candidate.slow_with_gaps and candidate.name != claimed:
            continue
        values = tuple(candidate.value(ratings) for ratings in behind)
        for way in WAYS:
            pairs = zip(cells, values, strict=True)
            fits = tuple(_fits(cell.printed, value, way) for cell, value in pairs)
            matches.append(Match(candidate=candidate, way=way, values=values, fits=fits))
    return matches


def _fits(printed: Printed, value: float, way: str) -> bool:
    if math.isnan(value):
        return False
    value = 100 * value if printed.percent else value
    return printed.rounded_from(value) if way == "rounded" else printed.cut_off_from(value)


def _judge_cell(
    entry: CheckEntry, place: int, best: Match, matches: Sequence[Match]
) -> CheckedNumber:
    cell, value = entry.cells[place], best.values[place]
    shown = _shown(value, cell.printed)
    line = f"{best.candidate.title}: {shown}"
    ways = [m.way for m in matches if m.candidate is best.candidate and m.fits[place]]
    others = list(dict.fromkeys(match.title for match in matches if match.fits[place]))
    if others and not ways:
        line += f"; alone this cell would also fit {plain_list(others, SHOWN)}"
    condition = _unsaid(best, entry.get("claimed", ""), ways)
    return entry.judge(
        cell,
        fits=bool(ways) and not condition,
        only_if=[(bool(ways), condition)],
        expected=shown,
        arithmetic=line,
        data={"value": value, "coefficient": best.candidate.name, "way": best.way},
    )


def _unsaid(best: Match, claimed: str, ways: Sequence[str]) -> str:
    """What a fitting cell takes for granted that is not said: another coefficient, cut digits."""
    candidate = best.candidate
    several = sum(other.name == claimed for other in CANDIDATES) > 1
    other = claimed and (candidate.name != claimed or (several and candidate.keywords))
    conditions = [Note("published.is-coefficient", title=candidate.title)] if other else []
    if "rounded" not in ways:
        conditions.append(Note("published.digits-cut-off"))
    return " and ".join(conditions)


def _judge_averages(entry: CheckEntry, best: Match) -> Iterator[CheckedNumber]:
    """Judge printed averages against the averages of what the ratings give."""
    entry.check_width("the average", entry["average"], "average")
    size = abs if entry.get("absolute") else Fraction
    cut = best.way == "cut off"
    for column, printed in zip(entry.columns, entry["average"], strict=True):
        values = [
            size(cell.printed.shortened(value, cut_off=cut))
            for cell, value in zip(entry.cells, best.values, strict=True)
            if cell.column == column and not math.isnan(value)
        ]
        if not values:
            continue
        mean = mean_of(values)
        line = sum_line([printed.like(value) for value in values], mean=True)
        fits = {"rounded": printed.rounded_from(mean), "cut off": printed.cut_off_from(mean)}
        yield entry.judge(
            PrintedCell("average", column, printed),
            fits=fits[best.way],
            only_if=[(fits[way], Note("published.unlike-cells", way=way)) for way in WAYS],
            expected=printed.expects(mean, cut_off=cut),
            arithmetic=f"{line} = {printed.shown(mean)}, from the ratings",
            data={"value": mean},
        )


def _conclusion(matches: Sequence[Match], best: Match, claimed: str) -> Note:
    """Which coefficients fit most of the numbers, and how the one that is claimed does."""
    n = len(best.fits)
    equal = [match for match in matches if match.count == best.count]
    accepted = {match.candidate for match in equal}
    others = [m for m in matches if m.candidate not in accepted and m.candidate.name != claimed]
    second = max(others, key=lambda match: match.count) if others and n > 1 else None
    return Note(
        "published.coefficients",
        n=n,
        count=best.count,
        tried=len(CANDIDATES),
        best=list(dict.fromkeys(match.title for match in equal)),
        several=len(equal) > 1,
        second=None if second is None else (second.title, second.count),
        **_claimed(matches, best, claimed),
    )


def _claimed(matches: Sequence[Match], best: Match, claimed: str) -> dict[str, Any]:
    """How often the coefficient that is claimed fits where another fits better, or its variants."""
    named = [match for match in matches if match.candidate.name == claimed]
    variants: dict[str, int] = {}
    if named and max(match.count for match in named) < best.count:
        beaten = [(match.candidate.title, match.count, match.way) for match in named[:2]]
        return {"claimed": beaten, "variants": variants}
    if len(best.fits) > 1 and len(named) > len(WAYS):
        for match in named:
            if match.candidate is not best.candidate:
                title = match.candidate.title
                variants[title] = max(match.count, variants.get(title, 0))
    return {"claimed": [], "variants": variants}


def _shown(value: float, printed: Printed) -> str:
    if math.isnan(value):
        return "undefined"
    return write_number(100 * value if printed.percent else value, max(printed.places + 2, 4))


COEFFICIENTS = CheckKind(
    "which coefficient, metric and rounding gives printed coefficients whose ratings are known",
    _check_coefficients,
    needed=DATA,
    optional={
        **BEHIND,
        "claimed": choice(*dict.fromkeys(candidate.name for candidate in CANDIDATES)),
        "average": numbers,
        "absolute": flag,
    },
)
