"""`covary design`: who rates what in which order, and what that balances."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from pathlib import Path

import click

from covary.cli.collected import database_option, opened_store, read_folder, study_argument
from covary.cli.screen import debug_option, say
from covary.design import Balance, Plan, Sheet, balance, make_plan, read_plan, write_plan
from covary.errors import InvalidArgument
from covary.study import Study

__all__ = ["design"]

FILE = "design.csv"

COLOURS = {True: None, False: "yellow", None: None}

WIDE = 19

EPILOG = """\b
Examples:
  covary design forecasts --dry-run          what would be balanced, nothing written
  covary design forecasts
  covary design forecasts --judges 33        instead of the number in study.toml
  covary design forecasts --check            a design.csv that was changed by hand

What is wanted stands in study.toml under [design]: kind, judges, seed, per_judge, judges_per_item,
repeats, ... What cannot be had is refused, with the nearest that can."""


@click.command(epilog=EPILOG, short_help="Say who rates what, and what that balances.")
@study_argument
@click.option("--judges", type=click.IntRange(1), help="Instead of the number in study.toml.")
@click.option("--seed", type=click.IntRange(0), help="Instead of the seed in study.toml.")
@click.option("--dry-run", is_flag=True, help="Only say what would be balanced; write nothing.")
@click.option("--check", is_flag=True, help=f"Check the {FILE} that is there, and describe it.")
@click.option("--force", is_flag=True, help=f"Replace a {FILE} that nobody has worked with yet.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Form of what is printed.",
)  # fmt: skip
@database_option
@debug_option
def design(
    study: Path,
    judges: int | None,
    seed: int | None,
    dry_run: bool,
    check: bool,
    force: bool,
    form: str,
    database: str | None,
) -> None:
    """Make the sheets of STUDY, a study's folder: who rates what in which order.

    Writes design.csv, one row per task, which any spreadsheet opens, and says what is balanced and
    what is not. The same study and seed give the same design. A design.csv that is there is only
    replaced with --force, and never once a judge has begun.
    """
    described = read_folder(study)
    path = described.folder / FILE
    if check:
        if judges is not None or seed is not None or dry_run or force:
            raise click.UsageError("--check describes what is there; leave the other options out")
        _show(described, read_plan(path, described), form)
        return
    plan = make_plan(described, judges=judges, seed=seed)
    if dry_run:
        _show(described, plan, form)
        return
    before = _before(path, plan, force)
    if not _same(before, plan):
        _settle(study, database, plan, lost=before is None)
    _show(described, plan, form)
    _write(described, plan, before, form)


def _show(study: Study, plan: Plan, form: str) -> None:
    found = balance(study, plan)
    if form == "json":
        about = {"kind": plan.kind, "seed": plan.seed, "settings": dict(plan.settings)}
        click.echo(json.dumps(about | found.to_dict(), indent=2, ensure_ascii=False))
        return
    say(f"{study.folder}: {_described(study, plan, found)}")
    say()
    for each in found.aspects:
        words = f"{each.name:{WIDE}}{each.verdict:{WIDE}}{each.words}"
        say(words, indent=2, hang=2 * WIDE, fg=COLOURS[each.good])
    say()


def _described(study: Study, plan: Plan, found: Balance) -> str:
    grid = ""
    if study.systems:
        sources = f" for {_counted(len(study.sources), 'source')}" if study.sources else ""
        grid = f" ({_counted(len(study.systems), 'system')}{sources})"
    longest = max(plan.sheets, key=lambda sheet: len(sheet.tasks))
    kinds = Counter(task.kind for task in longest.tasks)
    tasks = ", ".join(_counted(number, f"{kind} task") for kind, number in kinds.items())
    return (
        f"{_counted(found.judges, 'judge')}, {_counted(found.items, 'item')}{grid}; "
        f"{plan.kind or 'made by hand'}, seed {plan.seed}. A sheet has up to {tasks}."
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _before(path: Path, plan: Plan, force: bool) -> Plan | None:
    """Return the design that is there; refuse to replace another one without --force."""
    if not path.exists():
        return None
    before = read_plan(path)
    if not _same(before, plan) and not force:
        raise InvalidArgument(
            f"{path} exists and is another design ({_changes(before, plan)}); --check describes "
            "it, --dry-run the new one, and --force replaces it"
        )
    return before


def _write(study: Study, plan: Plan, before: Plan | None, form: str) -> None:
    path = study.folder / FILE
    if _same(before, plan):
        words = f"{path} holds this design already."
    else:
        write_plan(plan, path)
        words = f"Written: {path}"
        words += f" (instead of the design before: {_changes(before, plan)})" if before else ""
    if form == "text":
        say(words)
        say(f"Next: covary serve {shlex.quote(str(study.folder))}")


def _same(before: Plan | None, after: Plan) -> bool:
    """Say whether two designs are the same, whichever version of covary wrote them."""
    return before is not None and _told(before) == _told(after)


def _told(plan: Plan) -> tuple[object, ...]:
    settings = {name: value for name, value in plan.settings if name != "covary"}
    return plan.kind, plan.seed, plan.sheets, settings


def _changes(before: Plan, after: Plan) -> str:
    """Say in a few words how two designs differ."""
    old, new = ({sheet.number: sheet for sheet in plan.sheets} for plan in (before, after))
    common = old.keys() & new.keys()
    items = sum(_items(old[number]) != _items(new[number]) for number in common)
    order = sum(old[number] != new[number] for number in common) - items
    said = [
        f"{len(old)} sheets, now {len(new)}" if len(old) != len(new) else "",
        f"{before.kind or 'made by hand'}, now {after.kind}" if before.kind != after.kind else "",
        f"seed {before.seed}, now {after.seed}" if before.seed != after.seed else "",
        f"{items} sheets hold other tasks" if items else "",
        f"{order} sheets are in another order" if order else "",
    ]
    return "; ".join(each for each in said if each) or "only the settings differ"


def _items(sheet: Sheet) -> Counter[tuple[str, str, str, int]]:
    return Counter((task.item, task.kind, task.part, task.occasion) for task in sheet.tasks)


def _settle(study: Path, database: str | None, plan: Plan, *, lost: bool) -> None:
    """Refuse to change a design that judges work with; replace sheets that nobody has yet.

    A design.csv that was lost may be written again.
    """
    folder = study.parent if study.suffix == ".db" else study
    if database is None and not (folder / "study.db").exists():
        return
    with opened_store(study, database) as store:
        there = store.sheets()
        if not there or (lost and list(plan.sheets) == there[: len(plan.sheets)]):
            return
        if store.counts().answers or any(holder is not None for holder in store.holders().values()):
            raise InvalidArgument(
                f"judges have begun with the design of '{folder}', so it stays as it is; further "
                "judges get sheets that continue it, and another design needs a study of its own"
            )
        if len(there) > len(plan.sheets):
            raise InvalidArgument(
                f"{len(there)} sheets were made ready for judges, more than the {len(plan.sheets)} "
                f"of this design; use --judges {len(there)} or more"
            )
        store.put_sheets(plan.sheets)
