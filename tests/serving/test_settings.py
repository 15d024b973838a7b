"""What a server is set up with: what it says of itself, what it logs, how it ends, its limits."""

import asyncio
import errno
import logging
import resource
import signal
import socket
from types import SimpleNamespace

import pytest
import uvicorn

from covary.errors import InvalidArgument
from covary.web.serving import app as serving_app
from covary.web.serving import connections, server
from covary.web.serving.app import MOST_FAULTS, SECONDS_BETWEEN, RepeatedFaults
from covary.web.serving.connections import (
    FEWEST,
    KEPT_FREE,
    REFUSED,
    TOO_SLOW,
    BoundedProtocol,
    Bounds,
    bounded_protocol,
    usual_bounds,
)
from covary.web.serving.metrics import Metrics, other_processes
from covary.web.serving.server import SECONDS_TO_DRAIN, Door, RedactSecrets, listen, make_server
from tests.store.databases import empty_store
from tests.web.ports import free_port
from tests.web.studies import bare


@pytest.fixture
def store(tmp_path):
    with empty_store(tmp_path / "study.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("door", "logs", "trusts"),
    [
        (Door(), False, False),
        (Door(log_requests=True), True, False),
        (Door(proxy=True, trusted="10.0.0.0/8"), False, True),
    ],
    ids=["plain", "log", "proxy"],
)
def test_a_server_names_no_program_logs_what_is_asked_and_believes_only_a_proxy(
    tmp_path, store, door, logs, trusts
):
    access = logging.getLogger("uvicorn.access")
    before, level = list(access.filters), logging.getLogger("uvicorn.error").level
    config = make_server(bare(tmp_path), store, door).config
    added = [each for each in access.filters if each not in before]
    access.filters[:] = before
    logging.getLogger("uvicorn.error").setLevel(level)
    assert [type(each) for each in added] == [RedactSecrets] * logs
    assert config.server_header is False
    assert (config.access_log, config.log_level) == (logs, "info" if logs else "warning")
    assert config.proxy_headers is trusts
    assert config.forwarded_allow_ips == door.trusted
    bounds = config.http.bounds
    assert (bounds.per_address is None) is trusts
    assert config.loaded is False
    site = config.app.state.site
    assert site.secure is trusts


def test_a_door_is_this_machines_alone_unless_told_otherwise(monkeypatch, tmp_path, store):
    assert Door() == Door(
        proxy=False, trusted="127.0.0.1,::1", log_requests=False, metrics_token="", hosts=()
    )
    asked, ran = [], []
    monkeypatch.setattr(server, "listen", lambda *address: asked.append(address) or [])
    monkeypatch.setattr(server.Server, "run", lambda self, sockets: ran.append(self))
    server.serve(bare(tmp_path), store)
    server.serve(bare(tmp_path), store, host="::1", port=81, door=Door(proxy=True))
    assert asked == [("127.0.0.1", 8000), ("::1", 81)]
    assert [each.config.proxy_headers for each in ran] == [False, True]


@pytest.mark.parametrize(
    ("value", "logged"),
    [
        ("/j/abc-DEF_1?PROLIFIC_PID=5f", "/j/…"),
        ("/r/abc", "/r/…"),
        ("/join/abc/", "/join/…/"),
        ("/judge?since=3", "/judge"),
        ("GET", "GET"),
        ("a?b", "a?b"),  # which is no path
        (200, 200),
    ],
)
def test_paths_are_logged_without_links_and_queries_and_all_else_as_it_is(value, logged):
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s", (value,), None)
    assert RedactSecrets().filter(record) is True
    assert record.args == (logged,)
    plain = logging.LogRecord("x", logging.INFO, "", 0, "/j/x", None, None)
    assert RedactSecrets().filter(plain) is True
    assert plain.args is None


def a_server(store, **changes):
    made = server.Server(uvicorn.Config(lambda: None), store, Metrics())
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_the_counts_are_left_once_a_second_and_not_at_every_tick(tmp_path, monkeypatch):
    load = SimpleNamespace(waiting=1, commits=2, written=3)
    one, left, looked = a_server(SimpleNamespace(workload=load)), [], []
    monkeypatch.setattr(Metrics, "leave", lambda self, **more: left.append(more))
    monkeypatch.setattr(server.FAULTS, "look_back", looked.append)

    async def tick():
        return [await one.on_tick(counter) for counter in range(21)]

    assert asyncio.run(tick()) == [False] * 21
    assert left == [{"waiting": 1, "commits": 2, "written": 3}] * 3  # at 0, 10 and 20 tenths
    assert looked == [3] * 3


@pytest.mark.parametrize(
    ("present", "forced", "seconds"),
    [(True, False, SECONDS_TO_DRAIN), (True, True, 0), (False, False, 0)],
    ids=["somebody is there", "forced", "nobody is there"],
)
def test_what_is_on_its_way_is_waited_for_and_told_that_the_connection_ends(
    store, monkeypatch, present, forced, seconds
):
    now, steps, closed = [50.0], [], []

    async def passed(pause):
        now[0] += pause
        steps.append(pause)

    async def ended(self, sockets=None):
        closed.append(now[0])

    monkeypatch.setattr(server, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(server, "asyncio", SimpleNamespace(sleep=passed))
    monkeypatch.setattr(uvicorn.Server, "shutdown", ended)
    listening = SimpleNamespace(close=lambda: closed.append("listening"))
    one = a_server(store, servers=[listening], force_exit=forced)
    one.server_state.connections = {object()} if present else set()
    one.server_state.default_headers = [(b"a", b"b")]
    asyncio.run(one.shutdown())
    assert one._metrics.leaving is True
    assert one.server_state.default_headers == [(b"a", b"b"), (b"connection", b"close")]
    assert closed[0] == "listening"
    assert 0 <= closed[1] - 50 - seconds < 0.03
    assert all(step < 0.1 for step in steps)


@pytest.mark.parametrize(("started", "told"), [(True, ["ready"]), (False, [])])
def test_who_waits_for_a_server_is_told_when_it_listens(store, monkeypatch, started, told):
    async def listens(self, sockets=None):
        self.started = started

    monkeypatch.setattr(uvicorn.Server, "startup", listens)
    frozen = []
    collector = SimpleNamespace(collect=lambda: None, freeze=lambda: frozen.append(1))
    monkeypatch.setattr(server, "gc", collector)
    said = []
    for wait in (None, lambda: said.append("ready")):
        asyncio.run(a_server(store, when_ready=wait).startup())
    assert (said, frozen) == (told, [1, 1])


def test_signals_that_were_ignored_stay_so_and_the_others_end_the_server(store):
    one, seen = a_server(store), []
    kept = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with one.capture_signals():
            seen = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)]
    finally:
        signal.signal(signal.SIGHUP, kept)
    assert seen == [signal.SIG_IGN, one.handle_exit]
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_port_is_taken_at_each_address_that_this_machine_has(monkeypatch):
    port = free_port()
    known = [(socket.AF_INET, ("192.0.2.1", port)), (socket.AF_INET, ("127.0.0.1", port))]
    monkeypatch.setattr(server, "_addresses", lambda *_: known)
    (only,) = listen("localhost", port)
    with only:
        assert only.getsockname() == ("127.0.0.1", port)
        assert only.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) != 0
        assert only.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1


def test_where_one_address_is_taken_none_is_kept(monkeypatch):
    made = []

    def opened(family, address):
        if made:
            raise OSError(errno.EADDRINUSE, "taken")
        made.append(SimpleNamespace(close=lambda: made.append("closed")))
        return made[0]

    monkeypatch.setattr(server, "_addresses", lambda *_: [(0, ()), (1, ())])
    monkeypatch.setattr(server, "_listening", opened)
    with pytest.raises(InvalidArgument, match="taken"):
        listen("localhost", 1)
    assert made[1:] == ["closed"]


def test_the_reason_is_said_also_where_the_system_has_no_word_for_it(monkeypatch):
    def unknown(*_):
        raise OSError("no such name")

    monkeypatch.setattr(server, "_addresses", unknown)
    with pytest.raises(InvalidArgument, match="no such name"):
        listen("nowhere", 1)


def test_a_socket_of_the_newer_protocol_leaves_the_older_ones_port_alone():
    with socket.create_server(("127.0.0.1", 0)) as older:
        port = older.getsockname()[1]
        newer = server._listening(socket.AF_INET6, ("::", port, 0, 0))
        with newer:
            assert newer.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY) == 1


# limits


@pytest.mark.parametrize(
    ("files", "taken", "warns"),
    [(1024 + KEPT_FREE, 1024, False), (1023 + KEPT_FREE, 1023, True), (100, FEWEST, True)],
)
def test_few_files_are_few_connections_and_the_log_says_so(
    monkeypatch, caplog, files, taken, warns
):
    monkeypatch.setattr(connections, "_raise_file_limit", lambda: files)
    bounds = usual_bounds(proxy=False)
    assert (bounds.connections, bounds.per_address) == (taken, taken // 2)
    assert [record.args for record in caplog.records] == [(files, taken)] * warns


def test_a_limit_that_cannot_be_raised_is_what_there_is(monkeypatch):
    def refuse(*_):
        raise ValueError

    monkeypatch.setattr(resource, "getrlimit", lambda _: (900, 4096))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert usual_bounds(proxy=True).connections == 900 - KEPT_FREE


class Wire:
    """A transport that keeps what was written, and whether it was closed."""

    def __init__(self, address):
        self.address, self.written, self.closed = address, b"", False

    def get_extra_info(self, name, default=None):
        return {"peername": self.address, "sockname": ("127.0.0.1", 80)}.get(name, default)

    def write(self, data):
        self.written += data

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed

    def pause_reading(self):
        pass

    resume_reading = set_write_buffer_limits = pause_reading


@pytest.fixture
def connect(tmp_path, store):
    """How a connection is made to a protocol with bounds, on a loop that does not run."""
    loop = asyncio.new_event_loop()
    made = make_server(bare(tmp_path), store, Door())
    made.config.load()

    def connected(bounds, address=("192.0.2.1", 9)):
        kind = bounded_protocol(bounds)
        assert issubclass(kind, BoundedProtocol)
        one = kind(made.config, made.server_state, {}, loop)
        one.connection_made(Wire(address))
        return one

    yield connected
    for task in asyncio.all_tasks(loop):  # requests that were whole, and are answered by nobody
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_connections_are_taken_up_to_the_bound_of_an_address_and_of_all(connect):
    bounds = Bounds(connections=3, per_address=2)
    one, two, third = (connect(bounds) for _ in range(3))
    assert [each.transport.written for each in (one, two, third)] == [b"", b"", REFUSED]
    assert third.transport.closed
    assert third._timer is None
    third.connection_lost(None)
    other, one_more = (connect(bounds, ("192.0.2.2", 9)) for _ in range(2))
    assert other.transport.written == b""
    assert one_more.transport.written == REFUSED  # it would be the fourth
    for each in (one, two, other, one_more):
        each.connection_lost(None)
    assert dict(bounds.present) == {}


def test_behind_a_proxy_one_address_may_have_all_and_who_has_none_is_counted_too(connect):
    bounds = Bounds(connections=5, per_address=None)
    taken = [connect(bounds) for _ in range(4)]
    nobody = connect(bounds, None)
    assert [each.transport.written for each in (*taken, nobody)] == [b""] * 5
    assert bounds.present == {"192.0.2.1": 4, "": 1}
    for each in (*taken, nobody):
        each.connection_lost(None)


def test_a_request_is_watched_until_it_is_whole_and_told_when_it_took_too_long(connect):
    bounds = Bounds(connections=5, per_address=5, seconds=60)
    idle = connect(bounds)
    assert idle._timer.when() - idle.loop.time() == pytest.approx(60, abs=5)
    idle._end()
    assert (idle.transport.written, idle.transport.closed, idle._timer) == (TOO_SLOW, True, None)
    begun = connect(bounds)
    begun.data_received(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na")
    assert begun._timer is not None
    begun._end()  # its reply has begun perhaps: nothing may come between
    assert (begun.transport.written, begun.transport.closed) == (b"", True)
    whole = connect(bounds)
    whole.data_received(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    assert whole._timer is None
    for each in (idle, begun, whole):
        each.connection_lost(None)
        assert each._timer is None


def test_a_fault_is_logged_again_after_a_minute_and_room_comes_back(monkeypatch, caplog):
    now = [0.0]
    monkeypatch.setattr(serving_app, "time", SimpleNamespace(monotonic=lambda: now[0]))
    faults, fault = RepeatedFaults(), serving_app.StoreError("store.stalled", seconds=5)

    def logged(error=fault):
        before = len(caplog.records)
        faults.log(error, 0)
        return len(caplog.records) - before

    assert [logged(), logged()] == [1, 0]
    now[0] = SECONDS_BETWEEN
    assert logged() == 0
    now[0] = SECONDS_BETWEEN + 0.1
    assert logged() == 1
    others = [serving_app.StoreError("store.stalled", seconds=n) for n in range(100, 120)]
    assert sum(map(logged, others)) == MOST_FAULTS - 1
    now[0] *= 2
    assert sum(map(logged, others)) == MOST_FAULTS


def test_that_it_is_over_is_said_only_of_a_fault_and_when_more_was_kept(caplog):
    faults = RepeatedFaults()
    faults.look_back(3)  # nothing went wrong
    faults.log(serving_app.StoreError("store.stalled", seconds=5), 3)
    faults.look_back(3)
    assert len(caplog.records) == 1
    faults.look_back(4)
    faults.look_back(5)
    assert [record.message for record in caplog.records][1:] == ["answers are kept again"]


# counts


def test_of_the_counts_that_were_left_the_newest_of_every_other_process_are_told(tmp_path):
    left = [(1, 9.0), (3, 1.0), (2, 5.0), (2, 4.0)]
    for place, (number, started) in enumerate(left):
        (tmp_path / f"{place}.json").write_text(f'{{"number": {number}, "started": {started}}}')
    (tmp_path / "7.draft").write_text("{}")
    told = other_processes(tmp_path, 1)
    assert [(each["number"], each["started"]) for each in told] == [(2, 5.0), (3, 1.0)]
    assert Metrics().snapshot()["number"] == 1
    assert Metrics().seconds == 0
