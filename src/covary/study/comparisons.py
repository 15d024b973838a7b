"""Whether the texts of an item can be compared, where a criterion asks which of them is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from covary.formats.toml_tables import FileFaults
from covary.scales import Drawing
from covary.study.items import ItemRow
from covary.study.model import Criterion, Item, Study

Fault = tuple[str, str, dict[str, Any]]
"""A column, what is wrong there by its code, and the facts of it."""


def check_compared_texts(
    rows: Iterable[tuple[Item, ItemRow]], study: Study, faults: FileFaults
) -> None:
    """Report items whose texts a criterion of theirs cannot compare."""
    compared = [criterion for criterion in study.criteria if criterion.scale.compares]
    for item, row in rows:
        own = [criterion for criterion in compared if item.belongs_to(criterion.part)]
        for criterion in own if item.texts or item.audio or item.video else ():
            found = next(_faults_of(item, criterion), None)
            if found is not None:
                column, code, facts = found
                faults.add(row.line, column, code, item=item.id, criterion=criterion.key, **facts)
                break


def _faults_of(item: Item, criterion: Criterion) -> Iterator[Fault]:
    """Yield what is wrong, the number of texts first."""
    scale, texts = criterion.scale, len(item.texts)
    if not texts and scale.rated == scale:  # one recording may hold both
        return
    if not 2 <= texts <= scale.most_texts:
        code = "study.not-two-texts" if scale.most_texts == 2 else "study.not-several-texts"
        yield "text", code, {"texts": texts, "most": scale.most_texts}
    if scale.rated == scale:
        return
    if item.systems and len(set(item.systems)) < texts:
        yield "system", "study.systems-alike", {"systems": len(set(item.systems)), "texts": texts}
    if item.kind == "training":
        yield "kind", "study.not-in-training", {}
    expected = item.expected.get(criterion.key)
    control = scale.control(Drawing(order=tuple(range(texts))))
    if expected is not None and control.sent(expected) is None:
        yield "expected", "study.expected-beyond", {"value": expected, "texts": texts}
