"""The sentences of studies, designs, training, stores, platforms and the command line.

Here stand those that depend on their facts; the others are plain text in `sentences/`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from covary.words.grammar import (
    Facts,
    Sentences,
    capital,
    counted,
    did_you_mean,
    listing,
    plain_list,
)


def _about_items(facts: Facts) -> str:
    counts = [counted(number, noun) for number, noun in facts["counts"]]
    return f"The study {facts['title']!r} has {listing(counts)}."


def _about_systems(facts: Facts) -> str:
    people = f" ({', '.join(facts['people'])}: written by people)" if facts["people"] else ""
    sources = f" and {counted(facts['sources'], 'source')}" if facts["sources"] else ""
    return f"They come from {counted(facts['systems'], 'system')}{people}{sources}."


def _grid_gaps(facts: Facts) -> str:
    missing = [f"'{system}' for '{source}'" for source, system in facts["missing"]]
    return f"there is no output of {plain_list(missing, 10)}"


def _orders_of_parts(facts: Facts) -> str:
    orders = facts["orders"]
    return ", ".join(f"{' – '.join(order)} {counted(n, 'time')}" for order, n in orders)


def _distance(what: str, *, kept: bool) -> Callable[[Facts], str]:
    def words(facts: Facts) -> str:
        least, distance = facts["least"], facts["distance"]
        between = f"at least {counted(least, 'other')} between {what}"
        if kept:
            return between
        return f"{between}, where {distance} {'was' if distance == 1 else 'were'} asked for"

    return words


DESIGN: Sentences = {
    "design.grid-gaps": _grid_gaps,
    "design.orders-of-parts": _orders_of_parts,
    "design.repeats": _distance("an item and its repeat", kept=True),
    "design.repeats-not-kept": _distance("an item and its repeat", kept=False),
    "design.source-distance": _distance("two items of one source", kept=True),
    "design.source-distance-not-kept": _distance("two items of one source", kept=False),
}


def _places(facts: Facts, most: int = 20) -> str:
    return plain_list((f"{item} ({criterion})" for item, criterion in facts["places"]), most)


def _unrated(facts: Facts) -> str:
    return (
        f"{facts['judge']} has not rated {len(facts['places'])} of the items yet: "
        f"{_places(facts, 5)}; a rating of None says that a criterion does not apply"
    )


def _other_phase(facts: Facts) -> str:
    following = facts["following"] or "a new round, opened with RoundOpened, or the end"
    return f"after {facts['phase']} comes {following}, and not {facts['to']}"


def _undiscussed(facts: Facts) -> str:
    number = len(facts["places"])
    return (
        f"{number} marked {'item has' if number == 1 else 'items have'} no discussion yet: "
        f"{_places(facts)}; let the judges say how they came to their ratings, or set an item "
        "aside with a reason"
    )


def _undecided(facts: Facts) -> str:
    waiting = (f"proposal {number} ({plain_list(who)})" for number, who in facts["waiting"].items())
    return f"judges have yet to say whether they agree: {plain_list(waiting)}"


PLURALS = {"judge": "judges", "item": "items", "criterion": "criteria"}


def _repeated(facts: Facts) -> str:
    plural = PLURALS[facts["noun"]]
    return f"{plural} must be given once each, and {plain_list(facts[plural])} stand there twice"


WORK = {
    "internalisation": "rate alone",
    "socialisation": "discuss where they differ",
    "externalisation": "propose what would have helped",
    "combination": "write down what they agreed on",
}
"""What judges do in each phase of a round."""


def _going_on(facts: Facts) -> str:
    rest = f"; {plain_list(facts['judges'])} still to finish" if facts["judges"] else ""
    return f"Training goes on: in round {facts['round']} the judges {WORK[facts['phase']]}{rest}."


def _training_verdict(facts: Facts) -> str:
    share, rule = facts["share"], facts["rule"]
    below = f" Below the target: {', '.join(facts['below'])}." if facts["below"] else ""
    fewest = f" So few can never be sure enough: it takes {rule.fewest} or more."
    return (
        f"{share.number} of {share.of_all} ratings of items ({share.value:.1%}, at least "
        f"{share.low:.1%} with {rule.confidence:.0%} confidence) lie within the threshold; the "
        f"rule asks for {rule.target:.1%} and at least {rule.bound:.1%}: training "
        f"{'may end' if facts['met'] else 'goes on'}.{below}{fewest if facts['few'] else ''}"
    )


TRAINING: Sentences = {
    "training.other-phase": _other_phase,
    "training.repeated": _repeated,
    "training.unrated": _unrated,
    "training.undiscussed": _undiscussed,
    "training.undecided": _undecided,
    "training.verdict": _training_verdict,
    "training.going-on": _going_on,
}

LEFT_OUT = {
    "practice": ("practice answer", "practice answers"),
    "check": ("answer to a check", "answers to checks"),
    "gold": ("answer to an item with a known answer", "answers to items with a known answer"),
    "abandoned": (
        "answer on a sheet that was taken back",
        "answers on sheets that were taken back",
    ),
    "failed checks": (
        "answer of a judge who failed attention checks",
        "answers of judges who failed attention checks",
    ),
    "withdrew": ("answer of a judge who stopped", "answers of judges who stopped"),
    "question": (
        "answer with several choices (not analysed)",
        "answers with several choices (not analysed)",
    ),
    "words": (
        "comment or answer in words (not analysed)",
        "comments and answers in words (not analysed)",
    ),
    "stranger": (
        "answer about an item or criterion that the study no longer has",
        "answers about items or criteria that the study no longer has",
    ),
}
"""What is left out of the ratings, one and many, in the order in which a note names it."""


def _amounts(left_out: Mapping[str, int]) -> str:
    return listing(
        counted(left_out[reason], one, many)
        for reason, (one, many) in LEFT_OUT.items()
        if left_out.get(reason)
    )


def _no_ratings(facts: Facts) -> str:
    only = f"; there are only {_amounts(facts['left_out'])}" if facts["left_out"] else ""
    return f"no ratings have been collected yet{only}"


MAY_BE_DONE = "it may have been done all the same, so look on the platform before you try again"

ADVICE = {
    400: "look at what the platform says",
    401: "the token is wrong or was deleted; make a new one in the platform's settings",
    402: "the account has not enough money; top it up",
    403: "the token's owner may not do this; ask the owner of the workspace",
    404: "nothing there has this name; look at the study's or submission's id",
    429: "the platform is busy; wait some minutes and try again",
}
"""What to do about a refusal, by the status of the answer."""


def _items_changed(facts: Facts) -> str:
    changes = facts["changes"]
    named = [f"{change.item} ({', '.join(change.fields)})" for change in changes[:5]]
    more = f" and {len(changes) - 5} more" if len(changes) > 5 else ""
    return (
        f"items that were judged say something else now: {', '.join(named)}{more}. Put them back "
        f"as they were, or accept the change: covary design {facts['folder']} --accept-changes. "
        "The ratings given so far then stay those of what was shown"
    )


def _plan_kept(facts: Facts) -> str:
    size = (
        f"{counted(facts['systems'], 'system')} with {counted(facts['items'], 'item')} each"
        if facts["systems"] > 1
        else counted(facts["items"], "item")
    )
    goal = f"for a reliability of {facts['target']:g}"
    if facts["difference"] is not None:
        goal += f" and a power of {facts['at']:.0%} to find a difference of {facts['difference']:g}"
    rests = f", from {facts['basis']}" if facts["basis"] else ""
    planned = (
        f"The plan of {facts['made']} asked for {size}, {counted(facts['judges'], 'judge')} and "
        f"{counted(facts['votes'], 'rating')} of each item, {goal}{rests}."
    )
    dealt = "".join(f" {_deal_sentence(deal)}" for deal in facts.get("deals", ()))
    if not facts["deviations"]:
        return f"{planned} It was kept.{dealt}"
    return f"{planned} It was not kept: {'; '.join(map(str, facts['deviations']))}.{dealt}"


def _deal_sentence(deal: Facts) -> str:
    shares = ", ".join(f"{name} {number:,}" for name, number in deal["shares"].items())
    return (
        f"On {deal['made']}, after {deal['ratings']:,} ratings, the next were dealt out adaptively "
        f"({shares}), which costs comparisons of all systems {1 - deal['efficiency']:.0%} of their "
        "precision; only the mixed model allows for it."
    )


def _paper_population(facts: Facts) -> str:
    if not facts["systems"]:
        return f"{counted(facts['items'], 'item')}."
    sources = f" for {counted(facts['sources'], 'source')}" if facts["sources"] else ""
    people = f"; {listing(facts['people'])} wrote as people" if facts["people"] else ""
    items, systems = counted(facts["items"], "item"), counted(facts["systems"], "system")
    return f"{items} by {systems}{sources}{people}."


def _paper_judges(facts: Facts) -> str:
    groups = ", ".join(f"{name} {number}" for name, number in facts["groups"].items())
    parts = [facts["who"], f"{facts['question']}: {groups}" if groups else ""]
    return f"{capital('; '.join(part for part in parts if part))}."


def _paper_recruitment(facts: Facts) -> str:
    pay = f"{facts['pay']} {facts['currency']} each".replace("  ", " ")
    excluded = ", ".join(f"{number} {name}" for name, number in facts["excluded"].items())
    parts = [
        facts["how"] or f"through {facts['platform']}",
        f"paid: {facts['payment']}" if facts["payment"] else "",
        f"paid {pay}" if facts["pay"] is not None else "",
        f"about {facts['minutes']:g} minutes" if facts["minutes"] else "",
        f"left out: {excluded}" if excluded else "",
        facts["overlap"],
    ]
    return capital("; ".join(part for part in parts if part))


def _paper_process(facts: Facts) -> str:
    order = {
        "random": "in an order drawn for each judge and kept",
        "williams": "in the order of Williams squares",
        "as-listed": "in the order of the file",
    }[facts["order"]]
    alone = "each judge saw one part" if facts["one_each"] else f"{facts['parts']} parts"
    parts = [
        f"Design {facts['kind']}, seed {facts['seed']}; items {order}",
        alone if facts["parts"] > 1 else "",
        f"{facts['occasions']} occasions" if facts["occasions"] > 1 else "",
        f"{counted(facts['repeats'], 'hidden repeat')} per judge" if facts["repeats"] else "",
        f"a break offered every {facts['breaks']} items" if facts["breaks"] else "no breaks",
        "judges could go back" if facts["go_back"] else "judges could not go back",
        f"{counted(facts.get('adaptive', 0), 'sheet')} dealt out adaptively while the study ran"
        if facts.get("adaptive")
        else "",
        "they saw neither the system nor what others gave",
    ]
    return f"{'; '.join(part for part in parts if part)}."


def _paper_experience(facts: Facts) -> str:
    parts = [
        f"{counted(facts['practice'], 'practice item')} first" if facts["practice"] else "",
        counted(facts["rounds"], "round") + " of training" if facts["rounds"] else "",
        counted(facts["checks"], "attention check") if facts["checks"] else "",
        counted(facts["gold"], "item") + " with a known answer" if facts["gold"] else "",
    ]
    return f"{capital('; '.join(part for part in parts if part))}."


def _refused(facts: Facts) -> str:
    status, detail = facts["status"], facts["detail"]
    advice = ADVICE.get(status, "try again later, or ask the platform's support")
    if 300 <= status < 400:
        advice = "the interface has moved; look up its address"
    elif status >= 500 and not facts["repeatable"]:
        advice = MAY_BE_DONE
    shown = f" ({detail})" if detail else ""
    return f"{facts['host']} answered {facts['call']} with {status}{shown}: {advice}"


def _no_answer(facts: Facts) -> str:
    advice = "look at the network and try again" if facts["repeatable"] else MAY_BE_DONE
    return f"{facts['host']} did not answer {facts['call']} ({facts['reason']}): {advice}"


def _not_a_study(facts: Facts) -> str:
    return (
        f"'{facts['folder']}' is not the folder of a study: it has no study.toml"
        f"{did_you_mean(facts['value'], facts['allowed']) or '.'} 'covary init' makes a study"
    )


def _broken_rows(facts: Facts) -> str:
    count = facts["count"]
    rows = "1 row is" if count == 1 else f"{count:,} rows are"
    if facts["none_left"]:
        return f"{rows} broken and no other is left"
    return f"{rows} broken and nothing was written; mend them, or leave them out with --set-aside"


def _words_and_numbers(facts: Facts, in_python: str = "criteria=[…]") -> str:
    def answered(criteria: Sequence[str], how: str) -> str:
        return f"{plain_list(criteria)} {'is' if len(criteria) == 1 else 'are'} answered {how}"

    def chosen(criteria: Sequence[str]) -> str:
        return " ".join(f"--only {shlex.quote(f'criterion={each}')}" for each in criteria)

    words = [repr(each) for each in facts["words"]]
    numbers = [repr(each) for each in facts["numbers"]]
    return (
        f"{answered(words, 'in words')} and {answered(numbers, 'in numbers')}, and one table of "
        f"ratings holds one of the two: choose criteria of one kind ({in_python}); on the command "
        f"line {chosen(facts['words'])}, or {chosen(facts['numbers'])}"
    )


SENTENCES: Sentences = {
    "store.words-and-numbers": lambda facts: _words_and_numbers(facts, "criteria=[…] or part='…'"),
    "training.words-and-numbers": _words_and_numbers,
    "study.about-items": _about_items,
    "study.about-systems": _about_systems,
    **DESIGN,
    **TRAINING,
    "store.no-ratings": _no_ratings,
    "store.items-changed": _items_changed,
    "paper.population": _paper_population,
    "planning.kept": _plan_kept,
    "paper.judges": _paper_judges,
    "paper.recruitment": _paper_recruitment,
    "paper.process": _paper_process,
    "paper.experience": _paper_experience,
    "store.left-out": lambda facts: f"Left out: {_amounts(facts['left_out'])}.",
    "crowd.refused": _refused,
    "crowd.no-answer": _no_answer,
    "cli.not-a-study": _not_a_study,
    "cli.broken-rows": _broken_rows,
}
