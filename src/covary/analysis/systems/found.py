"""What `covary.systems` finds, as small frozen values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from covary.analysis.systems.adjusted import Adjustment
from covary.analysis.systems.ranks import Ranks
from covary.analysis.systems.scores import SystemScore
from covary.scales import End, Scale
from covary.stats.assumptions import Assumptions
from covary.stats.mixed import Mixed
from covary.stats.plain import plain
from covary.stats.posthoc import Comparisons
from covary.stats.variance import Anova, Effect

__all__ = ["Counted", "CriterionSystems", "RankTest", "SystemPair", "Systems"]


@dataclass(frozen=True)
class SystemPair:
    """Two systems: how far they differ, whether that is significant, and how large it is.

    `low` and `high` are NaN where the procedure has no simultaneous interval. `standardised` is
    the difference in units of the error's standard deviation, `cliffs_delta` how much more often
    a rating of the first is higher than lower than one of the second, `delta_low` and `delta_high`
    the ends of its interval.
    """

    first: Any
    second: Any
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    significant: bool
    standardised: float
    cliffs_delta: float
    delta_low: float
    delta_high: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True)
class RankTest:
    """A test of all systems that uses only the order of ratings, and its pairs.

    `blocks` says what was ranked within (sources, judges), or nothing where all ratings were
    ranked together; `comparisons` are the pairs, where there were few enough systems.
    """

    name: str
    statistic: float
    df: int
    p: float
    blocks: str
    n_blocks: int
    comparisons: Comparisons | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        pairs = None if self.comparisons is None else summary(self.comparisons)
        return {
            "name": self.name, "statistic": plain(self.statistic), "df": self.df,
            "p": plain(self.p), "blocks": self.blocks, "n_blocks": self.n_blocks,
            "comparisons": pairs, "reason": self.reason,
        }  # fmt: skip


def summary(found: Comparisons) -> dict[str, Any]:
    """Name a procedure and say what it found, without its pairs."""
    return {
        "procedure": found.procedure, "error": found.error, "alpha": found.alpha,
        "n_significant": found.n_significant, "n_pairs": found.n_pairs,
        "letters": list(found.letters),
    }  # fmt: skip


@dataclass(frozen=True)
class Counted:
    """How many pairs of very many systems differ by Tukey's procedure, without a list of them."""

    procedure: str
    error: str
    alpha: float
    n_significant: int
    n_pairs: int


@dataclass(frozen=True)
class CriterionSystems:
    """Which system is better on one criterion.

    `systems` stand in the order of their means, the best first. `one_way` are three separate
    analyses of variance, as Belz & Kow (2011) print them; `additive` holds all factors in one
    model; `mixed` takes judges and sources as drawn from many, where it was fitted. `comparisons`
    is the chosen procedure over all pairs of systems, in the order of their names, or `counted` how
    many of very many differ, and `compared` what is compared (means, adjusted means, mean ranks);
    `rank_tests`
    say the same from the order of ratings alone. `names` are the systems in the order of their
    names, in which `comparisons` and `ranks` hold them.
    """

    criterion: Any
    scale: Scale
    best: End
    n_ratings: int
    n_items: int
    n_judges: int
    n_sources: int
    names: tuple[Any, ...]
    systems: tuple[SystemScore, ...]
    one_way: tuple[Effect, ...]
    additive: Anova
    mixed: Mixed | None
    error: str
    compared: str
    comparisons: Comparisons | None
    counted: Counted | None
    pairs: tuple[SystemPair, ...]
    rank_tests: tuple[RankTest, ...]
    ranks: Ranks | None
    adjusted_ranks: Ranks | None
    adjustment: Adjustment
    assumptions: Assumptions | None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def significance(self) -> Comparisons | Counted | None:
        """What says how many pairs of systems differ."""
        return self.comparisons or self.counted

    @property
    def n_pairs(self) -> int:
        """How many pairs of systems there are."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    def place(self, score: SystemScore) -> int:
        """Where a system stands in the order of names."""
        return self.names.index(score.system)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "criterion": self.criterion,
            "scale": self.scale.describe(),
            "best": self.best,
            "counts": {
                "ratings": self.n_ratings, "items": self.n_items, "judges": self.n_judges,
                "sources": self.n_sources, "systems": len(self.systems), "pairs": self.n_pairs,
            },
            "names": list(self.names),
            "systems": [each.to_dict() for each in self.systems],
            "one_way": [each.to_dict() for each in self.one_way],
            "additive": _without_means(self.additive),
            "mixed": _plain(self.mixed),
            "error": self.error,
            "compared": self.compared,
            "comparisons": None if self.comparisons is None else summary(self.comparisons),
            "counted": plain(self.counted),
            "pairs": [each.to_dict() for each in self.pairs],
            "rank_tests": [each.to_dict() for each in self.rank_tests],
            "ranks": _plain(self.ranks),
            "adjusted_ranks": _plain(self.adjusted_ranks),
            "adjustment": self.adjustment.to_dict(),
            "assumptions": _plain(self.assumptions),
            "notes": list(self.notes),
        }  # fmt: skip


def _plain(value: Any) -> Any:
    return None if value is None else value.to_dict()


def _without_means(found: Anova) -> dict[str, Any]:
    """The table of an analysis of variance; the means stand with the systems."""
    return {name: value for name, value in found.to_dict().items() if name != "means"}


@dataclass(frozen=True)
class Systems:
    """Which system is better, for every criterion; `left_out` says why others were not compared."""

    criteria: tuple[CriterionSystems, ...]
    procedure: str
    error: str
    confidence: float
    resamples: int
    seed: int
    slots: bool
    left_out: tuple[tuple[Any, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "procedure": self.procedure,
            "error": self.error,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
            "criteria": [each.to_dict() for each in self.criteria],
            "left_out": [
                {"criterion": criterion, "reason": reason} for criterion, reason in self.left_out
            ],
        }

    def __str__(self) -> str:
        lines = []
        for each in self.criteria:
            first = each.systems[0]
            times = "" if math.isnan(first.best) else f" (first in {first.best:.0%} of resamples)"
            lines.append(f"{each.name}: {first.system} has the best mean, {first.mean:.2f}{times}")
            found = each.significance
            if found is not None:
                lines.append(
                    f"  {found.n_significant} of {found.n_pairs} differences are significant "
                    f"({found.procedure})"
                )
            lines.append(f"  {each.adjustment.sentence}")
        return "\n".join(lines)
