"""How often somebody may ask: a bucket that fills again with time, for each name."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Limit"]

MOST_NAMES = 10_000


class Limit:
    """Let each name do `burst` things at once and `per_second` from then on.

    Held in memory: a restart forgets, which is harmless, and several processes each count alone.
    """

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second = per_second
        self.burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, name: str) -> bool:
        """Count one attempt, and say whether it is within the limit."""
        now = self._clock()
        if len(self._buckets) > MOST_NAMES:
            self._forget_the_full(now)
        left = self._left(name, now)
        self._buckets[name] = (max(left - 1, 0), now)
        return left >= 1

    def _left(self, name: str, now: float) -> float:
        left, at = self._buckets.get(name, (float(self.burst), now))
        return min(self.burst, left + (now - at) * self.per_second)

    def _forget_the_full(self, now: float) -> None:
        self._buckets = {
            name: bucket
            for name, bucket in self._buckets.items()
            if self._left(name, now) < self.burst
        }
