"""The models of systems from the sums that an engine formed: the mixed model and the additive one.

The same equations as in `reml.py` and `least_squares.py`, and the same estimates: a kind of items
stands for as many items as it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.models.anova import Anova, anova_of
from covary.stats.models.least_squares import SAME, SINGULAR, LeastSquaresFit
from covary.stats.models.observations import Floats
from covary.stats.models.reml import FIXED, Sums
from covary.stats.models.unit_kinds import MOST_KINDS, LargeObservations, UnitKinds
from covary.words import Note

OPINION = "judge by system"
"""What each judge thinks of each system."""

MOST_NUMBERS = 20_000_000
"""So many numbers the sums may have."""


def random_terms(observed: LargeObservations) -> tuple[list[str], list[Note]]:
    """The random factors that these ratings can tell apart, and which are left out."""
    n, systems, judges = observed.n_ratings, len(observed.numbers), observed.numbers.shape[1]
    items, sources = observed.n_items, observed.n_sources
    opinions = int((observed.numbers > 0).sum())
    levels = {"judge": judges, "source": sources, "item": items, OPINION: opinions}
    met = levels | {"judge": opinions, "source": items}
    possible = {
        "judge": judges > 1,
        "source": sources > 1,
        "item": 1 < items < n,
        OPINION: judges > 1 and opinions < n,
    }
    same = {
        "item": "source" if items == sources else "",
        OPINION: "judge" if opinions == judges else "",
    }
    kept: list[str] = []
    notes = []
    for name in (name for name, is_there in possible.items() if is_there):
        why = None
        if levels[name] == n:
            why = Note("stats.one-rating-each", factor=name)
        elif met[name] == systems:
            why = Note("stats.one-each-system", factor=name)
        elif same.get(name) in kept:
            why = Note("stats.same-factor", other=same[name])
        if why is None:
            kept.append(name)
        else:
            notes.append(Note("stats.factor-left-out", factor=name, why=why))
    return kept, notes


@dataclass(frozen=True, kw_only=True)
class _Order:
    """Which factor is eliminated first, with its kinds, and which its levels belong to."""

    first: str
    second: str | None
    kinds: UnitKinds


def reml_sums(observed: LargeObservations, terms: Collection[str]) -> Sums:
    """Sum for the restricted likelihood of a model with some random factors."""
    order = _order(observed, terms)
    blocks = _blocks(observed, terms, order)
    cells = np.hstack([np.zeros((observed.numbers.size, 0)), *blocks.values()])
    kinds = order.kinds
    meets = kinds.members.reshape(kinds.counts.size, -1) @ cells
    sizes, places = np.unique(kinds.sizes, return_inverse=True)
    parents, of_sources = _parents(observed, order, sizes)
    n_lines = parents.shape[0] if of_sources is None else of_sources.counts.size
    width = cells.shape[1]
    if sizes.size * (n_lines * (1 + width) + width**2) > MOST_NUMBERS:
        raise _too_many()
    kept = []
    for place, size in enumerate(sizes.tolist()):
        own = places == place
        z, n, totals = meets[own], kinds.counts[own], kinds.totals[own]
        if of_sources is None:
            mine = parents[:, own]
            second, across = size**2 * (mine @ n), size * (mine @ (n[:, None] * z))
            second_totals = size * (mine @ totals)
        else:
            second, across = _of_size(of_sources, size, cells)
            second_totals = of_sources.by_size[:, observed.item_sizes.tolist().index(size)]
        parts = (second, across, z.T @ (n[:, None] * z), second_totals, z.T @ totals)
        kept.append(np.concatenate([*map(np.ravel, parts), [kinds.squares[own].sum()]]))
    table, means = np.array(kept), observed.means()
    numbers = observed.numbers
    left = (observed.sums - numbers * means[:, None]).ravel()
    squares = float(observed.spread.sum())
    shares = kinds.counts / kinds.sizes
    return Sums(
        first=order.first,
        second=order.second,
        n_second=n_lines,
        rest={name: block.shape[1] for name, block in blocks.items()},
        random=tuple(terms),
        sizes=sizes,
        items=np.bincount(places, kinds.counts).astype(float),
        flat_products=lambda weights: np.asarray(weights @ table),
        shared=cells.T @ (numbers.ravel()[:, None] * cells) - meets.T @ (shares[:, None] * meets),
        deviations=cells.T @ left - meets.T @ (kinds.totals / kinds.sizes),
        within=squares - float(np.sum(kinds.squares / kinds.sizes)),
        squares=squares,
        n_ratings=float(observed.n_ratings),
        n_fixed=len(means),
        second_counts=None if of_sources is None else of_sources.counts,
        second_products=None if of_sources is None else _products(of_sources),
    )


def _order(observed: LargeObservations, terms: Collection[str]) -> _Order:
    """Items first, or sources where there are none, or the judges' opinions."""
    if "item" in terms:
        second = "source" if "source" in terms else FIXED
        return _Order(first="item", second=second, kinds=_known(observed.items))
    if "source" in terms and observed.n_items == observed.n_sources:
        return _Order(first="source", second=FIXED, kinds=_known(observed.items))
    if "source" in terms:
        return _Order(first="source", second=None, kinds=_known(observed.sources))
    if OPINION in terms:
        return _Order(first=OPINION, second=FIXED, kinds=_cells(observed))
    if "judge" in terms:
        return _Order(first="judge", second=None, kinds=_judges(observed))
    raise InvalidArgument("systems.mixed-needs-two", argument="error", value="mixed")


def _known(kinds: UnitKinds | None) -> UnitKinds:
    if kinds is None:
        raise _too_many()
    return kinds


def _too_many() -> InvalidArgument:
    return InvalidArgument("systems.large-designs", most=MOST_KINDS)


def _cells(observed: LargeObservations) -> UnitKinds:
    """Each judge's ratings of each system as a unit of its own."""
    system, judge = np.nonzero(observed.numbers)
    members = np.zeros((system.size, *observed.numbers.shape))
    members[np.arange(system.size), system, judge] = observed.numbers[system, judge]
    return _alone(observed, members)


def _judges(observed: LargeObservations) -> UnitKinds:
    """Each judge's ratings as a unit of its own."""
    numbers = observed.numbers
    return _alone(observed, np.eye(numbers.shape[1])[:, None, :] * numbers[None])


def _alone(observed: LargeObservations, members: Floats) -> UnitKinds:
    left = observed.sums - observed.numbers * observed.means()[:, None]
    totals = np.sum((members > 0) * left, axis=(1, 2))
    nothing = np.zeros((len(members), 0))
    return UnitKinds(
        counts=np.ones(len(members)),
        sizes=members.sum(axis=(1, 2)),
        totals=totals,
        squares=totals**2,
        members=members,
        by_size=nothing,
        by_two_sizes=nothing[:, :, None],
    )


def _blocks(
    observed: LargeObservations, terms: Collection[str], order: _Order
) -> dict[str, Floats]:
    """Which level of each factor of the rest a judge's rating of a system belongs to."""
    systems, judges = observed.numbers.shape
    eliminated = (order.first, order.second)
    ones = {
        FIXED: np.repeat(np.eye(systems), judges, axis=0),
        "judge": np.tile(np.eye(judges), (systems, 1)),
        OPINION: np.eye(systems * judges)[:, observed.numbers.ravel() > 0],
    }
    wanted = (FIXED, *terms)
    return {n: own for n, own in ones.items() if n in wanted and n not in eliminated}


def _parents(
    observed: LargeObservations, order: _Order, sizes: Floats
) -> tuple[Floats, UnitKinds | None]:
    """Which level of the second factor each kind belongs to; or the kinds of sources."""
    if order.second is None:
        return np.zeros((0, order.kinds.counts.size)), None
    if order.second == FIXED:
        return (order.kinds.members.sum(axis=2) > 0).T.astype(float), None
    sources = _known(observed.sources)
    assert set(sizes.tolist()) == set(observed.item_sizes.tolist())
    return np.zeros((0, 0)), sources


def _of_size(sources: UnitKinds, size: float, cells: Floats) -> tuple[Floats, Floats]:
    """What the items of one size add to a source of each kind: m² and m z."""
    own = sources.members * (sources.members.sum(axis=2, keepdims=True) == size)
    flat = own.reshape(len(own), -1)
    return size * flat.sum(axis=1), size * (flat @ cells)


def _products(sources: UnitKinds) -> Any:
    def products(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.einsum("gml,m,l->g", sources.by_two_sizes, one, other))

    return products


def summed_anova(observed: LargeObservations, names: Iterable[str]) -> Anova:
    """The additive model of systems, judges and sources."""
    chosen = list(names)
    full = _Additive(observed, chosen)
    explained = {}
    for name in chosen:
        fewer = _Additive(observed, [other for other in chosen if other != name])
        explained[name] = (fewer.rest - full.rest, full.rank - fewer.rank)
    return anova_of(
        full,
        full.fit(),
        balanced=full.orthogonal,
        squares=(full.total, full.rest),
        explained=explained,
        centre=observed.mean,
    )


class _Additive:
    """The normal equations of an additive model, sources eliminated, and what it leaves.

    It also says of its design what an analysis of variance asks: levels, counts, contrasts.
    """

    def __init__(self, observed: LargeObservations, names: list[str]) -> None:
        self.observed, self.factors = observed, names
        self.n = observed.n_ratings
        numbers, centre = observed.numbers, observed.mean
        systems, judges = numbers.shape
        ones = {
            FIXED: np.repeat(np.eye(systems), judges, axis=0),
            "judge": np.tile(np.eye(judges), (systems, 1)),
        }
        self.blocks = {name: ones[name] for name in names if name in ones}
        cells = np.hstack([np.zeros((numbers.size, 0)), *self.blocks.values()])
        left = (observed.sums - numbers * centre).ravel()
        away = observed.counts() @ (observed.means() - centre) ** 2
        self.total = float(observed.spread.sum() + away)
        self.counts = {name: observed.counts(name).astype(float) for name in self.blocks}
        whole = cells.T @ (numbers.ravel()[:, None] * cells)
        small, right = whole, cells.T @ left
        self.rank, explained = 0, 0.0
        if "source" in names:
            self._eliminate(observed, cells)
            per = self.kinds.sizes
            small = small - self.meets.T @ ((self.kinds.counts / per)[:, None] * self.meets)
            right = right - self.meets.T @ (self.totals / per)
            self.rank, explained = self.kinds.n_units, float(np.sum(self.squares / per))
        elif not names:
            self.rank = 1
        values, vectors = np.linalg.eigh((small + small.T) / 2)
        real = values > SINGULAR * max(float(whole.diagonal().max(initial=0.0)), 1.0)
        kept = vectors[:, real]
        self.inverse, self.null = (kept / values[real]) @ kept.T, vectors[:, ~real]
        self.solution = self.inverse @ right
        self.rank += int(real.sum())
        self.rest = self.total - explained - float(right @ self.solution)

    def _eliminate(self, observed: LargeObservations, cells: Floats) -> None:
        """The sums of sources about the mean of all ratings."""
        self.kinds = kinds = _known(observed.sources)
        flat = kinds.members.reshape(kinds.counts.size, -1)
        self.meets = flat @ cells
        means = np.repeat(observed.means() - observed.mean, observed.numbers.shape[1])
        constant = flat @ means
        self.totals = kinds.totals + kinds.counts * constant
        self.squares = kinds.squares + 2 * constant * kinds.totals + kinds.counts * constant**2

    def levels(self, name: str) -> int:
        """How many levels a factor has."""
        return self.kinds.n_units if name == "source" else int(self.counts[name].size)

    @property
    def orthogonal(self) -> bool:
        """Whether every two factors meet in proportion."""
        numbers, n = self.observed.numbers, self.n
        both = all(name in self.blocks for name in (FIXED, "judge"))
        fine = not both or bool(
            np.all(numbers * n == np.outer(numbers.sum(axis=1), numbers.sum(axis=0)))
        )
        if "source" in self.factors:
            axes = {FIXED: 2, "judge": 1}
            for name, counts in self.counts.items():
                met = self.kinds.members.sum(axis=axes[name])
                fine &= bool(np.all(met * n == np.outer(self.kinds.sizes, counts)))
        return fine

    def _split(self, stacked: Floats) -> dict[str, Floats]:
        ends = np.cumsum([block.shape[1] for block in self.blocks.values()])
        return dict(zip(self.blocks, np.split(stacked, ends[:-1]), strict=True))

    def fit(self) -> LeastSquaresFit:
        """The effects; of sources only their mean, because the rest stays in the engine."""
        effects = self._split(self.solution) if self.blocks else {}
        nulls = self._split(self.null) if self.blocks else {}
        if self.orthogonal:
            effects = {n: own - self.counts[n] @ own / self.n for n, own in effects.items()}
        if "source" in self.factors:
            fitted = self.kinds.counts * (self.meets @ self.solution)
            mean = float(np.sum((self.totals - fitted) / self.kinds.sizes)) / self.kinds.n_units
            effects["source"] = np.array([mean])
            nulls["source"] = -(self.meets @ self.null) / self.kinds.sizes[:, None]
        free = {name: bool(np.all(np.ptp(own, axis=0) <= SAME)) for name, own in nulls.items()}
        return LeastSquaresFit(effects, np.zeros(0), self.rank, free)

    def contrasts(self, name: str) -> Floats:
        """Covariances of a factor's effects beside all the others, for an error variance of 1."""
        null = self._split(self.null)[name]
        place = list(self.blocks).index(name)
        start = sum(block.shape[1] for block in list(self.blocks.values())[:place])
        part = slice(start, start + self.blocks[name].shape[1])
        apart = np.abs(null[:, None, :] - null[None, :, :]).max(axis=2, initial=0.0)
        return np.where(apart > SAME, np.nan, self.inverse[part, part])
