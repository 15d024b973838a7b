"""Studies as values, small enough to walk through, with every kind of scale."""

from dataclasses import replace
from pathlib import Path

from covary.design.plan import Sheet, Task
from covary.scales import GraphicScale, Preference, VerbalScale, VisualScale, YesNo
from covary.study.model import Background, Criterion, Item, Manual, Session, Study, Turn

SEVEN = VerbalScale(
    range(1, 8),
    labels=(
        "completely unreadable", "very hard to read", "hard to read", "somewhat readable",
        "fairly easy to read", "easy to read", "reads perfectly",
    ),
)  # fmt: skip
DUC = VerbalScale(
    range(1, 6), labels=("Very Poor", "Poor", "Barely Acceptable", "Good", "Very Good")
)
LINE = VisualScale(labels=("extremely bad", "excellent"))

VERBAL = Criterion("Fluency", "How fluent is this text?", SEVEN, definition="Does it read well?")
QUALITY = Criterion("Grammaticality", "The text should have no errors. How good is it?", DUC)
VISUAL = Criterion("Clarity", "How clear is this text?", LINE)
FACES = Criterion("Liking", "How do you like it?", VisualScale(), faces=True)
UPRIGHT = Criterion("Warmth", "How warm is it?", LINE, vertical=True)
GRAPHIC = Criterion(
    "Ease", "How easy is it?",
    GraphicScale({0: "very hard", 25: "hard", 50: "so-so", 75: "easy", 100: "very easy"}),
)  # fmt: skip
YES = Criterion("True", "Is it true?", YesNo())
BETTER = Criterion("Better", "Which text is better?", Preference(tie="same"))
ROW = Criterion("Row", "How good is it?", DUC, vertical=False)
RANK = Criterion("Relevance", "How relevant is it?", VerbalScale([1, 2, 3, 4], best="low"))

EVERY = (VERBAL, QUALITY, VISUAL, FACES, UPRIGHT, GRAPHIC, YES, ROW)

TEXTS = (
    "Southerly winds of ten to fifteen knots will rise gradually towards the evening.",
    "The wind will be from the south and get stronger later in the day.",
    "Gusts! Southerly, mostly.",
)
GUIDELINES = (
    "# How to judge\n\nRead the *whole* text first.\n\n| mark | means |\n|---|---|\n| 1 | bad |\n"
)


def study(folder: Path, *criteria: Criterion, **changes) -> Study:
    """A study of three items (and one for practice) with the criteria given."""
    asked = criteria or (VERBAL,)
    pair = any(isinstance(each.scale, Preference) for each in asked)
    items = tuple(
        Item(f"sys-alpha-{number}", texts=(text, text[::-1]) if pair else (text,),
             systems=("sys-alpha", "sys-beta") if pair else ("sys-alpha",), source=f"s{number}")
        for number, text in enumerate(TEXTS, 1)
    )  # fmt: skip
    practice = Item("practice-sys-alpha", ("Rain later.",) * len(items[0].texts), kind="practice")
    return replace(
        Study(
            folder=folder,
            title="Weather forecasts",
            criteria=tuple(asked),
            items=(practice, *items),
            manual=Manual(GUIDELINES, "m1"),
            session=Session(code="COVARY-42"),
            consent="We ask you to judge **short texts**. You may stop at any time.",
            background=(
                Background("native", "Is English your first language?", ("yes", "no"), group=True),
                Background("field", "What do you study?", required=False),
            ),
            contact="forecasts@example.org",
            parts=tuple(dict.fromkeys(each.part for each in asked)),
        ),
        **changes,
    )


def bare(folder: Path, *criteria: Criterion, **changes) -> Study:
    """A study that goes straight to its items."""
    plain = study(folder, *criteria)
    items = tuple(each for each in plain.items if each.kind != "practice")
    empty = {"consent": "", "background": (), "manual": Manual("", "m1"), "items": items}
    return replace(plain, **(empty | changes))


def conversation() -> Item:
    """A turn of a conversation, with an input beside it."""
    turns = (Turn("Ann", "Will it rain tomorrow?"), Turn("Bot", "In Leeds or in York?"))
    return Item("talk", ("In York it stays dry all day.",), ("bot",), context=turns,
                input="York: 0 mm")  # fmt: skip


def sheet(
    study: Study, number: int = 1, *, order: tuple[int, ...] = (), occasions: int = 1
) -> Sheet:
    """All items for one judge as listed, practice first, part by part, on each occasion."""
    tasks = [(each.id, "practice", study.parts[0], 1) for each in study.items_of("practice")]
    tasks += [
        (each.id, each.kind, part, occasion)
        for occasion in range(1, occasions + 1)
        for part in study.parts
        for each in study.items
        if each.kind not in ("practice", "training")
    ]
    return Sheet(
        number,
        tuple(
            Task(place, item, kind, part, occasion, order)
            for place, (item, kind, part, occasion) in enumerate(tasks, 1)
        ),
    )
