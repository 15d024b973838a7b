"""Simulated judges answer on every scale, the same every time, around a known truth."""

import itertools
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary.errors import InvalidArgument
from covary.scales import GraphicScale, Preference, VerbalScale, VisualScale, YesNo
from covary.study import TEMPLATES, read_study, write_template
from covary.study.model import Criterion, Item
from covary.study.simulated_judges import Quality, SimulatedJudge, simulated_judges

SCALES = [
    VerbalScale([1, 2, 3, 4, 5]),
    VerbalScale(["best", "middle", "worst"], best="low"),
    VerbalScale(["x", "y"], level="nominal"),
    VisualScale(),
    VisualScale(-1, 0.25, best="low"),
    GraphicScale({0: "poor", 100: "good"}),
    YesNo(),
]


@pytest.mark.parametrize(
    "scale", SCALES, ids=lambda scale: f"{type(scale).__name__} {scale.best} {scale.low}"
)
@given(st.floats(-1, 2))
def test_a_scale_answers_with_a_rating_of_its_own(scale, value):
    assert scale.accepts(scale.nearest(value))


@pytest.mark.parametrize(
    ("scale", "ratings"),
    [
        (VerbalScale([1, 2, 3, 4, 5]), [1, 1, 2, 3, 4, 5]),
        (VerbalScale([1, 2, 3, 4, 5], best="low"), [5, 5, 4, 3, 2, 1]),
        (YesNo(), [0, 0, 0, 1, 1, 1]),
        (VisualScale(), [0, 10, 25, 50, 75, 100]),
        (VisualScale(0, 10, best="low"), [10, 9, 7.5, 5, 2.5, 0]),
    ],
    ids=["five", "five turned", "yes-no", "line", "line turned"],
)
def test_the_nearest_rating_is_given(scale, ratings):
    values = [0, 0.1, 0.25, 0.5, 0.75, 1]
    assert [scale.nearest(each) for each in values] == ratings


def item(name, *systems, **more):
    texts = tuple("x" for _ in systems) or ("x",)
    return Item(name, texts, systems, source="s", **more)


FLUENCY = Criterion("Fluency", "?", VisualScale())
BETTER = Criterion("Fluency", "?", Preference(tie="same"), part="pairs")


def test_an_answer_depends_on_seed_judge_item_criterion_and_occasion_only():
    judge = SimulatedJudge(1, Quality(5))
    first = judge.answer(FLUENCY, item("a", "x"))
    assert SimulatedJudge(1, Quality(5)).answer(FLUENCY, item("a", "x")) == first
    others = [
        SimulatedJudge(2, Quality(5)).answer(FLUENCY, item("a", "x")),
        SimulatedJudge(1, Quality(6)).answer(FLUENCY, item("a", "x")),
        judge.answer(FLUENCY, item("b", "x")),
        judge.answer(Criterion("Clarity", "?", VisualScale()), item("a", "x")),
        judge.answer(FLUENCY, item("a", "x"), occasion=2),
    ]
    assert first not in others
    assert len(set(others)) == 5


def test_a_drawn_number_is_the_same_on_every_machine():
    # $ printf "(5, 'system', 'Fluency', 'x')" | sha256sum | cut -c1-12
    share = int("4c1ef56189c2", 16) / 2**48
    only_system = Quality(5, systems=1, sources=0, items=0)
    found = only_system.of(item("a", "x"), FLUENCY) - 0.5
    assert statistics.NormalDist().cdf(found) == pytest.approx(share, abs=1e-9)


def test_two_parts_share_the_quality_of_a_criterion():
    quality = Quality(1)
    assert quality.of(item("a", "x"), FLUENCY) == quality.of(item("a", "x"), BETTER)


def test_noise_and_severity_are_what_was_asked_for():
    quality = Quality(3, systems=0, sources=0, items=0)
    criterion = Criterion("Fluency", "?", VisualScale())
    items = [item(f"i{number}", "x") for number in range(2000)]
    plain = [SimulatedJudge(1, quality, 0, 0.1).answer(criterion, each) for each in items]
    strict = [SimulatedJudge(1, quality, 0.2, 0.1).answer(criterion, each) for each in items]
    # mean 50, standard deviation 10: four standard errors of 2,000 draws are 0.9 and 0.63
    assert statistics.fmean(plain) == pytest.approx(50, abs=0.9)
    assert statistics.stdev(plain) == pytest.approx(10, abs=0.63)
    differences = [a - b for a, b in zip(plain, strict, strict=True)]
    assert statistics.median(differences) == pytest.approx(20, abs=0.11)  # but near the end


def test_without_noise_and_severity_judges_agree_and_systems_differ(tmp_path):
    write_template(tmp_path)
    study = read_study(tmp_path)
    judges = simulated_judges(study, severity=0, noise=0, seed=4)
    assert len(judges) == study.design.judges
    assert [each.number for each in judges] == list(range(1, 9))
    for criterion, each in itertools.product(study.criteria, study.items):
        assert len({judge.answer(criterion, each) for judge in judges}) == 1


def test_severities_of_judges_spread_as_asked(tmp_path):
    write_template(tmp_path)
    judges = simulated_judges(read_study(tmp_path), judges=2000, severity=0.1, seed=1)
    spread = statistics.stdev(each.severity for each in judges)
    assert spread == pytest.approx(0.1, abs=4 * 0.1 / (2 * 2000) ** 0.5)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_answer_of_every_template_is_on_its_scale(tmp_path, template):
    write_template(tmp_path, template)
    study = read_study(tmp_path)
    for judge in simulated_judges(study, seed=2):
        for criterion, each in itertools.product(study.criteria, study.items):
            assert criterion.scale.accepts(judge.answer(criterion, each))


def test_the_better_of_two_outputs_is_preferred():
    pair = item("p", "x", "y")
    quality = Quality(9, sources=0, items=0)
    first, second = (quality.of(pair, BETTER, place) for place in (0, 1))
    better = "A" if first > second else "B"
    assert abs(first - second) > 0.05
    assert SimulatedJudge(1, quality, noise=0).answer(BETTER, pair) == better
    assert SimulatedJudge(1, quality, noise=0).answer(BETTER, item("p", "x", "x")) == "same"


def test_an_attentive_judge_passes_a_check_and_another_may_not():
    check = item("c", "x", kind="check", expected={"Fluency": 3.5})
    assert SimulatedJudge(1, Quality(1)).answer(FLUENCY, check) == 3.5
    assert SimulatedJudge(1, Quality(1), attentive=False).answer(FLUENCY, check) != 3.5


@pytest.mark.parametrize("wrong", [{"severity": -1}, {"noise": float("nan")}], ids=str)
def test_a_negative_spread_is_refused(tmp_path, wrong):
    write_template(tmp_path)
    with pytest.raises(InvalidArgument, match="cannot be negative"):
        simulated_judges(read_study(tmp_path), **wrong)
