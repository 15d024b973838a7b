"""Recruitment platforms: the link judges come by, who they are there, and the way back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from covary.errors import InvalidArgument, listed

__all__ = ["CONNECT", "PLATFORMS", "PROLIFIC", "SONA", "Codes", "Platform", "Visitor", "visitor_of"]

IDENTITY = re.compile(r"[A-Za-z0-9_-]{1,64}")
CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mistakes for one another when typing a code."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who comes from a platform: an attribute of a judge, never a credential.

    `submission` is the platform's name of this one visit; empty where a platform has none.
    """

    platform: str
    participant: str
    submission: str = ""
    study: str = ""


@dataclass(frozen=True)
class Codes:
    """The codes that tell a platform how a visit ended; all are different.

    Those that a study does not use are empty. `returned` is for people who did not agree, stopped
    or found the study full.
    """

    done: str
    screened_out: str = ""
    failed: str = ""
    returned: str = ""

    def __post_init__(self) -> None:
        more = (self.screened_out, self.failed, self.returned)
        codes = (self.done, *(each for each in more if each))
        wrong = [each for each in codes if not CODE.fullmatch(each)]
        if wrong:
            raise InvalidArgument(f"{listed(wrong)}: a code has 1 to 64 letters and digits")
        if len(set(codes)) < len(codes):
            raise InvalidArgument(
                f"the codes {listed(codes)} must differ, or nobody can tell who finished"
            )

    @classmethod
    def new(cls) -> Codes:
        """Draw codes that nobody can guess, one for each end."""
        drawn: set[str] = set()
        while len(drawn) < 4:
            drawn.add("".join(secrets.choice(LETTERS) for _ in range(10)))
        return cls(*drawn)


@dataclass(frozen=True)
class Platform:
    """What a platform calls people and visits in the address it opens.

    `parameters` are the names in the address and what stands there until the platform fills them
    in; none need to be written where the platform `appends` them by itself. `completion` is the
    address to return to, with {code}; it is empty where the platform shows each study its own.
    """

    name: str
    parameters: Mapping[str, str]
    participant: str
    submission: str = ""
    study: str = ""
    appends: bool = False
    completion: str = ""

    def link(self, address: str) -> str:
        """Return the address to give to the platform as that of the study.

        Examples
        --------
        >>> SONA.link("https://example.org/join")
        'https://example.org/join?survey_code=%SURVEY_CODE%'
        """
        parts = _web_address(address)
        given = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
        taken = [name for name in self.parameters if name in given]
        if taken:
            raise InvalidArgument(
                f"{address!r} has {listed(taken)} already; give the address without them"
            )
        if self.appends:
            return address
        # The platform looks for its own marks, so they are not escaped.
        added = "&".join(f"{name}={mark}" for name, mark in self.parameters.items())
        return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, added)))))

    def visitor(self, query: str | Mapping[str, str]) -> Visitor | None:
        """Return who comes, from the query of the address; None for anybody else.

        Anybody can write a query, so a name that stands twice, holds strange letters or is still
        the platform's mark (as in a preview) is nobody.
        """
        pairs = _pairs(query)
        found = {}
        for role in (self.participant, self.submission, self.study):
            values = [value for name, value in pairs if role and name == role]
            if len(values) > 1 or not all(IDENTITY.fullmatch(each) for each in values):
                return None
            found[role] = values[0] if values else ""
        if not found[self.participant]:
            return None
        return Visitor(
            self.name,
            found[self.participant],
            found[self.submission] if self.submission else "",
            found[self.study] if self.study else "",
        )

    def back(self, code: str) -> str:
        """Return the address that tells the platform how the visit ended.

        Examples
        --------
        >>> PROLIFIC.back("C1AB2")
        'https://app.prolific.com/submissions/complete?cc=C1AB2'
        """
        if not self.completion:
            raise InvalidArgument(
                f"{self.name} gives each study an address of its own to return to; copy it from "
                "there and use back_by"
            )
        if not CODE.fullmatch(code):
            raise InvalidArgument(f"{code!r} is no code of {self.name}; copy it from there")
        return self.completion.format(code=quote(code, safe=""))

    def back_by(self, address: str, visitor: Visitor) -> str:
        """Return the address that the platform gave, with the visitor in it where it has a place.

        SONA's address ends in survey_code=XXXX, where the participant belongs.

        Examples
        --------
        >>> given = (
        ...     "https://x.sona-systems.com/webstudy_credit.aspx?credit_token=9&survey_code=XXXX"
        ... )
        >>> SONA.back_by(given, Visitor("SONA", "1234"))
        'https://x.sona-systems.com/webstudy_credit.aspx?credit_token=9&survey_code=1234'
        """
        parts = _web_address(address)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        if self.participant not in dict(pairs):
            return address
        filled = [(n, visitor.participant if n == self.participant else v) for n, v in pairs]
        return urlunsplit(parts._replace(query=urlencode(filled)))


PROLIFIC = Platform(
    "Prolific",
    MappingProxyType(
        {
            "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
            "STUDY_ID": "{{%STUDY_ID%}}",
            "SESSION_ID": "{{%SESSION_ID%}}",
        }
    ),
    participant="PROLIFIC_PID",
    submission="SESSION_ID",
    study="STUDY_ID",
    completion="https://app.prolific.com/submissions/complete?cc={code}",
)
"""Prolific; its SESSION_ID is the submission that is approved and paid."""

CONNECT = Platform(
    "Connect",
    MappingProxyType({"participantId": "", "assignmentId": "", "projectId": ""}),
    participant="participantId",
    submission="assignmentId",
    study="projectId",
    appends=True,
)
"""CloudResearch Connect, which appends its parameters and shows the way back for each study."""

SONA = Platform(
    "SONA",
    MappingProxyType({"survey_code": "%SURVEY_CODE%"}),
    participant="survey_code",
)
"""SONA, the participant pools of universities; credit is granted by its completion address."""

PLATFORMS: Mapping[str, Platform] = MappingProxyType(
    {each.name: each for each in (PROLIFIC, CONNECT, SONA)}
)
"""The platforms by name."""


def visitor_of(query: str | Mapping[str, str]) -> Visitor | None:
    """Return who comes, from whichever platform; None for somebody who comes from none.

    Examples
    --------
    >>> visitor_of("participantId=p1&assignmentId=a1&projectId=q1")
    Visitor(platform='Connect', participant='p1', submission='a1', study='q1')
    """
    found = (each.visitor(query) for each in PLATFORMS.values())
    return next((each for each in found if each is not None), None)


def _pairs(query: str | Mapping[str, str]) -> Sequence[tuple[str, str]]:
    if not isinstance(query, str):
        return list(query.items())
    try:
        return parse_qsl(query.removeprefix("?"), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return []


def _web_address(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgument(f"{address!r} is no web address; it begins with https://")
    return parts
