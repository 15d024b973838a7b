"""Ratings in several files, in a database, and within so much memory."""

import re

import duckdb
import narwhals
import psycopg
import pytest
from click.testing import CliRunner

import covary
from covary import InvalidArgument, Ratings, RatingsError, read
from covary.cli.entry import covary as command
from covary.cli.reading import report_stem
from covary.cli.screen import Run
from covary.ratings.engine_tables import kept
from tests.engines.studies import larger
from tests.store.databases import postgres  # noqa: F401 (a fixture)

COLUMNS = larger(40).columns()
EXACT = covary.krippendorff_alpha(Ratings(COLUMNS, scale="1-5"), interval=None).value


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same ratings in two files of each kind, and by criterion in folders of their own."""
    place = tmp_path_factory.mktemp("ratings")
    engine = duckdb.connect()
    engine.register("rows", Ratings(COLUMNS, scale="1-5").frame.to_native().to_arrow_table())
    engine.execute("create table ratings as select * from rows")
    for kind, options in (
        ("parquet", "format parquet"),
        ("csv", "header"),
        ("jsonl", "format json"),
    ):
        (place / kind).mkdir()
        for half, sign in enumerate(("<", ">=")):
            file = place / kind / f"part-{half}.{kind}"
            engine.execute(f"copy (from ratings where item {sign} 'i020') to '{file}' ({options})")
    (place / "parquet" / "_SUCCESS").touch()
    engine.execute(
        "copy (select *, case when item < 'i020' then 'fluency' else 'sense' end as criterion "
        f"from ratings) to '{place / 'by'}' (format parquet, partition_by criterion)"
    )
    return place


def alpha(place, **keywords):
    return covary.krippendorff_alpha(read(place, scale="1-5", **keywords), interval=None).value


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_a_folder_and_a_pattern_are_one_table(folder, kind):
    assert alpha(folder / kind) == pytest.approx(EXACT, abs=1e-12)
    assert alpha(folder / kind / "*") == pytest.approx(EXACT, abs=1e-12)
    assert alpha(str(folder / kind / f"part-*.{kind}")) == pytest.approx(EXACT, abs=1e-12)


def test_the_names_of_folders_say_the_criterion_where_a_program_put_it_there(folder):
    assert read(folder / "by", scale="1-5").criteria == ("fluency", "sense")


def test_files_of_several_kinds_are_no_table(folder):
    with pytest.raises(InvalidArgument, match=r"several kinds.*name one kind"):
        read(folder, scale="1-5")


def test_a_pattern_without_files_is_refused(folder):
    with pytest.raises(InvalidArgument, match="matches no file"):
        read(folder / "parquet" / "*.csv", scale="1-5")


def test_a_folder_without_tables_is_refused(tmp_path):
    (tmp_path / "note.md").write_text("nothing")
    with pytest.raises(InvalidArgument, match="folder without tables"):
        read(tmp_path)


def test_text_files_of_one_table_have_the_same_first_row(tmp_path):
    (tmp_path / "a.csv").write_text("item,judge,rating\n1,Ann,3\n1,Bo,4\n")
    (tmp_path / "b.csv").write_text("item,rating,judge\n2,3,Ann\n2,4,Bo\n")
    with pytest.raises(RatingsError, match=r"b\.csv has the columns 'item', 'rating', 'judge'"):
        read(tmp_path)
    (tmp_path / "b.csv").write_bytes("item,judge,rating\n2,Zoë,3\n".encode("windows-1252"))
    with pytest.raises(RatingsError, match="WINDOWS-1252"):
        read(tmp_path)
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(RatingsError, match="is empty"):
        read(tmp_path)


def test_memory_bounds_the_engine_and_what_is_brought(folder):
    ratings = read(folder / "parquet", scale="1-5", memory="1GB")
    assert ratings.room == 2_500_000
    (limit,) = (
        ratings.frame.to_native().query("t", "select current_setting('memory_limit')").fetchone()
    )
    assert re.match(r"6\d\d\.\d MiB", limit)  # 65% of 1 GB


def test_an_engine_that_is_unknown_is_refused(folder):
    with pytest.raises(InvalidArgument, match="choose 'duckdb' or 'spark'"):
        read(folder / "parquet", engine="dask")
    with pytest.raises(InvalidArgument, match="Spark reads long tables only"):
        read(folder / "parquet", engine="spark", wide="J*")


@pytest.fixture(scope="module")
def address(postgres):  # noqa: F811
    place = postgres.new_place()
    with psycopg.connect(place) as database:
        database.execute('create table fluency ("item" text, "judge" text, "rating" float)')
        with database.cursor().copy("copy fluency from stdin") as rows:
            for row in zip(*COLUMNS.values(), strict=True):
                rows.write_row(row)
    return place


@pytest.mark.parametrize("query", ["fluency", "select * from fluency where rating > 0;"])
def test_a_table_or_a_query_of_postgresql_is_read(address, query):
    assert alpha(address, query=query) == pytest.approx(EXACT, abs=1e-12)


def test_a_database_is_only_read(address):
    with pytest.raises(RatingsError, match=r"read-only|syntax"):
        read(address, query="delete from fluency returning *")
    with pytest.raises(RatingsError, match='relation "sense" does not exist'):
        read(address, query="sense")
    with pytest.raises(InvalidArgument, match="query='ratings'"):
        read(address)
    with pytest.raises(InvalidArgument, match="is for postgresql://…"):
        read("ratings.csv", query="ratings")


def test_an_address_that_nobody_answers_is_said_without_its_password():
    with pytest.raises(RatingsError, match="PostgreSQL refused") as caught:
        read("postgresql://me:secret@127.0.0.1:1/none", query="ratings")
    assert "secret" not in str(caught.value)


def run(*arguments):
    said = tuple(str(argument) for argument in arguments)
    done = CliRunner().invoke(command, said, obj=Run(arguments=said))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_reads_a_pattern_and_names_the_report_after_its_folder(folder, tmp_path):
    options = [
        "--scale",
        "1-5",
        "--no-intervals",
        "--memory",
        "1GB",
        "--engine",
        "duckdb",
        "--format",
        "csv",
        "-o",
    ]
    said = run("report", folder / "parquet" / "*.parquet", *options, tmp_path)
    assert f"{EXACT:.2f}".lstrip("0") in said
    assert (tmp_path / "parquet-report.csv").is_file()


def test_the_command_reads_a_database_and_never_shows_its_address(address, tmp_path):
    said = run("check", address, "--query", "fluency", "--scale", "1-5")
    assert said.startswith("fluency: 124 ratings")
    assert "covary report postgresql://… --query fluency" in said


def test_the_command_says_what_it_looked_at_of_very_many_ratings(folder, monkeypatch):
    monkeypatch.setattr("covary.ratings.memory_limit.BYTES_EACH", 10**7)  # 1 GB is room for 100
    monkeypatch.setattr("covary.ratings.table.LOOKED_AT", 50)
    said = " ".join(run("check", folder / "csv", "--scale", "1-5", "--memory", "1GB").split())
    assert "those of the first 16 items" in said  # 50 * 40 / 124


def test_the_command_puts_a_line_into_steps_only_when_asked(tmp_path):
    (tmp_path / "line.csv").write_text("item,judge,rating\na,x,0\na,y,10\nb,x,90\nb,y,100\n")
    plain = run("check", tmp_path / "line.csv", "--scale", "0-100")
    assert "steps" not in plain
    assert "20 steps" in run("check", tmp_path / "line.csv", "--scale", "0-100", "--steps", "20")


def test_what_a_report_is_named_after(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert report_stem(tmp_path / "a" / "*.csv") == tmp_path / "a"
    assert report_stem("hdfs://host/data/ratings").name == "ratings"
    assert report_stem("postgresql://host/study", "select 1").name == "study"


def test_an_engine_without_memory_says_what_to_do():
    engine = duckdb.connect(config={"memory_limit": "20MB", "max_temp_directory_size": "0MB"})
    names = "select md5(cast(range as varchar)) as item from range(2_000_000)"
    rows = engine.sql(f"select item, count(*) as n from ({names}) group by item")
    with (
        pytest.raises(InvalidArgument, match="too little memory") as refusal,
        kept(narwhals.from_native(rows)),
    ):
        pass
    assert refusal.value.code == "ratings.engine-memory"
