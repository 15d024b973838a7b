"""`covary simulate`: a whole study by simulated judges, before anyone is paid."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.cli.options import default_option
from covary.cli.screen import ProgressBar, debug_option, say
from covary.cli.study_folder import SIMULATED, read_study_folder, study_argument
from covary.reports.formatting import counted
from covary.study.simulated_judges import simulated_judges

if TYPE_CHECKING:
    from covary.web.serving.simulated_training import TrainingSummary

EPILOG = """\b
Examples:
  covary simulate forecasts
  covary simulate questions --train 3        a dry run of the guideline cycle, too
  covary simulate questions --train 3 --again    and every set rated again after its discussion
  covary simulate forecasts --judges 22 --severity 0.2 --noise 0.15 --seed 7

Severity and noise are standard deviations, in shares of the scale: how far judges differ in
strictness, and how much each answer is blurred. The answers go to simulated.db in the study's
folder and never mix with those of people; 'covary export' and 'covary report' take them, and say
so, for as long as nobody has answered."""


@click.command(epilog=EPILOG)
@study_argument
@click.option(
    "--judges",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Number of judges; by default as many as the design asks for.",
)
@default_option("--severity", click.FloatRange(0), 0.1, "How far judges differ in strictness.")
@default_option("--noise", click.FloatRange(0), 0.1, "How much noise each answer has.")
@default_option("--seed", click.IntRange(0), 0, "Seed of the random draws.")
@click.option(
    "--train",
    type=click.IntRange(2),
    metavar="N",
    help="How many of the judges first write guidelines in rounds of training.",
)
@default_option(
    "--learning",
    click.FloatRange(0, 1),
    0.5,
    "With --train: what a round leaves of severity and noise.",
)
@click.option(
    "--again",
    is_flag=True,
    help="With --train: rate each set once more after its discussion.",
)
@debug_option
def simulate(
    study: Path,
    judges: int | None,
    severity: float,
    noise: float,
    seed: int,
    train: int | None,
    learning: float,
    again: bool,
) -> None:
    """Let simulated judges go through STUDY, over HTTP and on the pages that people will use."""
    from covary.store import Store
    from covary.web.serving.simulated_training import simulate_with_training
    from covary.web.serving.simulation import simulate as run

    if again and train is None:
        raise click.UsageError("--again is about training; say --train N, too")
    read = read_study_folder(study)
    chosen = simulated_judges(read, judges=judges, severity=severity, noise=noise, seed=seed)
    place = read.folder / SIMULATED
    _clear(place)
    with Store.open(place, serving=True) as store, ProgressBar("starting") as bar:
        bar.total = len(chosen)
        trained = None
        if train is None:
            done = run(read, store, chosen, progress=bar)
        else:
            done, trained = simulate_with_training(
                read, store, chosen, train=train, learning=learning, again=again, progress=bar
            )
    if trained is not None:
        _tell_training(train, trained)
    say(
        f"{counted(done.judges, 'simulated judge')} gave {counted(done.answers, 'answer')} in "
        f"{done.seconds:.1f} seconds. They are in {place}."
    )
    say()
    say("Check whether the study could answer your question:")
    if trained is not None:
        click.echo(f"  covary rounds {shlex.quote(str(study))}")
    click.echo(f"  covary report {shlex.quote(str(study))}")


def _tell_training(judges: int | None, trained: TrainingSummary) -> None:
    """Say what the simulated rounds of training came to."""
    rounds = counted(len(trained.differences), "round")
    counts = ", ".join(map(str, trained.differences))
    ended = "the stop rule was met" if trained.ended_by == "rule" else "no training set was left"
    say(f"{judges} of them trained in {rounds}: {counts} significant differences, then {ended}.")
    if trained.left_again:
        left = ", ".join(map(str, trained.left_again))
        say(f"Rated again after the discussion, the same items had {left} significant differences.")


def _clear(place: Path) -> None:
    """Make room for a new simulation; what a simulation gave can be had again with its seed."""
    for ending in ("", "-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
