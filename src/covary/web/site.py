"""A study as it is served, and one judge's visit at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from covary.crowd.signed_links import KeyFile
from covary.design.plan import Task
from covary.store.records import Answer, Judge, State
from covary.store.store import Store
from covary.store.training import Training
from covary.study.item_versions import FILES, version_of
from covary.study.model import Criterion, Item, Study
from covary.study.recruiting import SigningKey
from covary.web.forms import Notice, Refusal, notice
from covary.web.guard import Limit, Tokens, opaque_name, same_origin
from covary.web.judge_flow import JudgeFlow
from covary.web.session_cache import JudgeSession, ManualInForce, SessionCache

FOR_HALF_A_YEAR = 180 * 24 * 3600


@dataclass(frozen=True)
class Site:
    """One study as it is served; `secure` when browsers reach it by https.

    `given` is the study as its folder has it, `study` the same with the manual that is in force.
    Where judges are `simulated`, their pages say how long they took.
    """

    given: Study
    store: Store
    secure: bool = False
    per_judge: Limit = field(default_factory=lambda: Site.usual_pace())
    failing: Limit = field(default_factory=lambda: Limit(per_second=0.5, burst=30))
    simulated: bool = False

    @staticmethod
    def usual_pace() -> Limit:
        """Return the limit for a person who answers as fast as anyone can."""
        return Limit(per_second=20, burst=120)

    @cached_property
    def tokens(self) -> Tokens:
        """What makes and checks the tokens of forms and pages."""
        return Tokens(self.store.secret(), believes=self.simulated)

    @cached_property
    def sessions(self) -> SessionCache:
        """Who is at work."""
        return SessionCache(self.manual, self.store)

    def signing_keys(self) -> Mapping[str, SigningKey]:
        """Return the public keys of the platform, as the study's file has them now."""
        return self._key_file.keys()

    @cached_property
    def _key_file(self) -> KeyFile:
        recruiting = self.given.recruiting
        return KeyFile(self.given.folder / (recruiting.keys if recruiting else ""))

    @cached_property
    def training(self) -> Training:
        """The guideline cycle."""
        return self.store.training

    @cached_property
    def manual(self) -> ManualInForce:
        """What knows the manual that is in force."""
        return ManualInForce(self.given, self.training)

    @property
    def study(self) -> Study:
        """The study with the manual that is in force."""
        return self.manual.lately()

    @cached_property
    def _versions(self) -> dict[str, tuple[Item, str]]:
        return {}

    def version_of(self, item: Item) -> str:
        """Return the version of an item; that of one without files is worked out once."""
        known = self._versions.get(item.id)
        if known is not None and known[0] is item:
            return known[1]
        version = version_of(item, self.given.folder).version
        if not any(getattr(item, name) for name in FILES):
            self._versions[item.id] = (item, version)
        return version

    @cached_property
    def cookie(self) -> str:
        """The name of a judge's cookie."""
        return self.cookie_of("judge")

    def cookie_of(self, whose: str) -> str:
        """Return the name of a cookie: the study's own, and over https one no other host can set.

        Browsers send the cookies of one port to all others of a machine, so that two studies on it
        would otherwise take each other's.
        """
        own = opaque_name(self.store.secret(), "cookie")[:8]
        return f"{'__Host-' if self.secure else ''}covary-{whose}-{own}"

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
        return self.judge_by(self.judge_token(request), request)

    def judge_by(self, token: str, request: Request, status: int = 403) -> Judge:
        """Return the judge of a token, or refuse; count what fails, by address."""
        judge = self.store.judges.by_token(token)
        if judge is None:
            raise self._unknown(request, status)
        self.check_pace(judge)
        return judge

    def admit(self, request: Request, token: str) -> JudgeSession:
        """Let in a change from a judge's own page, as the store has the judge now, or refuse."""
        return self.let_in(request, self.sessions.read(self.judge_token(request)), token)

    def let_in(self, request: Request, session: JudgeSession | None, token: str) -> JudgeSession:
        """Return the session that was read for a change, while the study is open, or refuse."""
        if session is None:
            raise self._unknown(request)
        self.check_pace(session.judge)
        self.check_form(request, str(session.judge.id), token)
        check_open(session.state)
        return session

    def check_pace(self, judge: Judge) -> None:
        """Refuse a judge who asks faster than anyone can."""
        if not self.per_judge.allows(str(judge.id)):
            raise Refusal(429)

    def check_form(self, request: Request, whose: str, token: str) -> None:
        """Refuse a change that was not sent from this person's page of this server."""
        if not same_origin(request) or not self.tokens.is_form_token(whose, token):
            raise Refusal(403)

    def judge_token(self, request: Request) -> str:
        """Return what a judge's cookie says, or refuse who has none."""
        token = request.cookies.get(self.cookie)
        if not token:
            raise Refusal(403, "web.no-link")
        return token

    def _unknown(self, request: Request, status: int = 403) -> Refusal:
        return self.turned_away(request, status, "web.unknown-link")

    def turned_away(self, request: Request, status: int, code: str) -> Refusal:
        """Return a refusal; count, by address, who tries too often."""
        return (
            Refusal(status, code) if self.failing.allows(remote_address(request)) else Refusal(429)
        )

    def not_open(self) -> Notice | None:
        """Say that the study is paused or closed; None while it is open."""
        state = self.store.get_state()
        return None if state == "open" else notice(f"web.{state}")


@dataclass(frozen=True)
class Visit:
    """A judge, and the judge's way up to now."""

    site: Site
    judge: Judge
    flow: JudgeFlow

    @property
    def study(self) -> Study:
        """The study as it was when the way was looked up, so that both fit."""
        return self.flow.study

    @property
    def sheet_number(self) -> int:
        """The number of the judge's sheet, 0 before there is one."""
        return 0 if self.flow.sheet is None else self.flow.sheet.number

    @property
    def may_stop(self) -> bool:
        """Whether the pages offer to stop for good: to recruited people who have a place."""
        recruited = "recruited" in self.judge.attributes and self.study.recruiting is not None
        return recruited and self.flow.sheet is not None

    @property
    def tokens(self) -> Tokens:
        """What seals the judge's pages."""
        return self.site.tokens

    @property
    def judge_id(self) -> int:
        """Whose pages they are."""
        return self.judge.id

    def task(self, position: int) -> Task | None:
        """Return the task at a position of the sheet."""
        return self.flow.task(position)

    def asked(self, task: Task) -> tuple[Criterion, ...]:
        """Return what is asked at a task."""
        return self.study.asked_of(task.part)

    def page_place(self, task: Task) -> tuple[object, ...]:
        """Return what the page of a task is sealed with."""
        version = self.item_version(task.item)
        return (self.sheet_number, task.position, self.study.manual.version, version)

    def item_version(self, item: str) -> str:
        """Return the version of an item as the pages show it."""
        return self.site.version_of(self.study.item(item))

    def check_reached(self, task: Task) -> None:
        """Refuse where the judge cannot be at a task now."""
        if self.flow.may_see(task.position) is None:
            raise Refusal(409)

    def note(self, kind: str, data: dict[str, Any], key: str | None = None) -> None:
        """Write down that something happened; with a key, once for this judge."""
        own = None if key is None else f"{self.judge.id}:{key}"
        self.site.store.notes.add(self.judge.id, kind, data, key=own)
        self.site.sessions.more_happened(self.judge.id)

    def note_at(self, kind: str, position: int) -> None:
        """Write down that something happened at a place of the sheet, once."""
        number = self.sheet_number
        again = sum(note.kind == "practice-again" for note in self.flow.notes)
        key = f"{kind}:{number}:{position}" + f":{again}" * bool(again)
        self.note(kind, {"sheet": number, "position": position}, key)

    def answers_at(self, position: int) -> list[Answer]:
        """Return every answer that is stored for a place of the sheet, as they came."""
        return self.site.store.answers.at(self.judge.id, self.sheet_number, position)

    def values(self) -> dict[str, Any]:
        """Return what every page of a judge is drawn with."""
        return {
            "study": self.study,
            "token": self.site.tokens.form_token(str(self.judge.id)),
            "stop": self.may_stop,
        }


def visit(site: Site, judge: Judge) -> Visit:
    """Look up where a judge is."""
    return Visit(site, judge, site.sessions.flow(judge.id, site.store.sheets.of(judge.id)))


def those_that_count(answers: Iterable[Answer]) -> dict[str, Answer]:
    """Return the answers of one place that count, by criterion: the last that was not late."""
    return {answer.criterion: answer for answer in answers if not answer.late}


def check_open(state: State) -> None:
    """Refuse a change while the study is paused or closed."""
    if state != "open":
        raise Refusal(409, f"web.{state}")


def remote_address(request: Request) -> str:
    """Return from where somebody asks."""
    return request.client.host if request.client else ""
