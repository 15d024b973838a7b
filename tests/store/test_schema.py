"""The tables as the queries see them, and as the migrations make them."""

import sqlite3

import pytest
from sqlalchemy import BigInteger, Boolean, Float, Integer, Text, create_engine, inspect

from covary.store import StoreError
from covary.store.schema import MIGRATIONS, _columns, metadata, migrate, migrations, version_of


@pytest.fixture
def engine():
    made = create_engine("sqlite://")
    yield made
    made.dispose()


def test_columns_are_read_from_a_line():
    number, name, at, seconds, late = _columns(
        "number int key, name text optional, at big, seconds float, late bool"
    )
    assert [each.name for each in (number, name, at, seconds, late)] == [
        "number", "name", "at", "seconds", "late",
    ]  # fmt: skip
    kinds = [type(each.type) for each in (number, name, at, seconds, late)]
    assert kinds == [Integer, Text, BigInteger, Float, Boolean]
    assert seconds.type.precision == 53
    assert [each.primary_key for each in (number, name, at)] == [True, False, False]
    assert [each.nullable for each in (number, name, at)] == [False, True, False]


def test_the_migrations_make_the_tables_that_the_queries_expect(engine):
    migrate(engine)
    made = inspect(engine)
    assert set(made.get_table_names()) - {"sqlite_sequence"} == set(metadata.tables)
    for name, table in metadata.tables.items():
        columns = {each["name"]: each["nullable"] for each in made.get_columns(name)}
        assert set(columns) == set(table.columns.keys())
        keys = {each.name for each in table.primary_key.columns}
        assert set(made.get_pk_constraint(name)["constrained_columns"]) == keys
        for column in table.columns:
            assert column.primary_key or columns[column.name] == column.nullable


def test_a_schema_is_brought_up_to_date_once(engine):
    with engine.begin() as connection:
        assert version_of(connection) == 0
    migrate(engine, MIGRATIONS[:1])
    with engine.begin() as connection:
        assert version_of(connection) == 1
        assert "cycle_events" not in inspect(connection).get_table_names()
    migrate(engine)
    migrate(engine)
    with engine.begin() as connection:
        assert version_of(connection) == MIGRATIONS[-1].number == len(MIGRATIONS)
        rows = connection.exec_driver_sql("SELECT number, name FROM migrations").all()
    assert [tuple(row) for row in rows] == [(each.number, each.name) for each in MIGRATIONS]


def test_a_newer_schema_is_refused(engine):
    migrate(engine)
    with pytest.raises(StoreError, match="schema 7 and this covary knows up to 2"):
        migrate(engine, MIGRATIONS[:2])


def test_a_database_of_something_else_is_refused(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match="the tables recipes, but is not a store of covary"):
        migrate(engine)


@pytest.mark.parametrize("table", ["answers", "notes", "cycle_events", "item_versions"])
def test_the_database_refuses_to_forget(engine, table):
    migrate(engine)
    raw = engine.raw_connection()
    names = [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type='trigger'")]
    assert {f"{table}_no_update", f"{table}_no_delete"} <= set(names)
    if table == "cycle_events":
        raw.execute("INSERT INTO cycle_events VALUES (1, '{}', NULL, 0)")
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            raw.execute("DELETE FROM cycle_events")
    raw.close()


def test_answers_of_an_older_schema_stay_and_point_to_no_version(engine):
    migrate(engine, MIGRATIONS[:3])
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO judges (name, attributes, created_at) VALUES ('Ann', '{}', 0)"
        )
        connection.exec_driver_sql(
            "INSERT INTO sheets (number, square_row, tasks, retired) VALUES (1, '', '[]', FALSE)"
        )
        connection.exec_driver_sql(
            "INSERT INTO answers (judge, sheet, position, criterion, item, kind, occasion, "
            "rating, touched, late, changed, manual, page, sequence, answer_key, shown_order, "
            "answered_at) VALUES (1, 1, 1, 'c', 'q1', 'item', 1, '4', TRUE, FALSE, FALSE, 'm', "
            "'p', 1, 'k', '[]', 0)"
        )
    migrate(engine)
    with engine.begin() as connection:
        rows = connection.exec_driver_sql("SELECT item, rating, item_version FROM answers").all()
    assert [tuple(row) for row in rows] == [("q1", "4", "")]


def test_upgrading_says_whether_there_was_anything_to_do(engine):
    """Where there was, what is in the store is sealed: see `covary.store.seals.upgrade`."""
    assert migrate(engine, MIGRATIONS[:5])
    assert migrate(engine)
    assert not migrate(engine)


def test_a_list_of_migrations_with_none_in_it_is_of_no_version(engine):
    """Another program's table of that name, or one that was emptied, is no schema of covary."""
    with engine.begin() as connection:
        migrations.create(connection)
        assert version_of(connection) == 0
