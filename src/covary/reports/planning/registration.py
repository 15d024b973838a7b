"""The text for a pre-registration: what was planned, on what it rests, and when the study ends."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.planning import CriterionPlan, Forecast, Goal, StudyPlan, power
from covary.reports.formatting import amount, coefficient, count, percent
from covary.words import counted


def size_words(reached: Forecast) -> str:
    """Write the size of a study in a few words."""
    size = reached.size
    systems = f"{size.systems} systems × " if reached.object == "systems" else ""
    judges = counted(size.judges, "judge")
    return f"{systems}{counted(size.items, 'item')}, {judges}, {size.votes} per item"


def registration(made: StudyPlan, *, basis: str = "") -> str:
    """Return the pre-registration text of a plan as Markdown."""
    lines = ["## Sample size", ""]
    if basis:
        lines += [f"The plan rests on {basis}.", ""]
    lines += list(_sizes(made))
    lines += ["", "## Analysis", "", *_analysis(made), "", "## Stopping", "", *_stopping(made)]
    return "\n".join(lines) + "\n"


def _sizes(made: StudyPlan) -> Iterator[str]:
    for criterion in made.criteria:
        study = criterion.best or criterion.now
        if study is None:
            continue
        yield (
            f"- {criterion.criterion or 'Ratings'}: {size_words(study)}; "
            f"{count(study.size.ratings)} ratings.{_worth_words(criterion, study)}"
            f"{_power_words(criterion)}"
        )


def _worth_words(criterion: CriterionPlan, study: Forecast) -> str:
    """The forecast reliability; nothing where nobody knows how far systems lie apart."""
    goal = criterion.goal
    if study.object == "systems" and not criterion.components["system"]:
        return ""
    kind = "dependability" if goal.absolute else "generalisability"
    worth = study.dependability if goal.absolute else study.generalisability
    return (
        f" Forecast {kind} of {study.object}: {coefficient(worth)} (target "
        f"{coefficient(goal.target)}), from variance components."
    )


def _power_words(criterion: CriterionPlan) -> str:
    goal, found = criterion.goal, criterion.simulated
    if goal.difference is None or criterion.object != "systems":
        return ""
    wanted, study = amount(goal.difference), criterion.best or criterion.now
    said = f" Planned to find a difference of {wanted} with {percent(goal.at)} power."
    if criterion.best is None and study is not None:
        found_in = power(
            criterion.components,
            study.size,
            difference=goal.difference,
            alpha=goal.alpha,
            compared=study.size.systems,
        )
        reached = found_in.power or 0.0
        if reached < goal.at:
            said = f" A difference of {wanted} is found in {percent(reached)} of such studies."
    if found is not None:
        said += (
            f" In {count(found.runs)} simulated studies it was found in {percent(found.power)}; "
            f"where there was no difference, one was found in {percent(found.type_one)}."
        )
    return said


def _analysis(made: StudyPlan) -> Iterator[str]:
    if any(criterion.object == "systems" for criterion in made.criteria):
        yield (
            "Systems are compared with the error that follows the design: a mixed model with "
            "texts, sources, judges and judges' opinions of systems as random effects, all pairs "
            f"by Tukey's procedure at {percent(made.goal.alpha)} (`covary systems`)."
        )
    yield "Agreement and correlation of the judges are reported with intervals (`covary report`)."


def _stopping(made: StudyPlan) -> Iterator[str]:
    yield "The study ends when the planned ratings are collected."
    goal = made.goal
    if goal.looks is not None:
        yield _declared_looks(goal)
        return
    if goal.difference is None and goal.margin is None:
        return
    ends = ["excludes 0"] if goal.difference is not None else []
    ends += [f"lies within ±{amount(goal.margin)}"] if goal.margin is not None else []
    yield (
        "It may end earlier once the confidence sequence of each difference between systems "
        f"{' or '.join(ends)} (Robbins' normal mixture at {percent(goal.alpha)} over all pairs, "
        f"tuned to a difference of {amount(goal.difference or goal.margin or 0)}, scaled in "
        "proportion on scales of another length). No other look at the data ends it."
    )


def _declared_looks(goal: Goal) -> str:
    if goal.looks == 1:
        return "The differences are looked at once, at the end."
    within = "" if goal.margin is None else f", or lies within ±{amount(goal.margin)}"
    return (
        f"The differences are looked at {goal.looks} times, each time after a further "
        f"{percent(1 / (goal.looks or 1))} of the planned ratings, and never in between. The study "
        "may end earlier once, at one of these looks, the interval of each difference between "
        f"systems excludes 0{within} (group-sequential test with O'Brien and Fleming's bounds at "
        f"{percent(goal.alpha)} over all pairs)."
    )
