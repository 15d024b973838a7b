"""The sentences of comparisons: of votes, systems, scales, rounds and automatic judges.

Here stand those that depend on their facts; the others are plain text in `sentences/`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from covary.words.grammar import Facts, Sentences, capital, counted, listing, quoted_list


def _repeats(facts: Facts) -> str:
    column, values, voice = facts["column"], facts["values"], facts["voice"]
    first = "; ratings.first_occasion() keeps each judge's first" * (column == "occasion")
    return (
        f"the ratings come from several values of {column} ({quoted_list(values)}), so a judge "
        f"counts twice or more; choose with {voice.select(column, repr(values[0]))}"
        f"{first if voice.name != 'terminal' else ''}"
    )


def _several_occasions(facts: Facts) -> str:
    column, values, voice = facts["column"], facts["values"], facts["voice"]
    shown = ", ".join(map(repr, values[:10]))
    return (
        f"the ratings come from several values of {column} ({shown}), so a judge would vote twice "
        f"or more on an item; choose with {voice.select(column, repr(values[0]))}, or say "
        f"{voice.option('occasions', repr('votes'))} to count each of them as a vote"
    )


def _other_tops(facts: Facts) -> str:
    highest = facts["voice"].option("top", "'highest'")
    higher = f", one of them {facts['higher']:.4g} higher ({highest})" if facts["higher"] else ""
    return (
        f"{facts['other']} of {facts['starts']} starts ended elsewhere{higher}: these votes leave "
        "room for more than one reading"
    )


MOST_NAMED = 6
"""Systems up to which an order is written out."""


def _reordered(before: Sequence[Any], after: Sequence[Any]) -> str:
    """What another order changes: of few systems both orders, of many how many moved."""
    if len(before) > MOST_NAMED:
        moved = sum(first != then for first, then in zip(before, after, strict=True))
        return f"changes the rank of {moved} of the {len(before)} systems"
    orders = (", ".join(map(str, names)) for names in (before, after))
    return f"changes the order from {' to '.join(orders)}"


def _severity(facts: Facts) -> str:
    """Say whether the order of the systems depends on who happened to judge them."""
    if facts["reason"]:
        return f"The severity of judges cannot be removed: {facts['reason']}."
    if facts["balanced"] and not facts["n_judges"]:
        return "There is only one judge, whose severity falls on all systems alike."
    if facts["balanced"]:
        return (
            "All judges rated the systems in the same proportions, so their severity cannot "
            "change the order of the systems."
        )
    start = "The judges did not rate the systems in the same proportions"
    if facts["changed"]:
        changes = _reordered(facts["before"], facts["after"])
        return f"{start}, and removing their severity {changes}."
    return f"{start}, but removing their severity leaves the order of the systems as it is."


def _by_experiment(template: str) -> Callable[[Facts], str]:
    """Begin with what each experiment has."""

    def sentence(facts: Facts) -> str:
        named = {name: quoted_list(values, 4) for name, values in facts["named"].items()}
        shown = "; ".join(f"{name} has {values}" for name, values in named.items())
        return template.format(named=shown)

    return sentence


def _ahead(facts: Facts) -> str:
    """Say which of two experiments is ahead, in how many cases, and in how many clearly."""
    first, second, verb = facts["first"], facts["second"], facts["verb"]
    ahead = {first: facts["ahead_first"], second: facts["ahead_second"]}
    cases = counted(facts["cases"], *facts["noun"])
    where = "in" if facts["noun"][0] == "case" else "on"
    if not any(ahead.values()):
        said = f"Neither {first} nor {second} {verb} {where} any of {cases}."
    elif ahead[first] == ahead[second]:
        said = f"Each of {first} and {second} {verb} {where} {ahead[first]} of {cases}."
    else:
        name = max(ahead, key=lambda experiment: ahead[experiment])
        said = f"{name} {verb} {where} {ahead[name]} of {cases}."
    if facts["compared"]:
        said += f" The difference is clear on {facts['clear']} of {facts['compared']}."
    return said


def _threshold(facts: Facts) -> str:
    threshold, line = facts["threshold"], facts["line"]
    if threshold == 0:
        return "any difference"
    if line is not None:
        return f"more than {threshold:g} points on the line from {line[0]:g} to {line[1]:g}"
    return "more than one rank" if threshold == 1 else f"more than {threshold:g} ranks"


def _diagnosis(facts: Facts) -> str:
    if not facts["low"]:
        return "Alpha reaches {:g}; the evidence below shows what could still improve.".format(
            facts["agreement"]
        )
    missed = f"Alpha is not shown to reach {facts['agreement']:g}"
    if not facts["likely"]:
        return f"{missed}, and no cause stands out."
    return f"{missed}. More speaks for than against: {'; '.join(facts['likely'])}."


def _gap(facts: Facts) -> str:
    return "({gap:+.2f}, interval {low:+.2f} to {high:+.2f})".format(**facts)


def _no_rise(facts: Facts) -> str:
    n = facts["changes"]
    changes = "a change that tells" if n == 1 else f"{n} changes that tell"
    after = f" after {changes} judges how to judge" if n else ""
    return f"Alpha is not shown to have risen{after} {_gap(facts)}."


def _converged(facts: Facts) -> str:
    change = (
        "Significant differences {way} from {first} of {first_items} items to {last} of "
        "{last_items}"
    ).format(way="fell" if facts["fell"] else "rose", **facts)
    if facts["telling"]:
        return f"{change} as the guidelines changed."
    if facts["changes"]:
        return f"{change}; the guidelines changed, but no concept and no rule in them."
    return f"{change}; no changes of the guidelines are recorded."


def _fresh(facts: Facts) -> str:
    both = (
        f"A new group reaches alpha {facts['fresh']:.2f}, the authors of the guidelines "
        f"{facts['authors']:.2f}"
    )
    meaning = {
        "lower": "part of what the authors share is not in the manual",
        "higher": "the new group agrees more than the authors",
        "open": "they cannot be told apart",
    }[facts["difference"]]
    return f"{both}: {meaning}. {_same_thing(facts)}".strip()


def _same_thing(facts: Facts) -> str:
    if facts["same"] is None:
        return ""
    shown = f"cross-replication reliability {facts['xrr']:.2f}"
    if facts["same"] == "unknown":
        return (
            f"It cannot be said whether both measure the same thing ({shown}): a group's own "
            "agreement is not shown to be better than chance."
        )
    noise = f"({shown}, {facts['normalised']:.2f} of what their noise allows)"
    return {
        "shown": f"Both groups measure nearly the same thing {noise}.",
        "ruled out": f"Both groups measure not quite the same thing {noise}.",
        "open": f"It is not shown whether both groups measure the same thing {noise}.",
    }[facts["same"]]


def _trace(facts: Facts) -> str:
    given = ", ".join(f"{judge} {rating}" for judge, rating in facts["ratings"])
    way = (
        "In round {round}, {item} divided the judges on {criterion} ({given}); it led to the "
        "{kind} change {sentence!r}."
    ).format(**{**facts, "given": given})
    if facts["after"] is None:
        return f"{way} No later round was rated."
    sure = "" if facts["clear"] else ", which may be chance"
    return (
        f"{way} Alpha was {facts['before']:.2f} before and {facts['after']:.2f} in the next "
        f"round{sure}."
    )


def _rated_again(facts: Facts) -> str:
    first, second = facts["differing"]
    sure = "" if facts["clear"] else ", which may be chance"
    return (
        f"Round {facts['round']}, {facts['items']} items rated again after the discussion: {first} "
        f"differed before and {second} after; alpha {facts['before']:.2f} became "
        f"{facts['after']:.2f}{sure}."
    )


def _order(groups: Sequence[Sequence[Any]]) -> str:
    """Name systems from the best to the worst, and say which of them have equal means."""
    return ", ".join(
        f"{listing(map(str, group))} (equal)" if len(group) > 1 else str(group[0])
        for group in groups
    )


def _systems(facts: Facts) -> str:
    before, after = (_order(facts[side]) for side in ("before", "after"))
    if not facts["changed"] and len(facts["after"]) == 1:
        return (
            f"The means of the systems were and are equal ({', '.join(map(str, *facts['after']))})."
        )
    if facts["changed"]:
        return f"The order of the systems by their means changed from {before} to {after}."
    return f"The order of the systems by their means did not change: {after}."


def _uneven_sides(facts: Facts) -> str:
    pairs = listing(f"{first} and {second}" for first, second in facts["pairs"])
    return (
        f"Sides are not balanced: one of the two stands first far more often in {pairs}. If judges "
        "saw the texts in this order and favour a side, this counts for or against a system."
    )


def _replacement(facts: Facts) -> str:
    """Say whether an automatic judge may take a person's place, and what that rests on."""
    judge, tested = facts["judge"], facts["tested"]
    if facts["replaces"] == "unknown":
        why = UNTESTED[facts["why"]].format(least=facts["fewest"])
        return f"Not tested whether {judge} may take a person's place: {why}."
    people = counted(tested, "person", "people")
    margin = f"(margin {facts['margin']:g})".replace("0.", ".")
    won, lost = (round(facts[rate] * tested) for rate in ("winning_rate", "losing_rate"))
    if facts["replaces"] == "shown":
        return (
            f"{judge} may take a person's place: for {won} of {people} it is shown to be as close "
            f"to the others as that person is {margin}."
        )
    if facts["replaces"] == "ruled out":
        return (
            f"{judge} may not take a person's place: for {lost} of {people} it is shown to be less "
            f"close to the others than that person is, by more than the margin {margin}."
        )
    return (
        f"Open whether {judge} may take a person's place: for {won} of {people} it is shown to be "
        f"as close to the others as that person is, and half of them are needed {margin}. More "
        "common items may settle it."
    )


def _which_automatic(facts: Facts) -> str:
    """Ask which judges are automatic, in the words of where it is asked."""
    terminal = facts["voice"].name == "terminal"
    names, own = ("--automatic NAME", "--scores FILE") if terminal else ("judges=[…]", "scores=…")
    return (
        f"say which judges are automatic with {names}, or give their ratings apart with {own}; the "
        f"judges are {quoted_list(facts['allowed'], 12)}"
    )


UNTESTED = {
    "other-scale": "its ratings are not on the people's scale",
    "few-people": "that takes two people who rated the same items",
    "few-items": "nobody shares {least} items with it and with another person",
}
"""Why an automatic judge was not put in people's places."""


def _favours(facts: Facts) -> str:
    """Say which systems an automatic judge rates too high or too low beside people."""
    parts = []
    if facts["favoured"]:
        parts.append(f"higher ratings to {listing(facts['favoured'])}")
    if facts["slighted"]:
        parts.append(f"lower ratings to {listing(facts['slighted'])}")
    given = " and ".join(parts)
    return f"Beside the other systems, {facts['judge']} gives {given} than people do."


def _orders_otherwise(facts: Facts) -> str:
    """Say which pairs of systems an automatic judge does not order as people do."""
    judge, otherwise, most = facts["judge"], facts["otherwise"], 3
    named = [f"{first} above {second}" for first, second in otherwise[:most]]
    more = [f"{len(otherwise) - most} more"] if len(otherwise) > most else []
    pairs = counted(facts["pairs"], "pair")
    return (
        f"By plain means, whose differences may be chance, {judge} orders {len(otherwise)} of "
        f"{pairs} of systems otherwise than people do: people's means put "
        f"{listing([*named, *more])}."
    )


SENTENCES: Sentences = {
    "automatic.favours": _favours,
    "automatic.orders-otherwise": _orders_otherwise,
    "automatic.verdict": _replacement,
    "automatic.which": _which_automatic,
    "stats.repeats": _repeats,
    "aggregate.several-occasions": _several_occasions,
    "aggregate.other-tops": _other_tops,
    "systems.about-pairs": lambda facts: f"{capital(str(facts['note']))}.",
    "systems.severity": _severity,
    "preferences.uneven-sides": _uneven_sides,
    "scales.no-shared-criterion": _by_experiment(
        "the experiments share no criterion ({named}); give the same criterion the same name"
    ),
    "scales.no-shared-system": _by_experiment(
        "the experiments share no system ({named}), so there is nothing to compare them on; call "
        "the same system by the same name"
    ),
    "scales.gaps": lambda facts: (
        f"Kendall's W needs every judge to have rated every system, and {facts['judge']} rated "
        f"nothing by {facts['system']}"
        + (f" ({facts['gaps']} such gaps)" if facts["gaps"] > 1 else "")
    ),
    "scales.ahead": _ahead,
    "rounds.differs": _threshold,
    "rounds.systems": _systems,
    "rounds.trace": _trace,
    "rounds.rated-again": _rated_again,
    "rounds.fresh": _fresh,
    "rounds.diagnosis": _diagnosis,
    "rounds.alpha-rose": lambda facts: (
        f"Alpha rose from the first round to the last {_gap(facts)}."
    ),
    "rounds.alpha-stayed": _no_rise,
    "rounds.differences": _converged,
}
