"""What a judge sees of an item: texts in the order of the task, what stands beside them.

No id and no system's name passes through here, because an id may well contain the name.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from covary.design.plan import Task
from covary.scales import Preference
from covary.study.model import Item, Study
from covary.web.judge.drawing import Drawn, draw
from covary.web.markup import from_item

__all__ = ["Said", "Shown", "shown"]

LONG = 500
"""Texts with more letters than this are set smaller."""


@dataclass(frozen=True)
class Said:
    """A text with its heading, which for a turn of a conversation is who speaks.

    `aside` turns are those of others than the one whose turn is judged.
    """

    heading: str
    text: str | Markup
    aside: bool = False


@dataclass(frozen=True)
class Shown:
    """One item as it is shown."""

    texts: tuple[Said, ...]
    turns: tuple[Said, ...]
    speaker: str
    input: str | Markup | None
    image: str | None
    image_text: str
    scales: tuple[Drawn, ...]
    long: bool

    @property
    def beside(self) -> bool:
        """Whether two texts stand side by side to be compared."""
        return len(self.texts) == 2 and any(each.look == "preference" for each in self.scales)


def shown(study: Study, task: Task) -> Shown:
    """Say what is shown for a task."""
    item = study.item(task.item)
    criteria = study.criteria_of(task.part)
    texts = [_text(study, item.texts[place]) for place in _order(item, task)]
    names = _headings(study, task, len(texts))
    return Shown(
        texts=tuple(map(Said, names, texts)),
        turns=_turns(study, item),
        speaker=item.speaker,
        input=None if item.input is None else _text(study, item.input),
        image=item.image,
        image_text=item.image_text,
        scales=tuple(draw(criterion, task) for criterion in criteria),
        long=max(map(len, item.texts), default=0) > LONG,
    )


def _order(item: Item, task: Task) -> tuple[int, ...]:
    return task.order if len(task.order) == len(item.texts) else tuple(range(len(item.texts)))


def _turns(study: Study, item: Item) -> tuple[Said, ...]:
    """The turns before; where nobody says whose turn is judged, it answers the last speaker."""
    speakers = {turn.speaker for turn in item.context}
    last = item.context[-1].speaker if item.context else ""
    others = speakers - {item.speaker} if item.speaker else {last}
    return tuple(
        Said(turn.speaker, _text(study, turn.text), aside=turn.speaker in others - {""})
        for turn in item.context
    )


def _headings(study: Study, task: Task, count: int) -> list[str]:
    """One text needs no heading; two that are compared carry the words of the choices."""
    if count == 1:
        return [""]
    for criterion in study.criteria_of(task.part):
        if count == 2 and isinstance(criterion.scale, Preference):
            assert criterion.scale.categories is not None
            return [str(criterion.scale.categories[0]), str(criterion.scale.categories[-1])]
    return [str(place) for place in range(1, count + 1)]


def _text(study: Study, text: str) -> str | Markup:
    return from_item(text) if study.session.markup else text
