"""Spark, in local mode with one core, gives what DuckDB gives, to the last digit."""

import math
import os
import shutil
import warnings

import pytest
from click.testing import CliRunner

import covary
from covary import Ratings, SuitabilityWarning, read
from covary.cli.entry import covary as command
from covary.stats import patterns
from covary.stats.models import unit_kinds
from tests.engines.studies import STUDIES, apart, crossed, estimates, larger

NO_JAVA = "there is no Java on this machine, which Spark needs: apt-get install default-jre"

KINDS = {int: "bigint", float: "double", str: "string"}


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip(NO_JAVA)
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.log.level": "ERROR",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than so few rows
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
    builder = SparkSession.builder.master("local[1]").appName("covary-tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    yield session
    session.stop()


def frame_of(spark, columns):
    """The columns as a data frame of Spark; what is missing stays None or NaN."""
    kinds = {
        name: KINDS[next(type(v) for v in values if v is not None)]
        for name, values in columns.items()
    }
    schema = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    return spark.createDataFrame(list(zip(*columns.values(), strict=True)), schema).cache()


@pytest.mark.parametrize("name", STUDIES)
def test_spark_gives_the_same_estimates_as_duckdb(name, spark):
    study, columns = STUDIES[name], STUDIES[name].columns()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuitabilityWarning)
        here = estimates(study, Ratings(columns, scale=study.scale))
        there = estimates(study, Ratings(frame_of(spark, columns), scale=study.scale))
    for one, other in zip(here, there, strict=True):
        assert apart(one, other) == 0, one.name


def test_spark_counts_tallies_and_judge_pairs_by_the_same_groups(spark, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 3)
    columns = larger(300).columns()
    here, there = (Ratings(frame, scale="1-5") for frame in (columns, frame_of(spark, columns)))
    assert patterns.has_too_many_patterns(there)
    for name in ("krippendorff_alpha", "goodman_kruskal_gamma"):
        one, other = (getattr(covary, name)(each, rng=1, resamples=50) for each in (here, there))
        assert apart(one, other) == 0, name
    assert there.first_items(3).values("item") == ("i000", "i001", "i002")


def plain(number):
    """A number, or None for what one engine calls NaN and the other nothing."""
    return None if number is None or number != number else number


@pytest.mark.parametrize("method", ["median", "dawid-skene"])
def test_spark_combines_votes_as_duckdb_does(method, spark, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)
    columns = larger(120).columns()
    here, there = (Ratings(frame, scale="1-5") for frame in (columns, frame_of(spark, columns)))
    one, other = (covary.combine(each, method) for each in (here, there))
    mine, theirs = (
        made.frame.sort("item").collect().to_dict(as_series=False) for made in (one, other)
    )
    assert mine["item"] == theirs["item"]
    for name in set(mine) - {"item"}:
        columns = (
            [math.nan if x is None else float(x) for x in table[name]] for table in (mine, theirs)
        )
        assert all(a == b or (a != a and b != b) for a, b in zip(*columns, strict=True)), name


@pytest.mark.parametrize("kind", [{"scale": "1-5", "level": "interval"}, {"scale": "0-100"}])
def test_spark_compares_systems_as_duckdb_does(kind, spark, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)
    monkeypatch.setattr(unit_kinds, "MOST_VALUES", 3 if kind["scale"] == "0-100" else 100)
    monkeypatch.setattr(unit_kinds, "DRAWN_ALONE", 10)
    columns = crossed(items=25)
    here, there = (Ratings(frame, **kind) for frame in (columns, frame_of(spark, columns)))
    asked = {"error": "mixed", "resamples": 50, "rng": 1}
    one, other = (covary.systems(each, **asked).criteria[0] for each in (here, there))
    assert other.mixed.means == pytest.approx(one.mixed.means, rel=1e-9)
    assert other.mixed.covariance == pytest.approx(one.mixed.covariance, rel=1e-8)
    assert other.ranks.best == one.ranks.best  # the same groups in every engine
    for mine, theirs in zip(one.systems, other.systems, strict=True):
        assert (mine.system, mine.median, mine.letters) == (
            theirs.system,
            theirs.median,
            theirs.letters,
        )


def test_the_command_writes_what_spark_combined(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("covary.ratings.table.MOST_BROUGHT", 10)
    columns = larger(40).columns()
    kept = [place for place, rating in enumerate(columns["rating"]) if rating is not None]
    frame_of(spark, {name: [own[k] for k in kept] for name, own in columns.items()}).write.parquet(
        str(tmp_path / "votes")
    )
    written = []
    for engine in ("spark", "duckdb"):
        out = tmp_path / f"{engine}.csv"
        asked = ["aggregate", str(tmp_path / "votes"), "--scale", "1-5", "--method", "mace"]
        done = CliRunner().invoke(command, [*asked, "--engine", engine, "-o", str(out)])
        assert done.exit_code == 0, done.output
        written.append(out.read_text())
    assert written[0] == written[1]


def test_spark_reads_a_folder_of_parquet_and_plain_text(spark, tmp_path):
    columns = larger(40).columns()
    frame = frame_of(spark, columns).withColumnsRenamed({"item": "qid", "judge": "rater"})
    frame.write.parquet(str(tmp_path / "ratings"))
    frame.write.csv(str(tmp_path / "text.csv"), header=True)
    exact = covary.krippendorff_alpha(Ratings(columns, scale="1-5"), interval=None).value
    for place in ("ratings", "text.csv"):
        ratings = read(tmp_path / place, engine="spark", scale="1-5")
        assert "'qid' as the item" in ratings.notes[0]
        found = covary.krippendorff_alpha(ratings, interval=None).value
        assert math.isclose(found, exact, abs_tol=1e-12), place
    options = ["--engine", "spark", "--scale", "1-5"]
    done = CliRunner().invoke(command, ["check", str(tmp_path / "ratings"), *options])
    assert done.stdout.startswith("ratings: 124 ratings of 40 items by 4 judges"), done.output
    folder = read(tmp_path / "ratings", scale="1-5")  # DuckDB reads what Spark wrote
    assert covary.krippendorff_alpha(folder, interval=None).value == exact
