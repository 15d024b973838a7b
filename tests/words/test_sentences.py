"""The files of sentences: each code has one sentence."""

from collections import Counter
from pathlib import Path

import covary.words
from covary.words import collecting, comparisons, data, published, reliability, verdict

FILES = sorted(Path(covary.words.__file__).with_name("sentences").glob("*.txt"))
FUNCTIONS = (collecting, comparisons, data, published, reliability, verdict)


def test_no_code_has_two_sentences():
    """Of two the first would be said, wherever the other was meant."""
    lines = [line for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    written = [line for line in lines if line and not line.startswith((" ", "#"))]
    codes = Counter([*written, *(code for part in FUNCTIONS for code in part.SENTENCES)])
    assert len(codes) > 1000
    assert [code for code, times in codes.items() if times > 1] == []
