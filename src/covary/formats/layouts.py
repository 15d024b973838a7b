"""How a table is laid out, where nobody says so: what its rows and its columns stand for.

`recognise` looks at the names and the content of all columns and returns the keywords of `read`
that say the same, once for each reading that is possible. One is taken and shown; with two a person
is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from covary.errors import RatingsError
from covary.formats.answers import is_number, read_answers
from covary.formats.cells import Relation, by_column, identifier
from covary.formats.column_roles import (
    ONE_OF_MANY,
    criterion_like,
    known_role,
    numbered_alike,
    plain,
)
from covary.formats.grid import JOINT, is_summary
from covary.formats.name_grids import NameGrid, criterion_share, find_grid, find_numbered
from covary.formats.questionnaires import (
    experiment_layout,
    of_unknown_persons,
    repeated_persons,
    respondent_readings,
    survey_tool,
)
from covary.formats.ratings_file import RatingsFile
from covary.formats.small_table import SmallTable
from covary.formats.table_columns import (
    MOST_WORDS,
    Layout,
    Profile,
    TableColumns,
    key_column,
    known_roles,
    said_roles,
)
from covary.formats.unnamed_columns import readings_by_content
from covary.formats.wide import BLANKS, MARKS, OF_MARKS, OF_VOTES, marked, marked_cell

FEWEST_ITEMS = 50
"""So many rows, and ten times as many as columns, are items and no judges."""

ITEMS = (
    r"(?:item|text|sentence|segment|sample|example|output|story|summary|caption|image|document|doc|"
    r"dialogue|dialog|turn|answer|response|paragraph|article|stimulus|question|translation|s|t|q|i)"
    r"(?:no|nr|number|id)?[0-9]{1,4}"
)
"""A column that is one item among several: Text 1, sentence_2, Q3."""


def recognise(file: RatingsFile) -> list[Layout]:
    """Return the readings that are possible; none where the names of columns say it all."""
    roles = known_roles(file)
    table = TableColumns(file, roles)
    if experiment := experiment_layout(table):
        return [experiment]
    survey = survey_tool(file.columns)
    if (survey or "judge" not in roles) and (rated := _by_persons(table)):
        return rated
    if survey:
        return [*of_unknown_persons(table), *respondent_readings(table, survey)]
    if "judge" in roles and ({"item", "source"} & roles.keys()) and "rating" not in roles:
        return _criteria(table) or readings_by_content(table)
    if "rating" in roles:
        return readings_by_content(table)
    if "judge" in roles and file.parts != "judge" and table.one_row_each("judge"):
        return respondent_readings(table, "")
    if "judge" in roles:
        return readings_by_content(table)
    return _wide(table) or readings_by_content(table)


def _by_persons(table: TableColumns) -> list[Layout]:
    """Persons who stand in several rows rated an item in each."""
    if "rating" in table.roles or not (persons := repeated_persons(table)):
        return []
    return _criteria(TableColumns(table.file, {**table.roles, **persons}))


def _criteria(table: TableColumns) -> list[Layout]:
    """Each row is an item by a judge, and each column of ratings a criterion."""
    marks = _marks(table)
    if marks and _surely_marks(table, marks.keywords["wide"]):
        return [marks]
    ratings = table.ratings or [c for c in table.free if table.profiles[c].word_like]
    numeric = [c for c in ratings if table.profiles[c].numbers == table.profiles[c].cells]
    chosen = numeric or ratings
    if not chosen:
        return []
    if marks:
        by_row = {"rating": chosen} | said_roles(table, "item", "judge")
        left = table.left_out(chosen)
        return [marks, Layout(name="criteria", keywords=by_row, left_out=left)]
    left = table.left_out(chosen)
    said = said_roles(table, "item", "judge")
    keywords: dict[str, Any] = {"rating": chosen if len(chosen) > 1 else chosen[0]}
    facts = {"worded": [column for column in ratings if column not in chosen]}
    by_criterion = Layout(name="criteria", keywords=keywords | said, left_out=left, facts=facts)
    if len(chosen) == 1 or "system" in table.roles or any(map(_asks_quality, chosen)):
        return [by_criterion]
    named = {"wide": chosen, "names": "{system}"}
    by_system = Layout(name="systems", keywords=named | said, left_out=left)
    if all(re.fullmatch(SYSTEM, plain(column)) for column in chosen):
        return [by_system]
    return [by_system, by_criterion]


def _marks(table: TableColumns) -> Layout | None:
    """Columns named after answers, one of which is marked in each row."""
    columns = [c for c in table.file.columns if c not in table.roles.values() and not is_summary(c)]
    if len(columns) < 2:
        return None
    answers, one, more = _count_marks(table.file.table, columns)
    if len(answers) < 2 or more or one < max(3, table.n_rows / 2):
        return None
    keywords = {"wide": answers, "names": OF_MARKS} | said_roles(table, "item", "judge")
    return Layout(name="marks", keywords=keywords, left_out=table.left_out(answers))


def _count_marks(table: Relation, columns: Sequence[str]) -> tuple[list[str], int, int]:
    """Return the columns of marks and blanks, how many rows have one mark, and how many more."""
    if isinstance(table, SmallTable):
        return table.marks(columns, MARKS.split(), BLANKS.split())
    counts = by_column(table, columns, _mark_questions)
    found = [c for c, (odd, times) in zip(columns, counts, strict=True) if times and not odd]
    if len(found) < 2:
        return found, 0, 0
    times = f"list_sum([{', '.join(map(marked_cell, found))}])"
    one, more = table.aggregate(f"count_if({times} = 1), count_if({times} > 1)").fetchone()
    return found, one, more


def _mark_questions(cell: str) -> list[str]:
    return [f"count_if(({marked(cell)}) is null)", f"count_if(({marked(cell)}) = 1)"]


def _surely_marks(table: TableColumns, columns: Sequence[str]) -> bool:
    """Whether marked columns are answers: numbers, words of one family, or ticks for cells."""
    if all(column.strip().isdecimal() for column in columns) or read_answers(columns) is not None:
        return True
    cells = f"list(distinct trim(cast({identifier(columns[0])} as varchar)))"
    (kinds,) = table.file.table.aggregate(cells).fetchone()
    return not {kind for kind in kinds if kind} <= {"0", "1", "0.0", "1.0"}


SYSTEM = r"(?:system|sys|model|method|candidate|output|condition)(?:id)?(?:[0-9]{1,3}|[a-h])"
"""A column with the ratings of one system among several."""


def _asks_quality(column: str) -> bool:
    """Whether a column is a criterion by its name, or a question by its number."""
    return criterion_like(column) or bool(
        re.fullmatch(r"(?:q|question|crit\w*|dim\w*)[0-9]*", plain(column))
    )


def _wide(table: TableColumns) -> list[Layout]:
    """No judge and no rating is named: columns are judges, items, or judges by criteria."""
    if questions := _questions(table):
        return questions
    # A file of judges' columns that the reader of wide tables knows by itself is left to it.
    alike = numbered_alike([c for c in table.file.columns if c not in table.roles.values()])
    grid = find_grid(table.ratings)
    if grid is not None and len(grid.columns) >= max(4, len(alike)):
        return _judge_grid(table, grid)
    ratings = table.ratings or _word_columns(table)
    votes = all(re.fullmatch(OF_VOTES, plain(column)) for column in ratings)
    if alike or votes or len(ratings) < 2 or not _one_kind(table, ratings):
        return []
    if all(map(criterion_like, ratings)):
        return _criteria_alone(table, ratings)
    if counts := _answer_counts(table, ratings):
        return counts
    if {"item", "source"} & table.roles.keys():
        return _with_text_columns(table, _by_item(table, ratings))
    return _with_text_columns(table, _judges_or_items(table, ratings))


FEWEST_COUNTED = 3


def _answer_counts(table: TableColumns, ratings: list[str]) -> list[Layout]:
    """Columns of whole numbers with one sum in all rows may count the judges for each answer.

    Some answer then was given by nobody; columns without names are no answers.
    """
    if all(re.fullmatch("column [0-9]+", column) for column in ratings):
        return []
    rows, low, high, none = _count_totals(table.file.table, ratings)
    if (rows or 0) < max(FEWEST_COUNTED, table.n_rows) or low != high or (low or 0) < 2 or none:
        return []
    stem = _shared_start(ratings)
    asked = {"wide": ratings, "names": f"{stem}{OF_MARKS}", "judges": "slots"}
    key = said_roles(table, "item")
    left = table.left_out(ratings)
    counted = Layout(name="answer-counts", keywords=asked | key, left_out=left)
    judges = Layout(
        name="wide", keywords={"wide": ratings, "names": "{judge}"} | key, left_out=left
    )
    return [counted, judges]


def _count_totals(table: Relation, columns: Sequence[str]) -> tuple[Any, ...]:
    """Count the rows of whole numbers, and return the ends of their sums and the least number."""
    known = table.totals(columns) if isinstance(table, SmallTable) else None
    if known is not None:
        return known
    cells = ", ".join(f"try_cast({identifier(column)} as double)" for column in columns)
    whole = "len(list_filter(numbers, n -> n >= 0 and n = floor(n)))"
    answer: tuple[Any, ...] = (
        table.project(f"[{cells}] as numbers")
        .project(f"{whole} as whole, list_sum(numbers) as total, list_min(numbers) as least")
        .aggregate(f"count_if(whole = {len(columns)}), min(total), max(total), min(least)")
        .fetchone()
    )
    return answer


def _shared_start(names: Sequence[str]) -> str:
    """Return what all names begin with, up to a mark: 'n_' of 'n_1' and 'n_2'."""
    match = re.match(r"[^\W\d_]+[\s_.:-]+", names[0])
    return (
        match[0] if match and all(n.startswith(match[0]) and n != match[0] for n in names) else ""
    )


def _word_columns(table: TableColumns) -> list[str]:
    """Return the columns of a few words that come again, and those that hold no other words."""
    clear = [column for column in table.free if table.profiles[column].word_like]
    words = {word.casefold() for column in clear for word in table.profiles[column].words}
    return [
        column
        for column in table.free
        if column in clear
        or (
            words
            and table.profiles[column].cells > 0
            and {word.casefold() for word in table.profiles[column].words} <= words
        )
    ]


def _criteria_alone(table: TableColumns, ratings: list[str]) -> list[Layout]:
    """Columns of criteria and none of judges: rows are judges of one item, or items."""
    left = table.left_out(ratings)
    asked: dict[str, Any] = {"wide": ratings, "names": "{criterion}"} | said_roles(table, "item")
    unknown = Layout(
        name="criteria-unknown-judge", keywords=asked | {"judges": "slots"}, left_out=left
    )
    if {"item", "source"} & table.roles.keys():
        return [unknown]
    return [Layout(name="one-item", keywords=asked, left_out=left), unknown]


FEWEST_NUMBERS = 0.1
"""The share of numbers from which on a column of text may be a judge's."""


def _with_text_columns(table: TableColumns, layouts: list[Layout]) -> list[Layout]:
    """Ask about columns that hold some ratings among more text: a judge's, or remarks.

    As a judge's, what is no number is no rating.
    """
    if len(layouts) != 1:
        return layouts
    (layout,) = layouts
    likely = _mostly_text(table, layout)
    if not likely:
        return layouts
    words = [w for c in likely for w in table.profiles[c].words if not is_number(w)]
    every = {**layout.keywords, "wide": [*layout.keywords["wide"], *likely]}
    with_text = Layout(
        name="with-text",
        keywords=every | {"answers": dict.fromkeys(words, "")},
        left_out=tuple(column for column in layout.left_out if column not in likely),
        facts={"columns": likely},
    )
    return [layout, with_text]


def _mostly_text(table: TableColumns, layout: Layout) -> list[str]:
    """Return the columns beside columns of numbers that hold some such numbers and a few words."""
    wide = [table.profiles[column] for column in layout.keywords["wide"]]
    if any(profile.numbers < profile.cells for profile in wide):
        return []
    low = min(profile.low or 0.0 for profile in wide)
    high = max(profile.high or 0.0 for profile in wide)

    def likely(own: Profile) -> bool:
        mixed = 0 < own.numbers < own.cells and own.kinds <= MOST_WORDS
        within = low <= (own.low or 0.0) and (own.high or 0.0) <= high
        return mixed and within and own.numbers >= FEWEST_NUMBERS * own.cells

    return [c for c in table.free if c in layout.left_out and likely(table.profiles[c])]


def _questions(table: TableColumns) -> list[Layout]:
    """Read columns that ask about numbered things: each row is then a respondent."""
    names = find_numbered(table.ratings)
    if names is None or {"item", "source"} & table.roles.keys():
        return []
    asks = all(map(criterion_like, table.ratings))
    if names.worded and asks:
        return respondent_readings(table, "", key_column(table, table.ratings))
    return _judges_or_items(table, table.ratings) if asks and len(names.questions) == 1 else []


def _by_item(table: TableColumns, ratings: list[str]) -> list[Layout]:
    """A column names the item: the others are judges, or some of them criteria."""
    said = said_roles(table, "item")
    judges = {"wide": ratings, "names": "{judge}"} | said
    wide = Layout(name="wide", keywords=judges, left_out=table.left_out(ratings))
    columns = [column for column in ratings if criterion_like(column)]
    if not columns:
        return [wide]
    one = {"rating": columns, "judges": "slots"} | said
    return [wide, Layout(name="criteria", keywords=one, left_out=table.left_out(columns))]


def _judges_or_items(table: TableColumns, ratings: list[str]) -> list[Layout]:
    """No column names the item by its name: rows are items or judges."""
    key = key_column(table, ratings)
    left = table.left_out([*ratings, key or ""])

    def layout(name: str, column: str, row: str) -> Layout:
        keywords = {"wide": ratings, "names": column} | ({row: key} if key else {})
        return Layout(name=name, keywords=keywords, left_out=left)

    as_judges, as_items = (
        layout("wide", "{judge}", "item"),
        layout("respondents", "{item}", "judge"),
    )
    if all(re.fullmatch(ITEMS, plain(column)) for column in ratings):
        return [as_items]
    if key is None and table.n_rows >= max(FEWEST_ITEMS, 10 * len(ratings)):
        return [as_judges]
    return [as_judges, as_items]


def _one_kind(table: TableColumns, columns: Sequence[str]) -> bool:
    """Whether columns of numbers can all be ratings on one scale."""
    highs = [table.profiles[column].high or 0.0 for column in columns]
    words = [2 * table.profiles[c].numbers < table.profiles[c].cells for c in columns]
    if all(words):
        kinds = [{w.casefold() for w in table.profiles[c].words} for c in columns]
        return all(any(own & o for o in kinds if o is not own) for own in kinds)
    return not any(words) and 0 < max(highs) <= 3 * max(1.0, min(highs))


def _judge_grid(table: TableColumns, grid: NameGrid) -> list[Layout]:
    said = said_roles(table, "item") or _item_of_blocks(table, grid)
    left = table.left_out([*grid.columns, *said.values()])

    def layout(first: str, second: str) -> Layout:
        keywords = {"wide": list(grid.columns), "names": grid.pattern(first, second)} | said
        return Layout(name="judge-criteria", keywords=keywords, left_out=left)

    if (three := _in_three(grid.columns)) and grid.mark == JOINT:
        keywords = {"wide": list(grid.columns)} | said
        return [
            Layout(name="judge-criteria", keywords=keywords | {"names": names}, left_out=left)
            for names in three
        ]
    first_like, second_like = criterion_share(grid.firsts), criterion_share(grid.seconds)
    if first_like == second_like:
        first_like, second_like = _judge_share(grid.seconds), _judge_share(grid.firsts)
    if second_like > first_like:
        return [layout("judge", "criterion")]
    if first_like > second_like:
        return [layout("criterion", "judge")]
    return [layout("judge", "criterion"), layout("criterion", "judge")]


def _in_three(columns: Sequence[str]) -> list[str]:
    """Return the patterns of names in three rows: a criterion, and judges and systems around it.

    None where names have other parts, or not every one of a part with every one of the others.
    """
    names = [tuple(column.split(JOINT)) for column in columns]
    if {len(parts) for parts in names} != {3}:
        return []
    kinds = [list(dict.fromkeys(column)) for column in zip(*names, strict=True)]
    qualities = [place for place in range(3) if criterion_share(kinds[place]) == 1]
    if len(qualities) != 1 or set(names) != set(product(*kinds)):
        return []
    first, second = (place for place in range(3) if place not in qualities)
    ways = [("{judge}", "{system}"), ("{system}", "{judge}")]
    if (shares := (_judge_share(kinds[first]), _judge_share(kinds[second])))[0] != shares[1]:
        ways = ways[:1] if shares[0] > shares[1] else ways[1:]
    return [
        JOINT.join({qualities[0]: "{criterion}", first: one, second: other}[p] for p in range(3))
        for one, other in ways
    ]


def _item_of_blocks(table: TableColumns, grid: NameGrid) -> dict[str, Any]:
    """Find the item where each of several tables side by side names it; they must agree."""
    if grid.mark != JOINT:
        return {}
    blocks = [c for c in table.file.columns if known_role(c.rpartition(JOINT)[2]) == "item"]
    if not blocks:
        return {}
    first, *others = map(identifier, blocks)
    differ = " or ".join(f"{first} is distinct from {other}" for other in others) or "false"
    rows = table.file.table.project("row_number() over () as place, *").filter(differ)
    if (row := rows.project("place").limit(1).fetchone()) is not None:
        raise RatingsError(
            "formats.blocks-differ", file=table.file.path.name, columns=blocks, row=row[0]
        )
    return {"item": blocks[0]}


def _judge_share(names: Sequence[str]) -> float:
    like = [name for name in names if name.isdecimal() or ONE_OF_MANY.fullmatch(plain(name))]
    return len(like) / len(names)
