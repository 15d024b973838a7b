"""The result: small, frozen, says what it used, and prints itself in three ways."""

import copy
import dataclasses
import json
import math
import pickle
import re

import numpy as np
import pytest

import covary
from covary import Estimate, Interval, Level, Ratings, VerbalScale, VisualScale
from tests.properties.coefficients import BINARY, TABLE, function_of

ROWS = [[1, 2, 2], [2, 2, 1], [3, 3, 3], [1, 1, 2], [3, 2, None], [2, None, None]]
CASES = {row.label: row for row in TABLE if row.name not in BINARY}


def estimates(row, **more):
    judges = row.kind.judges[1] if row.kind.judges == (2, 2) else 3
    rows = [line[:judges] for line in ROWS]
    scale = VerbalScale([1, 2, 3], level=row.kind.level)
    own = row.own(_Size()) if row.own else {}
    found = function_of(row.name)(
        Ratings.from_wide(rows, scale=scale), **row.options, **own, **more
    )
    return list(found.values()) if isinstance(found, dict) else [found]


class _Size:
    n_categories = 3


@pytest.fixture
def alpha():
    ratings = Ratings.from_wide(ROWS, scale=VerbalScale([1, 2, 3]), judges=["Ann", "Bo", "Cy"])
    return covary.krippendorff_alpha(ratings, interval="bootstrap", resamples=200, rng=9)


def test_an_estimate_cannot_be_changed(alpha):
    with pytest.raises(dataclasses.FrozenInstanceError):
        alpha.value = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        alpha.interval.low = 0.0
    with pytest.raises(TypeError):
        alpha.settings["distance"] = "nominal"
    with pytest.raises(TypeError):
        alpha.details["x"] = 1


def test_an_estimate_cannot_be_unpacked(alpha):
    for each in (alpha, alpha.interval):
        with pytest.raises(TypeError, match=r"unpack|iterable"):
            _, _ = each


def test_an_estimate_counts_what_it_rests_on(alpha):
    """Five items have two ratings, with 3 + 3 + 3 + 3 + 2 = 14; one item has a single rating."""
    assert (alpha.n_items, alpha.n_judges, alpha.n_ratings, alpha.n_dropped) == (5, 3, 14, 1)


def test_an_estimate_is_a_number_where_one_is_wanted(alpha):
    assert float(alpha) == alpha.value
    assert f"{float(alpha):.2f}" == f"{alpha.value:.2f}"


def test_an_estimate_is_not_rounded(alpha):
    assert alpha.to_dict()["value"] == alpha.value
    assert len(repr(alpha.value)) > 8


def test_the_signature_names_everything(alpha):
    assert alpha.signature == (
        "krippendorff_alpha|level:ordinal|distance:ordinal|missing:available pairs|"
        "interval:percentile bootstrap|target:these judges, other items|confidence:0.95|"
        f"resamples:200|seed:9|covary:{covary.__version__}"
    )


@pytest.mark.parametrize("label", CASES)
def test_the_signature_of_every_coefficient_names_what_repeats_it(label):
    row = CASES[label]
    for found in estimates(row, interval="bootstrap", resamples=20, rng=3):
        signature = found.signature
        assert signature.startswith((f"{row.name}|level:", f"{row.name}_pooled|level:"))
        assert "\n" not in signature
        assert signature.endswith(f"|covary:{covary.__version__}")
        for given in row.options.values():
            assert {False: "ignored", True: ""}.get(given, str(given)) in signature
        if found.interval is not None:
            assert "|resamples:20|seed:3|" in signature
            assert "|confidence:0.95|" in signature
        if row.own:
            assert "own" in signature


def test_different_variants_have_different_signatures():
    signatures = [
        "|".join([f.signature for f in estimates(row, interval=None)]) for row in CASES.values()
    ]
    same_data = {}
    for label, signature in zip(CASES, signatures, strict=True):
        assert signature not in same_data, f"{label} and {same_data[signature]}"
        same_data[signature] = label


@pytest.mark.parametrize("label", CASES)
def test_every_estimate_becomes_json(label):
    for found in estimates(CASES[label], resamples=20, rng=3):
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain["name"].removesuffix("_pooled") == CASES[label].name
        assert plain["value"] == found.value
        assert plain["signature"] == found.signature
        assert plain["level"] == CASES[label].options.get("level", CASES[label].kind.level)
        assert set(plain) >= {
            "name",
            "value",
            "interval",
            "n_items",
            "n_judges",
            "n_ratings",
            "n_dropped",
            "level",
            "notes",
            "settings",
            "details",
        }


def test_nothing_that_is_not_a_number_reaches_json():
    undefined = Estimate(
        "x",
        math.nan,
        Interval(-math.inf, math.nan, 0.95, "none"),
        1,
        1,
        1,
        0,
        Level.NOMINAL,
        settings={"a": np.float64("nan"), "b": np.int64(3)},
        details={1: (np.bool_(True), [np.inf])},
    )
    plain = undefined.to_dict()
    assert plain["value"] is None
    assert (plain["interval"]["low"], plain["interval"]["high"]) == (None, None)
    assert plain["settings"] == {"a": None, "b": 3}
    assert plain["details"] == {"1": [True, [None]]}
    json.dumps(plain, allow_nan=False)


def test_an_estimate_prints_itself_for_a_terminal(alpha):
    lines = str(alpha).splitlines()
    assert lines[0].startswith(f"Krippendorff's alpha (ordinal): {alpha.value:.4f}")
    assert "95% interval [" in lines[0]
    assert lines[1].strip() == "5 items, 3 judges, 14 ratings"


def test_an_undefined_estimate_says_so_and_why():
    with pytest.warns(covary.UndefinedWarning):
        found = covary.krippendorff_alpha(Ratings.from_wide([[1, 1], [1, 1]], scale="1-3"))
    assert not found.defined
    assert "undefined" in str(found)
    assert "note: only one category (1)" in str(found)
    assert "nan" not in found._repr_html_()


def test_an_estimate_prints_itself_for_a_notebook(alpha):
    page = alpha._repr_html_()
    assert page.startswith("<table>")
    assert page.endswith("</table>")
    assert f"{alpha.value:.4f}" in page
    assert "these judges, other items" in page


def test_markup_in_names_is_only_text():
    evil = "<script>alert(1)</script>"
    rows = [[1, 2], [2, 2], [3, 2]]
    ratings = Ratings.from_wide(rows, scale="1-3", judges=["Ann", evil])
    with pytest.warns(covary.UndefinedWarning):
        found = covary.goodman_kruskal_gamma(ratings)
    assert any(evil in note for note in found.notes)
    assert "<script" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()


def test_markup_in_titles_and_settings_is_only_text():
    found = Estimate(
        "<i>x</i>",
        0.5,
        Interval(0, 1, 0.9, "<b>", "<u>"),
        1,
        1,
        1,
        0,
        Level.NOMINAL,
        notes=("<p>",),
        title="<h1>",
    )
    tags = set(re.findall(r"<(\w+)", found._repr_html_()))
    assert tags == {"table", "caption", "tr", "th", "td"}


def test_an_interval_prints_itself_and_keeps_floats():
    interval = Interval(np.float32(0.25), 1, 0.95, "method")
    assert str(interval) == "[0.2500, 1.0000]"
    assert type(interval.low) is type(interval.high) is float


def test_an_estimate_can_be_copied_and_sent_to_another_process(alpha):
    for twin in (copy.deepcopy(alpha), pickle.loads(pickle.dumps(alpha))):
        assert twin.to_dict() == alpha.to_dict()


def test_an_estimate_can_be_replaced_in_part(alpha):
    other = dataclasses.replace(alpha, notes=("said",))
    assert other.notes == ("said",)
    assert other.value == alpha.value


def test_details_of_pairs_name_the_judges():
    ratings = Ratings.from_wide([[1, 2, 1], [3, 3, 2], [2, 1, 2]], scale=VisualScale(0, 5))
    found = covary.pearson(ratings, interval=None)
    pairs = found.to_dict()["details"]["pairs"]
    assert [pair["judges"] for pair in pairs] == [[1, 2], [1, 3], [2, 3]]
    assert [pair["items"] for pair in pairs] == [3, 3, 3]
    assert found.value == pytest.approx(np.mean([pair["value"] for pair in pairs]))
