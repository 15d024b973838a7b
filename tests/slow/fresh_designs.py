"""Ten further designs without a defect, on which no threshold of the check was chosen."""

import numpy as np

from covary import Ratings
from tests.analysis.forensics.designs import Draw, points, qualities, table


def ceiling(draw: Draw) -> Ratings:
    """Most texts are fluent: two of three ratings are the highest."""
    seen = qualities(draw, int(draw.integers(40, 200)), int(draw.integers(2, 7)))
    return table(points(seen + 1.6, 5), "1-5", draw)


def three_points(draw: Draw) -> Ratings:
    return table(points(qualities(draw, 80, int(draw.integers(3, 10))), 3), "1-3", draw)


def eleven_points(draw: Draw) -> Ratings:
    seen = qualities(draw, int(draw.integers(30, 120)), int(draw.integers(3, 6)))
    return table(np.clip(np.round(5 + 2 * seen), 0, 10), "0-10", draw)


def small_study(draw: Draw) -> Ratings:
    return table(points(qualities(draw, 20, 4), 6), "1-6", draw)


def holes(draw: Draw) -> Ratings:
    """A third of the ratings is missing at random."""
    values = points(qualities(draw, 150, int(draw.integers(3, 8))), 5)
    values[draw.random(values.shape) < 0.33] = np.nan
    return table(values, "1-5", draw)


def unequal_loads(draw: Draw) -> Ratings:
    """A crowd of forty in which a few do most of the work."""
    values = points(qualities(draw, 240, 40), 5)
    zeal = draw.exponential(1, 40) + 0.05
    for row in values:
        row[draw.choice(40, 36, replace=False, p=(1 / zeal) / (1 / zeal).sum())] = np.nan
    kept = (~np.isnan(values)).sum(axis=0) > 0
    return table(values[:, kept], "1-5", draw)


def latin_square(draw: Draw) -> Ratings:
    """Six systems of different quality, 24 sources, each judge one text of each source."""
    system, source = np.indices((6, 24)).reshape(2, -1)
    quality = 0.8 * draw.normal(size=6)[system] + 0.6 * draw.normal(size=24)[source]
    severity, noise = draw.normal(0, 0.5, 12), draw.uniform(0.4, 1.1, 12)
    seen = quality[:, None] + severity + noise * draw.normal(size=(144, 12))
    judges = np.arange(12)
    seen[(system[:, None] + source[:, None] + judges) % 6 != 0] = np.nan
    names = np.array([f"s{number}" for number in range(24)], dtype=object)
    systems = np.array(list("abcdef"), dtype=object)
    return table(points(seen, 5), "1-5", draw, system=systems[system], source=names[source])


def heavy_tails(draw: Draw) -> Ratings:
    """Judges slip now and then: errors have Student's t distribution with 3 degrees of freedom."""
    items, judges = int(draw.integers(40, 200)), int(draw.integers(3, 7))
    seen = draw.normal(size=(items, 1)) + draw.normal(0, 0.5, judges)
    return table(points(seen + 0.6 * draw.standard_t(3, (items, judges)), 7), "1-7", draw)


def stretched(draw: Draw) -> Ratings:
    """On a line, some judges use a third of it, others all of it."""
    items, judges = int(draw.integers(40, 150)), int(draw.integers(3, 7))
    reach = draw.uniform(6, 25, judges)
    values = np.clip(np.round(50 + reach * qualities(draw, items, judges)), 0, 100)
    return table(values, "0-100", draw)


def rare_errors(draw: Draw) -> Ratings:
    """Yes or no, where one text in eight has the error."""
    return table((qualities(draw, 200, 4) > 1.5).astype(float), "0-1", draw)


FRESH = (
    ceiling,
    three_points,
    eleven_points,
    small_study,
    holes,
    unequal_loads,
    latin_square,
    heavy_tails,
    stretched,
    rare_errors,
)
