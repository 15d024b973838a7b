"""Recruiting judges elsewhere: platforms, costs, rules and payments."""

from covary.analysis.planning.cost import ExpectedCost, Prices, expected_cost
from covary.crowd.api import PlatformError
from covary.crowd.cost import ActualCost, BatchCost, actual_cost, batch_cost
from covary.crowd.lint import LintFinding, Rejecting, lint
from covary.crowd.payments import Payment, bonuses_due, payments, write_payments
from covary.crowd.platforms import (
    CONNECT,
    PLATFORMS,
    PROLIFIC,
    SONA,
    Codes,
    Platform,
    Visitor,
    study_cost,
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
    "BatchCost",
    "Bonuses",
    "Codes",
    "Draft",
    "ExpectedCost",
    "LintFinding",
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
