"""Parts with items or judges of their own: two units in one study, experts beside a crowd."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from covary.design import balance, make_plan, more_sheets, reissue
from covary.errors import InvalidArgument, StudyError
from covary.store import Store
from covary.study import read_study
from covary.web.judge.sheets import prepare_sheets

CRITERION = """
[[criterion]]
name = "{name}"
part = "{part}"
question = "How is it?"
scale = "1-3"
"""


def a_study(folder, items, design, criteria=("question", "pair")):
    folder.mkdir(exist_ok=True)
    asked = "".join(CRITERION.format(name=f"about {part}", part=part) for part in criteria)
    (folder / "study.toml").write_text(f'title = "Parts"\nguidelines = ""\n{asked}\n{design}')
    (folder / "items.csv").write_text(items)
    return read_study(folder)


QUESTIONS = "item,text_1,text_2,source,part\n" + "".join(
    f"q{n}a,Who?,,s{n},question\nq{n}b,What?,,s{n},question\np{n},Who?,What?,s{n},pair\n"
    for n in range(1, 6)
)

CROWD = """
[design]
parts = "one-each"

[design.part.crowd]
kind = "overlap"
judges = 6
judges_per_item = 3
context = 1

[design.part.experts]
judges = 2
order = "as-listed"
"""

TURNS = "item,text,previous_1,previous_2\n" + "".join(
    f"t{n},Turn {n}.,Guest: First.,Bot: Second.\n" for n in range(1, 9)
)


def test_every_judge_meets_each_item_in_its_own_part_only(tmp_path):
    """Godwin & Piwek: four criteria of a question, Variety of the pair of questions."""
    study = a_study(tmp_path / "s", QUESTIONS, "[design]\njudges = 3\n")
    plan = make_plan(study)
    for sheet in plan.sheets:
        parts = Counter((task.part, study.item(task.item).part) for task in sheet.tasks)
        assert parts == {("question", "question"): 10, ("pair", "pair"): 5}
    (late,) = more_sheets(study, plan, 1)
    assert Counter(task.part for task in late.tasks) == {"question": 10, "pair": 5}


def test_balance_is_told_for_each_part(tmp_path):
    study = a_study(tmp_path / "s", QUESTIONS, "[design]\njudges = 2\n")
    told = balance(study, make_plan(study))
    per_judge = {each.part: each.low for each in told.aspects if each.name == "items per judge"}
    assert per_judge == {"question": 10, "pair": 5}


def test_experts_judge_everything_in_order_and_a_crowd_its_shares(tmp_path):
    study = a_study(tmp_path / "s", TURNS, CROWD, criteria=("crowd", "experts"))
    plan = make_plan(study)
    assert Counter(sheet.part for sheet in plan.sheets) == {"crowd": 6, "experts": 2}
    votes = Counter(
        task.item for sheet in plan.sheets if sheet.part == "crowd" for task in sheet.tasks
    )
    assert set(votes.values()) == {3}
    for sheet in plan.sheets[6:]:
        assert [task.item for task in sheet.tasks] == [f"t{n}" for n in range(1, 9)]
    assert {sheet.part for sheet in more_sheets(study, plan, 3)} == {"crowd"}


def test_a_reissued_sheet_keeps_its_part(tmp_path):
    study = a_study(tmp_path / "s", TURNS, CROWD, criteria=("crowd", "experts"))
    crowd = make_plan(study).sheets[0]
    again = reissue(crowd, 9, study=study)
    assert {task.part for task in again.tasks} == {"crowd"}
    assert {task.item for task in again.tasks} == {task.item for task in crowd.tasks}


def test_a_part_shows_as_many_earlier_turns_as_it_says(tmp_path):
    study = a_study(tmp_path / "s", TURNS, CROWD, criteria=("crowd", "experts"))
    turn = study.items[0]
    assert [said.text for said in study.as_shown(turn, "crowd").context] == ["Second."]
    assert len(study.as_shown(turn, "experts").context) == 2


def test_a_judge_of_a_part_has_one_of_its_sheets_at_once(tmp_path):
    study = a_study(tmp_path / "s", TURNS, CROWD, criteria=("crowd", "experts"))
    with Store.open(tmp_path / "s") as store:
        prepare_sheets(study, store)
        expert, _ = store.judges.add("Ada")
        assert store.sheets.issue(expert.id, part="experts").part == "experts"
        other, _ = store.judges.add("Bo")
        assert store.sheets.issue(other.id).part == "crowd"
        assert Counter(store.sheets.free_parts()) == {"crowd": 5, "experts": 1}


def test_recruited_people_get_sheets_of_their_part_only(tmp_path):
    study = a_study(tmp_path / "s", TURNS, CROWD, criteria=("crowd", "experts"))
    with Store.open(tmp_path / "s") as store:
        prepare_sheets(study, store)
        taken = []
        for number in range(8):
            who = store.visits.arrive("prolific", f"p{number}").judge
            taken.append(store.visits.take_place(who.id, None, "crowd"))
    assert taken == [1, 2, 3, 4, 5, 6, None, None]


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ("[design.part.nobody]\njudges = 2\n", "'nobody' is not a part of the study"),
        ("[design.part.pair]\njudges = 2\n", 'parts = "one-each"'),
        ('[design]\nparts = "one-each"\n[design.part.pair]\njudges = 2\n', "'question' does not"),
    ],
)
def test_a_design_that_no_part_can_have_is_a_fault_with_its_line(tmp_path, design, words):
    with pytest.raises(StudyError) as caught:
        a_study(tmp_path / "s", QUESTIONS, design)
    assert words in str(caught.value)
    assert "study.toml, line" in str(caught.value)


def test_an_item_of_a_part_that_there_is_not_is_a_fault_with_its_line(tmp_path):
    with pytest.raises(StudyError, match=r"items.csv, line 2: part: 'qestion' is not a part"):
        a_study(tmp_path / "s", QUESTIONS.replace("s1,question", "s1,qestion", 1), "")


def test_a_square_that_numbers_forbid_is_refused_with_overlap_and_its_efficiency(tmp_path):
    """The efficiency that is named is that of the plan which the words ask for."""
    items = "item,text,system,source\n" + "".join(
        f"{system}{n},x,{system},s{n}\n" for system in "abcd" for n in range(7)
    )
    design = '[design]\nkind = "latin-squares"\njudges = 8\n'
    study = a_study(tmp_path / "s", items, design, criteria=("one",))
    with pytest.raises(InvalidArgument) as caught:
        make_plan(study)
    words = str(caught.value)
    assert "use 4 or 8" in words
    number, told = re.search(
        r"judges_per_item = (\d+), .* efficiency of (\d\.\d+)", words, re.S
    ).groups()
    wish = replace(study.design, kind="overlap", judges_per_item=int(number))
    instead = balance(study, make_plan(replace(study, design=wish))).aspect("efficiency")
    assert round(instead.high, 3) == float(told)
    assert float(told) > 0.95
