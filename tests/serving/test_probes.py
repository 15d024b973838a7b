"""What machines ask of a server: whether it lives, whether it is ready, what it has done."""

import asyncio
import json
import math
import re

import httpx
import pytest
from prometheus_client.core import GaugeMetricFamily

from covary.store import Store, StoreError
from covary.store.schema import MIGRATIONS
from covary.web.serving.app import MOST_FAULTS, RepeatedFaults, create_app
from covary.web.serving.metrics import BOUNDS, Metrics, as_text, other_processes
from tests.store.databases import empty_store, place, postgres  # noqa: F401 (fixtures)
from tests.web import studies
from tests.web.client import Client, Judge
from tests.web.studies import bare, sheet

LINE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')


def asked(app, path="/metrics", client=("127.0.0.1", 1), **headers):
    async def ask():
        transport = httpx.ASGITransport(app, client=client, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://study.test") as http:
            return await http.get(path, headers=headers)

    return asyncio.run(ask())


def read(text):
    """Read Prometheus' text as its documentation describes it, and refuse anything else."""
    numbers, kinds = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in kinds, "a family is announced twice"
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, number = LINE.fullmatch(line).groups()
            family = name if name in kinds else re.sub(r"_(bucket|sum|count)$", "", name)
            assert list(kinds)[-1] == family, "a line stands outside its family"
            key = (name, tuple(sorted(LABEL.findall(labels or ""))))
            assert key not in numbers, "a number is given twice"
            numbers[key] = float(number)
    return numbers, kinds


def number(numbers, name, **labels):
    return numbers[name, tuple(sorted((key, str(value)) for key, value in labels.items()))]


@pytest.fixture
def store(place):  # noqa: F811
    with empty_store(place) as opened:
        yield opened


@pytest.fixture
def app(store, tmp_path):
    study = bare(tmp_path)
    store.sheets.put([sheet(study)])
    return create_app(study, store)


def test_a_process_lives_even_if_its_store_is_gone(app, store):
    store.close()
    assert asked(app, "/health").json() == {"status": "ok"}
    assert asked(app, "/ready").status_code == 503


def test_a_server_is_ready_when_it_can_read_and_write(app, store):
    store.secret()
    answer = asked(app, "/ready")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


def test_looking_whether_a_store_is_ready_changes_nothing_in_it(store):
    secret = store.secret()
    store.set_state("paused")
    commits = store.workload.commits
    store.check_ready()
    assert store.workload.commits == commits + 1, "nothing was written"
    assert (store.get_state(), store.secret()) == ("paused", secret)


def test_asking_again_and_again_does_not_make_the_server_write(app, store, monkeypatch):
    monkeypatch.setattr("covary.web.serving.metrics.SECONDS_TO_RELY", math.inf)
    asked(app, "/ready")
    commits = store.workload.commits
    for _ in range(5):
        asked(app, "/ready")
    assert store.workload.commits == commits


@pytest.mark.parametrize("step", [-1, 1])
def test_a_store_of_another_covary_is_not_served(app, store, step):
    newest = MIGRATIONS[-1].number
    statement = (
        f"DELETE FROM migrations WHERE number = {newest}"
        if step < 0
        else f"INSERT INTO migrations VALUES ({newest + 1}, 'x', 0)"
    )
    with store.database.writing() as connection:
        connection.exec_driver_sql(statement)
    with pytest.raises(StoreError, match=rf"schema {newest + step} .*knows {newest}"):
        store.check_ready()
    assert asked(app, "/ready").status_code == 503


def test_a_store_that_cannot_be_written_is_not_ready(app, store, monkeypatch):
    def full():
        raise OSError("no space left on the device")

    monkeypatch.setattr(store._transactions.writer, "_transaction", full)
    assert asked(app, "/ready").status_code == 503
    assert asked(app, "/health").status_code == 200


def test_a_writer_that_is_stuck_is_not_ready(tmp_path):
    with Store.open(tmp_path / "study.db") as store, Store.open(tmp_path / "study.db") as other:
        store.secret()
        refused = pytest.raises(StoreError, match=r"within 0\.2 seconds")
        with other.database.writing(), refused:
            store.check_ready(patience=0.2)


def test_a_server_that_leaves_is_not_ready_any_more(store, tmp_path):
    metrics = Metrics()
    app = create_app(bare(tmp_path), store, metrics=metrics)
    metrics.leaving = True
    assert asked(app, "/ready").json() == {"status": "leaving"}
    assert asked(app, "/ready").status_code == 503


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        (("127.0.0.1", 1), {}, 200),
        (("::1", 1), {}, 200),
        (("192.0.2.7", 1), {}, 403),
        (None, {}, 403),
        (("testclient", 1), {}, 403),
        (("127.0.0.1", 1), {"X-Forwarded-For": "127.0.0.1"}, 403),
        (("127.0.0.1", 1), {"X-Real-IP": "127.0.0.1"}, 403),
        (("192.0.2.7", 1), {"Authorization": "Bearer open sesame"}, 200),
        (("192.0.2.7", 1), {"Authorization": "Bearer open"}, 403),
        (("192.0.2.7", 1), {"Authorization": "Bearer "}, 403),
        (("192.0.2.7", 1), {"Authorization": "open sesame"}, 403),
    ],
)
def test_counts_are_read_on_this_machine_or_with_the_token(
    store, tmp_path, client, headers, status
):
    app = create_app(bare(tmp_path), store, metrics_token="open sesame")
    assert asked(app, client=client, **headers).status_code == status


def test_without_a_token_nobody_is_let_in_by_an_empty_one(app):
    answer = asked(app, client=("192.0.2.7", 1), Authorization="Bearer ")
    assert answer.status_code == 403


def test_requests_and_saves_are_counted_by_route(app, store):
    token = store.judges.add()[1]
    judge = Judge(app, token)
    judge.enter()
    assert judge.save(3, key="a").status_code == 200
    assert judge.save(3, key="a").status_code == 200  # sent twice, stored once
    assert judge.save(99, sequence=2).status_code == 422
    assert judge.get(f"/j/{token}x").status_code == 404
    assert judge.get("/wp-login.php").status_code == 404
    assert judge.ask("DELETE", "/judge").status_code == 405
    judge.close()
    answer = asked(app)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    numbers, kinds = read(answer.text)
    assert kinds["covary_save_seconds"] == "histogram"
    seen = {"worker": 1, "method": "POST", "route": "/judge/answer"}
    assert number(numbers, "covary_requests_total", **seen, status=200) == 2
    assert number(numbers, "covary_requests_total", **seen, status=422) == 1
    entered = {"worker": 1, "method": "GET", "route": "/j/{token}"}
    assert number(numbers, "covary_requests_total", **entered, status=303) == 1
    assert number(numbers, "covary_requests_total", **entered, status=404) == 1
    elsewhere = {"worker": 1, "method": "GET", "route": "elsewhere"}
    assert number(numbers, "covary_requests_total", **elsewhere, status=404) == 1
    strange = {"worker": 1, "method": "other", "route": "/judge"}
    assert number(numbers, "covary_requests_total", **strange, status=405) == 1
    assert number(numbers, "covary_refusals_total", worker=1, status=404) == 2
    assert number(numbers, "covary_refusals_total", worker=1, status=422) == 1
    assert number(numbers, "covary_saves_total", worker=1, outcome="kept") == 2
    assert number(numbers, "covary_saves_total", worker=1, outcome="refused") == 1
    assert number(numbers, "covary_save_seconds_count", worker=1) == 3
    assert number(numbers, "covary_answers") == 1
    assert number(numbers, "covary_judges_active") == 1
    assert number(numbers, "covary_waiting", worker=1) == 0
    assert number(numbers, "covary_store_up") == 1
    assert number(numbers, "covary_commits_total", worker=1) >= 3


def test_nothing_personal_is_counted(enter_study, store):
    judge, token = enter_study
    judge.begin()
    judge.save(3)
    text = asked(judge.http._transport.app).text
    assert token not in text
    assert "sys-alpha" not in text
    named = store.judges.all()[0].name
    assert f'"{named}"' not in text
    assert "example.org" not in text


@pytest.fixture
def enter_study(store, tmp_path):
    study = studies.study(tmp_path)
    store.sheets.put([sheet(study)])
    token = store.judges.add("Ann Example")[1]
    judge = Judge(create_app(study, store), token)
    yield judge, token
    judge.close()


def test_counts_are_told_although_the_store_cannot_be_read(app, store, monkeypatch):
    def away():
        raise StoreError("the server closed the connection unexpectedly")

    monkeypatch.setattr(store.answers, "counts", away)
    numbers, _ = read(asked(app).text)
    assert number(numbers, "covary_store_up") == 0
    assert ("covary_answers", ()) not in numbers


def test_a_fault_is_counted_as_one(app, store, monkeypatch):
    client = Client(app)
    monkeypatch.setattr(store.judges, "by_token", lambda _: 1 / 0)
    assert client.get("/j/x").status_code == 500
    client.close()
    numbers, _ = read(asked(app).text)
    seen = {"worker": 1, "method": "GET", "route": "/j/{token}", "status": 500}
    assert number(numbers, "covary_requests_total", **seen) == 1


def test_the_classes_of_the_histogram_add_up():
    metrics = Metrics()
    for seconds in (0.001, 0.005, 0.0051, 0.3, 99.0):
        metrics.count("POST", "/judge/answer", 200, seconds)
    metrics.count("POST", "/judge/next", 303, 5.0)
    left = metrics.snapshot(waiting=0, commits=1, written=1)
    # by hand: two up to 5 ms, one more up to 10 ms, one up to 0.5 s, one beyond 10 s
    assert left["classes"] == [2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert len(left["classes"]) == len(BOUNDS) + 1
    assert left["seconds"] == pytest.approx(99.3111)


def test_each_process_tells_of_all_of_them(store, tmp_path):
    folder = tmp_path / "counts"
    folder.mkdir()
    old, new, own = (Metrics(n, folder, started=at) for n, at in ((2, 10.0), (2, 20.0), (1, 15.0)))
    for each, times in ((old, 7), (new, 3)):
        for _ in range(times):
            each.count("GET", "/judge", 200, 0.01)
        each.leave(waiting=0, commits=0, written=0)
        file = next(folder.glob("*.json"))
        file.rename(folder / f"of-{each.started}.json")  # two processes would have two numbers
    (folder / "broken.json").write_text("{")
    app = create_app(bare(tmp_path), store, metrics=own)
    asked(app, "/health")
    numbers, _ = read(asked(app).text)
    seen = {"method": "GET", "status": 200}
    assert number(numbers, "covary_requests_total", worker=2, route="/judge", **seen) == 3
    assert number(numbers, "covary_requests_total", worker=1, route="/health", **seen) == 1
    assert other_processes(None, 1) == []


def test_what_a_process_leaves_can_be_read_at_any_moment(tmp_path):
    metrics = Metrics(3, tmp_path)
    metrics.leave(waiting=1, commits=2, written=3)
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["number"] == 3
    Metrics(3).leave(waiting=1)  # without a folder nothing is left anywhere


def test_labels_are_escaped_as_the_format_asks():
    family = GaugeMetricFamily("x", "Help.", labels=["a"])
    family.add_metric(['back\\slash "quote"\nline'], 0.5)
    assert (
        as_text([family]).decode().splitlines()[2] == 'x{a="back\\\\slash \\"quote\\"\\nline"} 0.5'
    )


def test_each_fault_of_a_store_is_logged_once_and_its_end_too(caplog):
    faults = RepeatedFaults()
    for _ in range(50):
        for reason in ("disk I/O error", "attempt to write a readonly database"):
            faults.log(StoreError("store.database", place="study.db", reason=reason), 7)
    faults.look_back(7)
    said = [record.message for record in caplog.records]
    assert len(said) == 2
    assert ["I/O" in each for each in said] == [True, False]
    faults.look_back(8)
    faults.look_back(9)
    assert [record.message for record in caplog.records][2:] == ["answers are kept again"]
    faults.log(StoreError("store.stalled", seconds=5), 9)
    assert len(caplog.records) == 4


def test_faults_whose_words_change_do_not_fill_the_log(caplog):
    faults = RepeatedFaults()
    for number in range(100):
        faults.log(StoreError("store.stalled", seconds=number), 0)
    assert len(caplog.records) == MOST_FAULTS
