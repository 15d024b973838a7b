"""`covary design --adaptive`: sheets for the ratings that help most, kept in the plan; refusals."""

import json
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pytest

from covary.analysis.planning import PlanRecord, StudySize, read_record
from covary.cli import main
from covary.design import is_adaptive, make_plan, read_plan, write_plan
from covary.store import Answer, Store
from covary.study import read_study
from tests.cli.conftest import Ended
from tests.study.folders import write_study

TOML = """\
title = "Forecasts"

[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = { kind = "verbal", categories = "1-7" }

[design]
kind = "everyone"
judges = 6
"""

SOURCES, SYSTEMS = 8, ("anvil", "bolt", "chisel")
ITEMS = "item,text,system,source\n" + "".join(
    f"{system}{n},Text {n} of {system}.,{system},s{n}\n"
    for n in range(SOURCES)
    for system in SYSTEMS
)
SHARES = {"anvil": 15, "bolt": 15, "chisel": 2}
"""Of 2 × 16 ratings: as many as fit on a sheet while a judge rates none of 8 items twice.

Two sheets of the usual 24 would be 48 × (.2 / 3 + .8 / 2) = 22.4 of either open system, 23 after
rounding, 8 × 48 / 23 = 16 fit, and 32 ratings are 14.9, 14.9 and 2.1.
"""

OPEN_PAIR = {"anvil": 5.0, "bolt": 5.0, "chisel": 2.0}


def begun(folder, means, **facts):
    """A study of three systems in which four of six judges rated everything, around these means."""
    write_study(folder, TOML, ITEMS)
    plan = make_plan(read_study(folder))
    write_plan(plan, folder / "design.csv")
    size = StudySize(systems=3, items=SOURCES, judges=6, votes=6)
    record = PlanRecord(made="2026-11-18", size=size, target=0.8, difference=1.0, **facts)
    record.write(folder)
    rng = np.random.default_rng(3)
    with Store.open(folder / "study.db") as store:
        store.sheets.put(plan.sheets)
        for number in range(4):
            judge = store.judges.add(f"judge {number}")[0].id
            sheet = store.sheets.issue(judge)
            store.answers.save([_answer(judge, sheet, task, means, rng) for task in sheet.tasks])
    return folder


def _answer(judge, sheet, task, means, rng):
    rating = int(np.clip(round(means[task.item.rstrip("0123456789")] + rng.normal(0, 0.7)), 1, 7))
    return Answer(
        judge=judge, sheet=sheet.number, position=task.position, item=task.item,
        criterion="Fluency", rating=rating, key=f"{judge}-{task.position}", page="p", sequence=1,
        manual="m",
    )  # fmt: skip


def told(ended):
    return " ".join(ended.out.split())


def command(*arguments):
    """Run a command once for several tests."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main([str(each) for each in arguments])
    return Ended(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def adapted(tmp_path_factory):
    """The study of an open and two decided differences, what was said, and the sheets after."""
    folder = begun(tmp_path_factory.mktemp("adapted") / "forecasts", OPEN_PAIR)
    dry = command("design", folder, "--adaptive", "--judges", 2, "--dry-run")
    after_dry = (len(read_plan(folder / "design.csv").sheets), read_record(folder).deals)
    ended = command("design", folder, "--adaptive", "--judges", 2)
    return folder, (dry, after_dry), ended


def test_it_says_what_is_open_and_what_the_step_costs(adapted):
    ended = adapted[2]
    assert ended.code == 0, ended.err
    assert "Open: anvil and bolt (Fluency)." in told(ended)
    assert "2 new sheets (7 to 8)" in told(ended)
    assert "2 sheets of the design before are free and are given out first." in told(ended)


def test_a_dry_run_says_the_same_and_changes_nothing(adapted):
    _, (dry, after), ended = adapted
    assert dry.code == 0
    assert told(dry) == told(ended).partition(" Kept in the plan")[0]
    assert after == (6, ())


def test_the_sheets_are_dealt_out_written_and_called_adaptive(adapted):
    folder = adapted[0]
    plan = read_plan(folder / "design.csv", read_study(folder))
    new = [sheet for sheet in plan.sheets if is_adaptive(sheet)]
    assert [(sheet.number, sheet.row) for sheet in new] == [(7, "adaptive 1"), (8, "adaptive 2")]
    items = Counter(task.item.rstrip("0123456789") for sheet in new for task in sheet.tasks)
    assert items == SHARES
    with Store.open(folder / "study.db") as store:
        assert store.sheets.all()[-2:] == new


def test_the_plan_keeps_the_deal_with_its_shares_and_its_price(adapted):
    folder = adapted[0]
    (deal,) = json.loads((folder / "plan.json").read_text("utf-8"))["deals"]
    assert (deal["ratings"], deal["first"], deal["last"]) == (4 * 3 * SOURCES, 7, 8)
    assert deal["shares"] == SHARES
    assert 0 < deal["efficiency"] < 1
    assert read_record(folder).deals[0].shares == deal["shares"]


def test_the_report_tells_of_it(adapted, tmp_path):
    ended = command("report", adapted[0], "--no-intervals", "-o", tmp_path / "report.md")
    assert ended.code == 0, ended.err
    assert "adaptive" in (tmp_path / "report.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("means", "facts", "reason"),
    [
        ({"anvil": 6.4, "bolt": 4.0, "chisel": 1.6}, {}, "the study may stop"),
        ({"anvil": 4.0, "bolt": 4.0, "chisel": 4.0}, {}, "equal shares are the best"),
        (OPEN_PAIR, {"looks": 4}, "declared 4 looks"),
    ],
    ids=["all decided", "nothing decided", "declared looks"],
)
def test_it_is_refused_where_nothing_is_gained(run, tmp_path, means, facts, reason):
    folder = begun(tmp_path / "forecasts", means, **facts)
    ended = run("design", folder, "--adaptive")
    assert ended.code == 1
    assert reason in " ".join(ended.err.split())
    assert len(read_plan(folder / "design.csv").sheets) == 6


def test_it_is_refused_before_anybody_judged(run, tmp_path):
    folder = write_study(tmp_path / "forecasts", TOML, ITEMS)
    assert run("design", folder).code == 0
    ended = run("design", folder, "--adaptive")
    assert ended.code == 1
    assert "--adaptive" in ended.err or "begun" in ended.err or "served" in ended.err


def test_it_goes_with_judges_and_dry_run_alone(run, tmp_path):
    folder = write_study(tmp_path / "forecasts", TOML, ITEMS)
    for other in ("--extend", "--check", "--force"):
        assert run("design", folder, "--adaptive", other).code == 2
