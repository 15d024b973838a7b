"""A study's folder becomes a `Study`, or every fault in it is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from covary.scales import Preference
from covary.study.faults import Faults, near
from covary.study.items import Reader
from covary.study.manual import make_manual
from covary.study.model import Item, Study
from covary.study.recruiting_table import check_recruiting
from covary.study.rows import Row, read_rows
from covary.study.settings import FILE, Settings, read_settings
from covary.study.training_table import check_training_sets

__all__ = ["read_study"]


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
        faults.add(FILE, None, "", f"'{place}' is no folder; 'covary init' makes one")
        faults.raise_any()
    settings = read_settings(place, faults)
    if settings is None:
        faults.raise_any()
        raise AssertionError("settings are missing only with a fault")
    items = _items(place, settings, faults, notes)
    faults.raise_any()
    return Study(
        folder=place,
        title=settings.title,
        criteria=settings.criteria,
        items=tuple(items),
        manual=make_manual(settings.criteria, settings.guidelines),
        design=settings.design,
        session=settings.session,
        consent=settings.consent,
        background=settings.background,
        contact=settings.contact,
        language=settings.language,
        human_systems=settings.human_systems,
        parts=settings.parts,
        population=settings.population,
        recruiting=settings.recruiting,
        training=settings.training,
        notes=tuple(notes),
    )


def _items(folder: Path, settings: Settings, faults: Faults, notes: list[str]) -> list[Item]:
    """Read the items, and check what depends on both files."""
    file = settings.items
    if file is None:
        return []
    rows = read_rows(file, faults, notes)
    if not rows:
        return []
    items = Reader(file, folder, settings.criteria, settings.names, faults).items(rows)
    if not any(each.kind in ("item", "anchor", "gold") for each in items):
        faults.add(
            file.name, None, "kind", "no item is there to be judged, only practice or checks"
        )
    _check_pairs(items, rows, settings, faults, file.name)
    check_training_sets(items, rows, faults, file.name)
    if "training" in settings.top.content and not any(each.kind == "training" for each in items):
        notes.append("There is a [training] table, but no item is of the kind 'training'.")
    _check_human_systems(items, settings)
    _check_squares(items, settings)
    check_recruiting(settings.top, settings.recruiting, settings.design, items)
    blind = sum(each.image is not None and not each.image_text for each in items)
    if blind:
        images = "1 image has" if blind == 1 else f"{blind} images have"
        notes.append(f"{images} no image_text, which is read out to judges who cannot see it.")
    return items


def _check_pairs(
    items: Sequence[Item], rows: Sequence[Row], settings: Settings, faults: Faults, file: str
) -> None:
    """Report items that cannot be compared, where a criterion asks which output is better."""
    asking = [each.key for each in settings.criteria if isinstance(each.scale, Preference)]
    if not asking:
        return
    for item, row in zip(items, rows, strict=True):
        if item.texts and len(item.texts) != 2:
            faults.add(
                file, row.line, "text",
                f"{item.id!r} has {len(item.texts)} text{'s' * (len(item.texts) > 1)}, and "
                f"{asking[0]!r} compares two; fill text_1 and text_2",
            )  # fmt: skip


def _check_human_systems(items: Sequence[Item], settings: Settings) -> None:
    systems = dict.fromkeys(system for each in items for system in each.systems)
    for each in settings.human_systems:
        if each not in systems:
            advice = near(each, systems) if systems else "the items name no systems"
            settings.top.fault("human_systems", f"no item comes from {each!r}; {advice}")


def _check_squares(items: Sequence[Item], settings: Settings) -> None:
    """Report items that cannot have a place in a square."""
    if settings.design.kind != "latin-squares":
        return
    lost = [each.id for each in items if each.kind == "item" and not (each.systems and each.source)]
    if lost:
        below = settings.top.table("design")
        below.fault(
            "kind",
            f"Latin squares need the system and the source of every item; {len(lost)} of the items "
            f"lack one, the first is {lost[0]!r}",
        )
