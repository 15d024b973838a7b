"""`covary simulate`: a whole study by simulated judges, before anyone is paid."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from covary.cli.collected import SIMULATED, read_folder, study_argument
from covary.cli.progress import Bar
from covary.cli.screen import debug_option, say
from covary.report.wording import counted
from covary.study.simulated import simulated

__all__ = ["simulate"]

EPILOG = """\b
Examples:
  covary simulate forecasts
  covary simulate forecasts --judges 22 --severity 0.2 --noise 0.15 --seed 7

Severity and noise are standard deviations, in shares of the scale: how far judges differ in
strictness, and how much each answer is blurred. The answers go to simulated.db in the study's
folder and never mix with those of people; 'covary export' and 'covary report' take them, and say
so, for as long as nobody has answered."""


@click.command(epilog=EPILOG, short_help="Try a study out with simulated judges.")
@study_argument
@click.option(
    "--judges", type=click.IntRange(1, 10_000), metavar="N",
    help="How many; as many as the design asks for by default.",
)  # fmt: skip
@click.option("--severity", type=click.FloatRange(0), default=0.1, show_default=True,
              help="How far judges differ in strictness.")  # fmt: skip
@click.option("--noise", type=click.FloatRange(0), default=0.1, show_default=True,
              help="How much each answer is blurred.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@debug_option
def simulate(study: Path, judges: int | None, severity: float, noise: float, seed: int) -> None:
    """Let simulated judges go through STUDY, over HTTP and on the pages that people will use."""
    from covary.store import Store
    from covary.web.simulation import simulate as run

    read = read_folder(study)
    chosen = simulated(read, judges=judges, severity=severity, noise=noise, seed=seed)
    place = read.folder / SIMULATED
    _clear(place)
    with Store.open(place, serving=True) as store, Bar("starting") as bar:
        bar.total = len(chosen)
        done = run(read, store, chosen, progress=bar)
    say(
        f"{counted(done.judges, 'simulated judge')} gave {counted(done.answers, 'answer')} in "
        f"{done.seconds:.1f} seconds. They are in {place}."
    )
    say()
    say("See whether the study could tell you what you want to know:")
    click.echo(f"  covary report {shlex.quote(str(study))}")


def _clear(place: Path) -> None:
    """Make room for a new simulation; what a simulation gave can be had again with its seed."""
    for ending in ("", "-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
