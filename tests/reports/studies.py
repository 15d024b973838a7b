"""Small studies whose counts can be checked by hand, and shipped ones."""

from functools import cache

from covary import Ratings, datasets, reliability
from covary.analysis.reliability_result import Reliability

# The strict judge is never above the mild one: alpha .525, gamma 1.
MILD = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3]
STRICT = [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]


@cache
def severity() -> Ratings:
    """Ten items, two judges who order them alike and differ in severity."""
    rows = list(zip(MILD, STRICT, strict=True))
    return Ratings.from_wide(rows, judges=["mild", "strict"], scale="1-3")


@cache
def names() -> Ratings:
    """Six items labelled with names, which have no order."""
    rows = [["a", "a"], ["b", "b"], ["c", "c"], ["a", "b"], ["c", "c"], ["b", "b"]]
    return Ratings.from_wide(rows, level="nominal", judges=["Ann", "Bo"])


@cache
def two_criteria() -> Ratings:
    """Fluency with eight items on 1-3, topic with six items of which one has a single rating."""
    fluency = [(1, 1), (2, 2), (3, 3), (1, 2), (3, 3), (2, 2), (1, 1), (3, 2)]
    topic = [(1, 1), (2, 2), (1, 1), (2, 1), (2, 2), (1, None)]
    rows = [("fluency", i, pair) for i, pair in enumerate(fluency)]
    rows += [("topic", i, pair) for i, pair in enumerate(topic)]
    table = {"criterion": [], "item": [], "judge": [], "rating": []}
    for criterion, item, pair in rows:
        for judge, rating in zip(("Ann", "Bo"), pair, strict=True):
            if rating is not None:
                row = (criterion, item, judge, rating)
                for column, value in zip(table.values(), row, strict=True):
                    column.append(value)
    return Ratings(table, scale={"fluency": "1-3", "topic": "1-2"})


@cache
def constant() -> Ratings:
    """Nobody ever used another category, so no coefficient has a value."""
    return Ratings.from_wide([[2, 2]] * 5, judges=["Ann", "Bo"], scale="1-3")


@cache
def shipped(name: str) -> Ratings:
    return datasets.load(name)


@cache
def measured(ratings: Ratings, **keywords) -> Reliability:
    return reliability(ratings, **({"rng": 7, "resamples": 50} | keywords))
