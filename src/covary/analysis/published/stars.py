"""Do the stars of a statistic, or the word for its size, fit the numbers they stand beside?

A p-value follows from the statistic and from how many things it was computed on, so stars that do
not fit show a slip in one of the three; often it can be said which number of judges, items or
degrees of freedom they would fit.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    degrees,
    flag,
    thresholds,
    whole,
    wholes,
    words,
)
from covary.analysis.published.digits import (
    MARKS,
    Claim,
    Printed,
    claim_of,
    p_text,
    parse,
    stars_of,
    write_number,
)
from covary.errors import InvalidArgument
from covary.stats.distributions import chi2_tail, f_tail
from covary.stats.interpret import BANDS
from covary.words import Note

LARGEST = 2000
"""The largest number of judges, items or degrees of freedom that is tried."""

STARRED: Mapping[str, Reader] = {**ONE_OR_TABLE, "marks": thresholds, "claim": words}
"""The keys of every check of stars."""


@dataclass(frozen=True, kw_only=True)
class SignificanceTest:
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

    def fitting(self, printed: Printed, claim: Claim) -> tuple[int, ...]:
        """Return the counts with which a claim about p would be right."""
        value = float(printed.value)
        tried = range(self.fewest, LARGEST + 1)
        return tuple(count for count in tried if claim.holds(self.p(value, count)))


def judge_stars(entry: CheckEntry, cell: PrintedCell, test: SignificanceTest) -> CheckedNumber:
    """Compare what is printed about a p-value with the p-value."""
    claim, printed = _claim(entry, cell), cell.printed
    p = test.p(float(printed.value), test.count)
    ends = sorted(test.p(float(end), test.count) for end in (printed.low, printed.high))
    unprinted = any(claim.holds(end) for end in (*ends, math.sqrt(ends[0] * ends[1])))
    low, high = (p_text(end) for end in ends)
    expected = claim.expected(p)
    data: dict[str, Any] = {"p": p, test.counts.replace(" ", "_"): test.count}
    if not (claim.holds(p) or unprinted or (test.sided and claim.holds(p / 2))):
        counts = test.fitting(printed, claim)
        data["fitting_counts"] = counts
        expected += f"; {claim.text} would fit {ranges(counts, test.counts)}" if counts else ""
    return entry.judge(
        cell,
        fits=claim.holds(p),
        only_if=[
            (
                unprinted,
                Note("published.unprinted-digits", low=low, high=high),
            ),
            (test.sided and claim.holds(p / 2), Note("published.one-sided")),
        ],
        expected=expected,
        arithmetic=f"{test.formula(printed.like(printed.value), test.count)}: p = {p_text(p)}",
        data=data,
    )


def _claim(entry: CheckEntry, cell: PrintedCell) -> Claim:
    return claim_of(cell.printed, entry.get("claim", ""), entry.get("marks"))


def ranges(counts: Sequence[int], noun: str) -> str:
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


def _check_stars(entry: CheckEntry, test: SignificanceTest) -> list[CheckResult]:
    """Count the stars that fit, and say which count would fit a whole column."""
    checked = [judge_stars(entry, cell, test) for cell in entry.cells]
    conclusion = Note(
        "published.stars",
        right=sum(number.verdict == "fits" for number in checked),
        n=len(checked),
        counts=test.counts,
        count=test.count,
        columns=list(_fitting_columns(entry, checked, test)),
    )
    return [entry.result(conclusion, checked)]


def _fitting_columns(
    entry: CheckEntry, checked: Sequence[CheckedNumber], test: SignificanceTest
) -> Iterator[tuple[str, list[str], str]]:
    """Each column with a misfit, its numbers, and the counts with which all its stars are right."""
    for column in dict.fromkeys(n.column for n in checked if n.verdict == "does not fit"):
        cells = entry.column(column)
        counts = [set(test.fitting(cell.printed, _claim(entry, cell))) for cell in cells]
        shared = sorted(set.intersection(*counts))
        if shared and len(cells) > 1:
            yield column, [cell.printed.text for cell in cells], ranges(shared, test.counts)


def _check_correlations(entry: CheckEntry) -> list[CheckResult]:
    if entry["n"] < 3:
        raise InvalidArgument("published.too-few-correlated", argument="n")
    for cell in entry.cells:
        if abs(cell.printed.value) > 1:
            raise InvalidArgument(
                "published.no-correlation", argument="rows", text=cell.printed.text
            )

    def p_of_r(r: float, n: int) -> float:
        return 0.0 if abs(r) >= 1 else f_tail(r * r * (n - 2) / (1 - r * r), 1, n - 2)

    def formula(value: str, n: int) -> str:
        r = float(value)
        t = math.inf if abs(r) >= 1 else r * math.sqrt((n - 2) / (1 - r * r))
        return f"t({n - 2}) = r √({n - 2} / (1 - r²)) = {t:.2f}"

    test = SignificanceTest(
        p=p_of_r, count=entry["n"], counts="pairs", formula=formula, fewest=3, sided=True
    )
    return _check_stars(entry, test)


def _check_concordance(entry: CheckEntry) -> list[CheckResult]:
    items = entry["items"]
    if items < 2:
        raise InvalidArgument("published.one-item", argument="items")
    for cell in entry.cells:
        if not 0 <= cell.printed.value <= 1:
            raise InvalidArgument("published.no-w", argument="rows", text=cell.printed.text)

    def p_of_w(w: float, judges: int) -> float:
        return chi2_tail(max(w, 0) * judges * (items - 1), items - 1)

    def formula(value: str, judges: int) -> str:
        chi = write_number(float(value) * judges * (items - 1), 2)
        return f"χ²({items - 1}) = {judges} × {items - 1} × {value} = {chi}"

    test = SignificanceTest(
        p=p_of_w, count=entry["judges"], counts="judges", formula=formula, fewest=2
    )
    return _check_stars(entry, test)


def _check_t_tests(entry: CheckEntry) -> list[CheckResult]:
    test = SignificanceTest(
        p=lambda t, df: f_tail(t * t, 1, df),
        count=_one_df(entry),
        counts="degrees of freedom",
        formula=lambda value, df: f"t({df}) = {value}, two-sided",
        sided=True,
    )
    return _check_stars(entry, test)


def _check_chi_squares(entry: CheckEntry) -> list[CheckResult]:
    test = SignificanceTest(
        p=lambda chi, df: chi2_tail(max(chi, 0), df),
        count=_one_df(entry),
        counts="degrees of freedom",
        formula=lambda value, df: f"χ²({df}) = {value}",
    )
    return _check_stars(entry, test)


def _one_df(entry: CheckEntry) -> int:
    df: Mapping[str, tuple[int, ...]] = entry["df"]
    if list(df) != [""] or len(df[""]) != 1:
        raise InvalidArgument("published.one-df", argument="df")
    return df[""][0]


CORRELATIONS = CheckKind(
    "stars of correlations against the number of things that were correlated",
    _check_correlations,
    needed={"n": whole},
    optional=STARRED,
)
CONCORDANCE = CheckKind(
    "stars of Kendall's W against the numbers of items and judges",
    _check_concordance,
    needed={"items": whole, "judges": whole},
    optional=STARRED,
)
T_TESTS = CheckKind(
    "stars of t against its degrees of freedom",
    _check_t_tests,
    needed={"df": by_name(degrees)},
    optional=STARRED,
)
CHI_SQUARES = CheckKind(
    "stars of chi-square against its degrees of freedom",
    _check_chi_squares,
    needed={"df": by_name(degrees)},
    optional=STARRED,
)


@dataclass(frozen=True, kw_only=True)
class AdditiveF:
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


def additive_f(one_way: dict[str, float], df: dict[str, int], n: int) -> dict[str, AdditiveF]:
    """Derive the additive model's F-ratios from one-way ones in a balanced design.

    Belz & Kow (2011) compute a one-way analysis of variance for each factor. In a balanced design
    (repeated Latin squares) the factors' sums of squares are orthogonal, so the F-ratios of one
    model with all factors follow from the printed ones alone.

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
    df. An `InvalidArgument` says that the shares leave nothing over, so that the F-ratios cannot
    come from one balanced design.

    Examples
    --------
    Belz & Kow (2011), section 6.5, clarity on the visual analogue scale:

    >>> factors = additive_f(
    ...     {"System": 23.468, "Rater": 6.857, "Text Type": 1.632},
    ...     {"System": 10, "Rater": 21, "Text Type": 21},
    ...     484,
    ... )
    >>> [round(factor.f, 2) for factor in factors.values()]
    [39.52, 13.48, 3.92]
    """
    shares = {name: f * df[name] / (f * df[name] + n - 1 - df[name]) for name, f in one_way.items()}
    left, error_df = 1 - sum(shares.values()), n - 1 - sum(df.values())
    if left <= 0 or error_df <= 0:
        raise InvalidArgument("published.not-one-design", shares=sum(shares.values()))
    return {
        name: AdditiveF(
            one_way=one_way[name],
            f=(share / df[name]) / (left / error_df),
            df=df[name],
            error_df=error_df,
            eta_squared=share,
            residual_share=left,
        )
        for name, share in shares.items()
    }


def _check_f_ratios(entry: CheckEntry) -> list[CheckResult]:
    freedom = _degrees_by_row(entry)
    checked = [judge_stars(entry, cell, _f_test(*freedom[cell.row])) for cell in entry.cells]
    right = sum(number.verdict == "fits" for number in checked)
    conclusion = Note("published.f-ratios", right=right, n=len(checked), degrees=freedom)
    results = [entry.result(conclusion, checked)]
    if entry.get("balanced"):
        results.append(_derive_additive(entry, freedom))
    return results


def _f_test(df: int, error_df: int) -> SignificanceTest:
    return SignificanceTest(
        p=lambda f, error: f_tail(max(f, 0), df, error),
        count=error_df,
        counts="error degrees of freedom",
        formula=lambda value, error: f"F({df}, {error}) = {value}",
    )


def _degrees_by_row(entry: CheckEntry) -> dict[str, tuple[int, int]]:
    """Return the two degrees of freedom of each row, given or from levels and n."""
    names = list(dict.fromkeys(cell.row for cell in entry.cells))
    if "levels" in entry.values and "n" in entry.values:
        return _degrees_of_levels(names, entry["levels"], entry["n"])
    if "df" not in entry.values:
        raise InvalidArgument("published.no-df", argument="df")
    by_row: dict[str, tuple[int, ...]] = entry["df"]
    degrees_of = {name: by_row.get(name, by_row.get("", ())) for name in names}
    for name, pair in degrees_of.items():
        if len(pair) != 2:
            raise InvalidArgument("published.two-df", argument="df", row=name)
    return {name: (pair[0], pair[1]) for name, pair in degrees_of.items()}


def _degrees_of_levels(
    names: Sequence[str], levels: Mapping[str, int], n: int
) -> dict[str, tuple[int, int]]:
    for name in names:
        if name not in levels:
            raise InvalidArgument("published.row-without-levels", argument="levels", row=name)
    for name in names:
        if not 1 < levels[name] < n:
            raise InvalidArgument(
                "published.levels-outside", argument="levels", row=name, most=n - 1
            )
    return {name: (levels[name] - 1, n - levels[name]) for name in names}


def _derive_additive(entry: CheckEntry, freedom: dict[str, tuple[int, int]]) -> CheckResult:
    totals = {sum(pair) + 1 for pair in freedom.values()}
    if len(totals) != 1:
        raise InvalidArgument("published.different-n", argument="balanced", totals=sorted(totals))
    df = {row: pair[0] for row, pair in freedom.items()}
    about = {"kind": "additive-f", "place": f"{entry.place}, one additive model"}
    checked = [
        entry.number(cell, **about, **facts)
        for column in entry.columns
        for cell, facts in _additive_column(entry, column, df, max(totals))
    ]
    conclusion = Note("published.additive-f", factors=list(_gains(checked)))
    return CheckResult(**about, conclusion=conclusion, numbers=tuple(checked))


def _additive_column(
    entry: CheckEntry, column: str, df: dict[str, int], n: int
) -> Iterator[tuple[PrintedCell, dict[str, Any]]]:
    cells = {cell.row: cell for cell in entry.column(column)}
    try:
        factors = additive_f({row: float(c.printed.value) for row, c in cells.items()}, df, n)
    except InvalidArgument as reason:
        facts = {"expected": "impossible", "verdict": "does not fit", "arithmetic": str(reason)}
        yield from ((cell, facts) for cell in cells.values())
        return
    for row, factor in factors.items():
        mark = stars_of(factor.p, entry.get("marks") or MARKS)
        line = (
            f"η² = {factor.eta_squared:.4f}; ({factor.eta_squared:.4f} / {factor.df}) / "
            f"({factor.residual_share:.4f} / {factor.error_df}) = {factor.f:.2f}, "
            f"p = {p_text(factor.p)}"
        )
        names = ("f", "p", "eta_squared", "df", "error_df")
        data = {name: getattr(factor, name) for name in names}
        expected = f"{factor.f:.2f}{mark}"
        yield (
            cells[row],
            {
                "expected": expected,
                "verdict": "derived",
                "arithmetic": line,
                "data": data,
            },
        )


def _gains(checked: Sequence[CheckedNumber]) -> Iterator[dict[str, Any]]:
    """For each factor how many F-ratios rise, and how many have a star before and after."""
    for row in dict.fromkeys(number.row for number in checked):
        line = [number for number in checked if number.row == row and number.verdict == "derived"]
        printed = [parse(number.printed) for number in line]
        derived = [parse(number.expected) for number in line]
        larger = (number.data["f"] > was.value for number, was in zip(line, printed, strict=True))
        yield {
            "row": row,
            "n": len(line),
            "before": sum(bool(number.marks) for number in printed),
            "after": sum(bool(number.marks) for number in derived),
            "rise": sum(larger),
        }


F_RATIOS = CheckKind(
    "stars of F-ratios against degrees of freedom, and for a balanced design the additive F",
    _check_f_ratios,
    optional={**STARRED, "df": by_name(degrees), "levels": wholes, "n": whole, "balanced": flag},
)


def _check_words(entry: CheckEntry) -> list[CheckResult]:
    """Judge words for the size of coefficients by the bands of the scale that is named."""
    scale, word = BANDS[entry["scale"]], entry["word"].lower()
    labels = [band.label for band in scale.bands]
    if word not in labels:
        raise InvalidArgument(
            "published.no-such-band", argument="word", value=word, allowed=labels, scale=scale.title
        )
    checked = [_judge_word(entry, cell, word) for cell in entry.cells]
    times = Counter(number.data["band"] for number in checked)
    conclusion = Note(
        "published.bands",
        scale=scale.title,
        word=word,
        times=times,
        mostly=entry.get("mostly", False),
        only=(checked[0].judged, checked[0].arithmetic) if len(checked) == 1 else None,
    )
    return [entry.result(conclusion, checked)]


def _judge_word(entry: CheckEntry, cell: PrintedCell, word: str) -> CheckedNumber:
    value, scale = float(cell.printed.value), BANDS[entry["scale"]]
    label = scale.band(value)
    others = [
        other.title for other in BANDS.values() if other is not scale and other.band(value) == word
    ]
    line = f"{cell.printed.text} is {label} on the scale of {scale.title}"
    facts = {"expected": label, "arithmetic": line, "data": {"band": label}}
    if entry.get("mostly") and label != word:
        return entry.number(cell, verdict="derived", **facts)
    other = Note("published.other-bands", scales=others)
    return entry.judge(cell, fits=label == word, only_if=[(bool(others), other)], **facts)


def _band_scale(value: Any) -> str:
    """Read the name of a scale of bands, or what papers call it: Landis & Koch, with its year."""

    def plain(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.casefold().replace(" and ", " ")))

    for name, scale in BANDS.items():
        called = (name, scale.title, scale.title.partition(" (")[0])
        if isinstance(value, str) and plain(value) in map(plain, called):
            return name
    return str(choice(*BANDS)(value))


INTERPRETATION = CheckKind(
    "the word for a coefficient's size against the bands of a published scale",
    _check_words,
    needed={"scale": _band_scale, "word": words},
    optional={**ONE_OR_TABLE, "mostly": flag},
)
