"""Every text that a judge's page may say, gathered from where it stands in English."""

import re
from pathlib import Path

from covary.scales import KINDS, Drawing, Preference, Scale, VisualScale, YesNo
from covary.study.read import COMMENT_QUESTION
from covary.web.pages import IN_ENGLISH, SCRIPT_WORDS, TABLE
from covary.web.recruiting import HOW_TO_RETURN
from covary.words import CATALOGUE

TEMPLATES = Path(__file__).parents[2] / "src/covary/web/templates"
STRING = r'"((?:[^"\\]|\\.)*)"'
ONE = re.compile(rf"\b_\({STRING}")
SEVERAL = re.compile(rf"ngettext\({STRING}, {STRING}")

JUDGES_NOTICES = (
    *("400", "403", "404", "405", "409", "413", "422", "429", "503", "500", "too-long"),
    *("no-link", "unknown-link", "paused", "closed", "unknown-join-link", "part-ended", "full"),
    *("incomplete-join-link", "place-given-on", "end-done", "end-screened out"),
    *("end-failed checks", "end-withdrew"),
)
"""The refusals and notices that a judge or a recruit can meet."""


def judges_templates():
    """The templates of judges' pages, and what they share with others."""
    return [
        file for file in sorted(TEMPLATES.glob("*.html")) if not file.name.startswith(IN_ENGLISH)
    ]


def messages():
    """Return each English text with its plural, or None."""
    found = {}
    for file in judges_templates():
        text = file.read_text(encoding="utf-8")
        found |= dict.fromkeys(ONE.findall(text))
        found |= dict(SEVERAL.findall(text))
    found |= dict.fromkeys(SCRIPT_WORDS)
    found |= dict.fromkeys(HOW_TO_RETURN.values())
    found |= dict.fromkeys(kind.appearance for kind in (Scale, *KINDS.values()))
    found |= dict.fromkeys(VisualScale().control(Drawing(faces=True)).faces)
    found |= dict.fromkeys(choice.words for choice in YesNo().control().choices)
    found |= {Preference().tie: None}
    for name in JUDGES_NOTICES:
        code = f"web.{name}"
        found |= {CATALOGUE[f"{code}.heading"]: None, CATALOGUE[code]: None}
    return found | dict.fromkeys(("1,000", COMMENT_QUESTION, TABLE))
