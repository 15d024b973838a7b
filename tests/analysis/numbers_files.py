"""Files of numbers that tests write, and what an audit says about them."""

from pathlib import Path

from covary.analysis.published import Audit, CheckedNumber, audit
from covary.datasets.shipped import paper

HEAD = 'title = "made up"\n'


def audited(folder: Path, text: str) -> Audit:
    file = folder / "numbers.toml"
    file.write_text(HEAD + text, encoding="utf-8")
    return audit(file)


def check(kind: str, **keys: str) -> str:
    """One [[check]]; each value is written as TOML already."""
    lines = [f'[[check]]\nkind = "{kind}"', 'place = "Table 1"']
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in keys.items())]) + "\n"


def only(found: Audit) -> CheckedNumber:
    (number,) = found.numbers
    return number


def rewritten(folder: Path, name: str, before: str, after: str) -> Audit:
    """Audit a paper that ships after one of its numbers was changed."""
    text = paper(name)
    assert before in text
    file = folder / "changed.toml"
    file.write_text(text.replace(before, after), encoding="utf-8")
    return audit(file)
