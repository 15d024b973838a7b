"""Who is believed about where a visitor comes from, and what several processes need."""

import asyncio

import httpx
import pytest

from covary.cli import main
from covary.cli.serve import _hosts
from covary.study import write_template
from covary.web.guard import host_name
from covary.web.serving.processes import ServerOrder
from covary.web.serving.server import Door, make_server
from tests.store.databases import empty_store
from tests.web.conftest import no_time_passes  # noqa: F401 (a fixture)
from tests.web.studies import bare


@pytest.fixture
def store(tmp_path):
    with empty_store(tmp_path / "study.db") as opened:
        yield opened


def statuses(study, store, door, *, client, said):
    """What visitors with wrong links are answered, each said by the proxy to come from `said`."""
    server = make_server(study, store, door)
    server.config.load()

    async def ask():
        transport = httpx.ASGITransport(server.config.loaded_app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://study.test") as http:
            return [
                (await http.get("/j/wrong", headers={"X-Forwarded-For": each})).status_code
                for each in said
            ]

    return asyncio.run(ask())


MANY = ["192.0.2.1"] * 40 + ["192.0.2.2"]


@pytest.mark.parametrize(
    ("trusted", "client"),
    [
        ("127.0.0.1,::1", "127.0.0.1"),
        ("10.0.0.0/8", "10.1.2.3"),
        ("*", "203.0.113.9"),
    ],
)
@pytest.mark.usefixtures("no_time_passes")
def test_a_visitor_is_who_a_trusted_proxy_says(tmp_path, store, trusted, client):
    door = Door(proxy=True, trusted=trusted)
    found = statuses(bare(tmp_path), store, door, client=client, said=MANY)
    assert found[0] == 404
    assert found[39] == 429, "too many wrong links from one address"
    assert found[40] == 404, "another visitor was held responsible"


@pytest.mark.parametrize(
    ("door", "client"),
    [
        (Door(proxy=True), "10.1.2.3"),
        (Door(proxy=True, trusted="10.0.0.0/8"), "127.0.0.1"),
        (Door(proxy=False), "127.0.0.1"),
    ],
    ids=["another-machine", "another-network", "no-proxy"],
)
@pytest.mark.usefixtures("no_time_passes")
def test_nobody_else_is_believed(tmp_path, store, door, client):
    """Otherwise whoever guesses links would name another address each time."""
    said = [f"192.0.2.{number}" for number in range(41)]
    found = statuses(bare(tmp_path), store, door, client=client, said=said)
    assert found[0] == 404
    assert found[40] == 429


def test_a_file_is_not_served_by_several_processes(tmp_path, capsys):
    write_template(tmp_path / "forecasts")
    assert main(["serve", str(tmp_path / "forecasts"), "--workers", "2"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "2 processes cannot serve one file" in said
    assert "covary restore" in said
    assert not (tmp_path / "forecasts" / "study.db").exists()


def test_who_is_no_proxy_is_said_before_anything_is_served(tmp_path, capsys):
    write_template(tmp_path / "forecasts")
    assert main(["serve", str(tmp_path / "forecasts"), "--proxy", "--trusted", "nginx"]) == 1
    assert "'nginx' is not an address or network" in capsys.readouterr().err
    assert not (tmp_path / "forecasts" / "study.db").exists()


@pytest.mark.parametrize(
    ("host", "address", "names"),
    [
        ("127.0.0.1", None, {"127.0.0.1", "::1", "localhost"}),
        ("127.0.0.1", "https://Study.example.org/", {"127.0.0.1", "::1", "localhost",
                                                     "study.example.org"}),
        ("192.0.2.7", None, {"127.0.0.1", "::1", "localhost", "192.0.2.7"}),
        ("0.0.0.0", "http://lab.example.org:8000", {"127.0.0.1", "::1", "localhost",
                                                    "lab.example.org"}),
        ("0.0.0.0", None, set()),
        ("::", None, set()),
    ],
)  # fmt: skip
def test_the_address_that_is_given_says_by_which_names_browsers_may_ask(host, address, names):
    assert set(map(host_name, _hosts(host, address))) == names


def test_what_several_processes_are_told_is_read_as_it_was_said():
    door = Door(proxy=True, trusted="*", hosts=("study.example.org", "[::1]"))
    order = ServerOrder(
        study="s", database="d", door=door, sockets=(3, 4), counts="c", number=1, tell=5
    )
    assert ServerOrder.read(order.line()) == order
