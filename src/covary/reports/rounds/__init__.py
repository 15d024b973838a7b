"""Rounds of training as a report: a page, a paper, plain values, a table."""

from covary.reports.rounds.document import RoundsReport, rounds_report

__all__ = ["RoundsReport", "rounds_report"]
