"""What every page needs: the study, its store, the secret of its forms, the limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response

from covary.store.records import Judge
from covary.store.store import Store
from covary.store.training import Training
from covary.study.model import Study
from covary.web.judge.presence import Presence, Seat
from covary.web.limits import Limit
from covary.web.proof import Proof, same_origin
from covary.web.refusals import NO_LINK, UNKNOWN_LINK, Refusal
from covary.web.rounds.study import InForce

__all__ = ["Site"]

FOR_HALF_A_YEAR = 180 * 24 * 3600


@dataclass(frozen=True)
class Site:
    """One study as it is served; `secure` when browsers reach it by https.

    `given` is the study as its folder has it, `study` the same with the manual that is in force.
    """

    given: Study
    store: Store
    secure: bool = False
    per_judge: Limit = field(default_factory=lambda: Site.usual_pace())
    failing: Limit = field(default_factory=lambda: Limit(per_second=0.5, burst=30))

    @staticmethod
    def usual_pace() -> Limit:
        """Return the limit for a person who answers as fast as anyone can."""
        return Limit(per_second=20, burst=120)

    @cached_property
    def proof(self) -> Proof:
        """What makes and checks the tokens of forms and pages."""
        return Proof(self.store.secret())

    @cached_property
    def presence(self) -> Presence:
        """Who is at work."""
        return Presence(self.manual, self.store)

    @cached_property
    def training(self) -> Training:
        """The guideline cycle."""
        return Training(self.store)

    @cached_property
    def manual(self) -> InForce:
        """What knows the manual that is in force."""
        return InForce(self.given, self.training)

    @property
    def study(self) -> Study:
        """The study with the manual that is in force."""
        return self.manual.lately()

    @property
    def cookie(self) -> str:
        """The name of a judge's cookie; over https a name that no other host can set."""
        return "__Host-covary-judge" if self.secure else "covary-judge"

    def keep_cookie(self, response: Response, name: str, value: str) -> None:
        """Give a browser a cookie that no script reads and no other site sends."""
        response.set_cookie(
            name,
            value,
            max_age=FOR_HALF_A_YEAR,
            httponly=True,
            samesite="lax",
            secure=self.secure,
            path="/",
        )

    def judge_of(self, request: Request) -> Judge:
        """Return the judge whose cookie came, or refuse."""
        return self.judge_by(self._token(request), request)

    def judge_by(self, token: str, request: Request, status: int = 403) -> Judge:
        """Return the judge of a token, or refuse; count what fails, by address."""
        judge = self.store.judge(token)
        if judge is None:
            raise self._unknown(request, status)
        self.check_pace(judge)
        return judge

    def seat_of(self, request: Request) -> Seat:
        """Return the judge whose cookie came with all that a change depends on, or refuse."""
        seat = self.presence.read(self._token(request))
        if seat is None:
            raise self._unknown(request)
        self.check_pace(seat.judge)
        return seat

    def check_pace(self, judge: Judge) -> None:
        """Refuse a judge who asks faster than anyone can."""
        if not self.per_judge.allows(str(judge.id)):
            raise Refusal(429)

    def check_form(self, request: Request, whose: str, token: str) -> None:
        """Refuse a change that was not sent from this person's page of this server."""
        if not same_origin(request) or not self.proof.is_form_token(whose, token):
            raise Refusal(403)

    def _token(self, request: Request) -> str:
        token = request.cookies.get(self.cookie)
        if not token:
            raise Refusal(403, NO_LINK)
        return token

    def _unknown(self, request: Request, status: int = 403) -> Refusal:
        who = request.client.host if request.client else ""
        return Refusal(status, UNKNOWN_LINK) if self.failing.allows(who) else Refusal(429)
