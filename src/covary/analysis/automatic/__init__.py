"""May a language model or a metric stand in for judges? Its ratings beside people's."""

from covary.analysis.automatic.compare import automatic
from covary.analysis.automatic.result import AutomaticJudge, AutomaticStudy, SystemMean

__all__ = ["AutomaticJudge", "AutomaticStudy", "SystemMean", "automatic"]
