"""A small unbalanced table by arithmetic: 3 systems, 6 judges, 8 sources, 102 of 144 ratings.

What other programs say about it is beside it, so that every test reads the same numbers.
"""

from __future__ import annotations

import numpy as np

SEVERITY = (0, 0.5, -0.3, 1.2, 0.1, -0.7)
EASE = (0, 0.2, 0.9, -0.4, 1.5, 0.3, -0.8, 0.6)

ROWS = [
    (system, judge, source)
    for judge in range(6)
    for source in range(8)
    for system in range(3)
    if (judge * 5 + source * 3 + system * 7) % 4 and (system, judge) != (2, 5)
]
SYSTEM, JUDGE, SOURCE = (np.array(column) for column in zip(*ROWS, strict=True))
VALUES = np.array(
    [
        ((j * 7 + t * 11 + s * 13 + j * t * 3 + s * t * 5) % 17) / 4
        + 0.8 * s
        + SEVERITY[j]
        + EASE[t]
        for s, j, t in ROWS
    ]
)
FACTORS = {"system": SYSTEM, "judge": JUDGE, "source": SOURCE}
GROUPS = [VALUES[system == SYSTEM] for system in range(3)]
