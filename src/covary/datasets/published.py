"""The numbers that four papers print, as files that `covary audit` reads."""

from __future__ import annotations

from importlib.resources import files

from covary.errors import InvalidArgument, choose

__all__ = ["paper", "papers", "template"]

PAPERS = ("belz-kow-2011", "amidei-2019", "godwin-piwek-2016", "banchs-2016", "survey")


def papers() -> tuple[str, ...]:
    """Return the names of the papers whose printed numbers ship, and of a survey of them.

    Examples
    --------
    >>> papers()
    ('belz-kow-2011', 'amidei-2019', 'godwin-piwek-2016', 'banchs-2016', 'survey')
    """
    return PAPERS


def paper(name: str) -> str:
    """Return the printed numbers of a paper, as the text of a file of numbers.

    Examples
    --------
    >>> paper("banchs-2016").splitlines()[0]
    '# The numbers that this report prints, as they are printed.'
    """
    if name not in PAPERS:
        raise InvalidArgument(f"name={name!r} is not known; {choose(name, PAPERS)}")
    return _text(f"{name}.toml")


def template() -> str:
    """Return a file of numbers to start from, with an example of every kind of check."""
    return _text("template.toml")


def _text(file: str) -> str:
    folder = files("covary.datasets").joinpath("data", "papers")
    return folder.joinpath(file).read_text(encoding="utf-8")
