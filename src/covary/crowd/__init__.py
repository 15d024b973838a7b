"""Recruiting judges elsewhere: platforms, costs, rules and payments."""

from covary.crowd.calling import PlatformError
from covary.crowd.cost import ActualCost, ExpectedCost, Prices, actual_cost, expected_cost
from covary.crowd.lint import Finding, Rejecting, lint
from covary.crowd.payments import Payment, bonuses_due, payments, write_payments
from covary.crowd.platforms import (
    CONNECT,
    PLATFORMS,
    PROLIFIC,
    SONA,
    Codes,
    Platform,
    Visitor,
    visitor_of,
)
from covary.crowd.prolific import Bonuses, Draft, Prolific
from covary.crowd.submissions import Submission

__all__ = [
    "CONNECT",
    "PLATFORMS",
    "PROLIFIC",
    "SONA",
    "ActualCost",
    "Bonuses",
    "Codes",
    "Draft",
    "ExpectedCost",
    "Finding",
    "Payment",
    "Platform",
    "PlatformError",
    "Prices",
    "Prolific",
    "Rejecting",
    "Submission",
    "Visitor",
    "actual_cost",
    "bonuses_due",
    "expected_cost",
    "lint",
    "payments",
    "visitor_of",
    "write_payments",
]
