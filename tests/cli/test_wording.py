"""Messages of the library become messages of the command line."""

import pytest

from covary.cli.wording import as_options


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("path='a b.csv' does not exist", "'a b.csv' does not exist"),
        ("say repeats='occasions' or judges='slots'", "say --occasions or --slots"),
        ("Say which: item='…', judge='…'", "Say which: --item '…', --judge '…'"),
        ("(or criterion=None for none)", "(or --criterion '' for none)"),
        ("Say wide=['…', '…'] with some", "Say --wide '…' with some"),
        ("format='xls' is not known", "--input-format 'xls' is not known"),
        ("a sentence = without keywords", "a sentence = without keywords"),
    ],
)
def test_keywords_become_options(said, meant):
    assert as_options(said) == meant
