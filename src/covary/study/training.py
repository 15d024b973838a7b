"""The [training] table of study.toml, and training sets that hold only items which are new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from covary.formats.toml_tables import FileFaults, TomlTable
from covary.study.model import NOT_EVALUATED, Criterion, Item, TrainingSettings


@dataclass(frozen=True)
class SharedTrait:
    """An item that is not new: what it has of which other item."""

    item: str
    what: str
    other: str

    def __str__(self) -> str:
        return f"{self.item} (the {self.what} of {self.other})"


def shared_traits(items: Iterable[Item], others: Iterable[Item]) -> tuple[SharedTrait, ...]:
    """Find items that are among others too: the same name, text, input, image or source.

    Texts are compared without regard to capitals and white space. Of several things that an item
    shares, the plainest is named.

    Examples
    --------
    >>> shared_traits([Item("t1", ("Who  lit it?",))], [Item("e1", ("Who lit it?",))])
    (SharedTrait(item='t1', what='text', other='e1'),)
    """
    owners: dict[tuple[str, str], str] = {}
    for other in others:
        for trait in _traits(other):
            owners.setdefault(trait, other.id)
    shared: dict[str, SharedTrait] = {}
    for item in items:
        for trait in _traits(item):
            if trait in owners:
                shared[item.id] = SharedTrait(item.id, trait[0], owners[trait])
    return tuple(shared.values())


def _traits(item: Item) -> list[tuple[str, str]]:
    """What must not be shared, the plainest last so that it is named."""
    texts = [("input", item.input or ""), *(("text", text) for text in item.texts)]
    traits = [("source", item.source or ""), ("image", item.image or "")]
    traits += [(what, " ".join(text.split()).casefold()) for what, text in texts]
    return [*((what, value) for what, value in traits if value), ("item", item.id)]


NAMING = ("aliases", "names")


def read_training(
    table: TomlTable, criteria: Sequence[Criterion], names: Sequence[str]
) -> TrainingSettings:
    """Read how judges are trained; `names` are the keys of all criteria, also of faulty ones."""
    usual = TrainingSettings()
    training = TrainingSettings(
        names=table.choice("names", NAMING, usual.names),
        editors=table.texts("editors") or (),
        thresholds=_read_thresholds(table.table("thresholds"), criteria, names),
        share=_read_share(table, "share", usual.share),
        at_least=_read_share(table, "at_least", usual.at_least),
        confidence=_read_share(table, "confidence", usual.confidence),
    )
    for key, default in (("at_least", usual.at_least), ("confidence", usual.confidence)):
        if getattr(training, key) == 1:
            table.fault(key, "study.never-reached", default=default)
    if training.at_least > training.share:
        facts = {"at_least": training.at_least, "share": training.share}
        table.fault("at_least", "study.at-least-above-share", **facts)
    table.done()
    return training


def check_training_sets(
    items: Sequence[Item], lines: Mapping[str, int], faults: FileFaults
) -> None:
    """Report training items that the evaluation or an earlier training set shows too."""
    trained = [item for item in items if item.kind == "training"]
    judged = [item for item in items if item.kind not in NOT_EVALUATED]

    def report(shared: Sequence[SharedTrait], code: str) -> set[str]:
        # two items of one name have a fault of their own
        others = [trait for trait in shared if trait.what != "item"]
        for trait in others:
            facts = {"item": trait.item, "what": trait.what, "other": trait.other}
            faults.add(lines[trait.item], trait.what, code, **facts)
        return {trait.item for trait in others}

    known = report(shared_traits(trained, judged), "study.training-judged")
    sets = sorted({item.set for item in trained if item.set is not None})
    for number in sets[1:]:
        own = [item for item in trained if item.set == number and item.id not in known]
        before = [item for item in trained if item.set is not None and item.set < number]
        report(shared_traits(own, before), "study.training-again")


def _read_share(table: TomlTable, key: str, default: float) -> float:
    value: float = table.number(key, default)
    if not 0 < value <= 1:
        table.fault(key, "study.no-share", value=value, example=default)
        return default
    return value


def _read_thresholds(
    table: TomlTable, criteria: Sequence[Criterion], names: Sequence[str]
) -> MappingProxyType[str, float]:
    thresholds: dict[str, float] = {}
    sound = {criterion.key for criterion in criteria}
    for key in table.content:
        if key not in names:
            table.has(key)
            table.fault(key, "study.no-criterion", value=key, allowed=names)
            continue
        value = table.number(key, None, 0)
        if value is not None and key in sound:
            thresholds[key] = float(value)
    return MappingProxyType(thresholds)
