"""A comparison of systems as a report: a page, a paper, plain values, a table."""

from covary.reports.systems.document import SystemsReport, systems_report

__all__ = ["SystemsReport", "systems_report"]
