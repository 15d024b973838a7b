"""`covary serve`, `links` and `researcher-link`: a study on the network, and links into it."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.cli.options import default_option
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import database_option, read_study_folder, study_argument
from covary.errors import InvalidArgument

if TYPE_CHECKING:
    from covary.store import Store
    from covary.study import Study


HERE = ("127.0.0.1", "::1", "localhost")
BY_HAND = ("127.0.0.1", "[::1]", "localhost")
"""Names by which this machine reaches itself."""

EVERYWHERE = ("0.0.0.0", "::", "")
MOST_JUDGES = 10_000
MOST_PROCESSES = 64

SERVE_EPILOG = """\b
Examples:
  covary serve forecasts
  covary serve forecasts --port 8080 --links 12
  covary serve forecasts --proxy --address https://study.example.org
  covary serve forecasts --database postgresql://localhost/forecasts --workers 4

Only this machine reaches the server unless --host says otherwise. To let judges in from
elsewhere, put a reverse proxy with https before it (Caddy: 'reverse_proxy 127.0.0.1:8000'; nginx:
'proxy_pass http://127.0.0.1:8000; proxy_set_header Host $host; proxy_set_header X-Forwarded-For
$remote_addr; proxy_set_header X-Forwarded-Proto $scheme;') and start with --proxy.

For monitoring there are /health (is it alive?), /ready (can it keep answers?) and /metrics.
SIGTERM ends the server after what it has begun; with --workers, SIGHUP replaces the processes one
after another while judges go on. deploy/ in covary's repository has a systemd unit, a compose file
and a configuration of nginx."""

LINKS_EPILOG = """\b
Examples:
  covary links forecasts
  covary links forecasts --judges 30 --address https://study.example.org > links.csv

A link is the only key to a judge's answers and is shown this once: only a digest is kept."""

address_option = click.option(
    "--address", metavar="URL", help="How judges reach the server, for the links that are printed."
)


@click.command(epilog=SERVE_EPILOG)
@study_argument
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@default_option("--port", click.IntRange(1, 65535), 8000, "The port.")
@click.option(
    "--workers",
    "processes",
    type=click.IntRange(1, MOST_PROCESSES),
    default=1,
    metavar="N",
    help="Serve by N processes, with a study on PostgreSQL.",
    show_default=True,
)
@click.option("--proxy", is_flag=True, help="A reverse proxy with https stands before the server.")
@click.option(
    "--trusted",
    default="127.0.0.1,::1",
    metavar="ADDRESSES",
    show_default=True,
    help="With --proxy: where the proxy asks from, as addresses or networks, or '*' where only "
    "the proxy reaches the server.",
)
@click.option(
    "--metrics-token",
    envvar="COVARY_METRICS_TOKEN",
    default="",
    metavar="TOKEN",
    help="Token that lets other machines read /metrics (better: set COVARY_METRICS_TOKEN).",
)
@address_option
@click.option(
    "--links",
    "number",
    type=click.IntRange(1, MOST_JUDGES),
    metavar="N",
    help="Add N judges and print their links.",
)
@click.option("--log", "log_requests", is_flag=True, help="Log each request, without links.")
@debug_option
def serve(
    study: Path,
    database: str | None,
    host: str,
    port: int,
    processes: int,
    proxy: bool,
    trusted: str,
    metrics_token: str,
    address: str | None,
    number: int | None,
    log_requests: bool,
) -> None:
    """Serve STUDY, a study's folder, to its judges and its researchers."""
    from covary.store import Store
    from covary.web.serving.processes import serve_by_several
    from covary.web.serving.server import Door, free_or_refused
    from covary.web.serving.server import serve as serve_here

    read = read_study_folder(study)
    place = str(database or read.folder / "study.db")
    _check_several(processes, place)
    reached = _address(address, host, port)
    door = Door(
        proxy, trusted, log_requests, metrics_token=metrics_token, hosts=_hosts(host, address)
    )
    free_or_refused(host, port)
    with Store.open(place, serving=True) as store:
        _introduce(read, store, reached, number)
        _tell_where(host, proxy, reached)
        sys.stdout.flush()
        if processes == 1:
            serve_here(read, store, host=host, port=port, door=door)
            return
    serve_by_several(read.folder, place, processes, host=host, port=port, door=door)


@click.command(epilog=LINKS_EPILOG)
@study_argument
@database_option
@click.option(
    "--judges",
    "number",
    type=click.IntRange(1, MOST_JUDGES),
    metavar="N",
    help="How many; by default those that the design asks for and that do not exist yet.",
)
@click.option(
    "--part", default="", help="The part of the study that they judge, where judges have one each."
)
@address_option
@debug_option
def links(
    study: Path, database: str | None, number: int | None, part: str, address: str | None
) -> None:
    """Add judges to STUDY and print a CSV table of their names and personal links."""
    from covary.store import Store
    from covary.web.judge.sheets import prepare_sheets

    read = read_study_folder(study)
    with Store.open(database or read.folder / "study.db") as store:
        prepare_sheets(read, store)
        present = len(store.judges.all())
        reached = _address(address, HERE[0], 8000)
        if part:
            free = _free_sheets(read, store, part)
            _print_links(store, _of_part(part, free, number), reached, part)
            return
        wanted = len(store.sheets.all()) - present if number is None else number
        if wanted < 1:
            raise InvalidArgument("cli.enough-judges", present=present)
        _print_links(store, wanted, reached)


def _free_sheets(study: Study, store: Store, part: str) -> int:
    if part not in study.parts:
        raise InvalidArgument(
            "store.unknown-part", argument="part", value=part, allowed=study.parts
        )
    return store.sheets.free_parts().count(part)


def _of_part(part: str, free: int, number: int | None) -> int:
    """Return how many judges of a part are added; each needs a sheet of it."""
    if not free or (number or 0) > free:
        raise InvalidArgument("cli.sheets-of-part", part=part, free=free)
    return free if number is None else number


def _check_several(processes: int, place: str) -> None:
    if processes > 1 and "://" not in place:
        raise InvalidArgument("cli.one-file-served", processes=processes, place=place)


def _introduce(study: Study, store: Store, address: str, number: int | None) -> None:
    """Say what is served, and print the links that were asked for."""
    from covary.web.judge.sheets import prepare_sheets

    say(study.title, bold=True)
    say(prepare_sheets(study, store))
    _tell_researcher(store, address)
    say()
    if number:
        _print_links(store, number, address)
        say()
    elif not store.judges.all():
        adds = "the researcher's page adds them, or 'covary links'."
        if study.recruiting is not None:
            adds = "people come by the link that 'covary crowd link' prints."
        say(f"There are no judges yet: {adds}")
        say()


def _print_links(store: Store, number: int, address: str, part: str = "") -> None:
    """Add judges and print their links; the only time that the links can be seen.

    Judges of a part have their sheet at once, so that nobody else takes it.
    """
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["name", "link"])
    for _ in range(number):
        judge, token = store.judges.add()
        if part:
            store.sheets.issue(judge.id, part=part)
        table.writerow([judge.name, f"{address}/j/{token}"])


def _tell_researcher(store: Store, address: str) -> None:
    if not sys.stdout.isatty():  # a service's log is read by others, and kept
        say()
        command = f"covary researcher-link STUDY --address {address}"
        say(f"'{command}' prints your own link, which no log holds.")
        return
    token = store.researchers.new_link()
    if token is not None:
        say()
        say("Your own link works once, and signs in the browser that opens it:")
        click.echo(f"  {address}/r/{token}")


def _tell_where(host: str, proxy: bool, address: str) -> None:
    say(f"Serving at {address} (Ctrl-C ends it; answers are safe at any moment).")
    if host not in HERE and not proxy:
        say(
            "Careful: this address is reached from other machines without https, so links and "
            "answers can be read on the way. Put a reverse proxy before it and use --proxy.",
            fg="yellow",
        )


def _hosts(host: str, address: str | None) -> tuple[str, ...]:
    """Return the names by which browsers may ask; none where nobody has said any."""
    if address is not None:
        return (*BY_HAND, address.partition("://")[2].partition("/")[0], *_one(host))
    return (*BY_HAND, *_one(host)) if _one(host) else ()


def _one(host: str) -> tuple[str, ...]:
    """Return the name of a place to listen at, unless it stands for every address."""
    return () if host in EVERYWHERE else (f"[{host}]" if ":" in host else host,)


def _address(address: str | None, host: str, port: int) -> str:
    if address is None:
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    if not address.startswith(("http://", "https://")):
        raise InvalidArgument("cli.address", value=address)
    return address.rstrip("/")


RESEARCHER_EPILOG = """\b
Examples:
  covary researcher-link forecasts
  covary researcher-link forecasts --address https://study.example.org

The link works once, and signs in the browser that opens it. Using it ends every other unused
link."""


@click.command("researcher-link", epilog=RESEARCHER_EPILOG)
@study_argument
@database_option
@click.option(
    "--address",
    metavar="URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="How the server is reached.",
)
@debug_option
def researcher_link(study: Path, database: str | None, address: str) -> None:
    """Print a link that signs a researcher of STUDY in, also while it is served."""
    from covary.store import Store

    if not address.startswith(("http://", "https://")):
        raise InvalidArgument("cli.address", value=address)
    folder = read_study_folder(study).folder
    with Store.open(database or folder / "study.db") as store:
        token = store.researchers.new_link(again=True)
    say("This link works once, and signs in the browser that opens it:")
    click.echo(f"{address.rstrip('/')}/r/{token}")
