"""Wins, losses and ties of each two systems, in every form."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from covary.analysis.paired_systems import is_preference
from covary.analysis.preferences import (
    BestWorstScore,
    CriterionPreferences,
    PreferenceCounts,
    PreferredPair,
    preferences,
)
from covary.errors import CovaryError
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import (
    Block,
    Bullets,
    Contents,
    Paragraph,
    Section,
    Table,
    columns,
    interval_name,
    key_of,
    table,
)
from covary.reports.document import WIDTH, Document, FilePath, align, assemble, check_path
from covary.reports.formatting import (
    coefficient,
    count,
    counted,
    heading,
    level_percent,
    p_value,
    percent,
)
from covary.version import __version__
from covary.words import Note

METHODS = (
    "The share is that of the {noun}s, a tie counting half, with Wilson's (1927) interval at the "
    "effective number of {noun}s ({noun}s of one {unit} are correlated). The sign test asks in how "
    "many {unit}s a system wins more {noun}s than it loses."
)


@dataclass(frozen=True, repr=False)
class PreferencesReport(Document):
    """Which output judges prefer, and its forms; `contents` is what every written form says."""

    preferences: PreferenceCounts
    contents: Contents

    found_in = "preferences"
    in_notebooks = ("preferences",)

    def short(self) -> str:
        """Return the short form for a terminal."""
        return "\n\n".join(
            "\n".join(_short_lines(criterion, self.preferences.confidence))
            for criterion in self.preferences.criteria
        )

    def __repr__(self) -> str:
        return f"PreferencesReport({', '.join(own.name for own in self.preferences.criteria)})"


def preferences_report(
    ratings: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    confidence: float = 0.95,
    title: str | None = None,
) -> PreferencesReport:
    """Count which of two outputs judges prefer, and write it down.

    Parameters
    ----------
    ratings, criterion, confidence
        As in `covary.analysis.preferences.preferences`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.
    """
    check_path(path, format, "preferences_report")
    result = preferences(ratings, criterion=criterion, confidence=confidence)
    facts = [counted(own.n_judgements, _noun(own)) for own in result.criteria]
    alone = len(result.criteria) == 1
    sections = [_section(own, confidence, alone=alone) for own in result.criteria]
    contents = assemble(title or "Which output do judges prefer?", facts, confidence, sections)
    return PreferencesReport(result, contents).sealed(ratings).saved(path, format)


def preferences_section(ratings: Ratings, confidence: float) -> Section | None:
    """List wins, losses and ties for a reliability report, where there are preferences."""
    if not any(
        is_preference(ratings, name) or ratings.scales[name].side_by_side
        for name in ratings.criteria
    ):
        return None
    try:
        result = preferences(ratings, confidence=confidence)
    except CovaryError:  # it is a report on judges; `covary preferences` says what is wrong
        return None
    alone = len(result.criteria) == 1
    sections = [_section(own, confidence, alone=alone) for own in result.criteria]
    blocks = [block for section in sections for block in section.blocks]
    return Section("preferences", "Which output do judges prefer?", tuple(blocks))


def _section(own: CriterionPreferences, confidence: float, *, alone: bool) -> Section:
    """What came out on a criterion, whose name is needed only beside others."""
    name = None if alone else own.name
    sentences = filter(None, (_preferred(own, confidence), _side_sentence(own)))
    blocks: list[Block] = [*map(Paragraph, sentences)]
    blocks += [_score_table(own, confidence, name)] if own.scores else []
    blocks.append(_table(own, confidence, name))
    if own.notes:
        blocks.append(Bullets(own.notes))
    blocks.append(
        Paragraph(
            f"{METHODS.format(unit=own.unit, noun=_noun(own))} covary {__version__} was used."
        )
    )
    title = "Which output do judges prefer?" if name is None else name
    return Section(key_of("preferences", own.name), title, tuple(blocks))


def _table(own: CriterionPreferences, confidence: float, name: str | None) -> Table:
    heads = columns(
        f"<first | <second | wins | ties | losses | share of first, {interval_name(confidence)} | "
        f"{own.unit}s for and against | p{' | first stood first' if own.sides_known else ''}"
    )
    rows = (_row(pair, own) for pair in own.pairs)
    caption = heading(name, "the first system of each two against the second")
    return table(key_of("pairs", own.name), caption, heads, rows)


SCORE_HEADS = ("system", "best", "worst", "shown", "score")


def _score_table(own: CriterionPreferences, confidence: float, name: str | None) -> Table:
    heads = columns(
        f"<system | best | worst | shown | best less worst, {interval_name(confidence)}"
    )
    caption = heading(name, "how often each system was chosen as the best and as the worst")
    return table(key_of("scores", own.name), caption, heads, map(_score_row, own.scores))


def _score_row(one: BestWorstScore) -> tuple[str, ...]:
    score = f"{coefficient(one.score)} [{coefficient(one.low)}, {coefficient(one.high)}]"
    return (one.system, count(one.best), count(one.worst), count(one.shown), score)


def _row(pair: PreferredPair, own: CriterionPreferences) -> tuple[str, ...]:
    sides = (f"{pair.stood_first:,} of {pair.n_judgements:,}",) if own.sides_known else ()
    return (
        pair.first,
        pair.second,
        count(pair.wins),
        count(pair.ties),
        count(pair.losses),
        f"{percent(pair.share)} [{percent(pair.low)}, {percent(pair.high)}]",
        f"{pair.for_first:,} : {pair.for_second:,}",
        p_value(pair.p),
        *sides,
    )


def _noun(own: CriterionPreferences) -> str:
    return "comparison" if own.rated else "judgement"


def _preferred(own: CriterionPreferences, confidence: float) -> str:
    """Say which system of each two is preferred, where interval and sign test both say so."""
    shown: list[str] = []
    still_open: list[str] = []
    for pair in own.pairs:
        share, low, high = pair.share, pair.low, pair.high
        first, second = pair.first, pair.second
        if low <= 0.5 <= high or pair.p > 1 - confidence:
            still_open.append(f"{first} against {second}")
            continue
        if high < 0.5:
            first, second, share = second, first, 1 - share
            low, high = 1 - high, 1 - low
        ends = f"[{percent(low)}, {percent(high)}]"
        whole = "" if shown else f" of their {_noun(own)}s"  # said once
        shown.append(f"{first} to {second} ({percent(share)} {ends}{whole})")
    sentences = [Note("preferences.preferred", shown=shown)] if shown else []
    sentences += [Note("preferences.not-settled", open=still_open)] if still_open else []
    return " ".join(sentences)


def _side_sentence(own: CriterionPreferences) -> str:
    if not own.sides_known:
        return ""
    return Note(
        "preferences.sides",
        first=own.first_won,
        second=own.second_won,
        n=own.n_judgements,
        p=p_value(own.side_p),
    )


def _short_lines(own: CriterionPreferences, confidence: float) -> Iterable[str]:
    of = f"{own.unit}s" if own.rated else "items"
    about = f"{own.name}: {counted(own.n_judgements, _noun(own))} of {own.n_items:,} {of}"
    yield f"{about} by {counted(own.n_judges, 'judge')}" if own.n_judges else about
    if own.scores:
        yield from align([list(SCORE_HEADS), *(list(_score_row(one)) for one in own.scores)])
        yield ""
    sources = f"{own.unit}s for : against"
    heads = [
        "first",
        "second",
        "wins",
        "ties",
        "losses",
        "share of first",
        sources,
        "p",
        *(["stood first"] if own.sides_known else []),
    ]
    yield from align([heads, *(list(_row(pair, own)) for pair in own.pairs)])
    level = f"In brackets: {level_percent(confidence)} intervals."
    for sentence in filter(
        None, (_preferred(own, confidence), f"{level} {_side_sentence(own)}".strip(), *own.notes)
    ):
        yield textwrap.fill(sentence, WIDTH)
