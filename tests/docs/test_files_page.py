"""The page about files and frames: its Python runs on a frame, a path and two columns."""

from pathlib import Path

import pandas as pd
import pytest

from tests.docs.pages import DOCS, blocks

PAGE = DOCS / "files.md"


@pytest.mark.filterwarnings("ignore::covary.errors.SuitabilityWarning")
def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        (f"i{item}", judge, 1 + (item + place) % 3, "native" if item % 2 else "other")
        for item in range(12)
        for place, judge in enumerate("ABC")
    ]
    frame = pd.DataFrame(rows, columns=["item", "judge", "rating", "group"])
    frame.to_csv(Path("ratings.csv"), index=False)
    names = {"frame": frame, "first": [1, 2, 2, 3], "second": [1, 2, 3, 3]}
    (code,) = blocks(PAGE.read_text(encoding="utf-8"), "python")
    exec(code, names)
