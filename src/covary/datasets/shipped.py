"""What ships with covary: tables of real ratings, and the numbers that papers print.

All tables but one are frequency tables, which say how many items received each combination of
ratings. That is all that agreement and correlation need, but it forgets which item is which: an
item of one criterion cannot be matched with the same item of another criterion or of another
table.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Scale, VerbalScale

Columns = dict[str, list[float | str | None]]
Judges = Literal["named", "slots"]

FORGETS_ITEMS = (
    "A frequency table: the ratings of one item on one criterion stay together, but an item is not "
    "the same item on another criterion, so n_items counts each item once for each criterion."
)


@dataclass(frozen=True)
class ShippedTable:
    """One shipped table: what it holds, its scales, and what reads it."""

    about: str
    source: str
    build: Callable[[Columns, Judges], Ratings]
    judges: Judges = "named"
    text: tuple[str, ...] = ("criterion", "system")


def names() -> tuple[str, ...]:
    """Return the names of the tables that ship with covary.

    Examples
    --------
    >>> "qgstec-original" in names()
    True
    """
    return tuple(TABLES)


def describe(name: str) -> str:
    """Say what a table holds, what to beware of, and whom to thank for it.

    Examples
    --------
    >>> print(describe("latin-square-example"))
    Simulated ratings: 4 judges, 8 sources and 4 systems in repeated Latin squares; ...
    Source: made for covary (MIT).
    """
    table = _table(name)
    return f"{table.about}\nSource: {table.source}."


def load(name: str, *, judges: Judges | None = None) -> Ratings:
    """Load one of the shipped tables.

    Parameters
    ----------
    name
        One of `names()`.
    judges
        Left out, the table itself says whether its columns are judges. `"named"` takes the columns
        of the Flickr-8k table for three persons, as a paper did, although they are not; `"slots"`
        forgets who rated.

    Examples
    --------
    >>> load("qgstec-reevaluated")
    Ratings(13,440 ratings of 4,480 items by 3 judges on 'ambiguity', 'correctness', ...)
    >>> load("flickr8k-experts").slots
    True
    """
    if judges not in (None, "named", "slots"):
        raise InvalidArgument("datasets.unknown-judges", argument="judges", value=judges)
    table = _table(name)
    return _load(name, judges or table.judges)


def _table(name: str) -> ShippedTable:
    if name not in TABLES:
        raise InvalidArgument("datasets.unknown", argument="name", value=name, allowed=TABLES)
    return TABLES[name]


@cache  # ratings do not change
def _load(name: str, judges: Judges) -> Ratings:
    table = TABLES[name]
    return table.build(_columns(name, table.text), judges)


def _columns(name: str, text: tuple[str, ...]) -> Columns:
    """Read a file's columns: text where named so, else numbers, None where a cell is empty."""
    file = files("covary.datasets").joinpath("data", f"{name}.csv")
    header, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines())
    cells = zip(*rows, strict=True)
    return {
        column: list(values) if column in text else [_number(value) for value in values]
        for column, values in zip(header, cells, strict=True)
    }


def _number(cell: str) -> float | None:
    if not cell:
        return None
    return float(cell) if "." in cell else int(cell)


def _ranks(last: int) -> Scale:
    return VerbalScale(range(1, last + 1), best="low")


def _flickr(columns: Columns, judges: Judges) -> Ratings:
    slots = judges == "slots"
    scale = VerbalScale(range(1, 5), best="high")
    return Ratings.from_counts(columns, judges=("j1", "j2", "j3"), scale=scale, slots=slots)


def _qgstec(last_question_type: int) -> Callable[[Columns, Judges], Ratings]:
    scales: Mapping[str, Scale] = {
        "relevance": _ranks(4),
        "question type": _ranks(last_question_type),
        "correctness": _ranks(4),
        "ambiguity": _ranks(3),
        "variety": _ranks(3),
    }

    def build(columns: Columns, judges: Judges) -> Ratings:
        persons = [name for name in columns if name[0] in "JK"]
        return Ratings.from_counts(columns, judges=persons, scale=scales, slots=judges == "slots")

    return build


def _latin_square(columns: Columns, judges: Judges) -> Ratings:
    pairs = zip(columns["source"], columns["system"], strict=True)
    items = [f"source {source}, system {system}" for source, system in pairs]
    return Ratings({"item": items} | columns, level="interval", judges=judges)


TABLES: dict[str, ShippedTable] = {
    "flickr8k-experts": ShippedTable(
        "Flickr-8k: 5,822 image descriptions, each rated from 1 to 4 by three experts. In every "
        "row of the published file the three ratings are sorted, so the columns are the lowest, "
        "the middle and the highest rating and not three persons. They are therefore loaded as "
        "slots, and coefficients that follow a judge from item to item refuse; judges='named' "
        "takes them for persons all the same. 4 is best.",
        "Hodosh et al. (2013), packaged by Elliott & Keller (2014), "
        "elliottd/compareImageDescriptionMeasures (BSD-3)",
        _flickr,
        "slots",
    ),
    "qgstec-original": ShippedTable(
        "QG-STEC 2010 task B: 896 generated questions of four systems (a to d) on five "
        "criteria, rated by two of six judges (J1 to J6) each. Relevance and correctness go "
        "from 1 to 4, ambiguity and variety from 1 to 3, and 1 is best. Question type is a "
        "scale from 1 to 2, but the published ratings hold two stray 3s; they were used in the "
        f"published coefficients, so the scale is declared here as 1 to 3. {FORGETS_ITEMS}",
        "Rus et al. (2010), packaged by Godwin & Piwek (2016), Keith-Godwin/QG-STEC-plus (MIT)",
        _qgstec(3),
    ),
    "qgstec-reevaluated": ShippedTable(
        "QG-STEC+: the questions of qgstec-original rated again by three judges (K1 to K3) "
        "after they had developed guidelines together. Relevance and correctness go from 1 to "
        "4, question type from 1 to 2, ambiguity and variety from 1 to 3, and 1 is best. "
        f"{FORGETS_ITEMS}",
        "Godwin & Piwek (2016), Keith-Godwin/QG-STEC-plus (MIT)",
        _qgstec(2),
    ),
    "latin-square-example": ShippedTable(
        "Simulated ratings: 4 judges, 8 sources and 4 systems in repeated Latin squares; each "
        "judge rates each source once and each system twice. An item is a source with a system, "
        "and has one rating, so that there is no agreement to compute; it is an example for "
        "analyses of variance.",
        "made for covary (MIT)",
        _latin_square,
        text=("judge", "source", "system"),
    ),
}


def printed(table: str) -> dict[str, Any]:
    """Return a table as its paper prints it: the cells as text, and the paper as `source`.

    The cells are text because a paper that prints 0.2 does not claim 0.20.

    Examples
    --------
    >>> printed("godwin-piwek-2016-table-6")["reevaluated"]["variety"]
    '0.904'
    """
    known = tomllib.loads(_printed_text())
    if table not in known:
        raise InvalidArgument(
            "datasets.unknown-paper", argument="table", value=table, allowed=known
        )
    chosen: dict[str, Any] = known[table]
    return chosen


@cache
def _printed_text() -> str:
    return files("covary.datasets").joinpath("data", "printed.toml").read_text(encoding="utf-8")


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
        raise InvalidArgument("datasets.unknown-paper", argument="name", value=name, allowed=PAPERS)
    return _paper_text(f"{name}.toml")


def template() -> str:
    """Return a file of numbers to start from, with an example of every kind of check."""
    return _paper_text("template.toml")


def _paper_text(file: str) -> str:
    folder = files("covary.datasets").joinpath("data", "papers")
    return folder.joinpath(file).read_text(encoding="utf-8")
