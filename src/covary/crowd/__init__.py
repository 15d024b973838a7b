"""Recruiting judges elsewhere: platforms, costs, rules and payments."""

from covary.crowd.batch_cost import BatchCost, batch_cost
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
from covary.crowd.recruiting import study_cost
from covary.crowd.submissions import Submission

__all__ = [
    "CONNECT",
    "PLATFORMS",
    "PROLIFIC",
    "SONA",
    "ActualCost",
    "BatchCost",
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
    "batch_cost",
    "bonuses_due",
    "expected_cost",
    "lint",
    "payments",
    "study_cost",
    "visitor_of",
    "write_payments",
]
