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
from covary.errors import InvalidArgument, listed
from covary.scales import Preference
from covary.study.model import APART, Item, Study
from covary.web.judge.drawing import draw
from covary.web.markup import from_item, from_researcher
from covary.web.pages import draw_page

__all__ = ["MARKS", "TaskTemplate", "task_template"]

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
        pattern = "|".join(re.escape(each) for each in marks)
        return re.sub(pattern, lambda found: marks[found[0]], self.html)

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
        raise InvalidArgument(f"marks={marks!r} must be one of {listed(MARKS)}")
    chosen = _part(study, part)
    items = [each for each in study.items if each.kind not in APART]
    _refuse(study, chosen, items)
    mark = MARKS[marks]
    turns = max((len(each.context) for each in items), default=0)
    texts = max((len(each.texts) for each in items), default=1)
    scales = [(_field(each.name), draw(each, Task(1, items[0].id, part=chosen)))
              for each in study.criteria_of(chosen)]  # fmt: skip
    html = draw_page(
        "task",
        study=study,
        style=Markup(files("covary.web").joinpath("static", "style.css").read_text("utf-8")),
        instructions=from_researcher("\n\n".join((study.consent, study.manual.guidelines)).strip()),
        mark=lambda name: Markup(mark % name),
        has_input=any(each.input for each in items),
        turns=turns,
        texts=texts,
        scales=scales,
        lines=any(drawn.look == "line" for _, drawn in scales),
    )
    rows = tuple(MappingProxyType(_row(study, each, turns, texts)) for each in items)
    columns = tuple(name for name in rows[0] if name == "item" or mark % name in html)
    kept = tuple(MappingProxyType({name: row[name] for name in columns}) for row in rows)
    return TaskTemplate(html, columns, kept, len(study.items) - len(items), mark)


def _part(study: Study, part: str | None) -> str:
    if part is None and len(study.parts) == 1:
        return study.parts[0]
    if part not in study.parts:
        raise InvalidArgument(f"part={part!r} must be one of the parts {listed(study.parts)}")
    return part


def _refuse(study: Study, part: str, items: list[Item]) -> None:
    """Refuse what a page without covary behind it cannot do right."""
    pictures = [each.id for each in items if each.image]
    if pictures:
        raise InvalidArgument(
            f"the items {listed(pictures)} have pictures, which a platform cannot fetch; collect "
            "them with 'covary serve'"
        )
    if any(isinstance(each.scale, Preference) for each in study.criteria_of(part)):
        raise InvalidArgument(
            "a platform shows two texts in the same order to everybody, and a preference needs "
            "the order to change from judge to judge; collect it with 'covary serve'"
        )


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
    given = [*item.texts, *[""] * (texts - len(item.texts))]
    return row | {f"text_{n}": _cell(study, text) for n, text in enumerate(given, start=1)}


def _cell(study: Study, text: str) -> str:
    return str(from_item(text) if study.session.markup else escape(text))
