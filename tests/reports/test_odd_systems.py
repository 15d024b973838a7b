"""Files that are hard to compare: the report on judges and the one on systems say the same."""

import pytest

from covary import Ratings
from covary.analysis.system_reliability import system_means
from covary.analysis.systems import systems
from covary.errors import RatingsError
from covary.reports.systems.means import brief_comparison, brief_section


def study(rated, nameless=0):
    """Take rows of (system, source, judge, rating)."""
    system, source, judge, rating = zip(*rated, strict=True)
    items = [f"{one} {other}" for one, other in zip(system, source, strict=True)]
    system = (None,) * nameless + system[nameless:]
    columns = {"item": items, "system": system, "source": source, "judge": judge}
    return Ratings(
        {name: list(values) for name, values in columns.items()} | {"rating": list(rating)},
        scale="1-5",
    )


def crossed(table, judges="AB"):
    return study(
        [
            (system, source, judge, rating)
            for system, texts in table.items()
            for source, ratings in enumerate(texts)
            for judge, rating in zip(judges, ratings, strict=True)
        ]
    )


APART = study(
    [
        (system, source, judge, (source + place + number) % 5 + 1)
        for place, (system, judges) in enumerate({"a": "AB", "b": "CD", "c": "AB"}.items())
        for source in range(6)
        for number, judge in enumerate(judges)
    ]
)
"""The judges of b rated no other system."""

SEPARATE = study(
    [
        (system, source, "A", rating)
        for system, ratings in {"a": "23342334", "b": "22332243", "c": "55454554"}.items()
        for source, rating in enumerate(map(int, ratings))
    ]
)
"""Nearly all ratings of c lie above all others."""


def said(ratings):
    """What the report on judges says of the systems."""
    return " ".join(str(block) for block in brief_section(*brief_comparison(ratings, 0.95)).blocks)


def is_ranked(ratings):
    """Whether the report on judges says how far the systems' means can be relied on."""
    use = system_means(ratings, None, severity={}, confidence=0.95, threshold=0.8)
    return use is not None


def codes(found):
    return [getattr(note, "code", "") for note in found.notes]


def only(ratings, **more):
    (found,) = systems(ratings, rng=1, resamples=50, **more).criteria
    return found


def same_story(ratings):
    """Compare what both reports say of each system."""
    brief = brief_comparison(ratings, 0.95)[0].criteria[0]
    whole = only(ratings)
    for one, other in zip(brief.systems, whole.systems, strict=True):
        assert (one.system, one.letters, one.rank) == (other.system, other.letters, other.rank)
        assert one.interval == pytest.approx(other.interval, nan_ok=True) or str(
            one.interval
        ) == str(other.interval)
    assert brief.comparisons.n_significant == whole.comparisons.n_significant
    return whole


def test_systems_that_share_no_judge_are_ranked_nowhere():
    found = same_story(APART)
    assert "systems.ranks-unconnected" in codes(found)
    assert found.ranks is None
    assert all(score.letters == "" for score in found.systems)
    assert not is_ranked(APART)


def test_a_difference_too_clear_for_the_ordinal_model_is_left_to_the_means():
    found = same_story(SEPARATE)
    assert found.ordinal.verdict.code == "systems.ordinal-separated"
    assert not found.ordinal.decides
    assert found.ordinal.letters is None
    assert [score.letters for score in found.systems] == ["a", "b", "b"]
    asked = only(SEPARATE, error="ordinal")
    assert asked.error == "ordinal"
    assert "systems.ordinal-separated" in codes(asked)


def test_one_text_of_a_system_tells_of_that_text():
    table = {"a": [(2, 3), (3, 3), (2, 4)], "b": [(3, 4), (4, 4), (5, 3)], "c": [(5, 5)]}
    found = same_story(crossed(table))
    assert {"systems.one-text", "systems.ranks-thin"} <= {*codes(found)}
    assert found.ranks is None
    assert "Only one text of 'c'" in said(crossed(table))


def test_one_text_of_every_system_leaves_the_judges_to_be_drawn():
    found = same_story(crossed({"a": [(2, 3, 4)], "b": [(3, 3, 5)]}, judges="ABC"))
    assert "systems.one-text" in codes(found)
    assert found.ranks.drawn == ("judges",)


def test_ratings_without_a_system_are_named_in_the_report():
    rated = [
        (system, source, judge, (source + number) % 5 + 1)
        for system in "ab"
        for source in range(5)
        for number, judge in enumerate("AB")
    ]
    ratings = study(rated, nameless=4)
    assert "The systems are not compared: 4 ratings have no system" in said(ratings)
    assert not is_ranked(ratings)
    with pytest.raises(RatingsError, match="4 ratings have no system"):
        only(ratings)


def test_equal_ratings_have_no_letters_in_either():
    found = same_story(crossed({"a": [(3, 3), (3, 3)], "b": [(3, 3), (3, 3)]}))
    assert not found.testable
