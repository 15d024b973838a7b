"""Random numbers that can be repeated: each place of a plan draws from a stream of its own."""

from __future__ import annotations

from zlib import crc32

import numpy as np

__all__ = ["stream"]


def stream(seed: int, *place: str | int) -> np.random.Generator:
    """Return the stream of a place, which depends on the seed and on nothing drawn elsewhere.

    Sheets that are added later therefore never change the sheets that are there.

    Examples
    --------
    >>> int(stream(1, "order", 7).integers(100)) == int(stream(1, "order", 7).integers(100))
    True
    """
    words = [crc32(each.encode()) if isinstance(each, str) else each for each in place]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))
