"""A crowd beside experts as a report: a page, a paper, plain values, a table."""

from covary.reports.crowd.document import CrowdReport, crowd_report

__all__ = ["CrowdReport", "crowd_report"]
