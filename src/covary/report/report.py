"""`covary.report`: from ratings to everything that a reliability section needs."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from covary.analysis.comparison import Reliability
from covary.analysis.forensics import Findings, check
from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.reliability import reliability
from covary.errors import CovaryWarning, InvalidArgument, listed
from covary.ratings import Ratings
from covary.report.as_csv import to_csv
from covary.report.as_json import to_json
from covary.report.contents import Contents
from covary.report.html import fragment, page
from covary.report.latex import to_latex
from covary.report.markdown import to_markdown
from covary.report.rounding import coefficient
from covary.report.sections import contents_of
from covary.report.short import short
from covary.report.wording import listing
from covary.scales import Level
from covary.stats.gamma import goodman_kruskal_gamma

__all__ = ["FORMATS", "Report", "report"]

Place = str | os.PathLike[str]

SORTED = "sorted-columns"
"""The finding after which nothing may follow a judge from item to item."""


@dataclass(frozen=True, repr=False)
class Report:
    """A reliability report: what was found, and its forms.

    `ratings` are those that were reported on (as slots, where columns turned out to be sorted);
    `contents` is what every written form says.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.report.report import report  # or covary.report
    >>> made = report(Ratings.from_wide([[3, 3], [3, 2], [2, 1], [1, 1]], scale="1-3"), rng=1)
    >>> made.reliability.criteria[0].n_items
    4
    """

    ratings: Ratings
    findings: Findings
    reliability: Reliability
    profiles: tuple[JudgeProfile, ...]
    contents: Contents

    def html(self) -> str:
        """Return one page that needs nothing else."""
        return page(self.contents)

    def markdown(self) -> str:
        """Return the report as Markdown."""
        return to_markdown(self.contents)

    def latex(self) -> str:
        """Return a LaTeX document that compiles."""
        return to_latex(self.contents)

    def json(self) -> str:
        """Return everything that was found, not rounded, as the shipped schema has it."""
        return to_json(self)

    def csv(self) -> str:
        """Return the coefficients as one table, not rounded."""
        return to_csv(self.reliability)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as in the JSON form."""
        found: dict[str, Any] = json.loads(self.json())
        return found

    def short(self) -> str:
        """Return the short form for a terminal: the table, the verdicts, the serious defects."""
        return short(self.reliability, self.findings)

    def write(self, path: Place, format: str | None = None) -> Path:  # noqa: A002
        """Write the report; the ending of the name says the format unless it is given.

        The file appears whole or not at all.
        """
        chosen = Path(path)
        text = FORMATS[_format(chosen, format)](self)
        _write_whole(chosen, text)
        return chosen

    def __repr__(self) -> str:
        return f"Report({self.ratings!r}, {len(self.findings)} findings)"

    def __str__(self) -> str:
        return self.short()

    def _repr_html_(self) -> str:
        return fragment(self.contents, ("verdict", "data", "agreement"))


FORMATS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "html": Report.html,
        "md": Report.markdown,
        "tex": Report.latex,
        "json": Report.json,
        "csv": Report.csv,
    }
)
"""The formats, by the ending of a file's name."""

OTHER_NAMES = {"htm": "html", "markdown": "md", "latex": "tex"}


def report(
    ratings: Ratings,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    intervals: bool = True,
    rng: Any = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Can these ratings be relied on? Check them, measure them, and write it all down.

    Parameters
    ----------
    ratings
        The ratings. Where their columns turn out to be sorted and no judges, the report goes on
        with slots and says so.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    criterion, group
        Only these criteria, only judges of this group; all by default.
    confidence, intervals, rng
        As in `reliability`.
    title
        The heading of the report.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    Report
        With `findings`, `reliability`, `profiles` and a method for each form.

    Examples
    --------
    >>> from covary import Ratings
    >>> from covary.report.report import report  # or covary.report
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> print(report(Ratings.from_wide(list(zip(mild, strict)), scale="1-3"), rng=1).short())
    criterion  agreement        correlation        verdict
    ratings    .53 [-.01, .85]  1.00 [1.00, 1.00]  consistent, different severity (unsure)
    agreement: Krippendorff's alpha (ordinal); correlation: Goodman & Kruskal's gamma (ordinal). In
    brackets the 95% interval.
    """
    say = progress or _silent
    _check_place(path, format)
    chosen = _chosen(ratings, criterion, group)
    say("checking the data")
    findings = check(chosen)
    notes = tuple(_sorted_notes(chosen, findings))
    if notes:
        chosen = chosen.as_slots()
    found = reliability(
        chosen, confidence=confidence, intervals=intervals, rng=rng, progress=progress
    )
    say("judges")
    profiles = judge_profiles(chosen, confidence=confidence)
    heading = title or "How far can these ratings be relied on?"
    contents = contents_of(heading, chosen, findings, found, profiles, notes)
    made = Report(chosen, findings, found, profiles, contents)
    if path is not None:
        say("writing")
        made.write(path, format)
    return made


def _chosen(ratings: Ratings, criterion: Any, group: Any) -> Ratings:
    wanted = {"criterion": criterion, "group": group}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    return ratings.select(**wanted) if wanted else ratings


def _sorted_notes(ratings: Ratings, findings: Findings) -> Iterator[str]:
    """Say what is done about sorted columns, where they are a serious finding."""
    if not any(found.code == SORTED for found in findings.serious):
        return
    yield (
        "The columns are sorted within each item, so they are no judges. This report treats them "
        "as slots: correlation is taken over all arrangements of each item's ratings, and nothing "
        "follows a judge from item to item."
    )
    artefacts = [
        f"{coefficient(value, 3)}{'' if name is None else f' on {name}'}"
        for name, value in _gammas(ratings)
    ]
    if artefacts:
        yield (
            f"Taken for judges, the columns would give a gamma of {listing(artefacts)}: an "
            "artefact of the sorting, not a correlation of judges."
        )


def _gammas(ratings: Ratings) -> Iterator[tuple[Any, float]]:
    """Gamma as if sorted columns were judges, to show what sorting does."""
    for name, scale in ratings.scales.items():
        if scale.level is not Level.NOMINAL:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CovaryWarning)
                value = goodman_kruskal_gamma(ratings, criterion=name, interval=None).value
            if not math.isnan(value):
                yield name, value


def _check_place(path: Place | None, format: str | None) -> None:  # noqa: A002
    """Refuse what cannot be written before anything is computed."""
    if path is None and format is not None:
        raise InvalidArgument(
            f"report got format={format!r} and no path; give the path of the file to write, or use "
            "the methods of the report that is returned"
        )
    if path is not None:
        _format(Path(path), format)
        if not Path(path).parent.is_dir():
            raise InvalidArgument(f"path: there is no folder {str(Path(path).parent)!r}; make it")


def _format(path: Path, format: str | None) -> str:  # noqa: A002
    name = (path.suffix if format is None else format).lower().lstrip(".")
    name = OTHER_NAMES.get(name, name)
    if name not in FORMATS:
        asked = f"the ending of {path.name!r}" if format is None else f"format={format!r}"
        raise InvalidArgument(f"{asked} is none that a report has; choose one of {listed(FORMATS)}")
    return name


def _write_whole(path: Path, text: str) -> None:
    """Write beside the file and rename, so that nobody ever sees half of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise InvalidArgument(
            f"the report cannot be written to {str(path)!r}: {error.strerror or error}"
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _silent(_: str) -> None:
    """Say nothing."""
