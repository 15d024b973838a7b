"""The sentences of the auditor of published numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from covary.words.grammar import Facts, Sentences, counted, did_you_mean, plain_list, quoted_list

if TYPE_CHECKING:
    from fractions import Fraction


def _with_hint(template: str) -> Callable[[Facts], str]:
    """End a sentence with the name that was probably meant, and with all that are known."""

    def sentence(facts: Facts) -> str:
        value, allowed = facts["value"], list(facts["allowed"])
        hint = did_you_mean(value, allowed) or "."
        return f"{template.format(**facts)}{hint} There are {quoted_list(allowed, 30)}"

    return sentence


def _faults(facts: Facts) -> str:
    lines = "\n".join(f"  {_fault(fault)}" for fault in facts["faults"])
    return f"{facts['name']} has {counted(len(facts['faults']), 'fault')}:\n{lines}"


def _fault(fault: Any) -> str:
    place = f"line {fault.line}" if fault.line else "the file"
    return ": ".join(part for part in (place, fault.key, fault.message) if part)


def _wrong_width(facts: Facts) -> str:
    columns = facts["columns"]
    there = f"there are {columns} columns" if columns else "no columns are named"
    return f"{facts['what']} has {facts['cells']} cells, and {there}"


def _summary(facts: Facts) -> str:
    times = {verdict: facts["verdicts"].get(verdict, 0) for verdict in facts["verdicts"]}
    derived = times.pop("derived", 0)
    ends = {"does not fit": "not fit", "fits only if": "on a condition", "fits": ""}
    parts = []
    for verdict, end in ends.items():
        if number := times.get(verdict, 0):
            verbs = ("does", "do") if verdict == "does not fit" else ("fits", "fit")
            parts.append(f"{number} {verbs[number > 1]} {end}".strip())
    also = f"{derived} derived." if derived else ""
    if not parts:
        return also or "There is no number to check."
    checked = counted(sum(times.values()), "printed number")
    return f"{checked} checked: {', '.join(parts)}. {also}".strip()


def _combined(facts: Facts) -> str:
    n, cut = facts["n"], facts["cut_off"]
    counts = (
        f"Of {n} printed {facts['key']}s, {facts['rounded']} fit when rounded and {cut} when cut "
        "off."
    )
    if facts["rounded"] == n or cut < n:
        return counts
    return (
        f"{counts} They were cut off, not rounded, unless they were computed before the cells "
        f"were shortened, which is possible for {facts['before']} of {n}."
    )


def _means(facts: Facts) -> str:
    means = counted(facts["means"], "mean")
    said = f"{facts['possible']} of {means} can be the mean of {facts['n']} whole numbers."
    return f"{said} With so many, every mean can; this test says nothing." if facts["all"] else said


def _ranges(facts: Facts) -> str:
    averages = counted(facts["n"], "average")
    said = f"Between the smallest and the largest value: {facts['between']} of {averages}."
    if not facts["mixed"]:
        return said
    return (
        f"{said} The average of {', '.join(facts['mixed'])} means nothing: coefficients that are "
        "not named may be different ones."
    )


def _stars(facts: Facts) -> str:
    p_values = counted(facts["n"], "p-value")
    said = [f"{facts['right']} of {p_values} as printed ({facts['counts']}: {facts['count']})."]
    said += [
        f"All of column {column} ({', '.join(texts)}) would fit {counts}."
        for column, texts, counts in facts["columns"]
    ]
    return " ".join(said)


def _f_ratios(facts: Facts) -> str:
    pairs = ", ".join(f"{row or 'F'} ({a}, {b})" for row, (a, b) in facts["degrees"].items())
    p_values = counted(facts["n"], "p-value")
    return f"{facts['right']} of {p_values} as printed, with the degrees of freedom {pairs}."


def _additive_f(facts: Facts) -> str:
    gains = []
    for factor in facts["factors"]:
        gain = "{row} is larger in {rise} of {n}".format(**factor)
        if factor["before"] != factor["after"]:
            gain += ", {after} instead of {before} with a star".format(**factor)
        gains.append(gain)
    return f"Derived for a balanced design, in one model with all factors: {'; '.join(gains)}."


def _bands(facts: Facts) -> str:
    word, times = facts["word"], facts["times"]
    if facts["only"] is not None:
        judged, arithmetic = facts["only"]
        return f"“{word}” {judged}; {arithmetic}."
    shown = ", ".join(f"{count} {label}" for label, count in times.most_common())
    said = f"{facts['scale']}: {shown}."
    if not facts["mostly"]:
        return said
    verdict = "fits" if times[word] > sum(times.values()) / 2 else "does not fit"
    return f"“Mostly {word}” {verdict}. {said}"


def _coefficients(facts: Facts) -> str:
    n, count = facts["n"], facts["count"]
    if not count:
        return f"None of {facts['tried']} coefficients gives any of these {n} numbers."
    said = [
        f"{plain_list(facts['best'], 6)} {'fit' if facts['several'] else 'fits'} {count} of {n}"
    ]
    if facts["claimed"]:
        counts = ", ".join(f"{fitting} of {n} {way}" for _, fitting, way in facts["claimed"])
        said.append(f"{facts['claimed'][0][0]}, which is claimed, fits {counts}")
    if facts["variants"]:
        counts = ", ".join(f"{title} {fitting}" for title, fitting in facts["variants"].items())
        said.append(f"other variants of what is claimed: {counts}")
    if facts["second"] is not None:
        title, fitting = facts["second"]
        said.append(f"the next best is {title} with {fitting}")
    if n < 3:
        said.append("so few numbers cannot tell coefficients apart")
    return "; ".join(said) + "."


def _share(part: int, whole: int) -> str:
    return f"{(200 * part + whole) // (2 * whole)}%" if whole else "–"


def _survey_share(facts: Facts) -> str:
    part, whole = facts["reporting"], facts["papers"]
    return f"{part} of {counted(whole, 'paper')} ({_share(part, whole)})"


def _survey_uses(facts: Facts) -> str:
    said = (
        f"{counted(facts['uses'], 'use')} of coefficients in {counted(facts['papers'], 'paper')}, "
        f"{facts['several']} of which use more than one."
    )
    if facts["unnamed"] < 2:
        return said
    return (
        f"{said} The values of coefficients that are not named are not averaged: they may be "
        "different coefficients."
    )


def _survey_usage(facts: Facts) -> str:
    uses, papers = facts["all_uses"], facts["all_papers"]
    parts = [
        f"{facts['uses']} of {counted(uses, 'use')} ({_share(facts['uses'], uses)})",
        f"in {facts['papers']} of {counted(papers, 'paper')} ({_share(facts['papers'], papers)})",
    ]
    if "min" in facts:
        mean = f"mean {_two_places(facts['mean'])}" if "mean" in facts else "no mean"
        low, high = _two_places(facts["min"]), _two_places(facts["max"])
        parts.append(f"{mean}, from {low} to {high}")
    return ", ".join(parts)


def _two_places(value: Fraction) -> str:
    """Round half up, as papers do."""
    size = int(abs(value) * 200 + 1) // 2 / 100
    return f"{size if value > 0 or not size else -size:.2f}"


def _survey_coded(facts: Facts) -> str:
    coded, papers = facts["coded"], facts["papers"]
    said = f"{facts['lacking']} of {counted(coded, 'paper')}"
    return f"{said}, not coded for {papers - coded}" if coded < papers else said


def _survey_lacking(facts: Facts) -> str:
    if not facts["lacking"]:
        return "Nothing that was coded is missing."
    return f"Most often: {facts['row']} ({facts['expected']})."


SENTENCES: Sentences = {
    "published.faults": _faults,
    "published.unknown-word": _with_hint("{value!r} is not known"),
    "published.wrong-width": _wrong_width,
    "published.no-such-band": _with_hint("{scale} has no {value!r}"),
    "published.no-data": _with_hint("{value!r} is neither a file nor a table that ships"),
    "published.no-criterion": _with_hint("{value!r} is not a criterion of the ratings"),
    "published.summary": _summary,
    "published.combined": _combined,
    "published.means": _means,
    "published.ranges": _ranges,
    "published.stars": _stars,
    "published.f-ratios": _f_ratios,
    "published.additive-f": _additive_f,
    "published.bands": _bands,
    "published.coefficients": _coefficients,
    "published.survey-share": _survey_share,
    "published.survey-papers": lambda facts: f"{_survey_share(facts)} report agreement.",
    "published.survey-origin": lambda facts: (
        f"{counted(facts['papers'], 'paper')} of {counted(facts['known'], facts['key'])}; each "
        "line counts those that report agreement."
    ),
    "published.survey-uses": _survey_uses,
    "published.survey-usage": _survey_usage,
    "published.survey-coded": _survey_coded,
    "published.survey-lacking": _survey_lacking,
}
