"""Judges whose ratings run against those of the others, or have nothing to do with them."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics import check
from tests.analysis.forensics.studies import codes, judged, study, the


@pytest.mark.parametrize("judges", [3, 4, 7])
def test_a_judge_who_reads_the_scale_the_other_way_round_is_serious(judges):
    values = judged(60, judges)
    values[:, 1] = 6 - values[:, 1]
    found = the("reversed-judge", study(values))
    assert found.seriousness == "serious"
    assert found.data["judges"] == ["Bo"]


def test_the_correlation_is_that_with_the_mean_of_the_others_and_has_fishers_interval():
    values = judged(60, 4)
    values[:, 1] = 6 - values[:, 1]
    (row,) = the("reversed-judge", study(values)).data["following"]
    r = np.corrcoef(values[:, 1], values[:, [0, 2, 3]].mean(axis=1))[0, 1]
    ends = np.tanh(np.arctanh(r) + np.array([-1.959964, 1.959964]) / np.sqrt(60 - 3))
    assert row["value"] == pytest.approx(r)
    assert [row["low"], row["high"]] == pytest.approx(ends, abs=1e-6)


def test_two_reversed_judges_are_one_finding_and_accuse_nobody_else():
    values = judged(80, 7)
    values[:, [1, 4]] = 6 - values[:, [1, 4]]
    found = the("reversed-judge", study(values))
    assert found.data["judges"] == ["Bo", "Ed"]
    assert "random-judge" not in codes(study(values))


def test_of_two_judges_nobody_can_say_which_is_reversed():
    values = judged(60, 2)
    values[:, 1] = 6 - values[:, 1]
    found = the("reversed-judge", study(values))
    assert (found.seriousness, found.variant) == ("look", "two")
    assert "against each other" in found.title


def test_a_judge_who_answers_at_random_is_serious():
    values = judged(150, 4)
    values[:, 1] = np.random.default_rng(5).permutation(values[:, 1])
    found = the("random-judge", study(values))
    assert found.seriousness == "serious"
    assert found.data["judges"] == ["Bo"]
    (row,) = found.data["following"]
    assert row["low"] < 0 < row["high"] < found.data["usual"]


def crowd_with_three_at_random() -> Ratings:
    """Ten votes on each of 400 sentences, as in entailment; three workers gave a quarter."""
    draw = np.random.default_rng(2)
    rows: dict[str, list] = {"item": [], "judge": [], "rating": []}
    for item in range(400):
        truth = int(draw.random() < 0.5)
        regular = [f"w{n}" for n in draw.choice(np.arange(10, 60), 7, replace=False)]
        for judge in ["bad1", "bad2", "bad3"][: 2 + item % 2] + regular[: 8 - item % 2]:
            right = 0.5 if judge.startswith("bad") else 0.85
            rows["item"].append(item)
            rows["judge"].append(judge)
            rows["rating"].append(truth if draw.random() < right else 1 - truth)
    return Ratings(rows, scale="0-1")


def test_three_workers_with_a_quarter_of_all_votes_at_random_are_one_serious_finding():
    found = the("random-judge", crowd_with_three_at_random())
    assert found.seriousness == "serious"
    assert {"bad1", "bad2", "bad3"} <= set(found.data["judges"])
    assert len(found.data["judges"]) <= 4
    assert found.data["share"] > 0.2


def test_labels_without_an_order_are_compared_by_agreement_beyond_chance():
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 4, (200, 1))
    codes_ = np.where(draw.random((200, 4)) < 0.2, draw.integers(0, 4, (200, 4)), truth)
    codes_[:, 2] = draw.permutation(codes_[:, 2])
    item, judge = np.indices(codes_.shape).reshape(2, -1)
    rows = {
        "item": item,
        "judge": np.array(["Ann", "Bo", "Cy", "Di"], dtype=object)[judge],
        "rating": np.array(list("ABCD"), dtype=object)[codes_.ravel()],
    }
    found = the("random-judge", Ratings(rows, level="nominal"))
    assert found.data["judges"] == ["Cy"]
    assert "agreement beyond chance" in found.evidence


def test_a_careless_judge_who_still_follows_the_others_is_not_reported():
    draw = np.random.default_rng(4)
    seen = draw.normal(size=(200, 1)) + np.array([0.5, 1.5, 0.5, 0.5]) * draw.normal(size=(200, 4))
    found = codes(study(np.clip(np.round(3 + seen), 1, 5)))
    assert not {"random-judge", "reversed-judge"} & set(found)


def test_where_nobody_follows_anybody_nobody_stands_apart():
    for seed in range(10):
        values = np.random.default_rng(seed).integers(1, 6, (80, 5)).astype(float)
        assert check(study(values)).serious == ()
