"""`covary.automatic`: each automatic judge in people's places, and beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.automatic.items import Items, align, long_ratings
from covary.analysis.automatic.result import AutomaticJudge, AutomaticStudy, SystemMean, paired
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.records import dataclass
from covary.scales import Level, Scale, VerbalScale
from covary.stats.coefficient import check_ratings
from covary.stats.coefficients.cross_replication import xrr
from covary.stats.distributions import level_of_each, t_quantile
from covary.stats.estimate import Estimate
from covary.stats.ordering import midranks
from covary.stats.prediction_powered import FEWEST, PoweredMean, powered_mean
from covary.stats.replacement_test import ReplacementTest, replacement_test

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GROUPS = ("automatic", "llm", "language model", "model", "metric", "machine")
"""Groups of judges that are taken to be automatic when nobody says which judges are."""

LEAST = 10
"""Items from which a correlation with the other people is given."""


def automatic(
    ratings: Ratings,
    scores: Ratings | None = None,
    *,
    judges: Sequence[Any] = (),
    criterion: Any = None,
    margin: float = 0.2,
    confidence: float = 0.95,
    rng: Any = 0,
) -> AutomaticStudy:
    """May a language model or a metric stand in for judges?

    Parameters
    ----------
    ratings
        People's ratings, and those of automatic judges on the same scale where `judges` names them.
    scores
        Ratings by automatic judges only, such as those of a file of their own; also of items that
        no person rated, and on any scale. Items are matched by name.
    judges
        Which judges of `ratings` are automatic; those of a group called automatic, LLM, model or
        metric where neither this nor `scores` is given.
    criterion
        One criterion; all by default.
    margin
        How much more often a person may be closer to the other people than the automatic judge and
        still be replaced: .2 beside experts, .15 beside trained people, .1 beside a crowd
        (Calderon, Reichart & Dror 2025).
    confidence, rng
        Of the intervals, and the seed of those that are drawn.

    Returns
    -------
    AutomaticStudy
        For each automatic judge and criterion: the test of whether it may take a person's place,
        its agreement and correlation with people beside people's own, how far it lies above them,
        the systems it favours, and means of people's ratings sharpened by its ratings of further
        items.

    Notes
    -----
    The test is `covary.stats.replacement_test`; agreement is cross-replication reliability
    (`covary.xrr`) beside people's alpha on the same items; means are prediction-powered. Items that
    share a source (else a cluster) are not taken to be independent. A person and the automatic
    judge are both correlated with the mean of the other people (Spearman's), and the difference has
    a jackknife interval.

    References
    ----------
    Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL.
    Angelopoulos et al. (2023), Prediction-powered inference, Science 382. Wong, Paritosh & Aroyo
    (2021), Cross-replication reliability, ACL.

    Examples
    --------
    >>> from covary import Ratings, automatic
    >>> rows = [[n % 5 + 1, n % 5 + 1, n % 5 + 1] for n in range(40)]
    >>> ratings = Ratings.from_wide(rows, scale="1-5", judges=["Ann", "Bo", "model"])
    >>> automatic(ratings, judges=["model"]).judges[0].replaces
    'shown'
    """
    check_ratings("automatic", ratings)
    if not 0 <= margin < 1:
        raise InvalidArgument("automatic.margin", argument="margin", value=margin)
    people, own = _parted(ratings, scores, judges)
    names = people.criteria if criterion is None else (people.one_criterion(criterion),)
    sources = [part for part in (own, scores) if part is not None]
    options = _Options(margin=margin, confidence=confidence, rng=rng)
    with quiet():
        found = [
            judge
            for name in names
            for part in sources
            for judge in _of_criterion(people, part, name, options)
        ]
    if not found:
        raise InvalidArgument("automatic.no-criterion", argument="scores", criteria=names)
    both = (people.judges, tuple(dict.fromkeys(judge.judge for judge in found)))
    return AutomaticStudy(judges=tuple(found), margin=margin, confidence=confidence, names=both)


@dataclass(frozen=True, kw_only=True)
class _Options:
    margin: float
    confidence: float
    rng: Any


def _parted(
    ratings: Ratings, scores: Ratings | None, judges: Sequence[Any]
) -> tuple[Ratings, Ratings | None]:
    """People's ratings, and those of the automatic judges among them."""
    named = [judges] if isinstance(judges, str) else list(judges)
    if not named and scores is None:
        named = _by_group(ratings)
    if ratings.slots:
        raise InvalidArgument("automatic.slots", argument="ratings")
    if not named:
        return ratings, None
    people = ratings.without(judge=named)
    if not people.judges:
        raise InvalidArgument("automatic.no-people", argument="judges", value=named)
    return people, ratings.select(judge=named)


def _by_group(ratings: Ratings) -> list[Any]:
    """The judges of a group whose name says that they are automatic."""
    groups = ratings.values("group") if "group" in ratings.columns else ()
    wanted = [group for group in groups if str(group).strip().lower() in GROUPS]
    if not wanted:
        raise InvalidArgument("automatic.which", argument="judges", allowed=ratings.judges)
    return list(ratings.select(group=wanted).judges)


def _of_criterion(
    people: Ratings, automatic: Ratings, criterion: Any, options: _Options
) -> Iterator[AutomaticJudge]:
    """Compare each automatic judge that has ratings on the criterion."""
    if None not in (criterion, *automatic.criteria) and criterion not in automatic.criteria:
        return
    own = criterion if criterion in automatic.criteria else automatic.criteria[0]
    scale = people.scales[criterion]
    by_person, by_automatic = long_ratings(people, criterion), long_ratings(automatic, own)
    for judge in automatic.judges:
        items = align(by_person, by_automatic, judge, scale)
        if items is None:
            continue
        if not items.shared.any():
            raise InvalidArgument(
                "automatic.nothing-shared",
                judge=judge,
                theirs=sorted(by_automatic.items),
                people=sorted(by_person.items),
            )
        yield _compare(items, judge, criterion, options)


def _compare(items: Items, judge: Any, criterion: Any, options: _Options) -> AutomaticJudge:
    shared, nominal = items.shared, items.scale.level is Level.NOMINAL
    on_scale = _on_scale(items)
    several = on_scale and len(items.judges) > 1
    agreement = _agreement(items, judge, options) if several else None
    order = (math.nan,) * 5 if nominal else _correlations(items, options.confidence)
    above = items.automatic - items.means()
    counted = on_scale and not nominal
    shift = _mean(above, items, shared, options.confidence) if counted else (math.nan,) * 3
    systems = tuple(_systems(items, above, counted, options)) if not nominal else ()
    return AutomaticJudge(
        judge=judge,
        criterion=criterion,
        scale=items.scale,
        margin=options.margin,
        n_items=int(shared.sum()),
        people_names=items.judges,
        n_further=int(items.further.sum()),
        missed=_named(items, items.missed),
        further=_named(items, items.further),
        unit=items.unit,
        on_scale=on_scale,
        test=_test(items, options) if several else None,
        agreement=agreement,
        people=math.nan if agreement is None else float(agreement.details["alpha_a"]),
        r=order[0],
        r_people=order[1],
        r_behind=order[2],
        r_behind_low=order[3],
        r_behind_high=order[4],
        shift=shift[0],
        shift_low=shift[1],
        shift_high=shift[2],
        systems=systems,
        pairs_alike=sum(alike for _, _, alike in paired(systems)),
        pairs=sum(1 for _ in paired(systems)),
        powered=_powered(items, shared, items.further, options) if counted else None,
        confidence=options.confidence,
    )


def _named(items: Items, rows: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(items.names[row] for row in np.flatnonzero(rows))


def _on_scale(items: Items) -> bool:
    """Whether all automatic ratings are possible on the people's scale."""
    given, scale = items.automatic[~np.isnan(items.automatic)], items.scale
    if scale.categories is None:
        return bool(np.all((given >= scale.low) & (given <= scale.high)))
    nominal = scale.level is Level.NOMINAL
    possible = range(len(scale.categories)) if nominal else scale.positions(Level.INTERVAL)
    return bool(np.all(np.isin(given, np.array(list(possible), dtype=float))))


def _test(items: Items, options: _Options) -> ReplacementTest:
    nominal = items.scale.level is Level.NOMINAL
    return replacement_test(
        items.people, items.automatic, items.clusters, nominal=nominal, margin=options.margin
    )


def _agreement(items: Items, judge: Any, options: _Options) -> Estimate:
    """Agreement of a person with the automatic judge; details hold that of people."""
    shared = items.shared
    settings = {"confidence": options.confidence, "rng": options.rng}
    level = Level.INTERVAL if items.scale.categories is None else items.scale.level
    both = []
    for names, table in ((items.judges, items.people), ((judge,), items.automatic[:, None])):
        rows, columns = np.nonzero(~np.isnan(table) & shared[:, None])
        data = {
            "item": rows.tolist(),
            "judge": [str(names[column]) for column in columns],
            "rating": table[rows, columns].tolist(),
            "cluster": items.clusters[rows].tolist(),
        }
        both.append(Ratings(data, scale=_plain_scale(items.scale)))
    return xrr(both[0], both[1], level=level, **settings)


def _plain_scale(scale: Scale) -> Scale:
    """The same scale in numbers."""
    if scale.categories is None:
        return scale
    nominal = scale.level is Level.NOMINAL
    possible = range(len(scale.categories)) if nominal else scale.positions(Level.INTERVAL)
    return VerbalScale([float(number) for number in possible], level=scale.level)


def _correlations(items: Items, confidence: float) -> tuple[float, float, float, float, float]:
    """Mean rank correlations with the other people: automatic, people's own, and the difference.

    The interval of the difference is a jackknife over clusters.
    """
    sums, places = [], np.unique(items.clusters, return_inverse=True)[1]
    n = int(places.max()) + 1
    for person in range(items.people.shape[1]):
        others = np.delete(items.people, person, axis=1)
        rated = (~np.isnan(others)).sum(axis=1)
        mean = np.nansum(others, axis=1) / np.maximum(rated, 1)
        own = items.people[:, person]
        rows = ~np.isnan(own) & ~np.isnan(items.automatic) & (rated > 0)
        if rows.sum() < LEAST:
            continue
        ranks = [_ranks(values[rows]) for values in (items.automatic, own, mean)]
        sums.append(_products(ranks, places[rows], n))
    if not sums:
        return (math.nan,) * 5
    by_cluster = np.stack(sums)
    automatic, people = _mean_correlations(by_cluster.sum(axis=1))
    left_out = _mean_correlations(by_cluster.sum(axis=1)[:, None] - by_cluster)
    behind, each = float(people - automatic), left_out[1] - left_out[0]
    met = by_cluster[:, :, 0].sum(axis=0) > 0
    each = each[met & np.isfinite(each)]
    if each.size < 2:
        return float(automatic), float(people), behind, math.nan, math.nan
    error = math.sqrt((each.size - 1) / each.size * float(((each - each.mean()) ** 2).sum()))
    reach = t_quantile((1 + confidence) / 2, each.size - 1) * error
    return float(automatic), float(people), behind, behind - reach, behind + reach


def _ranks(values: Floats) -> Floats:
    distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    del distinct
    ranks: Floats = midranks(counts.astype(float))[places]
    return np.asarray(ranks - ranks.mean())


def _products(ranks: Sequence[Floats], places: Ints, n: int) -> Floats:
    """The sums of a cluster from which the correlations of the first two with the third follow."""
    x, y, z = ranks
    parts = (np.ones_like(x), x, y, z, x * x, y * y, z * z, x * z, y * z)
    return np.stack([np.bincount(places, part, minlength=n) for part in parts], axis=-1)


def _mean_correlations(sums: Floats) -> tuple[Floats, Floats]:
    """Over persons (the first axis), from sums on the last axis."""
    n, x, y, z, xx, yy, zz, xz, yz = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = zz - z * z / n
        first = (xz - x * z / n) / np.sqrt((xx - x * x / n) * spread)
        second = (yz - y * z / n) / np.sqrt((yy - y * y / n) * spread)
    return first.mean(axis=0), second.mean(axis=0)


def _mean(
    values: Floats, items: Items, rows: npt.NDArray[np.bool_], confidence: float
) -> tuple[float, float, float]:
    """A mean over items with Student's interval over clusters."""
    return _sum_interval(np.where(rows, values, 0.0), rows / max(rows.sum(), 1), items, confidence)


def _sum_interval(
    values: Floats, weights: Floats, items: Items, confidence: float
) -> tuple[float, float, float]:
    """A sum of weighted values with Student's interval over clusters.

    The weights of each group (those above 0, those below) add up to 1 or -1, so that the sum is a
    mean or a difference of two; each group's own mean is taken away before errors are counted.
    """
    total, deviations = float(values @ weights), np.zeros_like(values)
    for part in (weights > 0, weights < 0):
        if part.any():
            deviations[part] = (values[part] - values[part].mean()) * weights[part]
    met = weights != 0
    places = np.unique(items.clusters[met], return_inverse=True)[1]
    n = int(places.max()) + 1
    if n < 2:
        return total, math.nan, math.nan
    sums = np.bincount(places, deviations[met])
    reach = t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(float(sums @ sums) * n / (n - 1))
    return total, total - reach, total + reach


def _systems(
    items: Items, above: Floats, on_scale: bool, options: _Options
) -> Iterator[SystemMean]:
    """Each system's means, and whether the automatic judge favours it."""
    shared, means = items.shared, items.means()
    known = [code for code in range(len(items.systems)) if (shared & (items.system == code)).any()]
    each = level_of_each(options.confidence, len(known))
    for code in known:
        own, others = (shared & part for part in (items.system == code, items.system != code))
        others &= items.system >= 0
        favour = (math.nan,) * 3
        if on_scale and others.any():
            weights = own / own.sum() - others / others.sum()
            favour = _sum_interval(np.where(shared, above, 0.0), weights, items, each)
        further = items.further & (items.system == code)
        yield SystemMean(
            system=items.systems[code],
            n=int(own.sum()),
            people=float(means[own].mean()),
            automatic=float(items.automatic[own].mean()),
            favour=favour[0],
            favour_low=favour[1],
            favour_high=favour[2],
            powered=_powered(items, own, further, options) if on_scale else None,
        )


def _powered(
    items: Items,
    rated: npt.NDArray[np.bool_],
    further: npt.NDArray[np.bool_],
    options: _Options,
) -> PoweredMean | None:
    """People's mean with the help of further automatic ratings, where there are any."""
    if not further.any() or np.unique(items.clusters[rated]).size < FEWEST:
        return None
    return powered_mean(
        items.means()[rated],
        items.automatic[rated],
        items.automatic[further],
        clusters=(items.clusters[rated], items.clusters[further]),
        confidence=options.confidence,
    )
