"""Tables in which each row is a respondent or a trial: survey tools, forms, experiments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from covary.formats.answers import read_answers
from covary.formats.column_roles import criterion_like, known_role, plain
from covary.formats.grid import JOINT
from covary.formats.name_grids import (
    ITEM_WORDS,
    NameGrid,
    criterion_share,
    find_coded,
    find_grid,
    find_numbered,
    numbered_columns,
    shared_stem,
)
from covary.formats.small_table import count_filled
from covary.formats.table_columns import Layout, TableColumns, is_no_rating, without_code

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

OF_ROWS = {"microsoft-forms": ".", "qualtrics": " - "}
"""What a tool writes between a question and a row of its table, beside brackets."""

RESPONDENTS = (
    "responseid respondentid emailaddress email yourname participantid participant prolificpid "
    "prolificid workerid annotatorid annotator raterid rater name fullname nickname yourid "
    "username initials judge judgeid whoareyou "
    "emailadresse mailadresse benutzername nutzername direccióndecorreoelectrónico "
    "correoelectrónico correo nombredeusuario nombre adresseemail nomdutilisateur nom "
    "endereçodeemail nomedeusuário nome indirizzoemail nomeutente emailadres gebruikersnaam naam "
    "メールアドレス ユーザー名 电子邮件地址 用户名 電子郵件地址 이메일주소 사용자이름 id"
)


def survey_tool(columns: Sequence[str]) -> str:
    """Return the tool that wrote the columns of a survey; nothing where it is none."""
    names = {plain(name) for column in columns for name in (column, without_code(column))}
    if columns and plain(columns[0]) in TIMESTAMPS:
        return "google-forms"
    for survey, own in SURVEYS.items():
        if len(names & set(own.split())) >= 3 + (survey == "microsoft-forms"):
            return survey
    return ""


def repeated_persons(table: TableColumns) -> dict[str, str]:
    """Find who answered a form once for each item, and the column that says which item it was.

    The person is known by a column's name, stands in several rows, and has another item in each;
    nothing where no one column is such an item.
    """
    judge = _person_of_several_rows(table)
    if judge is None:
        return _crossed_persons(table)
    apart = [judge, *(table.roles[role] for role in ("system",) if role in table.roles)]
    known = [table.roles[role] for role in ("item", "source") if role in table.roles]
    others = [c for c in table.file.columns if c not in (*apart, *known) and not is_no_rating(c)]
    items = [c for c in (*known, *others) if _parts_rows(table, apart, c)]
    items = items[:1] if items and items[0] in known else items
    return {"judge": judge, "item": items[0]} if len(items) == 1 else {}


def of_unknown_persons(table: TableColumns) -> list[Layout]:
    """Read a form that nobody signed, in which a column says which of the items it was about."""
    if _respondent_column(table) is not None or not table.ratings:
        return []
    known = [table.roles[role] for role in ("item", "source") if role in table.roles]
    words = set(ITEM_WORDS.split())
    rated = set(table.ratings)
    others = [c for c in table.free if c not in rated]
    asked = [c for c in others if words & set(re.split(r"[\W_]+", c.casefold()))]
    for column in (*known, *asked):
        cells, _ = count_filled(table.file.table, column)
        if cells == table.n_rows >= 2 * table.distinct([column]) > 2:
            said = {"wide": table.ratings, "names": "{criterion}", "item": column}
            left = table.left_out([*table.ratings, column])
            keywords = said | {"judges": "slots"}
            return [Layout(name="criteria-unknown-judge", keywords=keywords, left_out=left)]
    return []


FEWEST_CROSSED = 6


def _crossed_persons(table: TableColumns) -> dict[str, str]:
    """Find a column of a few words, no ratings, and one of numbers that it crosses completely.

    Their names say nothing, as where nobody taught covary the language; that each of the words
    stands once beside each of the numbers does.
    """
    if table.n_rows < FEWEST_CROSSED or {"item", "source"} & table.roles.keys():
        return {}
    profiles = table.profiles
    words = [
        column
        for column in table.free
        if profiles[column].word_like and not profiles[column].numbers
        if read_answers(profiles[column].words) is None
    ]
    numbers = [
        column
        for column in table.free
        if profiles[column].numbers == profiles[column].cells == table.n_rows
        if profiles[column].kinds > 2
    ]
    pairs = [
        {"judge": person, "item": item}
        for person in words
        for item in numbers
        if profiles[person].kinds * profiles[item].kinds == table.n_rows
        if _parts_rows(table, [person], item)
    ]
    return pairs[0] if len(pairs) == 1 else {}


def _person_of_several_rows(table: TableColumns) -> str | None:
    known = [table.roles["judge"]] if "judge" in table.roles else []
    named = {plain(column): column for column in reversed(table.file.columns)}
    for column in (*known, *(named[name] for name in RESPONDENTS.split()[:-1] if name in named)):
        cells, kinds = count_filled(table.file.table, column)
        if cells == table.n_rows >= 2 * kinds > 2:
            return column
    return None


def _parts_rows(table: TableColumns, apart: Sequence[str], column: str) -> bool:
    """Whether a column tells apart the rows of each person, and comes again with another."""
    cells, _ = count_filled(table.file.table, column)
    alone = table.distinct([column])
    return bool(cells == table.n_rows == table.distinct([*apart, column]) > alone)


OF_PSYCHOPY = r"(?!key_|mouse|practice).*\.(?:response|rating|keys)"
OTREE_ROUND = r"(\w+)\.([0-9]+)\.player\.(\w+)"
OTREE_OWN = ("id_in_group", "payoff", "role", "_")


def experiment_layout(table: TableColumns) -> Layout | None:
    """Recognise what PsychoPy and oTree write: a row for each trial, round or participant."""
    columns = table.file.columns
    if "psychopyVersion" in columns or any(c.endswith(".thisTrialN") for c in columns):
        return _psychopy(table)
    if "participant.code" not in columns:
        return None
    rounds = [c for c in table.ratings if re.fullmatch(OTREE_ROUND, c) and not _is_otrees(c)]
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


def _psychopy(table: TableColumns) -> Layout | None:
    given = [c for c in table.ratings if re.fullmatch(OF_PSYCHOPY, c)]
    # A loop repeats the answers of its components: trials.slider.response, slider.response.
    ratings = [c for c in given if c.partition(".")[2] not in given]
    item = table.roles.get("item") or table.roles.get("source") or ""
    judge = table.roles.get("judge", "participant")
    return _trials(table, "psychopy", ratings, item=item, judge=judge)


def _trials(
    table: TableColumns, name: str, ratings: list[str], *, item: str, judge: str
) -> Layout | None:
    if not ratings or {item, judge} - set(table.file.columns):
        return None
    rating: Any = ratings if len(ratings) > 1 else ratings[0]
    keywords = {"rating": rating, "item": item, "judge": judge}
    left = table.left_out([*ratings, item, judge])
    return Layout(name=name, keywords=keywords, left_out=left)


def respondent_readings(table: TableColumns, survey: str, key: str | None = None) -> list[Layout]:
    """Each row is a judge, and each column of ratings an item, a criterion, or both.

    `key` names the rows where no column is called after respondents.
    """
    judge = _respondent_column(table) or key
    columns = [column for column in table.ratings if column != judge]
    if not columns and survey:
        columns = [c for c in table.free if c != judge and table.profiles[c].short_words]
    if not columns:
        return []
    said: dict[str, Any] = {"judge": judge}
    alike = _alike(table, columns)
    if alike != columns:
        return _some_or_all(_respondent_layouts(table, alike, said, survey), columns)
    return _respondent_layouts(table, columns, said, survey)


def _alike(table: TableColumns, columns: Sequence[str]) -> list[str]:
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
    taken = set(whole.keywords["wide"])
    odd = {column for column in columns if column not in taken}
    every = Layout(
        name="all-columns",
        keywords={**whole.keywords, "wide": columns, "names": "{item}"},
        left_out=tuple(column for column in whole.left_out if column not in odd),
        facts=whole.facts,
    )
    return [*layouts, every]


def _respondent_layouts(
    table: TableColumns, columns: list[str], said: dict[str, Any], survey: str
) -> list[Layout]:
    judge = said["judge"]
    if coded := find_coded(columns):
        return _respondent_grid(table, coded, said, survey)
    if numbered := _numbered_layouts(table, columns, said, survey):
        return numbered
    grid = find_grid(columns)
    if grid is not None and len(grid.columns) >= len(columns) / 2:
        return _respondent_grid(table, grid, said, survey)
    stem, leaves = shared_stem(columns)
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


def _numbered_layouts(
    table: TableColumns, columns: list[str], said: dict[str, Any], survey: str
) -> list[Layout]:
    """Read questions that differ by a number: of several items, or several about one.

    Questions of several kinds about each number leave no doubt that the numbers are items.
    """
    names = find_numbered(columns) or find_numbered(numbered_columns(columns))
    stem, leaves = shared_stem(columns)
    if names is None or not all(map(criterion_like, leaves)) or stem != "{}":
        return []
    if (grid := find_grid(columns)) is not None and grid.mark in ("[]", JOINT, OF_ROWS.get(survey)):
        return []
    if 2 * len(names.columns) <= len(columns):
        return []

    def layout(name: str, asked: Sequence[str], pattern: str) -> Layout:
        keywords = {"wide": list(asked), "names": pattern} | said
        left = table.left_out([*asked, *(name for name in said.values() if name)])
        return Layout(name=name, keywords=keywords, left_out=left, facts={"survey": survey})

    items = layout("numbered-items", names.columns, names.pattern)
    if len(names.questions) > 1 and len(names.columns) == len(columns):
        return [items] if names.worded else []
    return [items, layout("one-item", columns, "{criterion}")]


def _respondent_grid(
    table: TableColumns, grid: NameGrid, said: dict[str, Any], survey: str
) -> list[Layout]:
    left = table.left_out([*grid.columns, *said.values()])

    def layout(first: str, second: str) -> Layout:
        keywords = {"wide": list(grid.columns), "names": grid.pattern(first, second)} | said
        return Layout(
            name="respondents-grid", keywords=keywords, left_out=left, facts={"survey": survey}
        )

    first_like, second_like = criterion_share(grid.firsts), criterion_share(grid.seconds)
    if second_like > first_like:
        return [layout("item", "criterion")]
    if (outputs := _outputs_of_items(grid)) is not None:
        keywords = {"wide": list(grid.columns), "names": outputs} | said
        facts = {"survey": survey}
        return [Layout(name="respondents-grid", keywords=keywords, left_out=left, facts=facts)]
    if first_like > second_like:
        return [layout("criterion", "item")]
    return [layout("item", "criterion"), layout("criterion", "item")]


def _outputs_of_items(grid: NameGrid) -> str | None:
    """Return the pattern of questions about numbered items whose rows are the systems' outputs.

    Each question is then asked about each number: '1. How fluent is each output? [System A]'.
    """
    names = find_numbered(grid.firsts) if grid.mark == "[]" else None
    if names is None or not all(map(criterion_like, grid.firsts)):
        return None
    pattern = names.pattern.replace("{item}", "{source}")
    return f"{pattern} [{{system}}]"


def _respondent_column(table: TableColumns) -> str | None:
    """Return the column that names the respondent; None where none does.

    Each is named once, or most are: whoever answered twice is one judge all the same. A column that
    names everybody is believed before one with empty cells.
    """
    some: str | None = None
    again: str | None = None
    known = [table.roles["judge"]] if "judge" in table.roles else []
    named = {plain(without_code(column)): column for column in reversed(table.file.columns)}
    named |= {plain(column): column for column in reversed(table.file.columns)}
    for column in (*known, *(named[n] for n in RESPONDENTS.split() if n in named)):
        cells, kinds = count_filled(table.file.table, column)
        if cells == kinds == table.n_rows:
            return column
        if cells and cells == kinds:
            some = some or column
        elif 2 < cells < 2 * kinds:
            again = again or column
    return some or again
