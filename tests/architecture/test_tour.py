"""The tour of the house names only what is there."""

import re
from pathlib import Path

import pytest

from tests.architecture.conftest import ROOT

NAMED = re.compile(r"`([\w./-]+(?:\.(?:py|pyi|html|rst|md)|/))`")
"""Files and folders in backquotes; what a study holds (study.toml, task.csv) is not meant."""


def missing_places(text: str, root: Path) -> list[str]:
    """The files and folders that a text names and that are nowhere under a root or its package."""
    return [
        name
        for name in dict.fromkeys(NAMED.findall(text))
        if not any((root / start / name).exists() for start in ("", "src", "src/covary"))
    ]


def test_every_place_on_the_tour_exists():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(NAMED.findall(text)) > 30
    assert missing_places(text, ROOT) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see `stats/alpha.py` and `docs/`", []),
        ("see `stats/beta.py`", ["stats/beta.py"]),
        ("see `alpha.py`", ["alpha.py"]),
        ("see `attic/`, twice `attic/`", ["attic/"]),
        ("`study.toml` is the user's, `read()` a call", []),
    ],
)
def test_a_place_that_is_gone_is_missed(tmp_path, text, missing):
    for name in ("src/covary/stats/alpha.py", "docs/index.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert missing_places(text, tmp_path) == missing
