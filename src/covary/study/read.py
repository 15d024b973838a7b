"""A study's folder becomes a `Study`, or every fault in it is told at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from covary.errors import InvalidArgument
from covary.formats.toml_tables import (
    Faults,
    TomlTable,
    find_key_lines,
    place_of_toml_error,
)
from covary.scales import KINDS, FreeText, Scale, as_scale, scale_from_table
from covary.study.comparisons import check_compared_texts
from covary.study.dialogue_pages import check_dialogue_pages
from covary.study.files import StudyFileFault, file_inside, read_text
from covary.study.items import ItemReader, read_rows
from covary.study.manual import make_manual
from covary.study.model import (
    Background,
    Condition,
    Criterion,
    DesignSettings,
    Item,
    PartDesign,
    Population,
    Session,
    Study,
)
from covary.study.recruiting import check_recruiting, is_https, read_recruiting
from covary.study.training import check_training_sets, read_training
from covary.words import Note
from covary.words.page_words import page_texts, page_words, placeholders
from covary.words.reliability import ANSWERS

FILE = "study.toml"
ITEM_ORDERS = ("random", "williams", "as-listed")
FEEDBACK_KINDS = ("practice", "gold")
COMMENT = "Comment"
"""The name under which comments on items are kept."""

COMMENT_QUESTION = "Do you want to comment on this item?"
PART_ORDERS = ("rotate", "as-listed", "one-each")
PAGES = ("item", "dialogue")
DESIGN_KINDS = ("latin-squares", "williams", "blocks", "overlap", "everyone")
ENDINGS = (".csv", ".tsv", ".jsonl")


def read_study(folder: str | Path) -> Study:
    """Read a study from its folder, or from the study.toml in it.

    Parameters
    ----------
    folder
        The folder with study.toml, the items and the guidelines.

    Returns
    -------
    Study
        A study without faults. Its `notes` say what had to be found out, such as an encoding.

    Raises
    ------
    StudyError
        With every fault at once: `faults` names the file, the line, the key and what to do.
    """
    place = Path(folder)
    place = place.parent if place.name == FILE and place.is_file() else place
    faults, notes = Faults(str(place)), list[str]()
    if not place.is_dir():
        faults.add(FILE, None, "", "study.no-folder", folder=place)
        faults.raise_any()
    file = read_study_file(place, faults)
    items = _items(file, faults, notes)
    faults.raise_any()
    bare = [criterion.key for criterion in file.study.criteria if criterion.scale.lacks_words]
    if bare:
        notes.append(Note("study.note-no-words", criteria=bare))
    return replace(file.study, items=tuple(items), notes=tuple(notes))


def _items(file: StudyFile, faults: Faults, notes: list[str]) -> list[Item]:
    """Read the items, and check what depends on both files."""
    rows = read_rows(file.items, faults, notes) if file.items is not None else []
    if file.items is None or not rows:
        return []
    study = file.study
    own = faults.of(file.items.name)
    items = ItemReader(own, study.folder, study.criteria, file.names).items(rows)
    lines = {item.id: row.line for item, row in zip(items, rows, strict=True)}
    if not any(item.kind in ("item", "anchor", "gold") for item in items):
        own.add(None, "kind", "study.nothing-to-judge")
    check_compared_texts(zip(items, rows, strict=True), study, own)
    check_training_sets(items, lines, own)
    if "training" in file.top.content and not any(item.kind == "training" for item in items):
        notes.append(Note("study.note-no-training-items"))
    _check_human_systems(items, file)
    _check_preference(file)
    _check_squares(items, file)
    check_dialogue_pages(file.top, study, items, lines=lines, own=own)
    check_recruiting(file.top, study, items)
    blind = sum(item.image is not None and not item.image_text for item in items)
    if blind:
        notes.append(Note("study.note-image-text", images=blind))
    return items


def _check_preference(file: StudyFile) -> None:
    """Report judges who are asked which part they prefer and see only one."""
    if file.study.session.ask_preference and file.study.design.parts == "one-each":
        file.top.table("session").fault("ask_preference", "study.one-part-each")


def _check_human_systems(items: Sequence[Item], file: StudyFile) -> None:
    systems = dict.fromkeys(system for item in items for system in item.systems)
    for human in file.study.human_systems:
        if human not in systems:
            code = "study.no-system" if systems else "study.no-systems"
            file.top.fault("human_systems", code, value=human, allowed=tuple(systems))


def _check_squares(items: Sequence[Item], file: StudyFile) -> None:
    """Report items that cannot have a place in a square."""
    design = file.study.design
    square = [part for part in file.study.parts if design.of_part(part).kind == "latin-squares"]
    if not square:
        return
    judged = (item for item in items if item.kind == "item" and any(map(item.belongs_to, square)))
    lost = [item.id for item in judged if not (item.systems and item.source)]
    if lost:
        table = file.top.table("design")
        table.fault("kind", "study.square-without-place", number=len(lost), first=lost[0])


# study.toml


@dataclass(frozen=True, kw_only=True)
class StudyFile:
    """What was read from study.toml: the study without its items, and the file that has them.

    `names` are the keys of all criteria, also of faulty ones.
    """

    top: TomlTable
    study: Study
    items: Path | None
    names: tuple[str, ...]


def read_study_file(folder: Path, faults: Faults) -> StudyFile:
    """Read study.toml; where it is missing or no TOML, raise the fault."""
    top = _open_toml(folder, faults)
    asked, names = _criteria(top)
    criteria = tuple(criterion for criterion in asked if criterion.scale.analysed)
    parts = tuple(dict.fromkeys(criterion.part for criterion in criteria)) or ("",)
    session = _session(top.table("session"), len(parts))
    study = Study(
        folder=folder,
        title=top.name("title", required=True),
        language=_language(top),
        contact=top.text("contact"),
        consent=_consent(top, folder),
        manual=make_manual(asked, _guidelines(top, folder)),
        items=(),
        human_systems=top.texts("human_systems") or (),
        criteria=criteria,
        questions=tuple(criterion for criterion in asked if not criterion.scale.analysed),
        parts=parts,
        background=_background(top),
        design=_design(top.table("design"), parts),
        session=session,
        population=_population(top.table("population")),
        paper=_paper(top.table("paper")),
        recruiting=read_recruiting(top, folder),
        training=read_training(top.table("training"), criteria, names),
        words=_words(top.table("words")),
    )
    if session.comments:
        study = _with_comments(study, top, names)
    items = _items_file(top, folder)
    top.done()
    return StudyFile(top=top, study=study, items=items, names=names)


def _with_comments(study: Study, top: TomlTable, names: Sequence[str]) -> Study:
    """Ask after each item for a comment, in the words of the study's pages."""
    question = page_words(study.language, study.words).text(COMMENT_QUESTION)
    comments = tuple(
        Criterion(COMMENT, question, FreeText(), part=part, optional=True) for part in study.parts
    )
    taken = [comment.key for comment in comments if comment.key in names]
    if taken:
        top.table("session").fault("comments", "study.comments-twice", value=taken[0])
    return replace(study, questions=(*study.questions, *comments))


def _open_toml(folder: Path, faults: Faults) -> TomlTable:
    text, content = "", {}
    try:
        text, _ = read_text(file_inside(folder, FILE))
        content = tomllib.loads(text)
    except StudyFileFault as fault:
        faults.add(FILE, None, "", "study.toml-missing", fault=fault)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        line, message = place_of_toml_error(error, text)
        faults.add(FILE, line, "", "toml.broken", message=message)
    faults.raise_any()
    return TomlTable(content, FILE, faults, find_key_lines(text))


def _language(top: TomlTable) -> str:
    language = top.name("language") if "language" in top.content else "en"
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", language):
        top.fault("language", "study.no-language", value=language)
    top.has("language")
    return language


def _words(table: TomlTable) -> Mapping[str, str]:
    """Read what the study calls things on its judges' pages; each key is the English text."""
    renamed = {}
    for english in table.content:
        words = table.text(english, required=True)
        extra = placeholders(words) - placeholders(english)
        if english not in page_texts():
            table.fault(english, "study.no-such-words", value=english, allowed=page_texts())
        elif extra:
            table.fault(english, "study.strange-placeholders", extra=sorted(extra))
        renamed[english] = words
    return MappingProxyType(renamed)


def _consent(top: TomlTable, folder: Path) -> str:
    text = top.text("consent")
    if not text.strip().endswith(".md") or len(text.split()) > 1:
        return text
    return _file(top, "consent", folder, text.strip())


def _guidelines(top: TomlTable, folder: Path) -> str:
    name = top.text("guidelines", "guidelines.md").strip()
    if not name and "guidelines" in top.content:
        return ""
    return _file(top, "guidelines", folder, name)


def _file(top: TomlTable, key: str, folder: Path, name: str) -> str:
    """Return the text of a file that a key names."""
    try:
        return read_text(file_inside(folder, name))[0]
    except StudyFileFault as fault:
        top.fault(key, "study.file-or-none", fault=fault, name=key)
        return ""


def _items_file(top: TomlTable, folder: Path) -> Path | None:
    name = top.text("items", "items.csv").strip()
    try:
        path = file_inside(folder, name)
    except StudyFileFault as fault:
        top.fault("items", fault.code, **fault.facts)
        return None
    if path.suffix.lower() not in ENDINGS:
        top.fault("items", "study.items-file-ending", value=name, endings=", ".join(ENDINGS))
        return None
    return path


def _criteria(top: TomlTable) -> tuple[tuple[Criterion, ...], tuple[str, ...]]:
    """Return the criteria without fault, and the keys of all."""
    criteria: list[Criterion] = []
    names: dict[str, int] = {}
    parts: list[str] = []
    for number, table in enumerate(top.tables("criterion"), start=1):
        criterion, key, part = _criterion(table)
        if key and key in names:
            table.fault("name", "study.criterion-twice", value=key, other=names[key])
            criterion = None
        names.setdefault(key, number)
        if parts and bool(part) != bool(parts[0]):
            table.fault("part", "study.some-parts")
        parts.append(part)
        if criterion is not None:
            _check_condition(table, criterion, criteria)
            criteria.append(criterion)
    if not top.content.get("criterion"):
        top.fault("criterion", "study.no-criteria")
    elif criteria and not any(criterion.scale.analysed for criterion in criteria):
        top.fault("criterion", "study.no-scale")
    return tuple(criteria), tuple(names)


def _criterion(table: TomlTable) -> tuple[Criterion | None, str, str]:
    name, part = table.name("name", required=True), table.name("part")
    question, definition = table.text("question", required=True), table.text("definition")
    scale = read_scale(table)
    when = _condition(table, part)
    optional, cannot_judge = table.flag("optional"), table.flag("cannot_judge")
    passages = table.flag("passages")
    faces, vertical = False, None
    if isinstance(table.content.get("scale"), dict):
        below = table.table("scale")
        faces = below.flag("faces")
        vertical = below.flag("vertical") if below.has("vertical") else None
        if faces and scale is not None and scale.categories is not None:
            below.fault("faces", "study.faces-without-line")
    table.done()
    key = f"{name} ({part})" if part else name
    if scale is None:
        return None, key, part
    criterion = Criterion(
        name=name,
        question=question,
        scale=scale,
        part=part,
        definition=definition,
        faces=faces,
        vertical=vertical,
        optional=optional,
        cannot_judge=cannot_judge,
        when=when,
        passages=passages,
    )
    return criterion, key, part


def _condition(table: TomlTable, part: str) -> Condition | None:
    """Read when a follow-up is asked: `when = { criterion = "Fluency", is = [1, 2] }`."""
    if "when" not in table.content:
        return None
    below = table.table("when")
    name = below.name("criterion", required=True)
    answers = below.content.get("is")
    if not isinstance(answers, list) or not answers:
        below.fault("is", "study.when-is")
        answers = []
    below.has("is")
    below.done()
    return Condition(f"{name} ({part})" if part else name, tuple(answers))


def _check_condition(table: TomlTable, criterion: Criterion, before: Sequence[Criterion]) -> None:
    """Refuse a follow-up of something that is not asked before it, or that has no such answer."""
    when, known = criterion.when, {other.key: other for other in before}
    if when is None:
        return
    if when.criterion not in known:
        table.fault("when", "study.when-unknown", value=when.criterion, allowed=tuple(known))
        return
    scale = known[when.criterion].scale
    if scale.rated != scale:
        table.fault("when", "study.when-best-worst", value=when.criterion)
        return
    wrong = [answer for answer in when.answers if not scale.accepts(answer)]
    if wrong:
        table.fault("when", "study.when-answers", wrong=wrong, scale=scale.describe())


def read_scale(table: TomlTable) -> Scale | None:
    """Read the key `scale` of a criterion's table; None where it has a fault.

    It is a short text as on the command line (`scale = "1-5"`), or a table with a `kind`.
    """
    if not table.has("scale"):
        table.fault("scale", "scales.table.missing")
        return None
    if isinstance(table.content["scale"], str):
        return table.read("scale", _short_scale)
    below = table.table("scale")
    if below.content is not table.content["scale"]:  # no table, which has been said
        return None
    before = below.fault_count
    scale = scale_from_table(below)
    for key in ("faces", "vertical"):  # which the criterion asks for
        below.has(key)
    if below.content.get("kind") in tuple(KINDS):
        below.done()
    return scale if below.fault_count == before else None


def _short_scale(text: str) -> Scale:
    try:
        return as_scale(text)
    except InvalidArgument as error:
        if error.code == "scales.not-understood":
            raise InvalidArgument("scales.table.not-understood", value=text) from None
        raise


def _background(top: TomlTable) -> tuple[Background, ...]:
    questions: list[Background] = []
    for table in top.tables("background"):
        question = Background(
            name=table.name("name", required=True),
            question=table.text("question", required=True),
            options=table.texts("options") or (),
            required=table.flag("required", True),
            group=table.flag("group"),
            ask=table.choice("ask", ("before", "between", "after"), "before"),
        )
        if question.name and question.name in {other.name for other in questions}:
            table.fault("name", "study.background-twice", value=question.name)
        if question.group and any(other.group for other in questions):
            table.fault("group", "study.second-group")
        if question.group and question.ask != "before":
            table.fault("group", "study.late-group")
        if len(question.options) == 1:
            table.fault("options", "study.one-option")
        table.done()
        questions.append(question)
    return tuple(questions)


def _design(table: TomlTable, parts: Sequence[str]) -> DesignSettings:
    own_designs = _part_designs(table, parts)
    wish = DesignSettings(
        kind=table.choice("kind", DESIGN_KINDS, "everyone"),
        judges=table.whole("judges", 2, 1),
        seed=table.whole("seed", 0, 0),
        per_judge=table.whole("per_judge", None, 1),
        judges_per_item=table.whole("judges_per_item", None, 1),
        repeats=table.whole("repeats", 0, 0),
        repeat_distance=table.whole("repeat_distance", 10, 0),
        source_distance=table.whole("source_distance", 1, 0),
        occasions=table.whole("occasions", 1, 1),
        order=table.choice("order", ITEM_ORDERS, "random"),
        parts=table.choice("parts", PART_ORDERS, "rotate"),
        page=table.choice("page", PAGES, "item"),
        part=MappingProxyType(own_designs),
    )
    table.done()
    return _with_judges_of_parts(table, wish, parts)


def _part_designs(table: TomlTable, parts: Sequence[str]) -> dict[str, PartDesign]:
    """Read [design.part.NAME]: what a part asks for itself."""
    below, designs = table.table("part"), {}
    for name in below.content:
        if name not in parts:
            below.fault(name, "study.design-part", value=name, allowed=[p for p in parts if p])
        own = below.table(name)
        designs[name] = PartDesign(
            kind=_own_choice(own, "kind", DESIGN_KINDS),
            judges=own.whole("judges", None, 1),
            per_judge=own.whole("per_judge", None, 1),
            judges_per_item=own.whole("judges_per_item", None, 1),
            order=_own_choice(own, "order", ITEM_ORDERS),
            context=own.whole("context", None, 0),
            page=cast(Any, _own_choice(own, "page", PAGES)),
        )
        own.done()
    return designs


def _own_choice(table: TomlTable, key: str, allowed: Sequence[str]) -> str | None:
    return table.choice(key, allowed, allowed[0]) if table.has(key) else None


def _with_judges_of_parts(
    table: TomlTable, wish: DesignSettings, parts: Sequence[str]
) -> DesignSettings:
    """Count the judges of parts that have their own; judges of all parts are counted once."""
    numbers = {name: own.judges for name, own in wish.part.items() if own.judges is not None}
    if not numbers:
        return wish
    if wish.parts != "one-each" or "judges" in table.content:
        table.table("part").fault(next(iter(numbers)), "study.part-judges")
    elif missing := [part for part in parts if part not in numbers]:
        table.table("part").fault(missing[0], "study.part-judges-missing", missing=missing)
    return replace(wish, judges=sum(numbers.values()))


def _session(table: TomlTable, parts: int) -> Session:
    session = Session(
        break_every=table.whole("break_every", 0, 0),
        go_back=table.flag("go_back", True),
        ask_preference=table.flag("ask_preference"),
        remarks=table.flag("remarks"),
        occasion_gap_hours=table.number("occasion_gap_hours", 0, 0),
        code=table.name("code"),
        redirect=table.name("redirect"),
        markup=table.flag("markup"),
        comments=table.flag("comments"),
        feedback=table.texts("feedback") or (),
    )
    strange = [kind for kind in session.feedback if kind not in FEEDBACK_KINDS]
    if strange:
        table.fault("feedback", "study.feedback-kinds", value=strange[0], allowed=FEEDBACK_KINDS)
    if session.redirect and not is_https(session.redirect):
        table.fault("redirect", "study.no-https", value=session.redirect)
    if session.ask_preference and parts == 1:
        table.fault("ask_preference", "study.one-part")
    table.done()
    return session


def _paper(table: TomlTable) -> MappingProxyType[str, Any]:
    """Read what the researcher answers of a paper's checklist."""
    answers: dict[str, Any] = {
        name: table.flag(name) if name == "independent" else table.text(name)
        for name in ANSWERS
        if name in table.content
    }
    table.done()
    return MappingProxyType(answers)


def _population(table: TomlTable) -> Population:
    population = Population(
        who=table.name("who"),
        recruitment=table.name("recruitment"),
        payment=table.name("payment"),
        minutes=table.number("minutes", None, 0),
        overlap=table.name("overlap"),
    )
    table.done()
    return population
