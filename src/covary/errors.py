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

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from covary.records import dataclass
from covary.words import word


class CovaryError(Exception):
    """The root of covary's own errors; catch it to catch them all.

    An error is a fact: `code` says which, `argument` and `value` what was given, `allowed` what
    would do, `rows` where it stands in the data, and `data` whatever else belongs to it. Its
    text is made from these by `covary.words`.
    """

    def __init__(
        self,
        code: str,
        /,
        *,
        argument: str | None = None,
        value: Any = None,
        allowed: Iterable[Any] = (),
        rows: Iterable[Any] = (),
        **data: Any,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.argument = argument
        self.value = value
        self.allowed = tuple(allowed)
        self.rows = tuple(rows)
        self.data: Mapping[str, Any] = data

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that the error knows, by name."""
        own = {name: getattr(self, name) for name in ("argument", "value", "allowed", "rows")}
        return {**own, **self.data}

    def __str__(self) -> str:
        return word(self.code, self.facts)


class InvalidArgument(CovaryError, ValueError):
    """A call with an argument that is not possible."""


class RatingsError(CovaryError, ValueError):
    """Ratings that cannot be used as they are; the message names rows and says what to do."""


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
        lines = [f"{count} in {where}", *(f"  {fault}" for fault in self.faults)]
        super().__init__("\n".join(lines))


class ConvergenceError(CovaryError):
    """An iteration that stopped before it settled; `state` is where it stopped."""

    def __init__(self, code: str, /, state: object = None, **facts: Any) -> None:
        super().__init__(code, **facts)
        self.state = state


class CovaryWarning(UserWarning):
    """The root of covary's own warnings."""


class UndefinedWarning(CovaryWarning):
    """A coefficient is undefined for these ratings (its value is NaN)."""


class SuitabilityWarning(CovaryWarning):
    """A coefficient was computed at a level of measurement where it loses or assumes something."""


_QUIET: ContextVar[bool] = ContextVar("covary_quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Hold covary's own warnings back, in this thread or task alone, where notes say the same."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def warn(message: str, category: type[CovaryWarning]) -> None:
    """Warn with the line outside covary that asked, however deep inside the reason was found."""
    if _QUIET.get():
        return
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "covary":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
