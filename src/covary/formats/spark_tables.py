"""Long tables that Spark reads, wherever its session can."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.column_roles import NEEDED, guess
from covary.formats.tables import TEXT
from covary.ratings import COLUMNS
from covary.ratings.checks import check_columns
from covary.ratings.memory_limit import parse_bytes


def read_with_spark(
    place: str, keywords: Mapping[str, Any], memory: str | None
) -> tuple[Any, list[str]]:
    """Let Spark read a long table; returns its data frame with covary's names, and notes.

    The running session is used where there is one, so that the settings of a cluster count.
    """
    session = _spark_session(memory)
    frame = _spark_frame(session, place)
    said = {role: keywords[role] for role in COLUMNS if role in keywords}
    guessed = guess(frame.columns, said)
    check_columns(frame.columns, guessed.roles)
    slots = keywords.get("judges") == "slots"
    absent = [r for r in NEEDED if r not in guessed.roles and not (slots and r == "judge")]
    if absent:
        raise InvalidArgument(
            "formats.incomplete",
            allowed=frame.columns,
            file=place,
            absent=absent,
            roles={role: guessed.roles[role] for role in NEEDED if role in guessed.roles},
            numeric=(),
        )
    # Spark takes what stands between backticks for a name, whatever is in it.
    columns = {role: f"`{name.replace('`', '``')}`" for role, name in guessed.roles.items()}
    frame = frame.selectExpr(*(f"{name} as `{role}`" for role, name in columns.items()))
    return frame, list(guessed.notes)


def _spark_frame(session: Any, place: str) -> Any:
    from pyspark.errors import AnalysisException

    path = PurePosixPath(place)
    ending = PurePosixPath(path.stem if path.suffix == ".gz" else path.name).suffix.lower()
    try:
        if ending in TEXT:
            return session.read.csv(place, header=True, inferSchema=True, sep=TEXT[ending])
        return session.read.parquet(place)
    except AnalysisException as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgument("formats.spark-unreadable", path=place, reason=reason) from error


def _spark_session(memory: str | None) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about newer pandas
            from pyspark.errors import PySparkRuntimeError
            from pyspark.sql import SparkSession
    except ImportError as error:
        raise InvalidArgument("formats.no-pyspark") from error
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    builder = SparkSession.builder.appName("covary")
    for key, value in quiet.items():
        builder = builder.config(key, value)
    if memory is not None:
        builder = builder.config("spark.driver.memory", f"{parse_bytes(memory) // 2**20}m")
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgument("formats.no-java", reason=reason) from error
