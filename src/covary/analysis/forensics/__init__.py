"""What is wrong with these ratings, before anybody computes a coefficient from them?"""

from covary.analysis.forensics.check import check
from covary.analysis.forensics.findings import Finding, Findings

__all__ = ["Finding", "Findings", "check"]
