"""Everything covary raises or warns about.

CovaryError
├── InvalidArgument   (ValueError)  the call is wrong: which argument, what is allowed, what to do
├── RatingsError      (ValueError)  the data are wrong: which rows, and the way out
├── StudyError        (ValueError)  the files of a study are wrong: every fault, with its place
└── ConvergenceError                an iteration did not settle; carries its last state

CovaryWarning         (UserWarning)
├── UndefinedWarning                a coefficient has no value for these ratings; its note says why
└── SuitabilityWarning              a coefficient is weak at this level of measurement
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "ConvergenceError",
    "CovaryError",
    "CovaryWarning",
    "InvalidArgument",
    "RatingsError",
    "StudyError",
    "StudyFault",
    "SuitabilityWarning",
    "UndefinedWarning",
    "choose",
    "listed",
    "meant",
    "nearest",
    "warn",
]


class CovaryError(Exception):
    """The root of covary's own errors; catch it to catch them all."""


class InvalidArgument(CovaryError, ValueError):
    """A call that cannot be answered as it stands."""


class RatingsError(CovaryError, ValueError):
    """Ratings that cannot be used as they are; the message names rows and the way out."""


@dataclass(frozen=True)
class StudyFault:
    """One fault in a file of a study: where it stands and what to do about it.

    `line` counts from 1 and is None where the fault has no line, as with a missing file.
    """

    file: str
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


class StudyError(CovaryError, ValueError):
    """Files of a study that cannot be used as they are; `faults` holds every fault at once."""

    def __init__(self, faults: Iterable[StudyFault], where: str = "the study") -> None:
        self.faults = tuple(faults)
        self.where = where
        number = len(self.faults)
        count = "1 fault" if number == 1 else f"{number} faults"
        super().__init__("\n".join([f"{count} in {where}", *(f"  {each}" for each in self.faults)]))


class ConvergenceError(CovaryError):
    """An iteration that stopped before it settled; `state` is where it stopped."""

    def __init__(self, message: str, state: object = None) -> None:
        super().__init__(message)
        self.state = state


class CovaryWarning(UserWarning):
    """The root of covary's own warnings."""


class UndefinedWarning(CovaryWarning):
    """A coefficient is undefined for these ratings (its value is NaN)."""


class SuitabilityWarning(CovaryWarning):
    """A coefficient was computed at a level of measurement where it loses or assumes something."""


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Write values as a short list for a message: `'a', 'b', 'c' and 4 more`."""
    shown = [repr(v) for v in values]
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


SHORT = 2
"""Names of so few letters are near to too many others."""


def nearest(given: object, known: Iterable[object]) -> str | None:
    """Return the known name that was probably meant, however it was capitalised.

    Examples
    --------
    >>> nearest("reprot", ["export", "report"])
    'report'
    >>> nearest("krippendorff", ["fleiss_kappa", "krippendorff_alpha"])
    'krippendorff_alpha'
    """
    names = {str(each).casefold(): str(each) for each in known}
    word = str(given).casefold()
    begun = [each for each in names if len(word) > SHORT and each.startswith(word)]
    close = difflib.get_close_matches(word, names, 1, 0.6 if len(word) > SHORT else 1)
    found = begun or close
    return names[found[0]] if found else None


def meant(given: object, known: Iterable[object]) -> str:
    """Ask whether the nearest known name was meant; say nothing where none is near.

    Examples
    --------
    >>> "there is no command 'reprot'" + meant("reprot", ["export", "report"])
    "there is no command 'reprot'; did you mean 'report'?"
    """
    near = nearest(given, known)
    return "" if near is None else f"; did you mean {near!r}?"


def choose(given: object, known: Iterable[object], limit: int = 20) -> str:
    """Propose the nearest known name, or list them all.

    Examples
    --------
    >>> choose("critirion", ["criterion", "design"])
    "did you mean 'criterion'?"
    >>> choose("x", ["criterion", "design"])
    "choose one of 'criterion', 'design'"
    """
    names = list(known)
    near = nearest(given, names)
    return f"choose one of {listed(names, limit)}" if near is None else f"did you mean {near!r}?"


def warn(message: str, category: type[CovaryWarning]) -> None:
    """Warn with the line outside covary that asked, however deep inside the reason was found."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "covary":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
