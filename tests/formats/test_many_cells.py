"""Sheets with very many cells that hold nothing."""

from covary.formats.tables import _without_empty_columns


def test_of_very_many_columns_those_that_hold_nothing_are_left_out():
    """A stray cell at the end of a sheet makes 16,384 columns, of which two hold something."""
    names = ["note", *(f"column {place}" for place in range(2, 16_385))]
    rows = [["seen", *[""] * 16_383], ["", *[""] * 16_382, "x"]]
    assert _without_empty_columns(names, rows) == (
        ["note", "column 16384"],
        [["seen", ""], ["", "x"]],
    )
    few = (["a", "b"], [["1", ""]])
    assert _without_empty_columns(*few) == few
