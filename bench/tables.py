"""Markdown tables of what was measured."""

from dataclasses import dataclass
from pathlib import Path

from cases import LONG, Case, Peer, Size
from machine import versions
from processes import Outcome

__all__ = ["Row", "long_table", "size_table", "written"]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"

HEAD = (
    "coefficient", "covary", "with interval", "1,000 resamples", "MB",
    "peer", "time", "MB", "× value", "× interval", "× resamples",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A coefficient at one size: covary's three outcomes and those of its peers."""

    case: Case
    ours: dict[str, Outcome]
    theirs: list[tuple[Peer, Outcome]]


def size_table(size: Size, rows: list[Row]) -> str:
    lines = [line for row in rows for line in _lines(row)]
    return f"### {size.name}\n\n{_table(HEAD, lines)}"


def long_table(rows: list[tuple[Size, str, dict[str, Outcome]]]) -> str:
    head = ("size", "coefficient", "matrix", *(name.removeprefix("covary_") for name in LONG))
    names = ("covary", *LONG)
    lines = [
        [size.name, function, *(f"{_time(found[n])}, {_memory(found[n])} MB" for n in names)]
        for size, function, found in rows
    ]
    return f"### From long frames\n\n{_table(head, lines)}"


def written(text: str) -> None:
    """Put the tables into the page, between its two marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = f"{before}{BEGIN}\n\n{text}\n\nVersions: {versions()}.\n\n{END}{after}"
    PAGE.write_text(made, encoding="utf-8")


def _lines(row: Row) -> list[list[str]]:
    modes = list(row.ours.values())
    ours = [_title(row.case), *map(_time, modes), " / ".join(map(_memory, modes))]
    if not row.theirs:
        return [[*ours, "none", *[""] * 5]]
    lines = []
    for peer, found in row.theirs:
        name = f"{peer.program} ±" if peer.interval else peer.program
        ratios = [_ratio(found, mode) for mode in modes]
        lines.append([*ours, name, _time(found), _memory(found), *ratios])
        ours = [""] * len(ours)
    return lines


def _title(case: Case) -> str:
    return case.title + (" °" if case.missing else "") + (" (2 judges)" if case.judges else "")


def _time(found: Outcome) -> str:
    if found.seconds is None:
        return found.failed
    if found.seconds >= 1:
        return f"{found.seconds:.2f} s"
    return f"{found.seconds * 1e3:.3g} ms"


def _memory(found: Outcome) -> str:
    return "" if found.bytes is None else f"{found.bytes / 1e6:.0f}"


def _ratio(peer: Outcome, ours: Outcome) -> str:
    """How many times longer the peer takes; bold where it is the quicker one."""
    if peer.seconds is None or ours.seconds is None:
        return ""
    times = peer.seconds / ours.seconds
    shown = f"{times:.0f}" if times >= 10 else f"{times:.2g}"
    return shown if times >= 1 else f"**{shown}**"


def _table(head: tuple[str, ...], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [list(head), rule, *lines])
