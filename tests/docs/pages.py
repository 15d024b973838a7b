"""The pages of the documentation: their text, their blocks of code and what they link."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def pages() -> list[Path]:
    """Every page, Markdown or reStructuredText."""
    return sorted(path for kind in ("*.md", "*.rst") for path in DOCS.rglob(kind))


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language, in their order."""
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def links(text: str) -> list[str]:
    """The targets of Markdown links and pictures outside code, without anchors."""
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    return [target for target in re.findall(r"\]\(([^)\s#]+)", prose) if "://" not in target]


def toctrees(page: Path) -> list[str]:
    """The pages that a page's tables of contents name, as paths from docs without ending."""
    text = page.read_text(encoding="utf-8")
    inside = "\n".join(blocks(text, "{toctree}"))
    names = [line for line in inside.splitlines() if line and not line.startswith(":")]
    return [(page.parent / name).relative_to(DOCS).as_posix() for name in names]
