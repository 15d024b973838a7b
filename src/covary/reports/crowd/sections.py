"""The sections of a report on a crowd beside experts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from covary.analysis.crowd import (
    Arrangements,
    ClosestExpert,
    CrowdDifference,
    CrowdStudy,
    CurvePoint,
    VotesPerExpert,
)
from covary.reports.blocks import (
    Block,
    Bullets,
    Column,
    Figure,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    table,
    without_empty,
)
from covary.reports.charts import Baseline, LineAxes, lines, spread
from covary.reports.crowd.plots import densities, votes_curve
from covary.reports.drawings import Panel
from covary.reports.formatting import (
    DASH,
    amount,
    coefficient,
    count,
    counted,
    decimals,
    interval,
    listing,
    percent,
)
from covary.reports.plots import Rows
from covary.stats.estimate import Interval

MOST_PANELS = 6

ARRANGED = "<expert | items | mean | sd | 2.5% | 97.5% | mean, closed form | sd, closed form"

METHOD_NAMES = {
    "banchs-a": "method A",
    "banchs-b": "method B",
    "majority": "majority",
    "median": "median",
    "mean": "rounded mean",
    "dawid-skene": "Dawid–Skene",
    "one-coin": "one-coin",
    "mace": "MACE",
    "glad": "GLAD",
}
"""How a way of combining votes reads in a sentence."""


def method_name(method: str) -> str:
    """Name a way of combining votes as a sentence does."""
    return METHOD_NAMES.get(method, method)


def with_limits(value: float, limits: Interval, *, signed: bool = False) -> str:
    """Write a coefficient or a difference with its interval: `.43 [.31, .55]`."""
    if not math.isfinite(value):
        return DASH
    places = decimals(limits.low, limits.high)
    plus = "+" if signed and value > 0 else ""
    ends = interval(limits, places)
    head = f"{plus}{coefficient(value, places)}"
    return head if ends == DASH else f"{head} {ends}"


def money(value: float) -> str:
    """Write an amount of money; the currency is the study's own."""
    return f"{value:,.2f}" if math.isfinite(value) else DASH


def time_words(seconds: float) -> str:
    """Write a time of work: `28 s`, `4.1 min`, `10.3 h`."""
    if not math.isfinite(seconds):
        return DASH
    if seconds < 100:
        return f"{amount(seconds, 0)} s"
    return f"{amount(seconds / 60, 1)} min" if seconds < 5400 else f"{amount(seconds / 3600, 1)} h"


def rate_words(rate: VotesPerExpert) -> str:
    """Write how many votes equal an expert: `3.4 [2.1, more than 5]`, or just `more than 5`."""
    if math.isnan(rate.votes):
        return DASH
    votes, low, high = (_vote_number(n, rate.most) for n in (rate.votes, rate.low, rate.high))
    beyond = math.isinf(rate.low) and math.isinf(rate.high)
    return high if beyond else f"{votes} [{low}, {high}]"


def _vote_number(votes: float, most: int) -> str:
    if math.isnan(votes):
        return DASH
    return f"more than {most}" if math.isinf(votes) else amount(votes, 1)


def answer_section(study: CrowdStudy) -> Section:
    """Say whether the combined crowd agrees with experts as experts do, and what to beware of."""
    head, *rest = _answers(study)
    blocks: list[Block] = [Paragraph(" ".join(rest), "verdict", head=head)]
    blocks += [Paragraph(sentence) for sentence in _closer(study)]
    if study.judges.underpaid:
        blocks.append(
            Paragraph(
                f"An hour of the crowd's time paid {money(study.judges.hourly)}, less than the "
                f"minimum wage of {money(study.judges.wage)} that was set.",
                "warning",
            )
        )
    blocks.append(Bullets(study.notes))
    return Section("answer", "Is the crowd as good as an expert?", tuple(blocks))


def _answers(study: CrowdStudy) -> Iterator[str]:
    """The last method in the list stands for the crowd; all are in the tables."""
    method = study.methods[-1] if "banchs-b" not in study.methods else "banchs-b"
    words = [difference.word for difference in study.differences if difference.method == method]
    if not words:
        yield "With one expert, nothing shows how well experts agree with each other."
        return
    name = f"Combined by {method_name(method)}, the crowd"
    measures = listing(title for _, title in study.coefficients)
    if set(words) == {"higher"}:
        yield f"{name} agrees with each expert better than the experts agree with each other."
    elif set(words) == {"lower"}:
        yield f"{name} agrees with each expert less than the experts agree with each other."
    elif set(words) == {"not told apart"}:
        yield (
            f"{name} cannot be told apart from an expert: no interval of a difference excludes 0."
        )
    else:
        order = [word for word in ("higher", "not told apart", "lower") if word in words]
        parts = listing(f"{words.count(word)} {word}" for word in order)
        yield f"{name} is partly told apart from an expert."
        yield f"Of {len(words)} differences to the agreement between experts, {parts}."
    yield f"Measured by {measures}. That no difference is shown does not mean that there is none."
    for rate in study.votes_per_expert:
        if rate.method != method or math.isnan(rate.votes):
            continue
        if rate.high <= 1:
            yield (
                f"By {study.title(rate.coefficient)}, one vote agrees with experts at least as "
                "well as another expert does."
            )
        else:
            yield (
                f"By {study.title(rate.coefficient)}, one expert is worth {rate_words(rate)} "
                "combined votes."
            )


def _closer(study: CrowdStudy) -> Iterator[str]:
    """Say once which expert the crowd is closer to, however it is combined."""
    if not study.closer:
        return
    names = {closest.expert for closest in study.closer}
    which = "Which expert the crowd is closer to depends on coefficient and method"
    if len(names) == 1:
        expert = names.pop()
        which = f"On these items the crowd is closer to {expert}, by every coefficient and method"
    sure = sum(closest.sure for closest in study.closer)
    if not sure:
        which = "No expert is shown to be closer to the crowd than another"
    yield f"{which}; {sure} of {len(study.closer)} intervals of the difference exclude 0."


def single_section(study: CrowdStudy) -> Section:
    """Show the distribution of agreement over arrangements of votes."""
    about = (
        "The first vote on one item and the first vote on another are different people's, so "
        "columns of votes are not judges and there is no agreement between them. Each arrangement "
        "picks one vote of every item at random and treats these as one judge; the pictures show "
        "how well such judges agree with an expert. The spread says how far arrangements of "
        "these votes differ. It is not a standard error."
    )
    blocks: list[Block] = [Paragraph(about)]
    blocks += [density_figure(study, name, title) for name, title in study.coefficients]
    return Section("single-votes", "Single votes", tuple(blocks))


def density_figure(study: CrowdStudy, name: str, title: str) -> Figure | Table:
    """Draw how a coefficient is spread over arrangements of votes; list it where undefined."""
    drawn = [
        distribution for distribution in study.arrangements if distribution.coefficient == name
    ]
    shown = [distribution for distribution in drawn if distribution.histogram][:MOST_PANELS]
    note = f"{counted(drawn[0].arrangements, 'arrangement')}, seed {study.seed}."
    exact = all(distribution.closed_form.exact for distribution in drawn)
    kind = "exact" if exact else "approximate: the coefficient of the expected cross table"
    note += f" The closed form is {kind}."
    if any(distribution.undefined for distribution in drawn):
        note += f" {DASH}: {title} is undefined where only one rating is used."
    heads = columns(ARRANGED)
    rows = map(_arrangement_row, drawn)
    caption = f"{title} over arrangements" if shown else f"{title} of single votes is undefined"
    numbers = table(key_of("arrangements", name), caption, heads, rows, note=note)
    if not shown:
        return numbers
    methods = [method_name(method) for method in study.methods]
    named = methods if len(study.experts) < 2 else [_between(study), *methods]
    points = [row for distribution in shown for row in _density_rows(study, distribution)]
    return Figure(
        key=key_of("density", name),
        title=_density_title(drawn, title),
        description=f"For each expert, how often arrangements have each value of {title}, with "
        f"lines for the agreement of {listing(named)} with that expert.",
        spec=densities(points, [str(distribution.expert) for distribution in shown], named, title),
        table=numbers,
        panels=tuple(_density_panel(study, distribution, title) for distribution in shown),
    )


def _density_panel(study: CrowdStudy, distribution: Arrangements, title: str) -> Panel:
    """Draw how often arrangements have each agreement with one expert."""
    total = sum(distribution.histogram)
    shares = [times / total for times in distribution.histogram]
    bars = [*zip(distribution.edges, shares, strict=False), (distribution.edges[-1], 0.0)]
    marks = [
        (row["line"], row["at"]) for row in _density_rows(study, distribution) if "line" in row
    ]
    return spread(str(distribution.expert), bars, marks, f"{title} with this expert")


def _between(study: CrowdStudy) -> str:
    """Name the line of the agreement between experts, as it is seen beside one of them."""
    return "the other expert" if len(study.experts) == 2 else "the other experts"


def _density_title(drawn: Iterable[Arrangements], title: str) -> str:
    known = [distribution.mean for distribution in drawn if math.isfinite(distribution.mean)]
    low, high = coefficient(min(known)), coefficient(max(known))
    values = low if low == high else f"{low} to {high}"
    return f"{title} of one vote with an expert is {values} on average"


def _arrangement_row(distribution: Arrangements) -> tuple[str, ...]:
    ends = (coefficient(distribution.quantiles[end][1], 3) for end in (0, -1))
    mean, sd = coefficient(distribution.mean, 4), coefficient(distribution.sd, 4)
    closed = (
        coefficient(value, 4)
        for value in (distribution.closed_form.mean, distribution.closed_form.sd)
    )
    return str(distribution.expert), count(distribution.n_items), mean, sd, *ends, *closed


def _density_rows(study: CrowdStudy, distribution: Arrangements) -> Iterator[dict[str, Any]]:
    expert, total = str(distribution.expert), sum(distribution.histogram)
    for start, end, times in zip(
        distribution.edges, distribution.edges[1:], distribution.histogram, strict=False
    ):
        yield {"expert": expert, "x": (start + end) / 2, "share": times / total}
    others = [
        pair.value
        for pair in study.between_experts(distribution.coefficient)
        if distribution.expert in (pair.first, pair.second) and math.isfinite(pair.value)
    ]
    if others:
        yield {"expert": expert, "at": sum(others) / len(others), "line": _between(study)}
    for pair in study.combined(distribution.coefficient, distribution.expert):
        if math.isfinite(pair.value):
            yield {"expert": expert, "at": pair.value, "line": method_name(pair.first)}


def combined_section(study: CrowdStudy) -> Section:
    """Compare combined votes with each expert, and experts with each other."""
    rows = [
        (
            study.title(pair.coefficient),
            str(pair.first) if pair.kind == "experts" else f"crowd, {method_name(pair.first)}",
            str(pair.second),
            with_limits(pair.value, pair.interval),
            count(pair.n_items),
        )
        for pair in study.agreement
    ]
    level = interval_name(study.confidence)
    heads = columns(f"<coefficient | <of | <with | value, {level} | items")
    undefined = any(not math.isfinite(pair.value) for pair in study.agreement)
    note = f"{DASH}: undefined, because only one rating was used." if undefined else ""
    blocks: list[Block] = [
        Paragraph(
            f"Intervals come from drawing {study.units} again, the same ones for every row, so "
            "that differences are paired."
        ),
        table("agreement", "Agreement with experts", heads, rows, note=note),
    ]
    if study.differences:
        blocks.append(_difference_table(study, level))
    if study.closer:
        blocks.append(_closer_table(study, level))
    return Section("combined", "Combined votes", tuple(blocks))


def _difference_table(study: CrowdStudy, level: str) -> Block:
    rows = [
        (
            *_named(study, difference),
            str(difference.expert),
            coefficient(difference.crowd),
            coefficient(difference.experts),
            with_limits(difference.value, difference.interval, signed=True),
            difference.word,
        )
        for difference in study.differences
    ]
    heads = columns(
        f"<coefficient | <crowd by | <with | crowd | experts | difference, {level} | <the crowd is"
    )
    note = "Experts: the mean agreement of the other experts with this one."
    caption = "Crowd with an expert, less experts with that expert"
    return table("differences", caption, heads, rows, note=note)


def _closer_table(study: CrowdStudy, level: str) -> Block:
    heads = columns(f"<coefficient | <crowd by | <closer to | <than to | difference, {level}")
    rows = [
        (
            *_named(study, closest),
            str(closest.expert),
            str(closest.next),
            with_limits(closest.value, closest.interval, signed=True),
        )
        for closest in study.closer
    ]
    return table("closer", "Which expert the crowd is closer to", heads, rows)


def _named(
    study: CrowdStudy, number: CrowdDifference | ClosestExpert | VotesPerExpert
) -> tuple[str, str]:
    """The coefficient of a number and the method of its votes, as a table names them."""
    return study.title(number.coefficient), method_name(number.method)


def votes_section(study: CrowdStudy) -> Section | None:
    """Show agreement over the number of votes, its cost, and how many equal one expert."""
    if not study.curve:
        return None
    about = (
        "Average agreement with the experts when that many votes of each item are combined, over "
        "all possible ways to pick them. A tie is shared equally among the tied ratings."
    )
    blocks: list[Block] = [Paragraph(about)]
    blocks += [_curve(study, name, title) for name, title in study.coefficients]
    if study.votes_per_expert:
        blocks.append(_rates(study))
    return Section("votes", "How many votes equal one expert?", tuple(blocks))


def _curve(study: CrowdStudy, name: str, title: str) -> Figure | Table:
    points = [point for point in study.curve if point.coefficient == name]
    methods = [method_name(method) for method in dict.fromkeys(point.method for point in points)]
    rows = [
        {
            "votes": point.votes,
            "value": point.value,
            "low": point.interval.low,
            "high": point.interval.high,
            "name": method_name(point.method),
        }
        for point in points
        if math.isfinite(point.value) and math.isfinite(point.interval.low)
    ]
    level = interval_name(study.confidence)
    heads = [
        *columns(f"<crowd by | votes | value, {level}"),
        *(Column(str(expert)) for expert in study.experts),
        *columns("items with so many | cost"),
    ]
    caption = f"{title} by number of votes" if rows else f"{title} is undefined for these votes"
    numbers = without_empty(
        table(key_of("curve-table", name), caption, heads, map(_curve_row, points))
    )
    if not rows:
        return numbers
    first = [point for point in points if point.method == points[0].method]
    costs = [money(point.cost) for point in first] if math.isfinite(first[0].cost) else []
    described = f"{title} with the experts over the number of votes, with intervals"
    return Figure(
        key=key_of("curve", name),
        title=_curve_title(points, title),
        description=described + (", and the cost of so many votes." if costs else "."),
        spec=votes_curve(
            rows,
            methods,
            axes=("votes on each item", f"{title} with experts"),
            experts=_experts(study, name),
            costs=costs,
        ),
        table=numbers,
        panels=(_curve_panel(rows, methods, title, experts=_experts(study, name), costs=costs),),
    )


def _curve_panel(
    rows: Rows,
    methods: Sequence[str],
    title: str,
    *,
    experts: tuple[float, float, float],
    costs: Sequence[str],
) -> Panel:
    """Draw agreement over the number of votes, beside that between experts."""
    points = [
        row
        | {
            "series": row["name"],
            "x": row["votes"],
            "text": f"{counted(row['votes'], 'vote')}, {coefficient(row['value'])} "
            f"[{coefficient(row['low'])}, {coefficient(row['high'])}]",
        }
        for row in rows
    ]
    most = max(row["votes"] for row in rows)
    every = max(1, math.ceil(most / (6 if costs else 12)))
    votes = [n for n in range(1, most + 1) if n % every == 0 or n == 1]
    ticks = [(n, f"{n}\n{costs[n - 1]}" if len(costs) >= n else str(n)) for n in votes]
    axes = LineAxes(
        x="votes on each item" + (", and what they cost" if costs else ""),
        y=f"{title} with experts",
        ticks=tuple(ticks),
        x_ends=(0.7, most + 0.3),
    )
    value, low, high = experts
    same = Baseline(value=value, low=low, high=high, name="experts with each other")
    return lines(points, methods, axes, same if math.isfinite(value) else None)


def _curve_row(point: CurvePoint) -> tuple[str, ...]:
    places = decimals(point.interval.low, point.interval.high)
    value = with_limits(point.value, point.interval)
    by_expert = (coefficient(value, places) for value in point.by_expert)
    full, cost = count(point.n_full), money(point.cost)
    return method_name(point.method), str(point.votes), value, *by_expert, full, cost


def _experts(study: CrowdStudy, name: str) -> tuple[float, float, float]:
    """The agreement between experts with its interval, where there is one pair of them."""
    pairs = study.between_experts(name)
    if len(pairs) == 1:
        return pairs[0].value, pairs[0].interval.low, pairs[0].interval.high
    mean = sum(pair.value for pair in pairs) / len(pairs) if pairs else math.nan
    return mean, mean, mean


def _curve_title(points: Iterable[CurvePoint], title: str) -> str:
    known = (point for point in points if math.isfinite(point.value))
    best = max(known, key=lambda point: point.value)
    return (
        f"{title} reaches {coefficient(best.value)} with {counted(best.votes, 'vote')} "
        f"({method_name(best.method)})"
    )


def _rates(study: CrowdStudy) -> Block:
    level = interval_name(study.confidence)
    heads = columns(
        f"<coefficient | <crowd by | experts agree | votes, {level} | resamples that get there | "
        "cost per item"
    )
    rows = [
        (
            *_named(study, rate),
            coefficient(rate.experts),
            rate_words(rate),
            percent(rate.reached),
            money(rate.cost_per_item),
        )
        for rate in study.votes_per_expert
    ]
    note = (
        "Where the curve reaches the agreement between experts, interpolated between whole "
        "numbers. 1.0 means one vote or fewer."
    )
    caption = "votes that equal one expert"
    return without_empty(table("votes-per-expert", caption, heads, rows, note=note))
