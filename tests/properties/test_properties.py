"""Which changes to the ratings each coefficient notices, and which it must not."""

import random
from functools import cache

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import covary
from covary.stats.suitability import FAMILIES
from tests.properties.checks import assert_moved, assert_unmoved, is_suitable
from tests.properties.coefficients import MOVED, REFUSED, TABLE, public_coefficients
from tests.properties.tables import CHANGES, Kind, some_tables, tables

ANY = Kind("interval")


def cell_name(cell):
    row, change = cell
    return f"{row.label} and {change}"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.label)
def test_a_change_that_must_not_be_noticed_is_not_noticed_by(row):
    value = cache(row.value)  # of one table it is asked before every change

    @settings(max_examples=12)
    @given(table=tables(row.kind), seed=st.integers(0, 99))
    def holds(table, seed):
        for name in CHANGES:
            if name in row.unmoved and is_suitable(name, table):
                assert_unmoved(value, CHANGES[name], table, seed, row.tolerance)

    holds()


@pytest.mark.parametrize("cell", MOVED, ids=cell_name)
def test_the_change_is_noticed_by(cell):
    row, name = cell
    assert_moved(row.value, CHANGES[name], some_tables(row.kind))


@pytest.mark.parametrize("cell", REFUSED, ids=cell_name)
def test_the_change_is_refused_by(cell):
    row, name = cell
    changed = CHANGES[name](some_tables(row.kind)[0], random.Random(0))
    with pytest.raises(covary.InvalidArgument, match="two categories"):
        row.value(changed)


@pytest.mark.parametrize("name", sorted(public_coefficients()))
def test_the_table_of_properties_knows_the_coefficient(name):
    assert name in {row.name for row in TABLE}


def test_coefficients_are_found_among_the_public_names():
    known = {"krippendorff_alpha", "fleiss_kappa_by_category", "bias_index", "icc"}
    assert known <= public_coefficients()
    assert not {"suitability", "as_scale", "interpret", "read"} & public_coefficients()


@pytest.mark.parametrize("variant", [name for names in FAMILIES.values() for name in names])
def test_the_table_of_properties_knows_the_variant(variant):
    assert variant in {row.variant for row in TABLE}


def test_the_table_names_only_changes_that_exist():
    assert {name for row in TABLE for name in row.unmoved} <= set(CHANGES)
    assert len({row.label for row in TABLE}) == len(TABLE)


# The checks are checked: for each change a coefficient that is wrong in just that way.

WRONG = {
    "judges_in_another_order": lambda t: sum(row[0] or 0 for row in t.rows),
    "items_in_another_order": lambda t: sum(i * (row[0] or 0) for i, row in enumerate(t.rows)),
    "ratings_exchanged_within_items": lambda t: sum(row[0] or 0 for row in t.rows),
    "categories_exchanged": lambda t: sum(c or 0 for row in t.rows for c in row),
    "categories_renamed_in_order": lambda t: max(t.categories),
    "scale_moved": lambda t: min(t.categories),
    "scale_stretched": lambda t: max(t.categories),
    "scale_reversed": lambda t: sum(c or 0 for row in t.rows for c in row),
    "items_without_ratings_added": lambda t: len(t.rows),
    "items_with_one_rating_added": lambda t: sum(c is not None for row in t.rows for c in row),
    "every_item_twice": lambda t: len(t.rows),
    "unused_category_added": lambda t: t.n_categories,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_coefficient_that_notices_is_found(name):
    @given(table=tables(ANY), seed=st.integers(0, 99))
    @settings(max_examples=200, database=None, phases=[Phase.generate])
    def holds(table, seed):
        assert_unmoved(WRONG[name], CHANGES[name], table, seed, 1e-9)

    with pytest.raises(AssertionError):
        holds()


@pytest.mark.parametrize("name", CHANGES)
def test_a_coefficient_that_does_not_notice_is_found(name):
    with pytest.raises(AssertionError, match="never changes"):
        assert_moved(lambda table: 0.5, CHANGES[name], some_tables(ANY))


@pytest.mark.parametrize("name", CHANGES)
def test_the_change_changes_the_table(name):
    assert any(CHANGES[name](t, random.Random(s)) != t for s, t in enumerate(some_tables(ANY)))
