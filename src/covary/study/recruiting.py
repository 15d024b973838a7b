"""[recruiting] of study.toml: where people come from, how they are sent back, what they get."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from covary.errors import InvalidArgument
from covary.formats.toml_tables import TomlTable
from covary.study.files import StudyFileFault, file_inside, read_text
from covary.study.model import Criterion, Item, Recruiting, Study

PLATFORMS = ("prolific", "connect", "sona", "link")
ENDS = ("done", "screened_out", "failed", "returned")
CODE_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
CODE_PLATFORM = "prolific"
"""The platform whose way back is made from a code; the others show each study an address."""


LEAST_BITS = 2048
"""Of a key that signs; shorter ones can be broken."""


@dataclass(frozen=True, kw_only=True)
class SigningKey:
    """A platform's public key (RSA), by which its signed links are checked."""

    name: str
    modulus: int
    exponent: int


def read_signing_keys(text: str) -> tuple[SigningKey, ...]:
    """Read public keys as a platform publishes them: a JSON web key set (RFC 7517).

    Raises `InvalidArgument` where it holds none that can be used.
    """
    try:
        listed = json.loads(text)["keys"]
        keys = tuple(_signing_key(each) for each in listed if each.get("kty") == "RSA")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidArgument("study.no-key-set") from None
    if not keys:
        raise InvalidArgument("study.no-key-set")
    return keys


def _signing_key(each: Mapping[str, Any]) -> SigningKey:
    modulus, exponent = (
        int.from_bytes(base64.urlsafe_b64decode(each[name] + "==="), "big") for name in ("n", "e")
    )
    if modulus.bit_length() < LEAST_BITS or exponent < 3:
        raise ValueError("this key is too short")
    return SigningKey(name=str(each["kid"]), modulus=modulus, exponent=exponent)


def _keys_file(table: TomlTable, folder: Path) -> str:
    """Return the name of the file of keys, once it is known to be one."""
    name = table.name("keys")
    if not name:
        return ""
    if table.choice("platform", PLATFORMS, "prolific") != "prolific":
        table.fault("keys", "study.keys-of-prolific")
        return ""
    try:
        read_signing_keys(read_text(file_inside(folder, name))[0])
    except StudyFileFault as fault:
        table.fault("keys", fault.code, **fault.facts)
    except InvalidArgument as error:
        table.fault("keys", error.code, value=name)
    return name


def read_recruiting(top: TomlTable, folder: Path) -> Recruiting | None:
    """Read [recruiting]; None where study.toml has no such table."""
    table = top.table("recruiting")
    if "recruiting" not in top.content:
        return None
    codes = {name: _code(table, name) for name in ENDS}
    recruiting = Recruiting(
        platform=table.choice("platform", PLATFORMS, "prolific"),
        **codes,
        addresses=_addresses(table),
        keys=_keys_file(table, folder),
        currency=table.name("currency"),
        pay=_money(table, "pay"),
        screen_out_pay=_money(table, "screen_out_pay") or Decimal(0),
        fee=_money(table, "fee") or Decimal(0),
        fee_share=_money(table, "fee_share") or Decimal(0),
        minimum_wage=_money(table, "minimum_wage"),
        minutes=_above_zero(table, "minutes", None),
        places=table.whole("places", None, 1),
        part=table.name("part"),
        abandon_after_minutes=_above_zero(table, "abandon_after_minutes", 120.0),
        qualify=_share(table, "qualify"),
        attempts=table.whole("attempts", 2, 1),
        failed_checks_allowed=table.whole(
            "failed_checks_allowed", 1 if codes["failed"] else None, 0
        ),
    )
    _check_codes(table, recruiting)
    table.done()
    return recruiting


def check_recruiting(top: TomlTable, study: Study, items: Sequence[Item]) -> None:
    """Report what the items or the design cannot give."""
    recruiting = study.recruiting
    if recruiting is None:
        return
    table = top.table("recruiting")
    parts = [part for part in study.parts if part]
    if recruiting.part and recruiting.part not in parts:
        table.fault("part", "study.recruited-part", value=recruiting.part, allowed=parts)
    judges = recruited_sheets(study)
    if recruiting.places is not None and recruiting.places > judges:
        table.fault("places", "study.more-places", places=recruiting.places, judges=judges)
    for key, kind in (("qualify", "practice"), ("failed_checks_allowed", "check")):
        is_known = any(item.expected for item in items if item.kind == kind)
        if key in table.content and not is_known:
            table.fault(key, "study.nothing-expected", kind=kind)


def recruited_sheets(study: Study) -> int:
    """Return how many sheets of the design are for recruited people."""
    part = study.recruiting.part if study.recruiting is not None else ""
    design = study.design
    if not part or design.parts != "one-each":
        return design.judges
    own = design.of_part(part).judges
    return own if design.part else -(-design.judges // len(study.parts))


def _code(table: TomlTable, name: str) -> str:
    code = table.name(name)
    if code and not CODE_PATTERN.fullmatch(code):
        table.fault(name, "study.no-code", value=code)
    return code


def _addresses(table: TomlTable) -> Mapping[str, str]:
    below = table.table("addresses")
    addresses = {name: address for name in ENDS if (address := below.name(name))}
    for name, address in addresses.items():
        if not is_https(address):
            below.fault(name, "study.no-https-here", value=address)
    below.done()
    return MappingProxyType(addresses)


def is_https(address: str) -> bool:
    """Say whether an address can be opened safely."""
    try:
        parts = urlsplit(address)
        return parts.scheme == "https" and bool(parts.hostname) and not re.search(r"\s", address)
    except ValueError:
        return False


def _money(table: TomlTable, key: str) -> Decimal | None:
    """Return an amount exactly as it was written, as a number or as text."""
    if not table.has(key):
        return None
    value = table.content[key]
    try:
        amount = Decimal(str(value).strip()) if type(value) in (int, float, str) else None
    except InvalidOperation:
        amount = None
    if amount is None or not amount.is_finite() or amount < 0:
        table.fault(key, "study.no-money", value=value, name=key)
        return None
    return amount


def _above_zero(table: TomlTable, key: str, default: Any) -> Any:
    value = table.number(key, default, 0)
    if value == 0:
        table.fault(key, "study.no-minutes")
        return default
    return value


def _share(table: TomlTable, key: str) -> Any:
    value = table.number(key, None, 0)
    if value is not None and not 0 < value <= 1:
        table.fault(key, "study.no-share", value=value, example=0.8)
        return None
    return value


def _check_codes(table: TomlTable, recruiting: Recruiting) -> None:
    """Report codes that are alike, and ends that a person can come to without a way back."""
    codes = {name: getattr(recruiting, name) for name in ENDS if getattr(recruiting, name)}
    for name, code in codes.items():
        first = next(other for other in ENDS if codes.get(other) == code)
        if first != name:
            table.fault(name, "study.code-twice", value=code, other=first)
    if recruiting.platform == "link":
        return
    needed = {
        "done": True,
        "screened_out": recruiting.qualify is not None,
        "failed": recruiting.failed_checks_allowed is not None,
    }
    by_code = recruiting.platform == CODE_PLATFORM
    missing = "study.code-missing" if by_code else "study.address-missing"
    for name, is_needed in needed.items():
        if is_needed and not codes.get(name) and name not in recruiting.addresses:
            table.fault(name, missing, name=name)
    if by_code and recruiting.addresses:
        table.fault("addresses", "study.addresses-beside-codes")


# the rules of a recruited person's visit: what qualifies, which checks fail, how long to wait

NEAR = 0.1
"""A mark this share of the line from the known answer matches it."""

ROUNDING = 1e-9
"""So that 0.7 of ten answers is seven of them, whatever floating point makes of it."""


def matches(criterion: Criterion, item: Item, rating: Any) -> bool:
    """Say whether an answer is the expected one; on a line, whether it is near it."""
    expected = item.expected[criterion.key]
    if not isinstance(rating, int | float) or criterion.scale.categories is not None:
        return bool(rating == expected)
    length = criterion.scale.high - criterion.scale.low
    return abs(float(rating) - float(expected)) <= NEAR * length


def match_known_answers(
    criteria: Iterable[Criterion], item: Item, ratings: Mapping[str, Any]
) -> list[bool]:
    """Say of each criterion with a known answer whether the one given is it; none is not."""
    return [
        criterion.key in ratings and matches(criterion, item, ratings[criterion.key])
        for criterion in criteria
        if criterion.key in item.expected
    ]


def qualifies(recruiting: Recruiting, answers: Sequence[bool]) -> bool:
    """Say whether enough practice answers were the expected ones to go on."""
    return sum(answers) >= (recruiting.qualify or 0) * len(answers) - ROUNDING


def fails_checks(recruiting: Recruiting, failed: int) -> bool:
    """Say whether more checks failed than the study allows; a study may allow any number."""
    allowed = recruiting.failed_checks_allowed
    return allowed is not None and failed > allowed


def idle_limit(study: Study) -> timedelta:
    """Return how long a recruited person may be silent; between two occasions they have to be."""
    assert study.recruiting is not None
    allowed = timedelta(minutes=study.recruiting.abandon_after_minutes)
    if study.design.occasions > 1:
        allowed += timedelta(hours=study.session.occasion_gap_hours)
    return allowed
