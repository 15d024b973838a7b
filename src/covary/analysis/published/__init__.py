"""The published-number auditor: printed numbers against arithmetic, stars and ratings."""

from covary.analysis.published.audit import KINDS, audit, audit_papers
from covary.analysis.published.check import Audit, CheckedNumber, CheckResult

__all__ = ["KINDS", "Audit", "CheckResult", "CheckedNumber", "audit", "audit_papers"]
