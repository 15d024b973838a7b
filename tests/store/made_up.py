"""Made-up studies, sheets and answers."""

from pathlib import Path

from covary.design.plan import Sheet, Task
from covary.scales import Preference, VerbalScale, VisualScale
from covary.store import Answer
from covary.study.model import Background, Criterion, Item, Manual, Study

FLUENCY = Criterion("fluency", "How fluent?", VerbalScale(range(1, 6)), part="words")
CLARITY = Criterion("clarity", "How clear?", VisualScale(), part="line")
BETTER = Criterion("better", "Which is better?", Preference(tie="same"), part="pairs")


def study(folder=Path(), *, criteria=(FLUENCY, CLARITY), **more) -> Study:
    """Two systems on three sources, and one item of each other kind."""
    items = [
        Item(f"{system}{n}", (f"text {system}{n}",), (system,), source=f"s{n}")
        for system in "ab"
        for n in (1, 2, 3)
    ]
    others = [Item(kind, ("text",), kind=kind) for kind in ("practice", "check", "gold", "anchor")]
    parts = tuple(dict.fromkeys(each.part for each in criteria))
    background = (Background("native", "Is it your first language?", ("yes", "no"), group=True),)
    return Study(
        folder, "Made up", criteria, (*items, *others), Manual("Read.", "m1"), parts=parts,
        **{"background": background} | more,
    )  # fmt: skip


ITEMS = tuple(f"{system}{n}" for system in "ab" for n in (1, 2, 3))


def item_at(sheet: int, position: int) -> str:
    return ITEMS[(sheet + position - 1) % len(ITEMS)]


def sheets(number: int, tasks: int = 200) -> list[Sheet]:
    return [
        Sheet(
            n,
            tuple(
                Task(place, item_at(n, place), part="words", order=(1, 0))
                for place in range(1, tasks + 1)
            ),
            f"row {n}",
        )
        for n in range(1, number + 1)
    ]


def answer(rating=3, *, judge=1, position=1, key=None, sequence=1, page="p", **more) -> Answer:
    """An answer by Ann about the first task of her sheet, unless said otherwise."""
    values = {"sheet": judge, "criterion": FLUENCY.key, "manual": "m1"} | more
    values.setdefault("item", item_at(values["sheet"], position))
    key = key or f"{judge}-{position}-{values['criterion']}-{page}-{sequence}"
    return Answer(
        judge=judge, position=position, rating=rating, key=key, sequence=sequence, page=page,
        **values,
    )  # fmt: skip
