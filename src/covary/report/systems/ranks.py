"""How sure the order of the systems is, and whether it depends on who happened to judge them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covary.analysis.systems import CriterionSystems, Ranks, Systems, SystemScore
from covary.report.contents import Block, Figure, Paragraph, Section, Table
from covary.report.rounding import DASH, amount, count, percent
from covary.report.systems.answer import named, on, places_of
from covary.report.systems.plots import rank_chances, slopes, slopes_height
from covary.report.tables import (
    MOST_ROWS,
    Columns,
    key_of,
    left,
    level_of,
    limited,
    table,
    without_empty,
)
from covary.report.wording import counted, listing

__all__ = ["ranks_section", "severity_section"]

MOST_RANKED = 20
"""Systems up to which the probability of every rank is drawn."""

MOST_LINES = 15
"""Systems up to which each gets a line from before to after."""

LABEL = 15
"""The height of a label in the picture, in its units."""


def ranks_section(found: Systems) -> Section | None:
    """Show how probable each rank is for each system."""
    blocks = [block for each in found.criteria for block in _ranks(each, found.confidence)]
    if not blocks:
        return None
    about = (
        "How probable it is that a system would have a rank in a study like this one. The judges "
        "and the sources (items, where sources are not known) are drawn again, with replacement, "
        "and the systems ranked by their means each time."
    )
    return Section("ranks", "How sure is the order?", (Paragraph(about), *blocks))


def _ranks(each: CriterionSystems, confidence: float) -> Iterator[Block]:
    found = each.ranks
    if found is None:
        return
    shown = _rank_table(each, found, confidence)
    if found.probabilities is None or len(each.systems) > MOST_RANKED:
        yield shown
        return
    first = max(each.systems, key=lambda score: score.best)
    yield Figure(
        key_of("ranks-picture", each.name),
        named(each, f"most likely to come first: {first.name} ({percent(first.best)})"),
        "A row for each system and a column for each rank, with the probability in percent: the "
        "darker, the more probable.",
        rank_chances(
            list(_cells(each, found)), [score.name for score in each.systems], len(each.systems)
        ),
        shown,
    )


def _cells(each: CriterionSystems, found: Ranks) -> Iterator[dict[str, Any]]:
    for score in each.systems:
        for rank, chance in enumerate(_chances(each, found, score), 1):
            text = "" if chance < 0.005 else f"{100 * chance:.0f}"
            yield {"name": score.name, "rank": rank, "chance": chance, "text": text}


def _chances(each: CriterionSystems, found: Ranks, score: SystemScore) -> tuple[float, ...]:
    assert found.probabilities is not None
    return found.probabilities[each.place(score)]


def _rank_table(each: CriterionSystems, found: Ranks, confidence: float) -> Table:
    adjusted = each.adjusted_ranks
    columns: Columns = [
        left("system"), "rank", "P(best)", "expected rank", f"{level_of(confidence)} of the rank",
        "P(best), severity removed",
    ]  # fmt: skip
    rows = []
    for score in each.systems[:MOST_ROWS]:
        place = each.place(score)
        rows.append(
            (score.name, str(score.rank), percent(score.best), amount(found.expected[place], 1),
             f"{found.low[place]} to {found.high[place]}" if found.low[place] else DASH,
             DASH if adjusted is None else percent(adjusted.best[place]))
        )  # fmt: skip
    drawn = f"{counted(found.resamples, 'resample')} of {listing(found.drawn)}, seed {found.seed}."
    notes = [drawn, limited(len(each.systems), "system")]
    if found.undefined:
        notes.append(f"{count(found.undefined)} of them, in which a system was missing, left out.")
    note = " ".join(note for note in notes if note)
    made = table(key_of("ranks", each.name), named(each, "ranks"), columns, rows, note)
    return without_empty(made)


def severity_section(found: Systems) -> Section | None:
    """Show the systems before and after the severity of judges is removed."""
    blocks: list[Block] = []
    for each in found.criteria:
        blocks.append(Paragraph(on(each, each.adjustment.sentence)))
        if each.adjustment.possible and not each.adjustment.balanced:
            blocks += _severity(each)
    about = (
        "A mild judge lifts the systems that he or she happened to rate. The additive model "
        "rating = system + judge (+ source) estimates how far each judge rates above or below the "
        "others on the same systems, and takes that away."
    )
    title = "Does the order depend on who judged?"
    return Section("severity", title, (Paragraph(about), *blocks))


def _severity(each: CriterionSystems) -> Iterator[Block]:
    shown = _before_after(each)
    if len(each.systems) <= MOST_LINES:
        points = list(_points(each))
        order = [score.name for score in each.systems]
        changes = "changes" if each.adjustment.changed else "keeps"
        yield Figure(
            key_of("severity-picture", each.name),
            named(each, f"removing severity {changes} the order of the systems"),
            "A line for each system from its mean rating to its mean without the severity of "
            "judges; better is higher.",
            slopes(points, order, descending=each.best == "low"),
            shown,
        )
    else:
        yield shown
    yield _judges(each)


def _points(each: CriterionSystems) -> Iterator[dict[str, Any]]:
    for when in ("before", "after"):
        scores = {
            score.name: score.mean if when == "before" else score.adjusted for score in each.systems
        }
        heights = _apart(scores)
        for score in each.systems:
            moved = score.rank != score.adjusted_rank
            yield {
                "name": score.name, "when": when, "score": scores[score.name],
                "label": f"{_cut(score.name)} {amount(scores[score.name], places_of(each))}",
                "height": heights[score.name],
                "moved": "changes its rank" if moved else "keeps its rank",
            }  # fmt: skip


def _cut(name: str, most: int = 17) -> str:
    """Shorten a name that a picture has no room for."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _apart(scores: dict[str, float]) -> dict[str, float]:
    """Move labels apart that would lie on each other, each as little as need be.

    Least squares under the condition of a least distance: labels that push each other share the
    middle of where they want to be.
    """
    order = sorted(scores, key=lambda name: scores[name])
    least = (scores[order[-1]] - scores[order[0]]) * LABEL / slopes_height(len(order))
    heaps: list[tuple[float, int]] = []  # where a heap of labels wants to begin, and its size
    for place, name in enumerate(order):
        middle, size = scores[name] - place * least, 1
        while heaps and heaps[-1][0] > middle:
            other, more = heaps.pop()
            middle, size = (other * more + middle * size) / (more + size), more + size
        heaps.append((middle, size))
    begins = [middle for middle, size in heaps for _ in range(size)]
    return {name: begins[place] + place * least for place, name in enumerate(order)}


def _before_after(each: CriterionSystems) -> Table:
    places = places_of(each)
    rows = [
        (score.name, amount(score.mean, places), str(score.rank), amount(score.adjusted, places),
         str(score.adjusted_rank), percent(score.best), percent(score.adjusted_best))
        for score in each.systems[:MOST_ROWS]
    ]  # fmt: skip
    columns: Columns = [left("system"), "mean", "rank", "adjusted mean", "adjusted rank", "P(best)",
               "adjusted P(best)"]  # fmt: skip
    note = limited(len(each.systems), "system")
    caption = named(each, "systems before and after severity is removed")
    return without_empty(table(key_of("severity", each.name), caption, columns, rows, note))


def _judges(each: CriterionSystems) -> Table:
    """List the judges from the one who rates lowest to the one who rates highest."""
    found = sorted(each.adjustment.severities.items(), key=lambda pair: pair[1])
    rows = [(str(judge), amount(value)) for judge, value in found[:MOST_ROWS]]
    mild = "above 0 is milder" if each.best == "high" else "above 0 is stricter"
    note = f"In points of the scale, beside the mean of all judges; {mild}."
    return table(
        key_of("severities", each.name), named(each, "severity of judges"),
        [left("judge"), "rates higher by"], rows,
        " ".join(part for part in (note, limited(len(found), "judge")) if part),
    )  # fmt: skip
