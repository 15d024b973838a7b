"""What study.toml says: the criteria, the design that is wished for, how judges meet the items."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from covary.scales import VisualScale
from covary.study.faults import Faults
from covary.study.files import StudyFileFault, inside, text_of
from covary.study.model import (
    Background,
    Criterion,
    DesignWish,
    Population,
    Recruiting,
    Session,
    TrainingWish,
)
from covary.study.places import Places, find_places
from covary.study.recruiting_table import read_recruiting
from covary.study.scale_tables import read_scale
from covary.study.tables import Table
from covary.study.training_table import read_training

__all__ = ["FILE", "Settings", "read_settings"]

FILE = "study.toml"
DESIGNS = ("latin-squares", "williams", "blocks", "overlap", "everyone")
ENDINGS = (".csv", ".tsv", ".jsonl")


@dataclass(frozen=True)
class Settings:
    """What was read from study.toml. `names` are the keys of all criteria, also of faulty ones."""

    top: Table
    title: str
    language: str
    contact: str
    consent: str
    guidelines: str
    items: Path | None
    human_systems: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    names: tuple[str, ...]
    background: tuple[Background, ...]
    design: DesignWish
    session: Session
    population: Population
    recruiting: Recruiting | None
    training: TrainingWish

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the study in their order; one without a name where there are none."""
        return tuple(dict.fromkeys(each.part for each in self.criteria)) or ("",)


def read_settings(folder: Path, faults: Faults) -> Settings | None:
    """Read study.toml; None where it is missing or no TOML."""
    top = _opened(folder, faults)
    if top is None:
        return None
    criteria, names = _criteria(top)
    settings = Settings(
        top=top,
        title=top.name("title", required=True),
        language=_language(top),
        contact=top.text("contact"),
        consent=_consent(top, folder),
        guidelines=_guidelines(top, folder),
        items=_items_file(top, folder),
        human_systems=top.texts("human_systems") or (),
        criteria=criteria,
        names=names,
        background=_background(top),
        design=_design(top.table("design")),
        session=_session(top.table("session"), len({each.part for each in criteria})),
        population=_population(top.table("population")),
        recruiting=read_recruiting(top),
        training=read_training(top.table("training"), criteria, names),
    )
    top.done()
    return settings


def _opened(folder: Path, faults: Faults) -> Table | None:
    try:
        text, _ = text_of(inside(folder, FILE))
    except StudyFileFault as fault:
        faults.add(FILE, None, "", f"{fault}; 'covary init' writes one")
        return None
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        message = str(error)[: found.start()] if found else str(error)
        faults.add(FILE, line, "", f"is no TOML from here on: {message}")
        return None
    places: Places = find_places(text)
    return Table(content, FILE, faults, places)


def _language(top: Table) -> str:
    found = top.name("language") if "language" in top.content else "en"
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", found):
        top.fault("language", f"{found!r} is no language; write it like 'en', 'de' or 'pt-BR'")
    top.has("language")
    return found


def _consent(top: Table, folder: Path) -> str:
    found = top.text("consent")
    if not found.strip().endswith(".md") or len(found.split()) > 1:
        return found
    return _file(top, "consent", folder, found.strip())


def _guidelines(top: Table, folder: Path) -> str:
    found = top.text("guidelines", "guidelines.md").strip()
    if not found and "guidelines" in top.content:
        return ""
    return _file(top, "guidelines", folder, found)


def _file(top: Table, key: str, folder: Path, name: str) -> str:
    """Return the text of a file that a key names."""
    try:
        return text_of(inside(folder, name))[0]
    except StudyFileFault as fault:
        top.fault(key, f'{fault}; or say {key} = "" for none')
        return ""


def _items_file(top: Table, folder: Path) -> Path | None:
    name = top.text("items", "items.csv").strip()
    try:
        path = inside(folder, name)
    except StudyFileFault as fault:
        top.fault("items", str(fault))
        return None
    if path.suffix.lower() not in ENDINGS:
        top.fault("items", f"{name!r} must end in {', '.join(ENDINGS)}")
        return None
    return path


def _criteria(top: Table) -> tuple[tuple[Criterion, ...], tuple[str, ...]]:
    """Return the criteria without fault, and the keys of all."""
    found: list[Criterion] = []
    names: dict[str, int] = {}
    parts: list[str] = []
    for number, table in enumerate(top.tables("criterion"), start=1):
        criterion, key, part = _criterion(table)
        if key and key in names:
            table.fault("name", f"criterion {names[key]} is called {key!r} too; name one otherwise")
            criterion = None
        names.setdefault(key, number)
        if parts and bool(part) != bool(parts[0]):
            table.fault("part", "either every criterion names its part, or none does")
        parts.append(part)
        if criterion is not None:
            found.append(criterion)
    if not top.content.get("criterion"):
        top.fault("criterion", "is missing; write at least one [[criterion]]")
    return tuple(found), tuple(names)


def _criterion(table: Table) -> tuple[Criterion | None, str, str]:
    name, part = table.name("name", required=True), table.name("part")
    question, definition = table.text("question", required=True), table.text("definition")
    scale = read_scale(table)
    faces, vertical = False, None
    if isinstance(table.content.get("scale"), dict):
        below = table.table("scale")
        faces = below.flag("faces")
        vertical = below.flag("vertical") if below.has("vertical") else None
        if faces and scale is not None and not isinstance(scale, VisualScale):
            below.fault("faces", "stand at the ends of a line: only visual and graphic scales")
    table.done()
    key = f"{name} ({part})" if part else name
    if scale is None:
        return None, key, part
    return Criterion(name, question, scale, part, definition, faces, vertical), key, part


def _background(top: Table) -> tuple[Background, ...]:
    found: list[Background] = []
    for table in top.tables("background"):
        each = Background(
            table.name("name", required=True),
            table.text("question", required=True),
            table.texts("options") or (),
            table.flag("required", True),
            table.flag("group"),
        )
        if each.name and each.name in {other.name for other in found}:
            table.fault("name", f"{each.name!r} is asked twice")
        if each.group and any(other.group for other in found):
            table.fault("group", "another background question makes the groups already")
        if len(each.options) == 1:
            table.fault("options", "one option is no choice; write two or more, or none for text")
        table.done()
        found.append(each)
    return tuple(found)


def _design(table: Table) -> DesignWish:
    wish = DesignWish(
        kind=table.choice("kind", DESIGNS, "everyone"),
        judges=table.whole("judges", 2, 1),
        seed=table.whole("seed", 0, 0),
        per_judge=table.whole("per_judge", None, 1),
        judges_per_item=table.whole("judges_per_item", None, 1),
        repeats=table.whole("repeats", 0, 0),
        repeat_distance=table.whole("repeat_distance", 10, 0),
        source_distance=table.whole("source_distance", 1, 0),
        occasions=table.whole("occasions", 1, 1),
        order=table.choice("order", ("random", "williams", "as-listed"), "random"),
        parts=table.choice("parts", ("rotate", "as-listed"), "rotate"),
    )
    table.done()
    return wish


def _session(table: Table, parts: int) -> Session:
    session = Session(
        break_every=table.whole("break_every", 0, 0),
        go_back=table.flag("go_back", True),
        ask_preference=table.flag("ask_preference"),
        remarks=table.flag("remarks"),
        occasion_gap_hours=table.number("occasion_gap_hours", 0, 0),
        code=table.name("code"),
        redirect=table.name("redirect"),
        markup=table.flag("markup"),
    )
    if session.redirect and not _is_https(session.redirect):
        table.fault("redirect", f"{session.redirect!r} must be an address with https://")
    if session.ask_preference and parts == 1:
        table.fault("ask_preference", "asks which part a judge prefers, and there is only one part")
    table.done()
    return session


def _is_https(address: str) -> bool:
    try:
        found = urlsplit(address)
        return found.scheme == "https" and bool(found.hostname) and not re.search(r"\s", address)
    except ValueError:
        return False


def _population(table: Table) -> Population:
    found = Population(
        who=table.name("who"),
        recruitment=table.name("recruitment"),
        payment=table.name("payment"),
        minutes=table.number("minutes", None, 0),
        overlap=table.name("overlap"),
    )
    table.done()
    return found
