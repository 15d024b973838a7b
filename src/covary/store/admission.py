"""Who is let in: researchers, judges, and people who come from a recruiting platform."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from covary.errors import InvalidArgument
from covary.store import people, visitors
from covary.store import places as places_
from covary.store.acceptance import check_text
from covary.store.connected import Connected
from covary.store.places import Ending, Reclaimed
from covary.store.records import Judge
from covary.store.visitors import Arrival, VisitorRecord

__all__ = ["Admission"]


class Admission(Connected):
    """The part of a store that knows people; links and sessions are kept as digests only."""

    # researchers

    def researcher_link(self, *, again: bool = False) -> str | None:
        """Return a new one-time token; None once a researcher has signed in, unless `again`."""
        return self._write(people.new_researcher_link, again)

    def claim_researcher(self, token: str) -> str | None:
        """Take a one-time token for a session token; None when it is not, or no longer, good."""
        return self._write(people.claim_researcher, token)

    def researcher(self, session: str) -> bool:
        """Say whether a session token is a researcher's."""
        with self.database.reading() as connection:
            return people.is_researcher(connection, session)

    def end_researcher(self, session: str) -> None:
        """Let a session token in no more."""
        self._write(people.end_researcher, session)

    # judges

    def add_judge(
        self,
        name: str | None = None,
        *,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> tuple[Judge, str]:
        """Add a judge; the token comes back this once and is kept only as a digest."""
        for what, text in (("name", name), ("group", group)):
            if text is not None:
                check_text(what, text)
        return self._write(people.add_judge, name, group, attributes or {})

    def judge(self, token: str) -> Judge | None:
        """Return the judge whom a token lets in; None when it is unknown or revoked."""
        with self.database.reading() as connection:
            return people.judge_by_token(connection, token)

    def judge_of_id(self, judge_id: int) -> Judge | None:
        """Return the judge of this number."""
        with self.database.reading() as connection:
            return people.judge_by_id(connection, judge_id)

    def judges(self) -> list[Judge]:
        """Return all judges in the order in which they were added."""
        with self.database.reading() as connection:
            return people.all_judges(connection)

    def revoke(self, judge_id: int) -> None:
        """Let a judge in no more; what was answered stays."""
        self._write(people.revoke, judge_id)

    def new_token(self, judge_id: int) -> str:
        """Give a judge a new token; the old one is worth nothing from now on."""
        return self._write(people.new_token, judge_id)

    def set_group(self, judge_id: int, group: str | None) -> None:
        """Say which group a judge belongs to."""
        self._write(people.set_group, judge_id, group)

    # recruited people

    def join_secret(self) -> str | None:
        """Return the last part of the open recruiting link; None where there is none."""
        with self.database.reading() as connection:
            return visitors.join_secret(connection)

    def new_join_secret(self) -> str:
        """Make an open recruiting link and return its last part; the link before ends."""
        return self._write(visitors.new_join_secret)

    def revoke_join_secret(self) -> None:
        """Let nobody new in by the open recruiting link; those who came by it go on."""
        self._write(visitors.revoke_join_secret)

    def arrive(
        self, platform: str, participant: str, submission: str = "", study: str = ""
    ) -> Arrival:
        """Return the judge who is this participant of a platform, made when they first come."""
        for what, text in (("platform", platform), ("participant", participant),
                           ("submission", submission), ("study", study)):  # fmt: skip
            check_text(what, text)
        if not platform or not participant:
            raise InvalidArgument("a visitor needs a platform and the platform's id of them")
        return self._write(visitors.arrive, self.secret(), platform, participant, submission, study)

    def visitors(self) -> list[VisitorRecord]:
        """Return everybody who came from a platform, and how it stands or ended."""
        with self.database.reading() as connection:
            return visitors.found_visitors(connection)

    def visitor(self, judge_id: int) -> VisitorRecord | None:
        """Return who a judge is on a platform; None for one who did not come from any."""
        with self.database.reading() as connection:
            return next(iter(visitors.found_visitors(connection, judge_id)), None)

    def has_come(self, platform: str, participant: str) -> bool:
        """Say whether somebody of a platform has come before."""
        with self.database.reading() as connection:
            return visitors.has_come(connection, platform, participant)

    def place_for(self, judge_id: int, places: int | None = None) -> int | None:
        """Return the sheet that a recruited person has or could have now; nothing is changed.

        `places` is how many recruited people may have a sheet; None: as many as there are sheets.
        """
        with self.database.reading() as connection:
            return places_.place_for(connection, judge_id, places)

    def take_place(self, judge_id: int, places: int | None = None) -> int | None:
        """Give a recruited person a sheet, where there is a place; no sheet is ever added.

        Somebody who had one before gets the same again, or none once they have rated something.
        """
        return self._write(places_.take_place, judge_id, places)

    def end_visit(
        self, judge_id: int, ending: Ending, *, code: str = "", **details: Any
    ) -> Ending | None:
        """End a recruited person's visit, and return how it has ended: the first ending stays.

        The sheet of everybody who is not done is free again. None where somebody should be done
        whose sheet was given on.
        """
        return self._write(places_.end, judge_id, ending, {"code": code, **details})

    def ending_of(self, judge_id: int) -> Ending | None:
        """Return how a recruited person's visit ended; None while it may go on."""
        with self.database.reading() as connection:
            return places_.ending_of(connection, judge_id)

    def note_full(self, judge_id: int) -> bool:
        """Note that somebody found no place; False when that was noted before."""
        return self._write(places_.note_full, judge_id)

    def reclaim_idle(self, after: timedelta, *, code: str = "") -> Reclaimed:
        """Take back the sheets of recruited people who did nothing for so long.

        Who had judged everything and only not seen the last page is done, with this code.
        """
        return self._write(places_.reclaim_idle, after, code)
