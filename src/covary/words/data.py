"""The sentences of ratings and of the files they come in.

Here stand those that depend on their facts; the others are plain text in `sentences/`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from covary.words.grammar import (
    Facts,
    Sentences,
    Voice,
    describe_cells,
    describe_records,
    did_you_mean,
    listing,
    quoted_list,
    quoted_names,
)


def no_column(facts: Facts) -> str:
    """A column that the data do not have."""
    role, column, columns = facts["argument"], facts["value"], facts["allowed"]
    return (
        f"the {role} column {column!r} is not in the data, which has {quoted_list(columns)}"
        f"{did_you_mean(column, columns) or '.'} Say which column holds the {role}: "
        f"{facts['voice'].option(role, repr('…'))}"
    )


def foreign_criterion(facts: Facts) -> str:
    """A scale for a criterion that nobody rated."""
    criteria = facts["allowed"]
    return (
        f"{facts['voice'].option('scale', '')} names the criterion {quoted_list(facts['value'])}, "
        f"but the ratings have {quoted_list(criteria) if criteria else 'no criterion column'}"
    )


def unknown_criterion(facts: Facts) -> str:
    """A criterion that is not there, or none where there are several."""
    criterion, criteria = facts["value"], facts["allowed"]
    if criterion is None and facts["voice"].name == "terminal":
        keep = shlex.quote(f"criterion={criteria[0]}")
        return f"the ratings are on {quoted_names(criteria)}; keep one criterion: --only {keep}"
    why = "must be one of them" if criterion is None else "is not among the criteria"
    return (
        f"{facts['voice'].option('criterion', repr(criterion))} {why}: the ratings hold "
        f"{quoted_list(criteria)}{did_you_mean(criterion, criteria)}"
    )


def _more_memory(facts: Facts) -> str:
    return "--memory 16GB" if facts["voice"].name == "terminal" else "ratings.within('16GB')"


def too_many(facts: Facts) -> str:
    """More ratings than may be brought into memory."""
    terminal = facts["voice"].name == "terminal"
    part = "--only …" if terminal else "ratings.first_items(10_000), ratings.select(…)"
    memory = _more_memory(facts)
    return (
        f"{facts['task']} needs the ratings one by one, and these {facts['count']:,} are too "
        f"many: at most {facts['most']:,} are loaded into memory. Choose a part of them "
        f"({part}), or allow more memory ({memory})"
    )


def choose_columns(voice: Voice, name: str, columns: Sequence[str]) -> str:
    """Name several columns for one keyword: `wide=['a', 'b']`, or `--wide a,b`."""
    if voice.name == "python":
        return f"{name}={list(columns)!r}"
    if name == "rating":
        return " ".join(f"--rating {column!r}" for column in columns)
    return f"--{name} {','.join(columns)!r}"


def spell_keywords(voice: Voice, keywords: Mapping[str, Any]) -> str:
    """Write keywords of `read` as a caller or as a command line says them.

    Examples
    --------
    >>> from covary.words import PYTHON, TERMINAL
    >>> spell_keywords(PYTHON, {"rows": (3, 9), "item": "qid"})
    "rows=(3, 9), item='qid'"
    >>> spell_keywords(TERMINAL, {"header": 0, "rows": (3, 9), "wide": ["A b", "C"]})
    "--no-header --rows 3-9 --wide 'A b' --wide C"
    """
    if voice.name == "python":
        return ", ".join(f"{name}={value!r}" for name, value in keywords.items())
    return " ".join(_spell_option(voice, name, value) for name, value in keywords.items())


def _spell_option(voice: Voice, name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (shlex.quote(f"{old}={new}") for old, new in value.items())
        return " ".join(f"--answer {pair}" for pair in pairs)
    if isinstance(value, list | tuple) and name in ("header", "rows"):
        ranges = [value] if isinstance(value[0], int) else value
        return voice.option(name, ",".join(f"{first}-{last}" for first, last in ranges))
    if isinstance(value, list | tuple):
        return " ".join(voice.option(name, shlex.quote(str(part))) for part in value)
    flag = voice.flags.get((name, repr(value)))
    return flag or voice.option(name, "None" if value is None else shlex.quote(str(value)))


READINGS = {
    "wide": "each row is an item and each column a judge",
    "criteria": "each row is an item and each column a criterion",
    "systems": "each row is an item by a judge, and each column a system's output for it",
    "marks": "each column is a possible answer, and the marked one is the rating",
    "respondents": "each row is a judge and each column an item",
    "all-columns": "the same with all columns of numbers",
    "with-text": "the same with columns that hold numbers and text, whose text is no rating",
    "numbered-items": "each row is a judge, and the number in each column is the item",
    "one-item": "each row is a judge and each column a criterion, of one item",
    "sheets": "the names of the sheets",
    "answer-counts": "each column counts the judges who gave an answer",
    "criteria-unknown-judge": "each row is an item, rated by somebody unknown on each criterion",
}


def two_readings(facts: Facts) -> str:
    """A table that can be read in two ways; both are named as they are said."""
    ways = {
        describe_reading(kind, keywords): keywords
        for kind, keywords in zip(facts["kinds"], facts["readings"], strict=True)
    }
    return f"{facts['file']} can be read in {len(ways)} ways; say which:{_ways(facts, ways)}"


def _ways(facts: Facts, ways: Mapping[str, Mapping[str, Any]]) -> str:
    """Write each way to go on with what it means; a command stands in a line of its own."""
    said = {about: spell_keywords(facts["voice"], keywords) for about, keywords in ways.items()}
    if facts.get("command"):
        return "".join(
            f"\n  {about}:\n    {facts['command']} {options}" for about, options in said.items()
        )
    return " " + "; or ".join(f"{about}: {options}" for about, options in said.items())


def describe_reading(kind: str, keywords: Mapping[str, Any]) -> str:
    """Say in a few words what a table's rows and columns are in one reading."""
    if kind == "sheets":
        role = keywords.get("sheets")
        return f"each sheet is a {role}" if role else f"only the sheet {keywords['sheet']!r}"
    if kind == "records":
        return f"the records at {keywords['records']!r}"
    if kind == "items":
        return f"the items are named by {keywords['item']!r}"
    names = str(keywords.get("names", ""))
    about = READINGS.get(kind, kind)
    if kind in ("judge-criteria", "respondents-grid"):
        about = f"columns are named {names}"
    if kind == "by-content":
        roles = ("item", "judge", "rating")
        known = {role: keywords[role] for role in roles if role in keywords}
        about = listing(
            [
                f"{name!r} is the {role}"
                if isinstance(name, str)
                else f"{listing([repr(column) for column in name])} are criteria"
                for role, name in known.items()
            ]
        )
    return f"each file is a {keywords['files']}, {about}" if "files" in keywords else about


def one_column_of_ratings(facts: Facts) -> str:
    """Ratings of somebody whom nothing names."""
    ways = {"to read this one alone, as ratings of somebody unknown": facts["keywords"]}
    return (
        f"{facts['file']} has one column of ratings ({facts['column']!r}), and nothing says who "
        f"gave them. With a file for each judge, name all files together;{_ways(facts, ways)}"
    )


def near_words(facts: Facts) -> str:
    """Answers that are nearly the same."""
    pairs = ", ".join(f"{word!r} and {near!r}" for word, near in facts["value"][:5])
    about = _on_criteria(facts)
    apart = {word: word for word, _ in facts["value"]}
    ways = {
        "if they are one": {"answers": facts["answers"]},
        "if they are not": {"answers": apart},
    }
    return (
        f"{facts['file']} has answers{about} that are nearly the same: {pairs};{_ways(facts, ways)}"
    )


def _odd_cells(facts: Facts, kind: str) -> str:
    """Cells that do not fit the others of their column, and how to say what they mean."""
    words = facts["words"]
    meaning = spell_keywords(facts["voice"], {"answers": {words[0]: "…"}})
    cells = describe_cells(facts["rows"], more=facts["more"])
    none = {"or, if they are no ratings": {"answers": dict.fromkeys(words, "")}}
    return (
        f"{facts['file']} has {kind} of the column {facts['column']!r}: {cells}. Say what they "
        f"mean ({meaning});{_ways(facts, none)}"
    )


def words_among_numbers(facts: Facts) -> str:
    """Words in a column of numbers."""
    return _odd_cells(facts, "words among the numbers")


def numbers_among_words(facts: Facts) -> str:
    """Numbers in a column of words."""
    return _odd_cells(facts, "numbers among the words")


def unnamed_rows(facts: Facts) -> str:
    """Rows of a file that do not say what they are of."""
    fill = spell_keywords(facts["voice"], {"fill": facts["fill"]})
    which = " or which ".join(facts["columns"])
    records = describe_records(facts["rows"], facts["count"])
    return (
        f"{facts['file']} has rows that do not say which {which}: {records}. Fill them in, or "
        f"remove the rows; where an empty cell repeats the one above it, say {fill}"
    )


def sections(facts: Facts) -> str:
    """Several tables under each other in one sheet."""
    parts = facts["rows_of"]
    ways = "; or ".join(spell_keywords(facts["voice"], {"rows": part}) for part in parts)
    titles = listing(
        [
            f"{title!r} in row {n}"
            for n, title in zip(facts["numbers"], facts["titles"], strict=True)
        ]
    )
    return (
        f"{facts['file']} has several tables under each other ({titles}). Read one of them: "
        f"{ways}; or put each into a sheet or a file of its own and read them together"
    )


def missing_codes(facts: Facts) -> str:
    """Numbers that most likely stand for no rating."""
    codes = quoted_list(facts["value"])
    about = _on_criteria(facts)
    ways = {
        "if that stands for no rating": {"answers": facts["answers"]},
        "if it is a rating": {"answers": {code: code for code in facts["value"]}},
    }
    return (
        f"{facts['file']} has {codes} among the ratings{about}, far from all others;"
        f"{_ways(facts, ways)}"
    )


def _natural(word: str) -> list[Any]:
    """Sort words with numbers in them as people do: A2 before A10."""
    parts = re.split(r"([0-9]+)", word.casefold())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def ambiguous_points(facts: Facts) -> str:
    """Numbers with a point before three digits."""
    cells = facts["value"]
    ways = {
        "if they are thousands": {"answers": {cell: cell.replace(".", "") for cell in cells}},
        "if they are not": {"answers": {cell: f"{float(cell):g}" for cell in cells}},
    }
    return (
        f"{facts['file']} has numbers in {facts['column']!r} in which a point may stand before "
        f"thousands: {', '.join(cells[:5])};{_ways(facts, ways)}"
    )


def _on_criteria(facts: Facts) -> str:
    """Name the criterion of a note, and others of which the same is true."""
    if facts["criterion"] is None:
        return ""
    return f" on {quoted_names([facts['criterion'], *facts.get('also', ())])}"


def unordered_answers(facts: Facts) -> str:
    """Words that covary knows no order of."""
    about = _on_criteria(facts)
    words = sorted(map(str, facts["words"]), key=_natural)
    taken = f"The answers{about} were taken as names without an order: {quoted_list(words, 12)}."
    if lists := [word for word in words if "," in word]:
        return (
            f"{taken} One with a comma, such as {lists[0]!r}, counts as one answer. If it lists "
            "boxes that were ticked, give each box a column of its own and read it as a criterion."
        )
    order = ",".join(words)
    scale = repr(order) if facts["voice"].name == "python" else shlex.quote(order)
    return (
        f"{taken} If they have one, say it from low to high: "
        f"{facts['voice'].option('scale', scale)}."
    )


def ordered_answers(facts: Facts) -> str:
    """Words that were put into an order."""
    about = _on_criteria(facts)
    order = " < ".join(map(str, facts["order"]))
    scale = shlex.quote(",".join(map(str, facts["order"])))
    if facts["voice"].name == "python":
        scale = repr(",".join(map(str, facts["order"])))
    return (
        f"The answers{about} were read in this order: {order}. If judges could give others too, "
        f"list them all: {facts['voice'].option('scale', scale)}."
    )


def yes_and_no(facts: Facts) -> str:
    """Spellings of yes and no."""
    about = _on_criteria(facts)
    spelt = f", in {len(facts['spellings'])} spellings" if facts["spellings"] else ""
    return f"The answers{about} were read as yes and no{spelt}."


def preference_answers(facts: Facts) -> str:
    """Answers that choose between two outputs."""
    about = _on_criteria(facts)
    ties = facts["ties"]
    neither = f", {quoted_list(ties)} for neither" if ties else ""
    said = (
        f"The answers{about} choose between two outputs: {facts['first']!r} is for the first, "
        f"{facts['second']!r} for the second{neither}."
    )
    if len(ties) < 2:
        return said
    alike = spell_keywords(facts["voice"], {"answers": dict.fromkeys(ties[1:], ties[0])})
    return f"{said} To count what is for neither as one answer, say {alike}."


def numbered_answers(facts: Facts) -> str:
    """Answers that hold a number."""
    about = _on_criteria(facts)
    shown = ", ".join(f"{word!r} as {number}" for word, number in facts["examples"].items())
    return f"The answers{about} were read as numbers: {shown}."


def separator(facts: Facts) -> str:
    """What stands between the cells of a file."""
    mark = facts["separator"]
    name = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(mark, repr(mark))
    return f"The cells of {facts['file']} are separated by {name}."


def not_found(facts: Facts) -> str:
    """A file that is not there, beside one of nearly the same name."""
    near = did_you_mean(facts.get("name", ""), facts["allowed"])
    return f"{facts['voice'].option('path', repr(facts['value']))} does not exist{near}"


def unknown_ending(facts: Facts) -> str:
    """A file that no format reads."""
    voice = facts["voice"]
    further = ". A data frame can be given to covary.Ratings" if voice.name == "python" else ""
    return (
        f"{voice.option('path', repr(facts['value']))} has an ending that covary cannot read; it "
        f"reads {quoted_list(facts['allowed'], 20)}{further}"
    )


def which_judges(facts: Facts) -> str:
    """A wide table whose judges' columns are not clear."""
    return (
        f"which columns of {facts['file']} are judges? Say "
        f"{choose_columns(facts['voice'], 'wide', ['…', '…'])} with some of "
        f"{quoted_list(facts['allowed'])}"
    )


def fits_equally(facts: Facts) -> str:
    """Two columns that may be the same thing, where that must be clear."""
    role, columns, voice = facts["argument"], facts["allowed"], facts["voice"]
    none = f" (or {voice.option(role, 'None')} for none)" if facts["optional"] else ""
    return (
        f"the columns {quoted_list(columns)} fit {role} equally well; say which one it is: "
        f"{voice.option(role, repr(columns[0]))}{none}"
    )


def none_taken(facts: Facts) -> str:
    """Two columns that may be the same thing, neither of which was taken."""
    role, columns = facts["role"], facts["columns"]
    return (
        f"The columns {quoted_list(columns)} fit {role} equally well, so none was taken "
        f"({facts['voice'].option(role, repr('…'))} chooses one)."
    )


def guessed_columns(facts: Facts) -> str:
    """Which columns were taken for what because of their names."""
    roles = [f"{column!r} as the {role}" for role, column in facts["roles"].items()]
    return f"By their names, the columns were read so: {listing(roles)}."


def words_left_out(facts: Facts) -> str:
    """Criteria that were answered in words, beside others with numbers."""
    words = facts["words"]
    return (
        f"There are words in {quoted_list(words)} and numbers in {quoted_list(facts['numbers'])}; "
        f"only the numbers were read ({choose_columns(facts['voice'], 'rating', words)} reads the "
        "words)."
    )


def foreign_columns(facts: Facts) -> str:
    """Keywords for columns that a format settles itself."""
    chosen = (facts["voice"].option(role, repr(name)) for role, name in facts["columns"].items())
    return (
        f"{', '.join(chosen)} cannot be chosen in {facts['file']}, whose format says what it is; "
        f"leave it out, or say another {facts['voice'].option('format', repr('…'))}"
    )


def not_a_table(facts: Facts) -> str:
    """Keywords about tables, for something else."""
    voice = facts["voice"]
    chosen = (voice.option(name, repr(value)) for name, value in facts["options"].items())
    return f"{', '.join(chosen)}: '{facts['file']}' is not a table"


def incomplete(facts: Facts) -> str:
    """A table in which no column says that it holds the item, the judge or the rating."""
    absent = facts["absent"]
    known = ", ".join(f"{column!r} is the {role}" for role, column in facts["roles"].items())
    return (
        f"{facts['file']} has no column whose name says that it holds the "
        f"{' or the '.join(absent)}; its columns are {quoted_list(facts['allowed'])}"
        f"{known and f' ({known})'}. {_column_advice(facts)}"
    )


def _column_advice(facts: Facts) -> str:
    """What to say where columns were not found by their names."""
    voice, absent, numeric = facts["voice"], list(facts["absent"]), facts["numeric"]
    say = "Say which column it is: " + ", ".join(voice.option(role, repr("…")) for role in absent)
    if absent == ["rating"] and numeric:
        columns = choose_columns(voice, "rating", numeric)
        return f"{say}; or, for one column per criterion, {columns}"
    several = len(numeric) > 1 or any("*" in name for name in numeric)
    if "rating" in absent and "judge" in absent and several:
        return f"{say}; or, for one column per judge, {choose_columns(voice, 'wide', numeric)}"
    if absent == ["judge"]:
        slots = voice.option("judges", repr("slots"))
        return f"{say}; or {slots} where it is not known who gave which rating"
    if len(absent) == 3:
        return f"{say}. The first row must hold the names of the columns: item,judge,rating"
    return say


SENTENCES: Sentences = {
    "ratings.no-column": no_column,
    "ratings.foreign-criterion": foreign_criterion,
    "ratings.unknown-criterion": unknown_criterion,
    "ratings.too-many": too_many,
    "formats.two-readings": two_readings,
    "formats.near-words": near_words,
    "formats.one-column-of-ratings": one_column_of_ratings,
    "formats.words-among-numbers": words_among_numbers,
    "formats.numbers-among-words": numbers_among_words,
    "formats.unnamed-rows": unnamed_rows,
    "formats.sections": sections,
    "formats.missing-codes": missing_codes,
    "formats.ambiguous-points": ambiguous_points,
    "formats.unordered-answers": unordered_answers,
    "formats.ordered-answers": ordered_answers,
    "formats.yes-and-no": yes_and_no,
    "formats.numbered-answers": numbered_answers,
    "formats.preference-answers": preference_answers,
    "formats.not-found": not_found,
    "formats.unknown-ending": unknown_ending,
    "formats.not-a-table": not_a_table,
    "formats.foreign-columns": foreign_columns,
    "formats.fits-equally": fits_equally,
    "formats.incomplete": incomplete,
    "formats.which-judges": which_judges,
    "formats.separated-by": separator,
    "formats.guessed-columns": guessed_columns,
    "formats.none-taken": none_taken,
    "formats.words-left-out": words_left_out,
}
