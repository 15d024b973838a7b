"""Where a report finds known answers: in a table, with a judge, or in the study itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from covary.analysis.accuracy import Accuracy, accuracy
from covary.cli.reading import RatingsInput
from covary.cli.study_folder import is_study
from covary.errors import InvalidArgument, RatingsError
from covary.formats.measures import read_gold
from covary.ratings import Ratings
from covary.records import dataclass


@dataclass(frozen=True)
class Standard:
    """What was said about known answers, and the intervals that are wanted."""

    gold: Path | None
    reference: str | None
    confidence: float
    seed: int

    def measure(self, reading: RatingsInput, ratings: Ratings) -> tuple[Accuracy | None, Ratings]:
        """Return how close judges come to the known answers, and the ratings of these judges."""
        if self.gold is not None and self.reference is not None:
            raise click.UsageError("--gold and --reference both name known answers; leave out one")
        if self.gold is not None:
            return self._accuracy(ratings, gold=_answers(ratings, self.gold)), ratings
        if self.reference is not None:
            judge = _judge(ratings, self.reference)
            found = self._accuracy(ratings, reference=judge)
            return found, ratings.select(judge=[one for one in ratings.judges if one != judge])
        known = reading.gold_ratings() if is_study(reading.file) else None
        return (None if known is None else self._accuracy(known[0], gold=known[1])), ratings

    def _accuracy(self, ratings: Ratings, **known: Any) -> Accuracy:
        return accuracy(ratings, **known, confidence=self.confidence, rng=self.seed)


def _judge(ratings: Ratings, name: str) -> Any:
    """The judge of a name; a file may have numbers for names."""
    for judge in () if ratings.slots else ratings.judges:
        if str(judge) == name:
            return judge
    judges = () if ratings.slots else ratings.judges
    raise InvalidArgument(
        "stats.no-such-judges", argument="--reference", value=[name], allowed=judges
    )


def _answers(ratings: Ratings, file: Path) -> dict[Any, dict[Any, Any]]:
    """Read known answers of items that were rated, as each criterion's scale has them."""
    read = read_gold(file)
    if None in read and len(ratings.criteria) > 1:
        raise InvalidArgument("accuracy.no-criterion-column", file=file.name)
    items = {str(item): item for item in ratings.values("item")}
    names = {str(criterion): criterion for criterion in ratings.criteria}
    known: dict[Any, dict[Any, Any]] = {}
    for name, answers in read.items():
        criterion = ratings.criteria[0] if name is None else names.get(name)
        if name is not None and name not in names:
            continue  # a criterion that is not in these ratings, or not wanted
        scale = ratings.scales[criterion]
        for item, (line, text) in answers.items():
            answer = scale.read(text)
            if answer is None:
                shown = scale.describe()
                raise RatingsError(
                    "formats.answer-off-scale", file=file.name, line=line, value=text, scale=shown
                )
            known.setdefault(criterion, {})[items.get(item, item)] = answer
    if not known:
        raise InvalidArgument("accuracy.elsewhere", n=sum(map(len, read.values())))
    return known
