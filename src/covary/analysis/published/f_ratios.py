"""F-ratios: do their stars fit their degrees of freedom, and what would one additive model give?

Belz & Kow (2011) compute a one-way analysis of variance for each factor. In a balanced design
(repeated Latin squares) the factors' sums of squares are orthogonal, so the F-ratios of one model
with all factors follow from the printed ones alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from covary.analysis.published.claims import MARKS, p_text, stars_of
from covary.analysis.published.entry import Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, degrees, flag, whole, wholes
from covary.analysis.published.numbers import CheckedNumber, Part, counted
from covary.analysis.published.stars import STARRED, Test, judge
from covary.stats.distributions import f_tail

__all__ = ["F_RATIOS", "Additive", "additive_f"]


@dataclass(frozen=True)
class Additive:
    """A factor's F-ratio in one additive model, from its one-way F-ratio."""

    one_way: float
    f: float
    df: int
    error_df: int
    eta_squared: float
    residual_share: float

    @property
    def p(self) -> float:
        """The probability of a larger F-ratio by chance."""
        return f_tail(self.f, self.df, self.error_df)


def additive_f(one_way: dict[str, float], df: dict[str, int], n: int) -> dict[str, Additive]:
    """Derive the additive model's F-ratios from one-way ones in a balanced design.

    Parameters
    ----------
    one_way
        The one-way F-ratio of each factor.
    df
        The degrees of freedom of each factor: its levels less one.
    n
        The number of ratings.

    Notes
    -----
    A factor's share of the sum of squares is eta² = F df / (F df + n - 1 - df). The shares add up
    because the design is balanced, and what they leave over is the residual's, with n - 1 less all
    df. A `ValueError` says that the shares leave nothing over, so that the F-ratios cannot come
    from one balanced design.

    Examples
    --------
    Belz & Kow (2011), section 6.5, clarity on the visual analogue scale:

    >>> found = additive_f(
    ...     {"System": 23.468, "Rater": 6.857, "Text Type": 1.632},
    ...     {"System": 10, "Rater": 21, "Text Type": 21},
    ...     484,
    ... )
    >>> [round(factor.f, 2) for factor in found.values()]
    [39.52, 13.48, 3.92]
    """
    shares = {name: f * df[name] / (f * df[name] + n - 1 - df[name]) for name, f in one_way.items()}
    left, error_df = 1 - sum(shares.values()), n - 1 - sum(df.values())
    if left <= 0 or error_df <= 0:
        raise ValueError(
            f"the factors' shares of the sum of squares add up to {sum(shares.values()):.3f}, so "
            "these F-ratios cannot come from one balanced design"
        )
    return {
        name: Additive(
            one_way[name], (share / df[name]) / (left / error_df), df[name], error_df, share, left
        )
        for name, share in shares.items()
    }


def _f_ratios(entry: Entry) -> tuple[Part, ...]:
    freedom = _degrees(entry)
    numbers = [judge(entry, cell, _test(*freedom[cell.row])) for cell in entry.cells]
    right = sum(number.verdict == "fits" for number in numbers)
    pairs = ", ".join(f"{row or 'F'} ({a}, {b})" for row, (a, b) in freedom.items())
    of_all = counted(len(numbers), "p-value")
    said = f"{right} of {of_all} as printed, with the degrees of freedom {pairs}."
    parts = [entry.part(said, numbers)]
    if entry.get("balanced"):
        parts.append(_additive(entry, freedom))
    return tuple(parts)


def _test(df: int, error_df: int) -> Test:
    def p_of_f(f: float, error: int) -> float:
        return f_tail(max(f, 0), df, error)

    def formula(value: str, error: int) -> str:
        return f"F({df}, {error}) = {value}"

    return Test(p_of_f, error_df, "error degrees of freedom", formula)


def _degrees(entry: Entry) -> dict[str, tuple[int, int]]:
    """Return the two degrees of freedom of each row, given or from levels and n."""
    levels, n = entry.get("levels"), entry.get("n")
    names = list(dict.fromkeys(cell.row for cell in entry.cells))
    if levels is not None and n is not None:
        missing = [name for name in names if name not in levels]
        if missing:
            raise EntryFault("levels", f"says nothing of row {missing[0]!r}")
        wrong = [name for name in names if not 1 < levels[name] < n]
        if wrong:
            raise EntryFault("levels", f"{wrong[0]!r} must have from 2 to {n - 1} levels")
        return {name: (levels[name] - 1, n - levels[name]) for name in names}
    if "df" not in entry.values:
        raise EntryFault("df", "is missing; give df = [7, 888], or levels and n")
    given: dict[str, tuple[int, ...]] = entry["df"]
    found = {name: given.get(name, given.get("", ())) for name in names}
    short = next((name for name, pair in found.items() if len(pair) != 2), None)
    if short is not None:
        raise EntryFault("df", f"row {short!r} needs two degrees of freedom, such as [7, 888]")
    return {name: (pair[0], pair[1]) for name, pair in found.items()}


def _additive(entry: Entry, freedom: dict[str, tuple[int, int]]) -> Part:
    totals = {sum(pair) + 1 for pair in freedom.values()}
    if len(totals) != 1:
        raise EntryFault(
            "balanced", f"the rows' degrees of freedom say different n: {sorted(totals)}"
        )
    df = {row: pair[0] for row, pair in freedom.items()}
    numbers: list[CheckedNumber] = []
    for column in entry.columns:
        numbers += _derived(entry, column, df, max(totals))
    gained = "; ".join(_gained(numbers))
    said = f"Derived for a balanced design, in one model with all factors: {gained}."
    return Part("additive-f", f"{entry.place}, one additive model", said, tuple(numbers))


def _derived(entry: Entry, column: str, df: dict[str, int], n: int) -> Iterator[CheckedNumber]:
    cells = {cell.row: cell for cell in entry.cells if cell.column == column}
    try:
        found = additive_f({row: float(c.printed.value) for row, c in cells.items()}, df, n)
    except ValueError as reason:
        for cell in cells.values():
            yield _written(entry, cell, "impossible", "does not fit", str(reason))
        return
    for row, factor in found.items():
        mark = stars_of(factor.p, entry.get("marks") or MARKS)
        line = (
            f"η² = {factor.eta_squared:.4f}; ({factor.eta_squared:.4f} / {factor.df}) / "
            f"({factor.residual_share:.4f} / {factor.error_df}) = {factor.f:.2f}, "
            f"p = {p_text(factor.p)}"
        )
        data = {"f": factor.f, "p": factor.p, "eta_squared": factor.eta_squared}
        data |= {"df": factor.df, "error_df": factor.error_df}
        yield _written(entry, cells[row], f"{factor.f:.2f}{mark}", "derived", line, data)


def _written(
    entry: Entry, cell: Cell, expected: str, verdict: Any, line: str, data: Any = None
) -> CheckedNumber:
    return CheckedNumber(
        "additive-f", f"{entry.place}, one additive model", cell.printed.text, expected, verdict,
        line, cell.row, cell.column, data=data or {},
    )  # fmt: skip


def _gained(numbers: list[CheckedNumber]) -> Iterator[str]:
    """Say for each factor how many F-ratios rise, and how many more have a star."""
    for row in dict.fromkeys(number.row for number in numbers):
        line = [number for number in numbers if number.row == row and number.verdict == "derived"]
        before = sum("*" in number.printed for number in line)
        after = sum("*" in number.expected for number in line)
        rise = sum(number.data["f"] > float(number.printed.rstrip("*")) for number in line)
        more = "" if before == after else f", {after} instead of {before} with a star"
        yield f"{row} is larger in {rise} of {len(line)}{more}"


F_RATIOS = Kind(
    "stars of F-ratios against degrees of freedom, and for a balanced design the additive F",
    {
        **STARRED,
        "df": Field(degrees),
        "levels": Field(wholes),
        "n": Field(whole),
        "balanced": Field(flag),
    },
    _f_ratios,
)
