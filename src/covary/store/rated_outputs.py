"""What answers are ratings of: an item as its page showed it, or each of its texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from covary.scales import Scale
from covary.store.items import version_name
from covary.store.records import Answer
from covary.store.store import Store
from covary.study.item_versions import ItemVersion, version_of
from covary.study.model import Study


@dataclass(frozen=True, kw_only=True)
class RatedOutput:
    """What one rating is of: an item, or one of its texts, in the columns of ratings."""

    item: str
    rating: Any
    system: str | None
    source: str | None
    cluster: str | None
    text: str


@dataclass(frozen=True)
class ShownVersion:
    """An item as it was shown: what ratings call it, and what it said."""

    name: str
    content: ItemVersion

    def rated(self, scale: Scale, answer: Any) -> Iterator[RatedOutput]:
        """Return what an answer rates: the item, or each of its texts where these are compared."""
        content = self.content.content
        source, cluster = content.get("source"), content.get("cluster")
        texts, systems = content.get("texts", ()), content.get("systems", [None])
        told = scale.ratings_of_texts(answer, len(texts))
        if not told:
            yield RatedOutput(
                item=self.name,
                rating=answer,
                system=self.content.system,
                source=source,
                cluster=cluster,
                text=" / ".join(texts),
            )
        for place, rating in enumerate(told):
            yield RatedOutput(
                item=f"{self.name} / {place + 1}",
                rating=rating,
                system=systems[min(place, len(systems) - 1)],
                source=self.name,
                cluster=cluster or source,
                text=texts[place],
            )


class ShownVersions:
    """What the items said that answers were given on.

    An answer that is older than the versions counts as given on the first that was kept.
    """

    def __init__(self, study: Study, store: Store) -> None:
        self._study = study
        self._kept: dict[tuple[str, str], ShownVersion] = {}
        for version in store.items.all():
            item = version.content.item
            shown = ShownVersion(version.name, version.content)
            self._kept.setdefault((item, ""), shown)
            self._kept[item, version.version] = shown

    def of(self, answer: Answer) -> ShownVersion:
        """Return the item of an answer as it was shown."""
        place = (answer.item, answer.item_version)
        if place not in self._kept:
            content = version_of(self._study.item(answer.item), self._study.folder)
            same = content.version == answer.item_version or not answer.item_version
            name = version_name(answer.item, 1 if same else answer.item_version)
            self._kept[place] = ShownVersion(name, content)
        return self._kept[place]
