"""Whether a study keeps Prolific's rules, told before people are paid or turned away.

The rules are those of Prolific's policy on attention and comprehension checks and of its rules on
rejection. They can change; Prolific's help pages have the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from covary.crowd.platforms import PROLIFIC
from covary.crowd.recruiting import minutes_of, study_cost
from covary.errors import InvalidArgument
from covary.scales import GraphicScale, Scale, VerbalScale, VisualScale, YesNo
from covary.study import Study
from covary.study.model import Item, Recruiting

__all__ = ["SHORTEST_MESSAGE", "Finding", "Rejecting", "lint"]

SHORTEST_MESSAGE = 100
"""A message that rejects a submission has at least so many characters."""

LONG = 5
"""From so many minutes on, one failed check is no reason for a rejection."""

ATTEMPTS = 2


@dataclass(frozen=True)
class Rejecting:
    """How the researcher means to turn people away.

    `failed_checks` attention checks must be failed; `message` is what is then written to them.
    `attempts` is how often a comprehension check may be tried, and `for_comprehension` says
    whether somebody who fails it is rejected.
    """

    failed_checks: int = 2
    message: str = ""
    attempts: int = ATTEMPTS
    for_comprehension: bool = False


@dataclass(frozen=True)
class Finding:
    """Something to change: `must` breaks a rule, `should` is worth a look.

    `where` is the item or the part of the study, `message` what is wrong, `advice` what to do.
    """

    weight: Literal["must", "should"]
    where: str
    message: str
    advice: str

    def __str__(self) -> str:
        return f"{self.weight}: {self.where}: {self.message}; {self.advice}"


def lint(
    study: Study, *, minutes: float | None = None, rejecting: Rejecting | None = None
) -> tuple[Finding, ...]:
    """Check a study against Prolific's rules.

    Parameters
    ----------
    study
        The study, as `read_study` returns it.
    minutes
        How long it takes; without it, what the study says of itself.
    rejecting
        How people are to be turned away; None if nobody will be.

    Returns
    -------
    tuple of Finding
        Empty where nothing was found; what is broken comes first.
    """
    minutes = minutes_of(study) if minutes is None else minutes
    if minutes is not None and not minutes > 0:
        raise InvalidArgument(f"minutes={minutes!r} must be more than 0")
    found = [
        *_about_checks(study, minutes),
        *(_about_rejecting(study, minutes, rejecting) if rejecting else ()),
        *(_about_the_way_back(study) if study.recruiting is None else
          _about_recruiting(study, study.recruiting, minutes)),
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda each: each.weight))


def _about_checks(study: Study, minutes: float | None) -> Iterator[Finding]:
    checks = study.items_of("check")
    for item in checks:
        yield from _about_check(study, item)
    if minutes is None:
        yield Finding(
            "should", "time", "nobody says how long the study takes",
            "try it out and say minutes under [recruiting]; the number of checks depends on it",
        )  # fmt: skip
    if not checks:
        yield Finding(
            "should", "checks", "there is no attention check",
            "add items of kind check, or approve everybody who finishes",
        )  # fmt: skip
    elif len(checks) == 1 and minutes is not None and minutes >= LONG:
        yield Finding(
            "must", "checks",
            f"there is one attention check in a study of {minutes:g} minutes, where a rejection "
            "needs two failed ones",
            "add another item of kind check, or reject nobody for attention",
        )  # fmt: skip


def _about_check(study: Study, item: Item) -> Iterator[Finding]:
    """Report a check that is neither an instruction nor nonsense on a scale without a middle."""
    asked = [each for each in study.criteria if each.key in item.expected]
    text = " ".join((*item.texts, item.input or ""))
    unsaid = [each for each in asked if not _says(text, each.scale, item.expected[each.key])]
    if not unsaid:
        return
    middles = [each for each in unsaid if _has_middle(each.scale)]
    message = "the text does not say which answer to give"
    instruct = "write the instruction into the text, such as “Please select 4 for this one”"
    if middles:
        yield Finding(
            "must", item.id,
            f"{message}, and {middles[0].key!r} has a neutral point, which a nonsensical item "
            "must not have",
            instruct,
        )  # fmt: skip
    else:
        yield Finding(
            "should", item.id, message,
            f"{instruct}; without one it must be so nonsensical that nobody can agree with it",
        )  # fmt: skip


def _about_rejecting(
    study: Study, minutes: float | None, rejecting: Rejecting
) -> Iterator[Finding]:
    where = "rejection"
    if rejecting.failed_checks < 2 and (minutes is None or minutes >= LONG):
        yield Finding(
            "must", where,
            f"people are rejected for {rejecting.failed_checks} failed checks",
            f"in a study of {LONG} minutes or more wait for two failed attention checks",
        )  # fmt: skip
    if rejecting.for_comprehension:
        yield Finding(
            "must", where, "people are rejected for failing a comprehension check",
            "ask them to return the submission, or screen them out with a code of its own",
        )  # fmt: skip
    if rejecting.attempts < ATTEMPTS:
        yield Finding(
            "must", where,
            f"a comprehension check may be tried {rejecting.attempts} times",
            f"allow {ATTEMPTS} attempts or more, at the beginning of the study",
        )  # fmt: skip
    length = len(rejecting.message.strip())
    if length < SHORTEST_MESSAGE:
        yield Finding(
            "must", where, f"the message has {length} characters",
            f"say in {SHORTEST_MESSAGE} or more what was failed, where and why it matters",
        )  # fmt: skip
    if study.items_of("gold"):
        yield Finding(
            "should", where, "a wrong answer to a gold item is no failed attention check",
            "leave such ratings out of the analysis instead of rejecting the person",
        )  # fmt: skip


def _about_the_way_back(study: Study) -> Iterator[Finding]:
    code, redirect = study.session.code, study.session.redirect
    if not redirect:
        yield Finding(
            "must", "session", "people are not sent back when they finish",
            f'say redirect = "{PROLIFIC.completion.format(code="CODE")}" under [session]',
        )  # fmt: skip
        return
    there, wanted = urlsplit(redirect), urlsplit(PROLIFIC.completion)
    sent = parse_qs(there.query).get("cc", [])
    if (there.scheme, there.netloc, there.path) != (wanted.scheme, wanted.netloc, wanted.path):
        yield Finding(
            "must", "session", f"redirect = {redirect!r} does not lead to Prolific",
            f"it must begin with {PROLIFIC.completion.format(code='')}",
        )  # fmt: skip
    elif len(sent) != 1:
        yield Finding(
            "must", "session", "redirect has no code", "add ?cc= and the code that Prolific shows"
        )
    elif code and sent != [code]:
        yield Finding(
            "must", "session", f"code is {code!r}, but redirect sends {sent[0]!r}",
            "use the same code in both",
        )  # fmt: skip
    if not code:
        yield Finding(
            "should", "session", "the code is not shown as text",
            "say code under [session], for those whose browser does not follow the redirect",
        )  # fmt: skip


def _about_recruiting(
    study: Study, recruiting: Recruiting, minutes: float | None
) -> Iterator[Finding]:
    """Report what [recruiting] says and Prolific does not allow, or people would not like."""
    where = "recruiting"
    if recruiting.platform != "prolific":
        yield Finding(
            "should", where, f"people come from {recruiting.platform}, and these are the rules of "
            "Prolific", "look at the rules of your platform too",
        )  # fmt: skip
    allowed = recruiting.failed_checks_allowed
    if allowed == 0 and (minutes is None or minutes >= LONG):
        yield Finding(
            "must", where, "people are sent back for one failed check",
            f"in a study of {LONG} minutes or more say failed_checks_allowed = 1 or more",
        )  # fmt: skip
    if recruiting.qualify is not None and recruiting.attempts < ATTEMPTS:
        yield Finding(
            "must", where, f"practice may be tried {recruiting.attempts} times",
            f"say attempts = {ATTEMPTS} or more",
        )  # fmt: skip
    if study.session.redirect:
        yield Finding(
            "should", "session", "redirect is not used, because [recruiting] has codes of its own",
            "take it out",
        )  # fmt: skip
    if recruiting.pay is None:
        yield Finding("should", where, "nobody says what people are paid", 'say pay = "2.00"')
    elif recruiting.minimum_wage is None:
        yield Finding(
            "should", where, "nobody says what an hour should pay at the least",
            'say minimum_wage = "12.00" under [recruiting]',
        )  # fmt: skip
    elif minutes is not None:
        for warning in study_cost(study).warnings:
            message, _, advice = warning.rstrip(".").partition("; ")
            yield Finding("should", where, message, advice)


def _says(text: str, scale: Scale, expected: Any) -> bool:
    """Say whether a text names an answer, by its value or by its label."""
    value = f"{expected:g}" if isinstance(expected, float) else str(expected).strip()
    names = {value, _labels(scale).get(expected, "").strip()} - {""}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I) for name in names)


def _labels(scale: Scale) -> dict[Any, str]:
    """Return the words beside each answer, as a judge reads them."""
    if isinstance(scale, VisualScale):
        ends = dict(zip((scale.low, scale.high), scale.labels, strict=True))
        return ends | dict(scale.descriptors) if isinstance(scale, GraphicScale) else ends
    if isinstance(scale, YesNo) and scale.categories == (0, 1):
        return {0: "no", 1: "yes"}
    if isinstance(scale, VerbalScale) and scale.labels:
        return dict(zip(scale.categories or (), scale.labels, strict=True))
    return {}


def _has_middle(scale: Scale) -> bool:
    return scale.categories is None or len(scale.categories) % 2 == 1
