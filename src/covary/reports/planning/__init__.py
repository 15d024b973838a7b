"""How many judges and items a study needs, in every form, and how far a running one is."""

from covary.reports.planning.document import PlanReport, plan_report

__all__ = ["PlanReport", "plan_report"]
