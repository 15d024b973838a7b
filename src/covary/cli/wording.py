"""Messages of the library, in the words of the command line."""

from __future__ import annotations

import re

from covary.ratings import COLUMNS

__all__ = ["as_options"]

NAMED = ("wide", "sheet", "separator", "count", "scale", "level", "best", *COLUMNS)

VALUE = r"(?:'[^']*'|\"[^\"]*\"|…)"

PHRASES = (
    (r"\bpath=(" + VALUE + ")", r"\1"),
    (r"\brepeats='occasions'", "--occasions"),
    (r"\bjudges='slots'", "--slots"),
    (r"\bfaulty='set-aside'", "--set-aside"),
    (r"\bkeep_rejected=True", "--keep-rejected"),
    (r"\bformat=(" + VALUE + ")", r"--input-format \1"),
    (r"\b(" + "|".join(NAMED) + r")=None", r"--\1 ''"),
    (r"\b(" + "|".join(NAMED) + r")=\[(" + VALUE + r")[^\]]*\]", r"--\1 \2"),
    (r"\b(" + "|".join(NAMED) + r")=(" + VALUE + ")", r"--\1 \2"),
    (r"\bscale= names", "--scale names"),
)


def as_options(message: str) -> str:
    """Write the keywords in a message as the options that say the same.

    Examples
    --------
    >>> as_options("say item='qid', or judges='slots'")
    "say --item 'qid', or --slots"
    """
    for pattern, words in PHRASES:
        message = re.sub(pattern, words, message)
    return message
