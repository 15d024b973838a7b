"""Change the files of a study and those that stand beside ratings, and read them."""

import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from covary.design.files import read_plan, write_plan
from covary.design.make import make_plan
from covary.errors import CovaryError
from covary.formats.measures import read_answers, read_gold, read_measures, read_preferences
from covary.formats.mturk import read_batch
from covary.reports.heds import read_heds
from covary.study import read_study
from covary.study.dialogues import read_dialogues
from tests.fuzz.mutants import (
    DAMAGE,
    JSON_DAMAGE,
    JSON_SAME,
    quoted,
    with_blank_end,
    with_mark,
    with_windows_lines,
)
from tests.fuzz.tally import Tally

STUDY = """\
title = "Forecasts"
language = "en"
guidelines = "guidelines.md"
consent = "You may stop at any time."
[[criterion]]
name = "Clarity"
question = "How clear is this text?"
scale = { kind = "verbal", categories = "1-7" }
[[criterion]]
name = "Readability"
question = "How readable is this text?"
scale = { kind = "visual", labels = ["bad", "good"] }
[[background]]
name = "native"
question = "Is English your first language?"
options = ["yes", "no"]
[design]
kind = "everyone"
judges = 3
[session]
go_back = false
break_every = 50
"""
FILES = {
    "study.toml": STUDY,
    "items.csv": "item,text,system,source\n"
    + "".join(f"i{n},Text number {n}.,s{n % 2},d{n // 2}\n" for n in range(1, 7)),
    "guidelines.md": "# How to judge\n\nRead the *whole* text.\n",
}
BATCH = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.item,Answer.rating\n"
    "H1,A1,W1,Submitted,i1,4\nH1,A2,W2,Submitted,i1,5\nH2,A3,W1,Approved,i2,2\n"
)


@dataclass(frozen=True)
class Reader:
    """A file, and what reads it; `same` are ways of writing it that change nothing."""

    file: str
    content: str
    read: Callable[[Path], Any]
    damage: tuple[Callable[[bytes, Random], bytes], ...] = DAMAGE
    same: tuple[Callable[[str, Random], bytes], ...] = (with_mark, with_windows_lines)


def _study(path: Path) -> tuple[object, ...]:
    made = read_study(path.parent)
    return (made.title, made.criteria, made.items, made.session, made.background, made.consent)


TABLE = (with_mark, with_windows_lines, with_blank_end, quoted)


@cache
def readers() -> tuple[Reader, ...]:
    measures = "system,accuracy,seconds\nA,0.91,12.5\nB,0.74,\n"
    gold = "item,criterion,answer\nq1,fluency,3\nq2,fluency,4\n"
    turns = "session,turn,speaker,text\ns1,1,Ann,Hello.\ns1,2,Bot,Hi there.\ns2,1,Bo,Yes?\n"
    lines = '{"session": "s1", "turn": 1, "speaker": "Ann", "text": "Hello."}\n'
    return (
        Reader("study.toml", FILES["study.toml"], _study, same=(with_windows_lines,)),
        Reader("items.csv", FILES["items.csv"], _study, same=TABLE),
        Reader("guidelines.md", FILES["guidelines.md"], lambda path: read_study(path.parent).title),
        Reader("design.csv", "", lambda path: read_plan(path, read_study(path.parent)), same=TABLE),
        Reader("measures.csv", measures, read_measures, same=TABLE),
        Reader("preferences.csv", "judge,preference\nAnn,a\nBo,b\n", read_preferences, same=TABLE),
        Reader("gold.csv", gold, read_gold, same=TABLE),
        Reader("answers.csv", "item,answer\nq1,3\nq2,4\n", read_answers, same=TABLE),
        Reader("batch.csv", BATCH, read_batch, same=TABLE),
        Reader("turns.csv", turns, read_dialogues, same=TABLE),
        Reader("turns.jsonl", lines * 1, read_dialogues, damage=JSON_DAMAGE, same=JSON_SAME),
        Reader("heds.json", "{}", read_heds, damage=DAMAGE, same=(with_blank_end,)),
    )


def read_changed(folder: Path, draw: Random, tally: Tally) -> str:
    """Change one of the files and read it; return what should not have happened."""
    reader = draw.choice(readers())
    content = reader.content or _design(folder)
    same = draw.random() < 0.3
    change = draw.choice(reader.same if same else reader.damage)
    changed = change(content, draw) if same else change(content.encode(), draw)
    found = _read(folder, reader, changed, tally)
    if isinstance(found, Fault):
        return f"{reader.file}, {change.__name__}: {found}"
    if same and found is not None:
        tally.compared += 1
        before = _read(folder, reader, content.encode(), Tally())
        if repr(found) != repr(before):
            return f"{reader.file}, {change.__name__}: other values, {before!r} and {found!r}"[:600]
    return ""


class Fault(str):
    """What should not have happened."""


def _read(folder: Path, reader: Reader, content: bytes, tally: Tally) -> Any:
    """What was read; None where covary refuses; a fault where something else happens."""
    for name, usual in FILES.items():
        (folder / name).write_text(usual)
    path = folder / reader.file
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = reader.read(path)
    except CovaryError as error:
        tally.refused += 1
        tally.refusals[error.code] += 1
        return None if str(error).strip() else Fault("a refusal without words")
    except Exception:
        return Fault(traceback.format_exc(limit=-3))
    finally:
        path.unlink()
    tally.read += 1
    return found


DESIGN: list[str] = []


def _design(folder: Path) -> str:
    """A design of the study, made once."""
    if not DESIGN:
        for name, usual in FILES.items():
            (folder / name).write_text(usual)
        path = write_plan(make_plan(read_study(folder), judges=3, seed=1), folder / "made.csv")
        DESIGN.append(path.read_text())
        path.unlink()
    return DESIGN[0]
