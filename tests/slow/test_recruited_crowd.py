"""Many people of every kind, in random order, on three servers and PostgreSQL: nothing is lost."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from covary.crowd import PROLIFIC
from covary.store import Store
from covary.store.export import collect
from covary.study import read_study
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.simulation import background_server
from tests.crowd import people
from tests.crowd.people import ITEMS, PLACES, VOTES
from tests.store.clock import clock  # noqa: F401 (a fixture)
from tests.store.databases import postgres  # noqa: F401 (a fixture)
from tests.study.folders import write_study

HABITS = (
    {}, {}, {"tabs": 3}, {"leaves_at": 1}, {"leaves_at": 3}, {"leaves_at": 6},
    {"attends": False}, {"practises": False}, {"stops_at": 2}, {"stops_at": 5},
)  # fmt: skip
AT_ONCE, WAVE, MOST_WAVES = 12, 24, 40
CODES = {
    "done": "DONE1", "failed checks": "FAIL1", "screened out": "OUT1", "withdrew": "BACK1",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_a_study_fills_up_whoever_comes(tmp_path, postgres, clock, seed):  # noqa: F811
    study = read_study(write_study(tmp_path / "study", people.TOML, people.CSV))
    place, chance = postgres.new_place(), random.Random(seed)
    with ExitStack() as open_:
        stores = [open_.enter_context(Store.open(place)) for _ in range(3)]
        prepare_sheets(study, stores[0])
        link = f"https://study.test/join/{stores[0].visits.new_join_secret()}"
        servers = [open_.enter_context(background_server(study, each)) for each in stores]
        platform = people.Platform(PROLIFIC.link(link))
        everybody = _until_it_is_full(stores[0], platform, servers, chance, clock)
        _is_whole(study, stores[1], platform, everybody)


def _until_it_is_full(store, platform, servers, chance, clock):  # noqa: F811
    everybody = []
    for wave in range(MOST_WAVES):
        new = [
            people.Person(f"w{wave}p{n}", platform, chance.choice(servers), **chance.choice(HABITS))
            for n in range(WAVE)
        ]
        old = chance.sample(everybody, min(len(everybody), WAVE // 3))
        for each in old:  # from another server than before, and this time to the end
            each.server, each.leaves_at, each.at_consent = chance.choice(servers), None, None
        group = [*new, *old]
        chance.shuffle(group)
        _together(new, chance)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(people.Person.come, group))
        everybody += new
        if sum(each.outcome == "done" for each in store.visits.all()) == PLACES:
            return everybody
        clock.go_on(hours=3)
    pytest.fail("the study did not fill up")


def _together(new, chance):
    """Let two of a wave agree at the same moment, as long as both come that far."""
    barrier = threading.Barrier(2)
    for each in chance.sample(new, 2):
        each.at_consent = _Patient(barrier)


class _Patient:
    """A barrier that lets somebody through alone when the other found no place."""

    def __init__(self, barrier):
        self.barrier = barrier

    def wait(self, _):
        try:
            self.barrier.wait(2)
        except threading.BrokenBarrierError:
            return


def _is_whole(study, store, platform, everybody):
    columns = collect(study, store).columns
    pairs = list(zip(columns["item"], columns["judge"], strict=True))
    assert len(pairs) == len(set(pairs)) == ITEMS * VOTES
    assert set(Counter(item for item, _ in pairs).values()) == {VOTES}
    known = {each.participant: each for each in store.visits.all()}
    assert known.keys() == {each.name for each in everybody}
    assert len(store.judges.all()) == len(known)
    assert sum(each.outcome == "done" for each in known.values()) == PLACES
    for each in everybody:
        record = known[each.name]
        if record.outcome in CODES:
            assert each.code == record.code == CODES[record.outcome]
            assert platform.codes[record.submission] == record.code
    assert store.check(study) == []
