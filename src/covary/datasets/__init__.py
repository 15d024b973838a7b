"""Real ratings that ship with covary, as frequency tables, and what papers print about them.

>>> names()
('flickr8k-experts', 'qgstec-original', 'qgstec-reevaluated', 'latin-square-example')
"""

from covary.datasets.shipped import describe, load, names, paper, papers, printed
from covary.datasets.simulation import Instrument, SimulatedStudy, simulate_scales

__all__ = [
    "Instrument",
    "SimulatedStudy",
    "describe",
    "load",
    "names",
    "paper",
    "papers",
    "printed",
    "simulate_scales",
]
