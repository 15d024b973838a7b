"""The methods paragraph of a comparison of systems, ready to paste, and its references."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.systems import ERRORS, CriterionSystems, Systems
from covary.report.contents import Block, Bullets, Code, Paragraph, Section
from covary.report.references import COMPARISONS, cited, listed_alphabetically
from covary.report.wording import counted, listing, percent, scale_words
from covary.version import __version__

__all__ = ["methods_section", "signature"]


def methods_section(found: Systems) -> Section:
    """Say what was computed, from what and how, with references and how to do it again."""
    blocks: list[Block] = [Paragraph(_data(found)), Paragraph(" ".join(_tests(found)))]
    blocks.append(Paragraph("References:"))
    blocks.append(Bullets(listed_alphabetically(_papers(found))))
    blocks += [Paragraph("To compute these numbers again:"), Code(signature(found))]
    return Section("methods", "Methods, ready to paste", tuple(blocks))


def _data(found: Systems) -> str:
    return " ".join(_counted(each) for each in found.criteria)


def _counted(each: CriterionSystems) -> str:
    parts = [counted(each.n_ratings, "rating"), counted(each.n_items, "item")]
    parts.append(counted(len(each.systems), "system"))
    parts += [counted(each.n_sources, "source")] if each.n_sources else []
    parts += [counted(each.n_judges, "judge")] if each.n_judges else []
    about = "" if each.criterion is None else f"On {each.name}, "
    humans = [str(score.system) for score in each.systems if score.human]
    written = f" The texts of {listing(humans)} were written by people." if humans else ""
    sentence = (
        f"{about}{listing(parts)} were analysed on {scale_words(each.scale)}, of which the "
        f"{each.best} end is best."
    )
    return sentence + written


def _tests(found: Systems) -> Iterator[str]:
    first = found.criteria[0]
    yield (
        f"Models: {_models(found)}. Systems were compared with the error of the "
        f"{ERRORS[found.error]}."
    )
    if first.comparisons is not None:
        used = [each.comparisons for each in found.criteria if each.comparisons is not None]
        names = listing(dict.fromkeys(each.procedure for each in used))
        papers = cited((*COMPARISONS.get(found.procedure, ()), *COMPARISONS["letters"]))
        yield (
            f"All pairs of systems were compared by {names} at an error rate of "
            f"{first.comparisons.alpha:g} (the letters and the procedure: {papers})."
        )
    if first.ranks is not None:
        yield (
            f"The probability of each rank was found by drawing {listing(first.ranks.drawn)} "
            f"again ({counted(found.resamples, 'resample')}, seed {found.seed}; "
            f"{cited(COMPARISONS['ranks'])}), which also gives the intervals for others than these."
        )
    if any(each.rank_tests for each in found.criteria):
        yield (
            "Because tests of means take equal steps for granted "
            f"({cited(COMPARISONS['ordinal'])}), tests by rank stand beside them "
            f"({cited((*COMPARISONS['nemenyi'], *COMPARISONS['dunn']))})."
        )
    yield (
        "The severity of judges was removed by least squares in the additive model."
        if any(each.adjustment.possible for each in found.criteria)
        else "The severity of judges could not be removed."
    )
    yield f"All intervals are {percent(found.confidence)} intervals. covary {__version__} was used."


def _models(found: Systems) -> str:
    """Name the models that were fitted."""
    names = list(dict.fromkeys(each.additive.method for each in found.criteria))
    names += list(dict.fromkeys(each.mixed.method for each in found.criteria if each.mixed))
    return "; ".join(names)


def _papers(found: Systems) -> list[str]:
    used = ["design", "letters", found.procedure]
    used += ["ranks"] if any(each.ranks for each in found.criteria) else []
    used += ["effect sizes"] if any(each.pairs for each in found.criteria) else []
    used += ["mixed"] if any(each.mixed for each in found.criteria) else []
    if any(each.rank_tests for each in found.criteria):
        used += ["nemenyi", "dunn", "ordinal"]
    return [paper for name in used for paper in COMPARISONS.get(name, ())]


def signature(found: Systems) -> str:
    """One line that names the whole comparison exactly."""
    return (
        f"systems|procedure:{found.procedure}|error:{found.error}|confidence:{found.confidence:g}|"
        f"resamples:{found.resamples}|seed:{found.seed}|covary:{__version__}"
    )
