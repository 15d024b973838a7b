"""The facts of the library read as Python in Python, and as options on a terminal."""

import re

import pytest

from covary.errors import CovaryError, InvalidArgument, RatingsError
from covary.formats import read
from covary.words import CATALOGUE, TERMINAL, Note, reword

ROWS = [{"item": "q1", "judge": "Ann", "times": 2}]


@pytest.mark.parametrize(
    ("fact", "python", "terminal"),
    [
        (
            InvalidArgument("formats.not-found", argument="path", value="a b.csv"),
            "path='a b.csv' does not exist",
            "'a b.csv' does not exist",
        ),
        (
            RatingsError("ratings.duplicate", rows=ROWS),
            "use repeats='occasions' (test",
            "use --occasions (test",
        ),
        (
            InvalidArgument("ratings.judge-needed", argument="judge", value=None),
            "judge=None is only possible with judges='slots'",
            "--judge '' is only possible with --slots",
        ),
        (
            InvalidArgument(
                "formats.fits-equally", argument="criterion", allowed=["a"], optional=1
            ),
            "criterion='a' (or criterion=None for none)",
            "--criterion 'a' (or --criterion '' for none)",
        ),
        (
            InvalidArgument("formats.which-judges", allowed=["a"], file="x.csv"),
            "Say wide=['…', '…'] with some",
            "Say --wide '…,…' with some",
        ),
        (
            InvalidArgument(
                "formats.unknown-format", argument="format", value="xls", allowed=["a"]
            ),
            "format='xls' is not known",
            "--input-format 'xls' is not known",
        ),
        (
            InvalidArgument("ratings.too-many", task="a check", count=9, most=5),
            "ratings.select(…)), or allow more memory (ratings.within('16GB'))",
            "(--only …), or allow more memory (--memory 16GB)",
        ),
        (
            Note("formats.rejected-left-out", count=3),
            "(keep_rejected=True keeps them)",
            "(--keep-rejected keeps them)",
        ),
        (
            Note("formats.words-left-out", words=["a", "b"], numbers=["c"]),
            "(rating=['a', 'b'] reads the words)",
            "(--rating 'a' --rating 'b' reads the words)",
        ),
    ],
    ids=lambda each: getattr(each, "code", ""),
)
def test_keywords_become_options(fact, python, terminal):
    assert python in str(fact)
    assert terminal in reword(fact, TERMINAL)


def test_what_is_said_of_one_file_of_several_speaks_as_the_rest(tmp_path):
    with pytest.raises(CovaryError) as raised:
        read(tmp_path / "nowhere.csv")
    about = InvalidArgument("cli.about", about="the experts", error=raised.value)
    assert reword(about, TERMINAL).startswith(f"the experts: '{tmp_path}/nowhere.csv' does not")
    assert str(about).startswith("the experts: path='")


def test_no_template_names_an_option_or_a_keyword_in_one_voice_alone():
    """Where a template names a keyword it must do so through `{option…}`; `cli` speaks options."""
    rooms = ("ratings.", "formats.")
    templates = {
        code: sentence
        for code, sentence in CATALOGUE.items()
        if isinstance(sentence, str) and code.startswith(rooms)
    }
    assert [code for code, text in templates.items() if re.search(r"(?<!\w)--\w", text)] == []
    plain = {code: re.sub(r"\{[^{}]*\}", "", text) for code, text in templates.items()}
    assert [code for code, text in plain.items() if re.search(r"\w=('|\[|None|True)", text)] == [
        "formats.not-qg-stec"  # shows XML
    ]
