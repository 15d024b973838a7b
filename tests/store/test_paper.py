"""What a study knows reaches the checklist of a paper, and the researcher's word counts first."""

from dataclasses import replace
from decimal import Decimal

from covary.analysis.planning import PlanRecord, StudySize
from covary.reports.reliability.checklist import grras, shortcomings
from covary.store.export import ratings_of
from covary.store.paper import paper_answers
from covary.study.model import DesignSettings, Population, Recruiting, Session
from tests.store.made_up import BETTER, FLUENCY, answer, study

POPULATION = Population(who="university staff", recruitment="by e-mail", payment="none", minutes=15)


def test_what_the_study_says_of_its_judges_is_answered(store):
    store.notes.add(1, "background", {"answers": {"native": "yes"}})
    answers = paper_answers(study(population=POPULATION), store)
    assert answers["judges"] == "University staff; native: yes 1."
    assert answers["recruitment"] == "By e-mail; paid: none; about 15 minutes"
    assert answers["population"] == "6 items by 2 systems for 3 sources."
    assert answers["independent"] is True


def test_what_nobody_said_is_not_answered(store):
    answers = paper_answers(study(), store)
    assert not {"judges", "recruitment", "title", "data", "sample_size"} & answers.keys()


def test_the_order_the_breaks_and_the_repeats_are_the_process(store):
    described = study(
        design=DesignSettings(kind="everyone", seed=7, repeats=2, occasions=2),
        session=Session(break_every=10, go_back=False),
    )
    words = paper_answers(described, store)["process"]
    apart = replace(described, design=replace(described.design, parts="one-each"))
    assert "; 2 parts;" in words
    assert "each judge saw one part" in paper_answers(apart, store)["process"]
    for part in ("seed 7", "2 occasions", "2 hidden repeats", "every 10 items", "not go back"):
        assert part in words


def test_practice_checks_and_known_answers_are_said(store):
    assert paper_answers(study(), store)["experience"] == (
        "1 practice item first; 1 attention check; 1 item with a known answer."
    )


def test_recruited_people_are_said_with_pay_and_with_who_was_left_out(store):
    store.visits.arrive("prolific", "p1")
    store.visits.end(3, "failed checks")
    recruiting = Recruiting(platform="prolific", pay=Decimal("2.50"), currency="GBP")
    words = paper_answers(study(recruiting=recruiting), store)["recruitment"]
    assert words == "Through prolific; paid 2.50 GBP each; left out: 1 failed checks"


def test_versions_of_the_manual_are_counted(store):
    store.answers.save([answer(4), answer(2, position=2, manual="m2")])
    assert "2 versions" in paper_answers(study(), store)["guidelines"]


def test_what_the_researcher_writes_counts_first(store):
    described = replace(study(population=POPULATION), paper={"judges": "Only linguists."})
    assert paper_answers(described, store)["judges"] == "Only linguists."


def test_the_checklist_of_a_study_has_nothing_unknown_that_covary_knows(store):
    from covary import reliability

    store.answers.save(
        [answer(n, judge=judge, position=n) for judge in (1, 2) for n in (1, 2, 3, 4)]
    )
    described = study(population=POPULATION)
    ratings = ratings_of(described, store)
    answers = paper_answers(described, store)
    result = reliability(ratings, intervals=False)
    states = {
        check.key: check.state
        for make in (shortcomings, grras)
        for check in make(result, ratings, None, answers)
    }
    for key in ("collection", "independence", "3 items", "4 judges", "8 process",
                "12 characteristics"):  # fmt: skip
        assert states[key] == "pass", key


def test_the_plan_beside_the_study_is_its_sample_size_and_is_held_to_its_criterion(store, tmp_path):
    """By hand: two judges on three items of each of two systems; one other answer."""
    size = StudySize(systems=2, items=3, judges=2, votes=2)
    record = PlanRecord(made="2026-11-17", size=size, target=0.8)
    both = [(judge, position) for judge in (1, 2) for position in range(1, 7)]
    store.answers.save([answer(3, judge=judge, position=position) for judge, position in both])
    record.write(tmp_path)
    assert paper_answers(study(tmp_path), store)["sample_size"].facts["deviations"] == []
    replace(record, criterion=FLUENCY.key).write(tmp_path)
    store.answers.save([answer("same", criterion=BETTER.key)])
    words = study(tmp_path, criteria=(FLUENCY, BETTER))
    assert paper_answers(words, store)["sample_size"].facts["deviations"] == []
    replace(record, criterion=BETTER.key).write(tmp_path)
    deviations = paper_answers(words, store)["sample_size"].facts["deviations"]
    assert [note.facts["what"] for note in deviations] == ["systems", "items", "judges", "ratings"]
