"""[recruiting] of study.toml: where people come from, how they are sent back, what they get."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from covary.study.faults import shown
from covary.study.model import DesignWish, Item, Recruiting
from covary.study.tables import Table

__all__ = ["check_recruiting", "read_recruiting"]

PLATFORMS = ("prolific", "connect", "sona", "link")
ENDS = ("done", "screened_out", "failed", "returned")
CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
OWN_WAY_BACK = "prolific"
"""The platform whose way back is made from a code; the others show each study an address."""


def read_recruiting(top: Table) -> Recruiting | None:
    """Read [recruiting]; None where study.toml has no such table."""
    table = top.table("recruiting")
    if "recruiting" not in top.content:
        return None
    codes = {name: _code(table, name) for name in ENDS}
    found = Recruiting(
        platform=table.choice("platform", PLATFORMS, "prolific"),
        **codes,
        addresses=_addresses(table),
        currency=table.name("currency"),
        pay=_money(table, "pay"),
        screen_out_pay=_money(table, "screen_out_pay") or Decimal(0),
        fee=_money(table, "fee") or Decimal(0),
        fee_share=_money(table, "fee_share") or Decimal(0),
        minimum_wage=_money(table, "minimum_wage"),
        minutes=_above_zero(table, "minutes", None),
        places=table.whole("places", None, 1),
        abandon_after_minutes=_above_zero(table, "abandon_after_minutes", 120.0),
        qualify=_share(table, "qualify"),
        attempts=table.whole("attempts", 2, 1),
        failed_checks_allowed=table.whole(
            "failed_checks_allowed", 1 if codes["failed"] else None, 0
        ),
    )
    _check_codes(table, found)
    table.done()
    return found


def check_recruiting(
    top: Table, recruiting: Recruiting | None, design: DesignWish, items: Sequence[Item]
) -> None:
    """Report what the items or the design cannot give."""
    if recruiting is None:
        return
    table = top.table("recruiting")
    if recruiting.places is not None and recruiting.places > design.judges:
        table.fault(
            "places",
            f"{recruiting.places} people need as many sheets, and the design has {design.judges}; "
            f"say judges = {recruiting.places} under [design]",
        )
    wanted = {"qualify": "practice", "failed_checks_allowed": "check"}
    for key, kind in wanted.items():
        known = any(each.expected for each in items if each.kind == kind)
        if key in table.content and not known:
            table.fault(key, f"no {kind} item has an expected answer to compare with")


def _code(table: Table, name: str) -> str:
    found = table.name(name)
    if found and not CODE.fullmatch(found):
        table.fault(name, f"{shown(found)} is no code; a code has 1 to 64 letters and digits")
    return found


def _addresses(table: Table) -> Mapping[str, str]:
    below = table.table("addresses")
    found = {name: address for name in ENDS if (address := below.name(name))}
    for name, address in found.items():
        if not _is_https(address):
            below.fault(name, f"{shown(address)} must be an address with https://")
    below.done()
    return MappingProxyType(found)


def _is_https(address: str) -> bool:
    try:
        found = urlsplit(address)
        return found.scheme == "https" and bool(found.hostname) and not re.search(r"\s", address)
    except ValueError:
        return False


def _money(table: Table, key: str) -> Decimal | None:
    """Return an amount exactly as it was written, as a number or as text."""
    if not table.has(key):
        return None
    given = table.content[key]
    try:
        found = Decimal(str(given).strip()) if type(given) in (int, float, str) else None
    except InvalidOperation:
        found = None
    if found is None or not found.is_finite() or found < 0:
        table.fault(key, f'{shown(given)} is no amount of money; write {key} = "1.50"')
        return None
    return found


def _above_zero(table: Table, key: str, default: Any) -> Any:
    found = table.number(key, default, 0)
    if found == 0:
        table.fault(key, "0 minutes must be more than 0")
        return default
    return found


def _share(table: Table, key: str) -> Any:
    found = table.number(key, None, 0)
    if found is not None and not 0 < found <= 1:
        table.fault(key, f"{shown(found)} must be a share above 0 and up to 1, such as 0.8")
        return None
    return found


def _check_codes(table: Table, found: Recruiting) -> None:
    """Report codes that are alike, and ends that a person can come to without a way back."""
    said = {name: getattr(found, name) for name in ENDS if getattr(found, name)}
    for name, code in said.items():
        first = next(other for other in ENDS if said.get(other) == code)
        if first != name:
            table.fault(name, f"{code!r} is the code of {first} too; nobody could tell them apart")
    if found.platform == "link":
        return
    needed = {
        "done": True,
        "screened_out": found.qualify is not None,
        "failed": found.failed_checks_allowed is not None,
    }
    for name, is_needed in needed.items():
        if is_needed and not said.get(name) and name not in found.addresses:
            table.fault(name, f"is missing; {_how(found.platform, name)}")
    if found.platform == OWN_WAY_BACK and found.addresses:
        table.fault("addresses", "Prolific has one way back, which is made from the code")


def _how(platform: str, name: str) -> str:
    if platform == OWN_WAY_BACK:
        return f'say {name} = "CODE" with the code of the study on Prolific'
    return f'say {name} = "https://…" under [recruiting.addresses], as the platform shows it'
