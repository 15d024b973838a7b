"""The shapes of pictures, as SVG: places across are percentages of the width, heights pixels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from covary.reports.plots import GRID, INK, MUTED

Point = tuple[float, float]
"""A place: a percentage of the width, and pixels from the top."""

UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff\u2028\u2029]")
"""What no XML may hold, or what ends a line within a text: an engine that meets it falls over."""


def printable(value: Any) -> Any:
    """Return a text, or all texts of a specification, with a mark for what cannot be drawn."""
    if isinstance(value, str):
        return UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {printable(key): printable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [printable(part) for part in value]
    return value


@dataclass(frozen=True)
class Axis:
    """Values along a panel, as percentages of its width."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value stands."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def grid(self, top: float, bottom: float, step: float, write: Any) -> Iterator[str]:
        """Draw lines in even steps, each with its value below."""
        for number in range(round((self.high - self.low) / step) + 1):
            value = self.low + number * step
            x = self.place(value)
            yield svg_line((x, top), (x, bottom), GRID, 1)
            anchor = "end" if value >= self.high else "start" if not number else "middle"
            yield svg_text(x, bottom + 14, write(value), anchor, fill=MUTED, size=11)


@dataclass(frozen=True)
class Down:
    """Values from the top of a panel to its bottom, in pixels."""

    low: float
    high: float
    top: float
    bottom: float

    def place(self, value: float) -> float:
        """Return where a value stands."""
        whole = (self.high - self.low) or 1.0
        share = (min(max(value, self.low), self.high) - self.low) / whole
        return self.bottom - share * (self.bottom - self.top)


def even_ticks(widest: float) -> list[float]:
    """Ticks on both sides of 0 in steps of 1, 2 or 5."""
    power = 10.0 ** math.floor(math.log10(widest))
    step = next(power * n for n in (0.2, 0.5, 1, 2, 5) if widest / (power * n) < 4)
    most = int(widest / step + 1e-9)
    return [number * step for number in range(-most, most + 1)]


def apart(ends: Iterable[tuple[float, str, str]], least: float, bottom: float) -> list[Any]:
    """Move labels up or down until none covers another."""
    placed: list[tuple[float, str, str]] = []
    for y, name, colour in sorted(ends):
        y = max(y, placed[-1][0] + least) if placed else max(y, 6)
        placed.append((y, name, colour))
    over = max(0.0, placed[-1][0] - bottom + 4) if placed else 0.0
    return [(max(y - over, 6 + least * n), *rest) for n, (y, *rest) in enumerate(placed)]


def short_number(value: float) -> str:
    """A coefficient without its leading 0 and without needless ones."""
    written = f"{value:g}"
    return written.replace("0.", ".", 1) if 0 < abs(value) < 1 else written


def plain_number(value: float) -> str:
    """A number with three digits and a real minus."""
    return f"{value:.3g}".replace("-", "−")


def cut_text(text: str, most: int) -> str:
    """Cut a text off that is longer than so many letters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def titled(parts: Iterable[str], title: str) -> str:
    """Put shapes together under a title, which a pointer shows."""
    return f"<g><title>{escape(printable(title))}</title>{''.join(parts)}</g>"


def svg_text(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    *,
    fill: str = INK,
    size: int = 12,
    weight: str = "",
    dx: float = 0,
) -> str:
    """Write words at a place."""
    if not words:
        return ""
    more = f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' font-weight="{weight}"' if weight else ""
    more += f' dx="{dx:g}"' if dx else ""
    return (
        f'<text x="{x:.2f}%" y="{y:.1f}" font-size="{size}" fill="{fill}"{more}>'
        f"{escape(printable(words))}</text>"
    )


def svg_line(start: Point, end: Point, colour: str, width: float, **more: Any) -> str:
    """Draw a line from a place to another."""
    (x1, y1), (x2, y2) = start, end
    style = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return (
        f'<line x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}" stroke="{colour}"'
        f' stroke-width="{width:g}"{style}/>'
    )


def svg_rect(corner: Point, size: tuple[str, float], fill: str, opacity: str = "") -> str:
    """Draw a box; its width is a percentage or pixels, as text."""
    (x, y), (width, height) = corner, size
    more = f' opacity="{opacity}"' if opacity else ""
    return (
        f'<rect x="{x:.2f}%" y="{y:.1f}" width="{width}" height="{max(height, 0):.1f}"'
        f' fill="{fill}"{more}/>'
    )


def svg_circle(x: float, y: float, radius: float, fill: str) -> str:
    """Draw a dot."""
    return f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="{radius:g}" fill="{fill}"/>'


def svg_diamond(x: float, y: float, fill: str) -> str:
    """A diamond: a square on its corner, moved to its place by a nested picture."""
    return (
        f'<svg x="{x:.2f}%" y="{y:.1f}" width="1" height="1" overflow="visible">'
        f'<path d="M0-6L6 0L0 6L-6 0Z" fill="{fill}"/></svg>'
    )


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Ticks between two values in steps of 1, 2 or 5.

    Examples
    --------
    >>> nice_ticks(0.13, 0.92)
    [0.2, 0.4, 0.6, 0.8]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(power * n for n in (0.1, 0.2, 0.5, 1, 2, 5) if (high - low) / (power * n) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks between two positive values at 1, 2 and 5 times powers of 10; 1 and 10 over far ones.

    Examples
    --------
    >>> log_ticks(8, 120)
    [10, 20, 50, 100]
    """
    digits = (1, 2, 5) if high < 200 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10**power for power in powers for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]
