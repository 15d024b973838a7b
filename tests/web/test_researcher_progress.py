"""What the researchers' first pages say about a study that is under way."""

import re
import threading
from dataclasses import replace
from html import unescape

import pytest

from covary.analysis.planning import PlanRecord, StudySize
from covary.scales import VerbalScale
from covary.study.model import Criterion, Item
from covary.web.judge.sheets import SheetCache, take_back
from covary.web.researcher import live as researcher_live
from covary.web.researcher.desk import Desk
from covary.web.researcher.live import LiveNumbers, examine
from covary.web.researcher.measures import too_many
from covary.web.serving.app import create_app
from covary.web.site import Site
from tests.web import studies
from tests.web.client import Judge, heading
from tests.web.researching import HOSTILE, Researcher, answer, everything, many_items, rated

FIVE = Criterion("Fluency", "How fluent?", VerbalScale(range(1, 6)))

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C: four observers,
# twelve units; alpha is .743 for names, .815 for ranks, .849 for intervals.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


@pytest.fixture
def researcher(store):
    made = []

    def of(study):
        made.append(Researcher(create_app(study, store), store))
        made[-1].enter()
        return made[-1]

    yield of
    for each in made:
        each.close()


def text_of(response):
    """What is read on a page, without its marks."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.text)).split())


def row_of(response, name):
    found = re.search(rf'<th scope="row"[^>]*>(?:<a [^>]*>)?{re.escape(name)}<.*?</tr>',
                      response.text, re.DOTALL)  # fmt: skip
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[0])).split())


def test_the_alpha_of_krippendorffs_example_is_on_the_page(researcher, store, tmp_path):
    study = many_items(tmp_path, 12, FIVE)
    rated(study, store, OBSERVERS)
    (line,) = examine(study, store)["lines"]
    assert line.agreement.value == pytest.approx(0.815, abs=5e-4)
    assert (line.items, line.judges, line.ratings) == (12, 4, 41)
    worst = examine(study, store)["disputed"][0]  # the sixth unit, on which all four differ
    assert (worst.ratings, worst.judges) == ((1, 2, 3, 4), ("A", "B", "C", "D"))
    shown = researcher(study).page()
    assert ".82 [" in row_of(shown, "Fluency")
    assert "41" in row_of(shown, "Fluency")
    assert "A: 1, B: 2, C: 3, D: 4" in row_of(shown, worst.item)


def test_a_coefficient_that_does_not_exist_is_a_dash_with_its_reason(researcher, store, tmp_path):
    study = many_items(tmp_path, 6, FIVE, studies.VISUAL)
    rated(study, store, {"A": [3] * 6, "B": [3] * 6})
    shown = researcher(study).page()
    assert row_of(shown, "Fluency").startswith("Fluency – –")
    (fluency, clarity) = examine(study, store)["lines"]
    assert not fluency.agreement.defined
    assert fluency.reasons
    assert f"Fluency: {fluency.reasons[0]}" in text_of(shown)
    assert clarity.reasons == ("no ratings yet",)
    assert row_of(shown, "Clarity") == "Clarity – – 0 0 0"
    assert "Clarity: no ratings yet" in text_of(shown)
    assert "nan" not in shown.text.lower()


def test_words_and_numbers_stand_beside_each_other(researcher, store, tmp_path):
    words = Criterion("Tone", "Which tone?", VerbalScale(["cold", "warm"]))
    study = many_items(tmp_path, 4, FIVE, words)
    judges = rated(study, store, {"A": [1, 2, 3, 4], "B": [1, 2, 3, 4]})
    for judge, tones in zip(judges.values(), (["cold", "warm"] * 2, ["cold", "warm"] * 2),
                            strict=True):  # fmt: skip
        answer(store, judge.id, store.sheets.of(judge.id), tones, criterion="Tone")
    assert [line.agreement.value for line in examine(study, store)["lines"]] == [1, 1]
    assert "1.00" in row_of(researcher(study).page(), "Tone")


def test_progress_is_counted_by_judge_and_by_item(researcher, store, tmp_path):
    study = many_items(tmp_path, 4, FIVE)
    judges = rated(study, store, {"Ann": [1, 2, 3], "Bob": [2]}, seconds=12.4)
    store.judges.add("Cid")
    answer(store, judges["Ann"].id, replace(store.sheets.of(judges["Ann"].id),
           tasks=store.sheets.of(judges["Ann"].id).tasks[3:]), [5])  # fmt: skip
    store.notes.add(judges["Ann"].id, "finished", {"sheet": 1})
    shown = researcher(study).page()
    assert row_of(shown, "Ann").startswith("Ann 4 / 4 done 12 s just now")
    assert row_of(shown, "Bob").startswith("Bob 1 / 4 at work 12 s just now")
    assert row_of(shown, "Cid") == "Cid not begun"
    words = text_of(shown)
    assert "5 of 8 answers 1 of 2 places are done 1 at work 1 with a link, not begun" in words
    assert "Each of the 4 items has 1 to 2 ratings on each criterion." in words
    items = researcher(study).page("/items")
    assert row_of(items, "i1").startswith("i1 2 / 2 item alpha")
    assert row_of(items, "i4").startswith("i4 1 / 2 item beta")


def test_judges_who_stand_out_are_named_with_their_counts(researcher, store, tmp_path):
    check = Item("check", ("Choose 5.",), kind="check", expected={"Fluency": 5})
    gold = Item("gold", ("Good.",), kind="gold", expected={"Fluency": 4})
    study = many_items(tmp_path, 40, FIVE)
    study = replace(study, items=(*study.items, check, gold))
    usual = [1 + place * 7 % 5 for place in range(40)]
    table = {name: [*usual, 5, 4] for name in ("Ann", "Bob", "Cid")}
    table["Fay"] = [3] * 40 + [1, 1]
    table["Gus"] = [*(6 - rating for rating in usual), 5, 4]
    store.sheets.put([everything(study, number) for number in range(1, 6)])
    for name, ratings in table.items():
        judge, _ = store.judges.add(name)
        seconds = 0.5 if name == "Fay" else 9.0
        answer(store, judge.id, store.sheets.issue(judge.id), ratings, seconds=seconds)
    flags = examine(study, store)["flags"]
    kinds = {name: {flag.kind for flag in said} for name, said in flags.items()}
    assert kinds["Fay"] >= {"failed checks", "known answers missed", "too fast",
                            "one rating throughout"}  # fmt: skip
    assert kinds["Gus"] == {"low agreement"}
    shown = researcher(study)
    words = text_of(shown.page())
    assert "failed checks 1 of 1 failed" in words
    assert "known answers missed 1 of 1 differ from the known answer" in words
    assert "40 of 40 answers within a second" in words
    page = text_of(shown.page("/judges/4"))
    assert "Attention checks 0 of 1 as expected Known answers 0 of 1 as expected" in page
    assert "Attention checks 1 of 1 as expected" in text_of(shown.page("/judges/1"))


def test_untouched_lines_are_counted(store, tmp_path):
    study = many_items(tmp_path, 3, studies.VISUAL)
    rated(study, store, {"A": [50.0] * 3}, touched=False, criterion="Clarity")
    (flag,) = examine(study, store)["flags"]["A"]
    assert (flag.kind, flag.words) == ("untouched scales", "3 of 3 left untouched")


def test_hostile_names_remarks_and_items_are_text_on_every_page(researcher, store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    study = replace(study, items=(Item(HOSTILE, (HOSTILE,), (HOSTILE,)), *study.items),
                    title=HOSTILE)  # fmt: skip
    judges = rated(study, store, {HOSTILE: [1, 2, 3, 4], "Bob": [1, 2, 3, 4]})
    store.judges.add(group=HOSTILE)
    store.notes.add(judges[HOSTILE].id, "remarks", {"text": HOSTILE})
    store.notes.add(judges[HOSTILE].id, "background", {"answers": {HOSTILE: HOSTILE}})
    who = researcher(study)
    for path in ("", "/live", "/judges", "/judges/1", "/judges/3", "/items", "/study", "/export",
                 "/preview", "/preview/item/0/0", "/preview/way/1/0"):  # fmt: skip
        shown = who.page(path)
        assert shown.status_code == 200
        assert "<img src=x" not in shown.text, path
        assert "49" not in re.findall(r"onerror.{0,60}", shown.text), path
    assert "&lt;img src=x" in who.page("/judges/1").text
    made = who.send("/links", "/judges", names=HOSTILE + "2", group=HOSTILE)
    assert "<img src=x" not in made.text


def test_the_study_can_be_paused_opened_and_closed(researcher, store, tmp_path):
    study = studies.study(tmp_path)
    store.sheets.put([studies.sheet(study)])
    who = researcher(study)
    judge = Judge(create_app(study, store), store.judges.add()[1])
    for state, words in (("paused", "The study is paused"), ("closed", "The study is closed")):
        assert f"The study is {state}" in text_of(who.send("/state", state=state))
        assert heading(judge.enter()) == words
    who.send("/state", state="open")
    assert heading(judge.page()) == "Before you begin"
    assert [note.data["state"] for note in store.notes.all(kind="state")] == [
        "paused",
        "closed",
        "open",
    ]
    assert who.send("/state", state="burnt").status_code == 422
    judge.close()


def test_a_look_is_taken_again_only_when_the_study_has_moved_on(store, tmp_path, monkeypatch):
    study = many_items(tmp_path, 4, FIVE)
    rated(study, store, {"A": [1, 2, 3, 4]})
    live, marks = LiveNumbers(study, store, least_seconds=0), []
    take = live._take
    monkeypatch.setattr(live, "_take", lambda mark: marks.append(mark) or take(mark))
    first = looked(live, "one")
    assert first is not None
    assert looked(live, "one") is first
    assert marks == ["one"]


def test_looks_are_some_seconds_apart_however_fast_answers_come(store, tmp_path):
    study = many_items(tmp_path, 4, FIVE)
    rated(study, store, {"A": [1, 2, 3, 4]})
    hurried = LiveNumbers(study, store, least_seconds=1000)
    kept = looked(hurried, "one")
    assert looked(hurried, "two") is kept
    assert looked(hurried, "two") is kept


def looked(live, mark):
    """The newest look, once nobody looks any more."""
    live.newest(mark, patience=180)
    for thread in threading.enumerate():
        if thread.name == "covary-live":
            thread.join()
    return live._newest


def test_what_goes_wrong_is_said_and_does_not_stop_the_page(store, tmp_path, caplog):
    study = many_items(tmp_path, 4, FIVE)
    live = LiveNumbers(replace(study, criteria=None), store, least_seconds=0)
    assert "could not be worked out" in live.newest(1, patience=180).trouble
    assert caplog.records


def test_a_row_that_was_taken_back_goes_to_the_next_judge(researcher, store, tmp_path):
    study = many_items(tmp_path, 4, FIVE)
    judges = rated(study, store, {"Ann": [1, 2]})
    who = researcher(study)
    page = who.send("/judges/1/take-back", "/judges/1")
    assert "taken back, link revoked" in text_of(page)
    (told,) = store.notes.all(kind="taken-back")
    assert (told.judge, told.data) == (judges["Ann"].id, {"sheet": 1, "again_as": 2})
    assert store.sheets.holders() == {2: None}
    next_judge, _ = store.judges.add("Bob")
    sheet = store.sheets.issue(next_judge.id)
    assert sorted(task.item for task in sheet.tasks) == ["i1", "i2", "i3", "i4"]
    assert [line.ratings for line in examine(study, store)["lines"]] == [0]
    items = who.page("/items")
    assert "2 answers on sheets that were taken back do not count" in text_of(items)
    assert row_of(items, "i1").startswith("i1 0 / 1 ")
    assert "Each of the" not in text_of(who.page())
    answer(store, next_judge.id, sheet, [4])
    rated_next = sheet.tasks[0].item
    assert row_of(who.page("/items"), rated_next).startswith(f"{rated_next} 1 / 1 ")
    assert take_back(study, store, judges["Ann"].id) is None


def test_who_has_no_sheet_yet_reads_did_not_agree_or_never_came(researcher, store, tmp_path):
    who = researcher(many_items(tmp_path, 4, FIVE))
    for name, agreed in (("Ann", True), ("Bob", False), ("Cyd", None)):
        judge, _ = store.judges.add(name)
        if agreed is not None:
            store.notes.add(judge.id, "consent", {"agreed": agreed})
    judges = who.page("/judges")
    said = ("reading", "did not agree", "not begun")
    for name, standing in zip(("Ann", "Bob", "Cyd"), said, strict=True):
        assert standing in row_of(judges, name)
        assert not any(other in row_of(judges, name) for other in said if other != standing)


def test_the_design_is_told_in_words_with_the_manual(researcher, store, tmp_path):
    study = replace(many_items(tmp_path, 4, FIVE), manual=studies.study(tmp_path).manual)
    rated(study, store, {"Ann": [1], "Bob": [2]})
    words = text_of(researcher(study).page("/study"))
    assert "each judge rates 4 items" in words
    assert "The manual, version m1" in words
    assert "Read the whole text first." in words


def test_long_tables_come_page_by_page(researcher, store, tmp_path):
    study = many_items(tmp_path, 120, FIVE)
    store.sheets.put([everything(study, 1)])
    who = researcher(study)
    for _ in range(60):
        store.judges.add()
    assert who.page("/judges").text.count('<th scope="row">') == 50
    assert who.page("/judges?page=2").text.count('<th scope="row">') == 10
    assert "Page 3 of 3" in text_of(who.page("/items?page=99"))
    assert "All 60 judges" in text_of(who.page())
    assert who.page("/items?page=x").status_code == 200
    assert who.page(f"/judges/{10**30}").status_code == 404


def test_sheets_are_read_again_when_there_are_new_ones(store, tmp_path):
    study = many_items(tmp_path, 4, FIVE)
    planned = Desk(Site(study, store)).kept(SheetCache)
    assert planned.in_use().answers == {}
    store.sheets.put([everything(study, 1)])
    assert planned.in_use().answers == {1: 4}
    assert planned.in_use().items["i1", "Fluency"] == 1
    assert planned.balance().judges == 1


def test_sheets_that_nobody_changed_are_read_from_the_store_once(store, tmp_path, monkeypatch):
    study = many_items(tmp_path, 4, FIVE)
    store.sheets.put([everything(study, 1)])
    readings, read = [], store.sheets.all
    monkeypatch.setattr(store.sheets, "all", lambda: readings.append(1) or read())
    planned = Desk(Site(study, store)).kept(SheetCache)
    for _ in range(3):
        assert planned.in_use().answers == {1: 4}
    assert len(readings) == 1


@pytest.mark.parametrize(("most", "counted"), [(4, True), (3, False)])
def test_the_balance_is_left_out_only_where_there_are_more_tasks_than_can_be_counted(
    store, tmp_path, monkeypatch, most, counted
):
    monkeypatch.setattr("covary.web.judge.sheets.MOST_TASKS_BALANCED", most)
    study = many_items(tmp_path, 4, FIVE)
    store.sheets.put([everything(study, 1)])  # a sheet of all four
    balance = Desk(Site(study, store)).kept(SheetCache).balance()
    assert (balance is not None) is counted


def test_many_judges_are_not_compared_two_by_two_and_the_page_says_so(store, tmp_path):
    study = many_items(tmp_path, 3, FIVE)
    rated(study, store, {f"J{number}": [1, 3, 5] for number in range(101)})
    (line,) = examine(study, store)["lines"]
    assert line.agreement.value == 1  # all judges agree on every item
    assert line.correlation is None
    assert line.verdict is None
    assert "every pair of the 101 judges" in line.reasons[0]


@pytest.mark.parametrize(("judges", "items", "many"), [(100, 10_000, False), (1000, 500, True)])
def test_what_a_live_page_can_afford_is_limited(judges, items, many):
    class Size:
        n_judges, n_items = judges, items

    assert too_many(Size) is many


def test_a_very_large_study_is_left_to_the_command_line(store, tmp_path, monkeypatch):
    study = many_items(tmp_path, 4, FIVE)
    rated(study, store, {"A": [1, 2, 3, 4]})
    monkeypatch.setattr(researcher_live, "MOST_ANSWERS", 3)
    assert "'covary report'" in examine(study, store)["trouble"]


def test_the_plan_that_was_made_is_on_the_first_page(tmp_path, store, researcher):
    study = many_items(tmp_path, 12, FIVE)
    size = StudySize(systems=2, items=6, judges=6, votes=6)
    PlanRecord(made="2026-11-17", size=size, target=0.8, difference=0.5).write(tmp_path)
    rated(study, store, OBSERVERS)
    lines = examine(study, store)["plan"]
    assert lines[0].startswith("Fluency: 41 ratings of 72 planned")
    assert any("12 items with fewer ratings than planned" in line for line in lines)
    shown = researcher(study).page()
    assert "Is the plan reached?" in shown.text
    assert "41 ratings of 72 planned" in shown.text


def test_without_a_plan_the_first_page_says_nothing_of_one(tmp_path, store):
    study = many_items(tmp_path, 12, FIVE)
    rated(study, store, OBSERVERS)
    assert examine(study, store)["plan"] == ()
