"""The pictures that results show in notebooks, beside their tables: the first of their reports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from covary.analysis.crowd import CrowdStudy
from covary.analysis.planning import StudyPlan
from covary.analysis.reliability_result import Reliability
from covary.analysis.rounds.result import Rounds
from covary.analysis.systems import Systems
from covary.reports.blocks import Figure
from covary.reports.crowd.sections import density_figure
from covary.reports.planning.document import grid_figure
from covary.reports.reliability.agreement import agreement_picture
from covary.reports.rounds.sections import convergence_section
from covary.reports.systems.means import means_figure

MOST_PICTURES = 6


def pictures(result: object) -> str:
    """Draw the main picture of a result for a notebook; nothing where it has none."""
    return "".join(figure._repr_html_() for figure in islice(_figures(result), MOST_PICTURES))


def _figures(result: object) -> Iterator[Figure]:
    match result:
        case Reliability():
            drawn = agreement_picture(result)
            yield from [] if drawn is None else [drawn]
        case Systems():
            yield from (means_figure(one, result.confidence) for one in result.criteria)
        case StudyPlan():
            yield from (grid_figure(one, str(one.criterion)) for one in result.criteria if one.now)
        case Rounds():
            yield from convergence_section(result).figures
        case CrowdStudy():
            drawn_or_not = (density_figure(result, *named) for named in result.coefficients)
            yield from (figure for figure in drawn_or_not if isinstance(figure, Figure))
