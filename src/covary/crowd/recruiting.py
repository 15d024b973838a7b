"""What a study says about recruiting, as prices, codes, a platform and an estimate of the cost."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from covary.crowd.cost import ExpectedCost, Prices, estimate
from covary.crowd.platforms import CONNECT, PROLIFIC, SONA, Codes, Platform
from covary.errors import InvalidArgument
from covary.study.model import APART, Recruiting, Study

__all__ = [
    "codes_of",
    "minutes_of",
    "name_of",
    "new_table",
    "people_of",
    "platform_of",
    "prices_of",
    "recruiting_of",
    "study_cost",
]

TABLE = """\
[recruiting]
platform = "prolific"     # or "connect", "sona", "link"
done = "{done}"       # the code of those who finish; enter it on the platform too
returned = "{returned}"   # of those who do not agree, stop, or find the study full
pay = "2.00"              # for each person
fee_share = "0.33"        # what the platform takes, as a share of the pay
minimum_wage = "12.00"    # the least that an hour shall pay
minutes = 10              # how long it takes; a trial tells
"""

PLATFORMS: Mapping[str, Platform] = MappingProxyType(
    {"prolific": PROLIFIC, "connect": CONNECT, "sona": SONA}
)
"""By what study.toml calls them; a plain link belongs to none."""

MINUTE = 60


def new_table() -> str:
    """Return a table [recruiting] to begin from, with codes that nobody can guess."""
    codes = Codes.new()
    return TABLE.format(done=codes.done, returned=codes.returned)


def recruiting_of(study: Study) -> Recruiting:
    """Return how a study recruits, or say what to write."""
    if study.recruiting is None:
        raise InvalidArgument(
            "the study does not say how people are recruited; write a table [recruiting] into "
            "study.toml (platform, done, pay, minutes, ...)"
        )
    return study.recruiting


def platform_of(recruiting: Recruiting) -> Platform | None:
    """Return the platform; None where people come by a plain link."""
    return PLATFORMS.get(recruiting.platform)


def name_of(recruiting: Recruiting) -> str:
    """Return what people call the platform."""
    platform = platform_of(recruiting)
    return "a plain link" if platform is None else platform.name


def codes_of(recruiting: Recruiting) -> Codes:
    """Return the codes of a study; a platform without codes is told apart by addresses."""
    done = recruiting.done or "done"
    return Codes(done, recruiting.screened_out, recruiting.failed, recruiting.returned)


def prices_of(recruiting: Recruiting) -> Prices:
    """Return what one person's work pays and costs."""
    if recruiting.pay is None:
        raise InvalidArgument(
            'the study does not say what people are paid; write pay = "2.00" under [recruiting]'
        )
    return Prices(
        pay=recruiting.pay,
        fee=recruiting.fee,
        fee_share=recruiting.fee_share,
        wage=recruiting.minimum_wage,
        screen_out=recruiting.screen_out_pay,
    )


def minutes_of(study: Study) -> float | None:
    """Return how long the study takes one person, as far as it says so."""
    said = study.recruiting.minutes if study.recruiting else None
    return study.population.minutes if said is None else said


def people_of(study: Study) -> int:
    """Return how many people are wanted: the places, or one for each sheet of the design."""
    places = recruiting_of(study).places
    return study.design.judges if places is None else places


def study_cost(study: Study) -> ExpectedCost:
    """Say what a study will cost: each person is paid for a sheet."""
    minutes = minutes_of(study)
    return estimate(
        people_of(study),
        sum(each.kind not in APART for each in study.items),
        prices_of(recruiting_of(study)),
        None if minutes is None else minutes * MINUTE,
    )
