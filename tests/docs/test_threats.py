"""The page on threats names tests that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")


def existing_tests() -> set[str]:
    return {
        node.name
        for file in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_is_named_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 30
    assert named - existing_tests() == set()


def test_what_somebody_cannot_do_has_a_test():
    rows = re.findall(r"^\| (?!wants|-)(.+?) \| (.+?) \| (.*?) ?\|$", PAGE, re.MULTILINE)
    assert len(rows) > 20
    without = [wants for wants, can, tried in rows if not can.startswith("yes") and not tried]
    assert without == []
