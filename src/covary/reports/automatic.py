"""Automatic judges beside people, in every form."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from covary.analysis.automatic import AutomaticJudge, AutomaticStudy, SystemMean, automatic
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import (
    Block,
    Bullets,
    Contents,
    Figure,
    Paragraph,
    Section,
    Table,
    Tone,
    columns,
    interval_name,
    key_of,
    table,
    without_empty,
)
from covary.reports.charts import scatter
from covary.reports.document import WIDTH, Document, FilePath, align, assemble, check_path
from covary.reports.formatting import (
    DASH,
    FEWEST,
    amount,
    coefficient,
    count,
    level_percent,
    p_value,
    percent,
    with_interval,
)
from covary.reports.scale_comparison.plots import against
from covary.version import __version__
from covary.words import counted, word

TONES: dict[str, Tone] = {
    "shown": "good",
    "ruled out": "bad",
    "open": "unclear",
    "unknown": "none",
}

WORDS = {"shown": "yes", "ruled out": "no", "open": "open", "unknown": DASH}
"""Whether it may take a person's place, in a table."""

METRIC_PLACES = 4
"""Decimals of the means of a metric, whose unit is not known."""

FEWEST_POINTS = 3
"""Systems from which their means are drawn."""


@dataclass(frozen=True, kw_only=True, repr=False)
class AutomaticReport(Document):
    """May automatic judges stand in for people? In every form."""

    automatic: AutomaticStudy
    contents: Contents

    found_in: ClassVar[str] = "automatic"
    in_notebooks: ClassVar[tuple[str, ...]] = ("overview",)

    def short(self) -> str:
        """Return the short form for a terminal."""
        rows = [_short_row(judge) for judge in self.automatic.judges]
        sentences = [_named(judge, judge.sentence) for judge in self.automatic.judges]
        sentences += [
            _named(judge, note) for judge in self.automatic.judges for note in judge.notes
        ]
        level = f"In brackets: {level_percent(self.automatic.confidence)} intervals."
        below = (textwrap.fill(sentence, WIDTH) for sentence in (*dict.fromkeys(sentences), level))
        kept = without_empty(table("overview", "", columns(SHORT_HEADS), rows))
        cells = [[column.title for column in kept.columns], *map(list, kept.rows)]
        return "\n".join([*align(cells), "", *below])


def automatic_report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    scores: Ratings | None = None,
    judges: Sequence[Any] = (),
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    margin: float = 0.2,
    confidence: float = 0.95,
    rng: Any = 0,
    title: str | None = None,
) -> AutomaticReport:
    """May a language model or a metric stand in for judges? Ask, and write it down.

    Parameters
    ----------
    ratings, scores, judges, criterion, margin, confidence, rng
        As in `covary.automatic`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, docx, json or csv; the ending of `path` by default.
    title
        The heading of the report.
    """
    check_path(path, format, "automatic_report")
    result = automatic(
        ratings,
        scores,
        judges=judges,
        criterion=criterion,
        margin=margin,
        confidence=confidence,
        rng=rng,
    )
    people, judges = result.names
    facts = [counted(len(people), "person", "people"), counted(len(judges), "automatic judge")]
    sections = [_first(result), *map(_section, result.judges), _methods(result)]
    heading = title or "May an automatic judge stand in for people?"
    contents = assemble(heading, facts, result.confidence, sections)
    made = AutomaticReport(automatic=result, contents=contents)
    sources = (ratings,) if scores is None else (ratings, scores)
    return made.sealed(*sources).saved(path, format)


def _named(judge: AutomaticJudge, sentence: str) -> str:
    return sentence if judge.criterion is None else f"{judge.criterion}: {sentence}"


def _first(result: AutomaticStudy) -> Section:
    """The verdicts, and a table of what they rest on."""
    verdicts: list[Block] = [
        Paragraph(_named(judge, judge.sentence), "verdict", tone=TONES[judge.replaces])
        for judge in result.judges
    ]
    heads, rows = _overview(result)
    note = (
        "Replaces: whether it may take a person's place. Advantage: on which share of the items it "
        "is at least as close to the others as the person it replaces. Agreement is with a person, "
        "rank correlation with the mean of the others; people's own stand beside them. Above "
        f"people: in points of the scale. In brackets {interval_name(result.confidence)}s."
    )
    shown = without_empty(
        table("overview", "Automatic judges beside people", columns(heads), rows, note=note)
    )
    notes = dict.fromkeys(_named(judge, note) for judge in result.judges for note in judge.notes)
    beside = [Bullets(tuple(notes))] if notes else []
    return Section("overview", "May it stand in for people?", (*verdicts, *beside, shown))


HEADS = (
    "<criterion | <judge | items | replaces | people replaced | advantage | agreement | people's | "
    "rank correlation | people's own | above people | systems ordered alike"
)


def _overview(result: AutomaticStudy) -> tuple[str, list[tuple[str, ...]]]:
    return HEADS, [_overview_row(judge) for judge in result.judges]


SHORT_HEADS = (
    "<criterion | <judge | items | replaces | agreement | people's | correlation | people's | above"
)


def _short_row(judge: AutomaticJudge) -> tuple[str, ...]:
    """The columns of the overview that fit a terminal."""
    row = _overview_row(judge)
    return (*row[:4], *row[6:11])


def _overview_row(judge: AutomaticJudge) -> tuple[str, ...]:
    test = judge.test if judge.test is not None and judge.test.persons else None
    replaced = sum(person.replaced for person in test.persons) if test else 0
    return (
        DASH if judge.criterion is None else str(judge.criterion),
        str(judge.judge),
        count(judge.n_items),
        WORDS[judge.replaces],
        f"{replaced} of {len(test.persons)}" if test else DASH,
        coefficient(test.advantage) if test else DASH,
        with_interval(judge.agreement),
        coefficient(judge.people),
        coefficient(judge.r),
        coefficient(judge.r_people),
        _with_ends(judge.shift, judge.shift_low, judge.shift_high),
        f"{judge.pairs_alike} of {judge.pairs} pairs" if judge.pairs else DASH,
    )


def _with_ends(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return DASH
    ends = f" [{amount(low)}, {amount(high)}]" if math.isfinite(low + high) else ""
    return f"{amount(value)}{ends}"


def _section(judge: AutomaticJudge) -> Section:
    """One automatic judge on one criterion: person by person, and system by system."""
    key = key_of(judge.criterion or "ratings", judge.judge)
    blocks: list[Block] = []
    if math.isfinite(judge.r_behind_low):
        blocks.append(Paragraph(_order_sentence(judge)))
    blocks += _persons(judge, key)
    blocks += _systems(judge, key)
    blocks += _sharpened(judge, key)
    title = _named(judge, str(judge.judge))
    inside = "Person by person, and what it makes of the systems."
    return Section(key, title, tuple(blocks) or (Paragraph(judge.sentence),), inside)


def _order_sentence(judge: AutomaticJudge) -> str:
    ends = f"[{coefficient(judge.r_behind_low)}, {coefficient(judge.r_behind_high)}]"
    if judge.r_behind_low > 0:
        said = "orders items less like the others than people do"
    elif judge.r_behind_high < 0:
        said = "orders items more like the others than people do"
    else:
        said = "is not shown to order items otherwise than people do"
    return (
        f"{judge.judge} {said}: rank correlation {coefficient(judge.r)}, people's own "
        f"{coefficient(judge.r_people)} (difference {coefficient(judge.r_behind)} {ends})."
    )


PERSON_HEADS = (
    "<person | items | at least as close | person ahead by | p, margin | replaced | shown better"
)


def _persons(judge: AutomaticJudge, key: str) -> Iterator[Table]:
    if judge.test is None or not judge.test.persons:
        return
    rows = [
        (
            str(judge.people_names[person.person]),
            count(person.n),
            percent(person.advantage),
            coefficient(person.behind),
            p_value(person.p),
            "yes" if person.replaced else "no",
            "yes" if person.worse else "no",
        )
        for person in judge.test.persons
    ]
    note = (
        f"At least as close: on how many items {judge.judge} is as close to the other people as "
        "the person is, or closer. Ahead by: how much more often the person is. p: that the "
        f"person is ahead by {coefficient(judge.margin)} or more."
    )
    caption = f"{judge.judge} in each person's place"
    yield table(f"{key}-persons", caption, columns(PERSON_HEADS), rows, note=note)


def _systems(judge: AutomaticJudge, key: str) -> Iterator[Block]:
    if len(judge.systems) < 2:
        return
    heads = "<system | items | people | automatic | favoured by"
    rows = [_system_row(own, judge) for own in judge.systems]
    note = (
        "Favoured by: how much more the automatic judge lies above people here than on the other "
        "systems; these intervals hold for all systems at once, and * marks those without 0."
    )
    note = note if judge.on_scale else ""
    shown = without_empty(
        table(
            f"{key}-systems",
            f"Systems' means, by people and by {judge.judge}",
            columns(heads),
            rows,
            note=note,
        )
    )
    drawn = judge.on_scale and len(judge.systems) >= FEWEST_POINTS
    yield _picture(judge, key, shown) if drawn else shown


def _system_row(own: SystemMean, judge: AutomaticJudge) -> tuple[str, ...]:
    mark = " *" if own.favoured else ""
    favour = _with_ends(own.favour, own.favour_low, own.favour_high)
    return (
        str(own.system),
        count(own.n),
        amount(own.people),
        amount(own.automatic, FEWEST if judge.on_scale else METRIC_PLACES),
        f"{favour}{mark}",
    )


def _picture(judge: AutomaticJudge, key: str, shown: Table) -> Figure:
    points: list[dict[str, Any]] = [
        {
            "x": own.people,
            "y": own.automatic,
            "label": str(own.system),
            "text": f"{own.system}: people {amount(own.people)}, "
            f"{judge.judge} {amount(own.automatic)}",
        }
        for own in judge.systems
    ]
    ends = _room([point[way] for point in points for way in ("x", "y")])
    axes = ("people's mean", f"{judge.judge}'s mean")
    alike = f"{judge.pairs_alike} of {judge.pairs} pairs of systems stand in the same order"
    return Figure(
        key=key_of("automatic-picture", key),
        title=_named(judge, alike),
        description=(
            f"Each system's mean by {judge.judge} over its mean by people; on the dashed line both "
            "are equal."
        ),
        spec=against([{k: p[k] for k in ("x", "y", "label")} for p in points], axes, ends),
        panels=(scatter(points, axes, ends=(ends, ends), diagonal=True),),
        table=shown,
    )


def _room(values: Sequence[float]) -> tuple[float, float]:
    space = 0.12 * (max(values) - min(values)) or 0.5
    return min(values) - space, max(values) + space


POWERED_HEADS = (
    "<mean of | rated by people | further items | people alone | both together | weight | "
    "worth in rated items"
)


def _sharpened(judge: AutomaticJudge, key: str) -> Iterator[Table]:
    """People's means, sharpened by the ratings of items that nobody rated."""
    known = [(str(own.system), own.powered) for own in judge.systems if own.powered]
    known += [("all items", judge.powered)] if judge.powered else []
    rows = [
        (
            name,
            count(mean.rated),
            count(mean.further),
            _with_ends(mean.people, mean.people_low, mean.people_high),
            _with_ends(mean.mean, mean.low, mean.high),
            coefficient(mean.weight),
            f"{amount(mean.gain)} ×" if math.isfinite(mean.gain) else DASH,
        )
        for name, mean in known
    ]
    if rows:
        note = (
            "Both together: prediction-powered mean (Angelopoulos et al. 2023) of people's "
            "ratings. Weight: how far the automatic ratings are relied on. Worth: as many times "
            "the rated items would give people alone such an interval."
        )
        caption = f"People's means with the help of {judge.judge}"
        yield table(f"{key}-together", caption, columns(POWERED_HEADS), rows, note=note)


def _methods(result: AutomaticStudy) -> Section:
    said = word("automatic.methods", {"margin": result.margin, "unit": result.judges[0].unit})
    text = f"{said} covary {__version__} was used."
    return Section(
        "methods", "How was this computed?", (Paragraph(text),), "A paragraph for the paper."
    )
