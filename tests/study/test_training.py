"""Training sets of a study: read, told apart from the evaluation, and the wishes beside them."""

import json

import pytest

from covary.design.make import make_plan
from covary.errors import StudyError
from covary.scales import VerbalScale
from covary.study import read_study, write_template
from covary.study.manual import Edition, apply_edition, edition_of
from covary.study.model import Criterion, Item, TrainingSettings
from covary.study.training import shared_traits
from covary.training import (
    Cycle,
    Refused,
    RoundOpened,
    StopRule,
    begin,
    open_set,
    unused_sets,
)
from tests.study.folders import TOML, faults_of, only_fault, write_study

ITEMS = """\
item,kind,set,source,text
e1,item,,s1,One.
t1,training,1,s2,Two.
t2,training,1,s3,Three.
t3,training,2,s4,Four.
"""


def test_training_sets_are_read_and_kept_out_of_the_evaluation(tmp_path):
    study = read_study(write_study(tmp_path, items=ITEMS))
    assert study.training_sets == (1, 2)
    assert [each.id for each in study.training_set(1)] == ["t1", "t2"]
    assert study.training_set(3) == ()
    assert study.sources == ("s1",)
    assert [each.id for each in study.items_of("training")] == ["t1", "t2", "t3"]
    tasks = {task.item for sheet in make_plan(study).sheets for task in sheet.tasks}
    assert tasks == {"e1"}
    assert "1 item and 3 training items" in study.describe()[0]


def test_json_lines_name_the_set_as_a_number(tmp_path):
    rows = [{"item": "e1", "text": "One."},
            {"item": "t1", "text": "Two.", "kind": "training", "set": 2}]  # fmt: skip
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    toml = f'items = "items.jsonl"\n{TOML}'
    study = read_study(write_study(tmp_path, toml, None, items__jsonl=lines))
    assert study.training_sets == (2,)


@pytest.mark.parametrize("kind", ["everyone", "overlap", "williams", "latin-squares", "blocks"])
def test_no_design_uses_training_items(tmp_path, kind):
    rows = [f"{system}{n},item,,{system},s{n},Text {system}{n}." for system in "xy" for n in (1, 2)]
    rows += [f"t{n},training,1,x,u{n},Trained {n}." for n in (1, 2)]
    table = "item,kind,set,system,source,text\n" + "\n".join(rows) + "\n"
    toml = f'{TOML}\n[design]\nkind = "{kind}"\njudges = 2\n'
    toml += {"overlap": "judges_per_item = 2\n", "blocks": "per_judge = 2\n"}.get(kind, "")
    plan = make_plan(read_study(write_study(tmp_path, toml, table)))
    tasks = {task.item for sheet in plan.sheets for task in sheet.tasks}
    assert tasks
    assert not {"t1", "t2"} & tasks


SHARED = {
    "text": ("t1,training,1,,s2, one.  \n", "text", "'t1' has the text of 'e1'"),
    "source": ("t1,training,1,,s1,Two.\n", "source", "'t1' has the source of 'e1'"),
    "input": ("t1,training,1,A ship sailed.,s2,Two.\n", "input", "'t1' has the input of 'e1'"),
    "a set before": (
        "t1,training,1,,s2,Two.\nt2,training,2,,s3,two.\n", "text", "'t2' has the text of 't1'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SHARED)
def test_items_that_judges_meet_elsewhere_are_named(tmp_path, what):
    rows, key, message = SHARED[what]
    table = f"item,kind,set,input,source,text\ne1,item,,A ship sailed.,s1,One.\n{rows}"
    fault = only_fault(write_study(tmp_path, items=table))
    assert (fault.file, fault.key) == ("items.csv", key)
    assert fault.line == 1 + table.strip().count("\n")
    assert message in fault.message


def test_practice_may_be_trained_on_and_a_set_may_hold_several_outputs_of_a_source(tmp_path):
    table = "item,kind,set,source,text\np,practice,,s2,Two.\ne1,item,,s1,One.\n"
    table += "t1,training,1,s2,Two.\nt2,training,1,s2,Three.\n"
    assert faults_of(write_study(tmp_path, items=table)) == ()


def test_wrong_sets_are_told_all_at_once(tmp_path):
    table = "item,kind,set,text\ne1,item,1,One.\nt1,training,,Two.\nt2,training,first,Three.\n"
    faults = faults_of(write_study(tmp_path, items=table))
    assert [(each.line, each.key) for each in faults] == [(2, "set"), (3, "set"), (4, "set")]
    said = " ".join(each.message for each in faults)
    for part in ("only training items have a set", "needs the number of its set", "'first' must"):
        assert part in said


def test_the_wishes_are_read(tmp_path):
    toml = (
        f'{TOML}\n[training]\nnames = "names"\neditors = ["Ann", "Bo"]\nshare = 0.9\n'
        "at_least = 0.8\nconfidence = 0.99\n[training.thresholds]\nFluency = 2\n"
    )
    study = read_study(write_study(tmp_path, toml))
    assert study.training == TrainingSettings(
        "names", ("Ann", "Bo"), {"Fluency": 2.0}, 0.9, 0.8, 0.99
    )
    assert read_study(write_study(tmp_path / "other")).training == TrainingSettings()


WRONG = """
[training]
names = "alias"
editors = "Ann"
share = 1.5
at_least = 0
confidence = 1
pace = 3

[training.thresholds]
Flow = 1
Fluency = -1
"""


def test_faults_of_the_wishes_are_told_all_at_once(tmp_path):
    faults = faults_of(write_study(tmp_path, TOML + WRONG))
    told = {each.key: each.message for each in faults}
    assert {key.removeprefix("training.") for key in told} == {
        "names", "editors", "share", "at_least", "confidence", "pace", "thresholds.Flow",
        "thresholds.Fluency",
    }  # fmt: skip
    assert "did you mean 'aliases'" in told["training.names"]
    assert "no criterion is called 'Flow'" in told["training.thresholds.Flow"]
    assert all(each.line for each in faults)


def test_wishes_without_training_items_are_noted(tmp_path):
    study = read_study(write_study(tmp_path, f"{TOML}\n[training]\nshare = 0.9\n"))
    assert study.notes[0] == "There is a [training] table, but no item is of the kind 'training'."


def test_a_bound_above_the_share_is_a_fault(tmp_path):
    toml = f"{TOML}\n[training]\nshare = 0.8\nat_least = 0.9\n"
    assert "0.9 is more than share = 0.8" in only_fault(write_study(tmp_path, toml)).message


def test_a_threshold_of_a_faulty_criterion_is_no_second_fault(tmp_path):
    toml = TOML.replace('"1-5"', "[1]") + "\n[training.thresholds]\nFluency = 1\n"
    with pytest.raises(StudyError) as error:
        read_study(write_study(tmp_path, toml))
    assert all("thresholds" not in each.key for each in error.value.faults)


def test_shared_pictures_are_found_and_the_plainest_reason_is_named():
    item = Item("t", ("Same.",), source="s", image="a.png")
    others = [Item("u", ("Other.",), image="a.png"), Item("v", ("same.",), source="s")]
    (found,) = shared_traits([item], others)
    assert str(found) == "t (the text of v)"
    (found,) = shared_traits([item], others[:1])
    assert str(found) == "t (the image of u)"
    assert shared_traits([item], []) == ()


# the cycle of a study


@pytest.fixture
def template(tmp_path):
    write_template(tmp_path / "g", "guidelines")
    return read_study(tmp_path / "g")


def test_the_template_has_three_sets_that_the_rule_can_judge(template):
    assert template.training_sets == (1, 2, 3)
    for number in template.training_sets:
        ratings = len(template.training_set(number)) * len(template.criteria)
        assert ratings >= StopRule().fewest
    assert {each.scale.best for each in template.criteria} == {"low"}
    assert "best" not in template.manual.guidelines  # the first manual does not even say that


def test_a_cycle_begins_with_what_the_study_says(template):
    event = begin(template, ("Ann", "Bo"))
    cycle = Cycle().apply(event)
    assert cycle.edition.version == template.manual.version
    assert cycle.thresholds == {"Question type": 0.0}
    assert cycle.rule == StopRule(0.95, 0.9, 0.95)
    assert "question-01" in cycle.evaluation_items
    cycle = cycle.apply(open_set(template, 2))
    assert len(cycle.round.items) == 9
    assert unused_sets(template, cycle) == (1, 3)
    with pytest.raises(Refused, match=r"evaluation: question-01"):
        Cycle().apply(event).apply(RoundOpened(("set-1-1", "question-01")))


def test_a_study_without_training_items_or_such_a_set_is_refused(template, tmp_path):
    with pytest.raises(Refused, match="no training set 4; it has 1, 2, 3"):
        open_set(template, 4)
    with pytest.raises(Refused, match="no training items"):
        begin(read_study(write_study(tmp_path / "plain")), ("Ann", "Bo"))


def test_fewest_is_the_first_number_at_which_perfect_agreement_is_sure_enough():
    for rule in (StopRule(), StopRule(0.9, 0.7, 0.9), StopRule(1, 0.99, 0.99)):
        enough = rule.judge({"all": (0, rule.fewest)})
        assert enough.met
        assert not enough.few
        short = rule.judge({"all": (0, rule.fewest - 1)})
        assert not short.met
        assert short.few
        assert f"it takes {rule.fewest} or more" in short.sentence


# the manual in force


def test_the_edition_in_force_changes_what_judges_see_and_nothing_else(template):
    newer = Edition(template.criteria, "1 is the best rank.\n")
    study = apply_edition(template, newer)
    assert study.manual.version == newer.version != template.manual.version
    assert study.manual.guidelines == "1 is the best rank.\n"
    assert (study.items, study.design, study.training) == (
        template.items, template.design, template.training,
    )  # fmt: skip
    assert apply_edition(template, edition_of(template)) is template


def test_known_answers_that_left_the_scale_are_left_out(tmp_path):
    table = "item,kind,text,expected_Fluency\ne1,item,One.,\nc1,check,Choose 5.,5\n"
    study = read_study(write_study(tmp_path, items=table))
    shorter = Criterion("Fluency", "How well does it read?", VerbalScale([1, 2, 3]))
    assert dict(apply_edition(study, Edition((shorter,), "x")).item("c1").expected) == {}
    longer = Criterion("Fluency", "How well?", VerbalScale([1, 2, 3, 4, 5, 6]))
    assert dict(apply_edition(study, Edition((longer,), "x")).item("c1").expected) == {"Fluency": 5}
