"""`covary design`: who rates what in which order, and what that balances."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covary.analysis.planning import (
    Allocation,
    StudyProgress,
    next_allocation,
    progress,
    read_record,
)
from covary.analysis.planning.record import new_deal
from covary.cli.options import printed_form_option
from covary.cli.screen import debug_option, say
from covary.cli.study_folder import (
    database_option,
    existing_store,
    read_study_folder,
    study_argument,
)
from covary.design import (
    Balance,
    Plan,
    Sheet,
    adaptive_sheets,
    balance,
    extension,
    fullest_load,
    make_plan,
    read_plan,
    unplanned_items,
    usual_load,
    write_plan,
)
from covary.errors import InvalidArgument
from covary.reports.planning.progress import allocation_sentence
from covary.store.export import ratings_of
from covary.study import Study
from covary.words import counted

if TYPE_CHECKING:
    from covary.store import Store

FILE = "design.csv"

COLOURS = {True: None, False: "yellow", None: None}

WIDE = 19

SHOWN = 10
"""Open differences that are named."""

EPILOG = """\b
Examples:
  covary design forecasts --dry-run          what would be balanced, nothing written
  covary design forecasts
  covary design forecasts --judges 33        instead of the number in study.toml
  covary design forecasts --check            a design.csv that was changed by hand
  covary design forecasts --accept-changes   items that were changed after they were judged
  covary design forecasts --extend           sheets for items that were added later
  covary design forecasts --adaptive         sheets for the ratings that help most now

The design is set in study.toml under [design]: kind, judges, seed, per_judge, judges_per_item,
repeats, ... What is impossible is refused, with the nearest design that is possible."""


@click.command(epilog=EPILOG)
@study_argument
@click.option("--judges", type=click.IntRange(1), help="Instead of the number in study.toml.")
@click.option("--seed", type=click.IntRange(0), help="Instead of the seed in study.toml.")
@click.option("--dry-run", is_flag=True, help="Show what would be balanced; write nothing.")
@click.option("--check", is_flag=True, help=f"Check the existing {FILE}, and describe it.")
@click.option("--force", is_flag=True, help=f"Replace a {FILE} that nobody has worked with yet.")
@click.option("--extend", is_flag=True, help="Make sheets for items that are on no sheet yet.")
@click.option(
    "--adaptive",
    is_flag=True,
    help="Make sheets for further judges, with more of the systems whose differences are open.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Items that were judged have changed in the folder: show them to judges as they are now.",
)
@printed_form_option
@database_option
@debug_option
def design(
    study: Path,
    judges: int | None,
    seed: int | None,
    dry_run: bool,
    check: bool,
    force: bool,
    extend: bool,
    adaptive: bool,
    accept_changes: bool,
    form: str,
    database: str | None,
) -> None:
    """Make the sheets of STUDY, a study's folder: who rates what in which order.

    Writes design.csv, one row per task, which any spreadsheet opens, and says what is balanced and
    what is not. The same study and seed give the same design. A design.csv that is there is only
    replaced with --force, and never once a judge has begun. What was judged is kept: a study whose
    judged items have changed is not served before --accept-changes, and ratings stay those of the
    version that was shown.
    """
    described = read_study_folder(study)
    path = described.folder / FILE
    if extend or adaptive or accept_changes:
        if check or seed is not None or force or (extend and adaptive):
            raise click.UsageError(
                "--extend, --adaptive and --accept-changes go with --judges and --dry-run alone"
            )
        with _running_store(study, database) as store:
            if accept_changes:
                _accept(described, store, dry_run)
            if extend:
                _extend(described, store, judges, dry_run)
            if adaptive:
                _adapt(described, store, judges, dry_run)
        return
    if check:
        if judges is not None or seed is not None or dry_run or force:
            raise click.UsageError(
                "--check describes the existing design; leave the other options out"
            )
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
    balanced = balance(study, plan)
    if form == "json":
        about = {"kind": plan.kind, "seed": plan.seed, "settings": dict(plan.settings)}
        click.echo(json.dumps(about | balanced.to_dict(), indent=2, ensure_ascii=False))
        return
    say(f"{study.folder}: {_described(study, plan, balanced)}")
    say()
    part = ""
    for aspect in balanced.aspects:
        if aspect.part != part:
            part = aspect.part
            say(_about_part(study, plan, part) if part else "All parts", bold=True)
        words = f"{aspect.name:{WIDE}}{aspect.verdict:{WIDE}}{aspect.words}"
        say(words, indent=2, hang=2 * WIDE, fg=COLOURS[aspect.good])
    say()


def _described(study: Study, plan: Plan, balanced: Balance) -> str:
    grid = ""
    if study.systems:
        sources = f" for {counted(len(study.sources), 'source')}" if study.sources else ""
        grid = f" ({counted(len(study.systems), 'system')}{sources})"
    longest = max(plan.sheets, key=lambda sheet: len(sheet.tasks))
    kinds = Counter(task.kind for task in longest.tasks)
    tasks = ", ".join(counted(number, f"{kind} task") for kind, number in kinds.items())
    kind = "parts of their own" if study.dealt_by_part else plan.kind or "made by hand"
    return (
        f"{counted(balanced.judges, 'judge')}, {counted(balanced.items, 'item')}{grid}; "
        f"{kind}, seed {plan.seed}. A sheet has up to {tasks}."
    )


def _about_part(study: Study, plan: Plan, part: str) -> str:
    """Say for whom a part is and what it holds, where parts have items or judges of their own."""
    judges = sum(any(task.part == part for task in sheet.tasks) for sheet in plan.sheets)
    items = len(study.of_part(part).items_of("item"))
    kind = study.design.of_part(part).kind
    return f"{part}: {counted(judges, 'judge')}, {counted(items, 'item')}; {kind}"


def _before(path: Path, plan: Plan, force: bool) -> Plan | None:
    """Return the design that is there; refuse to replace another one without --force."""
    if not path.exists():
        return None
    before = read_plan(path)
    if not _same(before, plan) and not force:
        raise InvalidArgument("cli.another-design", path=path, changes=_changes(before, plan))
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
        say(f"Next: {_next(study)}")


def _next(study: Study) -> str:
    """Name the command that follows: where people are recruited, the one that knows the way."""
    command = "serve" if study.recruiting is None else "crowd"
    return f"covary {command} {shlex.quote(str(study.folder))}"


def _same(before: Plan | None, after: Plan) -> bool:
    """Say whether two designs are the same, whichever version of covary wrote them."""
    return before is not None and _content(before) == _content(after)


def _content(plan: Plan) -> tuple[object, ...]:
    settings = {name: value for name, value in plan.settings if name != "covary"}
    return plan.kind, plan.seed, plan.sheets, settings


def _changes(before: Plan, after: Plan) -> str:
    """Say in a few words how two designs differ."""
    old, new = ({sheet.number: sheet for sheet in plan.sheets} for plan in (before, after))
    common = old.keys() & new.keys()
    items = sum(_items(old[number]) != _items(new[number]) for number in common)
    order = sum(old[number] != new[number] for number in common) - items
    changes = [
        f"{len(old)} sheets, now {len(new)}" if len(old) != len(new) else "",
        f"{before.kind or 'made by hand'}, now {after.kind}" if before.kind != after.kind else "",
        f"seed {before.seed}, now {after.seed}" if before.seed != after.seed else "",
        f"{items} sheets hold other tasks" if items else "",
        f"{order} sheets are in another order" if order else "",
    ]
    return "; ".join(change for change in changes if change) or "only the settings differ"


def _items(sheet: Sheet) -> Counter[tuple[str, str, str, int]]:
    return Counter((task.item, task.kind, task.part, task.occasion) for task in sheet.tasks)


@contextmanager
def _running_store(study: Path, database: str | None) -> Iterator[Store]:
    """Open the store of a study that was served; before that, items may change as one likes."""
    with existing_store(study, database) as store:
        if store is None or not store.sheets.holders():
            raise InvalidArgument("cli.not-begun", folder=read_study_folder(study).folder)
        yield store


def _accept(study: Study, store: Store, dry_run: bool) -> None:
    changes = store.items.changes(study) if dry_run else store.items.take(study, accept=True)
    if not changes:
        say("No item that was judged has changed.")
    for change in changes:
        answers = counted(change.answers, "answer")
        say(f"{change.item}: {', '.join(change.fields)} changed; {answers} stay those of the old.")
    if changes and not dry_run:
        say("Accepted. A server that runs shows the new versions when it is started again.")


def _extend(study: Study, store: Store, judges: int | None, dry_run: bool) -> None:
    new = unplanned_items(study, store.sheets.all())
    if not new:
        raise InvalidArgument("cli.nothing-to-extend")
    path = study.folder / FILE
    known = read_plan(path) if path.is_file() else None
    plan = known or Plan(study.design.kind, study.design.seed, ())
    plan = replace(plan, sheets=tuple(store.sheets.all()))
    added = extension(study, plan, new, judges)
    first, last = added.sheets[0].number, added.sheets[-1].number
    if not dry_run:
        store.items.take(study)
    say(
        f"{counted(len(new), 'new item')} on {counted(len(added.sheets), 'new sheet')} "
        f"({first} to {last}), {added.kind}: each for {_judges_of_each(added)} (--judges says how "
        "many sheets). Judges who have a sheet keep it as it is."
    )
    if dry_run:
        return
    store.sheets.put(added.sheets)
    if known is not None:
        write_plan(replace(known, sheets=(*known.sheets, *added.sheets)), path)
    say("Free sheets are given out by number, so these come after those that are free now.")


def _judges_of_each(added: Plan) -> str:
    """Say how many judges an item gets, at the least and at the most."""
    items = [
        {task.item for task in sheet.tasks if task.kind != "practice"} for sheet in added.sheets
    ]
    times = Counter(item for own in items for item in own).values()
    low, high = min(times), max(times)
    return counted(low, "judge") if low == high else f"{low} to {high} judges"


def _adapt(study: Study, store: Store, judges: int | None, dry_run: bool) -> None:
    """Deal the next ratings out where they help most, and keep what was done and why."""
    path, record = study.folder / FILE, read_record(study.folder)
    collected = ratings_of(study, store, faulty="set-aside")
    found = progress(collected, record=record)
    known = read_plan(path) if path.is_file() else None
    plan = known or Plan(study.design.kind, study.design.seed, ())
    plan = replace(plan, sheets=tuple(store.sheets.all()))
    load = usual_load(plan)
    number = judges or max(1, round(len(study.items_of("item")) / load))
    offered = next_allocation(found, number * load)
    most = fullest_load(study, offered.shares, number)
    if most < load:  # a judge rates an item once
        offered = next_allocation(found, number * most)
    shares = {str(name): share for name, share in offered.shares.items()}
    sheets = adaptive_sheets(study, plan, shares, number)
    ends = sheets[0].number, sheets[-1].number
    _tell_adaptive(found, offered, ends, free=_free_sheets(store))
    if dry_run:
        return
    store.sheets.put(sheets)
    if known is not None:
        write_plan(replace(known, sheets=(*known.sheets, *sheets)), path)
    if record is not None:
        done = max(one.ratings for one in found.criteria)
        deals = (*record.deals, new_deal(done, ends, offered))
        say(f"Kept in the plan: {replace(record, deals=deals).write(study.folder)}")


def _tell_adaptive(
    found: StudyProgress, offered: Allocation, ends: tuple[int, int], *, free: int
) -> None:
    """Say which sheets there are, what they gain and what that costs."""
    undecided = [
        f"{pair.first} and {pair.second}" + (f" ({one.criterion})" if one.criterion else "")
        for one in found.criteria
        for pair in one.pairs or ()
        if pair.state == "open"
    ]
    sheets = counted(ends[1] - ends[0] + 1, "new sheet")
    say(f"Open: {', '.join(undecided[:SHOWN])}{' …' if len(undecided) > SHOWN else ''}.")
    say(f"{sheets} ({ends[0]} to {ends[1]}). {allocation_sentence(offered)}")
    if free:
        say(
            f"{counted(free, 'sheet')} of the design before are free and are given out first.",
            fg="yellow",
        )


def _free_sheets(store: Store) -> int:
    return sum(holder is None for holder in store.sheets.holders().values())


def _settle(study: Path, database: str | None, plan: Plan, *, lost: bool) -> None:
    """Refuse to change a design that judges work with; replace sheets that nobody has yet.

    A design.csv that was lost may be written again.
    """
    folder = study.parent if study.suffix == ".db" else study
    with existing_store(study, database) as store:
        if store is None:
            return
        there = store.sheets.all()
        if not there or (lost and list(plan.sheets) == there[: len(plan.sheets)]):
            return
        held = any(holder is not None for holder in store.sheets.holders().values())
        if held or store.answers.counts().answers:
            raise InvalidArgument("cli.design-in-use", folder=folder)
        if len(there) > len(plan.sheets):
            raise InvalidArgument("cli.too-few-sheets", there=len(there), planned=len(plan.sheets))
        store.sheets.put(plan.sheets)
