"""What a report on rounds says: convergence, agreement, the use of the scale, systems, the work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from covary.analysis.rounds import (
    CriterionRounds,
    FreshGroup,
    Gap,
    History,
    ItemShare,
    RoundResult,
    Rounds,
    RoundTime,
)
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Bullets,
    Column,
    Columns,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    omission_note,
    reasons,
    table,
)
from covary.reports.charts import LineAxes, estimates, lines
from covary.reports.drawings import Panel, scale_use
from covary.reports.formatting import (
    DASH,
    amount,
    coefficient,
    count,
    counted,
    listing,
    percent,
    with_interval,
)
from covary.reports.plots import (
    INK,
    NARROW,
    PALETTE,
    SHAPES,
    Rows,
    Spec,
    by,
    drawing,
    encoded,
    short_number,
    small_bars,
)

MOST_CATEGORIES = 12

BESIDE_ROUNDS = {"before": "the ratings before training", "evaluation": "the evaluation"}
"""What a cycle has rated beside its rounds."""


def answer_section(rounds: Rounds) -> Section:
    """Say in a sentence for each criterion what changed, and what it does not show."""
    blocks: list[Block] = [_answer(criterion) for criterion in rounds.criteria]
    if rounds.history is not None and rounds.history.outcome:
        blocks.append(Paragraph(rounds.history.outcome))
    blocks.append(Paragraph(rounds.statement, "warning"))
    notes = [
        f"{criterion.name}: {note}" for criterion in rounds.criteria for note in criterion.notes
    ]
    notes += rounds.notes
    if notes:
        blocks.append(Bullets(tuple(notes)))
    return Section("answer", "Did the guidelines improve?", tuple(blocks))


def _answer(criterion: CriterionRounds) -> Paragraph:
    """What became of alpha, and behind it the numbers that say so."""
    first, last, gap = criterion.first, criterion.last, criterion.alpha_gap
    if first is last:
        head = f"{criterion.name}: alpha is {with_interval(first.alpha)}."
        counts = f"{first.differing:,} of {counted(first.n_items, 'item')} differ significantly"
        return Paragraph(f"{counts} ({criterion.differs}).", "verdict", head=head)
    counts = (
        f"Items that differ significantly ({criterion.differs}): {first.differing:,} of "
        f"{first.n_items:,} at first, {last.differing:,} of {last.n_items:,} at last."
    )
    if gap is None or math.isnan(gap.value):
        head = f"{criterion.name}: it cannot be said whether alpha changed."
        return Paragraph(counts, "verdict", head=head)
    way = "rose" if gap.low > 0 else "fell" if gap.high < 0 else "is not shown to have changed"
    numbers = (
        f"From {with_interval(first.alpha)} to {with_interval(last.alpha)} "
        f"(change {gap_words(gap)})."
    )
    return Paragraph(f"{numbers} {counts}", "verdict", head=f"{criterion.name}: alpha {way}.")


def round_name(label: Any) -> str:
    """Name a round in a picture: a number alone says little."""
    return f"round {label}" if isinstance(label, int) else str(label)


def rounds_words(labels: Sequence[Any], noun: tuple[str, str] = ("round", "rounds")) -> str:
    """Count rounds of rating; what was rated before and after numbered ones is no such round."""
    numbered = [label for label in labels if isinstance(label, int)]
    if not numbered:
        return counted(len(labels), *noun)
    named = [BESIDE_ROUNDS.get(label, str(label)) for label in labels if label not in numbered]
    return listing([counted(len(numbered), *noun), *named])


def gap_words(gap: Gap | None) -> str:
    """Write a change with its sign and its interval."""
    if gap is None or math.isnan(gap.value):
        return DASH
    return f"{_with_sign(gap.value)} [{_with_sign(gap.low)}, {_with_sign(gap.high)}]"


def normalised_words(fresh: FreshGroup) -> str:
    """Write a cross-replication reliability as a share of what the noise of both groups allows."""
    details = {} if fresh.xrr is None else fresh.xrr.details
    names = ("normalised", "normalised_low", "normalised_high")
    value, low, high = (details.get(name, math.nan) for name in names)
    if math.isnan(value):
        return DASH
    ends = "" if math.isnan(low + high) else f" [{coefficient(low)}, {coefficient(high)}]"
    return f"{coefficient(value)}{ends}"


def _with_sign(value: float) -> str:
    text = coefficient(value)
    return text if value < 0 or text == DASH else f"+{text}"


def results_of(rounds: Rounds) -> list[tuple[CriterionRounds, RoundResult]]:
    """Every round of every criterion, in order."""
    return [(criterion, result) for criterion in rounds.criteria for result in criterion.rounds]


def cut_table(key: str, caption: str, heads: Columns, rows: Sequence[Sequence[str]]) -> Table:
    """Build a table that is not too long, and says how many rows it leaves out."""
    return table(key, caption, heads, rows[:MOST_ROWS], note=omission_note(len(rows)))


def convergence_section(rounds: Rounds) -> Section:
    """Draw and list how many items differ significantly from round to round."""
    rows = [
        (
            criterion.name,
            str(result.round),
            criterion.differs,
            count(result.differing),
            count(result.n_items),
            _share_outside(result.within),
        )
        for criterion, result in results_of(rounds)
    ]
    level = interval_name(rounds.confidence)
    heads = columns(
        f"<criterion | <round | <differs when | items that differ | items | share, {level}"
    )
    (_, before, _), (_, after, _) = rounds.curve[0], rounds.curve[-1]
    points = [_convergence_point(*pair) for pair in results_of(rounds) if pair[1].n_items]
    labels, names = list(map(str, rounds.labels)), [criterion.name for criterion in rounds.criteria]
    picture = Figure(
        key="convergence-picture",
        title=(
            f"{counted(before, 'item differs', 'items differ')} in the first round, {after:,} in "
            "the last"
        ),
        description=(
            "A line for each criterion: the share of items on which judges differ significantly, "
            "from round to round, with Wilson's interval."
        ),
        spec=convergence(points, labels, names),
        table=cut_table("differences", "Significant differences", heads, rows),
        panels=(_convergence_panel(points, labels, names),),
    )
    blocks: list[Block] = [picture]
    if len(rounds.criteria) > 1:
        whole = [
            (str(label), count(differing), count(n), percent(differing / n) if n else DASH)
            for label, differing, n in rounds.curve
        ]
        heads = columns("<round | items that differ | items times criteria | share")
        blocks.append(table("curve", "All criteria together", heads, whole))
    return Section("convergence", "Do the judges converge?", tuple(blocks))


def _convergence_panel(points: Rows, labels: Sequence[str], names: Sequence[str]) -> Panel:
    """Draw the line of each criterion over the rounds."""
    drawn = [
        {
            "series": point["name"],
            "x": labels.index(point["round"]),
            "value": point["share"],
            "text": f"round {point['round']}: {percent(point['share'])} "
            f"[{percent(point['low'])}, {percent(point['high'])}]",
            **{end: point[end] for end in ("low", "high")},
        }
        for point in points
    ]
    highest = max((point["high"] for point in points), default=1.0)
    axes = LineAxes(
        x="round",
        y="items that differ significantly",
        ticks=tuple(enumerate(labels)),
        x_ends=(-0.3, len(labels) - 0.7),
        y_ends=(0.0, max(0.1, min(1.0, 1.05 * highest))),
        write=percent,
    )
    return lines(drawn, names, axes)


def _convergence_point(criterion: CriterionRounds, result: RoundResult) -> dict[str, Any]:
    within = result.within
    ends = {"share": 1 - within.value, "low": 1 - within.high, "high": 1 - within.low}
    return {"round": str(result.round), "name": criterion.name, **ends}


def _share_outside(within: ItemShare) -> str:
    if math.isnan(within.value):
        return DASH
    ends = f"[{percent(1 - within.high)}, {percent(1 - within.low)}]"
    return f"{percent(1 - within.value)} {ends}"


def agreement_section(rounds: Rounds) -> Section:
    """Draw alpha in each round, and list it with the shares within the threshold."""
    points = [_alpha_point(*pair) for pair in results_of(rounds) if pair[1].alpha.defined]
    names, labels = (
        [criterion.name for criterion in rounds.criteria],
        [*map(round_name, rounds.labels)],
    )
    picture = Figure(
        key="alpha-picture",
        title=_agreement_title(rounds),
        description="For each criterion a point for alpha in each round, with its interval.",
        spec=alphas_by_round(points, names, labels),
        table=_agreement_table(rounds),
        panels=(_alpha_panel(points, names, labels),),
    )
    return Section("agreement", "Do the judges agree more?", (picture, *_changes(rounds)))


def _alpha_panel(points: Rows, names: Sequence[str], labels: Sequence[str]) -> Panel:
    """Draw alpha in each round, the rounds of a criterion beneath each other."""
    rows = [
        point
        | {
            "series": point["round"],
            "text": f"{point['round']}, alpha {coefficient(point['value'])}"
            + (
                f" [{coefficient(point['low'])}, {coefficient(point['high'])}]"
                if "low" in point
                else ""
            ),
        }
        for point in points
    ]
    lowest = min([0.0, *(row[end] for row in rows for end in ("value", "low") if end in row)])
    ends = (lowest, 1.0)
    return estimates(rows, names, axis="alpha", series=labels, ends=ends, write=short_number)


def _agreement_table(rounds: Rounds) -> Table:
    rows = [
        (
            criterion.name,
            str(result.round),
            count(result.n_items),
            percent(result.within.value),
            with_interval(result.pairs),
            with_interval(result.alpha),
            str(result.alpha.level),
        )
        for criterion, result in results_of(rounds)
    ]
    heads = columns("<criterion | <round | items | items within | pairs within | alpha | <level")
    why = reasons(
        (f"{criterion.name}, round {result.round}", result.alpha)
        for criterion, result in results_of(rounds)
    )
    level = interval_name(rounds.confidence)
    note = f"In brackets: {level}. {why} {omission_note(len(rows))}".strip()
    return table("agreement", "agreement in each round", heads, rows[:MOST_ROWS], note=note)


def _changes(rounds: Rounds) -> Iterator[Table]:
    rows = [
        (
            criterion.name,
            *map(gap_words, (criterion.alpha_gap, criterion.within_gap, criterion.pairs_gap)),
        )
        for criterion in rounds.criteria
        if criterion.alpha_gap is not None
    ]
    if rows:
        heads = columns("<criterion | alpha | items within | pairs within")
        yield table("changes", "change from the first round to the last", heads, rows)


def again_section(rounds: Rounds) -> Section | None:
    """Compare ratings of the same items by the same judges, before and after the discussion."""
    found = [(criterion.name, rated) for criterion in rounds.criteria for rated in criterion.again]
    if not found:
        return None
    about = (
        "After they had discussed where they differ, the judges rated the same items once more, "
        "each alone. This shows what the discussion settled, not whether the guidelines work for "
        "items that nobody has discussed, so these ratings count for no other number here."
    )
    rows = [
        (
            name,
            str(rated.before.round),
            count(rated.after.n_items),
            f"{count(rated.before.differing)} → {count(rated.after.differing)}",
            with_interval(rated.before.alpha),
            with_interval(rated.after.alpha),
            gap_words(rated.gap),
        )
        for name, rated in found
    ]
    heads = columns("<criterion | <round | items | differ | alpha before | alpha after | change")
    sentences = Bullets(tuple(f"{name}: {rated.sentence}" for name, rated in found))
    listed = cut_table("again", "before and after the discussion", heads, rows)
    return Section(
        "again", "What did the discussion settle?", (Paragraph(about), sentences, listed)
    )


def _agreement_title(rounds: Rounds) -> str:
    gaps = [criterion.alpha_gap for criterion in rounds.criteria]
    if all(gap is None for gap in gaps):
        return "Alpha on each criterion"
    risen = sum(gap is not None and gap.low > 0 for gap in gaps)
    rose = "rose" if risen == len(gaps) else "is shown to have risen"
    return f"Alpha {rose} on {risen} of {counted(len(gaps), 'criterion', 'criteria')}"


def _alpha_point(criterion: CriterionRounds, result: RoundResult) -> dict[str, Any]:
    alpha, limits = result.alpha.value, result.alpha.interval
    point = {"name": criterion.name, "round": round_name(result.round), "value": alpha}
    if limits is not None and math.isfinite(limits.low) and math.isfinite(limits.high):
        point |= {"low": limits.low, "high": limits.high}
    return point


def distributions_section(rounds: Rounds) -> Section | None:
    """Show how the scale was used, so that nobody agrees by always rating at one point."""
    figures = [figure for criterion in rounds.criteria for figure in _distribution(criterion)]
    if not figures:
        return None
    about = (
        "Judges agree easily when they always choose the same point of the scale. The bars show "
        "all judges together; the table shows each."
    )
    return Section("distributions", "How was the scale used?", (Paragraph(about), *figures))


def _distribution(criterion: CriterionRounds) -> Iterator[Figure]:
    known = [result for result in criterion.rounds if result.counts is not None]
    scales = [[str(name) for name in result.scale.categories or ()] for result in known]
    if max(map(len, scales), default=MOST_CATEGORIES + 1) > MOST_CATEGORIES:
        return
    names = list(dict.fromkeys(name for scale in scales for name in scale))
    bars = [bar for result in known for bar in _bars(result, names)]
    rows = [row for result in known for row in _use_rows(result, names)]
    most = listing(f"{percent(result.commonest)} in round {result.round}" for result in known)
    heads = [*columns("<round | <judge"), *map(Column, names)]
    key, caption = key_of("distribution", criterion.name), f"{criterion.name}: ratings"
    yield Figure(
        key=key_of("distribution-picture", criterion.name),
        title=f"{criterion.name}: the rating used most has {most}",
        description="Bars for each round: the share of each rating, all judges together.",
        spec=small_bars(bars, [round_name(result.round) for result in known], names, "rating"),
        panels=(
            replace(
                scale_use("", bars, [round_name(result.round) for result in known], names),
                narrow=False,
            ),
        ),
        table=cut_table(key, caption, heads, rows),
    )


def _bars(result: RoundResult, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    counts = _counts(result, names, result.counts or ())
    for name, n in zip(names, counts, strict=True):
        share, label = n / max(sum(counts), 1), round_name(result.round)
        yield {"judge": label, "category": name, "share": share, "text": percent(share)}


def _use_rows(result: RoundResult, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """How often all judges and each of them used each category."""
    for who, counts in (("all judges", result.counts or ()), *result.by_judge):
        yield str(result.round), str(who), *map(count, _counts(result, names, counts))


def _counts(result: RoundResult, names: Sequence[str], counts: Sequence[int]) -> list[int]:
    """How often each category was used, by its name in all rounds."""
    own = [str(category) for category in result.scale.categories or ()]
    by_name = dict(zip(own, counts, strict=True))
    return [by_name.get(name, 0) for name in names]


def systems_section(rounds: Rounds) -> Section | None:
    """Say whether the order of the systems changed."""
    known = [
        (criterion.name, criterion.systems)
        for criterion in rounds.criteria
        if criterion.systems is not None
    ]
    if not known:
        return None
    rows = []
    for criterion, systems in known:
        after, (ranks, later) = dict(systems.after), systems.places
        for name, mean in systems.before:
            before = (str(name), str(ranks[name]), amount(mean))
            now = (str(later.get(name, DASH)), amount(after.get(name, math.nan)))
            rows.append((criterion, *before, *now))
    heads = columns("<criterion | <system | rank before | mean before | rank after | mean after")
    about = Paragraph(
        "Systems by their mean ratings, in the first round and in the last. The command covary "
        "systems shows how certain an order is."
    )
    orders = Bullets(tuple(f"{criterion}: {systems.sentence}" for criterion, systems in known))
    listed = cut_table("systems", "systems before and after", heads, rows)
    return Section("systems", "Did the order of the systems change?", (about, orders, listed))


def manual_section(rounds: Rounds) -> Section | None:
    """List the editions of the manual, and of what kind their changes were."""
    history = rounds.history
    if history is None or not history.editions:
        return None
    rows = [
        (
            str(number),
            edition.version,
            str(edition.round or DASH),
            edition.by or DASH,
            kind,
            change,
            sentence or DASH,
        )
        for number, edition in enumerate(history.editions, start=1)
        for kind, change, sentence in edition.changes or ((DASH, "the first edition", ""),)
    ]
    heads = columns("<edition | <version | <after round | <by | <kind | <change | <sentence")
    about = "Every rating points to the version of the manual that was in force."
    listed = cut_table("editions", "editions of the manual", heads, rows)
    blocks: list[Block] = [Paragraph(about), listed]
    kinds = [_kinds(number, kinds) for number, kinds in history.kinds.items() if kinds]
    if kinds:
        blocks.append(Bullets(tuple(kinds)))
    return Section("manual", "How did the manual grow?", tuple(blocks))


def _kinds(number: int, kinds: Mapping[str, int]) -> str:
    changes = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    return f"Changes of the manual after round {number}: {changes}."


def work_section(rounds: Rounds) -> Section | None:
    """List what each round took: items, marks, words, changes, and the judges' time."""
    blocks: list[Block] = []
    history = rounds.history
    if history is not None and history.work:
        blocks += _work_blocks(history)
    if rounds.times:
        rows = [(str(time.round), str(time.judge), _minutes(time.seconds)) for time in rounds.times]
        heads = columns("<round | <judge | minutes")
        blocks.append(Paragraph(_time_sentence(rounds.times)))
        blocks.append(cut_table("times", "time spent on rating", heads, rows))
    return Section("training", "What did the training take?", tuple(blocks)) if blocks else None


def _work_blocks(history: History) -> list[Block]:
    rows = [
        (
            work.name,
            _day(work.began),
            count(work.judges),
            count(work.items),
            DASH if work.marked is None else count(work.marked),
            count(work.said),
            f"{work.accepted} of {work.proposals}",
            count(work.changes),
        )
        for work in history.work
    ]
    heads = columns(
        "<round | <began | judges | items | marked | statements | proposals accepted | changes"
    )
    blocks: list[Block] = [table("work", "the work of each round", heads, rows)]
    verdicts = [f"Round {work.round}: {work.verdict}" for work in history.work if work.verdict]
    if verdicts:
        blocks += [Paragraph("What the stop rule said:"), Bullets(tuple(verdicts))]
    return blocks


def _day(moment: str) -> str:
    try:
        return datetime.fromisoformat(moment).date().isoformat()
    except ValueError:
        return moment or DASH


def _time_sentence(times: Sequence[RoundTime]) -> str:
    by_judge: dict[str, float] = {}
    for time in times:
        by_judge[str(time.judge)] = by_judge.get(str(time.judge), 0.0) + time.seconds
    least, most = _minutes(min(by_judge.values())), _minutes(max(by_judge.values()))
    spent = most if least == most else f"{least} to {most}"
    number = rounds_words([*dict.fromkeys(time.round for time in times)])
    return f"Each judge spent {spent} minutes on rating in {number}, discussion not counted."


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:,.1f}"


def convergence(points: Rows, labels: Sequence[str], names: Sequence[str]) -> Spec:
    """Draw the share of items that differ significantly in each round, a line per criterion.

    A point has `round`, `name`, `share` and the ends `low` and `high` of its interval.
    """
    x = encoded("round", "ordinal", sort=list(labels), title="round")
    x["axis"] = {"labelAngle": 0, "grid": False, "labelColor": INK}
    x["scale"] = {"domain": list(labels), "padding": 0.4}
    y = encoded("share", "quantitative", title="items that differ significantly")
    y |= {"axis": {"format": ".0%", "tickCount": 5}, "scale": {"zero": True, "nice": True}}
    legend = {"columns": 2, "columnPadding": 16} if len(names) > 1 else None
    colour, shape = _colour_and_shape("name", list(names), legend)
    offset = encoded("name", "nominal", sort=list(names), scale={"paddingOuter": 3})
    place = {"x": x, "xOffset": offset, "color": colour}
    marks: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": place | {"y": y}},
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6},
            "encoding": place | {"y": y | {"field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": place | {"y": y, "shape": shape},
        },
    ]
    return drawing(points, layer=marks, width=NARROW + 40, height=220)


def alphas_by_round(rows: Rows, names: Sequence[str], labels: Sequence[str]) -> Spec:
    """Draw alpha in each round with its interval, the rounds of a criterion beneath each other.

    A row has `name`, `round`, `value` and, where they are known, `low` and `high`.
    """
    lowest = min([0.0, *(row[end] for row in rows for end in ("value", "low") if end in row)])
    y = encoded("name", "nominal", sort=list(names), title=None)
    y["axis"] = {"grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 10}
    offset = encoded("round", "nominal", sort=list(labels), scale={"paddingOuter": 0.5})
    x = encoded("value", "quantitative", title="alpha", scale={"domain": [lowest, 1]})
    colour, shape = _colour_and_shape("round", list(labels), {"columnPadding": 16})
    here = {"y": y, "yOffset": offset, "color": colour}
    marks: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 4},
            "encoding": here | {"x": x | {"field": "low"}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
            "encoding": here | {"x": x, "shape": shape},
        },
    ]
    return drawing(rows, layer=marks, width=NARROW, height={"step": 20})


def _colour_and_shape(field: str, names: Sequence[str], legend: Spec | None) -> tuple[Spec, Spec]:
    """Tell names apart by colour and by shape, so that both can be read without the other."""
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    colour, shape = by(field, names, colours), by(field, names, shapes)
    return colour | {"legend": legend}, shape | {"legend": legend}
