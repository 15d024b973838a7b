"""Do the stars of a statistic fit its degrees of freedom and the number of things compared?

The p-value follows from the statistic and from how many things it was computed on, so stars that
do not fit show a slip in one of the three; often it can be said which number of judges, items or
degrees of freedom they would fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from covary.analysis.published.claims import Claim, claim_of, p_text
from covary.analysis.published.digits import Printed, written
from covary.analysis.published.entry import ONE_OR_TABLE, Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, degrees, thresholds, whole, words
from covary.analysis.published.numbers import CheckedNumber, Part, counted
from covary.stats.distributions import chi2_tail, f_tail

__all__ = ["CHI_SQUARES", "CONCORDANCE", "CORRELATIONS", "STARRED", "T_TESTS", "Test", "judge"]

LARGEST = 2000
"""The largest number of judges, items or degrees of freedom that is tried."""

STARRED = {**ONE_OR_TABLE, "marks": Field(thresholds), "claim": Field(words)}
"""The keys of every check of stars."""


@dataclass(frozen=True)
class Test:
    """How a p-value follows from a statistic.

    `p` takes the statistic and `count`, the number that stars may not fit (`counts` says of what);
    `formula` writes the statistic for the line of arithmetic.
    """

    p: Callable[[float, int], float]
    count: int
    counts: str
    formula: Callable[[str, int], str]
    fewest: int = 1
    sided: bool = False


def judge(entry: Entry, cell: Cell, test: Test) -> CheckedNumber:
    """Compare what is printed about a p-value with the p-value."""
    claim = claim_of(cell.printed, entry.get("claim", ""), entry.get("marks"))
    printed = cell.printed
    p = test.p(float(printed.value), test.count)
    ends = [test.p(float(end), test.count) for end in (printed.low, printed.high)]
    shown = test.formula(_digits(printed), test.count)
    line = f"{shown}: p = {p_text(p)}"
    expected = claim.expected(p)
    data: dict[str, Any] = {"p": p, test.counts.replace(" ", "_"): test.count}
    if claim.holds(p):
        return entry.number(cell, expected, "fits", line, data=data)
    if any(claim.holds(end) for end in (*ends, _between(ends))):
        between = f"{p_text(min(ends))} and {p_text(max(ends))}"
        why = f"its unprinted digits make it so (p lies between {between})"
        return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    if test.sided and claim.holds(p / 2):
        why = "the test was one-sided"
        return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    counts = fitting(printed, claim, test)
    data |= {"fitting_counts": counts}
    would = f"; {claim.text} would fit {ranges(counts, test.counts)}" if counts else ""
    return entry.number(cell, f"{expected}{would}", "does not fit", line, data=data)


def fitting(printed: Printed, claim: Claim, test: Test) -> tuple[int, ...]:
    """Return the counts with which a claim about p would be right."""
    value = float(printed.value)
    tried = range(test.fewest, LARGEST + 1)
    return tuple(count for count in tried if claim.holds(test.p(value, count)))


def ranges(counts: tuple[int, ...], noun: str) -> str:
    """Write counts as a few ranges: `4 judges`, `5 to 9 judges`.

    Examples
    --------
    >>> ranges((4,), "judges"), ranges((4, 5, 6, 9), "judges"), ranges((1999, 2000), "judges")
    ('4 judges', '4 to 6 or 9 judges', '1999 or more judges')
    """
    starts = [count for count in counts if count - 1 not in counts]
    ends = [count for count in counts if count + 1 not in counts]
    shown = [
        f"{low} or more" if high == LARGEST else f"{low}" if low == high else f"{low} to {high}"
        for low, high in zip(starts, ends, strict=True)
    ]
    return f"{' or '.join(shown)} {noun}"


def summary(entry: Entry, numbers: list[CheckedNumber], test: Test) -> str:
    """Count the stars that fit, and say which count would fit a whole column."""
    right = sum(number.verdict == "fits" for number in numbers)
    of_all = counted(len(numbers), "p-value")
    said = f"{right} of {of_all} as printed ({test.counts}: {test.count})."
    return " ".join([said, *_columns(entry, numbers, test)])


def _columns(entry: Entry, numbers: list[CheckedNumber], test: Test) -> Iterator[str]:
    """Say with which count all stars of a column that has a misfit would be right."""
    wrong = dict.fromkeys(n.column for n in numbers if n.verdict == "does not fit")
    for column in wrong:
        cells = [cell for cell in entry.cells if cell.column == column]
        claims = [
            (cell.printed, claim_of(cell.printed, entry.get("claim", ""), entry.get("marks")))
            for cell in cells
        ]
        each = [set(fitting(printed, claim, test)) for printed, claim in claims]
        shared = tuple(sorted(set.intersection(*each)))
        if shared and len(cells) > 1:
            shown = ", ".join(cell.printed.text for cell in cells)
            yield f"All of column {column} ({shown}) would fit {ranges(shared, test.counts)}."


def _correlations(entry: Entry) -> tuple[Part, ...]:
    n = entry["n"]
    if n < 3:
        raise EntryFault("n", "a correlation of fewer than 3 has no p-value")
    for cell in entry.cells:
        if abs(cell.printed.value) > 1:
            raise EntryFault("rows", f"{cell.printed.text} is no correlation; they end at 1")

    def formula(value: str, count: int) -> str:
        r = float(value)
        t = math.inf if abs(r) >= 1 else r * math.sqrt((count - 2) / (1 - r * r))
        return f"t({count - 2}) = r √({count - 2} / (1 - r²)) = {t:.2f}"

    return _judged(entry, Test(_p_of_r, n, "pairs", formula, fewest=3, sided=True))


def _p_of_r(r: float, n: int) -> float:
    return 0.0 if abs(r) >= 1 else f_tail(r * r * (n - 2) / (1 - r * r), 1, n - 2)


def _concordance(entry: Entry) -> tuple[Part, ...]:
    items = entry["items"]
    if items < 2:
        raise EntryFault("items", "W ranks items, and one item has no rank")
    for cell in entry.cells:
        if not 0 <= cell.printed.value <= 1:
            raise EntryFault("rows", f"{cell.printed.text} is no W; it lies between 0 and 1")

    def p_of_w(w: float, judges: int) -> float:
        return chi2_tail(max(w, 0) * judges * (items - 1), items - 1)

    def formula(value: str, judges: int) -> str:
        chi = written(float(value) * judges * (items - 1), 2)
        return f"χ²({items - 1}) = {judges} × {items - 1} × {value} = {chi}"

    return _judged(entry, Test(p_of_w, entry["judges"], "judges", formula, fewest=2))


def _t_tests(entry: Entry) -> tuple[Part, ...]:
    def p_of_t(t: float, df: int) -> float:
        return f_tail(t * t, 1, df)

    def formula(value: str, df: int) -> str:
        return f"t({df}) = {value}, two-sided"

    return _judged(entry, Test(p_of_t, _one_df(entry), "degrees of freedom", formula, sided=True))


def _chi_squares(entry: Entry) -> tuple[Part, ...]:
    def p_of_chi(chi: float, df: int) -> float:
        return chi2_tail(max(chi, 0), df)

    def formula(value: str, df: int) -> str:
        return f"χ²({df}) = {value}"

    return _judged(entry, Test(p_of_chi, _one_df(entry), "degrees of freedom", formula))


def _one_df(entry: Entry) -> int:
    found: Mapping[str, tuple[int, ...]] = entry["df"]
    if list(found) != [""] or len(found[""]) != 1:
        raise EntryFault("df", "takes one whole number here, such as df = 38")
    return found[""][0]


def _judged(entry: Entry, test: Test) -> tuple[Part, ...]:
    numbers = [judge(entry, cell, test) for cell in entry.cells]
    return (entry.part(summary(entry, numbers, test), numbers),)


def _digits(printed: Printed) -> str:
    return printed.like(printed.value)


def _between(ends: list[float]) -> float:
    return math.sqrt(ends[0] * ends[1])


CORRELATIONS = Kind(
    "stars of correlations against the number of things that were correlated",
    {**STARRED, "n": Field(whole, needed=True)},
    _correlations,
)
CONCORDANCE = Kind(
    "stars of Kendall's W against the numbers of items and judges",
    {**STARRED, "items": Field(whole, needed=True), "judges": Field(whole, needed=True)},
    _concordance,
)
T_TESTS = Kind(
    "stars of t against its degrees of freedom",
    {**STARRED, "df": Field(degrees, needed=True)},
    _t_tests,
)
CHI_SQUARES = Kind(
    "stars of chi-square against its degrees of freedom",
    {**STARRED, "df": Field(degrees, needed=True)},
    _chi_squares,
)
