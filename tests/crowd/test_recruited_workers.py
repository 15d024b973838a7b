"""Several servers of one study on PostgreSQL: the last place is given once, whoever asks where."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from covary.crowd import PROLIFIC
from covary.store import Store
from covary.study import read_study
from covary.web.judge.sheets import prepare_sheets
from covary.web.serving.simulation import background_server
from tests.crowd import people
from tests.store.databases import postgres  # noqa: F401 (a fixture)
from tests.study.folders import write_study

WORKERS, LATE = 3, 9


def test_nine_people_come_to_three_servers_for_the_last_of_two_places(tmp_path, postgres):  # noqa: F811
    toml = people.TOML.replace("[recruiting]", "[recruiting]\nplaces = 2")
    study = read_study(write_study(tmp_path / "study", toml, people.CSV))
    place = postgres.new_place()
    with ExitStack() as open_:
        stores = [open_.enter_context(Store.open(place)) for _ in range(WORKERS)]
        prepare_sheets(study, stores[0])
        secret = stores[0].visits.new_join_secret()
        servers = [open_.enter_context(background_server(study, store)) for store in stores]
        platform = people.Platform(PROLIFIC.link(f"https://study.test/join/{secret}"))
        assert people.Person("first", platform, servers[0]).come().code == "DONE1"
        barrier = threading.Barrier(LATE)
        late = [
            people.Person(f"p{n}", platform, servers[n % WORKERS], at_consent=barrier)
            for n in range(LATE)
        ]
        with ThreadPoolExecutor(LATE) as pool:
            list(pool.map(people.Person.come, late))
        assert Counter(each.heading for each in late) == {
            "Thank you, you are done": 1,
            "The study is full": LATE - 1,
        }
        outcomes = Counter(each.outcome for each in stores[1].visits.all())
        assert outcomes == {"done": 2, "full": LATE - 1}
        assert sum(holder is not None for holder in stores[2].sheets.holders().values()) == 2
        assert stores[0].check(study) == []


def test_one_person_in_three_tabs_on_three_servers_is_one_judge(tmp_path, postgres):  # noqa: F811
    study = read_study(write_study(tmp_path / "study", people.TOML, people.CSV))
    place = postgres.new_place()
    with ExitStack() as open_:
        stores = [open_.enter_context(Store.open(place)) for _ in range(WORKERS)]
        prepare_sheets(study, stores[0])
        secret = stores[0].visits.new_join_secret()
        servers = [open_.enter_context(background_server(study, store)) for store in stores]
        platform = people.Platform(PROLIFIC.link(f"https://study.test/join/{secret}"))
        barrier = threading.Barrier(WORKERS)
        tabs = [people.Person("same", platform, each, at_consent=barrier) for each in servers]
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(people.Person.come, tabs))
        assert {each.code for each in tabs} == {"DONE1"}
        assert len(stores[0].judges.all()) == len(stores[0].visits.all()) == 1
        assert stores[0].answers.counts().answers >= 6
        assert len({answer.position for _, _, answer in stores[0].answers.log()}) == 6
        assert stores[0].check(study) == []
