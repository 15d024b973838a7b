"""`covary.audit`: do printed numbers fit each other, their stars and the ratings behind them?"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from covary.analysis.published.arithmetic import (
    ARITHMETIC,
    AVERAGES,
    COST,
    MEANS,
    PAY,
    PERCENTAGES,
    RANGES,
    TOTALS,
)
from covary.analysis.published.check import (
    Audit,
    Bare,
    CheckEntry,
    CheckKind,
    CheckResult,
    Reader,
    choice,
    words,
)
from covary.analysis.published.coefficients import BATCHES, COEFFICIENTS
from covary.analysis.published.stars import (
    CHI_SQUARES,
    CONCORDANCE,
    CORRELATIONS,
    F_RATIOS,
    INTERPRETATION,
    T_TESTS,
)
from covary.analysis.published.survey import NEEDED, OPTIONAL, Paper, survey
from covary.datasets.shipped import paper, papers
from covary.errors import InvalidArgument, StudyFault
from covary.formats.toml_tables import Faults, TomlTable, find_key_lines

KINDS: Mapping[str, CheckKind] = MappingProxyType(
    {
        "f-ratios": F_RATIOS,
        "correlations": CORRELATIONS,
        "concordance": CONCORDANCE,
        "t-tests": T_TESTS,
        "chi-squares": CHI_SQUARES,
        "averages": AVERAGES,
        "totals": TOTALS,
        "means": MEANS,
        "percentages": PERCENTAGES,
        "arithmetic": ARITHMETIC,
        "ranges": RANGES,
        "cost": COST,
        "pay": PAY,
        "interpretation": INTERPRETATION,
        "coefficients": COEFFICIENTS,
        "batches": BATCHES,
    }
)
"""Each kind by the name that a file of numbers calls it, as the documentation explains them."""

HEAD: Mapping[str, Reader] = {"title": words, "source": words}
"""The keys above the first check."""


class NumbersError(InvalidArgument):
    """A file of numbers that cannot be used as it is; `faults` holds every fault at once."""

    @property
    def faults(self) -> tuple[StudyFault, ...]:
        """Every fault, with its line and its key."""
        return tuple(self.data["faults"])


def audit(path: str | os.PathLike[str]) -> Audit:
    """Do printed numbers fit each other, their stars and the ratings behind them?

    Parameters
    ----------
    path
        A file of numbers in TOML, as `covary audit --template` writes one; or the name of one of
        the papers that ship (`covary.datasets.papers()`).

    Returns
    -------
    Audit
        With `parts`, one for each check, and `numbers`, each with where it is printed, what it
        should be, a verdict (fits, fits only if, does not fit) and the arithmetic in a line.

    Notes
    -----
    A verdict is about arithmetic: where a number does not fit, something printed is not as stated;
    the arithmetic does not show which number, nor why.

    Examples
    --------
    >>> found = audit("banchs-2016")
    >>> found.summary
    '12 printed numbers checked: 1 does not fit, 1 fits on a condition, 10 fit.'
    >>> [(number.place, number.printed, number.expected) for number in found.misfits]
    [('section 4, hourly rate in dollars', '6.81', '6.00 or 7.20')]
    """
    name = os.fspath(path)
    file = Path(name).expanduser()
    if name in papers() and not file.exists():
        return _audit_text(paper(name), name, Path())
    if not file.is_file():
        raise InvalidArgument("published.no-file", argument="path", value=name)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidArgument("published.not-utf-8", argument="path", value=name) from None
    return _audit_text(text, file.name, file.parent)


def audit_papers() -> tuple[Audit, ...]:
    """Audit the papers whose printed numbers ship with covary."""
    return tuple(audit(name) for name in papers())


def _audit_text(text: str, name: str, folder: Path) -> Audit:
    """Read a file, run every check, and refuse with all faults if there is any."""
    top = TomlTable(_parse(text, name), name, Faults(name), find_key_lines(text))
    head = _read_keys(top, {}, HEAD)
    checks = list(top.tables("check"))
    coded = list(top.tables("paper"))
    top.done()
    if not (checks or coded or top.faults.found):
        top.fault("", "published.nothing-asked")
    parts = [part for table in checks for part in _run(table, folder)]
    values = [_read_paper(table) for table in coded]
    if top.faults.found:
        faults = sorted(top.faults.found, key=lambda fault: fault.line or 0)
        raise NumbersError("published.faults", name=name, faults=faults)
    if coded:
        parts += survey([Paper(**own) for own in values])
    return Audit(title=head.get("title", name), source=head.get("source", ""), parts=tuple(parts))


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Bare)
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument("published.no-toml", name=name, reason=str(error)) from None


def _run(table: TomlTable, folder: Path) -> list[CheckResult]:
    """Read one check and run it, unless something is wrong with it."""
    faults = table.fault_count
    kind = table.read("kind", choice(*KINDS), required=True)
    if kind is None:
        return []
    check = KINDS[kind]
    needed, optional = {"place": words, **check.needed}, {"remark": words, **check.optional}
    values = _read_keys(table, needed, optional)
    table.done()
    if table.fault_count > faults:
        return []
    try:
        return check.run(CheckEntry(kind, values, folder))
    except InvalidArgument as fault:
        table.fault(fault.argument or "", fault.code, **fault.facts)
        return []


def _read_keys(
    table: TomlTable, needed: Mapping[str, Reader], optional: Mapping[str, Reader]
) -> dict[str, Any]:
    """Read the keys that are there; what is wrong with one becomes a fault with its line."""
    readers = {**needed, **optional}
    values = {key: table.read(key, readers[key], required=key in needed) for key in readers}
    return {key: value for key, value in values.items() if key in table.content}


def _read_paper(table: TomlTable) -> Mapping[str, Any]:
    values = _read_keys(table, NEEDED, OPTIONAL)
    table.done()
    return values
