"""Ten designs of studies without a defect, for the false alarms of the check."""

from collections.abc import Callable

import numpy as np

from covary import Ratings

Draw = np.random.Generator


def qualities(draw: Draw, items: int, judges: int) -> np.ndarray:
    """What judges of different severity and care see in items of different quality."""
    noise = draw.uniform(0.4, 1.1, judges)
    seen = draw.normal(size=(items, 1)) + draw.normal(0, 0.5, judges)
    return seen + noise * draw.normal(size=(items, judges))


def points(seen: np.ndarray, highest: int) -> np.ndarray:
    return np.clip(np.round((highest + 1) / 2 + seen * highest / 5), 1, highest)


def table(values: np.ndarray, scale: str | None, draw: Draw, **columns: np.ndarray) -> Ratings:
    """Ratings of items × judges; NaN for none; a column has a value for each item."""
    item, judge = np.nonzero(~np.isnan(values))
    names = np.array([f"w{draw.integers(10**6)}" for _ in range(values.shape[1])], dtype=object)
    long = {"item": item, "judge": names[judge], "rating": values[item, judge]}
    long |= {name: column[item] for name, column in columns.items()}
    return Ratings(long, **({} if scale is None else {"scale": scale}))


def sizes(draw: Draw) -> tuple[int, int]:
    return int(draw.integers(30, 250)), int(draw.integers(3, 8))


def crossed(draw: Draw) -> Ratings:
    items, judges = sizes(draw)
    system = np.array(list("abcd"), dtype=object)[np.arange(items) % 4]
    return table(points(qualities(draw, items, judges), 5), "1-5", draw, system=system)


def two_judges(draw: Draw) -> Ratings:
    return table(points(qualities(draw, sizes(draw)[0], 2), 7), "1-7", draw)


def line(draw: Draw) -> Ratings:
    items, judges = sizes(draw)
    values = np.clip(np.round(50 + 18 * qualities(draw, items, judges)), 0, 100)
    return table(values, "0-100", draw)


def crowd(draw: Draw) -> Ratings:
    """Three votes an item by people who come and go."""
    items, judges = 200, 25
    values = points(qualities(draw, items, judges), 5)
    for item in range(items):
        values[item, draw.permutation(judges)[3:]] = np.nan
    return table(values, "1-5", draw)


def batches(draw: Draw) -> Ratings:
    """Each pair of six judges rates a batch of its own."""
    values = np.full((300, 6), np.nan)
    seen = points(qualities(draw, 300, 6), 4)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
    for item in range(300):
        values[item, pairs[item // 50]] = seen[item, pairs[item // 50]]
    return table(values, "1-4", draw)


def yes_or_no(draw: Draw) -> Ratings:
    items, judges = sizes(draw)
    return table((qualities(draw, items, judges) > 0.3).astype(float), "0-1", draw)


def labels(draw: Draw) -> Ratings:
    """Four unordered labels; a judge errs in a tenth to a third of the items."""
    items, judges = sizes(draw)
    truth = draw.integers(0, 4, (items, 1))
    errs = draw.random((items, judges)) < draw.uniform(0.1, 0.35, judges)
    codes = np.where(errs, draw.integers(0, 4, (items, judges)), truth)
    item, judge = np.indices(codes.shape).reshape(2, -1)
    rating = np.array(["A", "B", "C", "D"], dtype=object)[codes.ravel()]
    names = np.array([f"w{n}" for n in range(judges)], dtype=object)[judge]
    return Ratings({"item": item, "judge": names, "rating": rating}, level="nominal")


def magnitudes(draw: Draw) -> Ratings:
    """Magnitude estimation: whole numbers of any size, without a declared scale."""
    items, judges = sizes(draw)
    return table(np.round(np.exp(3 + 0.7 * qualities(draw, items, judges))) + 1, None, draw)


def criteria(draw: Draw) -> Ratings:
    items, judges = sizes(draw)
    quality = qualities(draw, items, judges)
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "criterion": []}
    for name in ("fluency", "clarity", "relevance"):
        seen = points(0.7 * quality + 0.6 * draw.normal(size=quality.shape), 5)
        item, judge = np.indices(seen.shape).reshape(2, -1)
        columns["item"] += item.tolist()
        columns["judge"] += [f"w{n}" for n in judge]
        columns["rating"] += seen.ravel().tolist()
        columns["criterion"] += [name] * seen.size
    return Ratings(columns, scale="1-5")


def retests(draw: Draw) -> Ratings:
    """Two occasions: the same severity and quality, noise anew."""
    items, judges = sizes(draw)
    quality, severity = draw.normal(size=(items, 1)), draw.normal(0, 0.5, judges)
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "occasion": []}
    for occasion in (1, 2):
        seen = points(quality + severity + 0.7 * draw.normal(size=(items, judges)), 5)
        item, judge = np.indices(seen.shape).reshape(2, -1)
        columns["item"] += item.tolist()
        columns["judge"] += [f"w{n}" for n in judge]
        columns["rating"] += seen.ravel().tolist()
        columns["occasion"] += [occasion] * seen.size
    return Ratings(columns, scale="1-5")


DESIGNS: tuple[Callable[[Draw], Ratings], ...] = (
    crossed,
    two_judges,
    line,
    crowd,
    batches,
    yes_or_no,
    labels,
    magnitudes,
    criteria,
    retests,
)
