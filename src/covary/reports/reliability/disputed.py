"""The items that judges disagree on most: a section of the reliability report, and its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from covary.analysis.disputed import Disputed, DisputedItem, disputed
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import (
    MOST_ROWS,
    Block,
    Contents,
    Paragraph,
    Section,
    Table,
    columns,
    omission_note,
    table,
    without_empty,
)
from covary.reports.document import Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import DASH, amount, percent
from covary.words import counted, word

FIRST = 5
"""Items that the first page names."""

MOST = 100
"""Items of each criterion that a report keeps; `covary.disputed` has them all."""

LONGEST = 140
"""Letters of a text that a table shows."""

MANY = 4
"""Judges from whom on each rating is named once, with all who gave it."""

HEADS = "<item | <criterion | <who gave what | <furthest | distance | share | <text"


@dataclass(frozen=True, kw_only=True, repr=False)
class DisputedReport(Document):
    """The disputed items, in every form."""

    disputed: Disputed
    contents: Contents

    found_in: ClassVar[str] = "disputed"
    in_notebooks: ClassVar[tuple[str, ...]] = ("disputed",)

    def short(self) -> str:
        """Return the short form for a terminal: the most disputed items."""
        shown = disputed_table(self.disputed.top(10), self.disputed, longest=40)
        heads = [column.title for column in shown.columns]
        return to_terminal(heads, shown.rows, [shown.note])


def disputed_report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    title: str | None = None,
) -> DisputedReport:
    """On which items do judges disagree most? Rank them and write it down."""
    check_path(path, format, "disputed_report")
    result = disputed(ratings, criterion=criterion)
    contents = assemble(
        title or "On which items do judges disagree most?",
        [counted(result.n_items, "item") + " rated by two or more"],
        None,
        [disputed_section(result)],
    )
    return DisputedReport(disputed=result, contents=contents).sealed(ratings).saved(path, format)


def disputed_section(result: Disputed) -> Section | None:
    """List the most disputed items of all criteria."""
    if not result.n_items:
        return None
    blocks: list[Block] = [Paragraph(word("report.disputed"))]
    top = result.top(MOST_ROWS)
    if top:
        blocks.append(disputed_table(top, result))
    else:
        blocks.append(Paragraph(word("report.disputed-none")))
    return Section("disputed", "Disputed items", tuple(blocks))


def disputed_table(
    items: Sequence[DisputedItem], result: Disputed, *, longest: int = LONGEST
) -> Table:
    """Show items with their text, who gave what, and what they add to the disagreement."""
    rows = [_row(item, longest) for item in items]
    notes = [word("report.disputed-note")]
    if result.unadjusted:
        notes.append(word("report.disputed-unadjusted"))
    if len(items) == MOST_ROWS:
        notes.append(omission_note(len(result.items), "item"))
    caption = "The most disputed items"
    shown = table("disputed", caption, columns(HEADS), rows, note=" ".join(filter(None, notes)))
    return without_empty(shown)


def _row(item: DisputedItem, longest: int) -> tuple[str, ...]:
    more = f" and {item.alike - 1:,} alike" if item.alike > 1 else ""
    return (
        f"{item.item}{more}",
        DASH if item.criterion is None else str(item.criterion),
        _given(item),
        DASH if item.furthest is None else str(item.furthest),
        amount(item.distance),
        percent(item.share),
        shortened(item.text, longest) or DASH,
    )


def _given(item: DisputedItem) -> str:
    """Who gave what; of many judges, each rating once: `4 (Ann, Bo, Cy), 1 (Di)`."""
    given: dict[Any, list[str]] = {}
    for judge, rating in zip(item.judges, item.ratings, strict=False):
        given.setdefault(rating, []).append(str(judge))
    if len(item.judges) < MANY or len(given) == len(item.judges):
        return item.given
    numbers = not any(isinstance(rating, str) for rating in given)
    order = sorted(given, reverse=True) if numbers else sorted(given, key=lambda r: -len(given[r]))
    shown = ((f"{r:g}" if isinstance(r, float) else str(r), ", ".join(given[r])) for r in order)
    return ", ".join(f"{rating} ({judges})" for rating, judges in shown)


def shortened(text: str, longest: int) -> str:
    """Cut a text where it is long, between words."""
    words = " ".join(text.split())
    return words if len(words) <= longest else f"{words[:longest].rsplit(' ', 1)[0]} …"
