"""A clock for tests that can be put forward, in place of the store's."""

from datetime import datetime, timedelta

import pytest


class Clock:
    """The true time, and as much more as a test says."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def go_on(self, **more: float) -> None:
        """Let time pass."""
        self.ahead += timedelta(**more)

    def hours(self, number: float) -> timedelta:
        return timedelta(hours=number)

    def now(self, zone=None) -> datetime:
        return datetime.now(zone) + self.ahead


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    ahead = type("datetime", (datetime,), {"now": staticmethod(made.now)})
    monkeypatch.setattr("covary.store.records.datetime", ahead)
    return made
