"""Does a word for a coefficient's size belong to the scale of interpretation that is named?"""

from __future__ import annotations

from collections import Counter

from covary.analysis.published.entry import ONE_OR_TABLE, Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, choice, flag, nearest, words
from covary.analysis.published.numbers import CheckedNumber, Part
from covary.stats.bands import BANDS

__all__ = ["INTERPRETATION"]


def _bands(entry: Entry) -> tuple[Part, ...]:
    scale, word = BANDS[entry["scale"]], entry["word"].lower()
    labels = [band.label for band in scale.bands]
    if word not in labels:
        raise EntryFault("word", f"{scale.title} has no {word!r}{nearest(word, labels)}")
    found = [_judged(entry, cell, word) for cell in entry.cells]
    times = Counter(number.data["band"] for number in found)
    shown = ", ".join(f"{count} {label}" for label, count in times.most_common())
    said = f"{scale.title}: {shown}."
    if len(found) == 1:
        said = f"“{word}” {found[0].judged}; {found[0].arithmetic}."
    elif entry.get("mostly"):
        verdict = "fits" if times[word] > len(found) / 2 else "does not fit"
        said = f"“Mostly {word}” {verdict}. {said}"
    return (entry.part(said, found),)


def _judged(entry: Entry, cell: Cell, word: str) -> CheckedNumber:
    value, scale = float(cell.printed.value), BANDS[entry["scale"]]
    label = scale.band(value)
    others = [
        other.title for other in BANDS.values() if other is not scale and other.band(value) == word
    ]
    line = f"{cell.printed.text} is {label} on the scale of {scale.title}"
    data = {"band": label}
    if label == word:
        return entry.number(cell, label, "fits", line, data=data)
    if entry.get("mostly"):
        return entry.number(cell, label, "derived", line, data=data)
    if others:
        why = f"the scale is that of {' or '.join(others)}"
        return entry.number(cell, label, "fits only if", line, condition=why, data=data)
    return entry.number(cell, label, "does not fit", line, data=data)


INTERPRETATION = Kind(
    "the word for a coefficient's size against the bands of a published scale",
    {
        **ONE_OR_TABLE,
        "scale": Field(choice(*BANDS), needed=True),
        "word": Field(words, needed=True),
        "mostly": Field(flag),
    },
    _bands,
)
