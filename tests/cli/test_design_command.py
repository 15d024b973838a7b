"""`covary design`: what it writes, what it says, and what it never replaces."""

import csv
import json
import shutil

import pytest

from covary.design import make_plan, read_plan
from covary.study import read_study, write_template


@pytest.fixture
def folder(tmp_path):
    """Eight judges, 4 systems for 8 sources, in two parts."""
    place = tmp_path / "forecasts"
    write_template(place, "verbal-and-visual")
    return place


def told(ended):
    return " ".join(ended.out.split())


def test_a_design_is_written_and_described(run, folder):
    ended = run("design", folder)
    assert (ended.code, ended.err) == (0, "")
    assert "8 judges, 32 items (4 systems for 8 sources); latin-squares, seed 2011" in told(ended)
    assert "systems per judge balanced each judge rates each system 2 times" in told(ended)
    assert "positions not balanced" in told(ended)
    assert f"Written: {folder / 'design.csv'}" in told(ended)
    study = read_study(folder)
    assert read_plan(folder / "design.csv", study) == make_plan(study)


def test_nothing_printed_is_wider_than_a_page_or_coloured_in_a_file(run, folder):
    lines = run("design", folder).out.splitlines()
    assert all(len(line) <= 100 and line == line.rstrip() for line in lines)
    assert "\x1b" not in "".join(lines)


def test_a_dry_run_writes_nothing(run, folder):
    before = sorted(folder.iterdir())
    ended = run("design", folder, "--dry-run", "--judges", 6)
    assert ended.code == 0
    assert "6 judges" in ended.out
    assert "4 or 8 judges would make it even" in told(ended)
    assert sorted(folder.iterdir()) == before


def test_judges_and_seed_of_the_command_line_count(run, folder):
    run("design", folder, "--judges", 12, "--seed", 5)
    plan = read_plan(folder / "design.csv")
    assert (len(plan.sheets), plan.seed, dict(plan.settings)["judges"]) == (12, 5, 12)


def test_json_holds_the_settings_and_every_aspect(run, folder):
    found = json.loads(run("design", folder, "--dry-run", "--format", "json").out)
    assert (found["kind"], found["seed"], found["judges"]) == ("latin-squares", 2011, 8)
    assert {"systems per judge", "carry-over", "links"} <= {a["name"] for a in found["aspects"]}


def test_the_same_design_again_changes_nothing(run, folder):
    run("design", folder)
    stamp = (folder / "design.csv").stat().st_mtime_ns
    ended = run("design", folder)
    assert ended.code == 0
    assert "holds this design already" in told(ended)
    assert (folder / "design.csv").stat().st_mtime_ns == stamp


def test_the_same_design_of_an_older_covary_is_no_other_one(run, folder):
    run("design", folder)
    path = folder / "design.csv"
    path.write_text(path.read_text().replace("; covary=", "; covary=0.0.1-"))
    assert "holds this design already" in told(run("design", folder))


def test_another_design_is_only_replaced_by_force_which_says_what_changes(run, folder):
    run("design", folder)
    before = (folder / "design.csv").read_bytes()
    ended = run("design", folder, "--judges", 12)
    assert (ended.code, ended.out) == (1, "")
    assert "8 sheets, now 12" in ended.err
    assert "--force replaces it" in ended.err
    assert (folder / "design.csv").read_bytes() == before
    ended = run("design", folder, "--judges", 12, "--seed", 3, "--force")
    assert ended.code == 0
    assert "instead of the design before: 8 sheets, now 12; seed 2011, now 3" in told(ended)
    assert len(read_plan(folder / "design.csv").sheets) == 12


def test_an_impossible_wish_is_one_line_with_the_nearest(run, folder):
    path = folder / "study.toml"
    path.write_text(path.read_text().replace("seed = 2011", "seed = 2011\nper_judge = 6"))
    ended = run("design", folder)
    assert (ended.code, ended.out) == (1, "")
    assert "per_judge = 6 is not possible" in ended.err
    assert "use 4 or 8" in ended.err
    assert ended.err.count("\n") == 1


def test_a_design_changed_by_hand_is_checked_with_every_fault(run, folder):
    run("design", folder)
    assert "systems per judge balanced" in told(run("design", folder, "--check"))
    rows = list(csv.reader((folder / "design.csv").read_text().splitlines()))
    rows[3][3], rows[9][4] = "nothing", "itm"
    with (folder / "design.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    ended = run("design", folder, "--check")
    assert (ended.code, ended.out) == (1, "")
    assert "design.csv, line 4: item: 'nothing' is not among the items" in ended.err
    assert "design.csv, line 10: kind: 'itm' is not a kind of task" in ended.err


def test_check_goes_with_no_other_option(run, folder):
    assert run("design", folder, "--check", "--seed", 3).code == 2


def test_without_a_design_there_is_nothing_to_check(run, folder):
    ended = run("design", folder, "--check")
    assert ended.code == 1
    assert "design.csv" in ended.err


def test_a_folder_without_study_is_refused(run, tmp_path):
    ended = run("design", tmp_path)
    assert ended.code == 1
    assert "no study.toml" in ended.err


def stored(folder, *, begun):
    """A store with the sheets of the study, and a judge who has one if anybody has begun."""
    from covary.store import Store

    with Store.open(folder / "study.db") as store:
        store.sheets.put(read_plan(folder / "design.csv").sheets)
        if begun:
            judge, _ = store.judges.add("Ann")
            store.sheets.issue(judge.id)


def sheets_in(folder):
    from covary.store import Store

    with Store.open(folder / "study.db", create=False) as store:
        return tuple(store.sheets.all())


def test_a_design_that_judges_work_with_is_never_replaced(run, folder):
    run("design", folder)
    stored(folder, begun=True)
    before = (folder / "design.csv").read_bytes()
    ended = run("design", folder, "--seed", 3, "--force")
    assert (ended.code, ended.out) == (1, "")
    assert "judges have begun" in ended.err
    assert (folder / "design.csv").read_bytes() == before
    assert run("design", folder).code == 0  # the same design is not a change


def test_a_lost_design_of_judges_at_work_can_be_written_again(run, folder):
    run("design", folder)
    stored(folder, begun=True)
    shutil.move(folder / "design.csv", folder / "lost.csv")
    assert run("design", folder, "--seed", 3).code == 1
    assert run("design", folder).code == 0
    assert (folder / "design.csv").read_bytes() == (folder / "lost.csv").read_bytes()


def test_sheets_that_nobody_has_yet_follow_the_new_design(run, folder):
    run("design", folder)
    stored(folder, begun=False)
    ended = run("design", folder, "--judges", 4, "--force")
    assert ended.code == 1
    assert "use --judges 8 or more" in ended.err
    assert run("design", folder, "--judges", 12, "--seed", 3, "--force").code == 0
    assert sheets_in(folder) == read_plan(folder / "design.csv").sheets


def served(folder, *, answered=""):
    """A store as a server leaves it, with an answer on an item if one is named."""
    from covary.store import Answer, Store
    from covary.study.item_versions import version_of

    study = read_study(folder)
    with Store.open(folder / "study.db") as store:
        store.items.take(study)
        store.sheets.put(make_plan(study).sheets)
        if answered:
            judge, _ = store.judges.add("Ann")
            sheet = store.sheets.issue(judge.id)
            task = next(task for task in sheet.tasks if task.kind == "item")
            criterion = study.criteria_of(task.part)[0]
            version = version_of(study.item(task.item), folder).version
            store.answers.save(
                [
                    Answer(
                        judge=judge.id, sheet=sheet.number, position=task.position,
                        item=task.item, criterion=criterion.key, rating=4, key="k", page="p",
                        sequence=1, item_version=version,
                    )
                ]
            )  # fmt: skip
            return task.item
    return ""


def change_text(folder, item):
    file = folder / "items.csv"
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    for row in rows:
        if row["item"] == item:
            row["text"] = "Something else entirely."
    with file.open("w", newline="") as opened:
        table = csv.DictWriter(opened, rows[0])
        table.writeheader()
        table.writerows(rows)


def test_a_judged_item_that_changed_stops_the_server_until_it_is_accepted(run, folder):
    item = served(folder, answered="yes")
    change_text(folder, item)
    ended = run("links", folder, "--judges", 1)
    assert ended.code == 1
    assert f"{item} (texts)" in ended.err
    assert f"covary design {folder} --accept-changes" in " ".join(ended.err.split())
    assert f"{item}: texts changed; 1 answer" in told(run("design", folder, "--accept-changes"))
    assert run("links", folder, "--judges", 1).code == 0
    assert "No item that was judged has changed" in told(run("design", folder, "--accept-changes"))


def test_a_dry_run_names_the_changes_and_accepts_nothing(run, folder):
    item = served(folder, answered="yes")
    change_text(folder, item)
    assert f"{item}: texts changed" in told(run("design", folder, "--accept-changes", "--dry-run"))
    assert run("links", folder, "--judges", 1).code == 1


def add_items(folder, sources):
    file = folder / "items.csv"
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    old = [row for row in rows if row.get("kind", "") in ("", "item")]
    systems = sorted({row["system"] for row in old})
    for source in sources:
        for system in systems:
            new = {**old[0], "item": f"{system}-{source}", "system": system, "source": source}
            rows.append(new | {"text": f"New text of {system} on {source}."})
    with file.open("w", newline="") as opened:
        table = csv.DictWriter(opened, rows[0])
        table.writeheader()
        table.writerows(rows)
    return [f"{system}-{source}" for source in sources for system in systems]


def test_new_items_reach_judges_by_sheets_of_their_own(run, folder):
    run("design", folder)
    served(folder, answered="yes")
    before = sheets_in(folder)
    new = add_items(folder, ["n1", "n2", "n3", "n4"])
    ended = run("design", folder, "--extend", "--judges", 4)
    assert (ended.code, ended.err) == (0, "")
    assert "16 new items on 4 new sheets (9 to 12), latin-squares: each for 1 judge" in told(ended)
    after = sheets_in(folder)
    assert after[: len(before)] == before
    shown = [task.item for sheet in after[8:] for task in sheet.tasks if task.kind == "item"]
    assert set(shown) == set(new)
    assert read_plan(folder / "design.csv").sheets == after
    again = run("design", folder, "--extend")
    assert (again.code, "every item of the study is on a sheet" in again.err) == (1, True)


def test_new_items_that_make_no_square_are_given_to_everyone(run, folder):
    served(folder)
    with (folder / "items.csv").open(newline="") as opened:
        header = next(csv.reader(opened))
    with (folder / "items.csv").open("a", newline="") as opened:
        table = csv.DictWriter(opened, header)
        for name in ("x", "y"):  # one output of each of two systems, for a source each
            table.writerow({"item": name, "text": name, "system": name, "source": name})
    ended = run("design", folder, "--extend", "--judges", 2)
    assert "2 new items on 2 new sheets (9 to 10), everyone" in told(ended)


def test_before_a_study_was_served_there_is_nothing_to_extend_or_accept(run, folder):
    for option in ("--extend", "--accept-changes"):
        ended = run("design", folder, option)
        assert (ended.code, ended.out) == (1, "")
        assert "has not been served yet" in ended.err


def test_an_extension_that_is_refused_has_announced_nothing(run, folder):
    run("design", folder)
    served(folder, answered="yes")
    add_items(folder, ["n1", "n2", "n3", "n4"])
    judged = next(task.item for task in sheets_in(folder)[0].tasks if task.kind == "item")
    items = folder / "items.csv"
    rows = list(csv.DictReader(items.read_text().splitlines()))
    next(row for row in rows if row["item"] == judged)["text"] = "Something else."
    with items.open("w", newline="") as opened:
        table = csv.DictWriter(opened, rows[0])
        table.writeheader()
        table.writerows(rows)
    ended = run("design", folder, "--extend")
    assert (ended.code, ended.out) == (1, "")
    assert "--accept-changes" in ended.err
