"""How a table is laid out, where nobody says so: what its rows and its columns stand for.

`recognise` looks at the names and the content of all columns and returns the keywords of `read`
that say the same, once for each reading that is possible. One is taken and shown; with two a person
is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from covary.errors import RatingsError
from covary.formats.answers import read_answers
from covary.formats.cells import NONE, REASONED, Relation, identifier, literal, missing_words
from covary.formats.column_roles import (
    NAMES,
    ONE_OF_MANY,
    about_person,
    criterion_like,
    known_role,
    numbered_alike,
    plain,
)
from covary.formats.grid import JOINT, is_summary
from covary.formats.ratings_file import RatingsFile
from covary.formats.wide import OF_MARKS, OF_VOTES, marked_cell

MOST_KINDS = 101
"""A column with more different numbers holds no ratings, unless they lie between 0 and 100."""

MOST_WORDS = 12
LONGEST_ANSWER = 60

GRID_MARKS = (JOINT, "_", " - ", " – ", ": ", ".", "-", " ")
"""What stands between judge and criterion in the name of a column, the surest first."""

BRACKETS = ("[]", "()")

NO_RATINGS = """
    age year born length tokens words characters count counts n freq frequency items nitems duration
    durationinseconds time seconds minutes timestamp starttime completiontime date startdate enddate
    recordeddate submitdate datestamp progress finished status lastpage seed interviewtime grouptime
    locationlatitude locationlongitude latitude longitude ipaddress ipaddr collectorid reward
    distributionchannel userlanguage startlanguage gender sex education zip zipcode phone index
    order trial trialindex row rownumber line number no nr score total annotationid createdat
    updatedat leadtime turn version batch page fold ntokens nwords nchars numtokens numwords
    wordcount tokencount charcount textlength len confidence certainty
    bleu sacrebleu rouge rouge1 rouge2 rougel meteor chrf ter comet bleurt bertscore moverscore
    perplexity ppl cider spice wer
    gold goldlabel goldstandard goldscore truth groundtruth expected predicted prediction pred
    consensus adjudicated adjudication final finalscore finallabel majorityvote aggregated
"""
"""Names of columns of numbers that are no judge's ratings."""

TIMESTAMPS = (
    *("timestamp", "zeitstempel", "horodateur", "marcatemporal", "carimbodedatahora"),
    *("tijdstempel", "informazionicronologiche", "タイムスタンプ", "时间戳记", "時間戳記"),
)
SURVEYS = {
    "qualtrics": "startdate enddate status ipaddress progress durationinseconds finished "
    "recordeddate responseid distributionchannel userlanguage",
    "surveymonkey": "respondentid collectorid startdate enddate ipaddress emailaddress firstname "
    "lastname customdata1",
    "limesurvey": "responseid datesubmitted submitdate lastpage startlanguage seed datestarted "
    "datelastaction startdate datestamp ipaddr",
    "microsoft-forms": "id starttime completiontime email name",
}
"""The columns that survey tools write for themselves; three of them show the tool."""

RESPONDENTS = (
    "responseid respondentid emailaddress email yourname participantid participant prolificpid "
    "prolificid workerid annotatorid annotator raterid rater name fullname nickname yourid "
    "username initials judge judgeid whoareyou id"
)
FEWEST_ITEMS = 50
"""So many rows, and ten times as many as columns, are items and no judges."""

ITEMS = re.compile(
    r"(?:item|text|sentence|segment|sample|example|output|story|summary|caption|image|document|doc|"
    r"dialogue|dialog|turn|answer|response|paragraph|article|stimulus|question|translation|s|t|q|i)"
    r"(?:no|nr|number|id)?[0-9]{1,4}"
)
"""A column that is one item among several: Text 1, sentence_2, Q3."""


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


def recognise(file: RatingsFile) -> list[Layout]:
    """Return the readings that are possible; none where the names of columns say it all."""
    roles = _roles(file.columns)
    table = _Columns(file, roles)
    if experiment := _experiment(table):
        return [experiment]
    if survey := _survey(file.columns):
        return _respondents(table, survey)
    if "judge" in roles and ({"item", "source"} & roles.keys()) and "rating" not in roles:
        return _criteria(table)
    if "rating" in roles:
        return []
    if "judge" in roles:
        return _respondents(table, "") if table.one_row_each("judge") else []
    return _wide(table)


class _Columns:
    """A table with what is known of its columns: their roles by name, and what they hold."""

    def __init__(self, file: RatingsFile, roles: Mapping[str, str]) -> None:
        self.file, self.roles = file, roles
        taken = set(roles.values())
        free = [c for c in file.columns if c not in taken and not _is_no_rating(c)]
        self.free = free
        self.profiles = profile_columns(file.table, free)
        telling = [column for column in free if not is_summary(column)]
        clear = [column for column in telling if self.profiles[column].rating_like]
        beside = [self.profiles[column] for column in clear]
        self.ratings = [
            column
            for column in telling
            if column in clear or _goes_with(self.profiles[column], beside)
        ]
        self.n_rows = int(file.table.aggregate("count(*)").fetchone()[0])

    def one_row_each(self, role: str) -> bool:
        """Whether every value of a column stands in one row."""
        column = identifier(self.roles[role])
        rows, kinds = self.file.table.aggregate(
            f"count({column}), count(distinct {column})"
        ).fetchone()
        return bool(rows) and rows == kinds

    def left_out(self, used: Sequence[str]) -> tuple[str, ...]:
        """The columns that are neither ratings nor anything else that is known."""
        return tuple(c for c in self.file.columns if c not in {*used, *self.roles.values()})


def _goes_with(profile: Profile, others: Sequence[Profile]) -> bool:
    """Whether a column holds ratings by what stands beside it.

    One answer for all items is a rating where the other columns have it too; and numbers with a
    few words are ratings, whose words a person is then asked about, where other columns have such
    numbers alone.
    """
    if not profile.cells or not profile.short_words:
        return False
    worded = {word for other in others if other.numbers < other.cells for word in other.words}
    if worded and not profile.numbers:
        return read_answers([*sorted(worded), *profile.words]) is not None
    lows = [other.low for other in others if other.low is not None]
    highs = [other.high for other in others if other.high is not None]
    if not lows or not highs or not 0 < profile.numbers < profile.cells <= 2 * profile.numbers:
        return False
    low, high = profile.low or 0.0, profile.high or 0.0
    return min(lows) <= low and high <= max(highs)


def profile_columns(table: Relation, columns: Sequence[str]) -> dict[str, Profile]:
    """Count in one pass what columns hold."""
    if not columns:
        return {}
    missing = ", ".join(literal(word) for word in ("", *missing_words()))
    parts = []
    for column in columns:
        text = f"trim(cast({identifier(column)} as varchar))"
        reasoned = f"regexp_full_match(lower({text}), {literal(REASONED)})"
        cell = f"(case when lower({text}) not in ({missing}) and not {reasoned} then {text} end)"
        value = f"try_cast(replace({cell}, ',', '.') as double)"
        parts += [
            f"count({cell})",
            f"count_if(isfinite({value}))",
            f"count(distinct {cell})",
            f"min({value})",
            f"max({value})",
            f"max(length({cell}))",
            f"list_slice(list_sort(list(distinct {cell})), 1, {MOST_WORDS + 1})",
            f"count_if(lower({cell}) = {literal(NONE)})",
        ]
    totals = table.aggregate(", ".join(parts)).fetchone()
    profiles = {}
    for place, column in enumerate(columns):
        counted = totals[8 * place : 8 * place + 8]
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


@dataclass(frozen=True, kw_only=True)
class NameGrid:
    """Columns whose names have two parts, each of the first with each of the second."""

    mark: str
    columns: tuple[str, ...]
    firsts: tuple[str, ...]
    seconds: tuple[str, ...]

    def pattern(self, first: str, second: str) -> str:
        """Return the pattern that names what the two parts are: '{judge}_{criterion}'."""
        if self.mark in BRACKETS:
            return f"{{{first}}} {self.mark[0]}{{{second}}}{self.mark[1]}"
        if self.mark == "":
            return f"{{{first}}}{{{second}#}}"
        return f"{{{first}}}{self.mark}{{{second}}}"


def find_grid(columns: Sequence[str]) -> NameGrid | None:
    """Find the largest set of columns that are named by two parts, crossed completely.

    Examples
    --------
    >>> find_grid(["id", "A_fluency", "A_style", "B_fluency", "B_style"]).firsts
    ('A', 'B')
    """
    grids = [grid for mark in (*BRACKETS, *GRID_MARKS, "") for grid in _grids(columns, mark)]
    return max(grids, key=lambda grid: len(grid.columns), default=None)


def _grids(columns: Sequence[str], mark: str) -> list[NameGrid]:
    pairs = {column: _parts(column, mark) for column in columns}
    named = {column: pair for column, pair in pairs.items() if pair is not None}
    by_first: dict[str, dict[str, str]] = {}
    for column, (first, second) in named.items():
        by_first.setdefault(first, {})[second] = column
    alike: dict[tuple[str, ...], list[str]] = {}
    for first, seconds in by_first.items():
        alike.setdefault(tuple(sorted(seconds)), []).append(first)
    grids = []
    for seconds_key, firsts in alike.items():
        if len(firsts) > 1 and len(seconds_key) > 1:
            leaves = tuple(by_first[firsts[0]])
            crossed = tuple(by_first[f][s] for f, s in product(firsts, leaves))
            grids.append(NameGrid(mark=mark, columns=crossed, firsts=tuple(firsts), seconds=leaves))
    return grids


def _parts(column: str, mark: str) -> tuple[str, str] | None:
    if mark in BRACKETS:
        opening, closing = map(re.escape, mark)
        match = re.fullmatch(rf"(.+?)\s*{opening}(.+){closing}", column.strip())
    elif mark == "":
        match = re.fullmatch(r"([^\W\d]+)([0-9]{1,3})", column.strip())
    else:
        first, found, second = column.rpartition(mark)
        return (first, second) if found and first.strip() and second.strip() else None
    return (match[1], match[2]) if match else None


def _roles(columns: Sequence[str]) -> dict[str, str]:
    """Return the first column for each role whose name says it."""
    roles: dict[str, str] = {}
    for role in NAMES:
        for column in columns:
            if known_role(column) == role and column not in roles.values():
                roles.setdefault(role, column)
    return roles


def _is_no_rating(column: str) -> bool:
    """Whether a name says that a column holds something else than a judge's ratings."""
    if about_person(column) or not plain(column):
        return True  # '#' counts the rows
    spellings = {plain(re.sub(r"\(.*?\)|\[.*?\]", "", column)), plain(column), plain(_bare(column))}
    return bool(spellings & set(NO_RATINGS.split()))


def _survey(columns: Sequence[str]) -> str:
    """Return the tool that wrote the columns of a survey; nothing where it is none."""
    names = {plain(name) for column in columns for name in (column, _bare(column))}
    if columns and plain(columns[0]) in TIMESTAMPS:
        return "google-forms"
    for survey, own in SURVEYS.items():
        if len(names & set(own.split())) >= 3 + (survey == "microsoft-forms"):
            return survey
    return ""


OF_PSYCHOPY = re.compile(r"(?!key_|mouse|practice).*\.(?:response|rating|keys)")
OTREE_ROUND = re.compile(r"(\w+)\.([0-9]+)\.player\.(\w+)")
OTREE_OWN = ("id_in_group", "payoff", "role", "_")


def _experiment(table: _Columns) -> Layout | None:
    """Recognise what PsychoPy and oTree write: a row for each trial, round or participant."""
    columns = table.file.columns
    if "psychopyVersion" in columns or any(c.endswith(".thisTrialN") for c in columns):
        return _psychopy(table)
    if "participant.code" not in columns:
        return None
    rounds = [c for c in table.ratings if OTREE_ROUND.fullmatch(c) and not _is_otrees(c)]
    apps = {c.partition(".")[0] for c in rounds}
    if len(apps) == 1:
        names = f"{apps.pop()}.{{item}}.player.{{criterion}}"
        keywords = {"wide": rounds, "names": names, "judge": "participant.code"}
        return Layout(name="otree", keywords=keywords, left_out=table.left_out(rounds))
    given = [c for c in table.ratings if c.startswith("player.") and not _is_otrees(c)]
    named = [c for c in columns if c.startswith("player.") and known_role(c[7:]) == "item"]
    item = named[0] if named else "subsession.round_number"
    ratings = [column for column in given if column != item]
    return _trials(table, "otree", ratings, item=item, judge="participant.code")


def _is_otrees(column: str) -> bool:
    return column.rpartition(".")[2].startswith(OTREE_OWN)


def _psychopy(table: _Columns) -> Layout | None:
    ratings = [c for c in table.ratings if OF_PSYCHOPY.fullmatch(c)]
    item = table.roles.get("item") or table.roles.get("source") or ""
    judge = table.roles.get("judge", "participant")
    return _trials(table, "psychopy", ratings, item=item, judge=judge)


def _trials(
    table: _Columns, name: str, ratings: list[str], *, item: str, judge: str
) -> Layout | None:
    if not ratings or {item, judge} - set(table.file.columns):
        return None
    keywords = {"rating": ratings, "item": item, "judge": judge}
    left = table.left_out([*ratings, item, judge])
    return Layout(name=name, keywords=keywords, left_out=left)


def _criteria(table: _Columns) -> list[Layout]:
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
        by_row = {"rating": chosen} | _said(table, "item", "judge")
        left = table.left_out(chosen)
        return [marks, Layout(name="criteria", keywords=by_row, left_out=left)]
    left = table.left_out(chosen)
    said = _said(table, "item", "judge")
    keywords: dict[str, Any] = {"rating": chosen if len(chosen) > 1 else chosen[0]}
    by_criterion = Layout(name="criteria", keywords=keywords | said, left_out=left)
    if len(chosen) == 1 or "system" in table.roles or any(map(_asks_quality, chosen)):
        return [by_criterion]
    named = {"wide": chosen, "names": "{system}"}
    by_system = Layout(name="systems", keywords=named | said, left_out=left)
    if all(SYSTEM.fullmatch(plain(column)) for column in chosen):
        return [by_system]
    return [by_system, by_criterion]


def _marks(table: _Columns) -> Layout | None:
    """Columns named after answers, one of which is marked in each row."""
    columns = [c for c in table.file.columns if c not in table.roles.values() and not is_summary(c)]
    cells = {column: marked_cell(column) for column in columns}
    odd = ", ".join(f"count_if(({cell}) is null)" for cell in cells.values())
    if len(columns) < 2:
        return None
    counts = table.file.table.aggregate(odd).fetchone()
    marked = [c for c, wrong in zip(columns, counts, strict=True) if not wrong]
    marked = [c for c in marked if table.file.table.filter(f"({cells[c]}) = 1").limit(1).fetchone()]
    if len(marked) < 2:
        return None
    several = " + ".join(f"({cells[column]})" for column in marked)
    one, more = table.file.table.aggregate(
        f"count_if({several} = 1), count_if({several} > 1)"
    ).fetchone()
    if more or one < max(3, table.n_rows / 2):
        return None
    keywords = {"wide": marked, "names": OF_MARKS} | _said(table, "item", "judge")
    return Layout(name="marks", keywords=keywords, left_out=table.left_out(marked))


def _surely_marks(table: _Columns, columns: Sequence[str]) -> bool:
    """Whether marked columns are answers: numbers, words of one family, or ticks for cells."""
    if all(column.strip().isdecimal() for column in columns) or read_answers(columns) is not None:
        return True
    cells = f"list(distinct trim(cast({identifier(columns[0])} as varchar)))"
    (kinds,) = table.file.table.aggregate(cells).fetchone()
    return not {kind for kind in kinds if kind} <= {"0", "1", "0.0", "1.0"}


SYSTEM = re.compile(
    r"(?:system|sys|model|method|candidate|output|condition)(?:id)?(?:[0-9]{1,3}|[a-h])"
)
"""A column with the ratings of one system among several."""


def _asks_quality(column: str) -> bool:
    """Whether a column is a criterion by its name, or a question by its number."""
    return criterion_like(column) or bool(
        re.fullmatch(r"(?:q|question|crit\w*|dim\w*)[0-9]*", plain(column))
    )


def _said(table: _Columns, *roles: str) -> dict[str, Any]:
    """Say the columns of roles, with the source for the item where no other names it."""
    said = {role: table.roles[role] for role in roles if role in table.roles}
    if "item" in roles and "item" not in said and "source" in table.roles:
        said["item"] = table.roles["source"]
    return said


def _respondents(table: _Columns, survey: str) -> list[Layout]:
    """Each row is a judge, and each column of ratings an item, a criterion, or both."""
    judge = _respondent_column(table)
    columns = [c for c in table.free if c != judge and c in table.ratings]
    if not columns and survey:
        columns = [c for c in table.free if c != judge and table.profiles[c].short_words]
    if not columns:
        return []
    said: dict[str, Any] = {"judge": judge}
    alike = _alike(table, columns)
    if alike != columns:
        return _some_or_all(_respondent_layouts(table, alike, said, survey), columns)
    return _respondent_layouts(table, columns, said, survey)


def _alike(table: _Columns, columns: Sequence[str]) -> list[str]:
    """Return the columns whose numbers lie in one range, where most do; else all of them."""
    numeric = [c for c in columns if table.profiles[c].numbers == table.profiles[c].cells]
    highs = sorted(table.profiles[c].high or 0.0 for c in numeric)
    if len(numeric) < 3:
        return list(columns)
    usual = max(1.0, highs[len(highs) // 2])
    far = {c for c in numeric if (table.profiles[c].high or 0.0) > 3 * usual}
    return [c for c in columns if c not in far] if len(far) < len(numeric) / 3 else list(columns)


def _some_or_all(layouts: list[Layout], columns: list[str]) -> list[Layout]:
    """Offer the same reading for all columns beside that for those that are alike."""
    whole = layouts[0]
    odd = [column for column in columns if column not in whole.keywords["wide"]]
    every = Layout(
        name="all-columns",
        keywords={**whole.keywords, "wide": columns, "names": "{item}"},
        left_out=tuple(column for column in whole.left_out if column not in odd),
        facts=whole.facts,
    )
    return [*layouts, every]


def _respondent_layouts(
    table: _Columns, columns: list[str], said: dict[str, Any], survey: str
) -> list[Layout]:
    judge = said["judge"]
    grid = find_grid(columns)
    if grid is not None and len(grid.columns) >= len(columns) / 2:
        return _respondent_grid(table, grid, said, survey)
    stem, leaves = _shared_stem(columns)
    left = table.left_out([*columns, judge or ""])

    def layout(name: str, role: str) -> Layout:
        names = stem.format(f"{{{role}}}")
        keywords = {"wide": columns, "names": names} | said
        return Layout(name=name, keywords=keywords, left_out=left, facts={"survey": survey})

    items, criteria = layout("respondents", "item"), layout("one-item", "criterion")
    like = sum(map(criterion_like, leaves))
    if like == len(leaves) > 1:
        return [criteria]
    return [items] if like < len(leaves) / 2 or survey else [items, criteria]


def _shared_stem(columns: Sequence[str]) -> tuple[str, list[str]]:
    """Take off what all columns begin with: 'How fluent is each text? [{}]', and what is left."""
    for mark in ("[]", JOINT):
        pairs = [_parts(column, mark) for column in columns]
        named = [pair for pair in pairs if pair is not None]
        stems = {first for first, _ in named}
        if len(named) == len(columns) and len(stems) == 1:
            stem = stems.pop().replace("{", "{{").replace("}", "}}")
            whole = f"{stem} [{{}}]" if mark == "[]" else f"{stem}{mark}{{}}"
            return whole, [leaf for _, leaf in named]
    return "{}", list(columns)


def _respondent_grid(
    table: _Columns, grid: NameGrid, said: dict[str, Any], survey: str
) -> list[Layout]:
    left = table.left_out([*grid.columns, *said.values()])

    def layout(first: str, second: str) -> Layout:
        keywords = {"wide": list(grid.columns), "names": grid.pattern(first, second)} | said
        return Layout(
            name="respondents-grid", keywords=keywords, left_out=left, facts={"survey": survey}
        )

    first_like, second_like = _share(grid.firsts), _share(grid.seconds)
    if second_like > first_like:
        return [layout("item", "criterion")]
    if first_like > second_like:
        return [layout("criterion", "item")]
    return [layout("item", "criterion"), layout("criterion", "item")]


def _share(names: Sequence[str]) -> float:
    return sum(map(criterion_like, names)) / len(names)


def _respondent_column(table: _Columns) -> str | None:
    """Return the column that names the respondent; None where none does.

    Each is named once, or most are: whoever answered twice is one judge all the same.
    """
    again: str | None = None
    known = [table.roles["judge"]] if "judge" in table.roles else []
    named = {plain(_bare(column)): column for column in reversed(table.file.columns)}
    named |= {plain(column): column for column in reversed(table.file.columns)}
    for column in (*known, *(named[n] for n in RESPONDENTS.split() if n in named)):
        (cells, kinds) = table.file.table.aggregate(
            f"count({identifier(column)}), count(distinct {identifier(column)})"
        ).fetchone()
        if cells and cells == kinds:
            return column
        if 2 < cells < 2 * kinds:
            again = again or column
    return again


def _bare(column: str) -> str:
    """Take off the code that LimeSurvey writes before a name: 'id. Response ID'."""
    return column.partition(". ")[2] or column


def _wide(table: _Columns) -> list[Layout]:
    """No judge and no rating is named: columns are judges, items, or judges by criteria."""
    # A file of judges' columns that the reader of wide tables knows by itself is left to it.
    alike = numbered_alike([c for c in table.file.columns if c not in table.roles.values()])
    grid = find_grid([c for c in table.free if c in table.ratings])
    if grid is not None and len(grid.columns) >= max(4, len(alike)):
        return _judge_grid(table, grid)
    ratings = table.ratings or [c for c in table.free if table.profiles[c].word_like]
    votes = all(OF_VOTES.fullmatch(plain(column)) for column in ratings)
    if alike or votes or len(ratings) < 2 or not _one_kind(table, ratings):
        return []
    if all(map(criterion_like, ratings)):
        return []
    if {"item", "source"} & table.roles.keys():
        return _by_item(table, ratings)
    return _judges_or_items(table, ratings)


def _by_item(table: _Columns, ratings: list[str]) -> list[Layout]:
    """A column names the item: the others are judges, or some of them criteria."""
    said = _said(table, "item")
    judges = {"wide": ratings, "names": "{judge}"} | said
    wide = Layout(name="wide", keywords=judges, left_out=table.left_out(ratings))
    columns = [column for column in ratings if criterion_like(column)]
    if not columns:
        return [wide]
    one = {"rating": columns, "judges": "slots"} | said
    return [wide, Layout(name="criteria", keywords=one, left_out=table.left_out(columns))]


def _judges_or_items(table: _Columns, ratings: list[str]) -> list[Layout]:
    """No column names the item by its name: rows are items or judges."""
    key = _key_column(table, ratings)
    left = table.left_out([*ratings, key or ""])

    def layout(name: str, column: str, row: str) -> Layout:
        keywords = {"wide": ratings, "names": column} | ({row: key} if key else {})
        return Layout(name=name, keywords=keywords, left_out=left)

    as_judges, as_items = (
        layout("wide", "{judge}", "item"),
        layout("respondents", "{item}", "judge"),
    )
    if all(ITEMS.fullmatch(plain(column)) for column in ratings):
        return [as_items]
    if key is None and table.n_rows >= max(FEWEST_ITEMS, 10 * len(ratings)):
        return [as_judges]
    return [as_judges, as_items]


def _one_kind(table: _Columns, columns: Sequence[str]) -> bool:
    """Whether columns of numbers can all be ratings on one scale."""
    highs = [table.profiles[column].high or 0.0 for column in columns]
    words = [table.profiles[c].numbers < table.profiles[c].cells for c in columns]
    return all(words) or (not any(words) and 0 < max(highs) <= 3 * max(1.0, min(highs)))


def _judge_grid(table: _Columns, grid: NameGrid) -> list[Layout]:
    said = _said(table, "item") or _item_of_blocks(table, grid)
    left = table.left_out([*grid.columns, *said.values()])

    def layout(first: str, second: str) -> Layout:
        keywords = {"wide": list(grid.columns), "names": grid.pattern(first, second)} | said
        return Layout(name="judge-criteria", keywords=keywords, left_out=left)

    first_like, second_like = _share(grid.firsts), _share(grid.seconds)
    if first_like == second_like:
        first_like, second_like = _judge_share(grid.seconds), _judge_share(grid.firsts)
    if second_like > first_like:
        return [layout("judge", "criterion")]
    if first_like > second_like:
        return [layout("criterion", "judge")]
    return [layout("judge", "criterion"), layout("criterion", "judge")]


def _item_of_blocks(table: _Columns, grid: NameGrid) -> dict[str, Any]:
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


def _key_column(table: _Columns, ratings: Sequence[str]) -> str | None:
    """Return the column that names the rows: the first whose cells are all there and different."""
    for column in table.file.columns:
        if column in ratings or is_summary(column):
            continue
        rows, cells, kinds = table.file.table.aggregate(
            f"count(*), count({identifier(column)}), count(distinct {identifier(column)})"
        ).fetchone()
        if rows == cells == kinds:
            return column
    return None
