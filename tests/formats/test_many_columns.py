"""A table of very many columns is asked about each of them without asking a row for all at once."""

import re

import duckdb
import pytest

from covary.errors import CovaryError
from covary.formats import read, tables
from covary.formats.cells import MOST_SIDE_BY_SIDE, by_column, literal
from covary.formats.layouts import _count_marks, _count_totals
from covary.formats.long import numeric_columns
from covary.formats.small_table import MANY_COLUMNS
from covary.formats.table_columns import profile_columns


class Asked:
    """A relation that remembers what it and those made of it were asked."""

    def __init__(self, relation, questions):
        self.relation, self.questions = relation, questions

    def __getattr__(self, verb):
        found = getattr(self.relation, verb)
        if not callable(found):
            return found

        def ask(*arguments):
            if verb == "aggregate":
                self.questions.append(arguments[0])
            answer = found(*arguments)
            made = isinstance(answer, duckdb.DuckDBPyRelation)
            return Asked(answer, self.questions) if made else answer

        return ask


def table(n_columns, n_rows=3):
    cells = ", ".join(f"'{(7 * n) % 5 + 1}' as c{n}" for n in range(n_columns))
    return duckdb.connect().sql(f"select {cells} from range({n_rows})")


def number_of_questions(ask, n_columns):
    """How many aggregates DuckDB is asked for."""
    asked = []
    columns = [f"c{n}" for n in range(n_columns)]
    ask(Asked(table(n_columns), asked), columns)
    return sum(len(re.findall(r"\b(?:count|count_if|min|max|list)\(", text)) for text in asked)


@pytest.mark.parametrize("ask", [profile_columns, numeric_columns])
def test_ten_times_the_columns_are_no_more_questions(ask):
    few, many = (number_of_questions(ask, n) for n in (100, 1000))
    assert few == many < 30
    assert number_of_questions(ask, 20) == 2 * number_of_questions(ask, 10)


def test_columns_side_by_side_and_below_each_other_have_the_same_answers():
    words = duckdb.connect().sql(
        "select "
        + ", ".join(
            f"case when i % {n % 3 + 2} = 0 then cast(i * {n} as varchar) "
            f"when i % 5 = 1 then 'w{n}' end as c{n}"
            for n in range(2 * MOST_SIDE_BY_SIDE)
        )
        + " from range(12) t(i)"
    )
    columns = words.columns

    def questions(cell):
        return [f"count({cell})", f"max(try_cast({cell} as double))", f"min({cell})"]

    below = by_column(words, columns, questions)
    halves = (columns[:MOST_SIDE_BY_SIDE], columns[MOST_SIDE_BY_SIDE:])
    assert below == [answer for half in halves for answer in by_column(words, half, questions)]
    # by hand: of 0 to 11 the even ones three times, 'w3' for 1 and 11, nothing for 3, 5, 7 and 9
    assert below[3] == (8, 30.0, "0")


def test_of_no_rows_the_answers_are_those_of_nothing():
    columns = [f"c{n}" for n in range(MOST_SIDE_BY_SIDE + 1)]
    empty = table(len(columns)).limit(0)
    assert by_column(empty, columns, lambda cell: [f"count({cell})", f"max({cell})"]) == [
        (0, None)
    ] * len(columns)


def test_what_many_columns_may_be_is_said_in_a_short_sentence(tmp_path):
    file = tmp_path / "ratings.csv"
    names = [f"col{n}" for n in range(400)]
    rows = [",".join(str((n * k) % 5 + 1) for n in range(400)) for k in (1, 2, 3)]
    file.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    with pytest.raises(CovaryError) as refused:
        read(file)
    assert "col*" in str(refused.value)
    assert len(str(refused.value)) < 1000


def numbered(tmp_path, first, names, n_rows):
    """A file with a first column that names its rows, and columns of ratings."""
    file = tmp_path / "ratings.csv"
    rows = [
        [f"{first}{row}", *(str((row * place) % 5 + 1) for place in range(len(names)))]
        for row in range(1, n_rows + 1)
    ]
    lines = [[first, *names], *rows]
    file.write_text("\n".join(map(",".join, lines)) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("stem", ["judge", "rater_", "Annotator "])
def test_judges_are_counted_beyond_999(tmp_path, stem):
    names = [f"{stem}{n}" for n in range(1, 1203)]
    ratings = read(numbered(tmp_path, "item", names, 3))
    assert (ratings.n_judges, ratings.n_items) == (1202, 3)
    assert ratings.account.left_out == ()


def test_a_table_of_many_columns_needs_no_engine(tmp_path, monkeypatch):
    names = [f"text {n}" for n in range(1, MANY_COLUMNS + 2)]
    file = numbered(tmp_path, "judge", names, 4)
    monkeypatch.setattr(tables, "new_engine", lambda memory: pytest.fail("an engine was opened"))
    ratings = read(file, judge="judge", wide="text *", names="{item}")
    assert (ratings.n_judges, ratings.n_items) == (4, len(names))


def test_sums_over_many_columns_are_not_too_deep_for_an_engine():
    # an engine refuses a + b + c + … of a thousand columns; by hand: 0 + 1 + … + 1099
    cells = ", ".join(f"'{n}' as c{n}" for n in range(1100))
    numbers = duckdb.connect().sql(f"select {cells}")
    total = 1099 * 1100 / 2
    assert _count_totals(numbers, numbers.columns) == (1, total, total, 0.0)
    cells = ", ".join(f"{literal('x' if n == 3 else '')} as c{n}" for n in range(1100))
    marks = duckdb.connect().sql(f"select {cells} union all select {cells}")
    assert _count_marks(marks, marks.columns) == (["c3"], 0, 0)
