"""`covary.report`: from ratings to everything that a reliability section needs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, ClassVar, Literal

from covary.analysis.accuracy import Accuracy, CriterionAccuracy, accuracy_rows
from covary.analysis.disputed import Disputed, disputed
from covary.analysis.forensics import Finding, Findings, check
from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.reliability import reliability
from covary.analysis.reliability_result import CriterionReliability, Reliability
from covary.analysis.stability import (
    RetestStudy,
    first_occasion,
    has_retests,
    stability,
    stability_rows,
)
from covary.analysis.systems import Systems
from covary.analysis.verdict import DEFAULTS, Thresholds
from covary.errors import quiet
from covary.ratings import Ratings
from covary.ratings.frames import make_frame
from covary.records import dataclass
from covary.reports.blocks import Block, Bullets, Code, Contents, Paragraph, Section
from covary.reports.document import (
    Document,
    FilePath,
    assemble,
    check_path,
    plain,
    to_csv,
    to_terminal,
)
from covary.reports.formatting import coefficient, with_interval
from covary.reports.preferences import preferences_section
from covary.reports.reliability.accuracy import accuracy_section
from covary.reports.reliability.agreement import (
    agreement_picture,
    agreement_section,
    further_section,
    groups_section,
    main_coefficients,
    pairs_section,
    subsets_section,
    uses_in_brief,
    verdict_in_brief,
    why_undefined,
)
from covary.reports.reliability.checklist import checklist
from covary.reports.reliability.disagreement import disagreement_section
from covary.reports.reliability.disputed import MOST, disputed_section
from covary.reports.reliability.judges import distributions_section, judges_section, lines_section
from covary.reports.reliability.methods import methods
from covary.reports.reliability.prose import undefined_pairs
from covary.reports.reliability.stability import stability_section
from covary.reports.reliability.summary import look_section, next_section, verdict_section
from covary.reports.systems.means import brief_comparison, brief_dict, brief_section
from covary.scales import Level
from covary.stats.coefficients.gamma import goodman_kruskal_gamma
from covary.stats.steps import countable
from covary.words import PYTHON, Note, Voice, counted, word

VERSION = 1
"""The version of the JSON form, which grows when a reader of the last one would be wrong."""

SORTED = "sorted-columns"
"""The finding after which nothing may follow a judge from item to item."""

LEFT_OUT = Note("report.counts-only")
"""What is said of ratings that stay in their engine."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Document):
    """A reliability report: the results, and their forms.

    `ratings` are those that were reported on (as slots, where columns turned out to be sorted);
    `contents` is what every written form says; `systems` a brief comparison of the systems, where
    the ratings know them.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.reports.reliability.document import report  # or covary.report
    >>> made = report(Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3"), rng=1)
    >>> made.reliability.criteria[0].n_items
    4
    """

    ratings: Ratings
    findings: Findings
    reliability: Reliability
    profiles: tuple[JudgeProfile, ...]
    contents: Contents
    systems: Systems | None = None
    stability: RetestStudy | None = None
    accuracy: Accuracy | None = None
    disputed: Disputed | None = None

    found_in: ClassVar[str] = "reliability"
    in_notebooks: ClassVar[tuple[str, ...]] = ("verdict", "look", "next")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, not rounded, as the shipped schema has them."""
        values = {"version": VERSION, **super().to_dict()}
        values["findings"] = self.findings.to_dict()["findings"]
        values["judges"] = [profile.to_dict() for profile in self.profiles]
        if self.systems is not None:
            values["systems"] = brief_dict(self.systems)
        if self.disputed is not None:
            values["disputed"] = self.disputed.to_dict()
        if self.stability is not None:
            values["stability"] = self.stability.to_dict()
        if self.accuracy is not None:
            values["accuracy"] = self.accuracy.to_dict()
        as_json: dict[str, Any] = plain(values)
        return as_json

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of `reliability`, then those of stability and accuracy, by `kind`."""
        rows = self.reliability.rows()
        rows += [] if self.stability is None else stability_rows(self.stability)
        rows += [] if self.accuracy is None else accuracy_rows(self.accuracy)
        return rows

    def to_frame(self, engine: str | None = None) -> Any:
        """Return the rows as a data frame: pandas, polars or pyarrow."""
        return make_frame(self.rows(), engine)

    def csv(self) -> str:
        """Return the rows for spreadsheets, not rounded."""
        return to_csv(self.rows(), self.reliability.columns)

    def short(self, voice: Voice = PYTHON) -> str:
        """Return the short form for a terminal: the table, the verdicts, the serious defects.

        `voice` words the advice: as keywords of Python, or as options of the command line.
        """
        rows = [
            (
                result.name,
                with_interval(result.overall.agreement),
                with_interval(result.overall.correlation),
                verdict_in_brief(result.overall.verdict),
                uses_in_brief(result.overall),
            )
            for result in self.reliability.criteria
        ]
        heads = ("criterion", "agreement", "correlation", "verdict", "usable")
        below = [_coefficient_names(self.reliability), why_undefined(self.reliability)]
        below += undefined_pairs(self.reliability.criteria)
        below += [_explanation(result) for result in self.reliability.criteria]
        if self.accuracy is not None:
            below += [_accuracy_line(found) for found in self.accuracy.criteria]
        table = to_terminal(heads, rows, below)
        serious = (finding.in_full(voice) for finding in self.findings.serious)
        return "\n".join([table, *(f"\n{text}" for text in serious)])

    def __repr__(self) -> str:
        return f"Report({self.ratings!r}, {len(self.findings)} findings)"


def schema() -> dict[str, Any]:
    """Return the JSON Schema that `Report.json` keeps to."""
    text = files("covary.reports").joinpath("schema.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    intervals: bool = True,
    rng: Any = None,
    thresholds: Thresholds = DEFAULTS,
    headline: str | None = None,
    title: str | None = None,
    answers: Mapping[str, Any] | None = None,
    accuracy: Accuracy | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Can these ratings be relied on? Check them, measure them, and write it all down.

    Parameters
    ----------
    ratings
        The ratings. Where judges rated items on several occasions, the first one counts towards
        agreement and the others towards stability. Where their columns turn out to be sorted and
        no judges, the report goes on with slots and says so.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    criterion, group
        Only these criteria, only judges of this group; all by default.
    confidence, intervals, rng, thresholds, headline
        As in `reliability`.
    title
        The heading of the report.
    answers
        What a paper should say and the ratings do not hold, by name: recruitment, guidelines, …
    accuracy
        How close judges are to known answers, from `covary.accuracy`, for a section of its own.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    Report
        With `findings`, `reliability`, `profiles` and a method for each form.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.reports.reliability.document import report  # or covary.report
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> print(report(Ratings.from_wide(list(zip(mild, strict)), scale="1-3"), rng=1).short())
    criterion  agreement       correlation        verdict          usable
    ratings    .53 [.11, .80]  1.00 [-.06, 1.00]  cannot tell yet  singly?, means?
    agreement: Krippendorff's alpha (ordinal); correlation: Goodman & Kruskal's gamma (ordinal). In
    brackets the 95% interval.
    No verdict yet. Open: whether agreement, .53 [.11, .80], reaches .667 (about 28 more items may
    settle it); whether correlation, 1.00 [-.06, 1.00], reaches .5 (about 35 more items may settle
    it); whether severity, 56% [10%, 79%], is at least 25% of the disagreement (about 13 more items
    may settle it).
    """
    say = progress or _no_progress
    check_path(path, format)
    every = _select(ratings, criterion, group)
    retests = stability(every, confidence=confidence) if has_retests(every) else None
    chosen = first_occasion(every)
    say("checking the data")
    looked_at = chosen.looked_at()
    findings = check(looked_at)
    if chosen.large:
        chosen = countable(chosen).with_notes(looked_at.notes[-1], LEFT_OUT)
    warnings = list(_sorted_notes(chosen, findings))
    if warnings:
        chosen = chosen.as_slots()
    result = reliability(
        every if retests and not warnings else chosen,
        confidence=confidence,
        intervals=intervals,
        rng=rng,
        thresholds=thresholds,
        headline=headline,
        progress=progress,
    )
    say("judges")
    profiles = judge_profiles(chosen, confidence=confidence)
    of_systems = "system" in chosen.columns
    systems, not_compared = brief_comparison(chosen, confidence) if of_systems else (None, "")
    disputes = disputed(chosen, most=MOST)
    contents = assemble(
        title or "How reliable are these ratings?",
        _counts(result),
        confidence if _has_intervals(result) else None,
        [
            verdict_section(result, warnings, agreement_picture(result), uses_in_brief),
            look_section(result, findings, disputes),
            next_section(result, findings),
            *map(
                fold,
                [
                    *_judge_sections(result, chosen, profiles, disputes),
                    defects_section(findings, chosen.notes),
                    stability_section(retests) if retests else None,
                    accuracy_section(accuracy) if accuracy else None,
                    brief_section(systems, not_compared) if of_systems else None,
                    preferences_section(chosen, confidence) if of_systems else None,
                    *_paper_sections(result, chosen, findings, answers),
                ],
            ),
        ],
    )
    document = Report(
        ratings=chosen,
        findings=findings,
        reliability=result,
        profiles=profiles,
        contents=contents,
        systems=systems,
        stability=retests,
        accuracy=accuracy,
        disputed=disputes,
    )
    if path is not None:
        say("writing")
    return document.sealed(chosen).saved(path, format)


def _judge_sections(
    result: Reliability,
    ratings: Ratings,
    profiles: Sequence[JudgeProfile],
    disputes: Disputed,
) -> Iterator[Section | None]:
    """All judges together, one by one, in pairs, in groups, and in every other choice of them."""
    yield agreement_section(result)
    yield disagreement_section(result)
    yield disputed_section(disputes)
    yield judges_section(result, profiles)
    yield pairs_section(result)
    yield lines_section(result, ratings)
    yield distributions_section(result, ratings)
    yield groups_section(result)
    yield subsets_section(result)


def _paper_sections(
    result: Reliability,
    ratings: Ratings,
    findings: Findings,
    answers: Mapping[str, Any] | None,
) -> Iterator[Section | None]:
    """What a paper needs: further coefficients, the methods, the checklists, the signatures."""
    yield further_section(result)
    yield Section("methods", "Methods, ready to paste", methods(result, ratings, findings))
    asked = checklist(result, ratings, findings, answers)
    yield Section("checklist", "What a paper should say", asked)
    yield signatures_section(result)


def fold(section: Section | None) -> Section | None:
    """Fold a section of a page, with a line that says what is inside."""
    return section and replace(section, inside=word(f"report.inside-{section.key}"))


def _select(ratings: Ratings, criterion: Any, group: Any) -> Ratings:
    chosen = {"criterion": criterion, "group": group}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    return ratings.select(**chosen) if chosen else ratings


def _sorted_notes(ratings: Ratings, findings: Findings) -> Iterator[str]:
    """Say what is done about sorted columns, where they are a serious finding."""
    if not any(finding.code == SORTED for finding in findings.serious):
        return
    yield Note("report.slots-from-sorted")
    artefacts = [
        f"{coefficient(value, 3)}{'' if name is None else f' on {name}'}"
        for name, value in _gammas(ratings)
    ]
    if artefacts:
        yield Note("report.gamma-of-sorted", gammas=artefacts)


def _gammas(ratings: Ratings) -> Iterator[tuple[Any, float]]:
    """Gamma as if sorted columns were judges, to show what sorting does."""
    for name, scale in ratings.scales.items():
        if scale.level is not Level.NOMINAL:
            with quiet():
                value = goodman_kruskal_gamma(ratings, criterion=name, interval=None).value
            if not math.isnan(value):
                yield name, value


def _no_progress(_: str) -> None:
    """Say nothing."""


def _counts(result: Reliability) -> Iterator[str]:
    yield counted(result.n_ratings, "rating")
    numbers = [part.n_items for part in result.criteria]
    if len(numbers) > 1 and sum(numbers) == result.n_items and len(set(numbers)) == 1:
        yield f"{counted(numbers[0], 'item')} on each criterion"  # that do not share their items
    else:
        yield counted(result.n_items, "item")
    if not result.slots:
        yield counted(result.n_judges, "judge")
    if len(result.criteria) > 1:
        yield counted(len(result.criteria), "criterion", "criteria")


def _has_intervals(result: Reliability) -> bool:
    return any(part.overall.agreement.interval is not None for part in result.criteria)


def _coefficient_names(result: Reliability) -> str:
    """Name the coefficients in the table exactly, with their level."""
    used = main_coefficients(result)
    parts = [f"{side}: {', '.join(names)}" for side, names in used.items()]
    brackets = f" In brackets the {result.confidence:.0%} interval."
    return f"{'; '.join(parts)}.{brackets if _has_intervals(result) else ''}"


def _explanation(criterion: CriterionReliability) -> str:
    """The verdict's sentence for a terminal, after the criterion's name where it has one."""
    sentence = criterion.overall.verdict.sentence
    return f"{criterion.name}: {sentence}" if criterion.label else sentence


def _accuracy_line(found: CriterionAccuracy) -> str:
    """How often the known answer was given, after the criterion's name where it has one."""
    about = "" if found.criterion is None else f"{found.name}: "
    return f"{about}{found.overall.sentence}"


def defects_section(findings: Findings, read: Sequence[str] = ()) -> Section:
    """List what is or may be wrong with the data, and how they were `read`."""
    blocks: list[Block] = []
    if not findings.findings:
        blocks.append(Paragraph(Note("findings.none")))
    blocks += [_defect(finding, "Serious", "warning") for finding in findings.serious]
    blocks += [_defect(finding, "Worth a look") for finding in findings.worth_a_look]
    if findings.notes:
        blocks.append(Bullets(tuple(_defect(finding, "Note") for finding in findings.notes)))
    if read:
        blocks += [Paragraph("How the ratings were read:"), Bullets(tuple(read))]
    return Section("data", "What is wrong with the data?", tuple(blocks))


def _defect(finding: Finding, degree: str, kind: Literal["text", "warning"] = "text") -> Paragraph:
    about = "" if finding.criterion is None else f" on {finding.criterion}"
    head = f"{degree}{about}: {finding.title}"
    return Paragraph(finding.evidence, kind, head=head, advice=finding.advice)


def signatures_section(result: Reliability) -> Section:
    """List the signature of every number."""
    about = "Each line identifies one number exactly, so that anyone can compute it again."
    codes = [Code("\n".join(_signature_lines(criterion))) for criterion in result.criteria]
    return Section("signatures", "Signatures", (Paragraph(about), *codes))


def _signature_lines(criterion: CriterionReliability) -> Iterator[str]:
    overall = criterion.overall
    estimates = (overall.agreement, overall.correlation, *criterion.beside)
    for signature in dict.fromkeys(number.signature for number in estimates if number):
        yield signature if criterion.criterion is None else f"{criterion.name}: {signature}"
