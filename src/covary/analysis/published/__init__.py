"""The published-number auditor: printed numbers against arithmetic, stars and ratings."""

from covary.analysis.published.audit import audit, audit_papers
from covary.analysis.published.kinds import KINDS
from covary.analysis.published.numbers import Audit, CheckedNumber, Part

__all__ = ["KINDS", "Audit", "CheckedNumber", "Part", "audit", "audit_papers"]
