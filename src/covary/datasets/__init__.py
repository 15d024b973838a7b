"""Real ratings that ship with covary, as frequency tables, and what papers print about them.

>>> names()
('flickr8k-experts', 'qgstec-original', 'qgstec-reevaluated', 'latin-square-example')
"""

from covary.datasets.printed import printed
from covary.datasets.published import paper, papers
from covary.datasets.simulated import Instrument, SimulatedStudy, simulate_scales
from covary.datasets.tables import describe, load, names

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
