"""The [training] table of study.toml, and the training sets among the items."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from covary.study.disjoint import Shared, shared_traits
from covary.study.faults import Faults, near
from covary.study.model import APART, Criterion, Item, TrainingWish
from covary.study.rows import Row
from covary.study.tables import Table

__all__ = ["check_training_sets", "read_training"]

NAMES = ("aliases", "names")

LATER = "judges would have discussed what they rate later"


def read_training(
    table: Table, criteria: Sequence[Criterion], names: Sequence[str]
) -> TrainingWish:
    """Read how judges are trained; `names` are the keys of all criteria, also of faulty ones."""
    usual = TrainingWish()
    wish = TrainingWish(
        names=table.choice("names", NAMES, usual.names),
        editors=table.texts("editors") or (),
        thresholds=_thresholds(table.table("thresholds"), criteria, names),
        share=_share(table, "share", usual.share),
        at_least=_share(table, "at_least", usual.at_least),
        confidence=_share(table, "confidence", usual.confidence),
    )
    for key, usual_one in (("at_least", usual.at_least), ("confidence", usual.confidence)):
        if getattr(wish, key) == 1:
            table.fault(key, f"1 can never be reached; write {usual_one:g}")
    if wish.at_least > wish.share:
        table.fault(
            "at_least",
            f"{wish.at_least:g} is more than share = {wish.share:g}; the lower end of an interval "
            "lies below what is asked for",
        )
    table.done()
    return wish


def check_training_sets(
    items: Sequence[Item], rows: Sequence[Row], faults: Faults, file: str
) -> None:
    """Report training items that the evaluation or an earlier training set shows too."""
    lines = {item.id: row.line for item, row in zip(items, rows, strict=True)}
    trained = [each for each in items if each.kind == "training"]
    judged = [each for each in items if each.kind not in APART]

    def report(found: Shared, where: str) -> None:
        told = f"{found.item!r} has the {found.what} of {found.other!r}, which {where}"
        faults.add(file, lines[found.item], found.what, told)

    # two items of one name have a fault of their own
    known = [each for each in shared_traits(trained, judged) if each.what != "item"]
    for each in known:
        report(each, f"is judged in the evaluation: {LATER}; train on other items")
    told = {each.item for each in known}
    sets = sorted({each.set for each in trained if each.set is not None})
    for number in sets[1:]:
        own = [each for each in trained if each.set == number and each.id not in told]
        before = [each for each in trained if each.set is not None and each.set < number]
        for each in shared_traits(own, before):
            if each.what != "item":
                report(each, "is in an earlier training set; every round needs new items")


def _share(table: Table, key: str, default: float) -> float:
    found: float = table.number(key, default)
    if not 0 < found <= 1:
        table.fault(key, f"{found:g} must be a share above 0 and up to 1, such as {default:g}")
        return default
    return found


def _thresholds(
    table: Table, criteria: Sequence[Criterion], names: Sequence[str]
) -> MappingProxyType[str, float]:
    found: dict[str, float] = {}
    known = {each.key for each in criteria}
    for key in table.content:
        if key not in names:
            table.has(key)
            table.fault(key, f"no criterion is called {key!r}; {near(key, names)}")
            continue
        value = table.number(key, None, 0)
        if value is not None and key in known:
            found[key] = float(value)
    return MappingProxyType(found)
