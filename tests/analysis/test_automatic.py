"""Language models and metrics beside people: what is shown, ruled out, open, and not asked."""

import math

import numpy as np
import pytest

import covary
from covary import InvalidArgument, Ratings
from covary.analysis.automatic import automatic

SYSTEMS = ("bart", "t5", "gpt")


def study(seed=1, texts=40, people=3, noise=0.4, kind=0.0, own=0.4):
    """Ratings from 1 to 5 of three systems' outputs; `model` rates `kind` too high for gpt."""
    rng = np.random.default_rng(seed)
    columns = {"item": [], "judge": [], "rating": [], "system": [], "source": []}
    for text in range(texts):
        for place, system in enumerate(SYSTEMS):
            truth = 3 + 0.5 * (place - 1) + rng.normal(0, 0.9)
            named = [(f"P{n}", noise, 0.0) for n in range(people)]
            for judge, spread, above in [*named, ("model", own, kind * (system == "gpt"))]:
                rating = int(np.clip(round(truth + above + rng.normal(0, spread)), 1, 5))
                row = (f"{text} {system}", judge, rating, system, f"text {text}")
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    return columns


def beside(columns, **options):
    return automatic(Ratings(columns, scale="1-5"), judges=["model"], **options).judges[0]


def test_a_model_that_rates_as_people_do_may_take_a_persons_place():
    found = beside(study())
    assert found.replaces == "shown"
    assert found.test.winning_rate == 1
    assert found.sentence.startswith("model may take a person's place")


def test_noise_may_not():
    found = beside(study(own=3.0))
    assert found.replaces == "ruled out"
    assert "may not" in found.sentence


def test_between_the_two_it_is_open_and_more_items_are_asked_for():
    found = beside(study(texts=12, own=0.85, seed=4))
    assert found.replaces == "open"
    assert "More common items" in found.sentence


def test_few_items_or_one_person_are_not_tested_and_say_why():
    few = beside(study(texts=8))
    assert (few.replaces, few.why_unknown) == ("unknown", "few-items")
    assert "nobody shares 30 items" in few.sentence
    alone = beside(study(people=1))
    assert (alone.replaces, alone.why_unknown) == ("unknown", "few-people")
    assert "two people" in alone.sentence
    assert alone.test is None


def test_agreement_is_that_of_a_person_and_stands_beside_peoples_own():
    """A fourth person in all but name agrees with the others as they do with each other."""
    columns = study()
    ratings = Ratings(columns, scale="1-5")
    people, model = ratings.without(judge="model"), ratings.select(judge="model")
    found = beside(columns)
    assert found.agreement.value == pytest.approx(covary.xrr(people, model).value)
    own = covary.krippendorff_alpha(people).value  # ranks of people alone, not of all ratings
    assert found.people == pytest.approx(own, abs=0.005)
    assert abs(found.agreement.value - found.people) < 0.05


def test_correlations_are_spearmans_with_the_mean_of_the_other_people():
    scipy_stats = pytest.importorskip("scipy.stats")
    columns = study()
    table = {}
    for item, judge, rating in zip(*(columns[k] for k in ("item", "judge", "rating")), strict=True):
        table.setdefault(judge, {})[item] = rating
    items = sorted(table["model"])
    people = np.array([[table[f"P{n}"][item] for item in items] for n in range(3)], float)
    model = np.array([table["model"][item] for item in items], float)
    means = [np.delete(people, n, axis=0).mean(axis=0) for n in range(3)]
    found = beside(columns)
    by_model = [scipy_stats.spearmanr(model, mean).statistic for mean in means]
    own = [scipy_stats.spearmanr(people[n], means[n]).statistic for n in range(3)]
    assert found.r == pytest.approx(np.mean(by_model))
    assert found.r_people == pytest.approx(np.mean(own))
    assert found.r_behind_low < found.r_behind < found.r_behind_high


def test_a_model_that_favours_a_system_is_named():
    found = beside(study(kind=1.0))
    gpt = next(own for own in found.systems if own.system == "gpt")
    assert gpt.favour_low > 0
    assert any(
        note.code == "automatic.favours" and note.data["favoured"] == ["gpt"]
        for note in found.notes
    )
    fair = beside(study())
    assert not any(note.code == "automatic.favours" for note in fair.notes)


def test_pairs_of_systems_that_it_orders_otherwise_are_named():
    """By hand: people's means 4, 3, 2; the model's 3, 4, 2 (and then as people's)."""
    people, models = {"x": 4, "y": 3, "z": 2}, {"x": 3, "y": 4, "z": 2}
    for model, otherwise in ((models, (("x", "y"),)), (people, ())):
        columns = {"item": [], "judge": [], "rating": [], "system": []}
        for n in range(30):
            system, wave = "xyz"[n % 3], 1 if n < 15 else -1
            given = {"Ann": people[system] + wave, "model": model[system] + wave}
            for judge, rating in given.items():
                row = (n, judge, rating, system)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
        found = beside(columns)
        assert (found.ordered_otherwise, found.pairs) == (otherwise, 3)
        notes = [note for note in found.notes if note.code == "automatic.orders-otherwise"]
        assert len(notes) == len(otherwise)
        for note in notes:
            assert "model orders 1 of 3 pairs of systems otherwise" in note
            assert "people's means put x above y" in note
            assert "By plain means" in note


def test_favour_is_a_difference_of_differences():
    """Two systems, by hand: above people by 1 on one, by 0 on the other."""
    columns = {"item": [], "judge": [], "rating": [], "system": []}
    for n in range(12):
        for judge, rating in (("Ann", 2 + n % 2), ("model", 2 + n % 2 + (n < 6))):
            row = (n, judge, rating, "x" if n < 6 else "y")
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    x, y = beside(columns).systems
    assert (x.favour, y.favour) == pytest.approx((1, -1))


def test_a_metric_is_compared_by_order_alone():
    columns = study()
    ratings = Ratings(columns, scale="1-5").without(judge="model")
    items = sorted(set(columns["item"]))
    order = {item: place for place, item in enumerate(items)}
    scores = Ratings(
        {"item": items, "judge": ["bleu"] * len(items), "rating": [order[i] / 200 for i in items]}
    )
    (found,) = automatic(ratings, scores).judges
    assert not found.on_scale
    assert found.agreement is None
    assert math.isnan(found.shift)
    assert math.isfinite(found.r)
    assert found.pairs == 3
    assert found.why_unknown == "other-scale"
    assert any(note.code == "automatic.other-scale" for note in found.notes)


def test_further_items_sharpen_peoples_means():
    columns = study(texts=80, noise=0.3, own=0.3)
    rated = [i for i, source in enumerate(columns["source"]) if int(source.split()[1]) < 20]
    people = {
        k: [v[i] for i in rated if columns["judge"][i] != "model"] for k, v in columns.items()
    }
    model = [i for i, judge in enumerate(columns["judge"]) if judge == "model"]
    scores = Ratings({k: [v[i] for i in model] for k, v in columns.items()}, scale="1-5")
    (found,) = automatic(Ratings(people, scale="1-5"), scores).judges
    assert found.n_further == 180
    assert found.powered.gain > 1.5
    assert all(own.powered is not None for own in found.systems)
    everybody = [
        r for r, j in zip(columns["rating"], columns["judge"], strict=True) if j != "model"
    ]
    assert found.powered.low < np.mean(everybody) < found.powered.high


def test_names_without_order_are_compared_by_equality():
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b", "c"], 60)
    rows = [[t, t if rng.random() < 0.9 else "a", t] for t in truth]
    ratings = Ratings.from_wide(rows, scale="a,b,c", level="nominal", judges=["Ann", "Bo", "model"])
    (found,) = automatic(ratings, judges=["model"]).judges
    assert found.replaces == "shown"
    assert math.isnan(found.r)
    assert found.powered is None
    assert not found.systems


def test_judges_of_an_automatic_group_need_not_be_named():
    columns = study()
    columns["group"] = ["LLM" if judge == "model" else "expert" for judge in columns["judge"]]
    found = automatic(Ratings(columns, scale="1-5"))
    assert [judge.judge for judge in found.judges] == ["model"]
    assert found.names[0] == ("P0", "P1", "P2")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "automatic.which"),
        ({"judges": ["P0", "P1", "P2", "model"]}, "automatic.no-people"),
        ({"judges": ["model"], "margin": 1.0}, "automatic.margin"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, code):
    with pytest.raises(InvalidArgument) as refused:
        automatic(Ratings(study(texts=2), scale="1-5"), **options)
    assert refused.value.code == code


def test_slots_are_refused():
    ratings = Ratings(study(texts=2), scale="1-5").as_slots()
    with pytest.raises(InvalidArgument) as refused:
        automatic(ratings, judges=["model"])
    assert refused.value.code == "automatic.slots"


def test_scores_of_other_items_are_refused_with_both_names():
    ratings = Ratings(study(texts=2), scale="1-5").without(judge="model")
    scores = Ratings({"item": ["x1", "x2"], "judge": ["gpt"] * 2, "rating": [1, 2]})
    with pytest.raises(InvalidArgument, match=r"x1.*x2") as refused:
        automatic(ratings, scores)
    assert refused.value.code == "automatic.nothing-shared"


def test_scores_on_other_criteria_are_refused():
    ratings = Ratings(study(texts=2) | {"criterion": ["fluency"] * 24}, scale="1-5")
    scores = Ratings({"item": ["0 t5"], "judge": ["gpt"], "rating": [1], "criterion": ["style"]})
    with pytest.raises(InvalidArgument) as refused:
        automatic(ratings.without(judge="model"), scores)
    assert refused.value.code == "automatic.no-criterion"


def test_answers_in_words_are_read_on_the_peoples_scale():
    words = {1: "bad", 2: "fair", 3: "good"}
    rows = [[n % 3 + 1] * 3 for n in range(36)]
    people = [[words[x] for x in row] for row in rows]
    ratings = Ratings.from_wide(people, scale="bad,fair,good", judges=["Ann", "Bo", "gpt"])
    (found,) = automatic(ratings, judges=["gpt"]).judges
    assert found.replaces == "shown"
    strange = Ratings({"item": ["1"], "judge": ["x"], "rating": ["great"]})
    with pytest.raises(InvalidArgument) as refused:
        automatic(ratings.without(judge="gpt"), strange)
    assert refused.value.code == "automatic.no-number"


def test_rows_and_plain_values_hold_what_was_found():
    found = automatic(Ratings(study(), scale="1-5"), judges=["model"])
    (row,) = found.rows()
    assert set(row) == set(found.columns)
    values = found.to_dict()["judges"][0]
    assert values["replaces"] == "shown"
    assert values["winning_rate"] == 1
    assert "may take" in str(found)
