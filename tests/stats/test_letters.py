"""Two systems share a letter exactly if they do not differ significantly."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary.stats.posthoc.comparisons import compact_letters


def shared(one: str, other: str) -> bool:
    letters = [set(re.findall("[a-zA-Z][₀-₉]*", each)) for each in (one, other)]
    return bool(letters[0] & letters[1])


def wrong_pairs(letters, apart, size):
    different = {frozenset(pair) for pair in apart}
    return [
        pair
        for pair in itertools.combinations(range(size), 2)
        if shared(*(letters[place] for place in pair)) == (frozenset(pair) in different)
    ]


@st.composite
def patterns(draw):
    size = draw(st.integers(1, 9))
    pairs = list(itertools.combinations(range(size), 2))
    apart = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return size, apart, draw(st.lists(st.floats(-3, 3), min_size=size, max_size=size))


@given(patterns())
@settings(max_examples=400, deadline=None)
def test_letters_say_exactly_what_the_pairs_say(pattern):
    size, apart, places = pattern
    letters = compact_letters(apart, places)
    assert len(letters) == size
    assert all(letters)
    assert wrong_pairs(letters, apart, size) == []


def test_every_pattern_of_five_systems():
    pairs = list(itertools.combinations(range(5), 2))
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        apart = [pair for pair, yes in zip(pairs, chosen, strict=True) if yes]
        assert wrong_pairs(compact_letters(apart, [5, 4, 3, 2, 1]), apart, 5) == []


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ([], ("a", "a", "a")),
        ([(0, 1), (0, 2), (1, 2)], ("a", "b", "c")),
        ([(0, 2)], ("a", "ab", "b")),
        ([(0, 1)], ("a", "b", "ab")),  # the middle differs from the top, the last from neither
    ],
)
def test_small_patterns_by_hand(apart, expected):
    assert compact_letters(apart, [3.0, 2.0, 1.0]) == expected


def test_two_separate_differences_among_four_make_four_groups():
    # 0 and 1 differ, 2 and 3 differ, nothing else: the groups are 02, 03, 12 and 13.
    assert compact_letters([(0, 1), (2, 3)], [4, 3, 2, 1]) == ("ab", "cd", "ac", "bd")


def test_the_letter_a_belongs_to_the_highest_mean():
    assert compact_letters([(0, 1)], [1.0, 2.0]) == ("b", "a")


def test_many_systems_go_on_after_the_alphabet():
    pairs = list(itertools.combinations(range(120), 2))
    letters = compact_letters(pairs, list(range(120)))
    assert len(set(letters)) == 120
    assert "a₂" in letters
    assert wrong_pairs(letters, pairs, 120) == []


def test_many_systems_in_runs_are_quick():
    apart = [(a, b) for a in range(400) for b in range(a + 40, 400)]
    letters = compact_letters(apart, [float(-place) for place in range(400)])
    assert shared(letters[0], letters[39])
    assert not shared(letters[0], letters[40])


def test_no_letters_where_there_would_be_thousands():
    # Sixty pairs of neighbours that differ, and nothing else, make two to the sixtieth groups.
    apart = [(2 * place, 2 * place + 1) for place in range(60)]
    assert compact_letters(apart, [0.0] * 120) == ()
