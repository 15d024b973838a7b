"""The words on judges' pages, in the language of a study.

English stands in the pages and is the key. The other languages are gettext catalogues, one file
each (`pages/*.po`); a study may rename any of the words. A catalogue that no native speaker has
read yet says so in its header.
"""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).with_name("pages")
ENGLISH = "en"
RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"}
)

PLACEHOLDER = re.compile(r"%\((\w+)\)s|\{(\w+)[^}]*\}")
LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*(".*")')
PLURAL = re.compile(r"; plural=([^;]+)")


@dataclass(frozen=True, kw_only=True)
class PageWords:
    """The words of one study's pages.

    `language` is that of the words, which is English where there is no catalogue of the study's
    language; `reviewed` says whether a native speaker has read them. `texts` has the forms of each
    English text: one, or as many as the language has plurals.
    """

    language: str = ENGLISH
    reviewed: bool = True
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    plural: str = "n != 1"
    renamed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __hash__(self) -> int:
        return id(self)

    def text(self, english: str, /, **facts: Any) -> str:
        """Return a text in this language; its facts stand as `%(name)s` in it."""
        words = self.renamed.get(english) or self.texts.get(english, (english,))[0]
        return words % self._shown(facts) if facts else words

    def counted(self, one: str, several: str, number: int, /, **facts: Any) -> str:
        """Return the text for a number of things, which stands as `%(number)s` in it."""
        key = one if number == 1 else several
        words = self.renamed.get(key)
        if words is None:
            form = int(_plural_rule(self.plural)(number))
            words = self.texts[one][form] if one in self.texts else key
        return words % self._shown({"number": number, **facts})

    def listing(self) -> Iterator[tuple[str, str]]:
        """Yield every English text and what it reads here; of plurals the first and the last."""
        for one, several in messages().items():
            forms = self.texts.get(one, (one, several or one))
            yield one, self.renamed.get(one, forms[0])
            if several:
                yield several, self.renamed.get(several, forms[-1])

    def number(self, number: int) -> str:
        """Return a whole number with the language's mark between thousands."""
        return f"{number:,}".replace(",", self.text("1,000")[1:-3])

    def _shown(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.number(value) if isinstance(value, int) else value
            for name, value in facts.items()
        }


def direction_of(language: str) -> str:
    """Return how a language is written: `rtl` or `ltr`.

    Examples
    --------
    >>> direction_of("ar-EG"), direction_of("de")
    ('rtl', 'ltr')
    """
    return "rtl" if language.lower().partition("-")[0] in RIGHT_TO_LEFT else "ltr"


def languages() -> tuple[str, ...]:
    """Return the languages that the pages speak."""
    return (ENGLISH, *sorted(file.stem for file in FOLDER.glob("*.po")))


def page_words(language: str, renamed: Mapping[str, str] | None = None) -> PageWords:
    """Return the words of pages in a language, with a study's own in place of some."""
    return _renamed(catalogue(language), tuple((renamed or {}).items()))


@cache
def _renamed(words: PageWords, renamed: tuple[tuple[str, str], ...]) -> PageWords:
    return PageWords(
        language=words.language,
        reviewed=words.reviewed,
        texts=words.texts,
        plural=words.plural,
        renamed=MappingProxyType(dict(renamed)),
    )


@cache
def catalogue(language: str) -> PageWords:
    """Return the words of a language, of its main form, or in English where there are neither."""
    for name in (language, language.partition("-")[0]):
        file = FOLDER / f"{name.lower()}.po"
        if file.is_file():
            return read_catalogue(file)
    return PageWords()


def read_catalogue(file: Path) -> PageWords:
    """Read a gettext catalogue."""
    text = file.read_text(encoding="utf-8")
    entries = [_entry(block) for block in re.split(r"\n\s*\n", text)]
    header = "".join(entries[0]["msgstr"])
    rule = PLURAL.search(header)
    return PageWords(
        language=file.stem,
        reviewed="#, fuzzy" not in text.partition("msgid")[0],
        texts=MappingProxyType({entry["msgid"]: _forms(entry) for entry in entries[1:] if entry}),
        plural=rule[1].strip() if rule else "n != 1",
    )


def _entry(block: str) -> dict[str, str]:
    """Return the strings of one entry by their keywords; a string may go on over several lines."""
    strings: dict[str, str] = {}
    keyword = ""
    for line in block.splitlines():
        match = LINE.fullmatch(line.strip())
        if match is not None:
            keyword = match[1] or keyword
            strings[keyword] = strings.get(keyword, "") + str(ast.literal_eval(match[2]))
    return strings


def _forms(entry: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(words for keyword, words in entry.items() if keyword.startswith("msgstr"))


@cache
def _plural_rule(rule: str) -> Any:
    return gettext.c2py(rule)


def placeholders(text: str) -> frozenset[str]:
    """Return the names of the facts that a text leaves room for.

    Examples
    --------
    >>> sorted(placeholders("Item %(place)s of {total:,}"))
    ['place', 'total']
    """
    return frozenset(name for names in PLACEHOLDER.findall(text) for name in names if name)


def _messages() -> dict[str, str | None]:
    blocks = re.split(r"\n\s*\n", (FOLDER / "messages.pot").read_text(encoding="utf-8"))[1:]
    entries = map(_entry, blocks)
    return {entry["msgid"]: entry.get("msgid_plural") for entry in entries if entry}


@cache
def messages() -> Mapping[str, str | None]:
    """Return every English text of judges' pages, with its plural where things are counted."""
    return MappingProxyType(_messages())


def page_texts() -> frozenset[str]:
    """Return all that a study may rename: the English texts, also those for several things."""
    return frozenset(text for texts in messages().items() for text in texts if text)
