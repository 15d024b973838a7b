"""The sentences of one set of ratings: verdicts, judges, findings and checklists.

Here stand those that depend on their facts; the others are plain text in `sentences/`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from covary.words.grammar import Facts, Sentences, capital, counted, listing, quoted, quoted_names


def _tendency(facts: Facts) -> str:
    """Say who of two judges is higher when they differ; `who` is None where neither is."""
    first, second = facts["judges"]
    if not facts["differ"]:
        return f"{first} and {second} never differ."
    start = f"When {first} and {second} differ"
    if facts["who"] is None:
        return f"{start}, neither is systematically higher."
    return f"{start}, {facts['who']} is higher in {facts['times']:,} of {facts['differ']:,} items."


def _difference(facts: Facts) -> str:
    """Say whether two groups of judges agree to a different degree."""
    first, second = facts["groups"]
    if not facts["told_apart"]:
        return f"{first} and {second} cannot be told apart in agreement."
    more, less = (first, second) if facts["value"] > 0 else (second, first)
    return f"{more} judges agree more than {less} judges."


def _profile(facts: Facts) -> str:
    """Say how a judge rates: how severe, how consistent, and whether that changed."""
    parts = [LENIENCY[facts["leniency"]].format(by=abs(facts["severity"]))]
    low, high = facts["ends"]
    shown = f"r {facts['consistency']:.2f} [{low:.2f}, {high:.2f}]"
    parts.append(LIKENESS[facts["likeness"]].format(r=shown))
    if facts["drift"]:
        parts.append(f"drifts {facts['drift']} over time")
    return f"{facts['judge']} {', '.join(parts)}."


LENIENCY = {
    "alone": "shares no item with another judge",
    "alike": "shows no clear difference in severity from the others",
    "higher": "rates higher than the others by {by:.2f} on average",
    "lower": "rates lower than the others by {by:.2f} on average",
    "milder": "is more lenient than the others by {by:.2f} on average",
    "stricter": "is stricter than the others by {by:.2f} on average",
}

LIKENESS = {
    "unknown": "cannot be compared in consistency",
    "open": "may or may not order items as the others do ({r})",
    "close": "orders items as the others do ({r})",
    "rough": "orders items roughly as the others do ({r})",
    "low": "does not order items as the others do ({r})",
}


SHOWN = 6
"""So many cases are shown; the others are counted."""


def _with_more(parts: Iterable[str], more: str = " more", most: int = SHOWN) -> str:
    """Write the first cases, and how many more there are."""
    every = list(parts)
    rest = f" and {len(every) - most:,}{more}" if len(every) > most else ""
    return "; ".join(every[:most]) + rest


def _sorted_links(facts: Facts) -> str:
    steps = "; ".join(
        f"{quoted(link['high'])} is {link['above']:,} times above {quoted(link['low'])} "
        "and never below"
        for link in facts["links"]
    )
    return f"{steps} ({counted(facts['items'], 'item')})."


def _slots(facts: Facts) -> str:
    counts = facts["items_by_number_of_ratings"]
    ratings = " or ".join(f"{n} ({items:,} items)" for n, items in counts.items())
    return (
        f"The judges are {quoted_names(facts['judges'])}; each item has {ratings} ratings, always "
        "those of the first ones."
    )


def _copied(facts: Facts) -> str:
    most = facts["most_with_others"]
    beside = (
        " (there is no third judge to compare with)."
        if most is None
        else f"; with any other judge, either has at most {most:.0%} equal."
    )
    on = f" on all {len(facts['criteria'])} criteria" if "criteria" in facts else ""
    return f"{facts['equal']:,} of {facts['common']:,} common items have equal ratings{on}{beside}"


MANY_TIMES = 1_000_000
"""A factor beyond which nobody reads the digits."""


def _copied_partly(facts: Facts) -> str:
    factor = math.exp(min(facts["log_likelihood_ratio"], 20))
    times = f"{factor:,.0f}" if factor < MANY_TIMES else f"more than {MANY_TIMES:,}"
    return (
        f"{facts['equal']:,} of {facts['common']:,} common items have equal ratings; with any "
        f"other judge, either has at most {facts['most_with_others']:.0%} equal. Where the two "
        "differ, they differ as far as judges do here: equal answers beyond chance to "
        f"{facts['copied']:.0%} of the items fit better than two careful judges, by a factor of "
        f"{times} in likelihood."
    )


def _linked(facts: Facts) -> str:
    beside = facts["most_with_others"]
    most = "" if beside is None else f"; with any other judge, each has at most {beside:.0%} equal"
    on = f" on all {len(facts['criteria'])} criteria" if "criteria" in facts else ""
    names = " Their names follow each other in alphabetical order." * facts["adjacent"]
    return (
        f"In {counted(facts['pairs'], 'pair')} of {len(facts['judges'])} judges, "
        f"{facts['equal']:,} of {facts['common']:,} pairs of ratings are equal{on}{most}.{names}"
    )


def _measure(row: Facts, ordered: bool) -> str:
    name = "r" if ordered else "agreement beyond chance"
    ends = f"[{row['low']:.2f}, {row['high']:.2f}]"
    return f"{name} {row['value']:.2f} {ends} on {counted(row['items'], 'item')}"


def _following(facts: Facts) -> str:
    ordered, usual = facts["ordered"], facts["usual"]
    rows = (f"{quoted(row['judge'])}: {_measure(row, ordered)}" for row in facts["following"])
    target = "the mean of the others" if ordered else "one of the others"
    median = "" if math.isnan(usual) else f"; the median of the other judges is {usual:.2f}"
    return (
        f"With {target}, {_with_more(rows, ' more judges')}{median}. These judges gave "
        f"{facts['share']:.0%} of all ratings."
    )


def _opposed(facts: Facts) -> str:
    return f"{capital(_measure(facts['following'][0], facts['ordered']))}."


PAIRINGS = {
    "reversed": " They fit when the later ratings are read from the last item to the first.",
    "alphabetical": " They fit when the later items are put in alphabetical order (1, 10, 2, …).",
}


def _retests(facts: Facts) -> str:
    return (
        f"The same judges' ratings of the same items correlate {facts['again']:.2f} "
        f"[{facts['low']:.2f}, {facts['high']:.2f}] between {quoted(facts['first'])} and "
        f"{quoted(facts['occasion'])} ({counted(facts['pairs'], 'pair')}); "
        f"on {quoted(facts['first'])}, a judge correlates {facts['between']:.2f} "
        "with the mean of the others."
        f"{PAIRINGS.get(facts['pairing'], '')}"
    )


def _mostly_sorted(facts: Facts) -> str:
    rising, items = facts["rising"], facts["items"]
    return (
        f"In {rising:,} of {items:,} items whose ratings differ ({rising / items:.0%}), none falls "
        f"from {quoted(facts['order'][0])} to {quoted(facts['order'][-1])}; "
        "judges of these severities, each with noise of their own, would give about "
        f"{facts['expected']:.0%}."
    )


def _spellings(facts: Facts) -> str:
    return f"{_with_more(' and '.join(map(ascii, group)) for group in facts['names'])}."


def _without_criterion(facts: Facts) -> str:
    missing = facts["missing"]
    where = ", at the end of the file" if facts["at_the_end"] else ""
    return (
        f"{counted(len(missing), 'item')} of {facts['items']:,}: {quoted_names(missing)}{where}. "
        f"{'It has' if len(missing) == 1 else 'They have'} ratings on the other "
        f"{facts['criteria'] - 1} criteria."
    )


def _listed(facts: Facts) -> str:
    parts = (f"{quoted(name)}: {evidence.rstrip('.')}" for name, evidence in facts["evidence"])
    return f"{_with_more(parts)}."


def _hasty(facts: Facts) -> str:
    shown = [f"{quoted(judge)}: {n:,} of {given:,}" for judge, n, given in facts["counts"][:SHOWN]]
    return f"Ratings in less than {facts['limit']:g} second: {'; '.join(shown)}."


def _few(facts: Facts) -> str:
    shown = _with_more((f"{quoted(judge)}: {n:,}" for judge, n in facts["ratings"]), " more judges")
    return f"{shown}; half of the judges gave {facts['usual']:g} or more."


def _merged(facts: Facts) -> str:
    rest = f" and {facts['merged'] - SHOWN:,} more" if facts["merged"] > SHOWN else ""
    return (
        f"{counted(facts['merged'], 'item')} of {facts['items']:,} occur with more than one "
        f"{facts['column']}: {quoted_names(facts['examples'])}{rest}."
    )


def _missing(facts: Facts) -> str:
    low, high = facts["fewest"], facts["most"]
    number = counted(low, "rating") if low == high else f"{low} to {high} ratings"
    empty = facts["empty"]
    rows = f" {counted(empty, 'row')} of the data hold no rating." if empty else ""
    return (
        f"{facts['share']:.1%} of {facts['cells']:,} possible ratings are missing; items have "
        f"{number}.{rows}"
    )


def _confounded(facts: Facts) -> str:
    holes = [
        f"{quoted(judge)} rated {n} of system {quoted(system)}"
        for judge, system, n in facts["holes"]
    ]
    shown = f"{_with_more(holes, most=8)}; " if holes else ""
    return (
        f"{shown}Cramér's V is {facts['cramer_v']:.2f}, and the judges' severities on common items "
        f"lie {facts['severity_spread']:.2f} apart (the ratings' standard deviation is "
        f"{facts['deviation']:.2f})."
    )


def _unconnected(facts: Facts) -> str:
    groups, bound = facts["groups"], facts["systems_of_one_group"]
    shown = "; ".join(quoted_names(group) for group in groups[:5])
    rest = f"; {len(groups) - 5} more" if len(groups) > 5 else ""
    only = f" Only one group rated system {quoted_names(bound)}." if bound else ""
    return f"The groups are {shown}{rest}.{only}"


def _thin(facts: Facts) -> str:
    pairs = (f"{quoted(a)} and {quoted(b)}: {counted(n, 'item')}" for a, b, n in facts["pairs"])
    total = counted(facts["pairs_with_common_items"], "pair")
    return f"{_with_more(pairs, ' more pairs')}, of {total} with common items."


def _strays(facts: Facts) -> str:
    rows = (f"item {quoted(item)} by judge {quoted(judge)}" for item, judge in facts["rows"])
    return f"{'; '.join(rows)}."


def _shifts(facts: Facts) -> str:
    shifts = facts["shifts"]
    shown = "; ".join(_shift(shift, facts["against_means"]) for shift in shifts[:4])
    rest = f"; and {len(shifts) - 4} more" if len(shifts) > 4 else ""
    return f"{shown}{rest}."


def _shift(shift: Facts, against_means: bool) -> str:
    rows = abs(shift["rows"])
    moved = f"{rows} row{'s' if rows > 1 else ''} {'down' if shift['rows'] < 0 else 'up'}"
    target = shift["other"] if against_means else quoted(shift["other"])
    return (
        f"from item {quoted(shift['first_item'])} on, {quoted(shift['one'])} correlates "
        f"{shift['unshifted']:.2f} with {target} as the rows stand, and {shift['shifted']:.2f} "
        f"with {target} moved {moved}"
    )


FINDINGS: Sentences = {
    "sorted-columns.evidence": _sorted_links,
    "sorted-columns.slots.evidence": _sorted_links,
    "sorted-columns.severity.evidence": _sorted_links,
    "sorted-columns.mostly.evidence": _mostly_sorted,
    "copying-judge.partly.evidence": _copied_partly,
    "copying-judge.linked.evidence": _linked,
    "reversed-judge.evidence": _following,
    "reversed-judge.two.evidence": _opposed,
    "random-judge.evidence": _following,
    "wrong-retests.evidence": _retests,
    "near-equal-names.evidence": _spellings,
    "items-without-criterion.evidence": _without_criterion,
    "listed": _listed,
    "slots-not-judges.evidence": _slots,
    "copying-judge.evidence": _copied,
    "impossible-times.evidence": _hasty,
    "few-ratings.evidence": _few,
    "merged-conditions.evidence": _merged,
    "missing-ratings.evidence": _missing,
    "judge-system-confounding.evidence": _confounded,
    "unconnected-judges.evidence": _unconnected,
    "few-common-items.evidence": _thin,
    "stray-category.evidence": _strays,
    "shifted-criteria.evidence": _shifts,
    "shifted-occasions.evidence": _shifts,
    "shifted-judges.evidence": _shifts,
}
"""The parts of findings that depend on their facts, by code, variant and part."""

QUESTIONS = {
    "coefficient": "Is the coefficient named?",
    "collection": "Does the paper say how the ratings were collected?",
    "level": "Does the coefficient suit the level of the scale?",
    "items": "Is the number of items given?",
    "independence": "Does the paper say whether judges worked alone?",
    "interpretation": "Is the scale of interpretation named, and the result discussed?",
    "1 title": "Do title or abstract mention reliability or agreement?",
    "2 device": "Is the scale named and described?",
    "3 items": "Does the paper say what the items stand for?",
    "4 judges": "Does the paper say whom the judges stand for?",
    "5 background": "Does the paper say what is known already?",
    "6 size": "Does the paper say how the numbers of items and judges were chosen?",
    "7 sampling": "Does the paper say how they were drawn?",
    "8 process": "Is the rating procedure described?",
    "9 independence": "Does the paper say whether ratings were independent?",
    "10 analysis": "Is the statistical analysis described?",
    "11 numbers": "Are the actual numbers of items, judges and ratings given?",
    "12 characteristics": "Are judges and items described?",
    "13 uncertainty": "Do the coefficients have intervals?",
    "14 relevance": "Does the paper discuss what the results mean in practice?",
    "15 details": "Are the detailed results available?",
}
"""What each point of the checklists asks, by its key."""

ANSWERS = {
    "title": "in title or abstract that reliability or agreement was studied",
    "population": "what the items are examples of, such as the systems and their inputs",
    "judges": "who could have been a judge, such as native speakers or paid crowd workers",
    "background": "what is known already about the reliability of such ratings",
    "sample_size": "how the numbers of items and judges were chosen",
    "sampling": "how items and judges were drawn from those that were possible",
    "recruitment": "how the judges were found, instructed and paid",
    "guidelines": "what the judges were told, or where that can be read",
    "process": "in which order and how far apart items were rated, what judges could not see",
    "independent": "whether each judge worked without seeing other ratings (True or False)",
    "experience": "the judges' training and experience, and the items' characteristics",
    "discussion": "what the coefficients mean for the conclusions of the study",
    "data": "where the ratings and the detailed results are available",
}
"""What only the researcher knows, by the name under which it is supplied: what to write."""


def _numbers(facts: Facts) -> str:
    judges, more = ("rating", " at most for each") if facts["slots"] else ("judge", "")
    parts = (
        f"{counted(items, 'item')}, {counted(n_judges, judges)}{more}, {counted(total, 'rating')}"
        for items, n_judges, total in facts["counts"]
    )
    return f"{'; '.join(parts)}{' on each criterion' if facts['everywhere'] else ''}."


def _interpreted(facts: Facts) -> str:
    join = "; " if facts["discussed"] else ". "
    return f"Read on {listing(facts['scales'])}{join}{facts['discussion']}"


def _summary(facts: Facts) -> str:
    fails = "fails" if facts["failed"] == 1 else "fail"
    return (
        f"{facts['passed']} of {facts['points']} points are answered, {facts['failed']} {fails} "
        f"and {facts['unknown']} cannot be answered from the ratings. Each says what to write; "
        "the command line writes the open ones as a file to fill in (--write-answers answers.toml) "
        "and reads it back (--answers answers.toml); a study keeps them under [paper]."
    )


SENTENCES: Sentences = {
    "reliability.tendency": _tendency,
    "reliability.difference": _difference,
    "judges.profile": _profile,
    **{f"finding.{part}": sentence for part, sentence in FINDINGS.items()},
    "checklist.summary": _summary,
    "checklist.not-supplied": lambda facts: (
        f"Not in the ratings. Please write {ANSWERS[facts['answer']]}."
    ),
    "checklist.left-empty": lambda facts: f"It was left empty. Write {ANSWERS[facts['answer']]}.",
    "checklist.coefficients": lambda facts: (
        f"{capital(listing(facts['names']))}; the methods paragraph and the signatures say how."
    ),
    "checklist.collected": lambda facts: f"{capital(facts['scales'])}; {facts['recruitment']}.",
    "checklist.collection-unknown": lambda facts: (
        "The scale is known, the rest is not. Write "
        f"{'; and '.join(ANSWERS[name] for name in facts['missing'])}."
    ),
    "checklist.unsuited": lambda facts: f"{capital(facts['why'])}.",
    "checklist.suited": lambda facts: (
        f"{capital(listing(facts['levels']))} ratings, and coefficients made for them."
    ),
    "checklist.numbers": _numbers,
    "checklist.interpreted": _interpreted,
    "checklist.scales": lambda facts: f"{capital(facts['scales'])}.",
    "checklist.intervals": lambda facts: f"Intervals: {'; '.join(facts['methods'])}.",
}
