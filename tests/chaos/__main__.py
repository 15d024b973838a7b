"""`make chaos`: what can happen to a server, done to it on purpose while judges save.

Everything runs on this machine, at ports of 127.0.0.1, and ends by itself. An answer that was
acknowledged and is lost, doubled or altered stops the run with an error.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from tests.chaos.faults import Trial, file_faults, other_faults, postgres_faults
from tests.chaos.kills import PER_STORE, KillCount, killed
from tests.chaos.servers import starting
from tests.chaos.soak import soaked
from tests.store.databases import Server as Postgres

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
HEADINGS = ("what happened", "judges saw", "the log said", "how it came back", "answers")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--kills", type=int, default=1000, help="on SQLite")
    parser.add_argument("--postgres-kills", type=int, default=200, help="with two processes")
    parser.add_argument("--soak", type=float, default=300, metavar="SECONDS")
    parser.add_argument("--minutes", type=float, default=120, help="stop killing after so long")
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="the figures into docs/reliability.md")
    wanted = parser.parse_args()
    until = time.monotonic() + 60 * wanted.minutes
    parts = []
    with tempfile.TemporaryDirectory(prefix="covary-chaos-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if not wanted.no_faults:
            parts.append(_table(_faults(folder)))
        if wanted.soak:
            parts.append(_soak(folder, wanted.soak))
        counts = []
        for kind, number in (("SQLite", wanted.kills), ("PostgreSQL", wanted.postgres_kills)):
            if number:
                counts.append(_kills(folder, kind, number, wanted.seed, until))
        parts += [_tell_kills(kind, count) for kind, count in counts]
    text = "\n\n".join(parts)
    print(text)
    if wanted.write:
        write(text)
    return 0


@contextmanager
def _postgres() -> Iterator[Postgres]:
    server = Postgres()
    try:
        yield server
    finally:
        server.stop()


def _faults(folder: Path) -> Iterator[Trial]:
    with _postgres() as postgres:
        for trials in (
            file_faults(folder / "file"),
            other_faults(folder / "other"),
            postgres_faults(folder / "server", postgres),
        ):
            for trial in trials:
                print(f"{trial.fault}: {trial.saw}; {trial.recovery}", file=sys.stderr)
                yield trial


def _table(trials: Iterator[Trial]) -> str:
    rows = [HEADINGS, ("---",) * len(HEADINGS), *(trial.row() for trial in trials)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _soak(folder: Path, seconds: float) -> str:
    with starting() as starter:
        soak = soaked(starter, folder / "soak", seconds)
    return (
        f"Three judges saved for {soak.seconds:.0f} seconds, {soak.acknowledged:,} answers. Memory "
        f"of the server: {soak.first:.0f} MB when it had warmed up, {soak.middle:.0f} MB in the "
        f"middle, {soak.last:.0f} MB in the end."
    )


def _kills(folder: Path, kind: str, number: int, seed: int, until: float) -> tuple[str, KillCount]:
    count, draw = KillCount(), random.Random(f"{kind} {seed}")
    with starting() as starter:
        if kind == "SQLite":
            while count.killed.total() < number and time.monotonic() < until:
                study = folder / f"kills-{count.killed.total()}"
                kills = min(PER_STORE, number - count.killed.total())
                place = str(folder / f"{study.name}.db")
                count.add(*killed(starter, study, place, kills=kills, draw=draw))
                _tell(kind, count)
            return kind, count
        with _postgres() as postgres:
            while count.killed.total() < number and time.monotonic() < until:
                study = folder / f"postgres-kills-{count.killed.total()}"
                kills = min(PER_STORE, number - count.killed.total())
                place = postgres.new_place()
                victims = killed(
                    starter, study, place, kills=kills, draw=draw, workers=2,
                    postgres=postgres.address,
                )  # fmt: skip
                count.add(*victims)
                _tell(kind, count)
    return kind, count


def _tell(kind: str, count: KillCount) -> None:
    print(
        f"{kind}: {count.killed.total():,} kills, {count.acknowledged:,} answers acknowledged, "
        f"{count.kept:,} kept, none lost",
        file=sys.stderr,
        flush=True,
    )


def _tell_kills(kind: str, count: KillCount) -> str:
    what = ", ".join(f"{name} {number:,}×" for name, number in sorted(count.killed.items()))
    return (
        f"**{kind}**: {count.killed.total():,} × kill -9 ({what}). Six judges went from page to "
        f"page: {count.acknowledged:,} answers acknowledged, {count.kept:,} kept; 0 acknowledged "
        "answers lost, 0 doubled, 0 altered."
    )


def write(text: str) -> None:
    """Put the figures into the page, between its two marks."""
    begin, end = "<!-- chaos: begin -->", "<!-- chaos: end -->"
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    day = f"Measured on {date.today():%-d %B %Y}."
    PAGE.write_text(f"{before}{begin}\n\n{day}\n\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
