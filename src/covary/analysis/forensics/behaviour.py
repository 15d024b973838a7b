"""How single judges rated: little variation, long runs, haste; against the others, or at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding
from covary.analysis.forensics.sheet import Floats, Ints, Sheet, median, medians_of_others
from covary.records import dataclass
from covary.scales import Level
from covary.stats.distributions import normal_cdf, normal_quantile

Bools = npt.NDArray[np.bool_]

SUSPICION, CERTAINTY = 1e-4, 1e-6
"""Chances over all judges of a clean study to be looked at, or to be called serious."""

LEAST_OF_CONSTANT, MANY_EQUAL = 10, 20
"""A judge with fewer equal ratings may have had few items to tell apart; so many are serious."""

LEAST_OF_NARROW, NARROW = 30, 0.25
"""Entropy needs some thirty ratings; a quarter of the others' is about one in ten varying."""

BINS = 10
"""The line is cut into tenths for entropies."""

LEAST_RUN = 10
"""Shorter runs are common where one category is."""

LEAST_FOR_RUN = 30
"""Below this a judge's shares of the categories are too uncertain for the chance of a run."""

CHANCE_OF_RUN = 1e-6
"""How probable so long a run may be, over all judges, if the order of the ratings were random."""

ITEMS_ALIKE = 0.5
"""If the others vary less than half as much on the items of the run, the items were alike."""

SORTED = 4.0
"""Standard errors by which neighbours outside the run may be alike before the file looks sorted."""

MOST_OF_A_JUDGE = 0.5
"""A run over half of a judge's ratings is serious, if the order of presentation is known."""

IMPOSSIBLE = 1.0
"""Seconds: to see an item, decide and move a hand takes longer, whatever the item."""

LEAST_TIMES = 10
"""A judge with fewer times has no habit to speak of."""

OFTEN = 0.1
"""A slip of the finger may happen; in one rating of ten it is no slip."""

MOSTLY = 0.5
"""Half of the ratings without reading: the judge's ratings say little about the items."""

LEAST_COMMON = 20
"""On fewer items that others rated too, a correlation is too uncertain to speak of."""

CONFIDENCE = 0.95

DOUBTFUL, SURE = 0.01, 1e-4
"""Chances over all judges of a clean study to stand apart worth a look, or seriously."""

CLEARLY_REVERSED = -0.2
"""A weaker correlation below 0, however sure, changes little."""

LEAST_OF_OTHERS = 0.3
"""Where the others hardly follow each other, nobody can be told from them."""

FAR_BELOW = 0.5
"""A judge who does not follow the others stays below half of what they have among themselves."""

MANY = 10
"""Among more judges one more or less hardly moves the mean, so that all go in one step."""


def constant_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who gave one rating throughout where the others varied."""
    value = sheet.value
    low = np.full(sheet.n_judges, value.max())
    high = np.zeros(sheet.n_judges, dtype=np.int64)
    np.minimum.at(low, sheet.judge, value)
    np.maximum.at(high, sheet.judge, value)
    times = np.bincount(value)
    for judge in np.flatnonzero((low == high) & (sheet.per_judge >= LEAST_OF_CONSTANT)).tolist():
        n_ratings, others = int(sheet.per_judge[judge]), value.size - int(sheet.per_judge[judge])
        rate = (int(times[low[judge]]) - n_ratings) / others if others else 1.0
        chance = sheet.n_judges * rate**n_ratings
        if chance < SUSPICION:
            yield _constant_finding(sheet, judge, rate, chance)


def _constant_finding(sheet: Sheet, judge: int, rate: float, chance: float) -> Finding:
    name, n_ratings = sheet.judges[judge], int(sheet.per_judge[judge])
    rating: Any = sheet.rating[sheet.judge == judge][0].item()
    rating = rating if sheet.continuous else sheet.shown(int(rating))
    return Finding(
        "constant-judge",
        "serious" if n_ratings >= MANY_EQUAL and chance < CERTAINTY else "look",
        about={"judge": name},
        data={"judge": name, "ratings": n_ratings, "rating": rating, "share_of_others": rate},
    )


def narrow_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who vary, but far less than the others do."""
    entropy = _entropies(sheet)
    many = np.flatnonzero(sheet.per_judge >= LEAST_OF_NARROW)
    for judge in many.tolist() if many.size > 2 else []:
        own, usual = float(entropy[judge]), median(entropy[many[many != judge]])
        if 0 < own < NARROW * usual:
            name = sheet.judges[judge]
            yield Finding(
                "narrow-judge",
                "look",
                about={"judge": name},
                data={"judge": name, "entropy": own, "median_of_others": usual},
                detail={"ratings": int(sheet.per_judge[judge])},
            )


def _entropies(sheet: Sheet) -> Floats:
    """Each judge's entropy over the categories, or over tenths of the line, in bits."""
    cells, kinds = sheet.value, int(sheet.value.max()) + 1
    if sheet.continuous:
        low, high = sheet.rating.min(), sheet.rating.max()
        width = (high - low) or 1.0
        cells = np.minimum((sheet.rating - low) / width * BINS, BINS - 1).astype(np.int64)
        kinds = BINS
    flat = np.bincount(sheet.judge * kinds + cells, minlength=sheet.n_judges * kinds)
    share = flat.reshape(sheet.n_judges, kinds) / sheet.per_judge[:, None]
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))


def straight_lining(sheet: Sheet) -> Iterator[Finding]:
    """Find runs too long for a judge's own use of the scale, while the items varied.

    The order is that of the `order` column, else of the file.
    """
    order = _presentation_order(sheet)
    judge, value, others = sheet.judge[order], sheet.value[order], sheet.means_of_others[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(judge) != 0) | (np.diff(value) != 0)])
    lengths = np.diff(np.r_[starts, judge.size])
    ends = np.cumsum(sheet.per_judge)
    for which in _longest_runs(judge[starts], lengths):
        start, length = int(starts[which]), int(lengths[which])
        end = int(ends[judge[start]])
        own = slice(end - int(sheet.per_judge[judge[start]]), end)
        run = slice(start, start + length)
        rest = np.r_[value[own.start : run.start], value[run.stop : own.stop]]
        unlikely = sheet.n_judges * chance_of_run(rest == value[start], length) < CHANCE_OF_RUN
        items_vary = unlikely and _items_vary(others[run], others[own], "order" in sheet.numbers)
        if items_vary and not _looks_sorted(rest):
            yield _run_finding(sheet, int(order[start]), length)


def _run_finding(sheet: Sheet, first: int, length: int) -> Finding:
    judge, known = int(sheet.judge[first]), "order" in sheet.numbers
    n_ratings, name = int(sheet.per_judge[judge]), sheet.judges[judge]
    data = {
        "judge": name,
        "run": length,
        "ratings": n_ratings,
        "first_item": sheet.items[sheet.item[first]],
        "order_known": known,
    }
    return Finding(
        "straight-lining",
        "serious" if known and length >= MOST_OF_A_JUDGE * n_ratings else "look",
        about={"judge": name},
        data=data,
        detail={"order_of": "presentation" if known else "the file"},
    )


def _presentation_order(sheet: Sheet) -> Ints:
    if "order" in sheet.numbers:
        return np.lexsort((sheet.numbers["order"], sheet.judge))
    return np.argsort(sheet.judge, kind="stable")


def _longest_runs(judge: Ints, lengths: Ints) -> list[int]:
    """The longest run of each judge, where it is long enough to ask about."""
    order = np.lexsort((lengths, judge))
    last = np.r_[np.flatnonzero(np.diff(judge[order])), judge.size - 1]
    return [int(which) for which in order[last] if lengths[which] >= LEAST_RUN]


def chance_of_run(rest: Bools, length: int) -> float:
    """At most how probable the run is, if its category is used there as it is elsewhere.

    The share elsewhere is Agresti and Coull's upper bound, so that little elsewhere proves little.
    """
    if rest.size + length < LEAST_FOR_RUN:
        return 1.0
    n, k = rest.size + 4, int(rest.sum()) + 2
    share = min(1.0, k / n + 2 * np.sqrt(k / n * (1 - k / n) / n))
    return float((rest.size + length) * share**length)


def _items_vary(run: Floats, own: Floats, known: bool) -> bool:
    """Whether the items of a run differed, by the other judges; assumed of a known order."""
    run, own = run[~np.isnan(run)], own[~np.isnan(own)]
    if run.size < LEAST_RUN:
        return known
    return bool(run.var() >= ITEMS_ALIKE * own.var() and own.var() > 0)


def _looks_sorted(rest: Ints) -> bool:
    """Whether a judge's neighbouring ratings are alike outside the run too: the file is sorted."""
    if rest.size < LEAST_RUN:
        return False
    if (rest == rest[0]).all():
        return True
    share = np.bincount(rest) / rest.size
    expected = float((share**2).sum())
    alike = float((rest[1:] == rest[:-1]).mean())
    error = np.sqrt(max(expected * (1 - expected), 1e-12) / (rest.size - 1))
    return bool(alike - expected > SORTED * error)


def response_times(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who answered faster than anybody can read, and clocks that run backwards."""
    if "seconds" not in sheet.numbers:
        return
    seconds = sheet.numbers["seconds"]
    timed = ~np.isnan(seconds)
    yield from _negative_times(seconds[timed])
    if not timed.any():
        return
    if not sheet.measured and median(seconds[timed]) < IMPOSSIBLE:
        yield _unit_finding(median(seconds[timed]))
        return
    if not sheet.slots:
        yield from _hasty_judges(sheet, seconds < IMPOSSIBLE, timed)


def _hasty_judges(sheet: Sheet, short: Bools, timed: Bools) -> Iterator[Finding]:
    n_timed = np.bincount(sheet.judge[timed], minlength=sheet.n_judges)
    fast = np.bincount(sheet.judge[short & timed], minlength=sheet.n_judges)
    share = fast / np.maximum(n_timed, 1)
    hasty = np.flatnonzero((share >= OFTEN) & (n_timed >= LEAST_TIMES)).tolist()
    if hasty:
        counts = [(sheet.judges[judge], int(fast[judge]), int(n_timed[judge])) for judge in hasty]
        yield Finding(
            "impossible-times",
            "serious" if (share[hasty] >= MOSTLY).any() else "look",
            about={"judges": tuple(judge for judge, _, _ in counts)},
            data={judge: {"short": short, "timed": timed} for judge, short, timed in counts},
            detail={"counts": counts, "limit": IMPOSSIBLE},
        )


def _negative_times(seconds: npt.NDArray[np.float64]) -> Iterator[Finding]:
    negative = int((seconds < 0).sum())
    if negative:
        data = {"negative": negative, "timed": int(seconds.size)}
        yield Finding("negative-times", "look", data=data)


def _unit_finding(median: float) -> Finding:
    return Finding("unit-of-times", "note", data={"median": median})


@dataclass(frozen=True, kw_only=True)
class Following:
    """How far a judge's ratings follow the others': a coefficient, its interval, and on how much.

    It is the correlation with the mean of the others; where categories have no order, agreement
    with one of the others beyond chance.
    """

    judge: int
    items: int
    value: float
    error: float
    fisher: bool

    @property
    def ends(self) -> tuple[float, float]:
        """The interval."""
        reach = normal_quantile((1 + CONFIDENCE) / 2) * self.error
        if not self.fisher:
            return max(self.value - reach, -1.0), min(self.value + reach, 1.0)
        centre = _atanh(self.value)
        return math.tanh(centre - reach), math.tanh(centre + reach)

    def chance_below(self, value: float) -> float:
        """How probable so low a coefficient is if the true one is `value`."""
        if self.fisher:
            return normal_cdf((_atanh(self.value) - _atanh(value)) / self.error)
        return normal_cdf((self.value - value) / self.error)

    def row(self, sheet: Sheet) -> dict[str, Any]:
        """The numbers, by name."""
        low, high = self.ends
        own = {"judge": sheet.judges[self.judge], "items": self.items}
        return own | {"value": self.value, "low": low, "high": high}


def judges_apart(sheet: Sheet) -> Iterator[Finding]:
    """Find judges whose ratings run against those of the others, or have nothing to do with them.

    Reversed judges are set aside before the others are looked at, because they pull down the
    correlation of everybody else.
    """
    if sheet.n_judges < 2:
        return
    active = np.ones(sheet.n_judges, dtype=bool)
    while step := _most_reversed(sheet, active):
        active[step] = False
    following = _followings(sheet, active, np.flatnonzero(active))
    usual = median([own.value for own in following] or [math.nan])
    against = _followings(sheet, active, np.flatnonzero(~active))
    if against:
        yield _finding(sheet, "reversed-judge", against, usual)
    others = medians_of_others([own.value for own in following])
    apart = [
        own
        for own, rest in zip(following, others, strict=True)
        if _is_apart(own, rest, sheet.n_judges)
    ]
    if apart and sheet.n_judges > 2:
        rest = [own.value for own in following if own not in apart] or [math.nan]
        yield _finding(sheet, "random-judge", apart, median(rest))


def _most_reversed(sheet: Sheet, active: Bools) -> list[int]:
    """The judges who run against the other active ones; among few only the clearest of them."""
    if int(active.sum()) < 2:
        return []
    following = _followings(sheet, active, np.flatnonzero(active))
    below = [own for own in following if sheet.n_judges * own.chance_below(0.0) < DOUBTFUL]
    below.sort(key=lambda own: own.value)
    return [own.judge for own in below[: None if sheet.n_judges > MANY else 1]]


def _is_apart(own: Following, usual: float, n_judges: int) -> bool:
    """Whether a judge's coefficient may be 0 and is far below that of the others."""
    low, high = own.ends
    far = low <= 0 and high < FAR_BELOW * usual and usual >= LEAST_OF_OTHERS
    return far and n_judges * own.chance_below(usual) < DOUBTFUL


def _finding(sheet: Sheet, code: str, apart: list[Following], usual: float) -> Finding:
    target = 0.0 if code == "reversed-judge" else usual
    chance = min(sheet.n_judges * own.chance_below(target) for own in apart)
    clear = code == "random-judge" or min(own.value for own in apart) <= CLEARLY_REVERSED
    names = tuple(sheet.judges[own.judge] for own in apart)
    two = sheet.n_judges == 2
    given = int(sheet.per_judge[[own.judge for own in apart]].sum())
    return Finding(
        code,
        "serious" if chance < SURE and clear and not two else "look",
        variant="two" if two else "",
        about={"judges": sheet.judges if two else names},
        data={
            "judges": list(sheet.judges if two else names),
            "following": [own.row(sheet) for own in apart],
            "usual": usual,
            "chance": chance,
            "share": given / sheet.rating.size,
        },
        detail={"ordered": apart[0].fisher},
    )


def _followings(sheet: Sheet, active: Bools, judges: Ints) -> list[Following]:
    """How far some judges follow the active ones, where that can be said."""
    ordered = sheet.scale.level > Level.NOMINAL or int(sheet.value.max()) < 2
    size = 1 if ordered else int(sheet.value.max()) + 1
    counted = active[sheet.judge]
    cell = sheet.unit if ordered else sheet.unit * size + sheet.value
    weights = sheet.rating if ordered else np.ones(sheet.rating.size)
    total = np.bincount(cell[counted], weights[counted], minlength=sheet.n_units * size)
    total = total.reshape(sheet.n_units, size)
    per_unit = np.bincount(sheet.unit[counted], minlength=sheet.n_units)
    following = []
    for judge in judges.tolist():
        own, itself = sheet.rows_of(judge), int(active[judge])
        own = own[per_unit[sheet.unit[own]] > itself]
        if own.size < LEAST_COMMON:
            continue
        sums, n = total[sheet.unit[own]], per_unit[sheet.unit[own]] - itself
        if ordered:
            means = (sums[:, 0] - itself * sheet.rating[own]) / n
            following.append(_correlated(judge, sheet.rating[own], means))
        else:
            sums[np.arange(own.size), sheet.value[own]] -= itself
            following.append(_agreeing(judge, sheet.value[own], sums / n[:, None]))
    return [own for own in following if own is not None]


def _correlated(judge: int, rating: Floats, means: Floats) -> Following | None:
    """Pearson's correlation with the mean of the others; None where one of them does not vary."""
    x, y = rating - rating.mean(), means - means.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    if spread <= 1e-12 * rating.size:
        return None
    r, n = float(x @ y) / spread, rating.size
    return Following(judge=judge, items=n, value=r, error=1 / math.sqrt(n - 3), fisher=True)


def _agreeing(judge: int, value: Ints, shares: Floats) -> Following | None:
    """Agreement with one of the others beyond what both margins give; None of one category."""
    own = np.bincount(value, minlength=shares.shape[1]) / value.size
    expected = float(own @ shares.mean(axis=0))
    if own.max() == 1 or expected > 1 - 1e-9:
        return None
    equal = shares[np.arange(value.size), value] - shares @ own
    n = value.size
    kappa, error = float(equal.mean()) / (1 - expected), float(equal.std(ddof=1)) / math.sqrt(n)
    return Following(
        judge=judge, items=n, value=kappa, error=max(error / (1 - expected), 1e-9), fisher=False
    )


def _atanh(r: float) -> float:
    return math.atanh(min(max(r, -1 + 1e-9), 1 - 1e-9))
