"""Files that are written whole or not at all, and devices, which stay devices."""

import os
import stat
import threading

import pytest

from covary.errors import InvalidArgument
from covary.reports.document import write_whole


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "report")
    reader.join()
    assert read == [b"report"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path):
    with pytest.raises(InvalidArgument) as refused:
        write_whole(tmp_path, "a folder is no file")
    assert refused.value.code == "report.not-writable"
    assert list(tmp_path.iterdir()) == []
