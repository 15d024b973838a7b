"""What a comparison of scales was asked for, and the judges drawn anew for it.

Judges are drawn jointly where experiments share judges, and independently where they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.estimate import Interval
from covary.stats.intervals import IntervalSpec
from covary.words import Note

Floats = npt.NDArray[np.float64]

PROCEDURES = ("tukey", "scheffe", "lsd", "bonferroni", "holm", "bh")
"""The procedures that compare all pairs of system means."""

TARGET = "other judges, these items"
CENTRED = "percentile bootstrap, centred on the value"


@dataclass(frozen=True, kw_only=True)
class ScaleOptions:
    """The margin of the equivalence test, the level and procedure of the tests, the intervals."""

    margin: float
    alpha: float
    procedure: str
    interval: IntervalSpec

    def __post_init__(self) -> None:
        if self.procedure not in PROCEDURES:
            raise InvalidArgument(
                "scales.no-procedure",
                argument="procedure",
                value=self.procedure,
                allowed=PROCEDURES,
            )
        if not 0 < self.alpha < 0.5:
            raise InvalidArgument("scales.alpha-outside", argument="alpha", value=self.alpha)
        if not 0 < self.margin < 2:
            raise InvalidArgument("scales.margin-outside", argument="margin", value=self.margin)

    @property
    def confidence(self) -> float:
        """The confidence of all intervals."""
        return self.interval.confidence

    @property
    def drawn(self) -> bool:
        """Whether intervals are drawn."""
        return self.interval.method is not None


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True)
class JudgeDraws:
    """How often each judge of each experiment is drawn, one row per draw; and how it was done."""

    weights: list[Floats]
    how: str


def draw_judges(options: ScaleOptions, *judges: Sequence[str]) -> JudgeDraws:
    """Draw the judges of some experiments; those whom several share count equally in all."""
    rng = np.random.default_rng(options.interval.seed)
    times = options.interval.resamples
    union = sorted({judge for own in judges for judge in own})
    if sum(len(own) for own in judges) == len(union):
        apart = [_draw(rng, len(own), times) for own in judges]
        return JudgeDraws(apart, Note("scales.drawn-independently"))
    whole = _draw(rng, len(union), times)
    places = {judge: place for place, judge in enumerate(union)}
    jointly = [whole[:, [places[judge] for judge in own]] for own in judges]
    return JudgeDraws(jointly, Note("scales.drawn-jointly"))


def _draw(rng: np.random.Generator, n: int, times: int) -> Floats:
    return rng.multinomial(n, np.full(n, 1 / n), times).astype(float)


def percentile_interval(values: Floats, options: ScaleOptions) -> Interval | None:
    """The percentile interval of drawn values; None where fewer than half are defined."""
    known = values[np.isfinite(values)]
    if known.size < max(values.size / 2, 2):
        return None
    confidence = options.confidence
    low, high = np.quantile(known, ((1 - confidence) / 2, (1 + confidence) / 2))
    return Interval(
        low=float(low),
        high=float(high),
        level=confidence,
        method="percentile bootstrap",
        target=TARGET,
        standard_error=float(known.std(ddof=1)),
        resamples=values.size,
        undefined=int(values.size - known.size),
        seed=options.interval.seed,
    )


def contrast(
    names: tuple[str, str],
    values: tuple[float, float],
    draws: tuple[Floats, Floats],
    how: str,
    *,
    options: ScaleOptions,
) -> Contrast:
    """Subtract the first from the second, the values and the draws.

    Draws are noisier than what they are drawn from, which moves F and counts; so the draws are
    moved back until their mean is the value itself.
    """
    value, apart = values[1] - values[0], draws[1] - draws[0]
    known = apart[np.isfinite(apart)]
    interval = None
    if options.drawn and known.size:
        interval = percentile_interval(apart - known.mean() + value, options)
    named = None if interval is None else replace(interval, method=CENTRED)
    return Contrast(first=names[0], second=names[1], value=value, interval=named, drawn=how)
