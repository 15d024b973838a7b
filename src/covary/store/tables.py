"""The tables as SQLAlchemy sees them; `migrations` makes them, and a test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, MetaData, Table, Text

__all__ = [
    "answers",
    "cycle_events",
    "issues",
    "judges",
    "metadata",
    "migrations",
    "notes",
    "researchers",
    "settings",
    "sheets",
]

metadata = MetaData()

migrations = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

researchers = Table(
    "researchers",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("link_hash", Text, nullable=False),
    Column("session_hash", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("claimed_at", BigInteger),
)

judges = Table(
    "judges",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text),
    Column("group_name", Text),
    Column("attributes", Text, nullable=False),
    Column("revoked_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
)

sheets = Table(
    "sheets",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("square_row", Text, nullable=False),
    Column("tasks", Text, nullable=False),
    Column("judge", BigInteger),
    Column("retired", Boolean, nullable=False),
)

issues = Table(
    "issues",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("sheet", Integer, nullable=False),
    Column("judge", BigInteger, nullable=False),
    Column("issued_at", BigInteger, nullable=False),
    Column("reclaimed_at", BigInteger),
)

answers = Table(
    "answers",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("judge", BigInteger, nullable=False),
    Column("sheet", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("criterion", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("occasion", Integer, nullable=False),
    Column("rating", Text),
    Column("touched", Boolean, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("changed", Boolean, nullable=False),
    Column("manual", Text, nullable=False),
    Column("page", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("answer_key", Text, nullable=False),
    Column("shown_order", Text, nullable=False),
    Column("seconds", Float(53)),
    Column("shown_at", BigInteger),
    Column("answered_at", BigInteger, nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("judge", BigInteger),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("note_key", Text),
    Column("at", BigInteger, nullable=False),
)

cycle_events = Table(
    "cycle_events",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("event", Text, nullable=False),
    Column("event_key", Text),
    Column("at", BigInteger, nullable=False),
)

visitors = Table(
    "visitors",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("participant", Text, primary_key=True),
    Column("submission", Text, nullable=False),
    Column("study", Text, nullable=False),
    Column("judge", BigInteger, nullable=False),
    Column("arrived_at", BigInteger, nullable=False),
)
