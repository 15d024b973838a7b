"""Whether the systems differ, and how sure their order is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.systems import (
    CriterionSystems,
    OrdinalSystems,
    RankProbabilities,
    RankTest,
    SystemPair,
    Systems,
)
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    omission_note,
)
from covary.reports.charts import before_and_after, chances
from covary.reports.formatting import DASH, amount, coefficient, count, p_value, percent
from covary.reports.systems.means import (
    criterion_table,
    decimals_of,
    on_criterion,
    pair_count_sentence,
    title_for,
    write_range,
)
from covary.reports.systems.plots import label_heights, rank_chances, slopes
from covary.stats.models.anova import Effect
from covary.stats.models.mixed import MixedModel
from covary.stats.posthoc import Comparisons
from covary.stats.posthoc.comparisons import stars
from covary.words import capital, counted, listing

MOST_RANKED = 20
"""Systems up to which the probability of every rank is drawn."""

MOST_LINES = 15
"""Systems up to which each gets a line from before to after."""


def variance_section(result: Systems) -> Section:
    """Say how much of the ratings depends on the system, the judge and the source."""
    about = (
        "As papers print it, each factor has an analysis of variance of its own, in which "
        "everything else counts as error. As the study was designed, all factors stand in one "
        "model, so that what judges and sources explain is no longer error. Stars mark p up to "
        ".05 (*) and .01 (**)."
    )
    blocks: list[Block] = [Paragraph(about)]
    for one in result.criteria:
        blocks.append(_variance_table(one))
        if one.mixed is not None:
            blocks.append(_mixed_table(one, one.mixed))
    return Section("variance", "What do the ratings depend on?", tuple(blocks))


def _variance_table(one: CriterionSystems) -> Table:
    together = {effect.name: effect for effect in one.additive.effects}
    undefined = [effect for effect in one.additive.effects if effect.reason]
    return criterion_table(
        one,
        ("variance", "analysis of variance"),
        columns(
            "<factor | F, alone | p | eta² | omega² | F, one model | p | eta² | omega² | "
            "partial eta²"
        ),
        [_variance_row(alone, together.get(alone.name)) for alone in one.one_way],
        notes=[
            f"One model: {one.additive.method}.",
            *(f"{DASH} {effect.name}: {effect.reason}." for effect in undefined),
            *(f"{note}." for note in one.additive.notes),
        ],
    )


def _variance_row(alone: Effect, together: Effect | None) -> tuple[str, ...]:
    cells = (alone.name, *_effect_cells(alone))
    if together is None:
        return (*cells, *(DASH,) * 5)
    return (*cells, *_effect_cells(together), coefficient(together.partial_eta_squared))


def _effect_cells(effect: Effect) -> tuple[str, ...]:
    """F with its degrees of freedom, p with its stars, and both shares."""
    f = f"{amount(effect.f)} ({effect.df:,}, {effect.error_df:,})" if effect.defined else DASH
    shares = (coefficient(share) for share in (effect.eta_squared, effect.omega_squared))
    return (f, p_with_stars(effect.p), *shares)


def p_with_stars(p: float) -> str:
    """Write a p-value with its stars."""
    return f"{p_value(p)} {stars(p)}".strip()


def _mixed_f(mixed: MixedModel) -> str:
    """F of the systems with its degrees of freedom."""
    if not math.isfinite(mixed.f):
        return DASH
    return f"F({amount(mixed.f_df[0], 0)}, {amount(mixed.f_df[1], 1)}) = {amount(mixed.f)}"


def _mixed_table(one: CriterionSystems, mixed: MixedModel) -> Table:
    """Write the mixed model: F of the systems, and where the rest comes from."""
    f = f"no F: {mixed.reason}"
    if math.isfinite(mixed.f):
        f = f"{_mixed_f(mixed)}, p = {p_with_stars(mixed.p)}"
    return criterion_table(
        one,
        ("mixed", "variance components of the mixed model"),
        columns("<between | variance"),
        [(name, amount(value, 3)) for name, value in mixed.components.items()],
        notes=[
            f"{capital(mixed.method)}. Systems: {f}.",
            *(f"{capital(note)}." for note in mixed.notes),
        ],
    )


def pairs_section(result: Systems) -> Section:
    """List all pairs of systems with their differences, p-values and sizes."""
    blocks = [block for one in result.criteria for block in _pair_blocks(one)]
    return Section("pairs", "Which systems differ?", tuple(blocks))


def _pair_blocks(one: CriterionSystems) -> Iterator[Block]:
    if one.significance is None:
        yield Paragraph(on_criterion(one, "There are too many systems to compare pairs."))
        return
    yield Paragraph(on_criterion(one, pair_count_sentence(one)))
    if one.pairs:
        yield _pairs_table(one)
        return
    unlisted = f"the {one.n_pairs:,} pairs are not listed one by one."
    yield Paragraph(f"With {len(one.systems):,} systems, {unlisted}", "note")


def _pairs_table(one: CriterionSystems) -> Table:
    assert one.comparisons is not None
    names = {str(score.system): score.name for score in one.systems}
    shown = sorted(one.pairs, key=_by_p)[:MOST_ROWS]
    confidence = f"{100 * (1 - one.comparisons.alpha):g}% simultaneous"
    omitted = (
        f"The {len(shown)} pairs with the smallest p of {len(one.pairs):,}; all are in the JSON "
        "form of this report."
    )
    return criterion_table(
        one,
        ("pairs", "pairs of systems"),
        columns(f"<first | <second | difference | {confidence} | p, adjusted | d | Cliff's delta"),
        [_pair_row(pair, names, decimals_of(one)) for pair in one.pairs if pair in shown],
        notes=[
            f"The difference is that of the {one.compared}, the first system's less the second's.",
            "d is the difference in standard deviations of a rating of one system in the model; "
            "Cliff's delta how much more often the first is rated higher than lower, across all "
            "judges. Stars mark p up to .05 (*) and .01 (**).",
            omitted if len(one.pairs) > len(shown) else "",
        ],
    )


def _by_p(pair: SystemPair) -> float:
    return math.inf if math.isnan(pair.p_adjusted) else pair.p_adjusted


def _pair_row(pair: SystemPair, names: dict[str, str], places: int) -> tuple[str, ...]:
    ends = f"[{amount(pair.low, places)}, {amount(pair.high, places)}]"
    return (
        names[str(pair.first)],
        names[str(pair.second)],
        amount(pair.difference, places),
        ends if math.isfinite(pair.low) else DASH,
        p_with_stars(pair.p_adjusted),
        amount(pair.standardised),
        coefficient(pair.cliffs_delta),
    )


def rank_tests_section(result: Systems) -> Section | None:
    """Put tests of means and tests by rank side by side, with what the former take for granted."""
    blocks = [block for one in result.criteria if one.rank_tests for block in _side_by_side(one)]
    if not blocks:
        return None
    about = (
        "Tests of means assume equal steps between ratings and normal residuals; tests by rank "
        "use only which rating is higher. Where both say the same, the choice does not matter; "
        "where Friedman's test differs, trust the means only if the steps of the scale are equal. "
        "Kruskal & Wallis' test takes every rating as independent: where texts have several "
        "ratings, it finds differences too easily."
    )
    return Section("by-rank", "Would tests by rank say the same?", (Paragraph(about), *blocks))


def _side_by_side(one: CriterionSystems) -> Iterator[Block]:
    means = _means_row(one)
    yield criterion_table(
        one,
        ("by-rank", "tests of means beside tests by rank"),
        columns("<test of all systems | statistic | p | <pairs by | significant pairs"),
        [(*means, *_pair_cells(one.comparisons)), *(_rank_row(test) for test in one.rank_tests)],
        notes=[*(f"{DASH} {test.name}: {test.reason}." for test in one.rank_tests if test.reason)],
    )
    if one.assumptions is not None:
        yield Paragraph(one.assumptions.sentence)


def _means_row(one: CriterionSystems) -> tuple[str, str, str]:
    """The test of all systems by the model whose error the pairs are compared with."""
    if one.mixed is not None and one.error in ("mixed", "ordinal"):
        return "mixed model", _mixed_f(one.mixed), p_with_stars(one.mixed.p)
    system = one.additive.effect("system")
    f = f"F({system.df:,}, {system.error_df:,}) = {amount(system.f)}" if system.defined else DASH
    return "analysis of variance, one model", f, p_with_stars(system.p)


def _rank_row(test: RankTest) -> tuple[str, ...]:
    whole = {"judges": "judges who rated every system", "sources": "sources of every system"}
    within = f" within {test.n_blocks:,} {whole[test.blocks]}" if test.blocks else ""
    statistic = f"χ²({test.df:,}) = {amount(test.statistic)}"
    known = math.isfinite(test.statistic)
    return (
        f"{test.name}{within}",
        statistic if known else DASH,
        p_with_stars(test.p),
        *_pair_cells(test.comparisons),
    )


def _pair_cells(comparisons: Comparisons | None) -> tuple[str, str]:
    if comparisons is None:
        return DASH, DASH
    return comparisons.procedure, f"{comparisons.n_significant:,} of {comparisons.n_pairs:,}"


def ranks_section(result: Systems) -> Section | None:
    """Show how probable each rank is for each system."""
    blocks = [
        _rank_block(one, one.deciding_ranks, result.confidence)
        for one in result.criteria
        if one.deciding_ranks is not None
    ]
    if not blocks:
        return None
    about = (
        "The probability that a system takes each rank in a study like this one. Judges and "
        "sources (items, where sources are not known) are drawn again, with replacement, and the "
        "systems ranked by their means each time; the severity of the drawn judges is removed "
        "where it moves the means."
    )
    return Section("ranks", "How certain is the order?", (Paragraph(about), *blocks))


def _rank_block(one: CriterionSystems, ranks: RankProbabilities, confidence: float) -> Block:
    shown = _rank_table(one, ranks, confidence)
    if ranks.probabilities is None or len(one.systems) > MOST_RANKED:
        return shown
    chance, first = max((ranks.best[one.place(score)], score.name) for score in one.systems)
    cells = [
        {"name": score.name, "rank": rank, "chance": chance, "text": _whole_percent(chance)}
        for score in one.systems
        for rank, chance in enumerate(ranks.probabilities[one.place(score)], 1)
    ]
    return Figure(
        key=key_of("ranks-picture", one.name),
        title=title_for(one, f"most likely to come first: {first} ({percent(chance)})"),
        description=(
            "A row for each system and a column for each rank, with the probability in percent: "
            "the stronger the colour, the more probable."
        ),
        spec=rank_chances(cells, [score.name for score in one.systems], len(one.systems)),
        table=shown,
        panels=(chances(cells, [score.name for score in one.systems], len(one.systems)),),
    )


def _whole_percent(chance: float) -> str:
    return "" if chance < 0.005 else f"{100 * chance:.0f}"


def _rank_table(one: CriterionSystems, ranks: RankProbabilities, confidence: float) -> Table:
    plain = one.ranks if ranks is one.adjusted_ranks else None
    rows = []
    for score in one.systems[:MOST_ROWS]:
        place = one.place(score)
        low, high = ranks.low[place], ranks.high[place]
        cells = (
            score.name,
            str(score.rank),
            percent(ranks.best[place]),
            amount(ranks.expected[place], 1),
            f"{low} to {high}" if low else DASH,
            DASH if plain is None else percent(plain.best[place]),
        )
        rows.append(cells)
    undefined = f"{count(ranks.undefined)} of them, in which a system was missing, left out."
    return criterion_table(
        one,
        ("ranks", "ranks"),
        columns(
            f"<system | rank | P(best) | expected rank | {interval_name(confidence)} of the rank | "
            "P(best) by plain means"
        ),
        rows,
        notes=[
            f"{counted(ranks.resamples, 'resample')} of {listing(ranks.drawn)}, seed {ranks.seed}.",
            omission_note(len(one.systems), "system"),
            undefined if ranks.undefined else "",
        ],
    )


def severity_section(result: Systems) -> Section:
    """Show the systems before and after the severity of judges is removed."""
    about = (
        "A lenient judge lifts the systems that he or she happened to rate. The model that "
        "compares the systems estimates how far each judge rates above or below the others on the "
        "same systems, and removes that."
    )
    blocks: list[Block] = [Paragraph(about)]
    for one in result.criteria:
        blocks.append(Paragraph(on_criterion(one, one.adjustment.sentence)))
        if one.moved:
            blocks += [_severity_block(one), _judges_table(one)]
    return Section("severity", "Does the order depend on who judged?", tuple(blocks))


def ordinal_section(result: Systems) -> Section | None:
    """Put plain means, means without severity and the ordinal model side by side."""
    blocks: list[Block] = []
    for one in result.criteria:
        if one.ordinal is not None:
            sentence = on_criterion(one, str(one.ordinal.verdict))
            blocks += [Paragraph(sentence), _ordinal_table(one, one.ordinal, result.confidence)]
            if one.ordinal.judges:
                blocks.append(_judge_fits_table(one, one.ordinal))
    if not blocks:
        return None
    about = (
        "The ordinal model (cumulative logits) uses only the order of the categories, not the "
        "distances between them. Its score is the mean rating that a system would get from a "
        "judge of "
        "average severity, over texts like these."
    )
    return Section("ordinal", "Do ordered categories say the same?", (Paragraph(about), *blocks))


def _ordinal_table(one: CriterionSystems, ordinal: OrdinalSystems, confidence: float) -> Table:
    places, rows = decimals_of(one), []
    for score in one.systems[:MOST_ROWS]:
        place = one.place(score)
        cells = (
            score.name,
            amount(score.mean, places),
            amount(score.adjusted, places),
            amount(ordinal.scores[place], places),
            write_range(ordinal.intervals[place], places),
            ordinal.letters[place] if ordinal.letters else DASH,
            percent(ordinal.probabilities[place][0]),
        )
        rows.append(cells)
    tested = ordinal.comparisons
    return criterion_table(
        one,
        ("ordinal", "plain means, means without severity, ordinal model"),
        columns(
            f"<system | mean | adjusted mean | ordinal score | {interval_name(confidence)} | "
            "<letters | P(best)"
        ),
        rows,
        notes=[
            f"{capital(ordinal.model.method)}. {tested.n_significant} of {tested.n_pairs} "
            f"differences are significant by {tested.procedure}.",
            f"Texts differ with a standard deviation of {amount(ordinal.model.item_sd)} logits.",
            omission_note(len(one.systems), "system"),
        ],
    )


def _judge_fits_table(one: CriterionSystems, ordinal: OrdinalSystems) -> Table:
    """List the judges from the strictest to the mildest."""
    fits = sorted(ordinal.judges.items(), key=lambda pair: -pair[1].severity)
    return criterion_table(
        one,
        ("judge-fits", "judges in the ordinal model"),
        columns("<judge | ratings | severity | standard error | discrimination | infit | outfit"),
        [
            (
                str(judge),
                count(fit.n_ratings),
                amount(fit.severity),
                amount(fit.standard_error),
                amount(fit.discrimination),
                amount(fit.infit),
                amount(fit.outfit),
            )
            for judge, fit in fits[:MOST_ROWS]
        ],
        notes=[
            "Severity in logits, above 0 for lower ratings; discrimination is 1 on average, lower "
            "for judges who tell texts apart less. Infit and outfit compare each rating with what "
            "the other ratings of the text lead one to expect: 1 is as expected, above 1 erratic, "
            "below 1 closer to the others than chance.",
            f"{DASH} The ratings do not determine discriminations."
            if any(math.isnan(fit.discrimination) for _, fit in fits)
            else "",
            omission_note(len(fits), "judge"),
        ],
    )


def _severity_block(one: CriterionSystems) -> Block:
    shown = _severity_table(one)
    if len(one.systems) > MOST_LINES:
        return shown
    changes = "changes" if one.adjustment.changed else "keeps"
    points, descending = list(_slope_points(one)), one.best == "low"
    return Figure(
        key=key_of("severity-picture", one.name),
        title=title_for(one, f"removing severity {changes} the order of the systems"),
        description=(
            "A line for each system from its mean rating to its mean without the severity of "
            "judges; better is higher."
        ),
        spec=slopes(points, len(one.systems), descending=descending),
        table=shown,
        panels=(before_and_after(points, descending=descending),),
    )


def _slope_points(one: CriterionSystems) -> Iterator[dict[str, Any]]:
    before = {score.name: score.mean for score in one.systems}
    after = {score.name: score.adjusted for score in one.systems}
    orders = [sorted(scores, key=scores.__getitem__) for scores in (before, after)]
    for when, scores in (("before", before), ("after", after)):
        heights = label_heights(scores)
        for score in one.systems:
            name, value = score.name, scores[score.name]
            moved = "keeps" if len({order.index(name) for order in orders}) == 1 else "changes"
            yield {
                "name": name,
                "when": when,
                "score": value,
                "label": f"{_cut(name)} {amount(value, decimals_of(one))}",
                "height": heights[name],
                "moved": f"{moved} its rank",
            }


def _cut(name: str) -> str:
    """Shorten a name that a picture has no room for."""
    return name if len(name) <= 17 else f"{name[:16]}…"


def _severity_table(one: CriterionSystems) -> Table:
    places = decimals_of(one)
    rows = [
        (
            score.name,
            amount(score.mean, places),
            str(score.rank),
            amount(score.adjusted, places),
            str(score.adjusted_rank),
            percent(score.best),
            percent(score.adjusted_best),
        )
        for score in one.systems[:MOST_ROWS]
    ]
    return criterion_table(
        one,
        ("severity", "systems before and after severity is removed"),
        columns(
            "<system | mean | rank | adjusted mean | adjusted rank | P(best) | adjusted P(best)"
        ),
        rows,
        notes=[omission_note(len(one.systems), "system")],
    )


def _judges_table(one: CriterionSystems) -> Table:
    """List the judges from the one who rates lowest to the one who rates highest."""
    severities = sorted(one.adjustment.severities.items(), key=lambda pair: pair[1])
    mild = "above 0 is more lenient" if one.best == "high" else "above 0 is stricter"
    return criterion_table(
        one,
        ("severities", "severity of judges"),
        columns("<judge | rates higher by"),
        [(str(judge), amount(value)) for judge, value in severities[:MOST_ROWS]],
        notes=[
            f"In points of the scale, beside the mean of all judges; {mild}.",
            omission_note(len(severities), "judge"),
        ],
    )
