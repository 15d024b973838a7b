"""What the columns of a table hold, and one way to read them.

`TableColumns` has the roles that names say and what the other columns hold; a `Layout` is a
reading: its name, and the keywords of `read` that say it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from covary.formats.answers import read_answers
from covary.formats.cells import (
    MOST_SIDE_BY_SIDE,
    NONE,
    REASONED,
    Relation,
    by_column,
    identifier,
    literal,
    missing_words,
)
from covary.formats.column_roles import NAMES, about_person, known_role, plain
from covary.formats.grid import is_summary
from covary.formats.ratings_file import RatingsFile
from covary.formats.small_table import SmallTable, count_filled, count_rows
from covary.records import dataclass

MOST_KINDS = 101
"""A column with more different numbers holds no ratings, unless they lie between 0 and 100."""

MOST_WORDS = 12
LONGEST_ANSWER = 60

NO_RATINGS = """
    age year born length tokens words characters count counts n freq frequency items nitems duration
    durationinseconds time seconds minutes timestamp starttime completiontime date startdate enddate
    recordeddate submitdate datestamp progress finished
    status lastpage seed token interviewtime grouptime
    locationlatitude locationlongitude latitude longitude ipaddress ipaddr collectorid reward
    responsetype externaldatareference externalreference distributionchannel userlanguage
    startlanguage gender sex education zip zipcode phone index
    order trial trialindex row rownumber line number no nr score total annotationid createdat
    updatedat leadtime turn version batch page fold ntokens nwords nchars numtokens numwords
    wordcount tokencount charcount textlength len confidence certainty
    bleu sacrebleu rouge rouge1 rouge2 rougel meteor chrf ter comet bleurt bertscore moverscore
    perplexity ppl cider spice wer
    gold goldlabel goldstandard goldscore truth groundtruth expected predicted prediction pred
    consensus adjudicated adjudication final finalscore finallabel majorityvote aggregated
"""
"""Names of columns of numbers that are no judge's ratings."""


OF_TIME = re.compile(
    r"(?:\w+[\s_.-]+){0,2}(?:time|duration|elapsed|latency|seconds|secs|dauer|zeit)"
    r"(?:[\s_.-]+\w+){0,2}(?:[\s_.-]*\(.*\))?",
    re.IGNORECASE,
)
"""A name of few words that says how long something took: time_spent, 'Response time (ms)'."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One way to read a table: its name, and the keywords of `read` that say it."""

    name: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What a column holds: how many cells, numbers and kinds of them, their ends, the words."""

    cells: int
    numbers: int
    kinds: int
    low: float | None
    high: float | None
    longest: int
    words: tuple[str, ...]

    @property
    def rating_like(self) -> bool:
        """Whether the cells can be ratings: few numbers, or a few short words."""
        if not self.cells:
            return False
        if self.numbers == self.cells:
            low, high = self.low or 0.0, self.high or 0.0
            year = low >= 1900 and high <= 2100
            few = self.kinds <= MOST_KINDS or (low >= 0 and high <= 100)
            return few and low >= -100 and high <= 1000 and not year
        if self.kinds > MOST_WORDS or self.longest > LONGEST_ANSWER:
            return False
        return read_answers(self.words) is not None

    @property
    def short_words(self) -> bool:
        """Whether the cells are a few short words."""
        return 0 < self.kinds <= MOST_WORDS and self.longest <= LONGEST_ANSWER

    @property
    def word_like(self) -> bool:
        """Whether the cells are a few words that come again, such as the names of classes."""
        few = 1 < self.kinds <= MOST_WORDS and self.longest <= LONGEST_ANSWER
        return few and self.numbers < self.cells and self.cells >= 2 * self.kinds


FEWEST_COUNTED = 4
"""So many rows must be counted by a column without a name, for it to be their number."""


class TableColumns:
    """A table with what is known of its columns: their roles by name, and what they hold."""

    def __init__(self, file: RatingsFile, roles: Mapping[str, str]) -> None:
        self.file, self.roles = file, roles
        taken = set(roles.values())
        yes = any(plain(column) == "yes" for column in file.columns)
        free = [
            column
            for column in file.columns
            if column not in taken and (not is_no_rating(column) or (yes and plain(column) == "no"))
        ]
        self.n_rows = count_rows(file.table)
        self.index = self._index(free)
        free = [column for column in free if column != self.index]
        self.free = free
        self.profiles = profile_columns(file.table, free)
        telling = [column for column in free if not is_summary(column)]
        clear = [column for column in telling if self.profiles[column].rating_like]
        beside = Beside.of([self.profiles[column] for column in clear])
        known = set(clear)
        self.ratings = [
            column
            for column in telling
            if column in known or beside.has_like(self.profiles[column])
        ]

    def _index(self, free: Sequence[str]) -> str | None:
        """Return the first column where it has no name of its own and counts the rows."""
        first = self.file.columns[0]
        nameless = re.fullmatch(r"column 1|unnamed: 0|x|index|v1", first.casefold())
        if not nameless or first not in free or len(free) < 2 or self.n_rows < FEWEST_COUNTED:
            return None
        number = f"try_cast({identifier(first)} as bigint)"
        kinds, low, high = self.file.table.aggregate(
            f"count(distinct {number}), min({number}), max({number})"
        ).fetchone()
        return first if kinds == self.n_rows == (high or 0) - (low or 0) + 1 else None

    def distinct(self, columns: Sequence[str]) -> int:
        """Return how many different things some columns name together."""
        table = self.file.table
        if isinstance(table, SmallTable):
            return table.distinct_rows(columns)
        return int(table.project(", ".join(map(identifier, columns))).distinct().shape[0])

    def one_row_each(self, role: str) -> bool:
        """Whether every value of a column stands in one row."""
        rows, kinds = count_filled(self.file.table, self.roles[role])
        return bool(rows) and rows == kinds

    def left_out(self, used: Sequence[str]) -> tuple[str, ...]:
        """The columns that are neither ratings nor anything else that is known."""
        known = {*used, *self.roles.values()}
        return tuple(c for c in self.file.columns if c not in known)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The words and the ends of the numbers in the columns that surely hold ratings."""

    words: tuple[str, ...]
    ends: tuple[float, float] | None

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> Beside:
        """Put together what these columns hold."""
        words = {word for own in profiles if own.numbers < own.cells for word in own.words}
        lows = [own.low for own in profiles if own.low is not None]
        highs = [own.high for own in profiles if own.high is not None]
        ends = (min(lows), max(highs)) if lows and highs else None
        return cls(words=tuple(sorted(words)), ends=ends)

    def has_like(self, profile: Profile) -> bool:
        """Whether a column holds ratings by what stands beside it.

        One answer for all items is a rating where the other columns have it too; and numbers with
        a few words are ratings, whose words a person is then asked about, where other columns have
        such numbers alone.
        """
        if not profile.cells or not profile.short_words:
            return False
        if self.words and not profile.numbers:
            return read_answers([*self.words, *profile.words]) is not None
        if self.ends is None or not 0 < profile.numbers < profile.cells <= 2 * profile.numbers:
            return False
        least, most = self.ends
        low, high, reach = profile.low or 0.0, profile.high or 0.0, most - least
        return least - reach <= low and high <= most + reach


def _counts(cell: str, value: str) -> list[str]:
    """What is counted of a column for its profile, from its cell and its number."""
    return [
        f"count({cell})",
        f"count_if(isfinite({value}))",
        f"count(distinct {cell})",
        f"min({value})",
        f"max({value})",
        f"max(length({cell}))",
        f"list_slice(list_sort(list(distinct {cell})), 1, {MOST_WORDS + 1})",
        f"count_if(lower({cell}) = {literal(NONE)})",
    ]


def _profile_questions(cell: str) -> list[str]:
    missing = ", ".join(literal(word) for word in ("", *missing_words()))
    text = f"trim({cell})"
    reasoned = f"regexp_full_match(lower({text}), {literal(REASONED)})"
    given = f"(case when lower({text}) not in ({missing}) and not {reasoned} then {text} end)"
    return _counts(given, f"try_cast(replace({given}, ',', '.') as double)")


def _profile_answers(table: Relation, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    if not columns or len(columns) > MOST_SIDE_BY_SIDE:
        return by_column(table, columns, _profile_questions)
    parts = [_counts(f"cell_{place}", f"value_{place}") for place in range(len(columns))]
    asked = ", ".join(question for part in parts for question in part)
    totals = _cells_and_values(table, columns).aggregate(asked).fetchone()
    width = len(parts[0])
    return [totals[width * place : width * (place + 1)] for place in range(len(columns))]


def profile_columns(table: Relation, columns: Sequence[str]) -> dict[str, Profile]:
    """Count in one pass what columns hold."""
    answers = None
    if isinstance(table, SmallTable):
        missing = {"", *missing_words()}
        reasoned = re.compile(REASONED)
        answers = table.profiles(
            columns,
            lambda text: text in missing or bool(reasoned.fullmatch(text)),
            NONE,
            MOST_WORDS + 1,
        )
    if answers is None:
        answers = _profile_answers(table, columns)
    profiles = {}
    for column, counted in zip(columns, answers, strict=True):
        cells, numbers, kinds, low, high, longest, words, nones = counted
        if nones and numbers and numbers + nones == cells:  # Python's None among numbers
            cells, kinds = numbers, kinds - 1
            words = [word for word in words if word is not None and word.lower() != NONE]
        profiles[column] = Profile(
            cells=cells or 0,
            numbers=numbers or 0,
            kinds=kinds or 0,
            low=low,
            high=high,
            longest=longest or 0,
            words=tuple(word for word in words or () if word is not None),
        )
    return profiles


def _cells_and_values(table: Relation, columns: Sequence[str]) -> Relation:
    """Return each column's text where it is not missing, and its number, each worked out once."""
    missing = ", ".join(literal(word) for word in ("", *missing_words()))
    steps: list[list[str]] = [[], [], []]
    for place, column in enumerate(columns):
        text, cell = f"text_{place}", f"cell_{place}"
        reasoned = f"regexp_full_match(lower({text}), {literal(REASONED)})"
        given = f"lower({text}) not in ({missing}) and not {reasoned}"
        steps[0].append(f"trim(cast({identifier(column)} as varchar)) as {text}")
        steps[1].append(f"case when {given} then {text} end as {cell}")
        steps[2].append(f"{cell}, try_cast(replace({cell}, ',', '.') as double) as value_{place}")
    for step in steps:
        table = table.project(", ".join(step))
    return table


def known_roles(file: RatingsFile) -> dict[str, str]:
    """Return the column for each role: as was said, or the first whose name says it."""
    columns = file.columns
    roles = {role: column for role, column in file.said.items() if isinstance(column, str)}
    if file.parts is not None:
        roles.setdefault(file.parts, str(file.part_column))
    for role in NAMES:
        for column in columns:
            if known_role(column) == role and column not in roles.values():
                roles.setdefault(role, column)
    return roles


def is_no_rating(column: str) -> bool:
    """Whether a name says that a column holds something else than a judge's ratings."""
    if about_person(column) or not plain(column):
        return True  # '#' counts the rows
    if column.startswith(("Points - ", "Feedback - ", "_")):
        return True  # what Microsoft Forms adds to a question, and what a tool notes for itself
    if re.search(r"(?:[\s_.-]|(?<=[a-z]))(?:id|ID|Id)$", column):
        return True  # it names something
    if OF_TIME.fullmatch(column.strip()):
        return True
    spellings = {
        plain(re.sub(r"\(.*?\)|\[.*?\]", "", column)),
        plain(column),
        *map(plain, _code_and_question(column)),
    }
    return bool(spellings & set(NO_RATINGS.split()))


def said_roles(table: TableColumns, *roles: str) -> dict[str, Any]:
    """Say the columns of roles, with the source for the item where no other names it."""
    made = table.file.part_column
    said = {r: table.roles[r] for r in roles if r in table.roles and table.roles[r] != made}
    if "item" in roles and "item" not in said and "source" in table.roles:
        said["item"] = table.roles["source"]
    return said


def without_code(column: str) -> str:
    """Take off the code that LimeSurvey writes before a name: 'id. Response ID'."""
    return _code_and_question(column)[-1]


def _code_and_question(column: str) -> list[str]:
    """Part the code from the question: 'submitdate. Date submitted'."""
    code, mark, question = column.partition(". ")
    return [code, question] if mark and question else [column]


def key_column(table: TableColumns, ratings: Sequence[str]) -> str | None:
    """Return the column that names the rows: the first whose cells are all there and different."""
    part = table.file.part_column
    within = [] if part is None else [part]
    known = {*ratings, part}
    for column in table.file.columns:
        if column in known or is_summary(column):
            continue
        cells, _ = count_filled(table.file.table, column)
        if cells == table.n_rows == table.distinct([*within, column]):
            return column
    return None
