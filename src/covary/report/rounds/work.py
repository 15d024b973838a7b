"""What training took: the work of each round, the editions of the manual, and drift after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from covary.analysis.rounds import Rounds, RoundTime
from covary.analysis.rounds.history import History
from covary.report.contents import Block, Bullets, Paragraph, Section
from covary.report.rounding import DASH, amount, count
from covary.report.tables import MOST_ROWS, Columns, left, limited, table
from covary.report.wording import counted

__all__ = ["drift_section", "manual_section", "work_section"]


def manual_section(found: Rounds) -> Section | None:
    """List the editions of the manual, and of what kind their changes were."""
    history = found.history
    if history is None or not history.editions:
        return None
    rows = [
        (str(number), each.version, str(each.round or DASH), each.by or DASH, kind, what,
         sentence or DASH)
        for number, each in enumerate(history.editions, start=1)
        for kind, what, sentence in each.changes or ((DASH, "the first edition", ""),)
    ]  # fmt: skip
    columns: Columns = [
        left("edition"),
        left("version"),
        left("after round"),
        left("by"),
        left("kind"),
        left("change"),
        left("sentence"),
    ]
    listed = table("editions", "editions of the manual", columns, rows[:MOST_ROWS],
                   limited(len(rows)))  # fmt: skip
    about = "Every rating points to the version of the manual that was in force."
    blocks: list[Block] = [Paragraph(about), listed]
    kinds = [_kinds(number, kinds) for number, kinds in history.kinds.items() if kinds]
    if kinds:
        blocks.append(Bullets(tuple(kinds)))
    return Section("manual", "How did the manual grow?", tuple(blocks))


def _kinds(number: int, kinds: Mapping[str, int]) -> str:
    told = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    return f"Changes of the manual after round {number}: {told}."


def work_section(found: Rounds) -> Section | None:
    """List what each round took: items, marks, words, changes, and the judges' time."""
    blocks: list[Block] = []
    history = found.history
    if history is not None and history.work:
        blocks += _work(history)
    if found.times:
        rows = [(str(each.round), str(each.judge), _minutes(each.seconds)) for each in found.times]
        blocks.append(Paragraph(_total(found.times)))
        blocks.append(
            table("times", "time spent on rating", [left("round"), left("judge"), "minutes"],
                  rows[:MOST_ROWS], limited(len(rows)))
        )  # fmt: skip
    return Section("training", "What did the training take?", tuple(blocks)) if blocks else None


def _work(history: History) -> list[Block]:
    rows = [
        (str(each.round), _day(each.began), count(each.judges), count(each.items),
         DASH if each.marked is None else count(each.marked), count(each.said),
         f"{each.accepted} of {each.proposals}", count(each.changes))
        for each in history.work
    ]  # fmt: skip
    columns: Columns = [
        left("round"),
        left("began"),
        "judges",
        "items",
        "marked",
        "statements",
        "proposals accepted",
        "changes",
    ]
    blocks: list[Block] = [table("work", "the work of each round", columns, rows)]
    verdicts = [f"Round {each.round}: {each.verdict}" for each in history.work if each.verdict]
    if verdicts:
        blocks += [Paragraph("What the stop rule said:"), Bullets(tuple(verdicts))]
    return blocks


def _day(written: str) -> str:
    try:
        return datetime.fromisoformat(written).date().isoformat()
    except ValueError:
        return written or DASH


def _total(times: Sequence[RoundTime]) -> str:
    by_judge: dict[str, float] = {}
    for each in times:
        by_judge[str(each.judge)] = by_judge.get(str(each.judge), 0.0) + each.seconds
    least, most = min(by_judge.values()), max(by_judge.values())
    spent = _minutes(most) if _minutes(least) == _minutes(most) else (
        f"{_minutes(least)} to {_minutes(most)}"
    )  # fmt: skip
    rounds = counted(len({each.round for each in times}), "round")
    return f"Each judge spent {spent} minutes on rating in {rounds}; talking is not counted."


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:,.1f}"


def drift_section(found: Rounds) -> Section | None:
    """Say whether judges rate later items of the last round differently from earlier ones."""
    drifts = [(each, judge, drift) for each in found.criteria for judge, drift in each.drifts]
    if not drifts:
        return None
    rows = [
        (each.name, str(judge), amount(drift.slope),
         f"[{amount(drift.low)}, {amount(drift.high)}]", "yes" if drift.clear else "no")
        for each, judge, drift in drifts
    ]  # fmt: skip
    columns: Columns = [
        left("criterion"),
        left("judge"),
        "drift per 100 ratings",
        "95% interval",
        left("clear"),
    ]
    clear = sum(drift.clear for _, _, drift in drifts)
    label = found.labels[-1]
    told = (
        f"In round {label}, {clear} of {len(drifts)} slopes are clearly not 0: the judge's ratings "
        "move away from what the others give as the round goes on."
        if clear
        else f"In round {label} no judge clearly drifts: later items are rated like earlier ones."
    )
    listed = table("drift", f"drift in round {label}", columns, rows[:MOST_ROWS],
                   limited(len(rows)))  # fmt: skip
    return Section("drift", "Do judges drift after training?", (Paragraph(told), listed))
