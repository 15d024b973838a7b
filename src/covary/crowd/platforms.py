"""Recruitment platforms: the link judges come by, who they are there, and the way back.

Below: what a study says about recruiting, as prices, codes, a platform and an estimate of the cost.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from covary.analysis.planning.cost import ExpectedCost, Prices, estimate
from covary.errors import InvalidArgument
from covary.study.model import Recruiting, Study
from covary.study.recruiting import recruited_sheets
from covary.words import Note

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What can be a code, or the platform's name of a person or a visit."""

MINUTE = 60

RECRUITING_TABLE = """\
[recruiting]
platform = "prolific"     # or "connect", "sona", "link"
done = "{done}"       # the code of those who finish; enter it on the platform too
returned = "{returned}"   # of those who do not agree, stop, or find the study full
pay = "2.00"              # for each person
fee_share = "0.33"        # what the platform takes, as a share of the pay
minimum_wage = "12.00"    # the least that an hour should pay
minutes = 10              # how long it takes; try it out
"""

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
        others = (self.screened_out, self.failed, self.returned)
        codes = (self.done, *(code for code in others if code))
        wrong = [code for code in codes if not NAME.fullmatch(code)]
        if wrong:
            raise InvalidArgument("crowd.code-letters", codes=wrong)
        if len(set(codes)) < len(codes):
            raise InvalidArgument("crowd.same-codes", codes=codes)

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
            raise InvalidArgument("crowd.parameters-taken", value=address, names=taken)
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
        names = []
        for role in (self.participant, self.submission, self.study):
            values = [value for name, value in pairs if role and name == role]
            if len(values) > 1 or not all(NAME.fullmatch(value) for value in values):
                return None
            names.append(values[0] if values else "")
        return Visitor(self.name, *names) if names[0] else None

    def back(self, code: str) -> str:
        """Return the address that tells the platform how the visit ended.

        Examples
        --------
        >>> PROLIFIC.back("C1AB2")
        'https://app.prolific.com/submissions/complete?cc=C1AB2'
        """
        if not self.completion:
            raise InvalidArgument("crowd.own-way-back", platform=self.name)
        if not NAME.fullmatch(code):
            raise InvalidArgument("crowd.platform-code", value=code, platform=self.name)
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
    {platform.name: platform for platform in (PROLIFIC, CONNECT, SONA)}
)
"""The platforms by name."""

BY_KEY: Mapping[str, Platform] = MappingProxyType(
    {"prolific": PROLIFIC, "connect": CONNECT, "sona": SONA}
)
"""By what study.toml calls them; a plain link belongs to none."""


def visitor_of(query: str | Mapping[str, str]) -> Visitor | None:
    """Return who comes, from whichever platform; None for somebody who comes from none.

    Examples
    --------
    >>> visitor_of("participantId=p1&assignmentId=a1&projectId=q1")
    Visitor(platform='Connect', participant='p1', submission='a1', study='q1')
    """
    visitors = (platform.visitor(query) for platform in PLATFORMS.values())
    return next((visitor for visitor in visitors if visitor is not None), None)


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
        raise InvalidArgument("crowd.web-address", value=address)
    return parts


def new_table() -> str:
    """Return a table [recruiting] to begin from, with codes that nobody can guess."""
    codes = Codes.new()
    return RECRUITING_TABLE.format(done=codes.done, returned=codes.returned)


def recruiting_of(study: Study) -> Recruiting:
    """Return how a study recruits, or say what to write."""
    if study.recruiting is None:
        raise InvalidArgument("crowd.no-recruiting")
    return study.recruiting


def platform_of(recruiting: Recruiting) -> Platform | None:
    """Return the platform; None where people come by a plain link."""
    return BY_KEY.get(recruiting.platform)


def name_of(recruiting: Recruiting) -> str:
    """Return what people call the platform."""
    platform = platform_of(recruiting)
    return "a plain link" if platform is None else platform.name


def codes_of(recruiting: Recruiting) -> Codes:
    """Return the codes of a study; a platform without codes is told apart by addresses."""
    done = recruiting.done or "done"
    return Codes(done, recruiting.screened_out, recruiting.failed, recruiting.returned)


def prices_of(recruiting: Recruiting) -> Prices:
    """Return what one person's work pays and costs."""
    if recruiting.pay is None:
        raise InvalidArgument("crowd.no-pay")
    return Prices(
        pay=recruiting.pay,
        fee=recruiting.fee,
        fee_share=recruiting.fee_share,
        wage=recruiting.minimum_wage,
        screen_out=recruiting.screen_out_pay,
    )


def minutes_of(study: Study) -> float | None:
    """Return how long the study takes one person, as far as it says so."""
    minutes = study.recruiting.minutes if study.recruiting else None
    return study.population.minutes if minutes is None else minutes


def people_of(study: Study) -> int:
    """Return how many people are wanted: the places, or one for each sheet of the design."""
    places = recruiting_of(study).places
    return recruited_sheets(study) if places is None else places


PROLIFIC_FEES = MappingProxyType({"academic": Decimal("0.333"), "corporate": Decimal("0.428")})
PROLIFIC_FEES_ON = "20 September 2026"
"""What Prolific takes, as a share of the pay, and when its page of prices said so."""


def study_cost(study: Study) -> ExpectedCost:
    """Say what a study will cost: each person is paid for a sheet.

    Where people come from Prolific and the study names no fee, a warning names Prolific's own.
    """
    minutes, prices = minutes_of(study), prices_of(recruiting_of(study))
    expected = estimate(
        people_of(study),
        sum(item.kind in ("item", "anchor") for item in study.items),
        prices,
        None if minutes is None else minutes * MINUTE,
    )
    if platform_of(recruiting_of(study)) is not PROLIFIC or prices.fee or prices.fee_share:
        return expected
    totals = {f"{who}_total": expected.paid * (1 + fee) for who, fee in PROLIFIC_FEES.items()}
    note = Note("crowd.prolific-fee", date=PROLIFIC_FEES_ON, **PROLIFIC_FEES, **totals)
    return replace(expected, warnings=(*expected.warnings, note))
