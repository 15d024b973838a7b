"""Studies of systems whose numbers can be checked by hand or are known because they were drawn."""

import numpy as np

from covary import Ratings


def crossed(table, *, scale="1-5", best=None, **more):
    """Ratings of `table[system][source][judge]`; None is a missing rating."""
    names = ("item", "judge", "system", "source", "rating")
    rows = {name: [] for name in names}
    for system, sources in table.items():
        for source, ratings in enumerate(sources):
            for judge, rating in enumerate(ratings):
                if rating is not None:
                    row = (f"{system}{source}", f"J{judge}", system, f"u{source}", rating)
                    for name, value in zip(names, row, strict=True):
                        rows[name].append(value)
    return Ratings(rows, scale=scale, **more)


SMALL = {
    "a": [(1, 2), (2, 2), (1, 3)],
    "b": [(3, 4), (4, 4), (3, 5)],
    "c": [(3, 3), (3, 4), (2, 4)],
}
"""Three systems, three sources, two judges: means 11/6, 23/6 and 19/6."""


def confounded(rng, n_systems=5, n_judges=6, n_items=60, gap=0.25):
    """True qualities fall by `gap`; strict judges mostly rate the better systems.

    Returns the ratings and the names of the systems from the truly best to the truly worst.
    """
    quality = 60 - 20 * gap * np.arange(n_systems)
    severity = np.linspace(-12, 12, n_judges)
    rows = {name: [] for name in ("item", "judge", "system", "rating")}
    for system in range(n_systems):
        near = np.exp(-np.abs(np.arange(n_judges) / (n_judges - 1) - system / (n_systems - 1)) * 6)
        for number in range(n_items):
            judge = rng.choice(n_judges, p=near / near.sum())
            rows["item"].append(f"{system}-{number}")
            rows["judge"].append(f"J{judge}")
            rows["system"].append(f"s{system}")
            rating = quality[system] + severity[judge] + rng.normal(0, 5)
            rows["rating"].append(float(np.clip(rating, 0, 100)))
    return Ratings(rows, scale="0-100"), [f"s{number}" for number in range(n_systems)]
