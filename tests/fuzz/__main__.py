"""`make fuzz`: changed files and forms by the thousand, in a process that may fall over.

A process that is killed by a signal, or hangs, is a fault too, and the input that it had then is
named. Inputs are numbered, so that one can be tried again: `python -m tests.fuzz --first 1234
--inputs 1`.
"""

import argparse
import multiprocessing
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.inputs import SHARES, Inputs
from tests.fuzz.tally import Tally

SECONDS = 300
"""So long one input may take, on a machine with much else to do."""


def _part(seed: int, first: int, last: int, only: str | None, pipe: Connection) -> None:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Inputs(Path(folder), seed) as inputs,
    ):
        for number in range(first, last):
            pipe.send(number)
            inputs.take(number, only)
        pipe.send(inputs.tallies)


def _tallies(seed: int, first: int, last: int, only: str | None) -> dict[str, Tally]:
    """Take all inputs, in a new process where one ended or hung."""
    total = {name: Tally() for name in SHARES}
    while first < last:
        receiving, sending = multiprocessing.Pipe(duplex=False)
        upto = min(last, first + 500)
        process = multiprocessing.Process(target=_part, args=(seed, first, upto, only, sending))
        process.start()
        sending.close()
        told: object = first
        reached = first
        try:
            while isinstance(told, int) and receiving.poll(SECONDS):
                told = receiving.recv()
                reached = told if isinstance(told, int) else upto
        except EOFError:
            pass
        if isinstance(told, dict):
            for name, tally in told.items():
                total[name].add(tally)
        else:
            process.kill()
            fault = f"input {reached} (seed {seed}): the process ended or hung"
            total["ratings"].faults.append(fault)
            reached += 1
        process.join()
        first = reached
        faults = sum(len(tally.faults) for tally in total.values())
        print(f"\r{first:,} inputs, {faults} faults", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return total


def main() -> int:
    """Run all inputs and print what should not have happened."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SHARES, help="the inputs of one kind; others are skipped")
    wanted = parser.parse_args()
    last = wanted.first + wanted.inputs
    tallies = _tallies(wanted.seed, wanted.first, last, wanted.only)
    faults = [fault for tally in tallies.values() for fault in tally.faults]
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.read:,} taken (of {tally.compared:,} the values were compared), "
            f"{tally.refused:,} refused, {len(tally.faults)} faults"
        )
    print(f"{wanted.inputs:,} inputs, {len(faults)} faults")
    print("\n".join(faults[:100]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
