"""What judges said about themselves and about the study, taken from the notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covary.store.store import Store
from covary.study.model import Study

__all__ = ["backgrounds", "groups_of", "last_said"]


def backgrounds(store: Store) -> dict[int, Mapping[str, Any]]:
    """Return each judge's answers to the background questions."""
    return {
        judge: said.get("answers", {}) for judge, said in last_said(store, "background").items()
    }


def groups_of(study: Study, store: Store) -> dict[int, str]:
    """Return the group of each judge who answered the question that makes the groups."""
    asked = [each.name for each in study.background if each.group]
    return {
        judge: " / ".join(str(said[name]) for name in asked)
        for judge, said in backgrounds(store).items()
        if asked and all(said.get(name) for name in asked)
    }


def last_said(store: Store, kind: str) -> dict[int, Mapping[str, Any]]:
    """Return the last note of a kind about each judge."""
    return {note.judge: note.data for note in store.notes(kind=kind) if note.judge is not None}
