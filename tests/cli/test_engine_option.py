"""`--engine spark` and the pandas that other commands spare themselves."""

import sys

import pytest

from covary.cli import main


@pytest.mark.parametrize(("engine", "found"), [("spark", True), ("duckdb", False)])
def test_only_spark_may_look_for_pandas(monkeypatch, engine, found):
    seen = []

    def look(*_):
        seen.append("pandas" not in sys.modules)
        raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr("covary.cli.reading.report_stem", look)
    assert main(["report", "nowhere.parquet", "--engine", engine]) == 130
    assert seen == [found]
