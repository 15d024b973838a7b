"""The sentences of a verdict and of what it rests on: what the disagreement is made of."""

from __future__ import annotations

import math
from typing import Any

from covary.words.grammar import Facts, Sentences, capital, counted, listing


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _limits(interval: object) -> str:
    low, high = getattr(interval, "low", math.nan), getattr(interval, "high", math.nan)
    return f" [{_percent(low)}, {_percent(high)}]" if math.isfinite(low + high) else ""


def _shares(facts: Facts) -> str:
    """Say how much of the disagreement is severity, scale use and noise."""
    if math.isnan(facts["severity"]):
        return f"The disagreement cannot be split: {facts['reason']}."
    ends = _limits(facts["severity_interval"])
    parts = [f"{_percent(facts['severity'])}{ends} of the disagreement is severity"]
    if not math.isnan(facts["scale_use"]):
        parts.append(f"{_percent(facts['scale_use'])} different use of the scale")
    parts.append(f"{_percent(facts['noise'])} noise")
    text = listing(parts)
    if not math.isnan(facts["inconsistency"]):
        text += f" ({_percent(facts['inconsistency'])} is judges' disagreement with themselves)"
    if math.isnan(facts["without_severity"]):
        return f"{text}."
    before, after = (_coefficient(facts[name]) for name in ("agreement", "without_severity"))
    return f"{text}. As an intraclass correlation, agreement is {before}, without severity {after}."


LENIENCY = {
    "alike": "shows no clear difference in severity from",
    "higher": "rates higher than",
    "lower": "rates lower than",
    "milder": "is more lenient than",
    "stricter": "is stricter than",
}


def _judge(facts: Facts) -> str:
    """Say how severe a judge is, in points of the scale."""
    value, ends = facts["value"], (facts["low"], facts["high"])
    alike = facts["leniency"] == "alike"
    if value < 0 and not alike:
        value, ends = -value, (-ends[1], -ends[0])
    places = 1 if max(abs(end) for end in (*ends, value)) >= 10 else 2
    written = f"{value:.{places}f} [{ends[0]:.{places}f}, {ends[1]:.{places}f}]"
    others = "the other" if facts["n_others"] == 1 else "the others"
    start = f"{facts['judge']} {LENIENCY[facts['leniency']]} {others}"
    return f"{start} ({written})." if alike else f"{start} by {written}."


def _coefficient(value: float) -> str:
    """Two decimals without a leading 0; what ends in 5 is rounded up."""
    written = f"{value + math.copysign(1e-9, value):.2f}"
    return (
        "0" if not float(written) else written.replace("0.", ".", 1) if abs(value) < 1 else written
    )


def _threshold(value: float) -> str:
    return f"{value:g}".removeprefix("0")


def _measured(facts: Facts) -> str:
    """A number with its interval: `.61 [.55, .68]`."""
    ends = facts["low"], facts["high"]
    value = _coefficient(facts["value"])
    if not all(math.isfinite(end) for end in ends) or ends[0] == ends[1]:
        return value
    return f"{value} [{_coefficient(ends[0])}, {_coefficient(ends[1])}]"


def _verdict(facts: Facts) -> str:
    """What the verdict's word means, and what to do."""
    word = facts["word"]
    if word == "cannot tell yet":
        return (
            "No intervals were computed: all is open." if facts["points"] else _open_verdict(facts)
        )
    sentences = OF_SLOTS if not facts["named"] else {} if facts["ordered"] else OF_NAMES
    sentence = sentences.get(word, OF_JUDGES[word])
    reason = getattr(facts["shares"], "reason", "") or "they were not followed from item to item"
    more = {"usable": _usable_means(facts), "remedy": _remedy(facts)}
    text = sentence.format(means=_enough_judges(facts), reason=reason, **more)
    if facts["points"] and word not in ("undefined", "little variation"):
        start = "Without intervals nothing is shown. By the estimates alone, "
        text = start + text[0].lower() + text[1:]
    return text + _adjusted(facts) + _opposed(facts) + _apart(facts)


def _remedy(facts: Facts) -> str:
    """Say whether means would help where single ratings are not reliable."""
    if facts["judges_needed"] is None:
        return "; averaging would not help, because ratings of an item have nothing in common"
    return f", or {_enough_judges(facts)}"


def _usable_means(facts: Facts) -> str:
    """Name the means that can be used although single ratings cannot."""
    means = next((use for use in facts["uses"] if use.purpose == "item means"), None)
    if means is None:
        return "the items' means can be used"
    return f"{_used(vars(means))} can be used (reliability {_measured(vars(means))})"


def _opposed(facts: Facts) -> str:
    """Say where judges order the items in opposite ways, which a scale read backwards does."""
    order = next((fact for fact in facts["facts"] if fact.about == "order"), None)
    if facts["word"] != "not reliable" or order is None or not order.high < 0:
        return ""
    return " They order the items in opposite ways: did somebody read the scale backwards?"


def _apart(facts: Facts) -> str:
    """Say what nobody tested where judges fall into groups that share no item."""
    reason: Any = getattr(facts["shares"], "reason", None)
    if getattr(reason, "code", "") != "disagreement.apart":
        return ""
    groups = reason.facts["groups"]
    return (
        f" That is within {groups} groups of judges that share no item: whether the groups agree "
        "with each other was not tested."
    )


def _adjusted(facts: Facts) -> str:
    """Say what is left to do once severity is taken out, where that is not enough."""
    needed = facts["judges_needed"]
    if facts["word"] != "consistent, different severity" or needed is None or needed < 3:
        return ""
    left = _coefficient(facts["shares"].without_severity)
    return f" Adjusted, single ratings agree to {left}: {_enough_judges(facts)}."


def _enough_judges(facts: Facts) -> str:
    needed = facts["judges_needed"]
    if needed is None:
        return "average over judges"
    target = _threshold(facts["target"])
    return f"average over judges (means over {needed:,} of them reach {target})"


OF_JUDGES = {
    "interchangeable": "The judges agree: a single rating can be used, whichever of them gave it.",
    "agree; one is stricter": (
        "The judges agree, and are not equally strict: use the ratings, and adjust for the judge "
        "where absolute values count."
    ),
    "consistent, different severity": (
        "The judges order the items mostly alike and differ in severity: adjust for the judge, do "
        "not discard the ratings."
    ),
    "consistent but noisy": (
        "The judges order the items mostly alike, with noise: {means}. Adjusting for severity "
        "would change little."
    ),
    "consistent, partly severity": (
        "The judges order the items mostly alike, and their disagreement is partly severity: "
        "adjust for the judge and {means}."
    ),
    "consistent, severity unknown": (
        "The judges order the items mostly alike and do not agree. How much of that is severity is "
        "not known, because {reason}: {means}."
    ),
    "usable as means": (
        "Single ratings neither agree nor order the items alike, but {usable}. To use single "
        "ratings, look at the guidelines, the scale and each judge."
    ),
    "not reliable": (
        "Single ratings neither agree nor order the items alike: look at the guidelines, the scale "
        "and each judge{remedy}."
    ),
    "little variation": (
        "Nearly all ratings fall into one category, so agreement beyond chance cannot be shown: "
        "look for items that differ."
    ),
    "undefined": "Agreement cannot be computed for these ratings.",
}

OF_SLOTS = {
    "interchangeable": "Ratings of the same item agree: single ratings can be used.",
    "consistent, severity unknown": (
        "Ratings of the same item order the items mostly alike but differ; who gave them is not "
        "known, so severity cannot be told apart from noise: {means}."
    ),
    "not reliable": (
        "Single ratings neither agree nor order the items alike: look at the guidelines and the "
        "scale{remedy}."
    ),
}
"""What the same words mean where judges are not known."""

OF_NAMES = {
    "usable as means": (
        "Single ratings do not agree, but {usable}. To use single ratings, look at the "
        "guidelines, the categories and each judge."
    ),
    "agree; one is stricter": (
        "The judges agree, and do not use the categories equally often: use the ratings, and "
        "adjust for the judge where shares of categories count."
    ),
    "not reliable": (
        "Single ratings do not agree, and nominal categories have no order to share: look at the "
        "guidelines, the categories and each judge, or combine several judges' answers."
    ),
}
"""What the same words mean where categories have no order."""


def _open_verdict(facts: Facts) -> str:
    """Say what is known, what is open, and how many more items would settle it."""
    known = [
        KNOWN[fact.about, fact.state].format(threshold=_fact_threshold(vars(fact)))
        for fact in facts["facts"]
        if (fact.about, fact.state) in KNOWN and not getattr(facts["shares"], "unanimous", False)
    ]
    if getattr(facts["shares"], "unanimous", False):
        known = ["no two ratings of an item differ"]
    text = "No verdict yet."
    if known:
        text += f" Known: {listing(known)}."
    complete = getattr(facts["shares"], "complete", True)
    questions = [
        _question(vars(fact) | {"complete": complete})
        for fact in facts["facts"]
        if fact.state == "open"
    ]
    return f"{text} Open: {'; '.join(questions)}." if questions else text


KNOWN = {
    ("agreement", "shown"): "the judges agree",
    ("agreement", "ruled out"): "agreement lies below {threshold}",
    ("order", "shown"): "the judges order the items mostly alike",
    ("order", "ruled out"): "correlation lies below {threshold}",
    ("severity", "shown"): "at least {threshold} of the disagreement is severity",
    ("severity", "ruled out"): "less than {threshold} of the disagreement is severity",
}

QUESTIONS = {
    "agreement": "whether agreement, {value}, reaches {threshold}",
    "order": "whether correlation, {value}, reaches {threshold}",
    "severity": "whether severity, {value}, is at least {threshold} of the disagreement",
}


def _fact_threshold(fact: Facts) -> str:
    severity = fact["about"] == "severity"
    return _percent(fact["threshold"]) if severity else _threshold(fact["threshold"])


def _question(facts: Facts) -> str:
    value = _measured(facts)
    if math.isnan(facts["value"]):
        return f"{facts['about']} (it cannot be computed for these ratings)"
    if facts["about"] == "severity" and math.isfinite(facts["low"]):
        value = f"{_percent(facts['value'])} [{_percent(facts['low'])}, {_percent(facts['high'])}]"
    text = QUESTIONS[facts["about"]].format(threshold=_fact_threshold(facts), value=value)
    if facts["common"] is not None:
        shared = counted(facts["common"], "item")
        more = "let the same judges rate 10 or more in common"
        return f"{text} (pairs of judges share a median of {shared}: {more})"
    if facts["more_items"] is not None:
        same = facts["about"] == "severity" and not facts["complete"]
        who = " by the same judges" if same else ""
        return f"{text} (about {counted(facts['more_items'], 'more item')}{who} may settle it)"
    near = facts["decisive"] and math.isfinite(facts["low"])
    return f"{text} ({'too close for more items to settle it' if near else 'too few items'})"


def _use(facts: Facts) -> str:
    """Say whether ratings are reliable enough for one purpose."""
    measure = "agreement" if facts["purpose"] == "single ratings" else "reliability"
    whom = " over other items" if facts["purpose"] == "system means" else ""
    number = f"{measure} {_measured(facts)}{whom}, threshold {_threshold(facts['threshold'])}"
    return f"{capital(USABLE[facts['state']].format(_used(facts)))} ({number})."


def _used(facts: Facts) -> str:
    """Name what is used."""
    names = facts["purpose"] == "item means" and not facts["ordered"]
    return USES["item shares" if names else facts["purpose"]].format(k=f"{facts['ratings']:.3g}")


USES = {
    "single ratings": "single ratings",
    "item means": "the items' means over {k} ratings",
    "item shares": "the shares of each category over {k} ratings of an item",
    "system means": "the ranking of systems by their means",
}

USABLE = {
    "shown": "{} can be used",
    "ruled out": "{}: not reliable enough",
    "open": "whether {} can be used is open",
    "unknown": "{}: not judged",
}


def _moved(facts: Facts) -> str:
    """Say whether second ratings are higher or lower than first ones."""
    low, high = facts["shift_low"], facts["shift_high"]
    if not math.isfinite(low + high):
        return ""
    between = f"{facts['shift']:.2f} [{low:.2f}, {high:.2f}]"
    if low <= 0 <= high:
        return f"; no shift is shown ({between})"
    return f"; second ratings are {'higher' if low > 0 else 'lower'} by {between}"


def _stable_judge(facts: Facts) -> str:
    """Say how stable a judge is."""
    same = f"{facts['judge']} repeats {_percent(facts['same'])} of {counted(facts['n'], 'rating')}"
    numbers = [f"alpha {_coefficient(facts['alpha'])}"] if math.isfinite(facts["alpha"]) else []
    numbers += [f"r {_coefficient(facts['r'])}"] if math.isfinite(facts["r"]) else []
    measured = f" ({', '.join(numbers)})" if numbers else ""
    return f"{same}{measured}{_moved(facts)}."


def _stable(facts: Facts) -> str:
    """Say how often judges repeat their ratings, and what that leaves possible between judges."""
    if not facts["n_pairs"]:
        return "Nobody rated an item of this criterion again."
    ends = f"[{_percent(facts['same_low'])}, {_percent(facts['same_high'])}]"
    rated = f"{counted(facts['n_pairs'], 'item')} rated again"
    text = f"Judges repeat {_percent(facts['same'])} {ends} of {rated}{_moved(facts)}."
    if math.isfinite(facts["ceiling"]):
        ceiling = _coefficient(facts["ceiling"])
        text += f" Correlation between judges cannot be expected above {ceiling} (noise ceiling)."
    return text


def _closeness(facts: Facts) -> str:
    """Say how many ratings are the known answers, and whether they lie above or below them."""
    who = "The judges give" if facts["judge"] is None else f"{facts['judge']} gives"
    ends = ""
    if math.isfinite(facts["right_low"] + facts["right_high"]):
        ends = f" [{_percent(facts['right_low'])}, {_percent(facts['right_high'])}]"
    rated = f"{counted(facts['n'], 'rating')} of {counted(facts['items'], 'item')}"
    if facts["n"] == facts["items"]:
        rated = counted(facts["n"], "item")
    text = f"{who} the known answer in {_percent(facts['right'])}{ends} of {rated}"
    low, high = facts["shift_low"], facts["shift_high"]
    if math.isfinite(low + high) and not low <= 0 <= high:
        side = "above" if low > 0 else "below"
        text += f"; ratings lie {side} it by {abs(facts['shift']):.2f} on average"
    return f"{text}."


SENTENCES: Sentences = {
    "accuracy.closeness": _closeness,
    "stability.judge": _stable_judge,
    "stability.criterion": _stable,
    "verdict": _verdict,
    "verdict.use": _use,
    "disagreement.shares": _shares,
    "disagreement.judge": _judge,
}
