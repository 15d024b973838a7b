"""What draws pictures may fall over, and the server does not."""

import ast
import os
import signal
import sys
from pathlib import Path

import pytest

import covary
from covary.errors import CovaryError
from covary.web.serving.drawing import DrawingProcess, draw_elsewhere

BARS = {
    "data": {"values": [{"a": "x", "b": 1}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}},
}


@pytest.fixture(scope="module")
def process():
    made = DrawingProcess()
    yield made
    made.close()


def test_a_picture_is_drawn_by_another_process(process):
    assert process.svg(BARS).startswith("<svg")
    assert process._process.pid != os.getpid()


def test_what_cannot_be_drawn_is_said_and_the_next_picture_is_drawn(process):
    with pytest.raises(CovaryError) as refused:
        process.svg({"mark": {"type": 7}})
    assert refused.value.code == "web.not-drawn"
    assert process.svg(BARS).startswith("<svg")


def test_when_the_engine_falls_over_the_picture_is_missing_and_the_next_is_drawn(process):
    process.svg(BARS)
    os.kill(process._process.pid, signal.SIGSTOP)  # it hangs
    hanging, process._seconds = process._seconds, 0.2
    with pytest.raises(CovaryError) as failed:
        process.svg(BARS)
    assert failed.value.code == "web.drawing-failed"
    process._seconds = hanging
    assert process.svg(BARS).startswith("<svg")
    os.kill(process._process.pid, signal.SIGABRT)  # it aborts, as it did at a control character
    process._process.wait()
    assert process.svg(BARS).startswith("<svg")


def test_a_server_never_loads_the_engine_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    draw_elsewhere()
    import vl_convert

    assert vl_convert.vegalite_to_svg.__self__.__class__ is DrawingProcess
    draw_elsewhere()
    assert sys.modules["vl_convert"] is vl_convert, "the process in use was replaced"


def test_a_server_reads_no_files_of_ratings():
    """Whatever the server imports, nothing of it reads files of the outside world."""
    rooms = Path(covary.__file__).parent
    files = [ast.parse(file.read_text(encoding="utf-8")) for file in (rooms / "web").rglob("*.py")]
    imports = [n for file in files for n in ast.walk(file) if isinstance(n, ast.ImportFrom)]
    asked = [each.module for each in imports if (each.module or "").startswith("covary.formats")]
    assert asked == []
