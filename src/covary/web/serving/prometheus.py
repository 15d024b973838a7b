"""The counts of all processes in the text format that Prometheus and its kin read."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covary.version import __version__
from covary.web.serving.metrics import BOUNDS, SAVE

__all__ = ["CONTENT_TYPE", "Family", "as_text", "build_info", "families_of"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, Any]
Count = tuple[Labels, float]


@dataclass(frozen=True)
class Family:
    """Numbers of one kind, each with what tells it from the others of its kind."""

    name: str
    kind: str
    help: str
    lines: Sequence[tuple[str, Labels, float]]


def families_of(snapshots: Iterable[Mapping[str, Any]]) -> Iterator[Family]:
    """Return what is known of all processes, each with its number."""
    given = list(snapshots)
    requests: list[Count] = [
        ({"worker": each["number"], "method": method, "route": route, "status": status}, number)
        for each in given
        for method, route, status, number in sorted(each["requests"])
    ]
    yield _counter("requests", "Requests by route and status.", requests)
    refused = _summed(requests, _refusal)
    yield _counter("refusals", "Requests that were refused, by status.", refused)
    saves = _summed(requests, _save)
    yield _counter("saves", "Saves of one answer: kept, refused or failed.", saves)
    lines = [line for each in given for line in _histogram(each)]
    yield Family("covary_save_seconds", "histogram", "How long judges waited for a save.", lines)
    for name, help_text in (
        ("commits", "Transactions that were written."),
        ("written", "Changes that they held; several share a transaction."),
    ):
        found: list[Count] = [({"worker": each["number"]}, each[name]) for each in given]
        yield _counter(name, help_text, found)
    yield _gauge("waiting", "Changes that wait to be written.", given, "waiting")
    yield _gauge("started_seconds", "When the process started (Unix time).", given, "started")


def as_text(families: Iterable[Family]) -> str:
    """Return the numbers in Prometheus' text format, version 0.0.4."""
    return "".join(line + "\n" for family in families for line in _written(family))


def build_info(database: str) -> Family:
    """Return which covary this is."""
    labels = {"version": __version__, "python": platform.python_version(), "database": database}
    return Family("covary_build_info", "gauge", "Which covary runs.", [("", labels, 1)])


def _counter(name: str, help_text: str, found: Iterable[Count]) -> Family:
    lines = [("", labels, number) for labels, number in found]
    return Family(f"covary_{name}_total", "counter", help_text, lines)


def _gauge(name: str, help_text: str, given: Iterable[Mapping[str, Any]], key: str) -> Family:
    lines = [("", {"worker": each["number"]}, each[key]) for each in given]
    return Family(f"covary_{name}", "gauge", help_text, lines)


def _refusal(about: Labels) -> Labels | None:
    if about["status"] < 400:
        return None
    return {"worker": about["worker"], "status": about["status"]}


def _save(about: Labels) -> Labels | None:
    if about["route"] != SAVE or about["method"] != "POST":
        return None
    status = about["status"]
    outcome = "kept" if status < 400 else "refused" if status < 500 else "failed"
    return {"worker": about["worker"], "outcome": outcome}


def _summed(
    counts: Iterable[Count],
    shorter: Callable[[Labels], Labels | None],
) -> list[Count]:
    """Add up counts under fewer labels; those for which there are none are left out."""
    sums: Counter[tuple[tuple[str, Any], ...]] = Counter()
    for about, number in counts:
        labels = shorter(about)
        if labels is not None:
            sums[tuple(labels.items())] += int(number)
    return [(dict(labels), number) for labels, number in sums.items()]


def _histogram(each: Mapping[str, Any]) -> Iterator[tuple[str, Labels, float]]:
    so_far = 0
    bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
    for bound, number in zip(bounds, each["classes"], strict=True):
        so_far += number
        yield "_bucket", {"worker": each["number"], "le": bound}, so_far
    yield "_sum", {"worker": each["number"]}, each["seconds"]
    yield "_count", {"worker": each["number"]}, so_far


def _written(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for ending, labels, number in family.lines:
        named = ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())
        braces = f"{{{named}}}" if named else ""
        yield f"{family.name}{ending}{braces} {number:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
