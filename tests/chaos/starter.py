"""A process that starts `covary serve` as often as it is told to, by forking.

Python has to be started and covary imported only once, so that a server can be killed a thousand
times within minutes. What runs is the command itself.

`python -m tests.chaos.starter` reads one JSON object per line, {"arguments", "log", "files"}, and
prints the number of the process that it has started.
"""

import json
import os
import resource
import signal
import sys

import covary.web.serving.processes
from covary.cli.entry import main as covary
from covary.cli.serve import serve  # noqa: F401


def main() -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever ends leaves nothing behind
    for line in sys.stdin:
        wanted = json.loads(line)
        process = os.fork()
        if process == 0:
            os._exit(serve_as(**wanted))
        print(process, flush=True)
    return 0


def serve_as(arguments: list[str], log: str, files: int | None) -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    os.dup2(os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), 2)
    if files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    return covary(["serve", *arguments])


if __name__ == "__main__":
    sys.exit(main())
