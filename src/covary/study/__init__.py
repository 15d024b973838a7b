"""The study as a value: read, check and write its folder."""

from covary.study.dialogues import (
    Dialogues,
    DialogueTurn,
    dialogue_items,
    read_dialogues,
    write_items,
)
from covary.study.model import Study
from covary.study.read import read_study
from covary.study.templates import TEMPLATES, Template, write_template

__all__ = [
    "TEMPLATES",
    "DialogueTurn",
    "Dialogues",
    "Study",
    "Template",
    "dialogue_items",
    "read_dialogues",
    "read_study",
    "write_items",
    "write_template",
]
