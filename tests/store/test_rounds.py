"""What a study's training gives to an analysis: its rounds, the evaluation, a new group."""

import json
from dataclasses import replace

import pytest

from covary.analysis.rounds import rounds
from covary.errors import InvalidArgument
from covary.store import Store
from covary.store.export import ratings_of, write_everything
from covary.store.rounds import BEFORE, EVALUATION, training_ratings
from covary.study import read_study, write_template
from covary.study.manual import edition_of
from covary.training import Cycle, Refused, begin, open_set
from tests.training.played import JUDGES, SENTENCES, evaluate, play


@pytest.fixture
def study(tmp_path):
    write_template(tmp_path / "study", "guidelines")
    return read_study(tmp_path / "study")


@pytest.fixture
def opened(study):
    with Store.open(study.folder) as store:
        yield store


def test_no_cycle_and_no_compared_round_are_said(study, opened):
    with pytest.raises(InvalidArgument, match=r"no guideline cycle has begun.*before\.csv"):
        training_ratings(study, opened)
    training = opened.training
    training.apply(begin(study, JUDGES))
    training.apply(open_set(study, 1))
    with pytest.raises(Refused, match="no round has been compared yet"):
        training_ratings(study, opened)


def test_rounds_carry_system_source_order_seconds_and_the_manual_in_force(study, opened):
    cycle = play(study, opened)
    found = training_ratings(study, opened)
    assert list(found.rounds) == [1, 2]
    assert found.fresh is None
    assert found.notes == ()
    first, second = found.rounds.values()
    for each in (first, second):
        assert {"system", "source", "order", "seconds", "manual"} <= set(each.columns)
        assert each.values("system") == ("swap", "teacher", "turn")
        assert each.values("order") == tuple(range(1, 10))
    versions = [edition.version for edition in cycle.editions]
    assert [each.values("manual") for each in (first, second)] == [(v,) for v in versions]
    (only,) = training_ratings(study, opened, criteria=["Relevance"]).rounds[1].criteria
    assert only == "Relevance"


def test_the_evaluation_by_the_same_judges_is_the_last_round(study, opened):
    cycle = play(study, opened)
    evaluate(study, opened, JUDGES, cycle.edition.version)
    found = training_ratings(study, opened)
    assert list(found.rounds) == [1, 2, EVALUATION]
    assert found.rounds[EVALUATION].n_items == 12
    result = rounds(found.rounds, history=found.history, rng=1, resamples=20)
    assert result.labels == (1, 2, EVALUATION)
    assert [label for label, _, _ in result.curve] == [1, 2, EVALUATION]
    assert len(result["Relevance"].drifts) == 3  # of the evaluation, whose order is known


def test_judges_who_took_no_part_are_the_new_group(study, opened):
    cycle = play(study, opened)
    others = ("Dee", "Eva")
    evaluate(study, opened, (*JUDGES, *others), cycle.edition.version, wrong=("Dee",))
    found = training_ratings(study, opened)
    assert found.rounds[EVALUATION].judges == JUDGES
    assert found.fresh.judges == others
    assert "2 judges who took no part" in found.notes[0]
    result = rounds(found.rounds, fresh=found.fresh, rng=1, resamples=50)
    fresh = result["Relevance"].fresh
    assert fresh.xrr is not None
    assert fresh.fresh.value < fresh.authors.value


def test_a_new_group_alone_is_compared_in_alpha_only(study, opened):
    cycle = play(study, opened)
    evaluate(study, opened, ("Dee", "Eva"), cycle.edition.version)
    found = training_ratings(study, opened)
    assert list(found.rounds) == [1, 2]
    assert "only by alpha" in found.notes[1]
    fresh = rounds(found.rounds, fresh=found.fresh, rng=1, resamples=20)["Relevance"].fresh
    assert fresh.xrr is None
    assert "no item was rated by both" in fresh.reason


def test_answers_under_an_older_manual_are_left_out_and_said(study, opened):
    play(study, opened)
    evaluate(study, opened, JUDGES, edition_of(study).version)
    found = training_ratings(study, opened)
    assert list(found.rounds) == [1, 2]
    assert "144 ratings of the evaluation were given under another manual" in found.notes[0]


def test_what_the_judges_rated_before_the_training_comes_first(study, opened):
    """Dee rated then too, and took no part: her ratings, 12 items by 4 criteria, are left out."""
    cycle = play(study, opened)
    first, last = cycle.editions[0].version, cycle.edition.version
    evaluate(study, opened, (*JUDGES, "Dee"), first)
    opened.answers.save(
        [
            replace(row.answer, position=row.answer.position + 100, occasion=2, manual=last,
                    key=f"again-{row.answer.key}", answered_at=None)
            for row in opened.answers.counted() if row.judge in JUDGES
        ]
    )  # fmt: skip
    found = training_ratings(study, opened)
    assert list(found.rounds) == [BEFORE, 1, 2, EVALUATION]
    before, after = found.rounds[BEFORE], found.rounds[EVALUATION]
    assert (before.judges, after.judges) == (JUDGES, JUDGES)
    assert (before.n_ratings, after.n_ratings) == (144, 144)
    assert [each.values("manual") for each in (before, after)] == [(first,), (last,)]
    (note,) = found.notes
    assert (note.code, note.facts["number"]) == ("store.older-manual", 48)


def test_what_only_others_rated_before_the_training_is_no_round_of_its_judges(study, opened):
    cycle = play(study, opened)
    evaluate(study, opened, JUDGES, cycle.edition.version)
    ann = next(judge for judge in opened.judges.all() if judge.name == JUDGES[0])
    dee, _ = opened.judges.add("Dee")
    opened.sheets.put([replace(opened.sheets.of(ann.id), number=99)])
    opened.sheets.issue(dee.id, 99)
    first = cycle.editions[0].version
    opened.answers.save(
        [
            replace(row.answer, judge=dee.id, sheet=99, manual=first)
            for row in opened.answers.counted() if row.judge == ann.name
        ]
    )  # fmt: skip
    found = training_ratings(study, opened)
    assert list(found.rounds) == [1, 2, EVALUATION]
    assert found.fresh is None
    (note,) = found.notes
    assert (note.code, note.facts["number"]) == ("store.older-manual", 48)


def test_every_exported_rating_points_to_its_manual(study, opened):
    cycle = play(study, opened)
    evaluate(study, opened, JUDGES, cycle.edition.version)
    ratings = ratings_of(study, opened)
    assert ratings.values("manual") == (cycle.edition.version,)
    assert ratings.select(manual=cycle.edition.version).n_ratings == 12 * 3 * 4
    assert opened.training.in_force(study).manual.guidelines.endswith(f"{SENTENCES[0]}\n")


def test_criteria_in_words_and_in_numbers_are_not_mixed(tmp_path):
    write_template(tmp_path / "mixed", "guidelines")
    toml = tmp_path / "mixed" / "study.toml"
    words = toml.read_text().replace('categories = "1-3"', 'categories = ["a", "b", "c"]')
    toml.write_text(words)
    study = read_study(tmp_path / "mixed")
    with Store.open(study.folder) as store:
        play(study, store)
        with pytest.raises(InvalidArgument, match=r"'Ambiguity' is answered in words.*--only"):
            training_ratings(study, store)
        (only,) = training_ratings(study, store, criteria=["Ambiguity"]).rounds[2].criteria
        assert only == "Ambiguity"
        with pytest.raises(InvalidArgument, match="'Beauty' is not a criterion"):
            training_ratings(study, store, criteria=["Beauty"])


def test_everything_that_is_exported_holds_the_cycle(study, opened, tmp_path):
    assert len(write_everything(study, opened, tmp_path)) == 5
    cycle = play(study, opened)
    *_, file, seal = write_everything(study, opened, tmp_path)
    assert seal.read_text().strip() == opened.head()
    assert file.name == "training.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert Cycle.of(line["event"] for line in lines) == cycle
    assert [line["number"] for line in lines] == list(range(1, len(cycle.events) + 1))
