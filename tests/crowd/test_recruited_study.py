"""A whole Prolific study through the real pages: sixty people, and not all of them easy."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from covary.crowd import PROLIFIC, Codes, Prices, payments
from covary.store import Store
from covary.store.export import collect, ratings_of
from covary.study import read_study
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.simulation import background_server
from tests.crowd import people
from tests.crowd.people import ITEMS, PLACES, VOTES
from tests.store.clock import clock  # noqa: F401 (a fixture)
from tests.study.folders import write_study

AT_ONCE = 4
"""Never more than the places that are left while those who went away still hold theirs."""


@pytest.fixture
def study(tmp_path):
    return read_study(write_study(tmp_path / "study", people.TOML, people.CSV))


@pytest.fixture
def store(study):
    with Store.open(study.folder / "study.db") as opened:
        prepare_sheets(study, opened)
        yield opened


@pytest.fixture
def crowd(study, store):
    """Serve the study, and return what makes people: `crowd(26, "finish", tabs=2)`."""
    with background_server(study, store) as (host, port):
        link = PROLIFIC.link(f"http://{host}:{port}/join/{store.visits.new_join_secret()}")
        platform = people.Platform(link)

        def made(number, name, **habits):
            return [
                people.Person(f"{name}{n}", platform, (host, port), **habits)
                for n in range(1, number + 1)
            ]

        made.platform = platform
        yield made


def come(group):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(people.Person.come, group))


def codes(group):
    return Counter(each.code for each in group)


def test_sixty_people(crowd, study, store, clock):  # noqa: F811
    finishing = [*crowd(22, "finish"), *crowd(4, "twotabs", tabs=2)]
    leaving = crowd(6, "away", leaves_at=4)
    careless = crowd(5, "careless", attends=False)
    unable = crowd(5, "unable", practises=False)
    stopping = crowd(4, "stop", stops_at=3)
    first = come([*finishing, *leaving, *careless, *unable, *stopping])
    assert codes(finishing) == {"DONE1": 26}
    assert codes(leaving) == {None: 6}
    assert codes(careless) == {"FAIL1": 5}
    assert codes(unable) == {"OUT1": 5}
    assert codes(stopping) == {"BACK1": 4}
    assert {each.page.path for each in leaving} == {"/judge"}

    clock.go_on(hours=3)
    back = leaving[0]  # before anybody else was given the place
    back.leaves_at = None
    assert back.come().code == "DONE1"
    reclaimed = store.visits.reclaim_idle(clock.hours(2))
    assert len(reclaimed.abandoned) == 5
    again = leaving[1]  # the place was taken back, and is still free
    again.leaves_at = None
    assert again.come().code == "DONE1"

    later = come(crowd(7, "later"))
    assert codes(later) == {"DONE1": 7}
    barrier = threading.Barrier(2)
    last = come(crowd(2, "last", at_consent=barrier))
    assert codes(last) == {"DONE1": 1, "BACK1": 1}
    assert sorted(each.heading for each in last) == [
        "Thank you, you are done",
        "The study is full",
    ]
    for each in leaving[2:]:
        assert each.come().heading == "Your place was given to somebody else"
    late = come(crowd(5, "late"))
    assert {each.heading for each in late} == {"The study is full"}
    for each in (*finishing[:5], *careless[:2], *unable[:2]):
        before = each.code
        assert each.come().code == before  # whoever comes again is told the same

    assert len(first) + len(later) + len(last) + len(late) == 60
    _items_have_their_ratings(study, store)
    _everybody_is_known_once(crowd.platform, store)
    _those_who_finished_are_paid(crowd.platform, store)
    assert store.check(study) == []


def _items_have_their_ratings(study, store):
    """Each item has exactly as many valid ratings as were asked for, all by different people."""
    ratings, columns = ratings_of(study, store), collect(study, store).columns
    pairs = list(zip(columns["item"], columns["judge"], strict=True))
    assert len(pairs) == len(set(pairs)) == ratings.n_ratings == ITEMS * VOTES
    assert set(Counter(item for item, _ in pairs).values()) == {VOTES}
    done = {each.name for each in store.visits.all() if each.outcome == "done"}
    assert {judge for _, judge in pairs} == done
    assert len(done) == PLACES
    for why in ("who failed attention checks", "who stopped", "on sheets that were taken back"):
        assert why in ratings.notes[0]


def _everybody_is_known_once(platform, store):
    known = store.visits.all()
    assert len(known) == len({each.participant for each in known}) == 60
    assert len({each.judge for each in known}) == len(store.judges.all()) == 60
    assert {each.participant for each in known} == {person for person, _ in platform.sent}
    assert Counter(each.outcome for each in known) == {
        "done": 36,
        "failed checks": 5,
        "screened out": 5,
        "withdrew": 4,
        "abandoned": 4,
        "full": 6,
    }


def _those_who_finished_are_paid(platform, store):
    """What the platform was told and what the store knows lead to the same payments."""
    known = {each.participant: each for each in store.visits.all()}
    due = payments(platform.submissions(), Prices("1.50", wage=9), Codes("DONE1", "OUT1", "FAIL1"))
    finished = {name for name, each in known.items() if each.outcome == "done"}
    first_visits = [
        each for each in due if each.submission.id == known[each.submission.participant].submission
    ]
    paid = Counter(each.submission.participant for each in first_visits if each.ended == "done")
    assert paid == Counter(finished)
    for each in first_visits:
        outcome = known[each.submission.participant].outcome
        if outcome in ("done", "screened out", "failed checks"):
            assert each.ended == outcome
            assert each.submission.code == known[each.submission.participant].code
