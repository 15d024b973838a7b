"""The public names for type checkers; `__init__.py` finds the same when they are asked for.

Every coefficient, and some analyses, take whatever holds ratings and the keywords of `read`; their
own keywords stand here as they stand in their files, which a test compares.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Literal, TypeAlias, TypedDict, Unpack

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from covary import datasets
from covary.aggregate import Aggregated, LargeAggregated, combine
from covary.analysis.accuracy import Accuracy
from covary.analysis.any_data import Column, Data, Source, to_frame
from covary.analysis.automatic import AutomaticStudy
from covary.analysis.crowd import CrowdStudy, crowd_study
from covary.analysis.disagreement import Disagreements
from covary.analysis.disputed import Disputed
from covary.analysis.forensics import Findings
from covary.analysis.judges import JudgeProfile
from covary.analysis.planning import Goal, GStudy, PlanRecord, Price, StudyPlan
from covary.analysis.planning.progress import FirstRatings
from covary.analysis.preferences import PreferenceCounts
from covary.analysis.published import Audit, CheckedNumber, audit
from covary.analysis.reliability_result import Reliability
from covary.analysis.replication import Replication, cv_star, replication
from covary.analysis.rounds import rounds
from covary.analysis.scale_comparison import ScaleComparison, compare_scales
from covary.analysis.stability import RetestStudy
from covary.analysis.systems import Systems
from covary.analysis.verdict import Thresholds
from covary.errors import (
    ConvergenceError,
    CovaryError,
    CovaryWarning,
    InvalidArgument,
    RatingsError,
    StudyError,
    StudyFault,
    SuitabilityWarning,
    UndefinedWarning,
)
from covary.formats import write
from covary.ratings import Ratings
from covary.reports.automatic import AutomaticReport
from covary.reports.crowd import CrowdReport, crowd_report
from covary.reports.planning import PlanReport
from covary.reports.reliability.document import Report
from covary.reports.replication import ReplicationReport, replication_report
from covary.reports.scale_comparison import ScaleReport, scale_report
from covary.reports.systems import SystemsReport
from covary.scales import (
    GraphicScale,
    Level,
    Preference,
    Scale,
    VerbalScale,
    VisualScale,
    YesNo,
    as_scale,
)
from covary.stats.estimate import Estimate, Interval
from covary.stats.interpret import BANDS, BandScale, interpret
from covary.stats.suitability import suitability
from covary.study import Study, read_study, write_template
from covary.version import __version__

Name: TypeAlias = str | int
Seed: TypeAlias = int | np.random.Generator | None
Matrix: TypeAlias = NDArray[np.float64] | Sequence[Sequence[float]]
Weights: TypeAlias = Literal["linear", "quadratic", "ordinal", "radical", "ratio"] | Matrix | None
AnyScale: TypeAlias = Scale | str
AnyLevel: TypeAlias = Level | Literal["nominal", "ordinal", "interval", "ratio"]

class _Columns(TypedDict, total=False):
    item: str | Sequence[str]
    judge: str | None
    rating: str | Sequence[str]
    system: str | None
    source: str | None
    occasion: str | None
    round: str | None
    manual: str | None
    cluster: str | None
    order: str | None
    seconds: str | None
    scale: AnyScale | Mapping[Name, AnyScale] | None
    repeats: Literal["error", "occasions", "first", "last"]
    faulty: Literal["refuse", "set-aside"]
    wide: bool | str | Sequence[str]
    names: str
    header: int | tuple[int, int]
    rows: tuple[int, int] | Sequence[tuple[int, int]]
    fill: str | Sequence[str]
    records: str
    transpose: bool
    sheet: str
    sheets: str
    files: str
    separator: str
    count: str
    items: Source
    keep_rejected: bool
    memory: str
    query: str

class ReadingLevel(_Columns, total=False):
    level: AnyLevel | Mapping[Name, AnyLevel] | None

class ReadingFile(_Columns, total=False):
    format: str
    answers: Mapping[str, str]
    group: str | None

class Reading(ReadingFile, ReadingLevel, total=False): ...

def read(
    path: Source,
    *,
    criterion: str | None = ...,
    judges: Literal["named", "slots"] = ...,
    engine: Literal["duckdb", "spark"] = ...,
    **reading: Unpack[Reading],
) -> Ratings: ...
def accuracy(
    ratings: Data,
    gold: Mapping[Name, Name] | None = ...,
    *,
    reference: Name | None = ...,
    confidence: float = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Accuracy: ...
def components(
    ratings: Data,
    /,
    *,
    criterion: str | None = ...,
    confidence: float = ...,
    **reading: Unpack[Reading],
) -> GStudy: ...
def disagreement(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    confidence: float = ...,
    **reading: Unpack[Reading],
) -> Disagreements: ...
def plan(
    pilot: Data | GStudy,
    /,
    *,
    criterion: str | None = ...,
    planned: Mapping[str, int] | None = ...,
    goal: Goal | None = ...,
    price: Price | None = ...,
    confidence: float = ...,
    simulate: int = ...,
    seed: int = ...,
    against: Ratings | None = ...,
    progress: Callable[[str], None] | None = ...,
    **reading: Unpack[Reading],
) -> StudyPlan: ...
def plan_report(
    pilot: Data | GStudy,
    path: str | PathLike[str] | None = ...,
    *,
    format: str | None = ...,
    planned: Mapping[str, int] | None = ...,
    goal: Goal | None = ...,
    price: Price | None = ...,
    confidence: float = ...,
    title: str | None = ...,
    running: bool = ...,
    record: PlanRecord | None = ...,
    first: FirstRatings | None = ...,
    simulate: int = ...,
    seed: int = ...,
    against: Ratings | None = ...,
    basis: str = ...,
    step: Callable[[str], None] | None = ...,
    **reading: Unpack[ReadingLevel],
) -> PlanReport: ...
def preferences(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    confidence: float = ...,
    **reading: Unpack[Reading],
) -> PreferenceCounts: ...
def automatic(
    ratings: Data,
    scores: Ratings | None = ...,
    *,
    judges: Sequence[Name] = ...,
    criterion: Name | None = ...,
    margin: float = ...,
    confidence: float = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> AutomaticStudy: ...
def automatic_report(
    ratings: Data,
    path: str | PathLike[str] | None = ...,
    *,
    scores: Ratings | None = ...,
    judges: Sequence[Name] = ...,
    format: str | None = ...,
    criterion: Name | None = ...,
    margin: float = ...,
    confidence: float = ...,
    rng: Seed = ...,
    title: str | None = ...,
    **reading: Unpack[ReadingLevel],
) -> AutomaticReport: ...
def stability(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    confidence: float = ...,
    **reading: Unpack[Reading],
) -> RetestStudy: ...
def check(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    **reading: Unpack[Reading],
) -> Findings: ...
def disputed(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    most: int | None = ...,
    **reading: Unpack[Reading],
) -> Disputed: ...
def judge_profiles(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    confidence: float = ...,
    **reading: Unpack[Reading],
) -> tuple[JudgeProfile, ...]: ...
def reliability(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    group: Name | None = ...,
    confidence: float = ...,
    intervals: bool = ...,
    resamples: int = ...,
    rng: Seed = ...,
    thresholds: Thresholds = ...,
    headline: str | None = ...,
    progress: Callable[[str], None] | None = ...,
    **reading: Unpack[ReadingLevel],
) -> Reliability: ...
def systems(
    ratings: Data,
    /,
    *,
    criterion: Name | None = ...,
    procedure: str = ...,
    error: str = ...,
    means: str = ...,
    confidence: float = ...,
    resamples: int = ...,
    rng: Seed = ...,
    human: Name | Iterable[Name] = ...,
    progress: Callable[[str], None] | None = ...,
    **reading: Unpack[Reading],
) -> Systems: ...
def report(
    ratings: Data,
    path: str | PathLike[str] | None = ...,
    *,
    format: str | None = ...,
    criterion: Name | None = ...,
    group: Name | None = ...,
    confidence: float = ...,
    intervals: bool = ...,
    rng: Seed = ...,
    thresholds: Thresholds = ...,
    headline: str | None = ...,
    title: str | None = ...,
    answers: Mapping[str, str | None] | None = ...,
    accuracy: Accuracy | None = ...,
    progress: Callable[[str], None] | None = ...,
    **reading: Unpack[ReadingLevel],
) -> Report: ...
def systems_report(
    ratings: Data,
    path: str | PathLike[str] | None = ...,
    *,
    format: str | None = ...,
    criterion: Name | None = ...,
    procedure: str = ...,
    error: str = ...,
    means: str = ...,
    confidence: float = ...,
    resamples: int = ...,
    rng: Seed = ...,
    human: Name | Iterable[Name] = ...,
    title: str | None = ...,
    progress: Callable[[str], None] | None = ...,
    **reading: Unpack[ReadingLevel],
) -> SystemsReport: ...
def pearson(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    combine: Literal["auto", "mean", "fisher-z", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def spearman(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    combine: Literal["auto", "mean", "fisher-z", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def cronbach_alpha(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    standardised: bool = ...,
    parts: Literal["judges", "criteria"] = ...,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def xrr(
    a: Data,
    b: Data,
    *,
    criterion: Name | None = ...,
    level: Level | str | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[ReadingFile],
) -> Estimate: ...
def fleiss_kappa(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    unequal: Literal["gwet", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def fleiss_kappa_by_category(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    unequal: Literal["gwet", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> dict[Name, Estimate]: ...
def scott_pi(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def exchangeable_gamma(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def goodman_kruskal_gamma(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    combine: Literal["auto", "mean", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def kendall_tau_b(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    combine: Literal["auto", "mean", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def kendall_tau_c(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    combine: Literal["auto", "mean", "pooled"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def brennan_prediger(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def gwet_ac1(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def gwet_ac2(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def fisher_icc(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def icc(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    form: str = ...,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def cohen_kappa(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def conger_kappa(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def light_kappa(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    weights: Weights = ...,
    combine: Literal["auto", "mean"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def kendall_w(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    tie_correction: bool = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def krippendorff_alpha(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    level: Level | str | None = ...,
    distance: Matrix | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[ReadingFile],
) -> Estimate: ...
def bias_index(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def percent_agreement(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    tolerance: float = ...,
    average: Literal["items", "pairs"] = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def prevalence_index(
    ratings: Data,
    second: Column = ...,
    /,
    *,
    criterion: Name | None = ...,
    judges: Sequence[Name] | None = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> Estimate: ...
def table(
    ratings: Data,
    coefficients: Sequence[str],
    *,
    by: str | None = ...,
    engine: Literal["pandas", "polars", "pyarrow"] | None = ...,
    criterion: str | None = ...,
    judges: Literal["named", "slots"] = ...,
    confidence: float = ...,
    interval: str | None = ...,
    resamples: int = ...,
    rng: Seed = ...,
    **reading: Unpack[Reading],
) -> pd.DataFrame | pl.DataFrame | pa.Table: ...

__all__ = [
    "BANDS",
    "Accuracy",
    "Aggregated",
    "Audit",
    "AutomaticReport",
    "BandScale",
    "CheckedNumber",
    "ConvergenceError",
    "CovaryError",
    "CovaryWarning",
    "CrowdReport",
    "CrowdStudy",
    "Estimate",
    "GraphicScale",
    "Interval",
    "InvalidArgument",
    "LargeAggregated",
    "Level",
    "PlanReport",
    "Preference",
    "Ratings",
    "RatingsError",
    "Replication",
    "ReplicationReport",
    "Report",
    "Scale",
    "ScaleComparison",
    "ScaleReport",
    "Study",
    "StudyError",
    "StudyFault",
    "StudyPlan",
    "SuitabilityWarning",
    "SystemsReport",
    "Thresholds",
    "UndefinedWarning",
    "VerbalScale",
    "VisualScale",
    "YesNo",
    "__version__",
    "accuracy",
    "as_scale",
    "audit",
    "automatic",
    "automatic_report",
    "bias_index",
    "brennan_prediger",
    "check",
    "cohen_kappa",
    "combine",
    "compare_scales",
    "components",
    "conger_kappa",
    "cronbach_alpha",
    "crowd_report",
    "crowd_study",
    "cv_star",
    "datasets",
    "disagreement",
    "disputed",
    "exchangeable_gamma",
    "fisher_icc",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "goodman_kruskal_gamma",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "interpret",
    "judge_profiles",
    "kendall_tau_b",
    "kendall_tau_c",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "pearson",
    "percent_agreement",
    "plan",
    "plan_report",
    "preferences",
    "prevalence_index",
    "read",
    "read_study",
    "reliability",
    "replication",
    "replication_report",
    "report",
    "rounds",
    "scale_report",
    "scott_pi",
    "spearman",
    "stability",
    "suitability",
    "systems",
    "systems_report",
    "table",
    "to_frame",
    "write",
    "write_template",
    "xrr",
]
