"""Prolific over its API: a draft of a study, submissions, approval, rejection and bonuses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from covary.analysis.planning.cost import money
from covary.crowd.api import Caller, PlatformError
from covary.crowd.cost import PAID
from covary.crowd.lint import SHORTEST_MESSAGE
from covary.crowd.platforms import NAME, PROLIFIC, Codes
from covary.crowd.submissions import Submission
from covary.errors import InvalidArgument

ADDRESS = "https://api.prolific.com"
PAGE = 100
MOST_PAGES = 10_000
MOST_BONUSES = 200

CATEGORIES = (
    *("BAD_CODE", "FAILED_CHECK", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "LOW_EFFORT"),
    *("MALINGERING", "NO_CODE", "NO_DATA", "OTHER", "TOO_QUICKLY", "TOO_SLOWLY", "UNSUPP_DEVICE"),
)
"""Prolific's reasons for a rejection."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A study as Prolific shows it to people.

    `address` is where judges come in; Prolific's parameters are added to it. `reward` is in the
    account's currency (1.50, not 150), `minutes` the estimated time and `places` how many people
    may take part. With `signed`, Prolific signs who comes. `further` are other fields of
    Prolific's API, such as filters.
    """

    name: str
    description: str
    address: str
    codes: Codes
    reward: Decimal | float | str
    minutes: int
    places: int
    signed: bool = False
    further: Mapping[str, Any] | None = None

    def content(self) -> dict[str, Any]:
        """Return the draft as Prolific's API reads it."""
        for name in ("name", "description"):
            if not str(getattr(self, name)).strip():
                raise InvalidArgument("crowd.draft-text", name=name)
        for name, number in (("minutes", self.minutes), ("places", self.places)):
            if type(number) is not int or number < 1:
                raise InvalidArgument("crowd.draft-number", argument=name, value=number)
        return {
            **(self.further or {}),
            "name": self.name,
            "description": self.description,
            "external_study_url": PROLIFIC.link(self.address),
            "prolific_id_option": "url_parameters",
            **({"is_external_study_url_secure": True} if self.signed else {}),
            "completion_codes": list(_codes(self.codes)),
            "estimated_completion_time": self.minutes,
            "reward": _hundredths(self.reward),
            "total_available_places": self.places,
        }


@dataclass(frozen=True, kw_only=True)
class Bonuses:
    """Bonuses that are set up and not yet paid; `total` will leave the account.

    `amount` and `fees` are NaN where Prolific does not tell them.
    """

    id: str
    amount: Decimal
    fees: Decimal
    total: Decimal


class Prolific:
    """Prolific's API, version 1.

    Parameters
    ----------
    token
        The API token of a researcher's settings. It carries all rights, so keep it in an
        environment variable; covary neither writes nor shows it.
    address
        Where the API is.
    timeout, attempts
        Seconds to wait for an answer, and how often a call is tried. Calls that could count twice
        are tried again only when Prolific refused them as too many; paying is never tried again.

    Raises
    ------
    PlatformError
        Every method, when Prolific refuses or does not answer; the message says what to do.
    """

    def __init__(
        self,
        token: str,
        *,
        address: str = ADDRESS,
        timeout: float = 30.0,
        attempts: int = 4,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._caller = Caller(address, token, timeout=timeout, attempts=attempts, pause=pause)

    def create_study(self, draft: Draft) -> str:
        """Make a draft, which nobody sees yet, and return its id."""
        answer = self._caller.post("/api/v1/studies/", draft.content(), "when refused")
        return _id(answer, "the new study")

    def publish(self, study: str) -> None:
        """Open a draft to people; from now on it costs money."""
        path = f"/api/v1/studies/{_name(study)}/transition/"
        self._caller.post(path, {"action": "PUBLISH"}, "when refused")

    def submissions(self, study: str) -> tuple[Submission, ...]:
        """Return all submissions of a study, page by page."""
        query: dict[str, str | int] = {"study": _name(study), "page_size": PAGE}
        visits: dict[str, Submission] = {}
        for page in range(1, MOST_PAGES):
            answer = self._caller.get("/api/v1/submissions/", query | {"page": page})
            records = answer.get("results") if isinstance(answer, dict) else None
            if not isinstance(records, list):
                raise PlatformError("crowd.no-results")
            before = len(visits)
            visits |= {visit.id: visit for visit in map(self._submission, records)}
            if not _more(answer, len(visits), len(records)):
                _check_complete(answer, len(visits))
                return tuple(visits.values())
            if len(visits) == before:
                break
        raise PlatformError("crowd.endless-list")

    def approve(self, submission: str) -> None:
        """Approve a submission, which pays it; this cannot be undone."""
        self._transition(submission, {"action": "APPROVE"})

    def reject(self, submission: str, message: str, category: str) -> None:
        """Reject a submission, which is then not paid; the message is for the participant."""
        length = len(message.strip())
        if length < SHORTEST_MESSAGE:
            raise InvalidArgument("crowd.short-message", length=length, least=SHORTEST_MESSAGE)
        if category not in CATEGORIES:
            raise InvalidArgument(
                "crowd.category", argument="category", value=category, allowed=CATEGORIES
            )
        content = {"action": "REJECT", "message": message, "rejection_category": category}
        self._transition(submission, content)

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal | float | str]) -> Bonuses:
        """Set up bonuses by participant or submission, and say what they will cost; pays nothing.

        Amounts are in the study's currency: 1.50 is one pound or dollar fifty.
        """
        if not 1 <= len(amounts) <= MOST_BONUSES:
            number = len(amounts)
            raise InvalidArgument("crowd.number-of-bonuses", number=number, most=MOST_BONUSES)
        rows = [
            f"{_name(who)},{_hundredths(much) / Decimal(100):.2f}" for who, much in amounts.items()
        ]
        empty = [who for who, much in amounts.items() if not money(much)]
        if empty:
            raise InvalidArgument("crowd.zero-bonus", names=empty)
        content = {"study_id": _name(study), "csv_bonuses": "\n".join(rows)}
        answer = self._caller.post("/api/v1/submissions/bonus-payments/", content, "when refused")
        name = _id(answer, "the bonuses")
        if answer.get("total_amount") is None:
            raise PlatformError("crowd.no-total", id=name)
        amount, fees, total = (_units(answer, key) for key in ("amount", "fees", "total_amount"))
        return Bonuses(id=name, amount=amount, fees=fees, total=total)

    def pay_bonuses(self, bonuses: Bonuses | str) -> None:
        """Pay what was set up. Call it once: Prolific pays again each time it is called."""
        name = _name(bonuses.id if isinstance(bonuses, Bonuses) else bonuses)
        self._caller.post(f"/api/v1/bulk-bonus-payments/{name}/pay/", {}, "never")

    def _submission(self, record: Any) -> Submission:
        """Read a submission; bonuses that the list does not tell are asked for one by one."""
        if not isinstance(record, dict):
            raise PlatformError("crowd.strange-record")
        visit = Submission.from_prolific(record)
        if visit.status not in PAID or record.get("bonus_payments") is not None:
            return visit
        whole = self._caller.get(f"/api/v1/submissions/{_name(visit.id)}/")
        return Submission.from_prolific({**record, **whole})

    def _transition(self, submission: str, content: Mapping[str, Any]) -> None:
        # Prolific ignores the same transition when it comes again, so it may be repeated.
        path = f"/api/v1/submissions/{_name(submission)}/transition/"
        self._caller.post(path, content, "always")


def _codes(codes: Codes) -> Iterator[dict[str, Any]]:
    """Write the codes that there are; each is looked at by the researcher."""
    kinds = {
        "COMPLETED": codes.done,
        "OTHER": codes.screened_out,
        "FAILED_ATTENTION_CHECK": codes.failed,
        "NO_CONSENT": codes.returned,
    }
    for kind, code in kinds.items():
        if code:
            yield {"code": code, "code_type": kind, "actions": [{"action": "MANUALLY_REVIEW"}]}


def _hundredths(amount: Decimal | float | str) -> int:
    cents = money(amount) * 100
    if cents != int(cents):
        raise InvalidArgument("crowd.cents", value=amount)
    return int(cents)


def _units(answer: Mapping[str, Any], key: str) -> Decimal:
    """Return an amount that Prolific tells in hundredths."""
    cents = answer.get(key)
    return Decimal("NaN") if cents is None else money(cents) / 100


def _name(written: str) -> str:
    """Return an id, which becomes part of an address."""
    if not NAME.fullmatch(written):
        raise InvalidArgument("crowd.prolific-id", value=written)
    return written


def _id(answer: Any, what: str) -> str:
    name = answer.get("id") if isinstance(answer, dict) else None
    if not isinstance(name, str) or not name:
        raise PlatformError("crowd.no-id", what=what)
    return name


def _more(answer: Mapping[str, Any], so_far: int, here: int) -> bool:
    """Say whether there is a further page: by its link, by the count, or until one is empty."""
    links = answer.get("_links")
    if isinstance(links, dict) and "next" in links:
        following = links["next"]
        return bool(following.get("href") if isinstance(following, dict) else following)
    count = _count(answer)
    return so_far < count if count is not None else here > 0


def _count(answer: Mapping[str, Any]) -> int | None:
    meta = answer.get("meta")
    count = meta.get("count") if isinstance(meta, dict) else None
    return count if isinstance(count, int) else None


def _check_complete(answer: Mapping[str, Any], sent: int) -> None:
    count = _count(answer)
    if count is not None and sent < count:
        raise PlatformError("crowd.incomplete-list", count=count, sent=sent)
