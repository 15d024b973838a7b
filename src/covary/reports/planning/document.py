"""`covary.plan_report`: how many judges and items a study needs, in every form."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from covary.analysis.planning import (
    CriterionPlan,
    Extension,
    Forecast,
    Goal,
    GStudy,
    LatentStudy,
    PlanRecord,
    Price,
    ScalePower,
    SimulatedPower,
    StudyCost,
    StudyPlan,
    StudyProgress,
    plan,
    progress,
)
from covary.analysis.planning.progress import FirstRatings
from covary.ratings import Ratings
from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Contents,
    Figure,
    Paragraph,
    Section,
    columns,
    key_of,
    table,
)
from covary.reports.document import WIDTH, Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import (
    DASH,
    amount,
    coefficient,
    count,
    heading,
    listing,
    percent,
)
from covary.reports.planning.pictures import (
    contour_panel,
    contour_picture,
    size_panel,
    systems_picture,
    votes_picture,
)
from covary.reports.planning.progress import (
    ADDED,
    progress_lines,
    progress_section,
    rule_words,
)
from covary.reports.planning.registration import registration, size_words
from covary.words import Note, counted

MEANINGS = {
    "system": "systems differ",
    "source": "sources differ, whatever the system",
    "item": "texts differ beyond system and source",
    "judge": "judges differ in severity",
    "judge system": "judges prefer different systems",
    "judge source": "judges find different sources hard",
    "residual": "everything else, including chance",
}
"""What each component says."""

NAMES = {"judge system": "judge × system", "judge source": "judge × source"}

FORECAST = {
    False: "How reliably the reported means order items or systems",
    True: "How reliable the values of the reported means are",
}
"""What the forecasts are about, by whether values are asked for."""

RESTS_ON = {
    True: "forecast from the variance components of the pilot. These are estimates themselves; "
    "the report gives their intervals.",
    False: "forecast from these variance components, whose precision is not known.",
}
"""What the forecasts rest on, by whether there was a pilot."""


UNPRICED = "No price was given (--pay), so the cost is the number of ratings."


@dataclass(frozen=True, repr=False)
class PlanReport(Document):
    """A plan and its forms."""

    plan: StudyPlan
    contents: Contents
    progress: StudyProgress | None = None

    found_in = "plan"
    in_notebooks = ("needed",)

    def short(self) -> str:
        """Return the short form for a terminal: what is needed, criterion by criterion."""
        heads = ["criterion", "now reaches", "ratings an item needs", "cheapest study", "cost"]
        rows = [_short_row(criterion) for criterion in self.plan.criteria]
        shown = to_terminal(heads, rows, _closing(self.plan))
        if self.progress is None:
            return shown
        criteria, lines = self.progress.criteria, [*progress_lines(self.progress)]
        lines += [rule_words(self.progress)] if any(one.pairs for one in criteria) else []
        return "\n".join((*(textwrap.fill(line, WIDTH) for line in lines), "", shown))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with how far the study is where one is running."""
        values = super().to_dict()
        if self.progress is not None:
            values["progress"] = self.progress.to_dict()
        return values

    def __repr__(self) -> str:
        return f"PlanReport({len(self.plan.criteria)} criteria)"


def plan_report(
    pilot: Ratings | GStudy,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    planned: Mapping[str, int] | None = None,
    goal: Goal | None = None,
    price: Price | None = None,
    confidence: float = 0.95,
    title: str | None = None,
    running: bool = False,
    record: PlanRecord | None = None,
    first: FirstRatings | None = None,
    simulate: int = 0,
    seed: int = 0,
    against: Ratings | None = None,
    basis: str = "",
    step: Callable[[str], None] | None = None,
) -> PlanReport:
    """Plan a study from a pilot and write the plan down.

    Parameters
    ----------
    pilot, planned, goal, price, confidence
        As in `covary.plan`.
    path, format
        Where to write the report and in which form; nothing is written by default.
    title
        The heading of the report.
    running, record
        Whether the pilot is a study that goes on, and the plan that was made for it: then the
        report begins with how far it is.
    first
        As in `covary.analysis.planning.progress`.
    simulate, seed, against
        As in `covary.plan`.
    basis
        What the plan rests on, in a few words for the pre-registration.
    step
        Called with a few words at each step, for a progress bar.

    Examples
    --------
    >>> from covary import datasets
    >>> made = plan_report(datasets.load("latin-square-example"))
    >>> made.csv().splitlines()[0].split(",")[:4]
    ['criterion', 'object', 'systems', 'items']
    """
    check_path(path, format, "plan_report")
    made = plan(
        pilot,
        planned=planned,
        goal=goal,
        price=price,
        confidence=confidence,
        simulate=simulate,
        seed=seed,
        against=against,
        progress=step,
    )
    found = None
    if running and isinstance(pilot, Ratings):
        found = progress(pilot, record=record, goal=goal, price=price, first=first)
    sections = [
        *([progress_section(found)] if found is not None else []),
        _needed_section(made),
        *(_criterion_section(criterion) for criterion in made.criteria),
        _registration_section(made, basis),
    ]
    heading_text = title or "How many judges and items are needed?"
    contents = assemble(heading_text, [f"target {coefficient(made.goal.target)}"], None, sections)
    plan_report = PlanReport(made, contents, found)
    sources = [pilot] if isinstance(pilot, Ratings) else []
    return plan_report.sealed(*sources).saved(path, format)


def _short_row(criterion: CriterionPlan) -> tuple[str, ...]:
    if criterion.now is None:
        return (criterion.criterion or DASH, DASH, DASH, criterion.components.reason, DASH)
    best = criterion.best
    return (
        criterion.criterion or "all ratings",
        _worth(criterion, criterion.now),
        DASH if criterion.votes is None else count(criterion.votes),
        DASH if best is None else size_words(best),
        DASH if best is None else amount(best.cost),
    )


def _worth(criterion: CriterionPlan, reached: Forecast) -> str:
    """The reliability that is reached; none where nobody knows how far systems lie apart."""
    goal = criterion.goal
    if reached.object == "systems" and not criterion.components["system"]:
        return DASH
    value = reached.dependability if goal.absolute else reached.generalisability
    return f"{coefficient(value)} ({reached.object})"


def _closing(made: StudyPlan) -> list[str]:
    """The sentences below the table: what the numbers mean and what they rest on."""
    lines = [_forecast_sentences(made)]
    for criterion in made.criteria:
        found = criterion.power
        if found is None or not math.isfinite(found.smallest):
            continue
        name = f"{criterion.criterion}: " if criterion.criterion else ""
        lines.append(
            f"{name}{'this' if name else 'This'} design finds a difference of "
            f"{amount(found.smallest)} points between two systems in {percent(found.at)} of "
            "studies."
        )
        if found.difference is not None and found.power is not None:
            chance = (abs(found.difference), found.power, found.at)
            lines.append(_difference_sentence(chance, criterion, found.size.judges))
    lines += list(_other_questions(made))
    lines += list(_cost_sentences(made))
    return lines


def _forecast_sentences(made: StudyPlan) -> str:
    """Say which study "now" is, what is forecast of it, and from what."""
    sizes: dict[str, list[str]] = {}
    for one in made.criteria:
        if one.now is not None:
            sizes.setdefault(size_words(one.now), []).append(str(one.criterion))
    several = len(sizes) > 1
    now = (
        f"Now{f' on {listing(names)}' if several else ''}: {size}." for size, names in sizes.items()
    )
    piloted = any(one.components.size is not None for one in made.criteria)
    about = f"{FORECAST[made.goal.absolute]}, {RESTS_ON[piloted]}"
    return " ".join((*now, about))


def _other_questions(made: StudyPlan) -> Iterator[str]:
    """What was asked beside reliability and a difference: equality, simulation, alpha, scales."""
    for one in made.criteria:
        found = one.power
        if found is not None and math.isfinite(found.smallest):
            if made.goal.margin is not None:
                yield _margin_sentence(made.goal, one, found.size.judges)
            if one.simulated is not None:
                yield _simulation_sentence(one.simulated)
    yield from (_agreement_sentence(one) for one in made.criteria if one.agreement is not None)
    yield from (scale_sentence(one.scales, one.criterion) for one in made.criteria if one.scales)


def scale_sentence(found: ScalePower, criterion: str | None = None) -> str:
    """Say how many items show which of two scales is more reliable."""
    name = f"{criterion}: a" if criterion else "A"
    known = (
        f"{name} single rating has a reliability of {coefficient(found.first)} on this scale and "
        f"of {coefficient(found.second)} on the other"
    )
    size = f"{count(found.items)} items with {count(found.votes)} ratings each on either scale"
    if found.items_needed is None:
        return f"{known}; no number of items is enough to tell the two apart."
    return (
        f"{known}; {size} show that they differ in {percent(found.power)} of studies, and "
        f"{count(found.items_needed)} items in {percent(found.at)}."
    )


def _margin_sentence(goal: Goal, criterion: CriterionPlan, judges: int) -> str:
    equal = f"that two equal systems differ by less than {amount(goal.margin or 0)}"
    if criterion.items_for_margin is None:
        return f"No number of items shows {equal} with {counted(judges, 'judge')}."
    items = count(criterion.items_for_margin)
    return f"{items} items of each system show {equal} in {percent(goal.at)} of studies."


def _simulation_sentence(found: SimulatedPower) -> str:
    low, high = found.power_interval
    return (
        f"Of {count(found.runs)} simulated studies of {counted(found.size.judges, 'judge')} and "
        f"{count(found.size.items)} items of each system, analysed as 'covary systems' does, "
        f"{percent(found.power)} find {amount(found.difference)} (between {percent(low)} and "
        f"{percent(high)} of all), and {percent(found.type_one)} find a difference where there is "
        "none."
    )


def _agreement_sentence(criterion: CriterionPlan) -> str:
    found = criterion.agreement
    assert found is not None
    name = f"{criterion.criterion}: " if criterion.criterion else ""
    if found.items_needed is None:
        limit = coefficient(found.threshold)
        return f"{name}no number of items shows whether alpha differs from {limit}."
    side = "above" if found.alpha > found.threshold else "below"
    return (
        f"{name}alpha is {coefficient(found.alpha)} here; {count(found.items_needed)} items show "
        f"in {percent(found.at)} of studies that it is {side} {coefficient(found.threshold)}."
    )


def _cost_sentences(made: StudyPlan) -> Iterator[str]:
    """The time and the wage, where they are known; once for all criteria that one study serves."""
    if is_unpriced(made.price):
        yield UNPRICED
    accounts = [one.account for one in made.criteria if one.account is not None]
    most = max(accounts, key=lambda account: account.ratings, default=None)
    if most is None or not math.isfinite(most.hours):
        return
    days = f"{amount(most.days, 1)} days" if most.days >= 1 else "less than a day"
    yield (
        f"The largest of these studies takes {amount(most.hours, 1)} hours of judging, {days} "
        f"where judges work side by side{_hourly_words(made.price, most)}."
    )
    yield from (str(warning) for warning in most.warnings)


def _difference_sentence(
    chance: tuple[float, float, float], criterion: CriterionPlan, judges: int
) -> str:
    difference, reached, wanted = chance
    said = f"A difference of {amount(difference)} is found in {percent(reached)} of such studies"
    if criterion.items_for_difference is None:
        return (
            f"{said}. With {counted(judges, 'judge')}, no number of items reaches "
            f"{percent(wanted)}: more judges are needed."
        )
    items = count(criterion.items_for_difference)
    return f"{said}; {items} items of each system are enough for {percent(wanted)}."


def is_unpriced(price: Price) -> bool:
    """Whether nobody said what anything costs, so that cost counts ratings."""
    return price.per_rating == 1 and not price.judge and price.wage is None


def _hourly_words(price: Price, account: StudyCost) -> str:
    """What an hour pays, where the pay of a rating was said and is not the unit of cost."""
    said = price.wage is not None or price.rating != Price.rating
    return f"; an hour pays {amount(account.hourly)}" if said else ""


def _needed_section(made: StudyPlan) -> Section:
    heads = columns(
        "<criterion | now reaches | ratings an item needs | <cheapest study that reaches it | cost"
    )
    caption = f"What reaches {coefficient(made.goal.target)}"
    rows = [_short_row(criterion) for criterion in made.criteria]
    unknown = f"{DASH}: none of the studies tried reaches the target, or there are no components."
    notes = [unknown if _has_dash(rows) else "", UNPRICED if is_unpriced(made.price) else ""]
    blocks: list[Block] = [
        table("needed", caption, heads, rows, note=" ".join(filter(None, notes))),
        Paragraph(_forecast_sentences(made)),
    ]
    differences = [_difference_row(criterion) for criterion in made.criteria if criterion.power]
    if differences:
        share = percent(made.goal.at)
        wanted = made.goal.difference
        asked = "" if wanted is None else f" | chance to find {amount(wanted)} | items it needs"
        heads = columns(f"<criterion | smallest difference found in {share} of studies{asked}")
        cells = [row if wanted is not None else row[:2] for row in differences]
        note = f"{DASH}: no number of items is enough; more judges are needed."
        blocks.append(
            table(
                "differences",
                "Differences between two systems, in points",
                heads,
                cells,
                note=note if _has_dash(cells) else "",
            )
        )
    others = tuple(_other_questions(made))
    blocks += [Bullets(others)] if others else []
    return Section("needed", "What is needed", tuple(blocks))


def _difference_row(criterion: CriterionPlan) -> tuple[str, ...]:
    found, items = criterion.power, criterion.items_for_difference
    chance = math.nan if found is None or found.power is None else found.power
    return (
        criterion.criterion or "all ratings",
        DASH if found is None else amount(found.smallest),
        percent(chance),
        DASH if items is None else count(items),
    )


def _has_dash(rows: list[tuple[str, ...]]) -> bool:
    return any(DASH in row for row in rows)


def _criterion_section(criterion: CriterionPlan) -> Section:
    name = criterion.criterion or ""
    blocks = list(_criterion_blocks(criterion, key_of(name)))
    return Section(
        key_of("plan", name), heading(name or None, "in detail").capitalize(), tuple(blocks)
    )


def _criterion_blocks(criterion: CriterionPlan, key: str) -> Iterator[Block]:
    part = criterion.components
    if criterion.now is None:
        yield Paragraph(part.reason, "warning")
        return
    rows = [
        (
            NAMES.get(row["component"], row["component"]),
            amount(row["variance"], 3),
            f"[{amount(row['low'], 3)}, {amount(row['high'], 3)}]"
            if math.isfinite(row["low"])
            else DASH,
            percent(row["share"]),
            MEANINGS[row["component"]],
        )
        for row in part.rows()
    ]
    heads = columns("<component | variance | interval | share | <how much")
    yield table(f"components-{key}", "Where the variation comes from", heads, rows)
    if part.notes:
        yield Bullets(tuple(part.notes))
    if criterion.latent is not None:
        yield from _latent_blocks(criterion.latent, key)
    yield grid_figure(criterion, key)
    if criterion.contours:
        yield _contour_figure(criterion, key)
    if criterion.account is not None:
        yield _cost_table(criterion, criterion.account, key)
    if criterion.power is not None:
        yield _extensions_table(criterion, criterion.now, criterion.power.smallest, key)


def _latent_blocks(latent: LatentStudy, key: str) -> Iterator[Block]:
    """Ordered categories on their own footing."""
    if latent.reason:
        yield Paragraph(latent.reason, "note")
        return
    rows = [
        (
            NAMES.get(row["component"], row["component"]),
            amount(row["variance"], 3),
            percent(row["share"]),
        )
        for row in latent.components.rows()
    ]
    heads = columns("<component | variance | share")
    title = "The same on the line behind the categories"
    note = str(Note("planning.latent"))
    yield table(f"latent-{key}", title, heads, rows, note=note)


def _contour_figure(criterion: CriterionPlan, key: str) -> Figure:
    heads = columns("<line | judges | items of each system")
    rows = [
        (
            f"reliability {coefficient(point.level)}"
            if point.kind == "reliability"
            else f"cost {amount(point.level)}",
            count(point.judges),
            count(math.ceil(point.items)),
        )
        for point in criterion.contours
    ]
    return Figure(
        key=key_of("contours", key),
        title="Equal reliability, and equal cost",
        description="Studies of equal reliability (lines) and of equal cost (dashed) over the "
        "numbers of judges and items, as in the table; a mark shows the proposed study.",
        spec=contour_picture(criterion),
        panels=(contour_panel(criterion),),
        table=table(f"contours-{key}", "The same as numbers", heads, rows),
    )


def _cost_table(criterion: CriterionPlan, account: StudyCost, key: str) -> Block:
    proposed = "the cheapest study" if criterion.best is not None else "this study"
    reliable = criterion.votes
    single = account.total / account.ratings
    rows = [
        ("ratings", count(account.ratings)),
        ("pay", amount(account.paid)),
        ("fees", amount(account.fees)),
        ("for judges besides", amount(account.for_judges)),
        ("in all", amount(account.total)),
        ("an item with a reliable mean", DASH if reliable is None else amount(single * reliable)),
        ("hours of work", amount(account.hours, 1)),
        ("days, side by side", amount(account.days, 1)),
        ("an hour pays", amount(account.hourly)),
    ]
    note = " ".join(str(warning) for warning in account.warnings)
    heads = columns(f"<of {proposed} | amount")
    return table(f"cost-{key}", "What it costs, and how long it takes", heads, rows, note=note)


def grid_figure(criterion: CriterionPlan, key: str) -> Figure:
    """Draw what every size of a study reaches."""
    systems = criterion.object == "systems"
    grid = criterion.grid
    by_items = columns("items | judges | order | values | error of a mean | cost")
    by_votes = columns("ratings of an item | order | values | error of a mean | cost")
    rows = [
        (
            *(
                (count(cell.size.items), count(cell.size.judges))
                if systems
                else (count(cell.size.votes),)
            ),
            coefficient(cell.generalisability),
            coefficient(cell.dependability),
            amount(cell.error),
            amount(cell.cost),
        )
        for cell in grid
    ]
    what = "systems' means" if systems else "an item's mean"
    numbers = table(f"grid-{key}", "The same as numbers", by_items if systems else by_votes, rows)
    return Figure(
        key=key_of("reliability", key),
        title=f"How reliable {what} become" if systems else "How reliable an item's mean becomes",
        description=f"The reliability of {what} for studies of several sizes, as in the table.",
        spec=systems_picture(criterion) if systems else votes_picture(criterion),
        table=numbers,
        panels=(size_panel(criterion),),
    )


def _value(cell: Forecast, goal: Goal) -> float:
    return cell.dependability if goal.absolute else cell.generalisability


def _extensions_table(criterion: CriterionPlan, now: Forecast, smallest: float, key: str) -> Block:
    rows = [("as it is", *_extension_cells(now, smallest, criterion.goal, now.cost))]
    rows += [
        (
            _added_words(more),
            *_extension_cells(more.forecast, more.smallest, criterion.goal, now.cost),
        )
        for more in criterion.extensions
    ]
    heads = columns("<study | reliability | smallest difference found | cost | more than now")
    return table(f"extensions-{key}", "What a little more would give", heads, rows)


def _added_words(more: Extension) -> str:
    return f"{more.added} more {ADDED[more.kind]}"


def _extension_cells(
    reached: Forecast, smallest: float, goal: Goal, cost: float
) -> tuple[str, str, str, str]:
    return (
        coefficient(_value(reached, goal)),
        amount(smallest),
        amount(reached.cost),
        amount(reached.cost - cost),
    )


def _registration_section(made: StudyPlan, basis: str) -> Section:
    """A paragraph to put into a pre-registration."""
    lead = Paragraph("For a pre-registration, once you have checked it:")
    code = Code(registration(made, basis=basis))
    return Section("registration", "Pre-registration", (lead, code))
