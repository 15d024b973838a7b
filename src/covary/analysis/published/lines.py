"""In which line of a file of numbers a key stands, which the reader of TOML does not say."""

from __future__ import annotations

import re

__all__ = ["Lines"]

HEADER = re.compile(r"^\s*\[\[\s*(\w+)\s*\]\]")
ASSIGNED = re.compile(r"""^\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*[.=]""")
SUBTABLE = re.compile(r"^\s*\[\s*\w+\s*\.\s*([\w-]+)\s*\]")


class Lines:
    r"""The lines of the keys in each `[[check]]` and `[[paper]]`.

    Examples
    --------
    >>> lines = Lines('title = "x"\n[[check]]\nkind = "pay"\nprinted = "6.81"\n')
    >>> lines.of("check", 0, "printed"), lines.of("check", 0, "absent"), lines.of("", 0, "title")
    (4, 2, 1)
    """

    def __init__(self, text: str) -> None:
        self.found: dict[tuple[str, int, str], int] = {}
        section, index, counts = "", 0, {"": 1}
        for number, line in enumerate(text.splitlines(), 1):
            header = HEADER.match(line)
            if header:
                section = header[1]
                index = counts.get(section, 0)
                counts[section] = index + 1
                self.found[section, index, ""] = number
            key = SUBTABLE.match(line) or ASSIGNED.match(line)
            if key:
                name = next(part for part in key.groups() if part)
                self.found.setdefault((section, index, name), number)

    def of(self, section: str, index: int, key: str) -> int:
        """Return the line of a key, or of the section it should stand in."""
        header = self.found.get((section, index, ""), 1)
        return self.found.get((section, index, key), header)
