"""Another coefficient than alpha as the headline, and the batch that agrees best."""

import pytest

import covary
from covary import Ratings
from covary.analysis.coefficients import HEADLINES
from covary.errors import InvalidArgument, quiet

THREE = Ratings.from_wide(
    [[1, 1, 2], [2, 1, 2], [2, 2, 3], [3, 3, 4], [4, 4, 4], [4, 4, 3], [1, 2, 1], [3, 3, 3]],
    scale="1-4",
)


@pytest.mark.parametrize("name", HEADLINES)
def test_each_coefficient_of_agreement_can_be_the_headline(name):
    judges = THREE.judges[: 2 if name == "cohen_kappa" else 3]
    ratings = THREE.select(judge=list(judges))
    found = covary.reliability(ratings, headline=name, resamples=20, rng=1).criteria[0]
    with quiet():
        alone = getattr(covary, name)(ratings, interval=None)
    assert found.overall.agreement.value == pytest.approx(alone.value)
    assert found.overall.agreement.interval is not None
    assert {pair.agreement.name for pair in found.pairs} == {alone.name}
    titles = [estimate.title for estimate in found.beside]
    assert ("Krippendorff's alpha" in titles) == (name != "krippendorff_alpha")
    assert bool(found.notes) == (name != "krippendorff_alpha")


def test_a_correlation_is_no_headline():
    with pytest.raises(InvalidArgument, match="'pearson' is not a coefficient of agreement"):
        covary.reliability(THREE, headline="pearson")


def test_cohen_s_kappa_of_three_judges_is_refused_with_a_way_out():
    with pytest.raises(InvalidArgument, match="use light_kappa"):
        covary.reliability(THREE, headline="cohen_kappa")


def batch(judges, items, differing):
    """Two judges who give the same rank to all but some of the items that they share."""
    first, second = judges
    for number in range(items):
        item = f"{first}{second}{number}"
        yield item, first, number % 4 + 1
        yield item, second, (number + (number < differing)) % 4 + 1


def in_batches(*batches):
    rows = [row for each in batches for row in batch(*each)]
    return Ratings(
        dict(zip(("item", "judge", "rating"), zip(*rows, strict=True), strict=True)), scale="1-4"
    )


def test_the_most_reliable_batch_is_named_and_a_tiny_one_is_not():
    """AC and CD have no difference, CD on two items only; AB differs on 6 of 12, BC on 3."""
    ratings = in_batches(("AB", 12, 6), ("AC", 12, 0), ("BC", 12, 3), ("CD", 2, 0))
    found = covary.reliability(ratings, intervals=False).criteria[0]
    assert found.best_batch.judges == ("A", "C")
    assert found.best_batch.agreement.value == 1
    assert found.best_batch.sentence == (
        "A, C agree best in their batch of 12 items: Krippendorff's alpha 1.00."
    )
    assert found.to_dict()["best_batch"]["judges"] == ["A", "C"]


def test_one_batch_is_not_the_best_of_any():
    assert covary.reliability(THREE, intervals=False).criteria[0].best_batch is None
