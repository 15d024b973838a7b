"""Text as LaTeX that any pdfTeX can set: every special character written out, in plain ASCII."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["escaped", "typewriter"]

ASCII = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''", "`": "{`}",
    "[": "{[}", "]": "{]}", "*": "{*}", "\0": "{}",
}  # fmt: skip
"""What means something else to TeX; brackets and stars would be taken for options after a row."""

PUNCTUATION = {
    "–": "--", "—": "---", "‑": "-", "‐": "-", "“": "``", "”": "''", "„": ",,", "‘": "`",
    "’": "'", "«": r"$\ll$", "»": r"$\gg$", "…": r"\dots{}", "·": r"$\cdot$",
    "•": r"$\bullet$", "§": r"\S{}", "©": r"\copyright{}", "°": r"$^{\circ}$", "¿": "?`",
    "¡": "!`", "€": "EUR", "£": r"\pounds{}", "‰": r"\%o", "№": "No.",
    "\u00a0": "~", "\u202f": r"\,", "\u2009": r"\,", "\u200b": "", "\u00ad": r"\-", "\ufeff": "",
}  # fmt: skip

SYMBOLS = {
    "≥": r"\geq", "≤": r"\leq", "≠": r"\neq", "≈": r"\approx", "±": r"\pm", "×": r"\times",
    "÷": r"\div", "−": "-", "∞": r"\infty", "√": r"\surd", "✓": r"\surd", "✔": r"\surd",
    "✗": r"\times", "→": r"\rightarrow", "←": r"\leftarrow", "↑": r"\uparrow",
    "↓": r"\downarrow", "⇒": r"\Rightarrow", "∈": r"\in", "∑": r"\sum", "¬": r"\neg",
    "µ": r"\mu", "²": "^{2}", "³": "^{3}", "¹": "^{1}", "½": r"\frac{1}{2}",
    "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}",
}  # fmt: skip
"""What is set in mathematics."""

LETTERS = {
    "ß": r"\ss{}", "ẞ": "SS", "ø": r"\o{}", "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}",
    "œ": r"\oe{}", "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "ð": "dh",
    "Ð": "Dh", "þ": "th", "Þ": "Th", "đ": "dj", "Đ": "Dj",
}  # fmt: skip

ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=",
    "\u0306": r"\u", "\u0307": r"\.", "\u0308": r"\"", "\u030a": r"\r", "\u030b": r"\H",
    "\u030c": r"\v", "\u0323": r"\d", "\u0327": r"\c",
}  # fmt: skip
"""Combining accents as commands."""


def escaped(text: str) -> str:
    r"""Write text so that TeX sets it as it is.

    Characters that no standard font has are named by their number, such as `{[}U+4E2D{]}`.

    Examples
    --------
    >>> print(escaped("α ≥ .8 – 50 % of J_1"))
    $\alpha$ $\geq$ .8 -- 50 \% of J\_1
    """
    one_line = re.sub(r"[ \t\r\n]+", " ", unicodedata.normalize("NFC", text)).strip(" ")
    apart = one_line.replace("--", "-\0-").replace("--", "-\0-")  # TeX would make dashes of these
    return "".join(_one(character) for character in apart)


def typewriter(text: str) -> str:
    """Write a line to copy: hyphens stay hyphens, and the line may break after separators."""
    indent = len(text) - len(text.lstrip(" "))
    pieces = ["~" * indent]
    for character in text[indent:]:
        made = "{-}" if character == "-" else _one(character)
        pieces.append(made + (r"\allowbreak{}" if character in "|:,/=" else ""))
    return "".join(pieces)


def _one(character: str) -> str:
    for table in (ASCII, PUNCTUATION, LETTERS):
        if character in table:
            return table[character]
    if character in SYMBOLS:
        return f"${SYMBOLS[character]}$"
    if character.isascii():
        return character if character.isprintable() else " "
    return _greek(character) or _accented(character) or f"{{[}}U+{ord(character):04X}{{]}}"


def _greek(character: str) -> str:
    name = unicodedata.name(character, "")
    if not name.startswith("GREEK") or " LETTER " not in name or " WITH " in name:
        return ""
    letter = name.rpartition(" ")[2].lower().replace("lamda", "lambda")
    if letter == "omicron":
        return "o" if "SMALL" in name else "O"
    if "SMALL" in name:
        return rf"$\{'varsigma' if 'FINAL' in name else letter}$"
    return _capital(letter)


def _capital(letter: str) -> str:
    """Greek capitals that look like Latin ones have no command."""
    like = {"alpha": "A", "beta": "B", "epsilon": "E", "zeta": "Z", "eta": "H", "iota": "I",
            "kappa": "K", "mu": "M", "nu": "N", "omicron": "O", "rho": "P", "tau": "T",
            "chi": "X"}  # fmt: skip
    return like.get(letter) or rf"$\{letter.capitalize()}$"


def _accented(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    if len(parts) != 2 or not parts[0].isascii() or parts[1] not in ACCENTS:
        return ""
    base = {"i": r"\i", "j": r"\j"}.get(parts[0], parts[0])
    return f"{ACCENTS[parts[1]]}{{{base}}}"
