"""`covary.audit`: do printed numbers fit each other, their stars and the ratings behind them?"""

from __future__ import annotations

import os
from pathlib import Path

from covary.analysis.published.entry import EntryFault
from covary.analysis.published.file import Fault, Numbers, NumbersError, read_numbers
from covary.analysis.published.kinds import KINDS
from covary.analysis.published.numbers import Audit, Part
from covary.analysis.published.survey import survey
from covary.datasets.published import paper, papers
from covary.errors import InvalidArgument

__all__ = ["audit", "audit_papers"]


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
    A verdict is about arithmetic: a number that does not fit shows that something printed is not
    as it is said, and not which of the numbers, nor why.

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
        return _audited(read_numbers(paper(name), name, Path()), name)
    if not file.is_file():
        raise InvalidArgument(
            f"path='{name}' does not exist; covary audit --template writes a file to start from"
        )
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidArgument(f"path='{name}' is no UTF-8 text, which TOML must be") from None
    return _audited(read_numbers(text, file.name, file.parent), file.name)


def audit_papers() -> tuple[Audit, ...]:
    """Audit the papers whose printed numbers ship with covary."""
    return tuple(audit(name) for name in papers())


def _audited(numbers: Numbers, name: str) -> Audit:
    """Run every check, and refuse with all faults if there is any."""
    parts: list[Part] = []
    faults = list(numbers.faults)
    for place, entry in numbers.entries:
        try:
            parts += KINDS[entry.kind].run(entry)
        except EntryFault as fault:
            where = f"check {place + 1} ({entry.kind}), {fault.key}"
            faults.append(Fault(numbers.lines.of("check", place, fault.key), where, str(fault)))
        except ValueError as fault:
            where = f"check {place + 1} ({entry.kind})"
            faults.append(Fault(numbers.lines.of("check", place, ""), where, str(fault)))
    if faults:
        raise NumbersError(name, faults)
    if numbers.papers:
        parts += survey(numbers.papers)
    return Audit(numbers.title, numbers.source, tuple(parts))
