"""What is measured: sizes, coefficients and the programs that know them."""

from dataclasses import dataclass

__all__ = ["CASES", "LONG", "SIZES", "Case", "Peer", "Size"]


@dataclass(frozen=True)
class Size:
    """So many items and judges; five categories, or numbers on a line."""

    name: str
    items: int
    judges: int
    continuous: bool = False


@dataclass(frozen=True)
class Peer:
    """Another program's function for a coefficient; `interval` when its time includes one."""

    program: str
    function: str
    interval: bool = False


@dataclass(frozen=True)
class Case:
    """A coefficient: how it is called, on what data, and who else has it.

    `judges` is 2 where it compares two, else all; a tenth of the ratings is missing where all the
    peers of the case allow that.
    """

    title: str
    function: str
    peers: tuple[Peer, ...] = ()
    judges: int | None = None
    missing: bool = False
    categories: bool = True
    line: bool = False


SIZES = (
    Size("1e3×3×5", 1_000, 3),
    Size("1e5×3×5", 100_000, 3),
    Size("1e6×5×5", 1_000_000, 5),
    Size("200×3 continuous", 200, 3, continuous=True),
    Size("1e5×3 continuous", 100_000, 3, continuous=True),
)

LONG = ("covary_polars", "covary_duckdb", "covary_pandas")


def _irrcac(function: str) -> Peer:
    return Peer("irrcac", function, interval=True)


def _pingouin(function: str, interval: bool = True) -> Peer:
    return Peer("pingouin", function, interval)


CASES = (
    Case("Krippendorff's alpha, nominal", "alpha_nominal", missing=True, peers=(
        Peer("krippendorff", "alpha_nominal"),
        _irrcac("alpha_nominal"), Peer("nltk", "alpha_nominal"))),
    Case("Krippendorff's alpha, ordinal", "alpha_ordinal", missing=True, line=True, peers=(
        Peer("krippendorff", "alpha_ordinal"),)),
    Case("Krippendorff's alpha, interval", "alpha_interval", missing=True, peers=(
        Peer("krippendorff", "alpha_interval"),
        _irrcac("alpha_interval"))),
    Case("Krippendorff's alpha, interval", "alpha_interval", missing=True, categories=False,
         line=True, peers=(Peer("krippendorff", "alpha_interval"),)),
    Case("Fleiss' kappa", "fleiss_kappa", peers=(
        Peer("statsmodels", "fleiss_kappa"),
        _irrcac("fleiss_kappa"), Peer("nltk", "fleiss_kappa"))),
    Case("Cohen's kappa", "cohen_kappa", judges=2, peers=(
        Peer("sklearn", "cohen_kappa"), Peer("statsmodels", "cohen_kappa"),
        Peer("statsmodels", "cohen_kappa_interval", interval=True), Peer("nltk", "cohen_kappa"))),
    Case("Cohen's kappa, quadratic", "weighted_kappa", judges=2, peers=(
        Peer("sklearn", "weighted_kappa"), Peer("statsmodels", "weighted_kappa"),
        Peer("statsmodels", "weighted_kappa_interval", interval=True),
        _irrcac("weighted_kappa"))),
    Case("Conger's kappa", "conger_kappa", peers=(
        _irrcac("conger_kappa"), Peer("nltk", "conger_kappa"))),
    Case("Gwet's AC1", "gwet_ac1", missing=True, peers=(_irrcac("gwet_ac1"),)),
    Case("Gwet's AC2, quadratic", "gwet_ac2", missing=True, peers=(_irrcac("gwet_ac2"),)),
    Case("ICC(2,1)", "icc", line=True, peers=(_pingouin("icc"),)),
    Case("Cronbach's alpha", "cronbach_alpha", line=True, peers=(_pingouin("cronbach_alpha"),)),
    Case("Kendall's W", "kendall_w", line=True, peers=(_pingouin("kendall_w", False),)),
    Case("Goodman & Kruskal's gamma", "gamma", missing=True, line=True),
    Case("Kendall's tau-b, all pairs", "tau_b", missing=True, line=True, peers=(
        Peer("pandas", "tau_b"),)),
    Case("Kendall's tau-b", "tau_b", judges=2, line=True, peers=(
        Peer("scipy", "tau_b"),)),
    Case("Spearman's rho, all pairs", "spearman", missing=True, line=True, peers=(
        Peer("pandas", "spearman"),)),
    Case("Spearman's rho", "spearman", judges=2, line=True, peers=(
        Peer("scipy", "spearman"), _pingouin("spearman"))),
    Case("Pearson's r, all pairs", "pearson", missing=True, line=True, peers=(
        Peer("pandas", "pearson"),)),
    Case("Pearson's r", "pearson", judges=2, line=True, peers=(
        Peer("scipy", "pearson"), Peer("scipy", "pearson_interval", interval=True),
        _pingouin("pearson"))),
)  # fmt: skip
