"""A comparison of scales as a report: a page, a paper, plain values, a table."""

from covary.reports.scale_comparison.document import ScaleReport, scale_report

__all__ = ["ScaleReport", "scale_report"]
