"""Whatever happens to the process, an acknowledged answer is there, once."""

import random

from tests.store.killing import check_after, killed_while_saving, prepare


def test_a_process_killed_while_saving_loses_nothing_that_it_acknowledged(place):
    prepare(place)
    draw = random.Random(7)
    acknowledged: list[str] = []
    for run in range(2):
        new = killed_while_saving(place, f"run{run}", draw)
        acknowledged += new
        assert new, "killed before it had saved anything, which proves nothing"
        check_after(place, acknowledged)
