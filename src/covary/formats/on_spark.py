"""Ratings that a Spark cluster reads: they stay there, and it counts them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from covary.errors import InvalidArgument, listed
from covary.formats.guess import NEEDED, guess
from covary.formats.tables import TEXT
from covary.ratings import COLUMNS
from covary.ratings.checks import check_columns
from covary.ratings.room import bytes_of

__all__ = ["read_with_spark"]


def read_with_spark(
    place: str, keywords: Mapping[str, Any], memory: str | None
) -> tuple[Any, list[str]]:
    """Let Spark read a long table; returns its data frame with covary's names, and notes.

    The running session is used where there is one, so that the settings of a cluster count.
    """
    session = _session(memory)
    frame = _opened(session, place)
    said = {role: keywords[role] for role in COLUMNS if role in keywords}
    found = guess(frame.columns, said)
    check_columns(frame.columns, found.roles)
    slots = keywords.get("judges") == "slots"
    absent = [r for r in NEEDED if r not in found.roles and not (slots and r == "judge")]
    if absent:
        raise InvalidArgument(
            f"{place} has no column whose name says that it holds the {' or the '.join(absent)}; "
            f"its columns are {listed(frame.columns)}. Say which column it is: "
            + ", ".join(f"{role}='…'" for role in absent)
        )
    # Spark takes what stands between backticks for a name, whatever is in it.
    columns = {role: f"`{name.replace('`', '``')}`" for role, name in found.roles.items()}
    frame = frame.selectExpr(*(f"{name} as `{role}`" for role, name in columns.items()))
    return frame, list(found.notes)


def _opened(session: Any, place: str) -> Any:
    from pyspark.errors import AnalysisException

    path = PurePosixPath(place)
    ending = PurePosixPath(path.stem if path.suffix == ".gz" else path.name).suffix.lower()
    try:
        if ending in TEXT:
            return session.read.csv(place, header=True, inferSchema=True, sep=TEXT[ending])
        return session.read.parquet(place)
    except AnalysisException as error:
        raise InvalidArgument(
            f"Spark cannot read '{place}': {str(error).splitlines()[0]}. It reads Parquet, and "
            ".csv or .tsv as plain text with a first row of names; anything else can be given to "
            "covary.Ratings as a data frame of Spark"
        ) from error


def _session(memory: str | None) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about newer pandas
            from pyspark.errors import PySparkRuntimeError
            from pyspark.sql import SparkSession
    except ImportError as error:
        raise InvalidArgument(
            "engine='spark' needs PySpark, which is not installed: pip install 'covary[spark]'"
        ) from error
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    builder = SparkSession.builder.appName("covary")
    for key, value in quiet.items():
        builder = builder.config(key, value)
    if memory is not None:
        builder = builder.config("spark.driver.memory", f"{bytes_of(memory) // 2**20}m")
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise InvalidArgument(
            "engine='spark' needs Java 17 or newer, which Spark could not start; install it, or "
            f"set JAVA_HOME ({str(error).splitlines()[0]})"
        ) from error
