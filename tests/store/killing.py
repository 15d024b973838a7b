"""A process that saves answers until it is killed, and what must be true afterwards."""

import random
import subprocess
import sys
import time
from pathlib import Path

from covary.store import Store
from tests.store.made_up import sheets

ROOT = Path(__file__).parents[2]

# Four threads save as fast as they can; a line is printed when the store says that it is durable.
SAVING = """
import sys
from threading import Thread
from covary.store import Store
from tests.store.made_up import answer

place, tag = sys.argv[1:]
store = Store.open(place, serving=True)

def work(judge):
    for n in range(1, 1_000_000):
        key = f"{tag}-{judge}-{n}"
        position = n % 200 + 1
        store.answers.save([
            answer(n % 5 + 1, judge=judge, position=position, key=key, page=tag, sequence=n)
        ])
        sys.stdout.write(f"{key}\\n")
        sys.stdout.flush()

print("ready", flush=True)
for judge in (1, 2, 3, 4):
    Thread(target=work, args=[judge]).start()
"""


def prepare(place: str) -> None:
    """Make a store with four judges on four sheets."""
    with Store.open(place) as store:
        store.sheets.put(sheets(4))
        for _ in range(4):
            store.sheets.issue(store.judges.add()[0].id)


def killed_while_saving(place: str, tag: str, draw: random.Random) -> list[str]:
    """Start a process that saves, kill it at a random moment, and return what it acknowledged."""
    command = [sys.executable, "-c", SAVING, place, tag]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        first = process.stdout.readline()
        time.sleep(draw.uniform(0, 0.4))
        process.kill()  # SIGKILL: no chance to tidy up
        lines = (first + process.stdout.read()).split("\n")
    return lines[:-1]  # the last line may have been cut off


def check_after(place: str, acknowledged: list[str]) -> int:
    """The store opens by itself, and has every acknowledged answer exactly once."""
    with Store.open(place, serving=True) as store:
        kept = [each.key for _, _, each in store.answers.log()]
        assert len(kept) == len(set(kept))
        assert set(acknowledged) <= set(kept)
        assert store.check() == []
        assert store.answers.counts().answers == len(kept)
    return len(kept)
