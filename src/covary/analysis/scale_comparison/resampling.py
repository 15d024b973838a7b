"""Judges drawn anew: jointly where experiments share judges, independently where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from covary.stats.estimate import Interval
from covary.stats.intervals import Wanted

__all__ = ["INDEPENDENT", "JOINT", "Contrast", "contrast", "drawn_interval", "weights"]

Floats = npt.NDArray[np.float64]

JOINT = "judges drawn jointly, because the experiments share them"
INDEPENDENT = "judges drawn independently, because they are other judges"
TARGET = "other judges, these items"
CENTRED = "percentile bootstrap, centred on the value"


@dataclass(frozen=True)
class Contrast:
    """How much larger something is in the second experiment than in the first."""

    first: str
    second: str
    value: float
    interval: Interval | None
    drawn: str

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no difference."""
        limits = self.interval
        return limits is not None and (limits.low > 0 or limits.high < 0)


def weights(judges: Sequence[Sequence[str]], wanted: Wanted) -> tuple[list[Floats], str]:
    """How often each judge of each experiment is drawn, one row per draw; and how it was done.

    Judges who appear in several experiments count equally often in all of them.
    """
    rng = np.random.default_rng(wanted.seed)
    union = sorted({judge for own in judges for judge in own})
    if sum(len(own) for own in judges) == len(union):
        return [_drawn(rng, len(own), wanted.resamples) for own in judges], INDEPENDENT
    whole = _drawn(rng, len(union), wanted.resamples)
    places = {judge: place for place, judge in enumerate(union)}
    return [whole[:, [places[judge] for judge in own]] for own in judges], JOINT


def drawn_interval(values: Floats, wanted: Wanted) -> Interval | None:
    """The percentile interval of drawn values; None where fewer than half are defined."""
    known = values[np.isfinite(values)]
    if known.size < max(values.size / 2, 2):
        return None
    tails = ((1 - wanted.confidence) / 2, (1 + wanted.confidence) / 2)
    low, high = np.quantile(known, tails)
    return Interval(
        float(low), float(high), wanted.confidence, "percentile bootstrap", TARGET,
        float(known.std(ddof=1)), values.size, int(values.size - known.size), wanted.seed,
    )  # fmt: skip


def contrast(
    names: tuple[str, str], values: tuple[float, float], drawn: tuple[Floats, Floats], how: str,
    wanted: Wanted,
) -> Contrast:  # fmt: skip
    """Subtract the first from the second, found and drawn.

    Draws are noisier than what they are drawn from, which moves F and counts; so the draws are
    moved back until their mean is the value that was found.
    """
    value, apart = values[1] - values[0], drawn[1] - drawn[0]
    known = apart[np.isfinite(apart)]
    if wanted.method is None or not known.size:
        return Contrast(*names, value, None, how)
    interval = drawn_interval(apart - known.mean() + value, wanted)
    named = None if interval is None else replace(interval, method=CENTRED)
    return Contrast(*names, value, named, how)


def _drawn(rng: np.random.Generator, n: int, times: int) -> Floats:
    return rng.multinomial(n, np.full(n, 1 / n), times).astype(float)
