"""An item's page: its texts in the order of the task, its scales as they are drawn, its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from covary.design.plan import Task
from covary.scales import CannotJudge, Category, Control, Drawing, Passage
from covary.store.records import Answer
from covary.study.item_versions import FILES
from covary.study.model import Criterion, Item, Study
from covary.study.recruiting import matches
from covary.web.guard import opaque_name
from covary.web.judge_flow import FlowStep
from covary.web.pages import from_item, if_changed, page, table_name
from covary.web.site import Site, Visit, those_that_count


@dataclass(frozen=True)
class DrawnScale:
    """A criterion, and the control by which it is answered at a task."""

    criterion: Criterion
    control: Control

    @property
    def condition(self) -> str:
        """When a follow-up is asked, for the page's script; '' where it is asked always."""
        when = self.criterion.when
        return json.dumps([when.criterion, list(map(str, when.answers))]) if when else ""


def draw_scale(criterion: Criterion, task: Task) -> DrawnScale:
    """Say how a criterion is drawn at a task, whose order tells which of two texts is left."""
    wish = Drawing(order=task.order, vertical=criterion.vertical, faces=criterion.faces)
    return DrawnScale(criterion, criterion.scale.control(wish))


LONG = 500
"""Texts with more letters than this are set smaller."""

Sent = str | list[int] | Mapping[str, int]
"""An answer as a page sends it: a mark, several, or one for each part of the question."""


@dataclass(frozen=True)
class ShownText:
    """A text with its heading, which for a turn of a conversation is who speaks.

    `aside` turns are those of others than the one whose turn is judged.
    """

    heading: str
    text: str | Markup
    aside: bool = False


@dataclass(frozen=True)
class ShownItem:
    """One item as it is shown."""

    texts: tuple[ShownText, ...]
    turns: tuple[ShownText, ...]
    speaker: str
    input: str | Markup | None
    files: Mapping[str, str]
    image_text: str
    scales: tuple[DrawnScale, ...]
    long: bool

    @property
    def beside(self) -> bool:
        """Whether two texts stand side by side to be compared."""
        return len(self.texts) == 2 and any(scale.criterion.scale.compares for scale in self.scales)


def rated_in_training(study: Study, part: str) -> tuple[Criterion, ...]:
    """Return what judges who train rate: every criterion, whether or not it is asked of all."""
    return tuple(
        replace(criterion, optional=False, cannot_judge=False, when=None, passages=False)
        for criterion in study.criteria_of(part)
    )


def show_item(study: Study, task: Task, *, questions: bool = True) -> ShownItem:
    """Say what is shown for a task; without `questions`, only what is rated."""
    item = study.item(task.item)
    part = task.part
    criteria = study.asked_of(part) if questions else rated_in_training(study, part)
    texts = [shown_text(study, item.texts[place]) for place in _order(item, task)]
    names = _headings(study, task, len(texts))
    return ShownItem(
        texts=tuple(map(ShownText, names, texts)),
        turns=_turns(study, study.as_shown(item, task.part)),
        speaker=item.speaker,
        input=None if item.input is None else shown_text(study, item.input),
        files=_files(item),
        image_text=item.image_text,
        scales=tuple(draw_scale(criterion, task) for criterion in criteria),
        long=_longest(item) > LONG,
    )


def shown_texts(study: Study, task: Task) -> dict[str, str | None]:
    """Return the texts of an item's page by their names there, as a browser counts their letters.

    None where the text is drawn from Markdown, so that what is shown differs from what is kept.
    """
    item = study.as_shown(study.item(task.item), task.part)
    texts = {f"text {n}": item.texts[place] for n, place in enumerate(_order(item, task), 1)}
    texts |= {f"turn {n}": turn.text for n, turn in enumerate(item.context, 1)}
    if item.input is not None:
        texts["input"] = item.input
    if study.session.markup:
        return dict.fromkeys(texts)
    return {name: text.replace("\r\n", "\n").replace("\r", "\n") for name, text in texts.items()}


def _files(item: Item) -> dict[str, str]:
    """The picture, the recording and the film of an item, by what they are."""
    named = {name: getattr(item, name) for name in FILES}
    return {name: file for name, file in named.items() if file}


def _longest(item: Item) -> int:
    """The letters of the longest text; a conversation is read as one."""
    talk = sum(len(turn.text) for turn in item.context) + sum(map(len, item.texts))
    return max(talk if item.context else 0, *map(len, (*item.texts, item.input or "")))


def _order(item: Item, task: Task) -> tuple[int, ...]:
    return task.order if len(task.order) == len(item.texts) else tuple(range(len(item.texts)))


def _turns(study: Study, item: Item) -> tuple[ShownText, ...]:
    """The turns before; where nobody says whose turn is judged, it answers the last speaker."""
    speakers = {turn.speaker for turn in item.context}
    last = item.context[-1].speaker if item.context else ""
    others = speakers - {item.speaker} if item.speaker else {last}
    return tuple(
        ShownText(turn.speaker, shown_text(study, turn.text), aside=turn.speaker in others - {""})
        for turn in item.context
    )


def _headings(study: Study, task: Task, count: int) -> list[str]:
    """One text needs no heading; two that are compared carry the words of the choices."""
    if count == 1:
        return [""]
    for criterion in study.criteria_of(task.part):
        if len(criterion.scale.text_names) == count:
            return list(criterion.scale.text_names)
    return [str(place) for place in range(1, count + 1)]


def shown_text(study: Study, text: str) -> str | Markup:
    """Return a text of an item as pages show it."""
    return from_item(text, table_name(study)) if study.session.markup else text


FILE_TYPES = {
    **{f".{name}": f"image/{name}" for name in ("avif", "gif", "jpeg", "png", "webp")},
    **{f".{name}": f"audio/{name}" for name in ("aac", "flac", "wav")},
    **dict.fromkeys((".ogg", ".oga", ".opus"), "audio/ogg"),
    **dict.fromkeys((".mp4", ".m4v"), "video/mp4"),
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".weba": "audio/webm",
    ".webm": "video/webm",
    ".ogv": "video/ogg",
}
IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A drawing may have styles of its own, but runs nothing, even when it is opened by itself."""


def file_addresses(site: Site, item: ShownItem) -> dict[str, str]:
    """Return the paths of an item's files by what they are; a file's name may name a system."""
    return {name: _address(site, file) for name, file in item.files.items()}


def _address(site: Site, file: str) -> str:
    return f"/judge/image/{opaque_name(site.tokens.secret, 'image', file)}"


def serve_file_of_item(site: Site, request: Request) -> Response:
    """Answer with a picture, a recording or a film of the study to a judge of the study."""
    site.judge_of(request)
    path = request.url.path
    for item in site.study.items:
        for file in _files(item).values():
            if _address(site, file) == path:
                return _file(site.study.folder, file, request)
    raise HTTPException(404)


def _file(folder: Path, file: str, request: Request) -> Response:
    place = (folder / file).resolve()
    kind = FILE_TYPES.get(place.suffix.lower())
    if kind is None or not place.is_relative_to(folder.resolve()) or not place.is_file():
        raise HTTPException(404)
    headers = {"Cache-Control": "private, max-age=3600", "Content-Security-Policy": IMAGE_POLICY}
    if not kind.startswith("image/"):  # played from any place: in parts
        return FileResponse(place, media_type=kind, headers=headers)
    body = place.read_bytes()
    response = Response(body, media_type=kind, headers=headers)
    return if_changed(request, response, hashlib.sha256(body).hexdigest()[:16])


def draw_item(
    here: Visit, task: Task, status: int = 200, missing: tuple[str, ...] = ()
) -> Response:
    """Draw the page of an item, with the answers that it has already."""
    item = show_item(here.study, task)
    back = here.flow.before(task)
    return page(
        "item",
        status,
        **here.values(),
        item=item,
        scales=drawn_with_answers(here, task),
        task=task,
        progress=here.flow.progress(task),
        part=part_place(here, task),
        files=file_addresses(here.site, item),
        mark=here.tokens.new_page(here.judge.id, *here.page_place(task)),
        back=None if back is None else back.position,
        missing=missing,
    )


def drawn_with_answers(here: Visit, task: Task) -> list[tuple[DrawnScale, PriorAnswer]]:
    """Return what a task asks as it is drawn, with the answers that it has already."""
    current = those_that_count(here.answers_at(task.position))
    drawn = [draw_scale(criterion, task) for criterion in here.asked(task)]
    return [(scale, _prior(scale, current, task)) for scale in drawn]


def _prior(scale: DrawnScale, current: Mapping[str, Answer], task: Task) -> PriorAnswer:
    answer = current.get(scale.criterion.key)
    if answer is None:
        return PriorAnswer()
    return prior_answer(scale, answer.rating, answer.passages, task.order)


@dataclass(frozen=True)
class KnownAnswer:
    """A question with a known answer, what the judge answered, and whether that is it."""

    question: str
    given: str
    expected: str
    matches: bool
    translated: bool


def draw_feedback(here: Visit, task: Task) -> Response:
    """Tell a judge the known answers of the item that was just left."""
    shown, item = show_item(here.study, task), here.study.item(task.item)
    given = those_that_count(here.answers_at(task.position))
    return page(
        "feedback",
        **here.values(),
        item=shown,
        files=file_addresses(here.site, shown),
        answers=[
            _known_answer(drawn, item, given)
            for drawn in shown.scales
            if drawn.criterion.key in item.expected
        ],
        explanation=item.explanation,
        step=FlowStep("feedback", task),
    )


def _known_answer(drawn: DrawnScale, item: Item, given: Mapping[str, Answer]) -> KnownAnswer:
    criterion, control = drawn.criterion, drawn.control
    rating = given[criterion.key].rating if criterion.key in given else None
    decided = rating is not None and not isinstance(rating, CannotJudge)
    return KnownAnswer(
        question=criterion.question,
        given=rating_words(drawn, rating),
        expected=rating_words(drawn, item.expected[criterion.key]),
        matches=decided and matches(criterion, item, rating),
        translated=control.look in ("yes-no", "preference"),
    )


def part_place(here: Visit, task: Task) -> tuple[int, int] | None:
    """Return the number of a judge's part and how many there are; None where there is one."""
    met = parts_met(here)
    return (met.index(task.part) + 1, len(met)) if len(met) > 1 else None


def parts_met(here: Visit) -> list[str]:
    """Return the parts in the sheet's order; practice, which comes first, numbers none of them."""
    assert here.flow.sheet is not None
    tasks = sorted(here.flow.sheet.tasks, key=lambda task: task.kind == "practice")
    return list(dict.fromkeys(task.part for task in tasks))


@dataclass(frozen=True)
class PriorAnswer:
    """What was answered before, as it is sent; None where nothing was, or nothing could be."""

    sent: Sent | None = None
    cannot: bool = False
    reason: str = ""
    passages: str = ""


def prior_answer(
    drawn: DrawnScale,
    rating: Category | CannotJudge | None,
    passages: Sequence[Passage] = (),
    order: tuple[int, ...] = (),
) -> PriorAnswer:
    """Return what was answered before, on a page that shows the texts in this order."""
    if isinstance(rating, CannotJudge):
        return PriorAnswer(cannot=True, reason=rating.reason)
    sent = None if rating is None else drawn.control.sent(rating)
    marked = [
        [_place_on_page(each.where, order), each.start, each.end, each.quote] for each in passages
    ]
    return PriorAnswer(sent, passages=json.dumps(marked, ensure_ascii=False) if marked else "")


def _place_on_page(where: str, order: tuple[int, ...]) -> str:
    kind, _, number = where.partition(" ")
    return f"text {order.index(int(number) - 1) + 1}" if kind == "text" and order else where


def rating_words(drawn: DrawnScale, rating: Category | CannotJudge | None) -> str:
    """Return a rating as it is read on the scale."""
    if rating is None or isinstance(rating, CannotJudge):
        return "–"
    return drawn.control.words(rating)
