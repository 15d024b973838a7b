"""`covary.systems_report`: a comparison of systems in every form."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from covary.analysis.systems import ERRORS, CriterionSystems, Systems, SystemScore, systems
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import Bullets, Code, Contents, Paragraph, Section, interval_name
from covary.reports.document import WIDTH, Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import DASH, amount, count, level_percent, percent, scale_words
from covary.reports.references import COMPARISONS, cite, reference_list
from covary.reports.systems.differences import (
    ordinal_section,
    pairs_section,
    rank_tests_section,
    ranks_section,
    severity_section,
    variance_section,
)
from covary.reports.systems.means import (
    NO_ORDINAL,
    ONE_TEXT,
    UNRANKED,
    answer_section,
    apart_sentence,
    decimals_of,
    distributions_section,
    left_out_lines,
    means_section,
    notes_coded,
    pair_sentence,
    write_range,
)
from covary.version import __version__
from covary.words import counted, listing

MOST_LINES = 20
"""Systems that a terminal shows; the report holds the others."""


@dataclass(frozen=True, repr=False)
class SystemsReport(Document):
    """Which system is better, and its forms; `contents` is what every written form says."""

    ratings: Ratings
    systems: Systems
    contents: Contents

    found_in = "systems"
    in_notebooks = ("answer", "means")

    def short(self) -> str:
        """Return the short form for a terminal: the tables, the pairs, the severity of judges."""
        result = self.systems
        parts = [_short_criterion(one, result.confidence) for one in result.criteria]
        parts += [textwrap.fill(line, WIDTH) for line in left_out_lines(result)]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"SystemsReport({self.ratings!r})"


def systems_report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    procedure: str = "tukey",
    error: str = "design",
    means: str = "ratings",
    confidence: float = 0.95,
    resamples: int = 2000,
    rng: Any = None,
    human: str | Iterable[Any] = (),
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> SystemsReport:
    """Which system is better? Compare them and write it all down.

    Parameters
    ----------
    ratings, criterion, procedure, error, means, confidence, resamples, rng, human
        As in `covary.systems`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    SystemsReport
        With `systems` and a method for each form.

    Examples
    --------
    >>> from covary import datasets
    >>> made = systems_report(datasets.load("latin-square-example"), rng=1)
    >>> made.csv().splitlines()[1].split(",")[:4]
    ['', '3', 'no', '1']
    """
    check_path(path, format, "systems_report")
    result = systems(
        ratings,
        criterion=criterion,
        procedure=procedure,
        error=error,
        means=means,
        confidence=confidence,
        resamples=resamples,
        rng=rng,
        human=human,
        progress=progress,
    )
    report = SystemsReport(
        ratings, result, make_contents(result, title or "Which system is better?")
    )
    return report.sealed(ratings).saved(path, format)


def make_contents(result: Systems, title: str) -> Contents:
    """Put a report on systems together."""
    counts = [
        counted(max(len(one.systems) for one in result.criteria), "system"),
        counted(sum(one.n_ratings for one in result.criteria), "rating"),
    ]
    if len(result.criteria) > 1:
        counts.append(counted(len(result.criteria), "criterion", "criteria"))
    sections = (
        answer_section(result),
        means_section(result),
        pairs_section(result),
        ranks_section(result),
        severity_section(result),
        ordinal_section(result),
        variance_section(result),
        rank_tests_section(result),
        distributions_section(result),
        methods_section(result),
    )
    return assemble(title, counts, result.confidence, sections)


def _short_criterion(one: CriterionSystems, confidence: float) -> str:
    """Write the table, how many pairs differ, and what severity does."""
    decides = one.ordinal is not None and one.ordinal.decides
    heads = ["system", "n", "mean", *(["adjusted"] if one.moved else [])]
    heads += [*(["ordinal"] if decides else []), interval_name(confidence), "letters", "P(best)"]
    heads += ["ordinal", "ordinal letters"] if one.ordinal and not decides else []
    rows = [_short_row(one, score) for score in one.systems[:MOST_LINES]]
    more = len(one.systems) - MOST_LINES
    letters = "" if one.compared == "means" else f"The letters compare {one.compared}."
    sentences = [
        f"… and {more:,} more systems in the report." if more > 0 else "",
        f"{apart_sentence(one) or pair_sentence(one)} {letters}".strip(),
        one.adjustment.sentence,
        one.ordinal.verdict if one.ordinal else "",
        *notes_coded(one, ONE_TEXT, *UNRANKED, *NO_ORDINAL),
    ]
    shown = to_terminal(heads, rows, sentences)
    return shown if one.criterion is None else f"{one.name} ({one.best}er is better)\n{shown}"


def _short_row(one: CriterionSystems, score: SystemScore) -> list[str]:
    """The interval and the letters stand right after what they are about."""
    places, ordinal = decimals_of(one), one.ordinal
    decides = ordinal is not None and ordinal.decides
    ordered = [] if ordinal is None else [amount(ordinal.scores[one.place(score)], places)]
    cells = [score.name, count(score.n_ratings), amount(score.mean, places)]
    cells += [amount(score.adjusted, places)] if one.moved else []
    cells += ordered if decides else []
    cells += [write_range(score.interval, places), score.letters or DASH]
    cells += [percent(one.first_chance(score))]
    if ordinal is not None and not decides:
        letters = ordinal.letters
        cells += [*ordered, letters[one.place(score)] if letters else DASH]
    return cells


def methods_section(result: Systems) -> Section:
    """Say what was computed, from what and how, with references and how to do it again."""
    blocks = (
        Paragraph(" ".join(_data_sentence(one) for one in result.criteria)),
        Paragraph(" ".join(_test_sentences(result))),
        Paragraph("References:"),
        Bullets(reference_list(_papers(result))),
        Paragraph("To compute these numbers again:"),
        Code(signature(result)),
    )
    return Section("methods", "Methods, ready to paste", blocks)


def _data_sentence(one: CriterionSystems) -> str:
    counts = {"rating": one.n_ratings, "item": one.n_items, "system": len(one.systems)}
    known = {"source": one.n_sources, "judge": one.n_judges}
    counts |= {noun: number for noun, number in known.items() if number}
    about = "" if one.criterion is None else f"On {one.name}, "
    parts = listing(counted(number, noun) for noun, number in counts.items())
    humans = [str(score.system) for score in one.systems if score.human]
    written = f" The texts of {listing(humans)} were written by people." if humans else ""
    return (
        f"{about}{parts} were analysed on {scale_words(one.scale)}, of which the {one.best} end is "
        f"best.{written}"
    )


def _test_sentences(result: Systems) -> Iterator[str]:
    criteria, first = result.criteria, result.criteria[0]
    models = dict.fromkeys(one.additive.method for one in criteria)
    models |= dict.fromkeys(one.mixed.method for one in criteria if one.mixed)
    models |= dict.fromkeys(one.ordinal.model.method for one in criteria if one.ordinal)
    errors = listing(dict.fromkeys(ERRORS[one.error] for one in criteria))
    follows = ", which follows the design" if result.error == "design" else ""
    yield f"Models: {'; '.join(models)}. The error is that of the {errors}{follows}."
    if first.comparisons is not None:
        used = [one.comparisons for one in criteria if one.comparisons is not None]
        names = listing(dict.fromkeys(comparisons.procedure for comparisons in used))
        papers = cite((*COMPARISONS.get(result.procedure, ()), *COMPARISONS["letters"]))
        yield (
            f"All pairs of systems were compared by {names} at an error rate of "
            f"{first.comparisons.alpha:g} (the letters and the procedure: {papers})."
        )
    if first.ranks is not None:
        yield (
            f"The probability of each rank was found by drawing {listing(first.ranks.drawn)} "
            f"again ({counted(result.resamples, 'resample')}, seed {result.seed}; "
            f"{cite(COMPARISONS['ranks'])}), which also gives the intervals for others than these."
        )
    if any(one.rank_tests for one in criteria):
        yield (
            f"Because tests of means assume equal steps ({cite(COMPARISONS['ordinal'])}), tests by "
            "rank stand beside them "
            f"({cite((*COMPARISONS['nemenyi'], *COMPARISONS['dunn']))})."
        )
    removed = any(one.adjustment.possible for one in criteria)
    how = (
        "was removed by least squares in the additive model" if removed else "could not be removed"
    )
    yield f"The severity of judges {how}."
    level = level_percent(result.confidence)
    yield f"All intervals are {level} intervals. covary {__version__} was used."


def _papers(result: Systems) -> list[str]:
    criteria = result.criteria
    ranked = any(one.rank_tests for one in criteria)
    used = {
        "design": True,
        "letters": True,
        result.procedure: True,
        "ranks": any(one.ranks for one in criteria),
        "effect sizes": any(one.pairs for one in criteria),
        "mixed": any(one.mixed for one in criteria),
    }
    names = [name for name, cited in used.items() if cited]
    names += ["nemenyi", "dunn", "ordinal"] if ranked else []
    return [paper for name in names for paper in COMPARISONS.get(name, ())]


def signature(result: Systems) -> str:
    """One line that names the whole comparison exactly."""
    return (
        f"systems|procedure:{result.procedure}|error:{result.error}|"
        f"{'means:items|' if result.means == 'items' else ''}"
        f"confidence:{result.confidence:g}|resamples:{result.resamples}|seed:{result.seed}|"
        f"covary:{__version__}"
    )
