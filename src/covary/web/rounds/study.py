"""The study with the manual that is in force: judges who train may change it while it is served.

A page is drawn from the newest edition that the store has. A save may rely on one that was read up
to two seconds ago, as on everything else that is known of a judge (see `presence`).
"""

from __future__ import annotations

import math
import time
from threading import Lock

from covary.store.training import Training
from covary.study.in_force import in_force
from covary.study.model import Study
from covary.study.versions import Edition

__all__ = ["InForce"]

SECONDS_TO_RELY = 2.0


class InForce:
    """A study whose manual follows the guideline cycle; each edition makes one study of it."""

    def __init__(self, given: Study, training: Training) -> None:
        self._given = given
        self._training = training
        self._alone = Lock()
        self._edition: Edition | None = None
        self._study = given
        self._read_at = -math.inf

    @property
    def known(self) -> Study:
        """The study as this process knows it, without asking the store."""
        return self._study

    def lately(self) -> Study:
        """Return the study as it was within the last two seconds."""
        if time.monotonic() < self._read_at + SECONDS_TO_RELY:
            return self._study
        return self.now()

    def now(self) -> Study:
        """Return the study with the newest edition that the store has."""
        with self._alone:
            read_at = time.monotonic()
            editions = self._training.cycle().editions
            newest = editions[-1] if editions else None
            if newest is not self._edition:
                self._study = self._given if newest is None else in_force(self._given, newest)
                self._edition = newest
            self._read_at = read_at
            return self._study
