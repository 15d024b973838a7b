"""Studies made in code: grids of sources and systems, plain items, pairs of outputs."""

from dataclasses import replace
from pathlib import Path

from covary.scales import Preference, VerbalScale, VisualScale
from covary.study.model import Criterion, DesignSettings, Item, Manual, Study

FLUENCY = Criterion("fluency", "How fluent is it?", VerbalScale([1, 2, 3, 4, 5, 6, 7]))


def a_study(items, *, criteria=(FLUENCY,), **wish):
    """A study of these items whose design is wished for by keywords."""
    return Study(
        folder=Path("somewhere"),
        title="Made up",
        criteria=tuple(criteria),
        items=tuple(items),
        manual=Manual("Read each text.", "v1"),
        design=DesignSettings(**wish),
        parts=tuple(dict.fromkeys(each.part for each in criteria)) or ("",),
    )


def grid(sources, systems, extra=(), **wish):
    """One output of each system for each source, and whatever else is said."""
    items = [
        Item(f"t{t}s{s}", (f"Text {t} of {s}",), (f"system {s}",), f"source {t}")
        for t in range(sources)
        for s in range(systems)
    ]
    return a_study([*items, *extra], **wish)


def texts(number, *, systems=0, extra=(), **wish):
    """Items without sources; with systems if their number is said."""
    items = [
        Item(f"t{i}", (f"Text {i}",), (f"system {i % systems}",) if systems else ())
        for i in range(number)
    ]
    return a_study([*items, *extra], **wish)


def pairs(number, *, size=2, **wish):
    """Items that show several outputs beside each other."""
    names = tuple(f"system {letter}" for letter in "abcdefgh"[:size])
    prefer = Criterion("preference", "Which one is better?", Preference("AB"))
    items = [Item(f"p{i}", tuple(f"{name} on {i}" for name in names), names) for i in range(number)]
    return a_study(items, criteria=[prefer], **wish)


def of_kind(kind, number, **more):
    """Practice items, checks, gold items or anchors."""
    return [Item(f"{kind}{i}", (f"A {kind}",), kind=kind, **more) for i in range(number)]


def two_parts(study):
    """The same study, judged on a verbal and then on a visual scale."""
    verbal = replace(FLUENCY, part="VDS")
    visual = Criterion("fluency", "How fluent is it?", VisualScale(), part="VAS")
    return replace(study, criteria=(verbal, visual), parts=("VDS", "VAS"))
