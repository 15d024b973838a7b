"""POST /judge/answer: one answer from the request to the commit, which is the whole of a save.

Who comes is remembered, or read together with everybody else who waits to be read. The answer is
checked here, on the event loop, and given to the store's writer, which commits all that waits in
one transaction. The page is told that it is saved when that is durable.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from covary.store.records import Answer
from covary.web.forms import Refusal, read_json
from covary.web.guard import header
from covary.web.judge.answers import answer_from
from covary.web.session_cache import JudgeSession
from covary.web.site import Site, Visit

SAVED = Response(b'{"saved":true,"late":false}', media_type="application/json")
LATE = Response(b'{"saved":true,"late":true}', media_type="application/json")
TOKEN_HEADER = "x-covary-token"


class SaveEndpoint:
    """Saves one answer that the script of a judge's page has sent."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        answer = self._answer_of_known(request, body)
        if answer is None:
            answer = await self._answer_of_read(request, body)
        (saved,) = await self.site.store.answers.save_in_loop([answer])
        await (LATE if saved.late else SAVED)(scope, receive, send)

    def _answer_of_known(self, request: Request, body: bytes) -> Answer | None:
        """Return the answer of a judge who is remembered; None where the store must be asked.

        What is remembered only ever lets in: whoever it would refuse is read anew.
        """
        session = self.site.sessions.seat(request.cookies.get(self.site.cookie, ""))
        if session is None:
            return None
        try:
            self.site.check_form(request, str(session.judge.id), _form_token(request))
            answer = self._answer(session, body)
        except Refusal:
            return None
        self.site.check_pace(session.judge)
        return answer

    async def _answer_of_read(self, request: Request, body: bytes) -> Answer:
        """Return the answer of a judge as the store has the judge now, or refuse."""
        session = await self.site.sessions.read_in_turn(self.site.judge_token(request))
        return self._answer(self.site.let_in(request, session, _form_token(request)), body)

    def _answer(self, session: JudgeSession, body: bytes) -> Answer:
        return answer_from(Visit(self.site, session.judge, session.flow), read_json(body))


def _form_token(request: Request) -> str:
    return header(request.scope, TOKEN_HEADER.encode()) or ""
