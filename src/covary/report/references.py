"""Where coefficients, intervals and bands come from: one table, by the name of what is cited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = [
    "COEFFICIENTS",
    "COMPARISONS",
    "INTERVALS",
    "PAPERS",
    "Reference",
    "cited",
    "listed_alphabetically",
]


@dataclass(frozen=True)
class Reference:
    """A paper as it is named in a sentence, and as it stands in a list."""

    short: str
    full: str


PAPERS: Mapping[str, Reference] = MappingProxyType(
    {
        "amidei": Reference(
            "Amidei et al. 2019",
            "Amidei, J., Piwek, P. & Willis, A. (2019). Agreement is overrated: a plea for "
            "correlation to assess human evaluation reliability. Proceedings of the 12th "
            "International Conference on Natural Language Generation, 344–354.",
        ),
        "artstein-poesio": Reference(
            "Artstein & Poesio 2008",
            "Artstein, R. & Poesio, M. (2008). Inter-coder agreement for computational "
            "linguistics. Computational Linguistics 34(4), 555–596.",
        ),
        "banchs": Reference(
            "Banchs 2016",
            "Banchs, R. E. (2016). Expert-generated vs. crowd-sourced annotations for evaluating "
            "chatting sessions at the turn level. WOCHAT shared task report.",
        ),
        "bates": Reference(
            "Bates et al. 2015",
            "Bates, D., Mächler, M., Bolker, B. & Walker, S. (2015). Fitting linear mixed-"
            "effects models using lme4. Journal of Statistical Software 67(1), 1–48.",
        ),
        "belz-kow": Reference(
            "Belz & Kow 2011",
            "Belz, A. & Kow, E. (2011). Discrete vs. continuous rating scales for language "
            "evaluation in NLP. Proceedings of the 49th Annual Meeting of the Association for "
            "Computational Linguistics, 230–235.",
        ),
        "benjamini-hochberg": Reference(
            "Benjamini & Hochberg 1995",
            "Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate: a "
            "practical and powerful approach to multiple testing. Journal of the Royal "
            "Statistical Society B 57, 289–300.",
        ),
        "brennan-prediger": Reference(
            "Brennan & Prediger 1981",
            "Brennan, R. L. & Prediger, D. J. (1981). Coefficient kappa: some uses, misuses, and "
            "alternatives. Educational and Psychological Measurement 41, 687–699.",
        ),
        "cliff": Reference(
            "Cliff 1993",
            "Cliff, N. (1993). Dominance statistics: ordinal analyses to answer ordinal "
            "questions. Psychological Bulletin 114, 494–509.",
        ),
        "cohen-1960": Reference(
            "Cohen 1960",
            "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
            "Psychological Measurement 20, 37–46.",
        ),
        "cohen-1968": Reference(
            "Cohen 1968",
            "Cohen, J. (1968). Weighted kappa: nominal scale agreement with provision for scaled "
            "disagreement or partial credit. Psychological Bulletin 70, 213–220.",
        ),
        "conger": Reference(
            "Conger 1980",
            "Conger, A. J. (1980). Integration and generalization of kappas for multiple raters. "
            "Psychological Bulletin 88, 322–328.",
        ),
        "cronbach": Reference(
            "Cronbach 1951",
            "Cronbach, L. J. (1951). Coefficient alpha and the internal structure of tests. "
            "Psychometrika 16, 297–334.",
        ),
        "demsar": Reference(
            "Demšar 2006",
            "Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. "
            "Journal of Machine Learning Research 7, 1–30.",
        ),
        "dunn": Reference(
            "Dunn 1964",
            "Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics 6, 241–252.",
        ),
        "efron-tibshirani": Reference(
            "Efron & Tibshirani 1993",
            "Efron, B. & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & "
            "Hall.",
        ),
        "feldt": Reference(
            "Feldt et al. 1987",
            "Feldt, L. S., Woodruff, D. J. & Salih, F. A. (1987). Statistical inference for "
            "coefficient alpha. Applied Psychological Measurement 11, 93–103.",
        ),
        "fisher-1921": Reference(
            "Fisher 1921",
            "Fisher, R. A. (1921). On the “probable error” of a coefficient of correlation "
            "deduced from a small sample. Metron 1, 3–32.",
        ),
        "fisher-1925": Reference(
            "Fisher 1925",
            "Fisher, R. A. (1925). Statistical methods for research workers. Oliver & Boyd.",
        ),
        "fleiss": Reference(
            "Fleiss 1971",
            "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
            "Psychological Bulletin 76, 378–382.",
        ),
        "friedman": Reference(
            "Friedman 1937",
            "Friedman, M. (1937). The use of ranks to avoid the assumption of normality "
            "implicit in the analysis of variance. Journal of the American Statistical "
            "Association 32, 675–701.",
        ),
        "games-howell": Reference(
            "Games & Howell 1976",
            "Games, P. A. & Howell, J. F. (1976). Pairwise multiple comparison procedures with "
            "unequal n's and/or variances. Journal of Educational Statistics 1, 113–125.",
        ),
        "goodman-kruskal": Reference(
            "Goodman & Kruskal 1954",
            "Goodman, L. A. & Kruskal, W. H. (1954). Measures of association for cross "
            "classifications. Journal of the American Statistical Association 49, 732–764.",
        ),
        "gwet-2008": Reference(
            "Gwet 2008",
            "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the "
            "presence of high agreement. British Journal of Mathematical and Statistical "
            "Psychology 61, 29–48.",
        ),
        "gwet-2014": Reference(
            "Gwet 2014",
            "Gwet, K. L. (2014). Handbook of inter-rater reliability, 4th edition. Advanced "
            "Analytics.",
        ),
        "holm": Reference(
            "Holm 1979",
            "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
            "Scandinavian Journal of Statistics 6, 65–70.",
        ),
        "hughes": Reference(
            "Hughes 2022",
            "Hughes, J. (2022). Toward improved inference for Krippendorff's alpha agreement "
            "coefficient. arXiv:2210.13265.",
        ),
        "kendall-1945": Reference(
            "Kendall 1945",
            "Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33, "
            "239–251.",
        ),
        "kendall-babington-smith": Reference(
            "Kendall & Babington Smith 1939",
            "Kendall, M. G. & Babington Smith, B. (1939). The problem of m rankings. Annals of "
            "Mathematical Statistics 10, 275–287.",
        ),
        "kottner": Reference(
            "Kottner et al. 2011",
            "Kottner, J., Audigé, L., Brorson, S., Donner, A., Gajewski, B. J., Hróbjartsson, A., "
            "Roberts, C., Shoukri, M. & Streiner, D. L. (2011). Guidelines for reporting "
            "reliability and agreement studies (GRRAS) were proposed. Journal of Clinical "
            "Epidemiology 64, 96–106.",
        ),
        "kramer": Reference(
            "Kramer 1956",
            "Kramer, C. Y. (1956). Extension of multiple range tests to group means with "
            "unequal numbers of replications. Biometrics 12, 307–310.",
        ),
        "krippendorff-2004": Reference(
            "Krippendorff 2004",
            "Krippendorff, K. (2004). Content analysis: an introduction to its methodology, 2nd "
            "edition. Sage.",
        ),
        "krippendorff-2011": Reference(
            "Krippendorff 2011",
            "Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of "
            "Pennsylvania.",
        ),
        "kruskal-wallis": Reference(
            "Kruskal & Wallis 1952",
            "Kruskal, W. H. & Wallis, W. A. (1952). Use of ranks in one-criterion variance "
            "analysis. Journal of the American Statistical Association 47, 583–621.",
        ),
        "kuznetsova": Reference(
            "Kuznetsova et al. 2017",
            "Kuznetsova, A., Brockhoff, P. B. & Christensen, R. H. B. (2017). lmerTest package: "
            "tests in linear mixed effects models. Journal of Statistical Software 82(13), "
            "1–26.",
        ),
        "liddell-kruschke": Reference(
            "Liddell & Kruschke 2018",
            "Liddell, T. M. & Kruschke, J. K. (2018). Analyzing ordinal data with metric "
            "models: what could possibly go wrong? Journal of Experimental Social Psychology "
            "79, 328–348.",
        ),
        "light": Reference(
            "Light 1971",
            "Light, R. J. (1971). Measures of response agreement for qualitative data: some "
            "generalizations and alternatives. Psychological Bulletin 76, 365–377.",
        ),
        "mcgraw-wong": Reference(
            "McGraw & Wong 1996",
            "McGraw, K. O. & Wong, S. P. (1996). Forming inferences about some intraclass "
            "correlation coefficients. Psychological Methods 1, 30–46.",
        ),
        "owen": Reference(
            "Owen 2007",
            "Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1, "
            "386–411.",
        ),
        "pearson": Reference(
            "Pearson 1895",
            "Pearson, K. (1895). Note on regression and inheritance in the case of two parents. "
            "Proceedings of the Royal Society of London 58, 240–242.",
        ),
        "piepho": Reference(
            "Piepho 2004",
            "Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-"
            "pairwise comparisons. Journal of Computational and Graphical Statistics 13, "
            "456–466.",
        ),
        "scheffe": Reference(
            "Scheffé 1953",
            "Scheffé, H. (1953). A method for judging all contrasts in the analysis of "
            "variance. Biometrika 40, 87–110.",
        ),
        "scott": Reference(
            "Scott 1955",
            "Scott, W. A. (1955). Reliability of content analysis: the case of nominal scale "
            "coding. Public Opinion Quarterly 19, 321–325.",
        ),
        "shrout-fleiss": Reference(
            "Shrout & Fleiss 1979",
            "Shrout, P. E. & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing "
            "rater reliability. Psychological Bulletin 86, 420–428.",
        ),
        "spearman": Reference(
            "Spearman 1904",
            "Spearman, C. (1904). The proof and measurement of association between two things. "
            "American Journal of Psychology 15, 72–101.",
        ),
        "tukey": Reference(
            "Tukey 1949",
            "Tukey, J. W. (1949). Comparing individual means in the analysis of variance. "
            "Biometrics 5, 99–114.",
        ),
    }
)
"""Every paper that a report may cite."""

COEFFICIENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "brennan_prediger": ("brennan-prediger",),
        "cohen_kappa": ("cohen-1960",),
        "cohen_kappa (weighted)": ("cohen-1968",),
        "conger_kappa": ("conger",),
        "cronbach_alpha": ("cronbach",),
        "exchangeable_gamma": ("goodman-kruskal", "banchs"),
        "fisher_icc": ("fisher-1925",),
        "fleiss_kappa": ("fleiss",),
        "goodman_kruskal_gamma": ("goodman-kruskal",),
        "gwet_ac1": ("gwet-2008",),
        "gwet_ac2": ("gwet-2014",),
        "icc": ("shrout-fleiss", "mcgraw-wong"),
        "kendall_tau_b": ("kendall-1945",),
        "kendall_w": ("kendall-babington-smith",),
        "krippendorff_alpha": ("krippendorff-2004", "krippendorff-2011"),
        "light_kappa": ("light",),
        "light_kappa (weighted)": ("light", "cohen-1968"),
        "pearson": ("pearson",),
        "percent_agreement": ("artstein-poesio",),
        "scott_pi": ("scott",),
        "spearman": ("spearman",),
    }
)
"""The papers that define each coefficient, the weighted form apart where it has its own."""

INTERVALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "BCa bootstrap": ("efron-tibshirani",),
        "F": ("shrout-fleiss",),
        "Feldt": ("feldt",),
        "Fisher's z": ("fisher-1921",),
        "Hughes jackknife": ("hughes",),
        "jackknife": ("efron-tibshirani",),
        "percentile bootstrap": ("efron-tibshirani",),
        "two-way bootstrap": ("owen",),
    }
)
"""The papers that define each method of making an interval."""


COMPARISONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bh": ("benjamini-hochberg",),
        "design": ("belz-kow",),
        "dunn": ("kruskal-wallis", "dunn"),
        "effect sizes": ("cliff",),
        "games-howell": ("games-howell",),
        "holm": ("holm",),
        "letters": ("piepho",),
        "mixed": ("bates", "kuznetsova"),
        "nemenyi": ("friedman", "demsar"),
        "ordinal": ("liddell-kruschke",),
        "ranks": ("owen",),
        "scheffe": ("scheffe",),
        "tukey": ("tukey", "kramer"),
    }
)
"""The papers behind a comparison of systems: each procedure, and whatever else it uses."""


def cited(keys: Iterable[str]) -> str:
    """Write papers as they are named in a sentence: `Cohen 1960; Cohen 1968`."""
    return "; ".join(PAPERS[key].short for key in keys)


def listed_alphabetically(keys: Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the full references to papers, and further ones, once each and in order."""
    return tuple(sorted({*(PAPERS[key].full for key in keys), *more}))
