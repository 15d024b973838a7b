"""A task for platforms that show pages of their own: a page with marks, and a row for each item.

The platform puts the cells of a row into the page's marks and gives back a table with `Input.…` and
`Answer.…` columns, which `covary crowd import` reads. Cells are escaped already, because platforms
put them into the page as they are; no system's name and no item's name stands in the page.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from markupsafe import Markup, escape

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.study.model import NOT_EVALUATED, Item, Study
from covary.web.judge.item_page import draw_scale
from covary.web.pages import draw_page, from_item, from_researcher

MARKS: Mapping[str, str] = MappingProxyType({"dollar": "${%s}", "braces": "{{%s}}"})
"""How platforms mark where a cell of a row belongs."""

PLAIN = re.compile(r"[^\w -]")


@dataclass(frozen=True)
class TaskTemplate:
    """The page, the rows that fill it, and how many practice and training items were left out."""

    html: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    left_out: int
    mark: str

    def filled(self, row: int = 0) -> str:
        """Return the page as a judge sees it with a row's cells in it."""
        cells = self.rows[row]
        marks = {self.mark % name: cells[name] for name in self.columns}
        pattern = "|".join(re.escape(mark) for mark in marks)
        return re.sub(pattern, lambda match: marks[match[0]], self.html)

    def csv(self) -> str:
        """Return the rows as the platform wants them."""
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, self.columns, lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        return text.getvalue()


def task_template(study: Study, *, part: str | None = None, marks: str = "dollar") -> TaskTemplate:
    """Make the task of a study: one item on a page, with the instructions and every criterion.

    Parameters
    ----------
    study
        The study. Pictures and preferences need `covary serve`: a platform has no place for the
        study's pictures, and shows texts in the same order to everybody.
    part
        Which part, where the study has several.
    marks
        `"dollar"` for ${text}, `"braces"` for {{text}}.
    """
    if marks not in MARKS:
        raise InvalidArgument("web.marks", argument="marks", value=marks, allowed=MARKS)
    chosen = _part(study, part)
    items = [item for item in study.items if item.kind not in NOT_EVALUATED]
    _refuse(study, chosen, items)
    mark = MARKS[marks]
    turns = max((len(item.context) for item in items), default=0)
    texts = max((len(item.texts) for item in items), default=1)
    scales = [
        (_field(criterion.name), draw_scale(criterion, Task(1, items[0].id, part=chosen)))
        for criterion in study.criteria_of(chosen)
    ]
    html = draw_page(
        "task",
        study=study,
        style=Markup(files("covary.web").joinpath("static", "style.css").read_text("utf-8")),
        instructions=from_researcher("\n\n".join((study.consent, study.manual.guidelines)).strip()),
        mark=lambda name: Markup(mark % name),
        has_input=any(item.input for item in items),
        turns=turns,
        texts=texts,
        scales=scales,
        lines=any(drawn.control.look == "line" for _, drawn in scales),
    )
    rows = tuple(MappingProxyType(_row(study, item, turns, texts)) for item in items)
    columns = tuple(name for name in rows[0] if name == "item" or mark % name in html)
    kept = tuple(MappingProxyType({name: row[name] for name in columns}) for row in rows)
    return TaskTemplate(
        html=html, columns=columns, rows=kept, left_out=len(study.items) - len(items), mark=mark
    )


def _part(study: Study, part: str | None) -> str:
    if part is None and len(study.parts) == 1:
        return study.parts[0]
    if part not in study.parts:
        raise InvalidArgument("web.part", argument="part", value=part, allowed=study.parts)
    return part


def _refuse(study: Study, part: str, items: list[Item]) -> None:
    """Refuse what a page without covary behind it cannot do right."""
    pictures = [item.id for item in items if item.image or item.audio or item.video]
    if pictures:
        raise InvalidArgument("web.pictures", items=pictures)
    if study.asked_of(part) != study.criteria_of(part):
        raise InvalidArgument("web.task-questions")
    if any(criterion.scale.compares for criterion in study.criteria_of(part)):
        raise InvalidArgument("web.preference-order")


def _field(name: str) -> str:
    """Return a criterion's name as the name of a field; a full stop would part it."""
    return PLAIN.sub("_", name)


def _row(study: Study, item: Item, turns: int, texts: int) -> dict[str, str]:
    row = {"item": item.id, "input": _cell(study, item.input or "")}
    for number in range(1, turns + 1):
        turn = item.context[number - 1] if number <= len(item.context) else None
        row[f"speaker_{number}"] = str(escape(turn.speaker)) if turn else ""
        row[f"turn_{number}"] = _cell(study, turn.text) if turn else ""
    row["speaker"] = str(escape(item.speaker))
    if texts == 1:
        return row | {"text": _cell(study, item.texts[0] if item.texts else "")}
    padded = [*item.texts, *[""] * (texts - len(item.texts))]
    return row | {f"text_{n}": _cell(study, text) for n, text in enumerate(padded, start=1)}


def _cell(study: Study, text: str) -> str:
    return str(from_item(text) if study.session.markup else escape(text))
