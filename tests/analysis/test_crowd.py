"""A crowd beside experts: single votes, combined votes, differences, costs."""

import json
import math
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

import covary
from covary import Ratings
from covary.analysis.crowd import arrangements, crowd_study
from covary.analysis.crowd.arrangements import COEFFICIENTS, draw_tables
from covary.errors import InvalidArgument, RatingsError
from covary.scales import as_scale
from tests.analysis.crowd_studies import (
    PRINTED,
    SCALE,
    WORDS,
    crowd_and_experts,
    drawn,
    long,
    two_experts,
)


def wide(codes, judges="slots"):
    return Ratings.from_wide([[WORDS[c] for c in row] for row in codes], scale=SCALE, judges=judges)


EXPERTS = ["expert 1", "expert 2"]


@pytest.fixture(scope="module")
def whole():
    crowd, experts = crowd_and_experts()
    return crowd_study(
        crowd,
        experts,
        methods=("banchs-a", "banchs-b", "majority", "dawid-skene"),
        rng=1,
        pay=0.05,
        fee=0.01,
        wage=7.25,
        expert_pay=0.5,
        resamples=400,
    )


def test_the_printed_agreement_of_two_experts():
    """Banchs (2016), section 2: kappa .3736 and Fisher's ICC .5454 on 405 turns."""
    codes = np.random.default_rng(1).integers(0, 3, (405, 3))
    found = crowd_study(wide(codes), two_experts(), rng=1, resamples=50, arrangements=10)
    values = {each.coefficient: each for each in found.agreement if each.kind == "experts"}
    assert round(values["cohen_kappa"].value, 4) == 0.3736
    assert round(values["fisher_icc"].value, 4) == 0.5454
    assert values["cohen_kappa"].n_items == found.n_items == 405


@pytest.mark.parametrize(
    "name",
    [
        "cohen_kappa",
        "fisher_icc",
        "scott_pi",
        "percent_agreement",
        "pearson",
        "goodman_kruskal_gamma",
    ],
)
def test_a_table_gives_what_the_coefficient_of_the_ratings_gives(name):
    tables = np.stack([PRINTED, PRINTED.T, np.diag([5, 3, 2])]).astype(float)
    found = COEFFICIENTS[name].of(tables, SCALE)
    quiet = name == "goodman_kruskal_gamma"
    with nullcontext() if quiet else pytest.warns(covary.SuitabilityWarning):
        wanted = getattr(covary, name)(two_experts(), interval=None).value
    assert found[0] == pytest.approx(wanted, abs=1e-12)
    assert found[2] == pytest.approx(1, abs=1e-12)


def test_weighted_kappa_with_the_distances_of_an_interval_scale():
    """Hand arithmetic: positions 0, 1, 10; the table [[1, 1, 0], [0, 1, 0], [0, 0, 1]]."""
    scale = covary.VerbalScale([0, 1, 10], level="interval")
    table = np.array([[[1.0, 1, 0], [0, 1, 0], [0, 0, 1]]])
    observed = 1 / 4  # one pair is 1 apart, of four
    expected = (2 * 2 * 1 + 2 * 1 * 100 + 1 * 1 * 1 + 1 * 1 * 81 + 1 * 1 * 100 + 1 * 2 * 81) / 16
    found = COEFFICIENTS["weighted_kappa"].of(table, scale)
    assert found[0] == pytest.approx(1 - observed / expected)


def test_all_arrangements_of_a_few_votes_are_counted_by_hand():
    """Three items with two votes each have eight arrangements, each as likely as any other."""
    expert, votes = [0, 1, 1], [(0, 1), (1, 1), (0, 1)]
    agreed = [sum(v == e for v, e in zip(way, expert, strict=True)) / 3 for way in product(*votes)]
    found = arrangements(
        wide(votes), wide([[e] for e in expert], ["Ann"]), "percent_agreement", rng=3
    )
    assert found.mean == pytest.approx(np.mean(agreed), abs=0.005)
    assert found.sd == pytest.approx(np.std(agreed), abs=0.005)
    assert found.closed_form.mean == pytest.approx(np.mean(agreed))
    assert found.closed_form.sd == pytest.approx(np.std(agreed), rel=1e-6)
    assert {round(v, 6) for v in np.unique(found.values)} == {round(v, 6) for v in agreed}


@pytest.mark.parametrize("coefficient", ["cohen_kappa", "fisher_icc", "goodman_kruskal_gamma"])
def test_the_mean_over_arrangements_is_the_closed_form(coefficient):
    votes, experts, _ = drawn(5)
    found = arrangements(wide(votes), wide(experts, EXPERTS), coefficient, judge="expert 2", rng=2)
    monte_carlo = found.sd / math.sqrt(found.arrangements)
    # The closed form is that of the expected table; a ratio's own bias is of order 1/N.
    assert found.mean == pytest.approx(found.closed_form.mean, abs=4 * monte_carlo + 0.5 / 405)
    assert found.sd == pytest.approx(found.closed_form.sd, rel=0.03)


def test_the_closed_form_of_percent_agreement_is_exact_and_that_of_kappa_is_not():
    """All arrangements by hand: votes 1 1 2 and 1 2 2, the expert says 1 and 2.

    Both agree in 2 of 3 x 2 of 3 draws, one in 4 of 9, none in 1 of 9: the mean of the share is
    (4 x 1 + 4 x .5) / 9 = 2/3, and its variance (4 x 1 + 4 x .25) / 9 - 4/9 = 1/9.
    """
    votes = Ratings.from_wide([[1, 1, 2], [1, 2, 2]], scale="1-2", judges="slots")
    expert = Ratings.from_wide([[1], [2]], scale="1-2", judges=["Ann"])
    percent = arrangements(votes, expert, "percent_agreement", arrangements=10, rng=1)
    assert percent.closed_form.exact
    assert percent.closed_form.mean == pytest.approx(2 / 3)
    assert percent.closed_form.sd == pytest.approx(1 / 3, rel=1e-6)
    kappa = arrangements(votes, expert, "cohen_kappa", arrangements=10, rng=1)
    assert not kappa.closed_form.exact
    assert "approximately" in str(kappa)


def test_the_closed_form_of_kappa_is_that_of_the_shares():
    votes, experts, _ = drawn(6)
    found = arrangements(wide(votes), wide(experts, EXPERTS), judge="expert 1", rng=2)
    expert = experts[:, 0]
    p = (votes == expert[:, None]).mean(axis=1)
    chance = sum((expert == k).mean() * (votes == k).mean() for k in range(3))
    closed = found.closed_form
    assert closed.observed == pytest.approx(p.mean())
    assert closed.expected == pytest.approx(chance)
    assert closed.mean == pytest.approx((p.mean() - chance) / (1 - chance))
    assert closed.sd == pytest.approx(math.sqrt((p * (1 - p)).sum()) / 405 / (1 - chance))


def test_drawing_items_together_is_drawing_each_item():
    """The obvious way, item by item, has the same mean and spread in every cell."""
    votes, experts, _ = drawn(7, items=60)
    expert, rng, times = experts[:, 0], np.random.default_rng(1), 4000
    shares = np.stack([(votes == k).mean(axis=1) for k in range(3)], axis=1)
    quick = draw_tables(expert, shares, times, rng)
    slow = np.zeros((times, 3, 3))
    for number in range(times):
        picked = votes[np.arange(60), rng.integers(0, 3, 60)]
        np.add.at(slow[number], (expert, picked), 1)
    assert (quick.sum(axis=(1, 2)) == 60).all()
    error = np.sqrt(2 * slow.var(axis=0) / times) + 1e-9
    assert (np.abs(quick.mean(axis=0) - slow.mean(axis=0)) < 5 * error + 1e-9).all()
    assert np.allclose(quick.var(axis=0), slow.var(axis=0), rtol=0.15, atol=1e-9)


def test_the_spread_over_arrangements_is_clearly_below_the_sampling_error():
    """Simulated 405 × 3 turns: about .027 against .038."""
    votes, experts, _ = drawn(8, crowd=0.42, expert=0.8)
    found = crowd_study(wide(votes), wide(experts, EXPERTS), methods="median", rng=1, resamples=400)
    spread = next(each for each in found.arrangements if each.coefficient == "cohen_kappa").sd
    rng = np.random.default_rng(3)
    drawn_again = []
    for _ in range(400):  # other items, and one vote of each
        rows = rng.integers(0, 405, 405)
        picked = votes[rows, rng.integers(0, 3, 405)]
        table = np.zeros((1, 3, 3))
        np.add.at(table[0], (experts[rows, 0], picked), 1)
        drawn_again.append(float(COEFFICIENTS["cohen_kappa"].of(table, SCALE)[0]))
    assert spread == pytest.approx(0.027, abs=0.003)
    assert np.std(drawn_again) == pytest.approx(0.037, abs=0.004)
    assert spread < 0.85 * np.std(drawn_again)
    assert "not a standard error" in found.notes[0]


def test_any_function_of_tables_is_a_coefficient():
    votes, experts, _ = drawn(9, items=50)

    def within_one(tables):
        near = np.abs(np.subtract.outer(range(3), range(3))) <= 1
        return (tables * near).sum(axis=(-2, -1)) / tables.sum(axis=(-2, -1))

    found = arrangements(
        wide(votes), wide(experts, EXPERTS), within_one, judge="expert 1", arrangements=500, rng=1
    )
    near = (np.abs(votes - experts[:, :1]) <= 1).mean()
    assert found.coefficient == "within_one"
    assert found.closed_form.mean == pytest.approx(near)
    with pytest.raises(InvalidArgument, match="one value for each table"):
        arrangements(wide(votes), wide(experts, EXPERTS), np.sum, judge="expert 1", rng=1)


def test_columns_of_votes_are_refused_as_judges_and_arrangements_are_offered():
    votes, _, _ = drawn(9, items=20)
    with pytest.raises(InvalidArgument, match="random arrangements of the votes"):
        arrangements(wide(votes), wide(votes))
    with pytest.raises(InvalidArgument, match="slots"):
        crowd_study(wide(votes), wide(votes))
    with pytest.raises(InvalidArgument, match="slots"):
        covary.cohen_kappa(wide(votes), weights="quadratic")


def test_combined_votes_agree_as_if_they_were_a_judge(whole):
    """Every coefficient is what covary finds for the combined ratings beside the expert's."""
    crowd, experts = crowd_and_experts()
    for method in ("banchs-b", "dawid-skene"):
        joined = covary.aggregate.combine(crowd, method).to_ratings(beside=experts)
        chosen = joined.select(judge=["crowd", "expert 2"])
        with pytest.warns(covary.SuitabilityWarning):
            wanted = covary.cohen_kappa(chosen, interval=None).value
        (found,) = [
            each for each in whole.combined("cohen_kappa", "expert 2") if each.first == method
        ]
        assert found.value == pytest.approx(wanted, abs=1e-12)


def test_differences_are_paired_and_say_what_they_compare(whole):
    (experts,) = whole.between_experts("fisher_icc")
    for each in whole.differences:
        if each.coefficient == "fisher_icc":
            (crowd,) = [
                a for a in whole.combined("fisher_icc", each.expert) if a.first == each.method
            ]
            assert each.value == pytest.approx(crowd.value - experts.value)
            unpaired = math.hypot(crowd.interval.standard_error, experts.interval.standard_error)
            assert 0 < each.interval.standard_error < unpaired
            assert each.interval.low < each.value < each.interval.high
            assert each.interval.target == "these judges, other sessions"


def test_an_interval_over_sessions_is_wider_where_turns_of_a_session_are_alike():
    votes, experts, session = drawn(3, items=600, sessions=20, crowd=0.5, expert=0.6, sway=0.35)
    names = [["a", "b", "c"]] * 600
    pair = [EXPERTS] * 600
    nested = crowd_study(
        long(votes, names, session=session),
        long(experts, pair),
        rng=1,
        arrangements=10,
        resamples=500,
        methods="median",
    )
    flat = crowd_study(
        long(votes, names),
        long(experts, pair),
        rng=1,
        arrangements=10,
        resamples=500,
        methods="median",
    )
    errors = [
        found.between_experts("cohen_kappa")[0].interval.standard_error for found in (nested, flat)
    ]
    assert errors[0] > 1.3 * errors[1]
    assert nested.n_sessions == 20
    assert flat.units == "items"
    assert any("name the column of sessions" in note for note in flat.notes)


def test_the_bootstrap_over_items_has_the_standard_error_of_kappa():
    """Fleiss, Cohen & Everitt's (1969) large-sample formula on the printed table."""
    p = PRINTED / 405
    row, column = p.sum(axis=1), p.sum(axis=0)
    po, pe = np.trace(p), row @ column
    kappa = (po - pe) / (1 - pe)
    terms = sum(
        p[i, j] * (((i == j) - (row[j] + column[i]) * (1 - kappa)) ** 2)
        for i in range(3)
        for j in range(3)
    )
    wanted = math.sqrt((terms - (kappa - pe * (1 - kappa)) ** 2) / 405) / (1 - pe)
    codes = np.zeros((405, 1), dtype=int)
    codes[0] = 1
    found = crowd_study(
        wide(codes), two_experts(), rng=1, arrangements=2, resamples=4000, methods="median"
    )
    error = found.between_experts("cohen_kappa")[0].interval.standard_error
    assert error == pytest.approx(wanted, rel=0.05)


def test_the_crowd_is_closer_to_the_expert_it_was_drawn_to_follow():
    votes, experts, _ = drawn(4, expert=0.95)
    rng = np.random.default_rng(2)
    experts[:, 0] = np.where(rng.random(405) < 0.4, experts[:, 0], rng.integers(0, 3, 405))
    found = crowd_study(wide(votes), wide(experts, EXPERTS), rng=1, arrangements=100, resamples=400)
    assert {each.expert for each in found.closer} == {"expert 2"}
    assert {each.method for each in found.closer} == {"one vote", "banchs-a", "banchs-b"}
    assert all(each.sure and each.next == "expert 1" for each in found.closer)


def test_three_experts_are_compared_with_the_mean_of_the_others():
    votes, experts, _ = drawn(4, items=200)
    third = drawn(40, items=200)[1][:, :1]
    three = np.column_stack([experts, third])
    found = crowd_study(
        wide(votes),
        wide(three, ["A", "B", "C"]),
        rng=1,
        arrangements=50,
        resamples=50,
        coefficients="cohen_kappa",
        methods="median",
    )
    pairs = {(e.first, e.second): e.value for e in found.between_experts("cohen_kappa")}
    (about_a,) = [each for each in found.differences if each.expert == "A"]
    assert about_a.experts == pytest.approx((pairs["A", "B"] + pairs["A", "C"]) / 2)
    (rate,) = found.votes_per_expert
    assert rate.experts == pytest.approx(np.mean(list(pairs.values())))


def test_tied_votes_do_not_make_items_vanish(whole):
    """Majority abstains on three different votes; leaving them out would flatter the crowd."""
    rows = [each for each in whole.agreement if each.first == "majority"]
    assert {each.n_items for each in rows} == {405}
    assert any("majority finds several ratings" in note for note in whole.notes)
    assert any("dawid-skene learns from all votes" in note for note in whole.notes)


def test_items_are_matched_by_name_and_the_others_are_counted():
    votes, experts, _ = drawn(1, items=40)
    names = [["a", "b", "c"]] * 40
    found = crowd_study(
        long(votes, names, start=10),
        long(experts[:30], [EXPERTS] * 30),
        rng=1,
        arrangements=50,
        resamples=50,
    )
    assert (found.n_items, found.only_crowd, found.only_experts) == (20, 20, 10)
    assert any("20 items were rated by the crowd only and 10" in note for note in found.notes)
    with pytest.raises(RatingsError, match="matched by name"):
        crowd_study(long(votes, names, start=100), long(experts[:30], [EXPERTS] * 30))


def test_items_of_experts_alone_do_not_hide_the_sessions_of_the_crowd():
    votes, experts, session = drawn(1, items=40, sessions=8)
    crowd = long(votes[:30], [["a", "b", "c"]] * 30, session=session)
    found = crowd_study(crowd, long(experts, [EXPERTS] * 40), rng=1, arrangements=50, resamples=50)
    assert (found.only_experts, found.n_sessions, found.units) == (10, 8, "sessions")


def test_one_expert_leaves_out_what_needs_two():
    votes, experts, _ = drawn(1, items=60)
    found = crowd_study(
        wide(votes), wide(experts[:, :1], ["Ann"]), rng=1, arrangements=50, resamples=50
    )
    assert not found.differences
    assert not found.votes_per_expert
    assert found.shared is None
    assert len(found.arrangements) == 2
    assert any("one expert" in note for note in found.notes)


def test_names_without_order_have_kappa_only():
    votes, experts, _ = drawn(1, items=60)
    scale = covary.VerbalScale(WORDS, level="nominal")
    crowd = Ratings.from_wide([[WORDS[c] for c in r] for r in votes], scale=scale, judges="slots")
    judges = Ratings.from_wide(
        [[WORDS[c] for c in r] for r in experts], scale=scale, judges=EXPERTS
    )
    found = crowd_study(crowd, judges, methods="majority", rng=1, arrangements=50, resamples=50)
    assert [name for name, _ in found.coefficients] == ["cohen_kappa"]
    with pytest.raises(InvalidArgument, match="ordered"):
        arrangements(crowd, judges, "fisher_icc", judge="expert 1")


def test_what_has_no_value_is_nan_and_counted():
    votes = [[0, 0, 0]] * 5
    found = crowd_study(
        wide(votes), wide([[0, 0]] * 5, EXPERTS), rng=1, arrangements=20, resamples=20
    )
    assert all(math.isnan(each.mean) and each.undefined == 20 for each in found.arrangements)
    assert all(math.isnan(each.value) for each in found.agreement)
    assert all(math.isnan(each.votes) for each in found.votes_per_expert)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_seed_repeats_a_study_and_plain_values_hold_everything():
    crowd, experts = crowd_and_experts(items=60)
    again = [
        crowd_study(crowd, experts, rng=5, arrangements=200, resamples=50).to_dict()
        for _ in range(2)
    ]
    assert again[0] == again[1]
    text = json.dumps(again[0], allow_nan=False)
    for name in ("arrangements", "agreement", "differences", "closer", "curve", "judges", "costs"):
        assert again[0][name], name
    assert '"values"' not in text


def test_progress_is_told():
    crowd, experts = crowd_and_experts(items=60)
    said = []
    crowd_study(crowd, experts, rng=1, arrangements=20, resamples=20, progress=said.append)
    assert said == ["combining votes", "numbers of votes", "resampling", "arrangements"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"methods": "best"}, "banchs-a"),
        ({"methods": ()}, "must be some of"),
        ({"arrangements": 1}, "at least 2"),
        ({"fee": 0.01}, "fee without pay"),
        ({"pay": -1}, "amount of money"),
        ({"confidence": 2}, "confidence"),
        ({"coefficients": "kappa"}, "cohen_kappa"),
        ({"coefficients": ("cohen_kappa", "cohen_kappa")}, "each once"),
        ({"rng": "x"}, "rng"),
    ],
)
def test_a_wrong_call_is_refused(more, said):
    crowd, experts = crowd_and_experts(items=20)
    with pytest.raises(InvalidArgument, match=said):
        crowd_study(crowd, experts, **more)


def test_scales_must_be_the_same_and_have_categories():
    crowd, experts = crowd_and_experts(items=20)
    other = Ratings.from_wide([[1, 2]] * 20, scale="1-3", judges=EXPERTS)
    with pytest.raises(InvalidArgument, match="declare the same scale"):
        crowd_study(crowd, other)
    line = Ratings.from_wide([[1.5, 2.0]] * 20, scale="0-100", judges=EXPERTS)
    assert as_scale("0-100").categories is None
    with pytest.raises(InvalidArgument, match="categories"):
        crowd_study(line.as_slots(), line)
    with pytest.raises(InvalidArgument, match="must be Ratings"):
        crowd_study([[1, 2]], experts)
    with pytest.raises(InvalidArgument, match="one of the experts"):
        arrangements(crowd, experts)


@pytest.mark.parametrize(
    ("nested", "units", "n"), [("cluster", "sessions", 12), ("source", "sources", 12)]
)
def test_items_of_a_session_or_of_a_shared_source_are_drawn_together(nested, units, n):
    rng = np.random.default_rng(4)
    votes = {"item": [], "judge": [], "rating": [], nested: []}
    experts = {"item": [], "judge": [], "rating": []}
    for item in range(36):
        truth = int(rng.integers(1, 4))
        for judge in "abc":
            row = (item, judge, truth if rng.random() < 0.7 else 2, item // 3)
            for column, value in zip(votes.values(), row, strict=True):
                column.append(value)
        for column, value in zip(experts.values(), (item, "Eve", truth), strict=True):
            column.append(value)
    crowd, judges = (Ratings(rows, scale="1-3") for rows in (votes, experts))
    found = crowd_study(crowd, judges, rng=1, arrangements=10, resamples=50)
    assert (found.units, found.n_sessions) == (units, n)
    assert any(units in note for note in found.notes)


def test_sources_of_one_item_each_nest_nothing():
    rows = {"item": [1, 2, 3, 4], "judge": ["a"] * 4, "rating": [1, 2, 3, 1]}
    crowd = Ratings(rows | {"source": ["p", "q", "r", "s"]}, scale="1-3").as_slots()
    judges = Ratings(rows | {"judge": ["Eve"] * 4}, scale="1-3")
    assert crowd_study(crowd, judges, rng=1, arrangements=10, resamples=10).units == "items"
