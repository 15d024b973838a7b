"""Who is best, and how each system was rated: means, intervals, letters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from covary.analysis.systems import (
    CriterionSystems,
    Range,
    Systems,
    SystemScore,
    brief_systems,
)
from covary.analysis.systems.pairs import MOST_LETTERED
from covary.errors import CovaryError, RatingsError
from covary.ratings import Ratings
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Columns,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    left,
    omission_note,
    table,
    without_empty,
)
from covary.reports.charts import estimates
from covary.reports.drawings import scale_use
from covary.reports.formatting import DASH, amount, count, heading, percent
from covary.reports.plots import small_bars
from covary.reports.systems.plots import AUTHORS, means_with_intervals
from covary.stats.estimate import plain
from covary.stats.steps import step_notes
from covary.words import counted, listing, word

MOST_NAMED = 4
"""Systems that a sentence names before it counts the others."""

MOST_DRAWN = 30
"""Systems up to which all are drawn; of more, the best."""

ONE_TEXT = "systems.one-text"
"""The note that what is said of a system is said of one text."""

UNRANKED = ("systems.nothing-to-draw", "systems.ranks-unconnected", "systems.ranks-thin")
"""The notes that say why no rank has a probability."""

NO_ORDINAL = (
    "systems.ordinal-not-fitted",
    "systems.ordinal-large",
    "systems.ordinal-many-judges",
)
"""The notes that say why there is no ordinal model beside the means."""

MOST_BARS = 8
"""Systems up to which bars show how the scale was used."""

MOST_CATEGORIES = 12
"""Categories up to which the ratings of each system are counted one by one."""


def title_for(one: CriterionSystems, text: str) -> str:
    """Put a criterion's name before a title, where it has one."""
    return heading(None if one.criterion is None else one.name, text)


def on_criterion(one: CriterionSystems, sentence: str) -> str:
    """Say what criterion a sentence is about, where it has a name."""
    return sentence if one.criterion is None else f"On {one.name}, {_uncapitalise(sentence)}"


def _uncapitalise(text: str) -> str:
    return text[:1].lower() + text[1:]


def decimals_of(one: CriterionSystems) -> int:
    """How many decimals a mean on this scale deserves."""
    wide = one.scale.categories is None and one.scale.high - one.scale.low > 20
    return 1 if wide else 2


def write_range(limits: Range, places: int) -> str:
    """Write both ends of an interval of a mean."""
    if math.isnan(limits.low):
        return DASH
    return f"[{amount(limits.low, places)}, {amount(limits.high, places)}]"


def criterion_table(
    one: CriterionSystems,
    name: tuple[str, str],
    heads: Columns,
    rows: Iterable[Sequence[str]],
    *,
    notes: Iterable[str] = (),
) -> Table:
    """Build a table of one criterion; `name` is its key and its caption."""
    key, caption = name
    note = " ".join(note for note in notes if note)
    whole = table(key_of(key, one.name), title_for(one, caption), heads, rows, note=note)
    return without_empty(whole)


def answer_section(result: Systems) -> Section:
    """Say for each criterion who is best, in a sentence, and what to beware of."""
    blocks: list[Block] = [_answer(one) for one in result.criteria]
    blocks += [
        Paragraph(on_criterion(one, one.adjustment.sentence), "warning")
        for one in result.criteria
        if one.adjustment.changed
    ]
    blocks += [Paragraph(line, "warning") for line in left_out_lines(result)]
    notes = tuple(_notes(result))
    if notes:
        blocks.append(Bullets(notes))
    return Section("answer", "Which system is better?", tuple(blocks))


def left_out_lines(result: Systems) -> list[str]:
    """Say of each criterion that is left out why it is not compared."""
    return [f"{criterion} is not compared: {reason}." for criterion, reason in result.left_out]


def _answer(one: CriterionSystems) -> Paragraph:
    """Name the best system, then what speaks for it."""
    first, several = one.leaders, len(one.leaders) > 1
    values = listing([amount(score.estimate, decimals_of(one)) for score in first])
    nouns = {"means": "mean", "adjusted means": "adjusted mean", "mean ranks": "mean rank"}
    noun = nouns.get(one.compared, "score in the ordinal model")
    head = f"{listing([score.name for score in first])} {'share' if several else 'has'}"
    head = head if one.criterion is None else f"{one.name} – {head}"  # names keep a small letter
    head += f" the best {noun} ({values}; {one.best}er is better)."
    said = [*([] if several else _lead(one, first[0])), apart_sentence(one)]
    return Paragraph(" ".join(part for part in said if part), "verdict", head=head)


def _lead(one: CriterionSystems, leader: SystemScore) -> Iterator[str]:
    """Say which systems the leader is shown to beat, and how probable it is that it comes first."""
    beaten = one.beaten(leader)
    if beaten is not None:
        better, open_ = (_few(names) for names in beaten)
        kind = "all" if not open_ else "some" if better else "none"
        yield word(f"systems.best-of-{kind}", {"better": better, "open": open_})
    chance, ranks = one.first_chance(leader), one.deciding_ranks
    if math.isnan(chance):
        return
    if one.ordinal is not None and one.ordinal.decides:
        yield word("systems.first-by-model", {"chance": percent(chance)})
    elif ranks is not None:
        facts = {"drawn": ranks.drawn, "chance": percent(chance)}
        yield word("systems.first-chance", facts)


def _few(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    if len(names) <= MOST_NAMED + 1:
        return list(names)
    return [*names[:MOST_NAMED], counted(len(names) - MOST_NAMED, "more system")]


def apart_sentence(one: CriterionSystems) -> str:
    """Say in short how many pairs of systems differ significantly."""
    tested = one.significance
    if tested is None or not one.testable or tested.n_pairs == 1:
        return _untestable(one)
    facts = {"apart": tested.n_significant, "pairs": tested.n_pairs, "alpha": tested.alpha}
    return word("systems.pairs-apart", facts) + _untested(one)


def pair_sentence(one: CriterionSystems) -> str:
    """Say whether the only two systems differ significantly."""
    tested = one.significance
    if tested is None or not one.testable or tested.n_pairs != 1:
        return ""
    return word("systems.pair-apart", {"apart": tested.n_significant, "alpha": tested.alpha})


def _untestable(one: CriterionSystems) -> str:
    """Say why no pair of systems can be tested, where none can."""
    if one.comparisons is None or one.testable:
        return ""
    why = "; ".join(one.comparisons.notes) or "p is undefined"
    return f"No pair of systems can be tested: {why}."


def pair_count_sentence(one: CriterionSystems) -> str:
    """Say how many pairs of systems differ significantly, by which procedure."""
    tested = one.significance
    if tested is None or not one.testable:
        return _untestable(one)
    pairs = "difference is" if tested.n_pairs == 1 else "differences are"
    return (
        f"{tested.n_significant:,} of {tested.n_pairs:,} {pairs} significant at {tested.alpha:g} "
        f"by {tested.procedure}. The error is that of the {tested.error}.{_untested(one)}"
    )


def _untested(one: CriterionSystems) -> str:
    """Say why some pairs have no test, and that means then have neither letters nor intervals."""
    tested = one.comparisons
    notes = () if tested is None or tested is not one.significance else tested.notes
    said = [note for note in notes if getattr(note, "code", "") == "stats.pairs-unlinked"]
    return "".join(f" {note}, so there are no letters and no intervals." for note in said)


def _notes(result: Systems) -> Iterator[str]:
    """Every note once, with the criteria that it is about where there are several."""
    about: dict[str, list[str]] = {}
    for one in result.criteria:
        for note in one.notes:
            about.setdefault(note, []).append(one.name)
    for note, names in about.items():
        everywhere = len(names) == len(result.criteria)
        yield note if everywhere else f"{listing(names)}: {_uncapitalise(note)}"


def means_section(result: Systems) -> Section:
    """Draw and list the mean of each system with its intervals and letters."""
    about = (
        "A system's mean rating, with two intervals: the first from the error of the model that "
        "compares the systems, without what shifts all of them alike; the second for other judges "
        "and other sources (or items), which may be stricter or harder overall. Systems that "
        "share a letter do not differ significantly."
    )
    figures = [means_figure(one, result.confidence) for one in result.criteria]
    return Section("means", "Means", (Paragraph(about), *figures))


def means_figure(one: CriterionSystems, confidence: float) -> Figure:
    """Draw the mean of every system with its two intervals."""
    shown, places = one.systems[:MOST_DRAWN], decimals_of(one)
    first, last = one.systems[0], one.systems[-1]
    description = [
        f"A point for each system's {_point_name(one)}, the best on top; a thick line for its "
        f"{interval_name(confidence)}, a thin one for that with other judges and sources. At the "
        "right the letters."
    ]
    if one.best == "low":
        description.append("Low ratings are best, so the axis runs from high to low.")
    if len(shown) < len(one.systems):
        description.append(f"The best {len(shown)} of {count(len(one.systems))} systems.")
    title = (
        f"rated best: {first.name} ({amount(first.estimate, places)}); worst: {last.name} "
        f"({amount(last.estimate, places)})"
    )
    humans = any(score.human for score in shown)
    points = [_mean_point(score) | {"text": _numbers(score, places, confidence)} for score in shown]
    drawn = estimates(
        [
            row | {"mark": row["letters"]} | ({"series": row["author"]} if humans else {})
            for row in points
        ],
        [score.name for score in shown],
        axis=_point_name(one),
        series=AUTHORS if humans else (),
        descending=one.best == "low",
    )
    return Figure(
        key=key_of("means-picture", one.name),
        title=title_for(one, title),
        description=" ".join(description),
        spec=means_with_intervals(
            [_mean_point(score) for score in shown],
            [score.name for score in shown],
            _point_name(one),
            humans=humans,
            descending=one.best == "low",
        ),
        table=_means_table(one, confidence),
        panels=(drawn,),
    )


def _numbers(score: SystemScore, places: int, confidence: float) -> str:
    """The numbers of a system, as a pointer shows them."""
    parts = [amount(score.estimate, places)]
    if not math.isnan(score.interval.low):
        parts.append(f"{interval_name(confidence)} {write_range(score.interval, places)}")
    if not math.isnan(score.wide.low):
        parts.append(f"with other judges and sources {write_range(score.wide, places)}")
    return "; ".join(parts)


def _point_name(one: CriterionSystems) -> str:
    return "mean rating" if one.compared == "means" else one.compared


def _mean_point(score: SystemScore) -> dict[str, Any]:
    author = "human author" if score.human else "system"
    row = {"name": score.name, "value": score.estimate, "letters": score.letters, "author": author}
    for kind, limits in (("", score.interval), ("wide_", score.wide)):
        if not math.isnan(limits.low):
            row |= {f"{kind}low": limits.low, f"{kind}high": limits.high}
    return row


def _means_table(one: CriterionSystems, confidence: float) -> Table:
    """List the systems from the best to the worst."""
    ordinal, same = one.error == "ordinal", one.compared == "means" and one.means == "ratings"
    compared = "ordinal score" if ordinal else one.compared.removesuffix("s")
    notes = {
        omission_note(len(one.systems), "system"): True,
        "Sources are not known, so items take their place.": one.n_sources == 0,
        "Low ratings are best.": one.best == "low",
        f"The letters and the order compare {one.compared}.": one.compared != "means",
        "A mean is the mean of the means of a system's items.": one.means == "items",
        "There are too many systems for letters.": len(one.systems) > MOST_LETTERED,
    }
    return criterion_table(
        one,
        ("means", "systems"),
        columns(
            f"<system | rank | ratings | items | mean | {compared} | {interval_name(confidence)} | "
            "other judges, sources | <letters | P(best) | median | SD"
        ),
        [
            _means_row(score, decimals_of(one), one.first_chance(score), same=same)
            for score in one.systems[:MOST_ROWS]
        ],
        notes=[*(note for note, holds in notes.items() if holds)],
    )


def _means_row(score: SystemScore, places: int, chance: float, *, same: bool) -> tuple[str, ...]:
    return (
        score.name,
        str(score.rank),
        count(score.n_ratings),
        count(score.n_items),
        amount(score.mean, places),
        DASH if same else amount(score.estimate, places),
        write_range(score.interval, places),
        write_range(score.wide, places),
        score.letters or DASH,
        percent(chance),
        amount(score.median, places),
        amount(score.deviation, places),
    )


def distributions_section(result: Systems) -> Section | None:
    """Show how the ratings of each system spread over the scale."""
    blocks = [block for one in result.criteria for block in _distribution(one)]
    return Section("distributions", "Distributions", tuple(blocks)) if blocks else None


def _distribution(one: CriterionSystems) -> Iterator[Block]:
    if one.scale.categories is None or len(one.scale.categories) > MOST_CATEGORIES:
        return
    names = [str(category) for category in one.scale.categories]
    counts = table(
        key_of("distribution", one.name),
        title_for(one, "ratings of each system"),
        [left("system"), *names, "median", "quartiles"],
        [_distribution_row(score, decimals_of(one)) for score in one.systems[:MOST_ROWS]],
        note=omission_note(len(one.systems), "system"),
    )
    if len(one.systems) > MOST_BARS:
        yield counts
        return
    bars = [
        {"judge": score.name, "category": name, "share": share, "text": percent(share)}
        for score in one.systems
        for name, share in zip(names, score.shares, strict=True)
    ]
    order = [score.name for score in one.systems]
    yield Figure(
        key=key_of("distribution-picture", one.name),
        title=title_for(one, f"ratings of {listing(order)}"),
        description="Bars for each system: the share of each rating.",
        spec=small_bars(bars, order, names, "rating"),
        table=counts,
        panels=(replace(scale_use("", bars, order, names), narrow=False),),
    )


def _distribution_row(score: SystemScore, places: int) -> tuple[str, ...]:
    pairs = zip(score.counts or (), score.shares, strict=True)
    cells = [f"{count(number)} ({percent(share)})" for number, share in pairs]
    low, high = (amount(quartile, places) for quartile in score.quartiles)
    return (score.name, *cells, amount(score.median, places), f"{low} to {high}")


def brief_comparison(ratings: Ratings, confidence: float) -> tuple[Systems | None, str]:
    """Compare the systems for a reliability report, or say why they cannot be.

    There is neither a comparison nor a reason where there is nothing to compare: fewer than two
    systems, preferences, which the report counts, or names, which have no means.
    """
    if len(ratings.values("system")) < 2 or step_notes(ratings):  # steps have means of their own
        return None, ""
    try:
        return brief_systems(ratings, confidence=confidence), ""
    except RatingsError as fault:
        return None, str(fault)
    except CovaryError:
        return None, ""


def brief_section(result: Systems | None, reason: str = "") -> Section | None:
    """List means and letters, count the differences, and say what severity does to the order."""
    if result is None and reason:
        why = Paragraph(f"The systems are not compared: {reason}.", "warning")
        return Section("systems", "Which system is better?", (why,))
    if result is None:
        return None
    about = (
        "Mean ratings of the systems, the best first. Systems that share a letter do not differ "
        "significantly. The command covary systems shows how certain the order is, what it "
        "depends on, and how large the differences are."
    )
    rows = [_brief_row(one, score) for one in result.criteria for score in one.systems]
    adjusted = (
        "The adjusted mean is what judges of average severity would give; where it is missing, "
        "severity cannot be estimated or does not move the means."
    )
    interval = interval_name(result.confidence)
    heads = f"<criterion | <system | ratings | mean | adjusted mean | {interval} | <letters"
    shown = table(
        "systems",
        "systems, the best first",
        columns(heads),
        rows[:MOST_ROWS],
        note=f"{adjusted} {omission_note(len(rows))}".strip(),
    )
    sentences = tuple(_brief_sentence(one) for one in result.criteria)
    left_out = [Paragraph(line, "warning") for line in left_out_lines(result)]
    blocks: list[Block] = [Paragraph(about), without_empty(shown), Bullets(sentences), *left_out]
    return Section("systems", "Which system is better?", tuple(blocks))


def _brief_row(one: CriterionSystems, score: SystemScore) -> tuple[str, ...]:
    places = decimals_of(one)
    return (
        DASH if one.criterion is None else one.name,
        score.name,
        count(score.n_ratings),
        amount(score.mean, places),
        amount(score.adjusted, places) if one.moved else DASH,
        write_range(score.interval, places),
        score.letters or DASH,
    )


def _brief_sentence(one: CriterionSystems) -> str:
    changed = one.adjustment.sentence if one.adjustment.changed else ""
    leaders = one.leaders
    alone = len(leaders) == 1
    lead = [f"{leaders[0].name} is rated best.", *_lead(one, leaders[0])] if alone else []
    said = [*lead, apart_sentence(one), changed, *notes_coded(one, ONE_TEXT)]
    return on_criterion(one, " ".join(part for part in said if part))


def notes_coded(one: CriterionSystems, *codes: str) -> list[str]:
    """The notes on a criterion that have one of some codes."""
    return [note for note in one.notes if getattr(note, "code", "") in codes]


def brief_dict(result: Systems) -> list[dict[str, Any]]:
    """Return the section as plain values, not rounded."""
    return [_brief_criterion(one) for one in result.criteria]


def _brief_criterion(one: CriterionSystems) -> dict[str, Any]:
    tested = one.significance
    names = ("procedure", "error", "n_significant")
    return {
        "criterion": one.criterion,
        "best": one.best,
        **{name: None if tested is None else getattr(tested, name) for name in names},
        "n_pairs": one.n_pairs,
        "order_changed_by_severity": one.adjustment.changed,
        "systems": [_brief_values(score) for score in one.systems],
    }


def _brief_values(score: SystemScore) -> dict[str, Any]:
    names = ("system", "n_ratings", "rank", "letters")
    means = {
        "mean": score.mean,
        "low": score.interval.low,
        "high": score.interval.high,
        "adjusted": score.adjusted,
    }
    return {name: getattr(score, name) for name in names} | dict(plain(means))
