"""Banchs' two methods: every triple as the paper's rules say, and how they go on."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import InvalidArgument, Ratings
from covary.aggregate import banchs_a, banchs_b, majority, mean, median

VALID, ACCEPTABLE, INVALID = 3, 2, 1
LETTERS = {"V": VALID, "A": ACCEPTABLE, "I": INVALID}

# The ten multisets of three votes, from the text of Banchs (2016), section 5.
TABLE = {
    "VVV": ("V", "V"),
    "VVA": ("V", "V"),
    "VVI": ("A", "V"),
    "VAA": ("A", "A"),
    "VAI": ("A", "A"),
    "VII": ("A", "I"),
    "AAA": ("A", "A"),
    "AAI": ("A", "A"),
    "AII": ("I", "I"),
    "III": ("I", "I"),
}
TRIPLES = ["".join(letters) for letters in product("VAI", repeat=3)]


def ratings_of(*rows, scale="1-3"):
    width = max(map(len, rows))
    return Ratings.from_wide([[*row, *[None] * (width - len(row))] for row in rows], scale=scale)


def multiset(triple):
    return "".join(sorted(triple, key="VAI".index))


def as_the_text_says(votes, penalty):
    """The paper's sentences, word by word."""
    strong = len(set(votes)) == 3 or (penalty and {VALID, INVALID} <= set(votes))
    return ACCEPTABLE if strong else max(set(votes), key=votes.count)


def test_there_are_27_triples_of_ten_kinds():
    assert len(TRIPLES) == 27
    assert {multiset(triple) for triple in TRIPLES} == TABLE.keys()


@pytest.mark.parametrize("triple", TRIPLES)
def test_a_triple_gets_what_the_table_says(triple):
    votes = ratings_of([LETTERS[letter] for letter in triple])
    a, b = TABLE[multiset(triple)]
    assert banchs_a(votes).ratings == (LETTERS[a],)
    assert banchs_a(votes, rule="extremes").ratings == (LETTERS[a],)
    assert banchs_b(votes).ratings == (LETTERS[b],)


@pytest.mark.parametrize("triple", TRIPLES)
def test_the_table_is_what_the_text_says(triple):
    votes = [LETTERS[letter] for letter in triple]
    a, b = TABLE[multiset(triple)]
    assert as_the_text_says(votes, penalty=True) == LETTERS[a]
    assert as_the_text_says(votes, penalty=False) == LETTERS[b]


def test_the_methods_differ_in_six_of_27_triples():
    votes = ratings_of(*([LETTERS[letter] for letter in triple] for triple in TRIPLES))
    pairs = zip(TRIPLES, banchs_a(votes).ratings, banchs_b(votes).ratings, strict=True)
    differing = [multiset(triple) for triple, a, b in pairs if a != b]
    assert sorted(differing) == ["VII"] * 3 + ["VVI"] * 3


def test_words_do_as_well_as_numbers():
    rows = [["valid", "valid", "invalid"], ["valid", "invalid", "invalid"]]
    votes = ratings_of(*rows, scale="invalid,acceptable,valid")
    assert banchs_a(votes).ratings == ("acceptable", "acceptable")
    assert banchs_b(votes).ratings == ("valid", "invalid")


def test_nobody_may_have_said_what_strong_disagreement_becomes():
    made = banchs_a(ratings_of([3, 3, 1], [2, 2, 3]))
    assert made.certainty.tolist() == [0.0, pytest.approx(2 / 3)]


def test_method_a_goes_on_as_the_rounded_mean_and_b_as_the_median():
    # By hand, on five points: mean 11/5 = 2.2, median 1; mean 17/5 = 3.4, median 4.
    votes = ratings_of([1, 1, 1, 3, 5], [1, 3, 4, 4, 5], scale="1-5")
    assert banchs_a(votes).ratings == mean(votes).ratings == (2, 3)
    assert banchs_b(votes).ratings == median(votes).ratings == (1, 4)


def test_the_letter_of_method_a_looks_only_at_the_ends():
    votes = ratings_of([5, 5, 5, 5, 1], [4, 4, 4, 4, 1], scale="1-5")
    assert banchs_a(votes, rule="extremes").ratings == (3, 4)


def test_the_letter_of_method_a_needs_a_middle_category():
    with pytest.raises(InvalidArgument, match="needs a middle category, and a scale with 4"):
        banchs_a(ratings_of([1, 4], scale="1-4"), rule="extremes")


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=8), min_size=1, max_size=12))
def test_more_than_half_of_the_votes_decide_method_b(rows):
    votes = ratings_of(*rows, scale="1-5")
    for row, rating in zip(rows, banchs_b(votes).ratings, strict=True):
        for category in set(row):
            if 2 * row.count(category) > len(row):
                assert rating == category


def test_method_b_is_no_plurality():
    # Two of five votes are 1, but half of the votes and more lie above.
    votes = ratings_of([1, 1, 3, 4, 5], scale="1-5")
    assert majority(votes).ratings == (1,)
    assert banchs_b(votes).ratings == (3,)


def test_an_unknown_rule_is_refused():
    with pytest.raises(InvalidArgument, match="rule='median' is not known"):
        banchs_a(ratings_of([1, 2, 3]), rule="median")


@pytest.mark.parametrize("method", [banchs_a, banchs_b])
def test_a_line_has_no_acceptable_in_the_middle(method):
    with pytest.raises(InvalidArgument, match="chooses among categories"):
        method(Ratings.from_wide([[1.5, 60.2]], scale="0-100"))
