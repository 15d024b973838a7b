"""Pictures are drawn in a process of their own, with limits of memory and time.

What draws them is a compiled engine, and what it draws holds names that judges and files brought
along. Should it ever fall over, it takes this process with it and not the server; a report then
says that it could not be made, and judges notice nothing.

`python -m covary.web.serving.drawing` reads one specification per line and writes one picture.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Mapping
from threading import Lock
from types import ModuleType
from typing import Any

from covary.errors import CovaryError

MOST_BYTES = 3 * 1024**3
"""Of memory that is written to; the engine reserves much more than it uses."""

SECONDS = 60
ENGINE = "vl_convert"


class DrawingProcess:
    """A process that draws, started when it is first needed and again after it has ended."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._alone = Lock()
        self._process: subprocess.Popen[str] | None = None

    def svg(self, spec: Mapping[str, Any]) -> str:
        """Draw a specification of Vega-Lite as SVG, or raise `CovaryError`."""
        with self._alone:
            reply = self._ask(json.dumps(spec))
            if reply is None:
                self.close()
                raise CovaryError("web.drawing-failed", seconds=self._seconds)
        drawn = json.loads(reply)
        if "svg" not in drawn:
            raise CovaryError("web.not-drawn", reason=drawn["error"])
        return str(drawn["svg"])

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, line: str) -> str | None:
        """Return what the process answers; None where it has ended or takes too long."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
        except OSError:
            return None
        if not select.select([process.stdout], [], [], self._seconds)[0]:
            return None
        return process.stdout.readline() or None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "covary.web.serving.drawing"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        return self._process


def draw_elsewhere() -> None:
    """Let every report that this process makes be drawn by another process from now on."""
    if not isinstance(sys.modules.get(ENGINE), _Engine):
        sys.modules[ENGINE] = _Engine(DrawingProcess())


class _Engine(ModuleType):
    """Stands where the engine would be imported, and has what a page of the server needs of it."""

    def __init__(self, process: DrawingProcess) -> None:
        super().__init__(ENGINE)
        self.vegalite_to_svg = process.svg


def main() -> int:
    """Draw what comes until nothing comes any more."""
    _limit_memory()
    import vl_convert

    for line in sys.stdin:
        try:
            reply = {"svg": vl_convert.vegalite_to_svg(json.loads(line))}
        except Exception as error:
            reply = {"error": str(error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
    return 0


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


if __name__ == "__main__":
    sys.exit(main())
