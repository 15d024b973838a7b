"""Studies that keep Prolific's rules, and studies that break one each."""

import pytest

from covary.crowd.lint import Rejecting, lint
from covary.errors import InvalidArgument
from covary.study import read_study
from covary.words import CATALOGUE
from tests.study.folders import write_study

SESSION = """
[session]
code = "CODE1"
redirect = "https://app.prolific.com/submissions/complete?cc=CODE1"
"""
MESSAGE = "You did not select the answer that two of the questions asked you to select. " * 2


def made(
    folder,
    *checks,
    scale='{ kind = "verbal", categories = "1-5" }',
    session=SESSION,
    minutes="10",
    more=(),
):
    toml = f"""
title = "Small"
[[criterion]]
name = "Fluency"
question = "How well does it read?"
scale = {scale}
{session}
"""
    toml += f"[population]\nminutes = {minutes}\n" if minutes else ""
    rows = ["item,text,kind,expected_Fluency", "a,One.,item,", *more]
    rows += [f"c{n},{text},check,{expected}" for n, (text, expected) in enumerate(checks)]
    return read_study(write_study(folder, toml, "\n".join(rows) + "\n"))


GOOD = (("Please select 4 here.", 4), ("Choose 2 to show that you read this.", 2))


def where(study, weight="must", **how):
    return [each.where for each in lint(study, **how) if each.weight == weight]


def test_a_study_that_keeps_the_rules_has_no_findings(tmp_path):
    assert lint(made(tmp_path, *GOOD), rejecting=Rejecting(message=MESSAGE)) == ()


def test_a_check_that_does_not_say_what_to_answer_breaks_a_rule_where_there_is_a_middle(tmp_path):
    study = made(tmp_path, ("The moon is cheese.", 1), *GOOD)
    assert where(study) == ["c0"]
    assert "neutral" in str(lint(study)[0])


def test_nonsense_on_a_scale_without_a_middle_is_only_worth_a_look(tmp_path):
    scale = '{ kind = "verbal", categories = "1-4" }'
    study = made(tmp_path, ("The moon is cheese.", 1), *GOOD, scale=scale)
    assert (where(study), where(study, "should")) == ([], ["c0"])


def test_between_the_best_and_the_worst_there_is_no_middle(tmp_path):
    toml = (
        f'title = "Small"\n{SESSION}\n[population]\nminutes = 10\n'
        '[[criterion]]\nname = "Better"\nquestion = "Which?"\nscale = { kind = "best-worst" }\n'
    )
    items = (
        "item,kind,text_1,text_2,expected_Better\na,item,One.,Two.,\nc0,check,Rain.,Qwz.,1 > 2\n"
    )
    study = read_study(write_study(tmp_path, toml, items))
    assert "c0" not in where(study)
    assert "c0" in where(study, "should")


@pytest.mark.parametrize("text", ["There are 14 of them.", "In 1984 and 4th of May"])
def test_an_answer_inside_another_word_is_not_said(tmp_path, text):
    assert where(made(tmp_path, (text, 4), *GOOD)) == ["c0"]


@pytest.mark.parametrize(
    ("scale", "text", "expected"),
    [
        ('{ kind = "verbal", labels = ["poor", "so-so", "good"] }', "Select Good please.", 3),
        ('{ kind = "verbal", labels = ["poor", "so-so", "good"] }', "Select so-so please.", 2),
        ('{ kind = "visual", labels = ["bad", "excellent"] }', "Move it to excellent.", 100),
        ('{ kind = "graphic", descriptors = { "0" = "a", "50" = "fair" } }', "Say fair.", 50),
        ('{ kind = "yes-no" }', "Please answer yes.", 1),
    ],
)
def test_an_answer_can_be_said_by_its_label(tmp_path, scale, text, expected):
    assert where(made(tmp_path, *[(text, expected)] * 2, scale=scale)) == []


def test_a_visual_line_has_a_neutral_point(tmp_path):
    scale = '{ kind = "visual", low = 0, high = 100 }'
    assert where(made(tmp_path, ("Odd.", 0), ("Odder.", 0), scale=scale)) == ["c0", "c1"]


@pytest.mark.parametrize(("minutes", "broken"), [("4.9", []), ("5", ["checks"])])
def test_from_five_minutes_on_one_check_is_too_few(tmp_path, minutes, broken):
    assert where(made(tmp_path, GOOD[0], minutes=minutes)) == broken


def test_minutes_given_in_the_call_count_more(tmp_path):
    assert where(made(tmp_path, GOOD[0], minutes="10"), minutes=3) == []


def test_a_study_without_checks_or_time_is_worth_a_look(tmp_path):
    assert where(made(tmp_path, minutes=""), "should") == ["time", "checks"]


@pytest.mark.parametrize("minutes", [0, -1, float("nan")])
def test_minutes_that_are_none_are_refused(tmp_path, minutes):
    with pytest.raises(InvalidArgument, match="minutes"):
        lint(made(tmp_path), minutes=minutes)


@pytest.mark.parametrize(
    ("rejecting", "word"),
    [
        (Rejecting(failed_checks=1, message=MESSAGE), "two failed"),
        (Rejecting(message=MESSAGE, for_comprehension=True), "comprehension"),
        (Rejecting(message=MESSAGE, attempts=1), "attempts"),
        (Rejecting(message="x" * 99), "99 characters"),
    ],
)
def test_each_way_of_rejecting_wrongly_is_found(tmp_path, rejecting, word):
    (finding,) = lint(made(tmp_path, *GOOD), rejecting=rejecting)
    assert (finding.weight, finding.where) == ("must", "rejection")
    assert word in str(finding)


def test_a_message_of_a_hundred_characters_is_long_enough(tmp_path):
    assert lint(made(tmp_path, *GOOD), rejecting=Rejecting(message="x" * 100)) == ()


def test_in_a_short_study_one_failed_check_is_reason_enough(tmp_path):
    rejecting = Rejecting(failed_checks=1, message=MESSAGE)
    assert lint(made(tmp_path, GOOD[0], minutes="3"), rejecting=rejecting) == ()


def test_a_gold_item_is_no_attention_check(tmp_path):
    study = made(tmp_path, *GOOD, more=["g,Good text.,gold,5"])
    assert where(study, "should", rejecting=Rejecting(message=MESSAGE)) == ["rejection"]


@pytest.mark.parametrize(
    ("session", "words"),
    [
        ("", "not sent back"),
        ('[session]\ncode = "CODE1"\nredirect = "https://example.org/?cc=CODE1"', "does not lead"),
        (SESSION.replace("?cc=CODE1", ""), "no code"),
        (SESSION.replace("cc=CODE1", "cc=CODE2"), "'CODE2'"),
    ],
)
def test_a_way_back_that_does_not_lead_there_breaks_a_rule(tmp_path, session, words):
    (finding,) = lint(made(tmp_path, *GOOD, session=session))
    assert finding.weight == "must"
    assert words in finding.message


def test_a_code_that_is_not_shown_is_worth_a_look(tmp_path):
    session = SESSION.replace('code = "CODE1"\n', "")
    assert where(made(tmp_path, *GOOD, session=session), "should") == ["session"]


def test_a_fee_that_is_not_named_is_told_with_prolifics_own(tmp_path):
    """Six people at 2.00 are 12.00; with a third (33.3 %) 16.00, with 42.8 % 17.14."""
    recruiting = """
[design]
judges = 6
[recruiting]
done = "A"
pay = "2.00"
minimum_wage = "12.00"
"""
    (finding,) = lint(made(tmp_path, *GOOD, session=recruiting))
    assert finding.code == "prolific-fee"
    assert "16.00 in all" in finding.message
    assert "17.14" in finding.message
    assert finding.advice == "set fee_share = 0.333 or 0.428 under [recruiting]"


def test_every_rule_has_advice_and_what_a_cost_warns_of_is_a_rule():
    rules = {code.removeprefix("crowd.rule.") for code in CATALOGUE if ".rule." in code}
    assert rules == {code.removeprefix("crowd.advice.") for code in CATALOGUE if ".advice." in code}
    assert {"below-wage", "unknown-time", "prolific-fee"} <= rules


def test_what_is_broken_comes_first(tmp_path):
    study = made(tmp_path, minutes="", session="")
    assert [each.weight for each in lint(study)] == ["must", "should", "should"]


def test_two_attempts_are_enough_and_half_a_minute_is_a_time(tmp_path):
    study = made(tmp_path, *GOOD)
    assert lint(study, minutes=0.5, rejecting=Rejecting(message=MESSAGE, attempts=2)) == ()


def test_a_study_of_unknown_length_may_be_long(tmp_path):
    study = made(tmp_path, *GOOD, minutes="")
    rejecting = Rejecting(failed_checks=1, message=MESSAGE)
    assert where(study, rejecting=rejecting) == ["rejection"]


def test_a_number_on_a_line_is_said_as_it_is_written(tmp_path):
    scale = '{ kind = "visual", low = 0, high = 100 }'
    texts = (("Please move it to 70.", 70), ("Please move it to 30.5 here.", 30.5))
    assert where(made(tmp_path, *texts, scale=scale)) == []


def test_a_finding_says_what_is_wrong_and_what_to_do(tmp_path):
    finding = lint(made(tmp_path, GOOD[0], minutes="8"))[0]
    assert (finding.code, finding.data) == ("one-check", {"minutes": 8})
    assert finding.message.startswith("there is one attention check in a study of 8 minutes")
    assert finding.advice.startswith("add another item of kind check")
