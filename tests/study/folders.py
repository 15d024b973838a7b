"""Small study folders, right and wrong, written for a test."""

from pathlib import Path

from covary.errors import StudyError, StudyFault
from covary.study import read_study

TOML = """\
title = "Small"

[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = { kind = "verbal", categories = "1-5" }
"""

ITEMS = """\
item,text,system,source
a1,One.,x,s1
a2,Two.,y,s1
"""


def write_study(folder: Path, toml: str = TOML, items: str | None = ITEMS, **files: str) -> Path:
    """Write a folder with study.toml, items.csv and guidelines.md; `files` are further ones."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(toml, encoding="utf-8")
    (folder / "guidelines.md").write_text("Judge each text on its own.\n", encoding="utf-8")
    if items is not None:
        (folder / "items.csv").write_text(items, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def faults_of(folder: Path) -> tuple[StudyFault, ...]:
    """Return the faults of a folder, none where it can be read."""
    try:
        read_study(folder)
    except StudyError as error:
        return error.faults
    return ()


def only_fault(folder: Path) -> StudyFault:
    """Return the fault of a folder that has one."""
    faults = faults_of(folder)
    assert len(faults) == 1, [str(each) for each in faults]
    return faults[0]
