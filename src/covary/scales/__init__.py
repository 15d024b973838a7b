"""Levels of measurement and the kinds of scale a criterion can be answered on.

A scale, and not the data, says which ratings are possible, their order, how far apart they
stand and which end is best. Statistics that depend on the number of possible categories
(weighted kappas, Gwet's AC1 and AC2, Brennan-Prediger) take it from here.
"""

from covary.scales.controls import (
    CannotJudge,
    Category,
    Choice,
    ChoiceControl,
    Control,
    Drawing,
    LineControl,
    LineMark,
    Passage,
)
from covary.scales.kinds import (
    KINDS,
    BestWorstChoice,
    FreeText,
    GraphicScale,
    NumberScale,
    ObservedScale,
    Preference,
    SeveralChoices,
    VerbalScale,
    VisualScale,
    YesNo,
    as_scale,
    scale_from_table,
)
from covary.scales.scale import End, Level, Scale, as_level, is_number

__all__ = [
    "KINDS",
    "BestWorstChoice",
    "CannotJudge",
    "Category",
    "Choice",
    "ChoiceControl",
    "Control",
    "Drawing",
    "End",
    "FreeText",
    "GraphicScale",
    "Level",
    "LineControl",
    "LineMark",
    "NumberScale",
    "ObservedScale",
    "Passage",
    "Preference",
    "Scale",
    "SeveralChoices",
    "VerbalScale",
    "VisualScale",
    "YesNo",
    "as_level",
    "as_scale",
    "is_number",
    "scale_from_table",
]
