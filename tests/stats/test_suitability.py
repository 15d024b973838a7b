"""Which coefficient suits which level: the matrix, and what happens when it does not."""

import warnings

import pytest

import covary
from covary import InvalidArgument, Level, Ratings, SuitabilityWarning, VerbalScale, VisualScale
from covary.stats.suitability import FAMILIES, suitability
from tests.properties.coefficients import function_of

# Amidei, Piwek & Willis (2019) found a mismatch in 37 % of papers; the matrix as it is taught:
# what only counts matches, what uses the order, what ranks, and what uses distances.
MATRIX = {
    "nominal ordinal interval ratio": ("nominal", "ordinal", "interval", "ratio"),
    "percent_agreement": ("ok", "warn", "refuse", "refuse"),
    "cohen_kappa": ("ok", "warn", "refuse", "refuse"),
    "scott_pi": ("ok", "warn", "refuse", "refuse"),
    "fleiss_kappa": ("ok", "warn", "refuse", "refuse"),
    "fleiss_kappa_by_category": ("ok", "warn", "refuse", "refuse"),
    "prevalence_index": ("ok", "warn", "refuse", "refuse"),
    "bias_index": ("ok", "warn", "refuse", "refuse"),
    "conger_kappa": ("ok", "warn", "refuse", "refuse"),
    "light_kappa": ("ok", "warn", "refuse", "refuse"),
    "brennan_prediger": ("ok", "warn", "refuse", "refuse"),
    "gwet_ac1": ("ok", "warn", "refuse", "refuse"),
    "krippendorff_alpha (nominal)": ("ok", "warn", "refuse", "refuse"),
    "percent_agreement (tolerance)": ("refuse", "ok", "ok", "ok"),
    "cohen_kappa (weighted)": ("refuse", "ok", "ok", "ok"),
    "scott_pi (weighted)": ("refuse", "ok", "ok", "ok"),
    "fleiss_kappa (weighted)": ("refuse", "ok", "ok", "ok"),
    "conger_kappa (weighted)": ("refuse", "ok", "ok", "ok"),
    "light_kappa (weighted)": ("refuse", "ok", "ok", "ok"),
    "brennan_prediger (weighted)": ("refuse", "ok", "ok", "ok"),
    "gwet_ac2": ("refuse", "ok", "ok", "ok"),
    "krippendorff_alpha (ordinal)": ("refuse", "ok", "ok", "ok"),
    "goodman_kruskal_gamma": ("refuse", "ok", "ok", "ok"),
    "exchangeable_gamma": ("refuse", "ok", "ok", "ok"),
    "kendall_tau_b": ("refuse", "ok", "ok", "ok"),
    "kendall_tau_c": ("refuse", "ok", "ok", "ok"),
    "spearman": ("refuse", "ok", "ok", "ok"),
    "kendall_w": ("refuse", "ok", "ok", "ok"),
    "pearson": ("refuse", "warn", "ok", "ok"),
    "icc": ("refuse", "warn", "ok", "ok"),
    "fisher_icc": ("refuse", "warn", "ok", "ok"),
    "cronbach_alpha": ("refuse", "warn", "ok", "ok"),
    "krippendorff_alpha (interval)": ("refuse", "warn", "ok", "ok"),
    "krippendorff_alpha (ratio)": ("refuse", "warn", "warn", "ok"),
}
HEAD = MATRIX.pop("nominal ordinal interval ratio")
OWN = set(FAMILIES["any"])
BINARY = {"prevalence_index", "bias_index"}
"""For scales of two categories only, where all levels coincide."""

CELLS = [
    (name, level, word)
    for name, words in MATRIX.items()
    for level, word in zip(HEAD, words, strict=True)
]


@pytest.mark.parametrize(("name", "level", "word"), CELLS)
def test_the_matrix_says(name, level, word):
    found = suitability(name, level)
    assert found.word == word
    assert found.level is Level[level.upper()]
    assert (found.why == "") == (word == "ok")


@pytest.mark.parametrize(("name", "level"), [cell[:2] for cell in CELLS if cell[2] != "ok"])
def test_a_doubt_says_why_and_names_what_to_use_instead(name, level):
    why = suitability(name, level).why
    assert why.startswith(name)
    others = {each.partition(" (")[0] for each in MATRIX} | {"true zero"}
    assert any(other in why.removeprefix(name) for other in others)


def test_weights_and_distances_of_ones_own_suit_every_level():
    assert {suitability(name, level).word for name in OWN for level in Level} == {"ok"}


def test_the_matrix_is_complete():
    assert set(MATRIX) | OWN == {name for names in FAMILIES.values() for name in names}


def test_an_unknown_coefficient_is_refused_with_the_list():
    with pytest.raises(InvalidArgument, match=r"'kappa' is not known.*cohen_kappa"):
        suitability("kappa", "nominal")


def test_an_unknown_level_is_refused():
    with pytest.raises(InvalidArgument, match="is not a level"):
        suitability("pearson", "metric")


# The functions themselves


ROWS = [[1, 2], [2, 2], [3, 1], [3, 3]]
OPTIONS = {
    "tolerance": {"tolerance": 1},
    "weighted": {"weights": "quadratic"},
    **{level: {"level": level} for level in HEAD},
}


def call(variant, ratings):
    name, _, option = variant.rstrip(")").partition(" (")
    return function_of(name)(ratings, interval=None, **OPTIONS.get(option, {}))


CALLS = [cell for cell in CELLS if cell[0] not in BINARY]


@pytest.mark.parametrize(("name", "level", "word"), CALLS)
def test_the_function_does_what_the_matrix_says(name, level, word):
    ratings = Ratings.from_wide(ROWS, scale=VerbalScale([1, 2, 3], level=level))
    if word == "refuse":
        with pytest.raises(InvalidArgument, match=f"the scale is {level}"):
            call(name, ratings)
    elif word == "warn":
        with pytest.warns(SuitabilityWarning) as caught:
            found = call(name, ratings)
        assert len(caught) == 1
        each = found if isinstance(found, dict) else {None: found}
        assert all(str(caught[0].message) in estimate.notes for estimate in each.values())
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(name, ratings)


@pytest.mark.parametrize("name", MATRIX)
def test_two_categories_suit_every_coefficient(name):
    """With two categories all levels coincide."""
    ratings = Ratings.from_wide(
        [[1, 2], [2, 2], [1, 1]], scale=VerbalScale([1, 2], level="nominal")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(name, ratings)


@pytest.mark.parametrize("name", ["fleiss_kappa", "gwet_ac1", "cohen_kappa"])
def test_matches_on_a_line_are_refused_with_the_finding(name):
    ratings = Ratings.from_wide([[10.5, 20], [30, 30]], scale=VisualScale())
    with pytest.raises(InvalidArgument, match=r"37 % of papers.*krippendorff_alpha"):
        getattr(covary, name)(ratings)


@pytest.mark.parametrize("name", ["cohen_kappa", "gwet_ac2", "brennan_prediger"])
def test_weights_on_a_line_are_refused_because_there_are_no_categories(name):
    ratings = Ratings.from_wide([[10.5, 20], [30, 30]], scale=VisualScale())
    with pytest.raises(InvalidArgument, match="needs categories"):
        getattr(covary, name)(ratings, weights="quadratic")


WARNED = [cell for cell in CALLS if cell[2] == "warn"]


@pytest.mark.parametrize(("name", "level", "word"), WARNED)
def test_a_warning_points_at_the_callers_line(name, level, word):
    ratings = Ratings.from_wide(ROWS, scale=VerbalScale([1, 2, 3], level=level))
    with pytest.warns(SuitabilityWarning) as caught:
        call(name, ratings)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", MATRIX)
def test_an_undefined_warning_points_at_the_callers_line(name):
    ratings = Ratings.from_wide([[1, None]], scale=VerbalScale([1, 2], level="nominal"))
    with pytest.warns(covary.UndefinedWarning) as caught:
        call(name, ratings)
    assert caught[0].filename == __file__
