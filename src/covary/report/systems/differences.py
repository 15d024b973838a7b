"""Whether the systems differ: analyses of variance, all pairs, and the same by rank."""

from __future__ import annotations

import math
from collections.abc import Iterator

from covary.analysis.systems import CriterionSystems, RankTest, SystemPair, Systems
from covary.report.contents import Block, Paragraph, Section, Table
from covary.report.rounding import DASH, amount, coefficient, p_value
from covary.report.systems.answer import counted_pairs, named, on, places_of
from covary.report.tables import MOST_ROWS, Columns, key_of, left, table, without_empty
from covary.stats.mixed import Mixed
from covary.stats.posthoc import Comparisons
from covary.stats.stars import stars
from covary.stats.variance import Effect

__all__ = ["pairs_section", "rank_section", "variance_section"]


def variance_section(found: Systems) -> Section:
    """Say how much of the ratings depends on the system, the judge and the source."""
    about = (
        "As papers print it, each factor has an analysis of variance of its own, in which "
        "everything else counts as error. As the study was designed, all factors stand in one "
        "model, so that what judges and sources explain is no longer error. Stars mark p up to "
        ".05 (*) and .01 (**)."
    )
    blocks: list[Block] = [Paragraph(about)]
    for each in found.criteria:
        blocks.append(_variance(each))
        if each.mixed is not None:
            blocks += _mixed(each, each.mixed)
    return Section("variance", "What do the ratings depend on?", tuple(blocks))


def _variance(each: CriterionSystems) -> Table:
    columns: Columns = [
        left("factor"), "F, alone", "p", "eta²", "omega²",
        "F, one model", "p", "eta²", "omega²", "partial eta²",
    ]  # fmt: skip
    together = {effect.name: effect for effect in each.additive.effects}
    rows = [_factor(alone, together.get(alone.name)) for alone in each.one_way]
    notes = [f"One model: {each.additive.method}."]
    notes += [
        f"{DASH} {effect.name}: {effect.reason}."
        for effect in each.additive.effects
        if effect.reason
    ]
    return without_empty(
        table(
            key_of("variance", each.name), named(each, "analysis of variance"), columns, rows,
            " ".join([*notes, *(f"{note}." for note in each.additive.notes)]),
        )
    )  # fmt: skip


def _factor(alone: Effect, together: Effect | None) -> tuple[str, ...]:
    cells = [alone.name, *_tested(alone)]
    if together is None:
        return (*cells, DASH, DASH, DASH, DASH, DASH)
    return (*cells, *_tested(together), coefficient(together.partial_eta_squared))


def _tested(effect: Effect) -> tuple[str, str, str, str]:
    """F with its degrees of freedom, p with its stars, and both shares."""
    f = DASH
    if effect.defined:
        f = f"{amount(effect.f)} ({effect.df:,}, {effect.error_df:,})"
    return (
        f, marked(effect.p), coefficient(effect.eta_squared), coefficient(effect.omega_squared),
    )  # fmt: skip


def marked(p: float) -> str:
    """Write a p-value with its stars."""
    return f"{p_value(p)} {stars(p)}".strip()


def _mixed(each: CriterionSystems, found: Mixed) -> Iterator[Block]:
    """Write the mixed model: F of the systems, and where the rest comes from."""
    rows = [(name, amount(value, 3)) for name, value in found.components.items()]
    known = math.isfinite(found.f)
    f = (
        f"F({amount(found.f_df[0], 0)}, {amount(found.f_df[1], 1)}) = {amount(found.f)}, "
        f"p = {marked(found.p)}"
        if known else f"no F: {found.reason}"
    )  # fmt: skip
    method = found.method[0].upper() + found.method[1:]
    notes = [f"{method}. Systems: {f}.", *(f"{note[0].upper()}{note[1:]}." for note in found.notes)]
    yield table(
        key_of("mixed", each.name), named(each, "variance components of the mixed model"),
        [left("between"), "variance"], rows, " ".join(notes),
    )  # fmt: skip


def pairs_section(found: Systems) -> Section:
    """List all pairs of systems with their differences, p-values and sizes."""
    blocks: list[Block] = []
    for each in found.criteria:
        if each.significance is None:
            blocks.append(Paragraph(on(each, "There are too many systems to compare pairs.")))
            continue
        blocks.append(Paragraph(on(each, counted_pairs(each))))
        blocks.append(
            _pairs(each)
            if each.pairs
            else Paragraph(
                f"With {len(each.systems):,} systems, the {each.n_pairs:,} pairs are not listed "
                "one by one.",
                "note",
            )
        )
    return Section("pairs", "Which systems differ?", tuple(blocks))


def _pairs(each: CriterionSystems) -> Table:
    assert each.comparisons is not None
    names = {str(score.system): score.name for score in each.systems}
    places = places_of(each)
    shown = sorted(each.pairs, key=_by_p)[:MOST_ROWS]
    rows = [_pair(pair, names, places) for pair in each.pairs if pair in shown]
    confidence = f"{100 * (1 - each.comparisons.alpha):g}% simultaneous"
    columns: Columns = [left("first"), left("second"), "difference", confidence, "p, adjusted", "d",
               "Cliff's delta"]  # fmt: skip
    notes = [
        f"The difference is that of the {each.compared}, the first system's less the second's.",
        "d is the difference in units of the error's standard deviation; Cliff's delta how much "
        "more often the first is rated higher than lower.",
    ]
    if len(each.pairs) > len(rows):
        notes.append(
            f"The {len(rows)} pairs with the smallest p of {len(each.pairs):,}; all stand in the "
            "JSON form of this report."
        )
    return without_empty(
        table(key_of("pairs", each.name), named(each, "pairs of systems"), columns, rows,
              " ".join(notes))
    )  # fmt: skip


def _by_p(pair: SystemPair) -> float:
    return math.inf if math.isnan(pair.p_adjusted) else pair.p_adjusted


def _pair(pair: SystemPair, names: dict[str, str], places: int) -> tuple[str, ...]:
    ends = DASH
    if math.isfinite(pair.low):
        ends = f"[{amount(pair.low, places)}, {amount(pair.high, places)}]"
    return (
        names[str(pair.first)], names[str(pair.second)], amount(pair.difference, places), ends,
        marked(pair.p_adjusted), amount(pair.standardised), coefficient(pair.cliffs_delta),
    )  # fmt: skip


def rank_section(found: Systems) -> Section | None:
    """Put tests of means and tests by rank side by side, with what the former take for granted."""
    blocks: list[Block] = []
    for each in found.criteria:
        if each.rank_tests:
            blocks += _side_by_side(each)
    if not blocks:
        return None
    about = (
        "Tests of means take equal steps between ratings and normal residuals for granted; tests "
        "by rank use only which rating is higher. Where both say the same, the choice does not "
        "matter; where not, trust means only if the steps of the scale are equal."
    )
    return Section("by-rank", "Would tests by rank say the same?", (Paragraph(about), *blocks))


def _side_by_side(each: CriterionSystems) -> Iterator[Block]:
    system = each.additive.effect("system")
    rows: list[tuple[str, ...]] = [
        ("analysis of variance, one model", _written_f(system), marked(system.p),
         *_counted(each.comparisons))
    ]  # fmt: skip
    rows += [_rank_row(test) for test in each.rank_tests]
    notes = " ".join(
        f"{DASH} {test.name}: {test.reason}." for test in each.rank_tests if test.reason
    )
    columns: Columns = [
        left("test of all systems"),
        "statistic",
        "p",
        left("pairs by"),
        "significant pairs",
    ]
    caption = named(each, "tests of means beside tests by rank")
    yield table(key_of("by-rank", each.name), caption, columns, rows, notes)
    if each.assumptions is not None:
        yield Paragraph(each.assumptions.sentence)


def _written_f(effect: Effect) -> str:
    if not effect.defined:
        return DASH
    return f"F({effect.df:,}, {effect.error_df:,}) = {amount(effect.f)}"


def _rank_row(test: RankTest) -> tuple[str, ...]:
    whole = {"judges": "judges who rated every system", "sources": "sources of every system"}
    within = f" within {test.n_blocks:,} {whole[test.blocks]}" if test.blocks else ""
    known = math.isfinite(test.statistic)
    statistic = f"χ²({test.df:,}) = {amount(test.statistic)}" if known else DASH
    return (f"{test.name}{within}", statistic, marked(test.p), *_counted(test.comparisons))


def _counted(found: Comparisons | None) -> tuple[str, str]:
    if found is None:
        return DASH, DASH
    return found.procedure, f"{found.n_significant:,} of {found.n_pairs:,}"
