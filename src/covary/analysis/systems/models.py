"""What the ratings depend on: each factor alone as papers print it, and all in one model.

The error of a difference between systems follows the design. Ratings of one text by several judges
share that text, ratings by one judge of one system share his or her opinion of it; the mixed model
has a variance for each of these wherever the ratings can show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from covary.analysis.systems.ranks import balanced, connected, parts, ranks_of
from covary.analysis.systems.result import ERRORS, Adjustment, SystemsOptions
from covary.errors import ConvergenceError, InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import chi2_quantile, chi2_tail
from covary.stats.models.anova import Anova, Effect, additive_model, one_way
from covary.stats.models.least_squares import Design
from covary.stats.models.mixed import MixedFit, MixedModel, Search, added_variance, mixed_fit
from covary.stats.models.observations import Codes, Floats, Observations
from covary.stats.models.reml import Sums, elimination_order
from covary.stats.models.unit_kinds import LargeObservations
from covary.words import Note, listing

MOST_EFFECTS = 4_000
"""Effects up to which the mixed model is fitted, beside those that are eliminated by hand."""

MOST_ALONE = 1_200
"""The most without judges' opinions of systems, since these are not fitted where they are many."""

MANY_EFFECTS = 500
"""With more effects, judges' opinions of systems are first sought beside a model without them."""

FEW_JUDGES = 10
"""Judges up to whom each has a severity of his or her own; more are drawn towards their mean."""

BY_DESIGN = ("design", "mixed", "ordinal")
"""Errors whose random terms follow the design; the ordinal model takes them from the mixed one."""

BESIDE = ("judge", "source")
"""What a rating may depend on beside the system."""

OPINION = "judge by system"
TEXT = "source by system"

NEEDED = {OPINION: 0.3, TEXT: 0.05, "item": 0.05}
"""Terms that stay in the mixed model only where the likelihood ratio's p is no larger.

A variance that is truly 0 but is estimated above it makes tests timid; one that is left out but is
there makes them rash. Opinions of few judges are hard to see, so that little evidence keeps them
(Matuschek et al. 2017 weigh the two likewise).
"""

FEW_OPINIONS = ((4, 0.5), (9, 0.4))
"""Below so many degrees of freedom, opinions stay at this p: at .5, wherever they are above 0."""


Observed = Observations | LargeObservations


@dataclass(frozen=True, kw_only=True)
class ErrorTerm:
    """What differences of systems are compared with.

    `name` says which error it is, `words` which model; `means` are the systems' means under it,
    with their `covariance` (None where ratings count as independent), `mse` and `df`. `unit` is the
    standard deviation of a rating of one system, in which differences are expressed.
    """

    name: str
    words: str
    means: Floats
    mse: float
    df: Any
    covariance: Floats | None = None
    unit: float

    def standard_errors(self, counts: Floats) -> Floats:
        """Of each mean beside the others, without what moves all systems alike."""
        if self.covariance is None:
            return np.sqrt(self.mse / counts)
        k = self.means.size
        centre = np.eye(k) - 1 / k
        variances = np.diag(centre @ self.covariance @ centre.T) * k / (k - 1)
        return np.sqrt(np.where(variances > 0, variances, np.nan))

    @property
    def typical_df(self) -> float:
        """The degrees of freedom of a difference, where they differ their mean."""
        df = np.asarray(self.df, dtype=float)
        known = df[np.isfinite(df) & (df > 0)]
        return float(known.mean()) if known.size else math.nan


@dataclass(frozen=True, kw_only=True)
class Models:
    """One-way analyses, the additive model with the factors that it can hold, the mixed model.

    `term` is the error term that was chosen.
    """

    one_way: tuple[Effect, ...]
    additive: Anova
    mixed: MixedModel | None
    term: ErrorTerm
    notes: tuple[str, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors of the additive model beside the system."""
        return tuple(effect.name for effect in self.additive.effects if effect.name != "system")

    def adjusted_means(self, observed: Observed) -> Floats:
        """The systems' means without the other factors, around the mean of all ratings."""
        return around_mean(observed, self.additive.means["system"])


def around_mean(observed: Observed, means: Floats) -> Floats:
    """Move means up or down until, over all ratings, they have the mean of all ratings."""
    counts = observed.counts()
    shift = observed.mean - float(means @ counts / counts.sum())
    return np.asarray(means + shift)


def fit_models(observed: Observations, options: SystemsOptions) -> Models:
    """Fit the models, and choose the error that follows the design unless another is asked for."""
    known = [name for name in BESIDE if name in observed.factors and len(observed.names[name]) > 1]
    separate = tuple(
        one_way(observed.values, observed.factors[name], name=name) for name in ("system", *known)
    )
    whole, used = _fit_additive(observed, known)
    notes = [Note("systems.factor-left-out", name=name) for name in known if name not in used]
    random = random_factors(observed)
    mixed = None
    if options.error in BY_DESIGN:
        try:
            mixed, dropped = design_model(observed, random)
            notes += dropped
        except (ConvergenceError, InvalidArgument) as failure:
            if options.error == "mixed":
                raise
            notes += _why_not(failure)
    term = choose_term(observed, options.error, (separate[0], whole), mixed)
    if options.error in BY_DESIGN:
        term = within_parts(observed, mixed, term)
    notes += several_ratings(observed, term)
    return Models(one_way=separate, additive=whole, mixed=mixed, term=term, notes=tuple(notes))


def several_ratings(observed: Observed, term: ErrorTerm) -> list[Note]:
    """Say that an error counts several ratings of one text as independent."""
    ratings = observed.n_ratings / observed.n_items
    if ratings <= 1 or term.name not in ("one-way", "additive"):
        return []
    return [Note("systems.several-ratings", ratings=ratings, error=ERRORS[term.name])]


def _why_not(failure: ConvergenceError | InvalidArgument) -> list[Note]:
    if failure.code == "systems.mixed-needs-two":
        return []
    if failure.code == "systems.mixed-large":
        return [Note(failure.code, **failure.facts)]
    return [Note("systems.not-fitted", reason=failure.facts.get("reason", str(failure)))]


def _fit_additive(observed: Observations, known: list[str]) -> tuple[Anova, tuple[str, ...]]:
    """Fit as many factors as leave all systems comparable."""
    for size in range(len(known), 0, -1):
        for used in combinations(known, size):
            factors = {name: observed.factors[name] for name in ("system", *used)}
            model = additive_model(observed.values, factors)
            if not np.isnan(model.means["system"]).any():
                return model, used
    return additive_model(observed.values, {"system": observed.factors["system"]}), ()


def random_factors(observed: Observations) -> dict[str, Codes]:
    """Judges, sources, what each judge thinks of each system, and texts rated more than once.

    Judges differ in which systems they like, and a claim about other judges has to allow for it;
    it shows only where some judge rated some system twice. A text is an item, or what one system
    made of one source.
    """
    factors, n = observed.factors, observed.n_ratings
    random = {name: factors[name] for name in BESIDE if len(observed.names.get(name, ())) > 1}
    if 1 < len(observed.names["item"]) < n:
        random["item"] = factors["item"]
    for name, beside in ((OPINION, "judge"), (TEXT, "source")):
        if beside in random:
            pairs = factors["system"] * len(observed.names[beside]) + factors[beside]
            met, codes = np.unique(pairs, return_inverse=True)
            texts = name == TEXT and "item" in random and met.size >= len(observed.names["item"])
            if met.size < n and not texts:
                random[name] = codes
    return random


def design_model(
    observed: Observations, random: Mapping[str, Codes]
) -> tuple[MixedModel, list[Note]]:
    """Fit the mixed model of the design, without terms that the ratings show no need of."""
    if not random:
        raise InvalidArgument("systems.mixed-needs-two", argument="error", value="mixed")
    terms, notes = dict(random), []
    without: MixedFit | None = None
    *_, rest = elimination_order(Design({"system": observed.factors["system"], **terms}))
    levels = sum(rest.values())
    if levels > MOST_EFFECTS or levels - rest.get(OPINION, 0) > MOST_ALONE:
        raise InvalidArgument("systems.mixed-large", levels=levels)
    if levels > MANY_EFFECTS and OPINION in terms and set(terms) - {OPINION, "judge"}:
        model, dropped, without = _many_opinions(observed, terms)
        terms = _without(terms, OPINION) if dropped else terms
        notes += dropped
    else:
        model = _fit_mixed(observed, terms).model()
    opinions = int(terms[OPINION].max()) + 1 if OPINION in terms else 0

    def refit(names: Collection[str], near: MixedModel) -> MixedFit:
        fewer = {name: codes for name, codes in terms.items() if name in names}
        if without is not None and OPINION in terms and fewer.keys() == terms.keys() - {OPINION}:
            return without
        search = Search(start=near.components, beside=near.log_likelihood)
        return _fit_mixed(observed, fewer, search=search)

    model, dropped = without_unneeded(observed, list(terms), model, opinions=opinions, refit=refit)
    return model, [*notes, *dropped]


def without_unneeded(
    observed: Observed,
    terms: Collection[str],
    model: MixedModel,
    *,
    opinions: int,
    refit: Callable[[Collection[str], MixedModel], MixedFit],
) -> tuple[MixedModel, list[Note]]:
    """Leave out, one after the other, the terms that the ratings show no need of."""
    notes = []
    for name in NEEDED:
        fewer = [other for other in terms if other != name]
        if not (model.components.get(name, 0.0) > 0 and set(fewer) - {"judge"}):
            continue
        without = refit(fewer, model)
        ratio = 2 * (model.log_likelihood - without.log_likelihood)
        p = 0.5 * chi2_tail(max(ratio, 0.0), 1)
        if p > _most_p(observed, opinions, name):
            terms, model = fewer, without.model()
            notes.append(Note("systems.term-dropped", term=name, p=p))
    return model, notes


def _most_p(observed: Observed, opinions: int, name: str) -> float:
    """The largest p with which a term stays; few judges' opinions stay more easily."""
    most = NEEDED[name]
    if name != OPINION:
        return most
    judges, systems = len(observed.names["judge"]), len(observed.names["system"])
    return _most_p_of_opinions(opinions - judges - systems + 1, judges)


def _most_p_of_opinions(df: int, judges: int) -> float:
    if judges == 2:
        return max(kept for _, kept in FEW_OPINIONS)
    return next((kept for fewer, kept in FEW_OPINIONS if df < fewer), NEEDED[OPINION])


def opinions_stay(seen: Floats, rest: float, freedom: tuple[int, int], *, judges: int) -> Any:
    """Say whether judges' opinions stay in the model of complete studies with such mean squares.

    `freedom` are the degrees of freedom of both, of opinions first. REML of a complete study gives
    its mean squares, so that the likelihood ratio follows from them (Searle, Casella & McCulloch
    1992, chapter 4).
    """
    of_opinions, of_rest = freedom
    pooled = (seen * of_opinions + rest * of_rest) / (of_opinions + of_rest)
    ratio = of_opinions * np.log(pooled / seen) + of_rest * np.log(pooled / rest)
    most = _most_p_of_opinions(of_opinions, judges)
    return (seen > rest) & (ratio >= chi2_quantile(1 - 2 * most, 1))


def _many_opinions(
    observed: Observations, terms: Mapping[str, Codes]
) -> tuple[MixedModel, list[Note], MixedFit]:
    """Fit a model without judges' opinions of systems, and one with them only where they count."""
    fit = _fit_mixed(observed, _without(terms, OPINION))
    without = fit.model()
    added = added_variance(
        observed.values,
        observed.factors["system"],
        random=terms,
        name=OPINION,
        beside=without.components,
    )
    if not added.variance:
        return without, [Note("stats.variance-zero", factor=OPINION)], fit
    p = 0.5 * chi2_tail(added.gain, 1)
    if p > NEEDED[OPINION]:
        return without, [Note("systems.term-dropped", term=OPINION, p=p)], fit
    start = {**without.components, OPINION: added.variance}
    model = _fit_mixed(observed, terms, search=Search(start=start), sums=added.sums).model()
    return model, [], fit


def _without(terms: Mapping[str, Codes], name: str) -> dict[str, Codes]:
    return {other: codes for other, codes in terms.items() if other != name}


def _fit_mixed(
    observed: Observations,
    random: Mapping[str, Codes],
    *,
    search: Search | None = None,
    sums: Sums | None = None,
) -> MixedFit:
    few = 1 < len(observed.names.get("judge", ())) <= FEW_JUDGES and "judge" in random
    fit = mixed_fit(
        observed.values,
        observed.factors["system"],
        random=random,
        fixed=("judge",) if few else (),
        search=search,
        sums=sums,
    )
    if fit.reason:
        raise ConvergenceError("systems.not-fitted", reason=fit.reason)
    return fit


def choose_term(
    observed: Observed, error: str, published: tuple[Effect, Anova], mixed: MixedModel | None
) -> ErrorTerm:
    """The error that was asked for; by design the mixed model, else the means of texts."""
    alone, whole = published
    if mixed is not None:
        return ErrorTerm(
            name="mixed",
            words=mixed.method,
            means=around_mean(observed, mixed.means),
            mse=mixed.mse,
            df=mixed.df,
            covariance=mixed.covariance,
            unit=math.sqrt(sum(value for value in mixed.components.values() if value > 0)),
        )
    by_text = error in BY_DESIGN and observed.n_items < observed.n_ratings
    if by_text and isinstance(observed, Observations):
        return _text_means_term(observed, whole)
    if error == "one-way":
        mse, df = alone.error_mean_square, alone.error_df
        means, unit = observed.means("system"), math.sqrt(mse) or math.nan
        return ErrorTerm(name=error, words=ERRORS[error], means=means, mse=mse, df=df, unit=unit)
    return ErrorTerm(
        name="additive",
        words=f"{ERRORS['additive']} of {listing(effect.name for effect in whole.effects)}",
        means=around_mean(observed, whole.means["system"]),
        mse=whole.mse,
        df=whole.residual_df,
        covariance=None if whole.balanced else whole.covariance("system"),
        unit=math.sqrt(whole.mse) if whole.mse > 0 else math.nan,
    )


def within_parts(observed: Observed, mixed: MixedModel | None, term: ErrorTerm) -> ErrorTerm:
    """Take away the error of differences in which a mild judge cannot be told from a good system.

    These are differences of systems that share no judge, directly or through others, unless judges
    are many and drawn from more: then their variance is part of the error.
    """
    drawn = mixed is not None and math.isfinite(mixed.components.get("judge", math.nan))
    if drawn or len(observed.names.get("judge", ())) < 2 or connected(observed.meetings()):
        return term
    part = parts(observed.meetings())
    known = term.covariance
    if known is None:
        known = np.diag(term.mse / observed.counts())
    return replace(term, covariance=np.where(part[:, None] == part, known, np.nan))


def _text_means_term(observed: Observations, whole: Anova) -> ErrorTerm:
    """Each text's mean rating, severities removed, as one observation."""
    items, values = observed.factors["item"], observed.values
    if "judge" in whole.means and not np.isnan(whole.means["judge"]).any():
        judges = whole.means["judge"]
        values = values - (judges - judges.mean())[observed.factors["judge"]]
    means = np.bincount(items, values) / np.bincount(items)
    _, first = np.unique(items, return_index=True)
    names = [name for name in ("system", "source") if name in whole.means]
    factors = {name: _recode(observed.factors[name][first]) for name in names}
    texts = additive_model(means, factors)
    if np.isnan(texts.means["system"]).any():
        texts = additive_model(means, {"system": factors["system"]})
    return ErrorTerm(
        name="text-means",
        words=f"{ERRORS['text-means']} of {listing(effect.name for effect in texts.effects)}",
        means=around_mean(observed, texts.means["system"]),
        mse=texts.mse,
        df=texts.residual_df,
        covariance=texts.covariance("system"),
        unit=math.sqrt(texts.mse) if texts.mse > 0 else math.nan,
    )


def _recode(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def adjustment(observed: Observed, models: Models, best: str) -> Adjustment:
    """Rank the systems before and after the severity of judges is removed."""
    names = observed.names["system"]
    before = _in_order(names, observed.means("system"), best)
    reason = _why_inseparable(observed, models)
    if reason:
        return Adjustment(before=before, severities={}, balanced=False, reason=reason)
    if "judge" not in models.factors:  # one judge rates all
        return Adjustment(before=before, after=before, severities={}, balanced=True)
    judges = models.additive.means["judge"]
    severities = (judges - judges.mean()).tolist()
    return Adjustment(
        before=before,
        after=_in_order(names, removed_means(observed, models), best),
        severities=dict(zip(observed.names["judge"], severities, strict=True)),
        removed=models.factors,
        balanced=balanced(observed.meetings()),
    )


def removed_means(observed: Observed, models: Models) -> Floats:
    """The systems' means without the severity of judges, in the model that compares them."""
    if models.term.name in ("mixed", "text-means"):
        return models.term.means
    return models.adjusted_means(observed)


def _why_inseparable(observed: Observed, models: Models) -> str:
    if "judge" not in observed.names:
        return Note("systems.judges-unknown")
    if len(observed.names["judge"]) < 2:
        return ""
    if not connected(observed.meetings()):
        return Note("systems.unconnected")
    return "" if "judge" in models.factors else Note("systems.judges-confounded")


def _in_order(names: tuple[Any, ...], scores: Floats, best: str) -> tuple[Any, ...]:
    ranks = ranks_of(scores, best)
    return tuple(names[place] for place in np.argsort(ranks, kind="stable"))
