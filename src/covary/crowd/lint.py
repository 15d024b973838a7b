"""Whether a study keeps Prolific's rules, told before people are paid or turned away.

The rules are those of Prolific's policy on attention and comprehension checks and of its rules on
rejection. They can change; Prolific's help pages have the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from covary.crowd.platforms import PROLIFIC, minutes_of, study_cost
from covary.errors import InvalidArgument
from covary.scales import Scale
from covary.study import Study
from covary.study.model import Item, Recruiting
from covary.words import word

SHORTEST_MESSAGE = 100
"""A message that rejects a submission has at least so many characters."""

LONG = 5
"""From so many minutes on, one failed check is no reason for a rejection."""

ATTEMPTS = 2

Weight = Literal["must", "should"]


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
class LintFinding:
    """Something to change: `must` breaks a rule, `should` is worth a look.

    `where` is the item or the part of the study, `code` and `data` what is the matter; `message`
    puts it into words and `advice` says what to do.
    """

    weight: Weight
    where: str
    code: str
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What is wrong."""
        return word(f"crowd.rule.{self.code}", self.data)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return word(f"crowd.advice.{self.code}", self.data)

    def __str__(self) -> str:
        return f"{self.weight}: {self.where}: {self.message}; {self.advice}"


def lint(
    study: Study, *, minutes: float | None = None, rejecting: Rejecting | None = None
) -> tuple[LintFinding, ...]:
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
    tuple of LintFinding
        Empty where nothing was found; what is broken comes first.
    """
    minutes = minutes_of(study) if minutes is None else minutes
    if minutes is not None and not minutes > 0:
        raise InvalidArgument("crowd.minutes", argument="minutes", value=minutes)
    findings = [*_about_checks(study, minutes)]
    if rejecting is not None:
        findings += _about_rejecting(study, minutes, rejecting)
    if study.recruiting is None:
        findings += _about_redirect(study)
    else:
        findings += _about_recruiting(study, study.recruiting, minutes)
    return tuple(sorted(findings, key=lambda finding: finding.weight))


def _must(where: str, code: str, /, **data: Any) -> LintFinding:
    return LintFinding("must", where, code, data)


def _should(where: str, code: str, /, **data: Any) -> LintFinding:
    return LintFinding("should", where, code, data)


def _about_checks(study: Study, minutes: float | None) -> Iterator[LintFinding]:
    checks = study.items_of("check")
    for item in checks:
        yield from _about_check(study, item)
    if minutes is None:
        yield _should("time", "no-minutes")
    if not checks:
        yield _should("checks", "no-checks")
    elif len(checks) == 1 and minutes is not None and minutes >= LONG:
        yield _must("checks", "one-check", minutes=minutes)


def _about_check(study: Study, item: Item) -> Iterator[LintFinding]:
    """Report a check that is neither an instruction nor nonsense on a scale without a middle."""
    text = " ".join((*item.texts, item.input or ""))
    unsaid = [
        criterion
        for criterion in study.criteria
        if criterion.key in item.expected
        and not _names_answer(text, criterion.scale, item.expected[criterion.key])
    ]
    middles = [criterion.key for criterion in unsaid if _has_middle(criterion.scale)]
    if middles:
        yield _must(item.id, "unsaid-with-middle", criterion=middles[0])
    elif unsaid:
        yield _should(item.id, "unsaid")


def _about_rejecting(
    study: Study, minutes: float | None, rejecting: Rejecting
) -> Iterator[LintFinding]:
    where, length = "rejection", len(rejecting.message.strip())
    if rejecting.failed_checks < 2 and _is_long(minutes):
        yield _must(where, "rejected-early", n=rejecting.failed_checks, long=LONG)
    if rejecting.for_comprehension:
        yield _must(where, "rejected-for-comprehension")
    if rejecting.attempts < ATTEMPTS:
        yield _must(where, "comprehension-attempts", n=rejecting.attempts, least=ATTEMPTS)
    if length < SHORTEST_MESSAGE:
        yield _must(where, "rejection-message", length=length, least=SHORTEST_MESSAGE)
    if study.items_of("gold"):
        yield _should(where, "gold-is-no-check")


def _is_long(minutes: float | None) -> bool:
    """Whether one failed check is too few; a study of unknown length may be long."""
    return minutes is None or minutes >= LONG


def _about_redirect(study: Study) -> Iterator[LintFinding]:
    where, code, redirect = "session", study.session.code, study.session.redirect
    if not redirect:
        yield _must(where, "no-redirect", address=PROLIFIC.completion.format(code="CODE"))
        return
    there, prolific = urlsplit(redirect), urlsplit(PROLIFIC.completion)
    sent = parse_qs(there.query).get("cc", [])
    if there[:3] != prolific[:3]:
        address = PROLIFIC.completion.format(code="")
        yield _must(where, "redirect-elsewhere", redirect=redirect, address=address)
    elif len(sent) != 1:
        yield _must(where, "redirect-without-code")
    elif code and sent != [code]:
        yield _must(where, "redirect-with-other-code", code=code, sent=sent[0])
    if not code:
        yield _should(where, "code-not-shown")


def _about_recruiting(
    study: Study, recruiting: Recruiting, minutes: float | None
) -> Iterator[LintFinding]:
    """Report what [recruiting] says and Prolific does not allow, or people would not like."""
    where = "recruiting"
    if recruiting.platform != "prolific":
        yield _should(where, "other-platform", platform=recruiting.platform)
    if recruiting.failed_checks_allowed == 0 and _is_long(minutes):
        yield _must(where, "sent-back-early", long=LONG)
    if recruiting.qualify is not None and recruiting.attempts < ATTEMPTS:
        yield _must(where, "practice-attempts", n=recruiting.attempts, least=ATTEMPTS)
    if study.session.redirect:
        yield _should("session", "unused-redirect")
    if recruiting.pay is None:
        yield _should(where, "no-pay")
    elif recruiting.minimum_wage is None:
        yield _should(where, "no-wage")
    elif minutes is not None:
        for warning in study_cost(study).warnings:
            yield LintFinding("should", where, warning.code.removeprefix("crowd."), warning.data)


def _names_answer(text: str, scale: Scale, expected: Any) -> bool:
    """Say whether a text names an answer, by its value or by its label."""
    value = f"{expected:g}" if isinstance(expected, float) else str(expected).strip()
    names = {value, scale.answer_words().get(expected, "").strip()} - {""}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I) for name in names)


def _has_middle(scale: Scale) -> bool:
    if scale.categories is None:
        return not scale.compares
    return len(scale.categories) % 2 == 1
