"""What a report on rounds says: convergence, agreement, the use of the scale, systems, time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from covary.analysis.rounds import CriterionRounds, Fresh, Gap, RoundFound, Rounds, Share
from covary.report.contents import Block, Bullets, Figure, Paragraph, Section, Table
from covary.report.plots import small_bars
from covary.report.rounding import DASH, amount, coefficient, count, percent, with_interval
from covary.report.rounds.plots import alphas_by_round, convergence
from covary.report.tables import MOST_ROWS, Columns, key_of, left, level_of, limited, reasons, table
from covary.report.wording import counted, listing

__all__ = [
    "agreement_section",
    "answer_section",
    "convergence_section",
    "distributions_section",
    "gap_words",
    "normalised_words",
    "round_name",
    "systems_section",
]

MOST_CATEGORIES = 12


def answer_section(found: Rounds) -> Section:
    """Say in a sentence for each criterion what changed, and what it does not show."""
    blocks: list[Block] = [Paragraph(_answer(each), "verdict") for each in found.criteria]
    if found.history is not None and found.history.outcome:
        blocks.append(Paragraph(found.history.outcome))
    blocks.append(Paragraph(found.statement, "warning"))
    notes = [f"{each.name}: {note}" for each in found.criteria for note in each.notes]
    notes += list(found.notes)
    if notes:
        blocks.append(Bullets(tuple(notes)))
    return Section("answer", "Did the guidelines become better?", tuple(blocks))


def _answer(each: CriterionRounds) -> str:
    first, last = each.first, each.last
    if each.first is each.last:
        return (
            f"{each.name} – {first.differing:,} of {counted(first.n_items, 'item')} differ "
            f"significantly ({each.differs}); alpha is {with_interval(first.alpha)}."
        )
    told = (
        f"{each.name} – items that differ significantly ({each.differs}) went from "
        f"{first.differing:,} of {first.n_items:,} to {last.differing:,} of {last.n_items:,}"
    )
    gap = each.alpha_gap
    if gap is None or math.isnan(gap.value):
        return f"{told}; whether alpha changed cannot be said."
    way = "rose" if gap.low > 0 else "fell" if gap.high < 0 else "is not shown to have changed"
    return (
        f"{told}; alpha {way}, from {with_interval(first.alpha)} to {with_interval(last.alpha)} "
        f"(change {gap_words(gap)})."
    )


def round_name(label: Any) -> str:
    """Name a round in a picture: a number alone says little."""
    return f"round {label}" if isinstance(label, int) else str(label)


def gap_words(gap: Gap | None) -> str:
    """Write a change with its sign and its interval."""
    if gap is None or math.isnan(gap.value):
        return DASH
    return f"{_signed(gap.value)} [{_signed(gap.low)}, {_signed(gap.high)}]"


def normalised_words(fresh: Fresh) -> str:
    """Write a cross-replication reliability as a share of what the noise of both groups allows."""
    found = {} if fresh.xrr is None else fresh.xrr.details
    value = found.get("normalised", math.nan)
    if math.isnan(value):
        return DASH
    low, high = found.get("normalised_low", math.nan), found.get("normalised_high", math.nan)
    ends = "" if math.isnan(low + high) else f" [{coefficient(low)}, {coefficient(high)}]"
    return f"{coefficient(value)}{ends}"


def _signed(value: float) -> str:
    written = coefficient(value)
    return written if value < 0 or written == DASH else f"+{written}"


def convergence_section(found: Rounds) -> Section:
    """Draw and list how many items differ significantly from round to round."""
    labels = [str(label) for label in found.labels]
    points = [_point(each, one) for each in found.criteria for one in each.rounds if one.n_items]
    whole = [
        (str(label), count(differing), count(n), percent(differing / n) if n else DASH)
        for label, differing, n in found.curve
    ]
    rows = [
        (each.name, str(one.round), each.differs, count(one.differing), count(one.n_items),
         _outside(one.within))
        for each in found.criteria for one in each.rounds
    ]  # fmt: skip
    columns: Columns = [
        left("criterion"),
        left("round"),
        left("differs when"),
        "items that differ",
        "items",
        f"share, {level_of(found.confidence)}",
    ]
    listed = table("differences", "significant differences", columns, rows[:MOST_ROWS],
                   limited(len(rows)))  # fmt: skip
    first, last = found.curve[0], found.curve[-1]
    see = f"{first[1]:,} items differ in round {first[0]}, {last[1]:,} in round {last[0]}"
    blocks: list[Block] = [
        Figure(
            "convergence-picture",
            see,
            "A line for each criterion: the share of items on which judges differ significantly, "
            "from round to round, with Wilson's interval.",
            convergence(points, labels, [each.name for each in found.criteria]),
            listed,
        )
    ]
    if len(found.criteria) > 1:
        heads: Columns = [left("round"), "items that differ", "items times criteria", "share"]
        blocks.append(table("curve", "all criteria together", heads, whole))
    return Section("convergence", "Do the judges converge?", tuple(blocks))


def _point(each: CriterionRounds, one: RoundFound) -> dict[str, Any]:
    within = one.within
    return {
        "round": str(one.round), "name": each.name, "share": 1 - within.value,
        "low": 1 - within.high, "high": 1 - within.low,
    }  # fmt: skip


def _outside(within: Share) -> str:
    if math.isnan(within.value):
        return DASH
    ends = f"[{percent(1 - within.high)}, {percent(1 - within.low)}]"
    return f"{percent(1 - within.value)} {ends}"


def agreement_section(found: Rounds) -> Section:
    """Draw alpha in each round, and list it with the shares within the threshold."""
    drawn = [
        _drawn(each.name, one)
        for each in found.criteria
        for one in each.rounds
        if one.alpha.defined
    ]
    names, labels = [each.name for each in found.criteria], [*map(round_name, found.labels)]
    picture = Figure(
        "alpha-picture",
        _see(found),
        "For each criterion a point for alpha in each round, with its interval.",
        alphas_by_round(drawn, names, labels),
        _agreement_table(found),
    )
    blocks: tuple[Block, ...] = (picture, *_changes(found))
    return Section("agreement", "Do the judges agree more?", blocks)


def _agreement_table(found: Rounds) -> Table:
    rows = [
        (each.name, str(one.round), count(one.n_items), percent(one.within.value),
         with_interval(one.pairs), with_interval(one.alpha), str(one.alpha.level))
        for each in found.criteria for one in each.rounds
    ]  # fmt: skip
    columns: Columns = [
        left("criterion"), left("round"), "items", "items within", "pairs within", "alpha",
        left("level"),
    ]  # fmt: skip
    why = reasons((f"{each.name}, round {one.round}", one.alpha)
                  for each in found.criteria for one in each.rounds)  # fmt: skip
    note = f"In brackets: {level_of(found.confidence)}. {why} {limited(len(rows))}".strip()
    return table("agreement", "agreement in each round", columns, rows[:MOST_ROWS], note)


def _changes(found: Rounds) -> Iterator[Table]:
    rows = [
        (each.name, *map(gap_words, (each.alpha_gap, each.within_gap, each.pairs_gap)))
        for each in found.criteria
        if each.alpha_gap is not None
    ]
    if rows:
        heads: Columns = [left("criterion"), "alpha", "items within", "pairs within"]
        yield table("changes", "change from the first round to the last", heads, rows)


def _see(found: Rounds) -> str:
    known = [each for each in found.criteria if each.alpha_gap is not None]
    if not known:
        return "Alpha on each criterion"
    risen = [each for each in known if each.alpha_gap is not None and each.alpha_gap.low > 0]
    return f"Alpha rose on {len(risen)} of {counted(len(known), 'criterion', 'criteria')}"


def _drawn(name: str, one: RoundFound) -> dict[str, Any]:
    row = {"name": name, "round": round_name(one.round), "value": one.alpha.value}
    limits = one.alpha.interval
    if limits is not None and math.isfinite(limits.low) and math.isfinite(limits.high):
        row |= {"low": limits.low, "high": limits.high}
    return row


def distributions_section(found: Rounds) -> Section | None:
    """Show how the scale was used, so that nobody agrees by always rating at one point."""
    figures = [figure for each in found.criteria for figure in _distribution(each)]
    if not figures:
        return None
    about = (
        "Judges agree cheaply when they always rate at the same point of the scale. The bars show "
        "all judges together; the table shows each."
    )
    return Section("distributions", "How was the scale used?", (Paragraph(about), *figures))


def _distribution(each: CriterionRounds) -> Iterator[Figure]:
    known = [one for one in each.rounds if one.counts is not None]
    if not known or max(len(one.scale.categories or ()) for one in known) > MOST_CATEGORIES:
        return
    names = list(dict.fromkeys(str(c) for one in known for c in one.scale.categories or ()))
    bars = [
        {"judge": round_name(one.round), "category": name, "share": share, "text": percent(share)}
        for one in known
        for name, share in zip(names, _shares(_counts(one, names)), strict=True)
    ]
    rows = [
        (str(one.round), who, *(count(n) for n in counts))
        for one in known
        for who, counts in [("all judges", _counts(one, names)), *_judges(one, names)]
    ]
    columns: Columns = [left("round"), left("judge"), *names]
    yield Figure(
        key_of("distribution-picture", each.name),
        f"{each.name}: {_most_used(known)}",
        "Bars for each round: the share of each rating, all judges together.",
        small_bars(bars, [round_name(one.round) for one in known], names, "rating"),
        table(key_of("distribution", each.name), f"{each.name}: ratings", columns,
              rows[:MOST_ROWS], limited(len(rows))),
    )  # fmt: skip


def _most_used(known: Sequence[RoundFound]) -> str:
    told = [f"{percent(one.commonest)} in round {one.round}" for one in known]
    return f"the rating used most has {listing(told)}"


def _counts(
    one: RoundFound, names: Sequence[str], counts: Sequence[int] | None = None
) -> list[int]:
    own = [str(category) for category in one.scale.categories or ()]
    found = dict(zip(own, one.counts or () if counts is None else counts, strict=True))
    return [found.get(name, 0) for name in names]


def _judges(one: RoundFound, names: Sequence[str]) -> list[tuple[str, list[int]]]:
    return [(str(judge), _counts(one, names, counts)) for judge, counts in one.by_judge]


def _shares(counts: Sequence[int]) -> list[float]:
    return [n / max(sum(counts), 1) for n in counts]


def systems_section(found: Rounds) -> Section | None:
    """Say whether the order of the systems changed."""
    known = [each for each in found.criteria if each.systems is not None]
    if not known:
        return None
    rows, said = [], []
    for each in known:
        assert each.systems is not None
        said.append(f"{each.name}: {each.systems.sentence}")
        after = {name: (place, mean) for place, (name, mean) in enumerate(each.systems.after, 1)}
        for place, (name, mean) in enumerate(each.systems.before, 1):
            rank, later = after.get(name, (None, math.nan))
            rows.append((each.name, str(name), str(place), amount(mean),
                         DASH if rank is None else str(rank), amount(later)))  # fmt: skip
    columns: Columns = [
        left("criterion"),
        left("system"),
        "rank before",
        "mean before",
        "rank after",
        "mean after",
    ]
    about = (
        "Systems by their mean ratings, in the first round and in the last. How sure an order is, "
        "the command covary systems says."
    )
    listed = table("systems", "systems before and after", columns, rows[:MOST_ROWS],
                   limited(len(rows)))  # fmt: skip
    return Section("systems", "Did the order of the systems change?",
                   (Paragraph(about), Bullets(tuple(said)), listed))  # fmt: skip
