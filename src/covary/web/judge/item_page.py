"""The page of one item."""

from __future__ import annotations

from starlette.responses import Response

from covary.design.plan import Task
from covary.store.records import Answer
from covary.web.images import image_address
from covary.web.judge.drawing import Drawn
from covary.web.judge.showing import shown
from covary.web.judge.visit import Visit, those_that_count
from covary.web.pages import page

__all__ = ["draw_item", "part_words"]


def draw_item(
    here: Visit, task: Task, status: int = 200, missing: tuple[str, ...] = ()
) -> Response:
    """Draw the page of an item, with the answers that it has already."""
    item = shown(here.study, task)
    current = those_that_count(here.answers_at(task.position))
    given = [_given(each, current.get(each.criterion.key)) for each in item.scales]
    back = here.walk.before(task)
    return page(
        "item",
        status,
        **here.values(),
        item=item,
        scales=list(zip(item.scales, given, strict=True)),
        task=task,
        progress=here.walk.progress(task),
        part=part_words(here, task),
        image=image_address(here.site, item.image) if item.image else None,
        mark=here.site.proof.new_page(
            here.judge.id, here.sheet_number, task.position, here.study.manual.version
        ),
        back=None if back is None else back.position,
        missing=missing,
    )


def part_words(here: Visit, task: Task) -> str:
    """Say in which part a judge is, where there are several; parts are met in the sheet's order."""
    assert here.walk.sheet is not None
    met = list(dict.fromkeys(each.part for each in here.walk.sheet.tasks))
    return f"Part {met.index(task.part) + 1} of {len(met)}" if len(met) > 1 else ""


def _given(drawn: Drawn, answer: Answer | None) -> str | None:
    """What was answered before, as it is sent; None where nothing was."""
    if answer is None or answer.rating is None:
        return None
    return drawn.sent(answer.rating)
