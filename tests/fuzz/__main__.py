"""`make fuzz`: changed files by the thousand, each read in a process that may fall over.

A process that is killed by a signal, or hangs, is a fault too; the inputs are numbered, so that one
can be tried again: `python -m tests.fuzz --first 1234 --inputs 1`.
"""

import argparse
import multiprocessing
import sys
import tempfile
from pathlib import Path

from tests.fuzz.reading import fuzz

AT_ONCE = 250
SECONDS = 300


def _part(seed: int, first: int, inputs: int, pipe) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(fuzz(Path(folder), inputs, seed, first))


def main() -> int:
    """Run all inputs and print what should not have happened."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    faults: list[str] = []
    read = refused = compared = 0
    for first in range(wanted.first, wanted.first + wanted.inputs, AT_ONCE):
        number = min(AT_ONCE, wanted.first + wanted.inputs - first)
        receiving, sending = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=_part, args=(wanted.seed, first, number, sending))
        process.start()
        sending.close()
        try:
            tally = receiving.recv() if receiving.poll(SECONDS) else None
        except EOFError:
            tally = None
        if tally is None:
            process.kill()
        process.join()
        if tally is None:
            faults.append(f"inputs {first} to {first + number - 1}: the process ended or hung")
            continue
        read, refused = read + tally.read, refused + tally.refused
        compared += tally.compared
        faults += tally.faults
        done = first + number - wanted.first
        print(f"\r{done:,} inputs, {len(faults)} faults", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(
        f"{wanted.inputs:,} inputs: {read:,} read (of {compared:,} the values were compared), "
        f"{refused:,} refused, {len(faults)} faults"
    )
    print("\n".join(faults[:50]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
