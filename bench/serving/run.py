"""Serve under load and print tables: covary beside a server that does nothing but commit.

Every server is a process of its own. covary does all that it does for a judge's page: it checks
the link, the form's token, the page's mark, the place on the sheet, the scale and the study's
state. The other one only commits. Both run one after the other, in turns.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from machine import described

from serving.client import Load, Saver, saving
from serving.databases import postgres
from serving.material import Material, prepared
from serving.page import written
from serving.processes import Running, running

TURNS = 5
PER_TURN = 4_000
MANY = 100_000
CHUNK = 5_000
WORKERS = (1, 2, 4)
TURNS_OF_WORKERS = 3
BEFORE = 2
"""Saves of each judge that are not measured: the first makes a process read about the judge."""
JUDGES = (30, 200)


def main() -> int:
    wanted = arguments()
    parts, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="covary-bench-") as folder:
        for name, part in PARTS.items():
            if wanted.only in name:
                (Path(folder) / name).mkdir()
                table, refused = part(Path(folder) / name)
                print(f"{table}\n", flush=True)
                parts.append(table)
                wrong += [f"{name}: {each[:200]!r}" for each in refused]
    text = "\n\n".join([*parts, f"Measured on: {described()}."])
    print(*wrong, sep="\n", file=sys.stderr)
    if wanted.write and not wrong and not wanted.only:
        written(text)
    return 1 if wrong else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only parts whose name holds this: workers")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    return parser.parse_args()


def beside_a_bare_server(folder: Path) -> tuple[str, list[bytes]]:
    """How many saves in a second, beside one commit per save."""
    lines, refused = [], []
    for judges in JUDGES:
        ours, theirs, memory, costs = [], [], [], ([], [])
        for turn in range(TURNS):
            place = folder / f"{judges}-{turn}"
            saves = PER_TURN + BEFORE * judges
            made = prepared(place, f"{place}.db", judges=judges, saves=saves)
            with running("serving.bare", f"{place}-bare.db") as server:
                before = server.processor_seconds
                theirs.append(load(made, [server], PER_TURN, BEFORE))
                costs[1].append((server.processor_seconds - before) / saves)
            with running("serving.server", str(place), made.place) as server:
                before = server.processor_seconds
                ours.append(load(made, [server], PER_TURN, BEFORE))
                costs[0].append((server.processor_seconds - before) / saves)
                memory.append(server.megabytes)
        refused += [each for one in ours + theirs for each in one.refused]
        ratios = [a.rate / b.rate for a, b in zip(ours, theirs, strict=True)]
        ratio = f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})"
        tails = [a.share(0.99) / b.share(0.99) for a, b in zip(ours, theirs, strict=True)]
        tail = f"**{statistics.median(tails):.2f}** ({min(tails):.2f} to {max(tails):.2f})"
        spent = [f"{1000 * statistics.median(each):.2f} ms" for each in costs]
        lines += [
            [f"{judges}", "covary", *shown(ours), spent[0], f"{max(memory):.0f}", ratio, tail],
            ["", "one commit per save", *shown(theirs), spent[1], "", "1", "1"],
        ]
    head = ["judges at once", "server", "saves/s", "p50", "p99", "processor time per save", "MB",
            "ratio of rates (lowest to highest)", "ratio of p99"]  # fmt: skip
    return f"### {PER_TURN:,} saves, the medians of {TURNS} turns\n\n{table(head, lines)}", refused


def up_to_many(folder: Path) -> tuple[str, list[bytes]]:
    """What a save costs when few ratings are stored, and when many are."""
    made = prepared(folder / "many", f"{folder}/many.db", judges=30, saves=MANY)
    lines, refused = [], []
    with running("serving.server", str(made.folder), made.place) as server:
        streams = {seat.number: made.requests(seat, server.port, "m") for seat in made.seats}
        for stored in range(0, MANY, CHUNK):
            before = server.processor_seconds
            savers = [Saver(server.port, streams[seat.number]) for seat in made.seats]
            found = saving(savers, CHUNK // len(savers))
            refused += found.refused
            cost = (server.processor_seconds - before) / len(found.latencies)
            if stored // CHUNK in (0, 1, 4, 9, 19):
                lines.append([f"{stored:,} to {stored + CHUNK:,}", f"{1000 * cost:.2f} ms",
                              *shown([found]), f"{server.megabytes:.0f}"])  # fmt: skip
    head = ["ratings stored", "processor time per save", "saves/s", "p50", "p99", "MB"]
    return f"### Up to {MANY:,} ratings, 30 judges\n\n{table(head, lines)}", refused


def workers(folder: Path) -> tuple[str, list[bytes]]:
    """Several processes of one study on PostgreSQL, beside one: each turn has all of them."""
    found: dict[tuple[str, int], list[tuple[Load, float]]] = {}
    with postgres() as new_place:
        for turn in range(TURNS_OF_WORKERS):
            for (name, start), number in product(STARTS.items(), WORKERS):
                place = folder / f"{turn}-{name}-{number}".replace(" ", "-")
                made = prepared(place, new_place(), judges=200, saves=PER_TURN + 200 * BEFORE)
                with ExitStack() as stack:
                    servers = start(stack, made, number)
                    before = sum(each.processor_seconds for each in servers)
                    done = load(made, servers, PER_TURN, BEFORE)
                    spent = sum(each.processor_seconds for each in servers) - before
                cost = spent / (PER_TURN + 200 * BEFORE)
                found.setdefault((name, number), []).append((done, cost))
    lines = []
    for (name, number), turns in found.items():
        one = [done.rate for done, _ in found[name, 1]]
        ratios = [done.rate / alone for (done, _), alone in zip(turns, one, strict=True)]
        ratio = f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})"
        cost = f"{1000 * statistics.median(spent for _, spent in turns):.2f} ms"
        lines.append([name if number == 1 else "", str(number), *shown([done for done, _ in turns]),
                      cost, "1" if number == 1 else ratio])  # fmt: skip
    refused = [each for turns in found.values() for done, _ in turns for each in done.refused]
    head = ["how they are started", "processes", "saves/s", "p50", "p99",
            "their processor time per save", "ratio of rates (lowest to highest)"]  # fmt: skip
    title = f"Several processes on PostgreSQL, 200 judges, the medians of {TURNS_OF_WORKERS} turns"
    return f"### {title}\n\n{table(head, lines)}", refused


def by_themselves(stack: ExitStack, made: Material, number: int) -> list[Running]:
    """Servers with ports of their own; the judges are spread evenly, as a proxy would."""
    asked = ("serving.server", str(made.folder), made.place)
    return [stack.enter_context(running(*asked)) for _ in range(number)]


def together(stack: ExitStack, made: Material, number: int) -> list[Running]:
    """One `covary serve --workers`; whichever process is free takes a connection."""
    asked = ("serve", str(made.folder), "--database", made.place, "--workers", str(number))
    server = stack.enter_context(running("covary", *asked, "--port"))
    server.wait_for_all(number)
    return [server]


STARTS = {"with a port each": by_themselves, "covary serve --workers": together}

PARTS: dict[str, Callable[[Path], tuple[str, list[bytes]]]] = {
    "bare": beside_a_bare_server,
    "many": up_to_many,
    "workers": workers,
}


def load(made: Material, servers: list[Running], saves: int, before: int = 0) -> Load:
    """Let the judges of a study save, spread over its servers, some times unmeasured before."""
    ports = [servers[seat.number % len(servers)].port for seat in made.seats]
    savers = [
        Saver(port, made.requests(seat, port, "l"))
        for seat, port in zip(made.seats, ports, strict=True)
    ]
    return saving(savers, saves // len(savers), before=before)


def shown(found: list[Load]) -> list[str]:
    """The medians over several turns, of rate, p50 and p99."""
    rate = statistics.median(each.rate for each in found)
    times = [statistics.median(each.share(share) for each in found) for share in (0.5, 0.99)]
    return [f"{rate:.0f}", *(f"{each:.0f} ms" for each in times)]


def table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


if __name__ == "__main__":
    sys.exit(main())
