"""What the code says about a coefficient, for the page on how to read each number.

`python docs/reference/of_coefficients.py` writes it into docs/reading.md, between the marks
`<!-- krippendorff_alpha -->` and `<!-- end -->`, so that the page also reads well as plain
Markdown. A test fails where the page and the code differ.
"""

import inspect
import re
from pathlib import Path

import covary
from covary.scales import Level
from covary.stats.interpret import COEFFICIENTS, WITHOUT_BANDS
from covary.stats.suitability import FAMILIES, suitability
from covary.words import word

PAGE = Path(__file__).parents[1] / "reading.md"


def renewed(page: str) -> str:
    """The page with every piece between marks as the code has it now."""
    for name in re.findall(r"^<!-- (\w+) -->$", page, re.MULTILINE):
        if name == "end":
            continue
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        head, _, rest = page.partition(start)
        page = f"{head}{start}{piece(name)}{end}{rest.partition(end)[2]}"
    return page


def piece(name: str) -> str:
    """The table of published bands, or the facts about a coefficient."""
    return bands() if name == "bands" else facts(name)


def facts(name: str) -> str:
    """The question that a coefficient answers, its range, its scales and the words for its size."""
    question, _, _ = (inspect.getdoc(getattr(covary, name)) or "").partition("\n\n")
    rows = {"range": _range(name), "scales": _scales(name), "words": _words(name)}
    listed = "".join(f"- **{key}**: {text}\n" for key, text in rows.items() if text)
    return f"*{_line(question)}*\n\n{listed}"


def bands() -> str:
    """A row for each published scale, with its exact boundaries."""
    rows = [
        f"| `{each.name}` | {each.title} | {'; '.join(map(str, each.bands))} |"
        for each in covary.BANDS.values()
    ]
    return "\n".join(["| name | by | bands |", "|---|---|---|", *rows, ""])


def _range(name: str) -> str:
    text = inspect.getdoc(getattr(covary, name)) or ""
    returned = text.partition("Returns\n-------\n")[2].partition("\n\n")[0]
    said = _line(returned.partition("\n")[2])
    return said.partition("`details")[0].strip()


def _scales(name: str) -> str:
    """At which levels each form of a coefficient fits, and at which it is weak."""
    forms = [form for names in FAMILIES.values() for form in names if _is_form(form, name)]
    said = []
    for form in forms:
        words = {str(level): suitability(form, level).word for level in Level}
        fits = ", ".join(level for level, word in words.items() if word == "ok")
        weak = ", ".join(level for level, word in words.items() if word == "warn")
        variant = form.removeprefix(name).strip(" ()")
        variant += " distance" if variant in words else ""
        said.append(f"{variant}{': ' if variant else ''}{fits}{f' (weak: {weak})' if weak else ''}")
    return "; ".join(said)


def _is_form(form: str, name: str) -> bool:
    return form == name or (form.startswith(f"{name} (") and " (own " not in form)


def _words(name: str) -> str:
    """The published scales that suit a coefficient, or why none does."""
    if name in WITHOUT_BANDS:
        return f"none: {word(WITHOUT_BANDS[name])}"
    for scales, names in COEFFICIENTS.items():
        if name.startswith(names):
            return ", ".join(covary.BANDS[scale].title for scale in scales)
    return ""


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
