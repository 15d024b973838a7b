"""The part of a plan that tells how far a running study is, and whether it may stop."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.planning import (
    Allocation,
    CriterionProgress,
    Extension,
    Look,
    StudyProgress,
)
from covary.reports.blocks import Block, Bullets, Paragraph, Section, columns, table
from covary.reports.formatting import DASH, amount, coefficient, count, percent
from covary.words import counted

SEQUENCE = (
    "These intervals hold at all looks together (a confidence sequence), so looking after every "
    "rating does not raise the error rate. They are wider than ordinary intervals, which hold "
    "only at an end fixed in advance."
)

LOOKS = (
    "These intervals are those of the looks that the plan declared (O'Brien and Fleming's bounds); "
    "they hold at all of these looks together, and not in between."
)

STATES = {
    "different": "different: may stop",
    "equivalent": "equal within the margin: may stop",
    "open": "open",
}

ADDED = {"judges": "judges", "items": "items of each system", "votes": "rating of each item"}

LEAST_GAIN = 0.02
"""The share of an open difference's standard error that an offer of adaptive ratings must save."""

SHOWN = 10
"""Items with too few ratings that are named."""


def progress_section(found: StudyProgress) -> Section:
    """Say how far a study is: what is reached, what is missing, what helps, what is decided."""
    heads = columns("<criterion | ratings | planned | reliability now | target | still needed")
    rows = [_row(one, found.goal.target, absolute=found.goal.absolute) for one in found.criteria]
    blocks: list[Block] = [table("so-far", "How far the study is", heads, rows)]
    looks = [
        f"{one.criterion or 'all ratings'}: {words}"
        for one in found.criteria
        for words in _look_notes(one)
    ]
    blocks += [Bullets(tuple(looks))] if looks else []
    blocks += _pairs_blocks(found)
    notes = [note for one in found.criteria for note in _next_notes(one, len(found.criteria) > 1)]
    if notes:
        blocks.append(Bullets(tuple(notes)))
    return Section("so-far", "How far the study is", tuple(blocks))


def rule_words(found: StudyProgress) -> str:
    """Say by which rule the differences are followed."""
    return LOOKS if any(one.look is not None for one in found.criteria) else SEQUENCE


def progress_lines(found: StudyProgress) -> Iterator[str]:
    """Say the same in a few lines for a terminal."""
    several = len(found.criteria) > 1
    for one in found.criteria:
        name = f"{one.criterion}: " if several else ""
        planned = "" if one.planned is None else f" of {count(one.planned)} planned"
        worth = _worth(one, absolute=found.goal.absolute)
        yield (
            f"{name}{count(one.ratings)} ratings{planned}; reliability now {worth}, target "
            f"{coefficient(found.goal.target)}; {_missing(one)}."
        )
        yield from (f"{name}{words}" for words in _look_notes(one))
        for pair in one.pairs or ():
            limits = f"[{amount(pair.low)}, {amount(pair.high)}]"
            yield (
                f"{name}{pair.first} − {pair.second}: {amount(pair.difference)} {limits}, "
                f"{STATES[pair.state]}"
            )
        if one.may_stop:
            yield f"{name}every difference is decided by the rule: the study may stop."
        yield from (f"{name}{note}" for note in _next_notes(one, False))


def _look_notes(one: CriterionProgress) -> Iterator[str]:
    if one.look is not None:
        yield _look_words(one.look, told=one.pairs is not None or bool(one.reason))


def _look_words(look: Look, *, told: bool) -> str:
    """Say which look was reached, when the next is due, and where what it says can be read."""
    following = "it was the last"
    if look.next_due is not None:
        following = f"the next is due at {_due_words(look)}"
    if not look.number:
        return f"No look of {look.of} was reached so far; the first is due at {_due_words(look)}."
    reached = (
        f"Look {look.number} of {look.of} was reached at {count(look.due)} ratings; {following}."
    )
    return reached if told else f"{reached} 'covary plan' shows the result."


def _due_words(look: Look) -> str:
    return f"{count(look.next_due or look.due)} ratings ({percent(look.next_share)} of the plan)"


def _row(one: CriterionProgress, target: float, *, absolute: bool) -> tuple[str, ...]:
    return (
        one.criterion or "all ratings",
        count(one.ratings),
        DASH if one.planned is None else count(one.planned),
        _worth(one, absolute=absolute),
        coefficient(target),
        _missing(one),
    )


def _worth(one: CriterionProgress, *, absolute: bool) -> str:
    if one.now is None:
        return DASH
    return coefficient(one.now.dependability if absolute else one.now.generalisability)


def _missing(one: CriterionProgress) -> str:
    if one.reached:
        return "reliability is reached"
    if one.missing is None:
        return "none of the studies tried reaches it"
    return (
        f"{count(one.missing)} more ratings"
        if one.missing
        else "the same ratings, differently divided"
    )


def _pairs_blocks(found: StudyProgress) -> Iterator[Block]:
    rows = [
        (
            *((one.criterion or DASH,) if len(found.criteria) > 1 else ()),
            f"{pair.first} − {pair.second}",
            amount(pair.difference),
            f"[{amount(pair.low)}, {amount(pair.high)}]",
            STATES[pair.state],
        )
        for one in found.criteria
        for pair in one.pairs or ()
    ]
    if not rows:
        return
    own = "<criterion | " if len(found.criteria) > 1 else ""
    held = "the declared looks" if rule_words(found) is LOOKS else "every look"
    heads = columns(f"{own}<systems | difference | interval at {held} | <status")
    yield table(
        "standings", "Differences between systems so far", heads, rows, note=rule_words(found)
    )
    stopping = [one.criterion or "all ratings" for one in found.criteria if one.may_stop]
    if stopping:
        body = (
            f"Every difference is decided ({', '.join(stopping)}): by its rule the study may stop."
        )
        yield Paragraph(body, "verdict", tone="good")


def _next_notes(one: CriterionProgress, named: bool) -> Iterator[str]:
    name = f"{one.criterion}: " if named else ""
    if one.reason:
        yield f"{name}{one.reason}"
    if one.thin:
        items = ", ".join(str(item) for item in list(one.thin)[:SHOWN])
        more = f" and {count(len(one.thin) - SHOWN)} more" if len(one.thin) > SHOWN else ""
        yield (
            f"{name}{counted(len(one.thin), 'item')} with fewer ratings than planned: "
            f"{items}{more}. Collect the next ratings there first."
        )
    if one.next_step is not None and not one.reached:
        yield f"{name}{_next_words(one.next_step)}"
    if one.allocation is not None and is_worth_it(one.allocation):
        offered = allocation_sentence(one.allocation, dealt=False)
        yield f"{name}{offered} 'covary design STUDY --adaptive' makes its sheets."


def _next_words(step: Extension) -> str:
    reached = coefficient(step.forecast.generalisability)
    return f"The best value for money next: {step.added} more {ADDED[step.kind]} ({reached})."


def is_worth_it(offered: Allocation) -> bool:
    """Whether an adaptive allocation gains enough to pay for the balance that it costs."""
    return offered.error <= (1 - LEAST_GAIN) * offered.balanced_error


def allocation_sentence(offered: Allocation, *, dealt: bool = True) -> str:
    """Say what an adaptive allocation gives each system, what it gains, and its price."""
    shares = ", ".join(f"{name} {count(number)}" for name, number in offered.shares.items())
    lost = 1 - offered.efficiency
    price = f"the price is balance: comparisons of all systems lose {percent(lost)}"
    if lost < 0.005:
        price = "the price is balance, though comparisons of all systems lose next to nothing"
    verb = "brings" if dealt else "would bring"
    return (
        f"An adaptive allocation of the next {count(offered.ratings)} ratings ({shares}) {verb} "
        f"the standard error of an open difference to {amount(offered.error, 3)} instead of "
        f"{amount(offered.balanced_error, 3)}; {price}, judges no longer meet all systems equally "
        "often, and only the mixed model may analyse it. A fifth is spread over all systems."
    )
