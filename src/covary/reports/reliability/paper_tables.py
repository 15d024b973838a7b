"""The tables of a paper: which coefficients and which columns they show is the author's choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.verdict import Purpose, RatingUse
from covary.errors import InvalidArgument
from covary.reports.blocks import Column, Table, left, reasons
from covary.reports.formatting import (
    DASH,
    coefficient,
    count,
    level_percent,
    percent,
    variant,
    with_ends,
    with_interval,
)
from covary.reports.reliability.prose import AGREEMENT_TABLE, symbol
from covary.stats.estimate import Estimate

COEFFICIENTS: Mapping[str, str] = MappingProxyType(
    {
        "krippendorff_alpha": "alpha",
        "goodman_kruskal_gamma": "gamma",
        "exchangeable_gamma": "gamma",
        "pearson": "pearson",
        "spearman": "spearman",
        "kendall_tau_b": "tau-b",
        "kendall_w": "w",
        "cohen_kappa": "kappa",
        "conger_kappa": "kappa",
        "fleiss_kappa": "fleiss-kappa",
        "light_kappa": "light-kappa",
        "gwet_ac1": "ac1",
        "gwet_ac2": "ac2",
        "percent_agreement": "percent",
        "icc": "icc",
    }
)
"""The name by which a table's coefficient is chosen."""

Row = Callable[[CriterionReliability], str]


def choice_of(estimate: Estimate) -> str:
    """Return the name by which a coefficient is chosen: `weighted-kappa`, `icc-k`."""
    name = COEFFICIENTS.get(estimate.name, estimate.name)
    if estimate.settings.get("tolerance"):
        return f"{name}-within"
    if estimate.name == "icc" and estimate.settings.get("k") is not None:
        return f"{name}-k"
    weighted = estimate.settings.get("weights", "identity") != "identity"
    return "weighted-kappa" if weighted and "kappa" in name else name


def _use(part: CriterionReliability, purpose: Purpose) -> RatingUse | None:
    return next((use for use in part.overall.verdict.uses if use.purpose == purpose), None)


def _item_means(part: CriterionReliability) -> str:
    use = _use(part, "item means")
    if use is None:
        return DASH
    sure = 0 <= use.low < use.high
    value = with_ends(use, bounded=True) if sure else coefficient(use.value)
    return f"{value} (k = {use.ratings:.3g})"


def _without_severity(part: CriterionReliability) -> str:
    shares = part.overall.disagreement
    return DASH if shares is None else coefficient(shares.without_severity)


def _severity(part: CriterionReliability) -> str:
    shares = part.overall.disagreement
    return DASH if shares is None else percent(shares.severity)


COLUMNS: Mapping[str, tuple[Column, Row]] = MappingProxyType(
    {
        "items": (Column("items"), lambda part: count(part.n_items)),
        "judges": (Column("judges"), lambda part: count(part.n_judges)),
        "ratings": (Column("ratings"), lambda part: count(part.n_ratings)),
        "means": (Column("means of items"), _item_means),
        "without-severity": (Column("without severity"), _without_severity),
        "severity": (Column("severity"), _severity),
        "verdict": (left("verdict"), lambda part: part.overall.verdict.word),
    }
)
"""What a table may show beside coefficients, by the name of the column."""

WIDE = ("items", "ratings", "means", "without-severity", "verdict")
"""What the wide table shows beside coefficients unless it is said."""


def available(result: Reliability) -> dict[str, Estimate]:
    """Every coefficient of the ratings by the name of its choice, the main ones first."""
    criteria = result.criteria
    main = [side.estimate for part in criteria for side in part.overall.sides]
    beside = [estimate for part in criteria for estimate in part.beside]
    return {choice_of(estimate): estimate for estimate in reversed([*main, *beside])}


def check_choice(result: Reliability, coefficients: Sequence[str], table: Sequence[str]) -> None:
    """Refuse coefficients and columns that there are none of."""
    known = available(result)
    allowed = [*dict.fromkeys(reversed(known))]
    for argument, chosen, names in (
        ("coefficients", coefficients, allowed),
        ("table", table, [*COLUMNS]),
    ):
        for name in chosen:
            if name not in names:
                raise InvalidArgument(
                    "report.not-in-table", argument=argument, value=name, allowed=names
                )


def paper_table(
    result: Reliability, coefficients: Sequence[str] = (), shown: Sequence[str] = ()
) -> Table:
    """Build the table of a paper: a row for each criterion, a column for each coefficient.

    Without `coefficients` it shows agreement and correlation; `shown` names further columns.
    """
    check_choice(result, coefficients, shown)
    chosen = [*(coefficients or _main(result))]
    estimates = [_by_choice(part) for part in result.criteria]
    used = {name: [own[name] for own in estimates if name in own] for name in chosen}
    heads = [Column(_head(used[name])) for name in chosen]
    before, after = (_columns(shown, first) for first in (True, False))
    rows = [
        (
            part.name,
            *(cell(part) for _, cell in before),
            *(with_interval(own.get(name)) for name in chosen),
            *(cell(part) for _, cell in after),
        )
        for part, own in zip(result.criteria, estimates, strict=True)
    ]
    firsts, lasts = ([head for head, _ in part] for part in (before, after))
    return Table(
        key=str(AGREEMENT_TABLE),
        caption=_caption(result, chosen, used),
        columns=(left("criterion"), *firsts, *heads, *lasts),
        rows=tuple(rows),
        note=" ".join(_notes(result, chosen, used, shown)),
    )


def _main(result: Reliability) -> list[str]:
    sides = [side for part in result.criteria for side in part.overall.sides]
    ordered = sorted(sides, key=lambda side: side.measure != "agreement")
    return [*dict.fromkeys(choice_of(side.estimate) for side in ordered)]


def _by_choice(part: CriterionReliability) -> dict[str, Estimate]:
    estimates = [*part.beside, *(side.estimate for side in part.overall.sides)]
    return {choice_of(estimate): estimate for estimate in estimates}


def _columns(shown: Sequence[str], first: bool) -> list[tuple[Column, Row]]:
    """The columns that stand before the coefficients, or after them."""
    counts = ("items", "judges", "ratings")
    return [COLUMNS[name] for name in shown if (name in counts) == first]


def _head(estimates: Sequence[Estimate]) -> str:
    heads = dict.fromkeys(symbol(estimate) for estimate in estimates)
    if len(heads) == 1:
        return next(iter(heads))
    return next(iter(heads)).partition(",")[0]  # k differs: each criterion's k is in the note


def _caption(
    result: Reliability, chosen: Sequence[str], used: Mapping[str, Sequence[Estimate]]
) -> str:
    intervals = any(e.interval is not None for name in chosen for e in used[name])
    brackets = f", with {level_percent(result.confidence)} confidence intervals"
    return f"Reliability of the ratings{brackets if intervals else ''}"


def _notes(
    result: Reliability,
    chosen: Sequence[str],
    used: Mapping[str, Sequence[Estimate]],
    shown: Sequence[str],
) -> Iterator[str]:
    """Say what each sign means, what k is, and why a number is missing."""
    names = (f"{_head(used[name])}: {variant(used[name][0])}" for name in chosen)
    yield f"{'; '.join(names)}."
    for name in chosen:
        sizes = [f"{e.settings['k']:.3g}" for e in used[name] if "k" in e.settings]
        if len(set(sizes)) > 1:
            parts = zip((part.name for part in result.criteria), sizes, strict=False)
            yield f"k: {', '.join(f'{k} ({criterion})' for criterion, k in parts)}."
    if "without-severity" in shown:
        yield "Without severity: agreement once each judge's mean is taken out."
    yield reasons((part.label, _by_choice(part).get(n)) for part in result.criteria for n in chosen)
